import CaptureModel
import CaptureSystem

/// Wakes the calls that wait until their caller's rights or requests change.
struct AccessNews: Sendable {
  /// Signals by the client's name; `nil`: callers that are no clients, whose rights never change.
  private let signals = ChangeSignals<String?>()

  static let most = NodeLimit.accessWatches.usual

  /// Returns a stream that signals at once, and again each time that the client's rights or request may have changed. It ends when the node drains.
  /// Throws `resourceExhausted`.
  func signals(of client: String?) throws(CaptureError) -> AsyncStream<Void> {
    guard let signals = signals.signals(of: client, atMost: Self.most) else {
      throw NodeLimit.accessWatches.exceeded("\(Self.most) calls wait for news of access already")
    }
    return signals
  }

  /// Wakes the calls of a client whose rights or request may have changed; `nil`: wakes the calls of all callers.
  func signal(for client: String? = nil) { signals.signal { client == nil || $0 == client } }

  /// Ends all streams of signals, since the node drains.
  func end() { signals.end() }
}
