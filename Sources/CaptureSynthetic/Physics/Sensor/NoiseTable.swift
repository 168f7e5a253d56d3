import CPhysicsKernels

/// Noise for rows of pixels, normally distributed; 32 is the deviation. Each row starts at another place in the table.
struct NoiseTable {
  private let values: [Int8]
  private let seed: UInt64
  private static let starts: UInt64 = 1 << 15

  /// `longest`: the length of the longest row.
  init(seed: UInt64, longest: Int) {
    self.seed = seed
    let count = Int(Self.starts) + longest
    values = Array(unsafeUninitializedCapacity: count) { buffer, filled in
      physics_noise(seed, buffer.baseAddress!, count)
      filled = count
    }
  }

  /// Calls `body` with the noise for a row of one colour of one frame.
  func withRow<R>(_ row: Int, color: Int, sequence: UInt64, _ body: (UnsafePointer<Int8>) -> R) -> R {
    var state = seed &+ sequence &* 0x1_0000_0001 &+ UInt64(row * 3 + color) << 40
    let start = Int(physics_random(&state) % Self.starts)
    return values.withUnsafeBufferPointer { body($0.baseAddress! + start) }
  }
}
