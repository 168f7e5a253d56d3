import CaptureModel

/// One component of a picture: 8-bit samples, row by row. The memory is lent, and its owner says how long it is valid.
struct Plane {
  var base: UnsafePointer<UInt8>
  /// Bytes from one row to the next.
  var stride: Int
  /// Samples in a row.
  var width: Int
  var height: Int

  func row(_ y: Int) -> UnsafePointer<UInt8> { base + y * stride }
}

/// Luma, and chroma if the picture has colour. Both chroma planes have the same size, which may be any.
struct PlanarPicture {
  var luma: Plane
  var chroma: (u: Plane, v: Plane)?
  /// Whether samples use 0…255, as in JFIF; otherwise luma uses 16…235, and chroma 16…240.
  var isFullRange: Bool
  /// The matrix of the samples; JFIF has BT.601's.
  var matrix = ColorMatrix.rec601
}
