import CaptureModel

/// The present camera of a device, for the device and its parts. The device reports the camera's events to this object, and the parts get the camera
/// from it.
final class CurrentCamera {
  let id: CameraID
  /// The camera's name in messages.
  let name: String
  let imaging: Imaging
  /// Reports an event to the node's log. Any thread may call it.
  let notify: @Sendable (CameraNotice.Kind, String) -> Void
  private let report: @Sendable (CameraNotice) -> Void
  /// `nil`: the camera is unplugged or silent.
  private(set) var present: (any Camera)?
  /// The camera while its driver does not answer: it is there, but no call reaches it.
  private(set) var silent: (any Camera)?
  /// The latest description.
  private(set) var description: CameraDescription?
  private(set) var knownFormats: [FormatDescription]?
  /// A listing of the present camera's formats, which all who wait for it share. It is replaced when a camera appears.
  private(set) var listing = SharedReading<[FormatDescription]>()
  /// Asked before listed formats are used: the camera's input may have changed.
  private weak var inputs: DeviceInputs?
  private var timesForgotten = 0
  /// Whether the node can cut frames of one of its formats.
  private(set) var isCuttable = false
  private(set) var lastError: PastError?
  private var shutdown: CaptureError?

  init(_ id: CameraID, imaging: Imaging, report: @escaping @Sendable (CameraNotice) -> Void) {
    self.id = id
    self.imaging = imaging
    self.report = report
    notify = { report(CameraNotice(camera: id, kind: $0, text: $1)) }
    name = id.rawValue.quoted
  }

  func setInputs(_ inputs: DeviceInputs) { self.inputs = inputs }

  // MARK: Events

  func appeared(_ camera: any Camera) {
    (present, silent, description) = (camera, nil, camera.description)
    (knownFormats, isCuttable) = (nil, false)
    listing = SharedReading()
  }

  /// Tells that the camera was unplugged; `isSilent`: that its driver does not answer.
  func vanished(isSilent: Bool = false) {
    silent = isSilent ? present : nil
    present = nil
  }

  /// Tells that the device ends: only calls that clean up reach the camera.
  func shutDown(_ error: CaptureError) { shutdown = error }

  // MARK: Access

  /// Throws unless `camera` is the present one and the node runs.
  func require(_ camera: any Camera) throws(CaptureError) {
    guard isPresent(camera) else { throw departure }
    try requireRunning()
  }

  /// Throws `unavailable` when the camera is unplugged, and `failedPrecondition` when it cannot be used here.
  ///
  /// `isCleaningUp`: returns the camera also while the node ends.
  func required(isCleaningUp: Bool = false) throws(CaptureError) -> any Camera {
    if !isCleaningUp { try requireRunning() }
    guard let present else { throw absence }
    if let reason = present.description.unusableReason {
      throw CaptureError(
        .failedPrecondition, "\(name) cannot be used: \(reason)", .init(.cameraUnusable, device: id.rawValue))
    }
    return present
  }

  /// Throws the reason why the device ends, if it does.
  func requireRunning() throws(CaptureError) {
    if let shutdown { throw shutdown }
  }

  /// Whether `camera` is still the present one.
  func isPresent(_ camera: any Camera) -> Bool { present === camera }

  /// Whether `camera` is there, but its driver does not answer.
  func isSilent(_ camera: any Camera) -> Bool { silent === camera }

  /// Why the camera is absent.
  var absence: CaptureError {
    guard silent != nil else {
      return unplugged("is unplugged; its place is kept for its return")
    }
    return CaptureError(
      .unavailable,
      "\(name) does not respond: its driver has not answered for more than \(ResponseWatch.silent / 1_000_000_000) s; "
        + "it is served again when it does, or when it is plugged in anew",
      .init(.notResponding, device: id.rawValue))
  }

  /// Returns why a session's stream does not start, after an attempt that failed with `error`: that error, or the absence of a camera that has gone
  /// since. `waitsForSource`: another source may have the session's format. `nil`: the camera was absent and is there again, so the next attempt may
  /// succeed.
  func obstacle(after error: CaptureError) -> (error: CaptureError, waitsForSource: Bool)? {
    let reason = error.details?.reason
    if present == nil, reason != .nodeDraining { return (absence, false) }
    if present != nil, reason == .cameraUnplugged || reason == .notResponding { return nil }
    return (error, error.code == .invalidArgument && hasSource)
  }

  /// The error for what was under way on the camera when it went.
  var departure: CaptureError { silent == nil ? unplugged : absence }

  /// The error for a camera that went away.
  var unplugged: CaptureError { unplugged("was unplugged") }

  private func unplugged(_ text: String) -> CaptureError {
    CaptureError(.unavailable, "\(name) \(text)", .init(.cameraUnplugged, device: id.rawValue))
  }

  /// Whether the signal of another device decides the camera's formats: an input of a capture card is in use.
  var hasSource: Bool { inputs?.current?.signal != nil }

  /// Forgets the formats; they are listed again when they are next asked for.
  func forgetFormats() {
    knownFormats = nil
    timesForgotten += 1
  }

  /// Pixel formats with their sizes and intervals. Calls that wait for the camera to list them share that.
  func formats() async throws(CaptureError) -> [FormatDescription] {
    let camera = try required()
    await inputs?.check(camera)
    try require(camera)
    if let knownFormats { return knownFormats }
    return try await listing.value { () throws(CaptureError) in
      // A caller that has waited for another caller's listing uses its result, unless the formats were forgotten meanwhile.
      if let knownFormats { return knownFormats }
      let before = timesForgotten
      let formats = try await camera.formats()
      guard isPresent(camera), before == timesForgotten else { return formats }
      knownFormats = formats
      isCuttable = formats.contains {
        imaging.isEncodable($0.pixelFormat) || imaging.isTurnable($0.pixelFormat)
      }
      return formats
    }
  }

  // MARK: Notices

  /// Reports an event, and keeps it as the last error.
  func note(_ kind: CameraNotice.Kind, _ text: String) {
    noteError(text)
    notify(kind, text)
  }

  /// Reports that a control fails. `failure`: which one, and how.
  func notifyFailingControl(_ text: String, as failure: String) {
    report(CameraNotice(camera: id, kind: .controlFailing, text: text, failure: failure))
  }

  /// Keeps a text as the last error.
  func noteError(_ text: String) { lastError = PastError(text) }
}
