import CaptureModel

/// What is known of the input that a camera takes its picture from, and what follows from a change of it.
struct InputState {
  /// `nil`: the camera has none that could change.
  private(set) var current: CameraInput?

  enum Event {
    /// The backend tells that it is otherwise than before.
    case changed(InputChange)
    /// It was asked for.
    case read(CameraInput?)
    /// The camera was just made to take another one, or another signal.
    case set(CameraInput?)
    case vanished
  }

  enum Action: Hashable {
    /// What was listed does not hold any more.
    case forgetFormats
    /// The camera is to be set to the signal that is there; its stream goes on with that.
    case adoptSignal
    /// The stream that runs has a form that the camera does not have any more.
    case restartStream
    /// Nothing that comes from here on shows anything.
    case announce(String)
    /// It does again.
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
      return following(before) + adopting(change) + announcing(before)
    case .read(let input):
      current = input
      return following(before) + announcing(before)
    case .set(let input):
      current = input
      return [.forgetFormats] + announcing(before)
    }
  }

  private func following(_ before: CameraInput?) -> [Action] {
    guard let before, let current, current.hasOtherFormats(than: before) else { return [] }
    return [.forgetFormats, .restartStream]
  }

  /// Only where the driver says so: what another program has set the camera to is its own choice.
  private func adopting(_ change: InputChange) -> [Action] {
    guard change.isOfSource, let input = change.input, let detected = input.detected,
      detected != input.signal
    else { return [] }
    return [.adoptSignal]
  }

  private func announcing(_ before: CameraInput?) -> [Action] {
    guard let current, current.trouble != before?.trouble else { return [] }
    if let trouble = current.trouble { return [.announce(trouble)] }
    return before?.trouble == nil ? [] : [.announceReturn("the input '\(current.name)' has a signal again")]
  }
}
