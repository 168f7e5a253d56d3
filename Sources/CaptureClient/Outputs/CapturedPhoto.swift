public import CaptureModel
public import CaptureSystem
internal import CaptureWire

/// A photo and its description. `AVCapturePhoto`.
public struct CapturedPhoto: Sendable {
  /// The file's bytes, in the memory into which the socket was read.
  public var payload: Payload
  /// What kind of file it is.
  public var fileType = CaptureModel.PhotoFileType.jpeg
  /// Whether the camera's own JPEG was decoded and encoded again for it.
  public var isReencoded = false
  /// How it was turned or mirrored; `nil`: it was not.
  public var orientationMethod: CaptureModel.OrientationMethod?
  /// The frame of which it is made: its size, time and settings.
  public var info: CaptureModel.FrameInfo
  /// What the flash did; `nil`: it is off, or the camera has none.
  public var flash: CaptureModel.FlashOutcome?
  /// How the camera had settled; `nil`: that was not asked for.
  public var settling: PhotoSettling?
  /// What was written into it; `nil`: nothing was. Its exposure is in ``info``. `metadata`.
  public var metadata: CaptureModel.PhotoMetadata?
  /// What the node's library calls it; `nil`: it was not to be kept.
  public var asset: String?
  /// Its place in its bracket or burst; `nil`: it is alone. `sequenceCount`.
  public var place: CaptureModel.SequencePlace?
  /// How it has the settings of its step; `nil`: it is of no bracket. `bracketSettings`.
  public var bracket: CaptureModel.BracketOutcome?
  /// How near its frame is to the moment that was asked for; `nil`: none was.
  public var nearness: CaptureModel.PhotoNearness?
}

extension CapturedPhoto {
  /// `nil`: the event brings no file, and names none that is kept.
  init?(_ event: PhotoEvent) {
    guard let data = event.data ?? (event.assetID.isEmpty ? nil : .empty) else { return nil }
    self.init(
      payload: data, fileType: event.resource?.fileType ?? .jpeg,
      isReencoded: event.resource?.reencoded ?? false,
      orientationMethod: event.resource?.method,
      info: (event.info ?? CaptureWire.FrameInfo()).model, flash: event.flash.model,
      settling: event.settling, metadata: event.metadata?.values,
      asset: event.assetID.isEmpty ? nil : event.assetID,
      place: event.place?.values, bracket: event.bracket?.values, nearness: event.nearness?.values)
  }
}

extension PhotoEvent {
  fileprivate var settling: PhotoSettling? {
    settled == .unspecified
      ? nil
      : PhotoSettling(
        settled.model, waited: .milliseconds(Int64(settlingMs)), frames: Int(settlingFrames))
  }
}
