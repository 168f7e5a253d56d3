/// Which part of the software makes JPEGs of a camera's frames.
public enum JPEGConversion: String, Hashable, Sendable, CaseIterable {
  /// None: the frames are JPEGs, and are delivered as they are.
  case asItIs = "as it is"
  /// libyuv and libjpeg-turbo read the format.
  case libyuv
  /// libv4lconvert reads the format. It reads formats of older webcams, and compressed ones that are not JPEG.
  case libv4lconvert
  /// The node converts the format itself.
  case node
}
