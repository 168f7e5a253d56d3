import CaptureModel

/// Judges a driver by how long it takes to answer.
public struct ResponseWatch: Hashable, Sendable {
  /// After this many nanoseconds without an answer, a driver counts as slow.
  public static let slow: UInt64 = 2_000_000_000
  /// After this many nanoseconds without an answer, a driver counts as not responding.
  public static let silent: UInt64 = 10_000_000_000
  /// The time from one check to the next, in nanoseconds, while a call is open or a driver does not answer.
  public static let period: UInt64 = 500_000_000

  public private(set) var state = Responsiveness.responding
  /// Since when the driver has not answered its oldest call, in `CLOCK_MONOTONIC` nanoseconds; `nil`: it answers in time.
  public private(set) var since: UInt64?

  public init() {}

  /// `unansweredSince`: see ``Camera/unansweredSince``. Returns the new state if it has changed.
  public mutating func check(_ unansweredSince: UInt64?, at now: UInt64) -> Responsiveness? {
    let silence = unansweredSince.map { now > $0 ? now - $0 : 0 } ?? 0
    let found: Responsiveness =
      silence >= Self.silent ? .notResponding : silence >= Self.slow ? .slow : .responding
    since = found == .responding ? nil : unansweredSince
    guard found != state else { return nil }
    state = found
    return found
  }

  /// For how many whole seconds the driver has not answered.
  public func seconds(at now: UInt64) -> UInt64 {
    guard let since, now > since else { return 0 }
    return (now - since) / 1_000_000_000
  }

  /// The notice that reports the present state.
  func notice(at now: UInt64) -> (kind: CameraNotice.Kind, text: String) {
    switch state {
    case .slow: (.slow, "its driver has not answered for \(seconds(at: now)) s")
    case .responding: (.responding, "its driver answers again")
    case .notResponding:
      (
        .notResponding,
        "its driver has not answered for \(seconds(at: now)) s: calls that wait for it end, and new ones are refused until it answers"
      )
    }
  }
}
