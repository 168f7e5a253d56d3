import CaptureModel

/// The camera of a device as it is now, for the device and its parts: the device says what happens to it, the parts ask for it.
final class CurrentCamera {
  let id: CameraID
  /// Names it in messages.
  let name: String
  let imaging: Imaging
  /// Tells whoever runs the node. From any thread.
  let notify: @Sendable (CameraNotice.Kind, String) -> Void
  /// `nil`: it is unplugged, or silent.
  private(set) var present: (any Camera)?
  /// The camera while its driver does not answer: it is there, and nobody is let to it.
  private(set) var silent: (any Camera)?
  /// The latest known.
  private(set) var description: CameraDescription?
  private(set) var knownFormats: [FormatDescription]?
  /// The node can cut frames of one of its formats.
  private(set) var isCuttable = false
  private(set) var lastError: PastError?
  private var shutdown: CaptureError?

  init(_ id: CameraID, imaging: Imaging, report: @escaping @Sendable (CameraNotice) -> Void) {
    self.id = id
    self.imaging = imaging
    notify = { report(CameraNotice(camera: id, kind: $0, text: $1)) }
    name = id.rawValue.quoted
  }

  // MARK: What happens to it

  func appeared(_ camera: any Camera) {
    (present, silent, description) = (camera, nil, camera.description)
    (knownFormats, isCuttable) = (nil, false)
  }

  /// It was unplugged; `isSilent`: its driver does not answer.
  func left(isSilent: Bool = false) {
    silent = isSilent ? present : nil
    present = nil
  }

  /// The device ends: only what cleans up is let to the camera.
  func shutDown(_ error: CaptureError) { shutdown = error }

  // MARK: Asking for it

  /// Throws `unavailable` when it is unplugged, `failedPrecondition` when it cannot be driven here.
  ///
  /// `isCleaningUp`: also while the node ends.
  func required(isCleaningUp: Bool = false) throws(CaptureError) -> any Camera {
    if !isCleaningUp { try requireRunning() }
    guard let present else { throw absence }
    if let reason = present.description.unusableReason {
      throw CaptureError(.failedPrecondition, "\(name) cannot be used: \(reason)")
    }
    return present
  }

  /// Throws why the device ends.
  func requireRunning() throws(CaptureError) {
    if let shutdown { throw shutdown }
  }

  /// Whether `camera` is still the one that is there.
  func isPresent(_ camera: any Camera) -> Bool { present === camera }

  /// Why it is not there.
  var absence: CaptureError {
    guard silent != nil else {
      return CaptureError(.unavailable, "\(name) is unplugged; its place is kept for its return")
    }
    return CaptureError(
      .unavailable,
      "\(name) does not respond: its driver has not answered for more than \(ResponseWatch.silent / 1_000_000_000) s; "
        + "it is served again when it does, or when it is plugged in anew")
  }

  /// Asked before what was listed is relied on: whether the camera is set as it was then.
  weak var inputs: DeviceInputs?

  /// They are listed anew when they are asked for next.
  func forgetFormats() {
    knownFormats = nil
    listings += 1
  }

  /// So often what was listed was forgotten.
  private var listings = 0

  /// Pixel formats with their sizes and intervals.
  func formats() async throws(CaptureError) -> [FormatDescription] {
    let camera = try required()
    await inputs?.look(at: camera)
    if let knownFormats { return knownFormats }
    let listing = listings
    let formats = try await camera.formats()
    guard isPresent(camera), listing == listings else { return formats }
    knownFormats = formats
    isCuttable = formats.contains {
      imaging.isEncodable($0.pixelFormat) || imaging.isTurnable($0.pixelFormat)
    }
    return formats
  }

  // MARK: Notices

  /// Tells it, and keeps it as the last error.
  func note(_ kind: CameraNotice.Kind, _ text: String) {
    failed(text)
    notify(kind, text)
  }

  func failed(_ text: String) { lastError = PastError(text) }
}
