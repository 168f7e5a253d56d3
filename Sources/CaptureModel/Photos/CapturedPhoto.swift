public import CaptureSystem

/// A photo and its description (`AVCapturePhoto`).
public struct CapturedPhoto: Sendable {
  /// The file's bytes, in the memory into which the socket was read.
  public var payload: Payload
  /// What kind of file it is.
  public var fileType = PhotoFileType.jpeg
  /// Whether the camera's own JPEG was decoded and encoded again for it.
  public var isReencoded = false
  /// How it was turned or mirrored; `nil`: it was not.
  public var orientationMethod: OrientationMethod?
  /// The frame of which it is made: its size, time and settings.
  public var info: FrameInfo
  /// What the flash did; `nil`: it is off, or the camera has none.
  public var flash: FlashOutcome?
  /// How the camera had settled; `nil`: that was not asked for.
  public var settling: PhotoSettling?
  /// What was written into it (`metadata`); `nil`: nothing was. Its exposure is in ``info``.
  public var metadata: PhotoMetadata?
  /// Its name in the node's library; `nil`: it was not to be kept.
  public var asset: String?
  /// Its place in its bracket or burst (`sequenceCount`); `nil`: it is alone.
  public var place: SequencePlace?
  /// How it is known that it has the settings of its step (`bracketSettings`); `nil`: it is of no bracket.
  public var bracket: BracketOutcome?
  /// How near its frame is to the moment that was asked for; `nil`: no moment was asked for.
  public var nearness: PhotoNearness?

  package init(payload: Payload, info: FrameInfo) { (self.payload, self.info) = (payload, info) }
}
