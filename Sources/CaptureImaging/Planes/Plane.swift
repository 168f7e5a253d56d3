import CaptureModel

/// One component of a picture: 8-bit samples, row by row. Lent memory; valid as long as its owner says.
struct Plane {
  var base: UnsafePointer<UInt8>
  /// Bytes from one row to the next.
  var stride: Int
  /// Samples in a row.
  var width: Int
  var height: Int

  func row(_ y: Int) -> UnsafePointer<UInt8> { base + y * stride }
}

/// Luma, and chroma where there is colour; the chroma planes have one size, whatever it is.
struct PlanarPicture {
  var luma: Plane
  var chroma: (u: Plane, v: Plane)?
  /// Samples use 0…255, as JFIF means them; else 16…235 and 16…240.
  var isFullRange: Bool
  /// What the samples are in terms of colours; BT.601's as JFIF means it.
  var matrix = ColorMatrix.rec601
}
