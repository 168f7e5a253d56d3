import CaptureModel

/// A device's inputs: which one is in use, how its signal is, and what follows when that changes.
public final class DeviceInputs {
  let context: DeviceContext
  private var state = InputState()
  /// The camera takes the input that was chosen before.
  private var preparation: Task<Void, Never>?
  /// What its inputs tell sources about themselves, by the node's configuration.
  private var edid: [UInt8]?
  /// As it was when the stream that runs was started.
  private var streamed: CameraInput?

  init(_ context: DeviceContext) {
    self.context = context
    context.camera.inputs = self
  }

  /// The input in use; `nil`: the camera has none that could change.
  var current: CameraInput? { state.current }

  /// What a person should know of its signal: "the input 'HDMI 0' has no signal".
  var trouble: String? { state.current?.trouble }

  /// Every input, the one in use with its status and signal. Empty: the camera has none to choose from.
  public func list() async throws(CaptureError) -> [CameraInput] {
    let camera = try context.camera.required()
    await preparation?.value
    return try await camera.inputs()
  }

  /// Takes the picture from another input, by name or index, and keeps to it. A stream that runs goes on with it, in its formats. Returns the inputs as they are then.
  ///
  /// Throws `notFound` naming those there are.
  public func select(_ reference: String, on device: isolated Device) async throws(CaptureError)
    -> [CameraInput]
  {
    let input = try await list().find(reference, of: context.camera.name)
    if !input.isSelected {
      try await change("the input '\(input.name)' was chosen", on: device) { camera throws(CaptureError) in
        try CaptureError.checkCancellation()
        try await camera.selectInput(input.index)
        // It is chosen, whatever its signal is.
        _ = try? await camera.adoptSignal()
      }
    }
    context.kept.update { $0.input = InputMemory(input) }
    return try await list()
  }

  /// What inputs tell sources about themselves; written when the camera appears.
  func setEDID(_ edid: [UInt8]?) { self.edid = edid }

  /// Throws `unavailable` with the input's status where there is no signal to take a photo of, unless the request allows that.
  func requireSignal(for request: VideoRequest) async throws(CaptureError) {
    guard !request.allowsNoSignal, current != nil else { return }
    await look(at: try context.camera.required())
    guard let trouble else { return }
    throw CaptureError(
      .unavailable,
      "\(context.camera.name): \(trouble); look to what is attached, choose another input, or take the picture as it is ('--allow-no-signal')"
    )
  }

  /// A driver's refusal, with what is wrong at the input.
  func explain(_ error: CaptureError) -> CaptureError {
    guard error.code == .unavailable, let trouble else { return error }
    var error = error
    error.message += "; \(trouble)"
    return error
  }

  // MARK: What happens to the camera

  func cameraAppeared(_ camera: any Camera) {
    preparation = context.tasks.start { [weak camera] device in
      if let camera { await device.inputs.prepare(camera) }
    }
  }

  func cameraVanished() {
    _ = state.handle(.vanished)
    preparation = nil
  }

  private func prepare(_ camera: any Camera) async {
    let here = context.camera
    if let edid {
      do throws(CaptureError) {
        try await camera.setEDID(edid)
      } catch {
        here.note(.controlNotRestored, "its EDID could not be written: \(error.message)")
      }
    }
    if let kept = context.kept.memory.input, let list = try? await camera.inputs(), list.count > 1 {
      do throws(CaptureError) {
        let input = list.find(kept)
        if input == nil {
          here.note(
            .controlNotRestored, "the input '\(kept.name)' that was chosen is not there any more")
        }
        if let input, !input.isSelected { try await camera.selectInput(input.index) }
      } catch {
        here.note(
          .controlNotRestored, "the input '\(kept.name)' could not be chosen again: \(error.message)")
      }
    }
    _ = try? await camera.adoptSignal()
    await camera.observeInput { [tasks = context.tasks, weak camera] change in
      guard let camera else { return }
      tasks.enqueue { $0.inputs.changed(change, of: camera) }
    }
    let input = try? await camera.selectedInput()
    guard here.isPresent(camera) else { return }
    preparation = nil
    took(input)
  }

  private func changed(_ change: InputChange, of camera: any Camera) {
    if context.camera.isPresent(camera) { perform(state.handle(.changed(change))) }
  }

  /// Before what was listed is relied on: another program may have set the camera otherwise, and it costs little to ask.
  func look(at camera: any Camera) async {
    await preparation?.value
    guard current != nil, let input = try? await camera.selectedInput(), context.camera.isPresent(camera)
    else { return }
    perform(state.handle(.read(input)))
  }

  /// The camera was just made to take another input, or another signal.
  func took(_ input: CameraInput?) { perform(state.handle(.set(input))) }

  // MARK: What happens to the stream

  /// A stream began, or goes on, with the input as it is.
  func streamStarted() {
    streamed = current
    guard let hub = context.stream.active?.hub, let trouble, hub.noSignal != trouble else { return }
    hub.signalLost(trouble)
  }

  /// The stream that runs has a form that the camera does not have any more.
  var isStreamOutdated: Bool {
    guard let streamed, let current else { return false }
    return current.hasOtherFormats(than: streamed)
  }

  /// There is another signal than the camera is set to.
  var hasNewSignal: Bool {
    guard let current, let detected = current.detected else { return false }
    return detected != current.signal
  }

  private func perform(_ actions: [InputState.Action]) {
    let hub = context.stream.active?.hub
    for action in actions {
      switch action {
      case .forgetFormats: context.camera.forgetFormats()
      case .adoptSignal: context.tasks.start { await $0.inputs.followSource(on: $0) }
      case .restartStream where hub == nil: break
      case .restartStream:
        context.tasks.start { device in
          try? await device.inputs.change(
            "the camera was set to another source", on: device, where: \.isStreamOutdated
          ) { _ in }
        }
      case .announce(let trouble):
        if let hub { hub.signalLost(trouble) } else { context.camera.note(.interrupted, trouble) }
      case .announceReturn(let text):
        if let hub { hub.signalReturned() } else { context.camera.notify(.resumed, text) }
      }
    }
  }
}
