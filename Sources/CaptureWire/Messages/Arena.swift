internal import CCaptureProto
import Glibc

/// Memory in which protobuf-c's structs are built, freed all at once.
///
/// It first fills memory of the caller's (on the stack), then chunks of its own. With a `budget` it refuses an allocation that would exceed it:
/// protobuf-c unpacks many empty submessages into 40 to 76 times their input.
struct Arena: ~Copyable {
  private var next: UnsafeMutableRawPointer
  private var available: Int
  /// How many bytes may still be allocated.
  private var budget: Int
  /// Whether an allocation was refused.
  private(set) var isExhausted = false
  /// Whether a string with a NUL was written. protobuf-c ends it there.
  var hasCutString = false
  /// The newest chunk. Its first word points to the chunk before.
  private var chunk: UnsafeMutableRawPointer?

  private static let chunkSize = 16 << 10
  /// This alignment is enough for every type in protobuf-c's structs.
  private static let alignment = 8

  /// How many bytes of stack a call starts with; `withUnsafeTemporaryAllocation` puts no more than this there.
  static let stackSize = 1024

  /// How much memory unpacking `count` bytes may take: 64 times `count` and 64 KiB more, but at most 10 MiB. The Swift values that are made of it
  /// take up to three times as much again. So one message of a peer takes less than 64 MiB at any time.
  static func decodingBudget(_ count: Int) -> Int {
    min(64 * count + 64 << 10, 10 << 20)
  }

  /// `memory` is aligned to 8 bytes and outlives the arena.
  init(in memory: UnsafeMutableRawBufferPointer, budget: Int = .max) {
    next = memory.baseAddress!
    available = memory.count
    self.budget = budget
  }

  /// Returns uninitialized bytes, aligned to 8; `nil` where the budget is exceeded.
  mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
    guard count <= budget else {
      isExhausted = true
      return nil
    }
    let size = (max(count, 1) + Self.alignment - 1) & ~(Self.alignment - 1)
    if size > available { addChunk(holding: size) }
    budget -= min(size, budget)
    available -= size
    defer { next += size }
    return next
  }

  private mutating func addChunk(holding size: Int) {
    let count = max(Self.chunkSize, Self.alignment + size)
    guard let memory = malloc(count) else { fatalError("out of memory") }
    memory.storeBytes(of: chunk, as: UnsafeMutableRawPointer?.self)
    chunk = memory
    next = memory + Self.alignment
    available = count - Self.alignment
  }

  deinit {
    var last = chunk
    while let memory = last {
      last = memory.load(as: UnsafeMutableRawPointer?.self)
      free(memory)
    }
  }
}

extension ProtobufCAllocator {
  /// Takes memory from `arena`, which must not move, and never frees any.
  init(_ arena: UnsafeMutablePointer<Arena>) {
    self.init(
      alloc: { data, size in data!.assumingMemoryBound(to: Arena.self).pointee.allocate(size) },
      free: { _, _ in },
      allocator_data: arena)
  }
}
