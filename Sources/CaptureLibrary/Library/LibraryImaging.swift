public import CaptureModel

/// A small JPEG of a picture.
public struct PictureThumbnail: Hashable, Sendable {
  public var size: FrameSize
  public var jpeg: [UInt8]

  public init(size: FrameSize, jpeg: [UInt8]) { (self.size, self.jpeg) = (size, jpeg) }
}

/// The function with which a library examines pictures. The program that opens the library provides it.
public struct LibraryImaging: Sendable {
  public struct Examination: Sendable {
    /// `nil`: not known.
    public var size: FrameSize?
    /// `nil`: none can be made of this picture.
    public var thumbnail: PictureThumbnail?

    public init(size: FrameSize?, thumbnail: PictureThumbnail?) {
      (self.size, self.thumbnail) = (size, thumbnail)
    }
  }

  /// Reads a picture whole. Throws `invalidArgument` with the reason if the bytes are not of this type, or damaged.
  public var examine: @Sendable (UnsafeRawBufferPointer, ResourceType) throws(CaptureError) -> Examination

  public init(
    examine: @escaping @Sendable (UnsafeRawBufferPointer, ResourceType) throws(CaptureError) -> Examination
  ) {
    self.examine = examine
  }
}
