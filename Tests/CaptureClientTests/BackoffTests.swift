import Testing

@testable import CaptureClient

@Suite struct BackoffTests {
  private let policy = ReconnectPolicy(
    initialDelay: .milliseconds(100), maximumDelay: .seconds(1), multiplier: 2, jitter: 0.5)

  @Test func pausesGrowToTheLongest() {
    var backoff = Backoff(policy)
    let pauses = (0..<6).map { _ in backoff.pause(chance: 0) }
    #expect(pauses == [100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
  }

  @Test func chanceShortensThemByItsShareAtMost() {
    var backoff = Backoff(policy)
    #expect(backoff.pause(chance: 1) == .milliseconds(50))
    #expect(backoff.pause(chance: 0.5) == .milliseconds(150))
  }

  @Test func aConnectionThatLastedBeginsThemAnew() {
    var backoff = Backoff(policy)
    for _ in 0..<4 { _ = backoff.pause(chance: 0) }
    backoff.connectionEnded(after: .milliseconds(900))
    #expect(backoff.pause(chance: 0) == .seconds(1), "one that was lost at once does not")
    backoff.connectionEnded(after: .seconds(1))
    #expect(backoff.pause(chance: 0) == .milliseconds(100))
  }

  @Test func nonsenseIsBounded() {
    var backoff = Backoff(
      ReconnectPolicy(
        initialDelay: .seconds(5), maximumDelay: .seconds(1), multiplier: 0, jitter: 7))
    #expect(backoff.pause(chance: 0) == .seconds(1))
    #expect(backoff.pause(chance: 1) == .zero)
    #expect(backoff.pause(chance: 0) == .seconds(1))
  }
}
