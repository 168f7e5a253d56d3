import CaptureModel

/// The state of the input from which a camera takes its picture, and the actions that follow from a change.
struct InputState {
  /// `nil`: the camera has no input that could change.
  private(set) var current: CameraInput?

  enum Event {
    /// The backend reported a change.
    case changed(InputChange)
    /// The input was read from the camera.
    case read(CameraInput?)
    /// The camera was just set to another input or another signal.
    case set(CameraInput?)
    case vanished
  }

  enum Action: Hashable {
    /// Formats that were listed are no longer valid.
    case forgetFormats
    /// The camera has to be set to the signal that is there; its stream continues with that.
    case adoptSignal
    /// The running stream has a form that the camera no longer has.
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
      current = nil
      return []
    case .changed(let change):
      guard let input = change.input else { return [] }
      current = input
      return formatActions(after: before) + signalActions(after: change) + announcements(after: before)
    case .read(let input):
      current = input
      return formatActions(after: before) + announcements(after: before)
    case .set(let input):
      current = input
      return [.forgetFormats] + announcements(after: before)
    }
  }

  private func formatActions(after before: CameraInput?) -> [Action] {
    guard let before, let current, current.hasOtherFormats(than: before) else { return [] }
    return [.forgetFormats, .restartStream]
  }

  /// Adopts a signal only where the driver reports the change: a setting that another program made is that program's choice.
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
