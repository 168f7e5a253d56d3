import CPixelKernels
import CYUV
import CaptureSystem

/// The range from which a plane's samples have to be widened.
enum VideoRange { case luma, chroma }

extension Plane {
  /// Scales the plane, widens it to the full range if need be, and repeats its last column and row up to `padded`, since libjpeg-turbo reads whole
  /// blocks of an odd picture. Returns the plane itself where there is nothing to do.
  func resampled(
    width: Int, height: Int, padded: (width: Int, height: Int), from range: VideoRange?, in scratch: Scratch
  ) -> Plane {
    let isSameSize = width == self.width && height == self.height
    if isSameSize, range == nil, padded == (width, height) { return self }
    let result = scratch.plane(width: padded.width, height: padded.height)
    if isSameSize {
      copy(into: result, from: range)
    } else {
      ScalePlane(
        base, Int32(stride), Int32(self.width), Int32(self.height),
        result.base, Int32(result.stride), Int32(width), Int32(height), kFilterBox)
      if range != nil {
        Plane(base: result.base, stride: result.stride, width: width, height: height)
          .copy(into: result, from: range)
      }
    }
    result.repeatEdges(width: width, height: height)
    return result.plane
  }

  private func copy(into result: MutablePlane, from range: VideoRange?) {
    for y in 0..<height {
      let (source, row) = (base + y * stride, result.base + y * result.stride)
      switch range {
      case .luma: pixels_widen_luma(source, row, width)
      case .chroma: pixels_widen_chroma(source, row, width)
      case nil: row.update(from: source, count: width)
      }
    }
  }
}

extension MutablePlane {
  /// Fills the samples right of `width` and below `height`.
  fileprivate func repeatEdges(width: Int, height: Int) {
    if width < self.width {
      for y in 0..<height {
        let row = base + y * stride
        (row + width).update(repeating: row[width - 1], count: self.width - width)
      }
    }
    for y in height..<max(self.height, height) {
      (base + y * stride).update(from: base + (height - 1) * stride, count: self.width)
    }
  }
}
