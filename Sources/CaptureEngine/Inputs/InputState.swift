import CaptureModel

/// The state of the input from which a camera takes its picture, and the actions that follow from a change.
struct InputState {
  /// `nil`: the camera has no input that could change.
  private(set) var current: CameraInput?
  /// The input as it was when the camera could not be set to its signal, since the driver was busy.
  private var refused: CameraInput?
  /// How many pauses there were since the camera could first not be set to that signal.
  private var refusals = 0

  /// The pauses before each further attempt to set the camera to a signal: about a quarter of an hour in all.
  static let pauses: [Duration] = (0..<10).map { .seconds(1 << $0) }

  enum Event {
    /// The backend reported a change.
    case changed(InputChange)
    /// The input was read from the camera.
    case read(CameraInput?)
    /// The camera was just set to another input or another signal.
    case set(CameraInput?)
    /// The camera could not be set to the signal that is there, since its driver is busy (`EBUSY`): another program uses it, or a reader still has
    /// one of its buffers.
    case refused
    /// The pause after a refusal is over, and the input was read again.
    case pauseEnded
    case vanished
  }

  enum Action: Hashable {
    /// Formats that were listed are no longer valid.
    case forgetFormats
    /// The camera has to be set to the signal that is there; its stream continues with that.
    case adoptSignal
    /// The event `pauseEnded` is due after this time; an earlier one is not due any more.
    case pause(Duration)
    /// A person has to know that the camera is not set to the signal that is there.
    case tellRefusal
    /// The running stream has to be restarted, since the camera's input has other formats.
    case restartStream
    /// Frames that come from here on show nothing.
    case announce(String)
    /// Frames show a picture again.
    case announceReturn(String)
  }

  mutating func handle(_ event: Event) -> [Action] {
    let before = current
    switch event {
    case .vanished:
      (current, refused) = (nil, nil)
      return []
    case .changed(let change):
      guard let input = change.input else { return [] }
      current = input
      forgetRefusal()
      return formatActions(after: before) + signalActions(after: change) + announcements(after: before)
    case .read(let input):
      current = input
      forgetRefusal()
      return formatActions(after: before) + announcements(after: before)
    case .set(let input):
      current = input
      forgetRefusal()
      return [.forgetFormats] + announcements(after: before)
    case .refused: return refusalActions()
    case .pauseEnded: return actionsAfterPause()
    }
  }

  /// Whether the camera is set to another signal than the one that is there.
  var hasNewSignal: Bool {
    guard let current, let detected = current.detected else { return false }
    return detected != current.signal
  }

  private mutating func refusalActions() -> [Action] {
    guard hasNewSignal else { return [] }
    let isKnown = isRefused
    (refused, refusals) = (current, isKnown ? refusals : 0)
    return pauseActions() + (isKnown ? [] : [.tellRefusal])
  }

  private mutating func actionsAfterPause() -> [Action] {
    guard refused != nil, let current else { return [] }
    // While there is no signal, the wait goes on: the next signal may be the refused one.
    if current.detected == nil { return pauseActions() }
    if isRefused { return [.adoptSignal] }
    refused = nil
    return []
  }

  /// Whether the signal that is there is the one to which the camera could not be set.
  private var isRefused: Bool {
    guard let found = current?.detected, let before = refused?.detected else { return false }
    return found.isSame(as: before)
  }

  /// Forgets a refusal once the camera is set to its signal, or another program has set the camera, which is that program's choice.
  private mutating func forgetRefusal() {
    guard let refused, let current else { return }
    if current.detected == current.signal || current.hasOtherFormats(than: refused) { self.refused = nil }
  }

  private mutating func pauseActions() -> [Action] {
    guard refusals < Self.pauses.count else {
      // No further attempt is made until the source changes.
      refused = nil
      return []
    }
    defer { refusals += 1 }
    return [.pause(Self.pauses[refusals])]
  }

  private func formatActions(after before: CameraInput?) -> [Action] {
    guard let before, let current, current.hasOtherFormats(than: before) else { return [] }
    return [.forgetFormats, .restartStream]
  }

  /// Adopts a signal only where the source has changed: a setting that another program made is that program's choice.
  private func signalActions(after change: InputChange) -> [Action] {
    guard change.isOfSource, let input = change.input, let detected = input.detected,
      detected != input.signal
    else { return [] }
    return [.adoptSignal]
  }

  private func announcements(after before: CameraInput?) -> [Action] {
    guard let current, current.problem != before?.problem else { return [] }
    if let problem = current.problem { return [.announce(problem)] }
    return before?.problem == nil ? [] : [.announceReturn("the input '\(current.name)' has a signal again")]
  }
}
