import CaptureModel
import CaptureSystem

/// Wakes the calls that wait until their caller's rights or requests change.
struct AccessNews: Sendable {
  /// `nil`: the caller is no client, and its rights never change.
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

  /// Wakes the calls of a client whose rights or request may have changed; `nil`: everybody's.
  func signal(for client: String? = nil) { signals.signal { client == nil || $0 == client } }

  /// Ends all these streams, since the node drains.
  func end() { signals.end() }
}
