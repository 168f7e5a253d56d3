import CaptureSystem
import Testing

@testable import CaptureTransport

@Suite struct UnsentWindowTests {
  private static let remote = SocketAddress.internet(host: "192.0.2.7", port: 1, family: .v4)

  /// Within a machine most frames go out in one write. What begins there may be a tunnel: the first frame that is not taken shows it.
  @Test func aLocalLinkBeginsWithMoreUntilItProvesSlow() {
    var window = UnsentWindow(to: .standard)
    #expect(window.bytes == 1_048_576)
    window.blocked(now: 1)
    let hasChanged = window.drained(now: 1_000_000_000) { 1_000_000 }
    #expect(hasChanged && window.bytes == UnsentWindow.least)
  }

  /// What waits in a socket is 128 KiB or what the link takes in a millisecond.
  @Test(arguments: [(20_000_000 / 8, 131_072), (1_000_000_000 / 8, 131_072), (2_000_000_000, 1_048_576)])
  func itFollowsTheLink(_ bytesPerSecond: Int, _ expected: Int) {
    var window = UnsentWindow(to: Self.remote)
    var now: UInt64 = 1
    for _ in 0..<50 {
      window.blocked(now: now)
      now += UInt64(window.bytes / 2) * 1_000_000_000 / UInt64(bytesPerSecond)
      _ = window.drained(now: now) { UInt64(bytesPerSecond) }
    }
    #expect(window.bytes == expected)
  }

  /// At first what is fast are the link's empty queues; later it may be deep queues on the way to a slow peer, who acknowledges little.
  @Test(arguments: [(15, 10_000_000_000), (60, 2_500_000)])
  func whatIsTakenQuicklyProvesNothing(_ times: Int, _ acknowledged: UInt64) {
    var window = UnsentWindow(to: Self.remote)
    for index in 0..<UInt64(times) {
      window.blocked(now: index * 1_000_000)
      let hasChanged = window.drained(now: index * 1_000_000 + 1_000) { acknowledged }
      #expect(!hasChanged)
    }
  }

  @Test func aLinkThatSlowsDownGetsTheLeastAgain() {
    var window = UnsentWindow(to: Self.remote)
    for index in 0..<60 as Range<UInt64> {
      window.blocked(now: index * 1_000_000)
      _ = window.drained(now: index * 1_000_000 + 1_000) { 10_000_000_000 }
    }
    #expect(window.bytes == UnsentWindow.most)
    window.blocked(now: 1_000_000_000)
    let hasChanged = window.drained(now: 1_500_000_000) { 0 }
    #expect(hasChanged && window.bytes == UnsentWindow.least)
  }
}
