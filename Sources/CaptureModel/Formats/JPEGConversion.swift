/// Who makes JPEGs of a camera's frames.
public enum JPEGConversion: String, Hashable, Sendable, CaseIterable {
  /// Nobody: they are JPEGs, and are delivered as they are.
  case asItIs = "as it is"
  /// libyuv and libjpeg-turbo read the format.
  case libyuv
  /// libv4lconvert reads it: device-specific formats of older webcams, and compressed ones that are no JPEG.
  case libv4lconvert
  /// The node's own conversion.
  case node
}
