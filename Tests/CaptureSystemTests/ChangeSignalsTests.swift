import CaptureSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ChangeSignalsTests {
  private let signals = ChangeSignals<String>()

  @Test func changesThatWereMissedAreOneSignal() async throws {
    var stream = try #require(signals.signals(of: "a", atMost: 1)).makeAsyncIterator()
    #expect(await stream.next() != nil, "at once")
    signals.signal()
    signals.signal()
    #expect(await stream.next() != nil)
    signals.end()
    #expect(await stream.next() == nil)
  }

  @Test func onlyThoseWhomAChangeConcernsAreWoken() async throws {
    var streams: [String: AsyncStream<Void>.Iterator] = [:]
    for subject in ["a", "b"] {
      var stream = try #require(signals.signals(of: subject, atMost: 2)).makeAsyncIterator()
      _ = await stream.next()
      streams[subject] = stream
    }
    signals.signal { $0 == "a" }
    signals.end()
    #expect(await streams["a"]!.next() != nil)
    #expect(await streams["b"]!.next() == nil)
  }

  @Test func aStreamThatNobodyReadsLeavesItsPlace() {
    var stream = signals.signals(of: "a", atMost: 1)
    #expect(stream != nil && signals.signals(of: "b", atMost: 1) == nil)
    stream = nil
    #expect(signals.signals(of: "b", atMost: 1) != nil)
  }

  @Test func whoeverComesAfterTheEndGetsNoSignal() async throws {
    signals.end()
    var stream = try #require(signals.signals(of: "a", atMost: 0)).makeAsyncIterator()
    #expect(await stream.next() == nil)
  }
}
