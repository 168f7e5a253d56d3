import CaptureLoop
import CaptureModel
import CaptureSystem
import Synchronization

/// A camera that does what a test says, when the test says it.
package final class FakeCamera: Camera {
  /// State that the test may change and look at.
  package struct State: Sendable {
    package var formats = FakeCamera.usualFormats
    package var controls: [ControlDescription] = []
    package var values: [ControlID: ControlValue] = [:]
    package var assignments: [ControlAssignment] = []
    /// Listing the formats waits until ``FakeCamera/releaseFormats()``.
    package var holdsFormats = false
    /// The waiting calls that list the formats.
    package var heldFormats: [CheckedContinuation<Void, Never>] = []
    /// How often formats were listed.
    package var formatListings = 0
    /// Listing the controls waits until ``FakeCamera/releaseControls()``, even if nobody waits for the list any more: a driver cannot be interrupted.
    package var holdsControls = false
    /// The waiting calls that list the controls.
    package var heldControls: [CheckedContinuation<Void, Never>] = []
    /// Setting controls waits until ``FakeCamera/releaseSetting()``, as for a transfer to a slow camera.
    package var holdsSetting = false
    /// After this many further calls that set controls, the next one waits.
    package var setsUntilHold: Int?
    /// The waiting calls that set controls.
    package var heldSetting: [CheckedContinuation<Void, Never>] = []
    /// Reading controls waits until ``FakeCamera/releaseReading()``.
    package var holdsReading = false
    /// The waiting calls that read controls.
    package var heldReading: [CheckedContinuation<Void, Never>] = []
    /// The controls of each reading.
    package var readings: [[ControlID]] = []
    /// Starting a stream waits until ``FakeCamera/releaseStart(failing:holdsNext:)``.
    package var holdsStarting = false
    /// The waiting calls that start a stream.
    package var heldStarting: [CheckedContinuation<Void, Never>] = []
    /// Stopping a stream waits until ``FakeCamera/releaseStop()``.
    package var holdsStopping = false
    /// The waiting calls that stop a stream.
    package var heldStopping: [CheckedContinuation<Void, Never>] = []
    /// The automatic modes, by the controls that they take over.
    package var owners: [ControlID: Owner] = [:]
    /// The values that automatic modes have found. Reading a control gives this value while a mode has taken the control over. Afterwards it gives
    /// the value that was set by hand.
    package var found: [ControlID: ControlValue] = [:]
    /// For each control, the values that other controls get when it is set, as by a button.
    package var effects: [ControlID: [ControlID: ControlValue]] = [:]
    /// How often controls were listed.
    package var listings = 0
    /// After this many further listings of the controls, the next one fails.
    package var listingsUntilFailure: Int?
    /// After this many further controls are set, setting the next one fails.
    package var setsUntilFailure: Int?
    /// Reading fails for a task that was cancelled, as with the kernel's cameras.
    package var failsWhenCancelled = false
    /// Reading these fails.
    package var unreadableControls: Set<ControlID> = []
    /// Thrown where a control cannot be read.
    package var readingError = CaptureError(.unavailable, "the camera does not answer")
    /// Why controls are missing from the list.
    package var controlFailures: [String] = []
    /// Setting these fails.
    package var brokenControls: Set<ControlID> = []
    /// If a call fails after it has set these, it cannot set them back.
    package var stuckControls: Set<ControlID> = []
    /// The crop of the sensor; `nil`: the driver has none.
    package var crop: SensorCrop?
    /// The factor of each crop, and when it was set, in `CLOCK_MONOTONIC` nanoseconds.
    package var crops: [(time: UInt64, factor: Double)] = []
    /// Cropping waits until ``FakeCamera/releaseCropping()``.
    package var holdsCropping = false
    /// The waiting calls that crop the sensor.
    package var heldCropping: [CheckedContinuation<Void, Never>] = []
    /// Asking for the crop waits until ``FakeCamera/releaseCropReading()``.
    package var holdsCropReading = false
    /// The waiting calls that ask for the crop.
    package var heldCropReading: [CheckedContinuation<Void, Never>] = []
    /// Thrown instead of cropping to a part of the sensor.
    package var cropError: CaptureError?
    /// Whether the crop can be set while the camera streams.
    package var cropsWhileStreaming = true
    /// The selected input is the one in use.
    package var inputs: [CameraInput] = []
    /// For a signal, the formats that the camera gets with it. With other signals its formats do not change.
    package var formatsOfSignals: [InputSignal: [FormatDescription]] = [:]
    package var edid: [UInt8]?
    /// How many of the next attempts to set the camera to its signal fail, since its driver is busy.
    package var busyAdoptions = 0
    /// Thrown by every attempt to set the camera to one of these signals.
    package var adoptionErrors: [InputSignal: CaptureError] = [:]
    /// A signal that comes to the input in use just before somebody begins to observe the inputs.
    package var signalBeforeObservation: InputSignal?
    /// Every call for inputs waits until ``FakeCamera/releaseEverything()``.
    package var holdsInputs = false
    /// The waiting calls for inputs.
    package var heldInputs: [CheckedContinuation<Void, Never>] = []
    /// Reading the input in use waits, with what it has read, until ``FakeCamera/releaseReadInputs()``.
    package var holdsReadInputs = false
    /// The calls that have read the input in use and wait.
    package var heldReadInputs: [CheckedContinuation<Void, Never>] = []
    /// The calls for inputs, in order.
    package var inputCalls: [String] = []
    /// Thrown by the next start of a stream.
    package var startError: CaptureError?
    /// Thrown by every start of a stream.
    package var startRefusal: CaptureError?
    /// The size of streams in place of the requested one.
    package var otherSize: FrameSize?
    /// The driver takes no frame interval, and does not tell the one that it has.
    package var hasOwnInterval = false
    /// The format of the running stream; `nil`: none runs.
    package var stream: StreamFormat?
    package var starts = 0
    package var stops = 0
    package var sequence: UInt64 = 0
    package var counters = CameraCounters()
    /// Since when the camera's driver has not answered, in `CLOCK_MONOTONIC` nanoseconds; a test sets it.
    package var unansweredSince: UInt64?
    /// Called when somebody next asks for ``unansweredSince``.
    package var whenAsked: (@Sendable () -> Void)?
    /// How many frames' payloads somebody still holds.
    package var lent = 0

    /// Every control's value.
    package var current: [ControlID: ControlValue] {
      Dictionary(uniqueKeysWithValues: controls.map { ($0.id, value(of: $0.id)) })
    }

    fileprivate func value(of id: ControlID) -> ControlValue {
      values[id] ?? .integer(controls.first { $0.id == id }?.defaultValue ?? 0)
    }

    fileprivate func isTakenOver(_ id: ControlID) -> Bool {
      guard let owner = owners[id], case .integer(let number) = value(of: owner.control) else { return false }
      return !owner.manual.contains(number)
    }
  }

  /// The control of an automatic mode, and those of its values with which another control can be set by hand.
  package struct Owner: Sendable {
    package var control: ControlID
    package var manual: Set<Int64>

    package init(_ control: ControlID, manual: Set<Int64>) {
      self.control = control
      self.manual = manual
    }
  }

  package let description: CameraDescription
  /// Whether the camera counts as one with a driver that can hold calls.
  package let hasDriver: Bool
  package let state: Mutex<State>
  private let receiver = Mutex<(any FrameReceiver)?>(nil)
  private let observer = Mutex<(@Sendable (ControlChange) -> Void)?>(nil)
  let inputObserver = Mutex<(@Sendable (InputChange) -> Void)?>(nil)
  private let queue = QueueExecutor(label: "fake-camera").queue

  /// `driver`: the default is that of webcams, whose controls are assumed to show two frames later.
  package init(
    _ id: String = "fake-0", driver: String = "uvcvideo", bus: String = "",
    formats: [FormatDescription] = usualFormats, hasDriver: Bool = false
  ) {
    self.hasDriver = hasDriver
    description = CameraDescription(id: CameraID(rawValue: id), name: "Fake camera", driver: driver, bus: bus)
    var state = State()
    state.formats = formats
    self.state = Mutex(state)
  }

  package static let usualFormats = [
    format(.yuyv, ["640x480": [15, 30], "1280x720": [10]]),
    format(.mjpeg, ["640x480": [30, 60], "1280x720": [30], "1920x1080": [30]]),
  ]

  package static func format(_ pixelFormat: PixelFormat, _ sizes: KeyValuePairs<String, [Double]>)
    -> FormatDescription
  {
    FormatDescription(
      pixelFormat: pixelFormat, description: "\(pixelFormat)", isCompressed: pixelFormat.isJPEG,
      sizes: sizes.map { size, rates in
        SizeOption(
          discrete: FrameSize(size)!,
          intervals: .discrete(rates.map { FrameInterval(rate: $0)! }.sorted()))
      })
  }

  package func formats() async throws(CaptureError) -> [FormatDescription] {
    await withCheckedContinuation { hold($0, \.holdsFormats, \.heldFormats) }
    return state.withLock { state in
      state.formatListings += 1
      return state.formats
    }
  }

  package func intervals(for pixelFormat: PixelFormat, at size: FrameSize) async throws(CaptureError)
    -> IntervalOptions
  { .unknown }

  package func controls() async throws(CaptureError) -> [ControlDescription] {
    await withCheckedContinuation { hold($0, \.holdsControls, \.heldControls) }
    let isFailing = state.withLock { state in
      let isFailing = state.listingsUntilFailure == 0
      state.listingsUntilFailure = isFailing ? nil : state.listingsUntilFailure.map { $0 - 1 }
      return isFailing
    }
    if isFailing { throw CaptureError(.unavailable, "the camera does not answer") }
    return state.withLock { state in
      state.listings += 1
      return state.controls.map { control in
        var control = control
        if state.isTakenOver(control.id) { control.flags.insert(.inactive) }
        return control
      }
    }
  }

  package func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue] {
    state.withLock { $0.readings.append(ids) }
    await withCheckedContinuation { hold($0, \.holdsReading, \.heldReading) }
    if state.withLock({ $0.failsWhenCancelled }) { try CaptureError.checkCancellation() }
    let error = state.withLock { state -> CaptureError? in
      state.unreadableControls.isDisjoint(with: ids) ? nil : state.readingError
    }
    if let error { throw error }
    return state.withLock { state in
      ids.map { id in state.isTakenOver(id) ? state.found[id] ?? state.value(of: id) : state.value(of: id) }
    }
  }

  package func set(_ assignments: [ControlAssignment]) async throws(CaptureError) {
    state.withLock { state in
      if state.setsUntilHold == 0 { state.holdsSetting = true }
      state.setsUntilHold = state.holdsSetting ? nil : state.setsUntilHold.map { $0 - 1 }
    }
    await withCheckedContinuation { hold($0, \.holdsSetting, \.heldSetting) }
    let isBroken = state.withLock { state in assignments.contains { state.brokenControls.contains($0.id) } }
    if isBroken { throw CaptureError(.unavailable, "the camera does not answer") }
    let failure = state.withLock { state -> CaptureError? in
      let before = state.values
      var done: [ControlAssignment] = []
      func failed(_ error: CaptureError) -> CaptureError {
        var error = error
        error.unrestored = done.filter { state.stuckControls.contains($0.id) }
        let kept = state.values.filter { id, _ in error.unrestored.contains { $0.id == id } }
        state.values = before.merging(kept) { $1 }
        // A control that is set back acts on other controls again.
        for step in done.reversed() where !state.stuckControls.contains(step.id) {
          state.values[step.id] = before[step.id]
          state.values.merge(state.effects[step.id] ?? [:]) { $1 }
        }
        return error
      }
      for assignment in assignments {
        if state.isTakenOver(assignment.id) {
          return failed(CaptureError(.failedPrecondition, "an automatic mode has \(assignment.id)"))
        }
        if state.setsUntilFailure == 0 {
          state.setsUntilFailure = nil
          return failed(CaptureError(.unavailable, "the camera does not answer"))
        }
        if let left = state.setsUntilFailure { state.setsUntilFailure = left - 1 }
        done.append(ControlAssignment(assignment.id, state.value(of: assignment.id)))
        state.values[assignment.id] = assignment.value
        for (other, value) in state.effects[assignment.id] ?? [:] { state.values[other] = value }
      }
      state.assignments += assignments
      return nil
    }
    if let failure { throw failure }
  }

  package func crop() async throws(CaptureError) -> SensorCrop? {
    await withCheckedContinuation { hold($0, \.holdsCropReading, \.heldCropReading) }
    return state.withLock { $0.crop }
  }

  package func setCrop(_ area: PixelArea, pacing: FramePacing?) async throws(CaptureError)
    -> (crop: SensorCrop, moment: ControlMoment)
  {
    await withCheckedContinuation { hold($0, \.holdsCropping, \.heldCropping) }
    let cropped = state.withLock { state -> Result<(SensorCrop, ControlMoment), CaptureError> in
      if let error = state.cropError, area != state.crop?.whole { return .failure(error) }
      if !state.cropsWhileStreaming, state.stream != nil {
        return .failure(CaptureError(.failedPrecondition, "its driver does not crop while it streams"))
      }
      state.crop?.area = area
      guard let crop = state.crop else {
        return .failure(CaptureError(.failedPrecondition, "it has no crop"))
      }
      let now = MonotonicClock.now()
      state.crops.append((now, crop.factor))
      return .success((crop, ControlMoment(began: now, ended: now)))
    }
    return try cropped.get()
  }

  package func observeControls(_ observer: (@Sendable (ControlChange) -> Void)?) async {
    self.observer.withLock { $0 = observer }
  }

  package var isObserved: Bool { observer.withLock { $0 != nil } }

  /// Reports to the observer that the camera changed a control by itself.
  package func announce(_ change: ControlChange) { observer.withLock { $0 }?(change) }

  package func startStreaming(_ request: StreamRequest, into receiver: any FrameReceiver)
    async throws(CaptureError) -> StreamFormat
  {
    await withCheckedContinuation { hold($0, \.holdsStarting, \.heldStarting) }
    let result = state.withLock { state -> Result<StreamFormat, CaptureError> in
      if let error = state.startError.take() ?? state.startRefusal { return .failure(error) }
      if state.hasOwnInterval, request.requiresInterval {
        return .failure(CaptureError(.invalidArgument, "its driver has no settable rate"))
      }
      let planes =
        request.pixelFormat.isJPEG
        ? [] : [PlaneLayout(stride: request.size.width * 2, bytes: request.size.area * 2)]
      let format = StreamFormat(
        pixelFormat: request.pixelFormat, size: state.otherSize ?? request.size,
        interval: state.hasOwnInterval ? nil : request.interval, planes: planes)
      // Whoever sees that the camera streams can have a frame of it.
      self.receiver.withLock { $0 = receiver }
      state.stream = format
      state.starts += 1
      state.sequence = 0
      return .success(format)
    }
    return try result.get()
  }

  package func stopStreaming() async {
    receiver.withLock { $0 = nil }
    // A frame that is on its way comes before the stream has stopped.
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    await withCheckedContinuation { hold($0, \.holdsStopping, \.heldStopping) }
    state.withLock { state in
      if state.stream.take() != nil { state.stops += 1 }
    }
  }

  package var counters: CameraCounters { state.withLock { $0.counters } }
  package var unansweredSince: UInt64? {
    let (since, whenAsked) = state.withLock { ($0.unansweredSince, $0.whenAsked.take()) }
    whenAsked?()
    return since
  }
  package var controlFailures: [String] { state.withLock { $0.controlFailures } }
}

// The calls by which a test drives the camera.
extension FakeCamera {
  package func releaseFormats() {
    state.withLock { $0.holdsFormats = false }
    release(\.heldFormats)
  }

  package func releaseControls() {
    state.withLock { $0.holdsControls = false }
    release(\.heldControls)
  }

  package func releaseSetting() {
    state.withLock { $0.holdsSetting = false }
    release(\.heldSetting)
  }

  package func releaseCropping() {
    state.withLock { $0.holdsCropping = false }
    release(\.heldCropping)
  }

  package func releaseCropReading() {
    state.withLock { $0.holdsCropReading = false }
    release(\.heldCropReading)
  }

  package func releaseReading() {
    state.withLock { $0.holdsReading = false }
    release(\.heldReading)
  }

  /// Lets the starts that wait go on. The next start fails with `error`, if there is one. Later starts wait again if `holdsNext` is true.
  package func releaseStart(failing error: CaptureError? = nil, holdsNext: Bool = false) {
    state.withLock { state in
      state.holdsStarting = holdsNext
      state.startError = error
    }
    release(\.heldStarting)
  }

  package func releaseStop() {
    state.withLock { $0.holdsStopping = false }
    release(\.heldStopping)
  }

  typealias Held = WritableKeyPath<State, [CheckedContinuation<Void, Never>]>

  func hold(
    _ waiter: CheckedContinuation<Void, Never>, _ holds: KeyPath<State, Bool>, _ held: Held
  ) {
    let isHeld = state.withLock { state in
      if state[keyPath: holds] { state[keyPath: held].append(waiter) }
      return state[keyPath: holds]
    }
    if !isHeld { waiter.resume() }
  }

  func release(_ held: Held) {
    let waiters = state.withLock { state in
      defer { state[keyPath: held] = [] }
      return state[keyPath: held]
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Delivers the next frame, after `skipping` frames that the driver lost. Returns when the receiver has it.
  package func emit(
    skipping lost: UInt64 = 0, timestamp: FrameTimestamp? = nil, discontinuity: StreamDiscontinuity? = nil,
    bytes: [UInt8]? = nil
  ) {
    queue.sync {
      guard let (frame, receiver) = next(lost, timestamp, discontinuity, bytes) else { return }
      receiver.received(frame)
    }
  }

  /// Delivers a frame to `wanted`, unless the camera streams for somebody else by now.
  package func emit(to wanted: any FrameReceiver) {
    queue.sync {
      guard receiver.withLock({ $0 }) === wanted, let (frame, receiver) = next(0, nil, nil, nil) else {
        return
      }
      receiver.received(frame)
    }
  }

  /// Delivers a frame as a camera that renders on demand: it asks the receiver before. Returns whether the frame was wanted.
  package func offer(timestamp: FrameTimestamp? = nil) -> Bool {
    queue.sync {
      guard let (frame, receiver) = next(0, timestamp, nil, nil) else { return false }
      guard receiver.wantsFrame(sequence: frame.sequence, timestamp: frame.timestamp.nanoseconds) else {
        return false
      }
      receiver.received(frame)
      return true
    }
  }

  package func send(_ event: StreamEvent) {
    guard let receiver = receiver.withLock({ $0 }) else { return }
    queue.sync { receiver.streamEvent(event) }
  }

  private func next(
    _ lost: UInt64, _ timestamp: FrameTimestamp?, _ discontinuity: StreamDiscontinuity?, _ bytes: [UInt8]?
  ) -> (Frame, any FrameReceiver)? {
    guard let receiver = receiver.withLock({ $0 }) else { return nil }
    let made = state.withLock { state -> (StreamFormat, UInt64)? in
      guard let format = state.stream else { return nil }
      state.sequence += lost + 1
      state.lent += 1
      return (format, state.sequence - 1)
    }
    guard let (format, sequence) = made else { return nil }
    let content =
      bytes
      ?? [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: format.planes.first?.bytes ?? 64)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 16)
    memory.copyBytes(from: content)
    nonisolated(unsafe) let base = memory
    let payload = Payload(lending: UnsafeRawBufferPointer(memory)) { [self] in
      base.deallocate()
      state.withLock { $0.lent -= 1 }
    }
    let time = timestamp ?? .now
    return (
      Frame(
        payload: payload, format: format, sequence: sequence, timestamp: time, discontinuity: discontinuity),
      receiver
    )
  }
}

extension FrameTimestamp {
  package static var now: FrameTimestamp { .at(MonotonicClock.now()) }

  /// The time of the start of the exposure, in `CLOCK_MONOTONIC` nanoseconds.
  package static func at(_ nanoseconds: UInt64) -> FrameTimestamp {
    FrameTimestamp(nanoseconds: nanoseconds, clock: .monotonic, source: .startOfExposure)
  }
}

extension FakeCamera {
  package func set(_ assignments: [ControlAssignment], pacing: FramePacing?)
    async throws(CaptureError) -> [ControlMoment]
  {
    let wait = pacing?.wait(at: MonotonicClock.now()) ?? 0
    if wait > 0 { try? await Task.sleep(nanoseconds: wait) }
    let began = MonotonicClock.now()
    try await set(assignments)
    let moment = ControlMoment(began: began, ended: MonotonicClock.now())
    return Array(repeating: moment, count: assignments.count)
  }
}
