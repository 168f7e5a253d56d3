import CaptureSystem
import Glibc
import Testing

@Suite struct RetryingTests {
  @Test func interruptionsAreTriedAgainAndNothingElse() {
    var left: [Errno] = [.interrupted, .interrupted, .busy, .interrupted]
    #expect(throws: Errno.busy) {
      try retrying { () throws(Errno) in throw left.removeFirst() }
    }
    #expect(left == [.interrupted])
  }

  @Test func aNegativeResultIsTheErrnoItLeft() throws {
    var results: [Int32] = [-1, 7]
    let result = try retryingInterrupts { () -> Int32 in
      errno = EINTR
      return results.removeFirst()
    }
    #expect(result == 7)
    #expect(throws: Errno.noEntry) {
      try retryingInterrupts { () -> Int32 in
        errno = ENOENT
        return -1
      }
    }
  }
}
