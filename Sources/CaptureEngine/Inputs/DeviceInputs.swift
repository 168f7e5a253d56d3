import CaptureModel

/// A device's inputs: the one in use, the state of its signal, and the consequences of a change.
public final class DeviceInputs {
  let context: DeviceContext
  private var state = InputState()
  /// How many changes the backend has reported.
  private var changesReported = 0
  /// The task in which the camera takes the input that was chosen before.
  private var preparation: Task<Void, Never>?
  /// The EDID that the node's configuration gives the camera's inputs.
  private var edid: [UInt8]?
  /// The input with which the running stream was started.
  private var inputOfStream: CameraInput?
  let listing = SharedReading<[CameraInput]>()
  /// A reading of the present camera's input, which all who wait for it share. It is replaced when a camera appears.
  private var checking = SharedReading<Void>()
  /// The pause before the node tries again to set a signal that the driver refused.
  private var pause: Task<Void, Never>?
  /// Called when the source may have given the camera other formats.
  private var formatsChanged: @Sendable () -> Void = {}

  init(_ context: DeviceContext) {
    self.context = context
    context.camera.setInputs(self)
  }

  /// The input in use; `nil`: the camera has no input that could change.
  var current: CameraInput? { state.current }

  /// What is wrong with the signal of the input in use, for a person: "the input 'HDMI 0' has no signal".
  var problem: String? { state.current?.problem }

  /// Every input. The one in use has its status and signal. Empty: the camera has no choice. Calls that wait for the list share it.
  public func list() async throws(CaptureError) -> [CameraInput] {
    try await listing.value { () throws(CaptureError) in
      let camera = try context.camera.required()
      await preparation?.value
      return try await camera.inputs()
    }
  }

  /// Takes the picture from another input, by name or index, and keeps that choice. A running stream continues with the new input, in a format of
  /// that input. Returns the inputs as they are after the change.
  ///
  /// Throws `notFound`, which lists the inputs.
  public func select(_ reference: String, on device: isolated Device) async throws(CaptureError)
    -> [CameraInput]
  {
    let input = try await list().find(reference, of: context.camera.name)
    if !input.isSelected {
      var failure: CaptureError?
      try await change("the input '\(input.name)' was chosen", on: device) { camera throws(CaptureError) in
        try await camera.selectInput(input.index)
        // The input stays chosen even if the camera cannot be set to its signal.
        do throws(CaptureError) { _ = try await camera.adoptSignal() } catch { failure = error }
      }
      noteRefusal(failure)
    }
    context.saved.update { $0.input = InputMemory(input) }
    return try await list()
  }

  /// `observer` is called whenever the source may have given the camera other formats, until the next call.
  func observeFormats(_ observer: @escaping @Sendable () -> Void) { formatsChanged = observer }

  /// Sets the EDID of the inputs, which is written when the camera appears.
  func setEDID(_ edid: [UInt8]?) { self.edid = edid }

  /// Throws `unavailable` with the input's status where there is no signal for a photo, unless the request allows that.
  func requireSignal(for request: VideoRequest) async throws(CaptureError) {
    guard !request.allowsNoSignal, current != nil else { return }
    await check(try context.camera.required())
    if let problem { throw noSignal("\(context.camera.name): \(problem)") }
  }

  /// Throws `unavailable` for a frame that came while there was no signal, unless the request allows that.
  func requireSignal(of taken: TakenFrame, for request: VideoRequest) throws(CaptureError) {
    guard !request.allowsNoSignal, let problem = taken.noSignal else { return }
    throw noSignal("\(context.camera.name) gave a frame that shows nothing: \(problem)")
  }

  private func noSignal(_ what: String) -> CaptureError {
    CaptureError(
      .unavailable,
      "\(what); check the attached device, choose another input, or take the picture as it is (allow_no_signal)",
      .init(.noSignal, device: context.camera.id.rawValue))
  }

  /// Adds to a driver's error what is wrong at the input.
  func explain(_ error: CaptureError) -> CaptureError {
    guard error.code == .unavailable, let problem else { return error }
    var error = error
    error.message += "; \(problem)"
    return error
  }

  // MARK: What happens to the camera

  func cameraAppeared(_ camera: any Camera) {
    checking = SharedReading()
    preparation = context.tasks.start { [weak camera] device in
      if let camera { await device.inputs.prepare(camera) }
    }
  }

  func cameraVanished() {
    _ = state.handle(.vanished)
    preparation = nil
    pause?.cancel()
  }

  private func prepare(_ camera: any Camera) async {
    let current = context.camera
    if let edid {
      do throws(CaptureError) {
        try await camera.setEDID(edid)
      } catch {
        current.note(.controlNotRestored, "its EDID could not be written: \(error.message)")
      }
    }
    if let kept = context.saved.memory.input, let list = try? await camera.inputs(), list.count > 1 {
      do throws(CaptureError) {
        let input = list.find(kept)
        if input == nil {
          current.note(
            .controlNotRestored, "the input '\(kept.name)' that was chosen is not there any more")
        }
        if let input, !input.isSelected { try await camera.selectInput(input.index) }
      } catch {
        current.note(
          .controlNotRestored, "the input '\(kept.name)' could not be chosen again: \(error.message)")
      }
    }
    var failure: CaptureError?
    do throws(CaptureError) { _ = try await camera.adoptSignal() } catch { failure = error }
    await camera.observeInput { [tasks = context.tasks, weak camera] change in
      guard let camera else { return }
      tasks.enqueue { $0.inputs.changed(change, of: camera) }
    }
    // A refused signal is tried once more: another one may have come before anybody listened to its event. Nothing streams yet.
    if let refusal = failure, refusal.cause != .busy {
      failure = nil
      do throws(CaptureError) { _ = try await camera.adoptSignal() } catch { failure = error }
    }
    let input = try? await readInput(of: camera)
    guard current.isPresent(camera) else { return }
    preparation = nil
    inputWasSet(input)
    // Another signal than the adopted one may have come in the same way.
    if failure == nil, hasNewSignal { perform([.adoptSignal]) }
    noteRefusal(failure)
  }

  private func changed(_ change: InputChange, of camera: any Camera) {
    guard context.camera.isPresent(camera) else { return }
    changesReported += 1
    perform(state.handle(.changed(change)))
  }

  /// Reads the input in use from the camera. A change that comes meanwhile may be newer than what was read: its report takes a shorter way. So the input
  /// is read again, a few times at most.
  func readInput(of camera: any Camera) async throws(CaptureError) -> CameraInput? {
    for _ in 1..<Self.mostReadings {
      let before = changesReported
      let input = try await camera.selectedInput()
      if before == changesReported { return input }
    }
    return try await camera.selectedInput()
  }

  private static let mostReadings = 4

  /// Reads the input in use again before its status or the listed formats are relied on: another program may have set the camera to another input or
  /// signal, and a reading costs little.
  func check(_ camera: any Camera) async {
    await preparation?.value
    guard current != nil else { return }
    try? await checking.value { () throws(CaptureError) in
      guard let input = try await readInput(of: camera), context.camera.isPresent(camera) else { return }
      perform(state.handle(.read(input)))
    }
  }

  /// Waits until the input of a camera that has just appeared is known.
  func waitUntilKnown() async { await preparation?.value }

  /// Tells that the camera was just set to another input or another signal.
  func inputWasSet(_ input: CameraInput?) { perform(state.handle(.set(input))) }

  /// Notes why the camera could not be set to the detected signal; `nil`: it could. If the driver was busy, the node tries again by itself.
  func noteRefusal(_ error: CaptureError?) {
    guard let error, hasNewSignal else { return }
    if error.cause == .busy {
      perform(state.handle(.refused))
    } else {
      context.camera.note(
        .controlNotRestored, "it could not be set to the signal that is there: \(error.message)")
    }
  }

  private func pauseEnded() async {
    guard let camera = context.camera.present else { return }
    await check(camera)
    if context.camera.isPresent(camera) { perform(state.handle(.pauseEnded)) }
  }

  // MARK: What happens to the stream

  /// Tells that a stream began, or continues, with the present input.
  func streamStarted() {
    inputOfStream = current
    guard let hub = context.stream.active?.hub, let problem, hub.noSignal != problem else { return }
    hub.signalLost(problem)
  }

  /// Whether the camera's input has other formats than when the running stream began.
  var isStreamOutdated: Bool {
    guard let inputOfStream, let current else { return false }
    return current.hasOtherFormats(than: inputOfStream)
  }

  /// Whether the camera receives a signal that it is not set to.
  var hasNewSignal: Bool { state.hasNewSignal }

  private func perform(_ actions: [InputState.Action]) {
    let hub = context.stream.active?.hub
    for action in actions {
      switch action {
      case .forgetFormats:
        context.camera.forgetFormats()
        formatsChanged()
      case .adoptSignal: context.tasks.start { await $0.inputs.followSource(on: $0) }
      case .pause(let duration):
        pause?.cancel()
        pause = Task { [tasks = context.tasks] in
          do { try await Task.sleep(for: duration) } catch { return }
          tasks.enqueue { device in device.context.tasks.start { await $0.inputs.pauseEnded() } }
        }
      case .tellRefusal:
        context.camera.note(
          .controlNotRestored,
          "it is not set to the signal that is there, since its driver is busy; that is tried again")
      case .restartStream where hub == nil: break
      case .restartStream:
        context.tasks.start { device in
          try? await device.inputs.change(
            "the camera was set to another source", on: device, where: \.isStreamOutdated
          ) { _ in }
        }
      case .announce(let problem):
        if let hub { hub.signalLost(problem) } else { context.camera.note(.interrupted, problem) }
      case .announceReturn(let text):
        if let hub { hub.signalReturned() } else { context.camera.notify(.resumed, text) }
      }
    }
  }
}
