import CaptureSystem

extension Scratch {
  /// A plane to fill; its rows are 64-byte aligned.
  func plane(width: Int, height: Int) -> MutablePlane {
    let stride = (width + 63) & ~63
    return MutablePlane(base: bytes(stride * max(height, 1)), stride: stride, width: width, height: height)
  }
}

/// Memory for the planes of a picture.
struct PlaneMemory {
  let luma = Scratch()
  let u = Scratch()
  let v = Scratch()
}

/// A ``Plane`` that is being filled.
struct MutablePlane {
  var base: UnsafeMutablePointer<UInt8>
  var stride: Int
  var width: Int
  var height: Int

  var plane: Plane { Plane(base: base, stride: stride, width: width, height: height) }
}
