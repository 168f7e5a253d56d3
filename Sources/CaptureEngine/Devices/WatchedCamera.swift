import CaptureModel
import CaptureSystem
import Synchronization

/// A camera whose driver may hold a call for ever. Tasks that wait for such a call can be released by ``refuse(_:)``; the call itself continues on
/// the camera's thread until the driver answers. Starts and stops take turns, so that a stop after a start undoes the start, whenever the driver gets
/// to it.
final class WatchedCamera: Camera {
  private let camera: any Camera
  private let state = Mutex(State())
  private struct State {
    var waiting: [UInt64: @Sendable (CaptureError) -> Void] = [:]
    var next: UInt64 = 0
    /// Why no call reaches the camera now.
    var refusal: CaptureError?
    /// The latest of the starts and stops.
    var turn: Task<Void, Never>?
  }

  init(_ camera: any Camera) { self.camera = camera }

  /// Ends waiting calls and refuses new ones with `error`, until ``admit()``.
  func refuse(_ error: CaptureError) {
    let waiting = state.withLock { state in
      state.refusal = error
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for end in waiting { end(error) }
  }

  func admit() { state.withLock { $0.refusal = nil } }

  // MARK: Calls

  /// Makes a call to the camera.
  private func call<R: Sendable>(
    _ body: @escaping @Sendable (any Camera) async throws(CaptureError) -> R
  ) async throws(CaptureError) -> R {
    let answer = FirstAnswer<R, CaptureError>()
    let ticket = try enter { error in answer.give(.failure(error)) }
    let task = Task { [camera] in
      let result: Result<R, CaptureError>
      do throws(CaptureError) {
        result = .success(try await body(camera))
      } catch {
        result = .failure(error)
      }
      leave(ticket)
      answer.give(result)
    }
    return try await withTaskCancellationHandler {
      await answer.wait()
    } onCancel: {
      task.cancel()
    }.get()
  }

  private func enter(_ end: @escaping @Sendable (CaptureError) -> Void) throws(CaptureError) -> UInt64 {
    try state.withLock { state throws(CaptureError) in
      if let refusal = state.refusal { throw refusal }
      state.next += 1
      state.waiting[state.next] = end
      return state.next
    }
  }

  private func leave(_ ticket: UInt64) { state.withLock { $0.waiting[ticket] = nil } }

  // MARK: Camera

  var description: CameraDescription { camera.description }
  var preferredSize: FrameSize? { camera.preferredSize }
  var counters: CameraCounters { camera.counters }
  var hasDriver: Bool { camera.hasDriver }
  var unansweredSince: UInt64? { camera.unansweredSince }
  var controlFailures: [String] { camera.controlFailures }

  func formats() async throws(CaptureError) -> [FormatDescription] {
    try await call { camera throws(CaptureError) in try await camera.formats() }
  }

  func intervals(for pixelFormat: PixelFormat, at size: FrameSize) async throws(CaptureError)
    -> IntervalOptions
  {
    try await call { camera throws(CaptureError) in try await camera.intervals(for: pixelFormat, at: size) }
  }

  func controls() async throws(CaptureError) -> [ControlDescription] {
    try await call { camera throws(CaptureError) in try await camera.controls() }
  }

  func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue] {
    try await call { camera throws(CaptureError) in try await camera.values(of: ids) }
  }

  func set(_ assignments: [ControlAssignment], pacing: FramePacing?)
    async throws(CaptureError) -> [ControlMoment]
  {
    try await call { camera throws(CaptureError) in try await camera.set(assignments, pacing: pacing) }
  }

  func crop() async throws(CaptureError) -> SensorCrop? {
    try await call { camera throws(CaptureError) in try await camera.crop() }
  }

  func setCrop(_ area: PixelArea, pacing: FramePacing?) async throws(CaptureError)
    -> (crop: SensorCrop, moment: ControlMoment)
  {
    try await call { camera throws(CaptureError) in try await camera.setCrop(area, pacing: pacing) }
  }

  func inputs() async throws(CaptureError) -> [CameraInput] {
    try await call { camera throws(CaptureError) in try await camera.inputs() }
  }

  func selectedInput() async throws(CaptureError) -> CameraInput? {
    try await call { camera throws(CaptureError) in try await camera.selectedInput() }
  }

  func selectInput(_ index: Int) async throws(CaptureError) {
    try await call { camera throws(CaptureError) in try await camera.selectInput(index) }
  }

  func adoptSignal() async throws(CaptureError) -> Bool {
    try await call { camera throws(CaptureError) in try await camera.adoptSignal() }
  }

  func setEDID(_ edid: [UInt8]) async throws(CaptureError) {
    try await call { camera throws(CaptureError) in try await camera.setEDID(edid) }
  }

  func observeInput(_ observer: (@Sendable (InputChange) -> Void)?) async {
    try? await call { camera in await camera.observeInput(observer) }
  }

  func observeControls(_ observer: (@Sendable (ControlChange) -> Void)?) async {
    try? await call { camera in await camera.observeControls(observer) }
  }

  func startStreaming(_ request: StreamRequest, into receiver: any FrameReceiver) async throws(CaptureError)
    -> StreamFormat
  {
    let start = try state.withLock { state throws(CaptureError) in
      if let refusal = state.refusal { throw refusal }
      let before = state.turn
      let start = Task { [camera] () -> Result<StreamFormat, CaptureError> in
        await before?.value
        do throws(CaptureError) {
          return .success(try await camera.startStreaming(request, into: receiver))
        } catch {
          return .failure(error)
        }
      }
      state.turn = Task { _ = await start.value }
      return start
    }
    return try await call { _ throws(CaptureError) in
      try await withTaskCancellationHandler {
        await start.value
      } onCancel: {
        start.cancel()
      }.get()
    }
  }

  /// The stop is carried out in any case, even if nobody waits for it.
  func stopStreaming() async {
    let stop = addStop()
    try? await call { _ in await stop.value }
  }

  /// Adds a stop to the turns. A start that is added later begins once the stop is over.
  fileprivate func addStop() -> Task<Void, Never> {
    state.withLock { state in
      let before = state.turn
      let stop = Task { [camera] in
        await before?.value
        await camera.stopStreaming()
      }
      state.turn = stop
      return stop
    }
  }
}

extension Camera {
  /// Stops the stream without waiting for that. Where the camera has a driver, a stream that is started later goes on: the driver may answer again at once.
  func beginStopping() {
    if let watched = self as? WatchedCamera {
      _ = watched.addStop()
    } else {
      Task { await stopStreaming() }
    }
  }
}
