import CaptureSystem
import Glibc
import Testing

/// One after the other: each counts on that few others take descriptors meanwhile.
@Suite(.serialized) struct DescriptorReserveTests {
  /// Descriptors that are held, so that all numbers up to the highest one are in use.
  private final class Held {
    let all = (0..<64).map { _ in dup(STDERR_FILENO) }
    deinit { for descriptor in all { close(descriptor) } }

    /// The limit of a process that may have so many more, of which some are the streams' reserve.
    func limit(leaving count: Int) -> UInt64 {
      UInt64(Int(all.max()!) + 1 + count + DescriptorReserve.streams.rawValue)
    }
  }

  /// Other tests of this process may take a few meanwhile, or give some back.
  private static let few = 20

  private func isRefused(_ count: Int, limit: UInt64) -> Bool {
    do throws(Errno) {
      try DescriptorReserve.streams.taking(count, limit: limit) { () throws(Errno) in }
      return false
    } catch {
      return error.rawValue == EMFILE
    }
  }

  @Test func thoseWhoTakeDescriptorsAtTheSameMomentAreCountedTogether() throws {
    let held = Held()
    let limit = held.limit(leaving: 3 * Self.few)
    #expect(!isRefused(2 * Self.few, limit: limit))
    try DescriptorReserve.streams.taking(2 * Self.few, limit: limit) { () throws(Errno) in
      #expect(isRefused(2 * Self.few, limit: limit), "each by itself has room")
    }
    #expect(!isRefused(2 * Self.few, limit: limit), "they are done")
    withExtendedLifetime(held) {}
  }

  @Test func whoeverFailsTakesNothing() throws {
    let held = Held()
    let limit = held.limit(leaving: 3 * Self.few)
    for _ in 0..<4 {
      #expect(throws: Errno.inputOutput) {
        try DescriptorReserve.streams.taking(2 * Self.few, limit: limit) { () throws(Errno) -> Void in
          throw Errno.inputOutput
        }
      }
    }
    #expect(!isRefused(2 * Self.few, limit: limit))
    withExtendedLifetime(held) {}
  }

  @Test func aDescriptorIsGivenOrTheSystemsReason() throws {
    let given = try DescriptorReserve.streams.descriptor { dup(STDERR_FILENO) }
    let number = given.raw
    #expect(number > STDERR_FILENO)
    #expect(throws: Errno(rawValue: EBADF)) {
      _ = try DescriptorReserve.streams.descriptor { dup(-1) }.raw
    }
  }
}
