internal import CaptureModel

/// One plane of a raw picture, in the memory into which the socket was read (`CVPixelBufferGetBaseAddressOfPlane`).
public struct PicturePlane {
  /// Valid only inside the closure that got it.
  public let bytes: UnsafeRawBufferPointer
  /// Bytes from one row to the next.
  public let bytesPerRow: Int
  /// Samples in a row. A sample of NV12's second plane is a pair of Cb and Cr.
  public let width: Int
  /// Rows.
  public let height: Int
}

extension ReceivedFrame {
  /// How many planes ``withPlane(_:_:)`` gives: 1 for BGRA, RGB24, GREY and packed 4:2:2, 2 for NV12, 3 for I420; 0 for a JPEG and for formats whose
  /// layout is not known here, whose bytes are in ``payload``.
  public var planeCount: Int { info.layout.count }

  /// Calls `body` with a plane, without a copy. `nil` where there is no such plane, where the payload is too short for the plane, or where the
  /// plane's rows are too short for their samples.
  public func withPlane<Result>(_ index: Int, _ body: (PicturePlane) throws -> Result) rethrows -> Result? {
    let layout = info.layout
    guard layout.indices.contains(index), payload.segments.count == 1 else { return nil }
    let (plane, bytes) = (layout[index], payload.segments[0])
    guard plane.isSound, plane.offset + plane.bytes <= bytes.count else { return nil }
    return try body(
      PicturePlane(
        bytes: UnsafeRawBufferPointer(rebasing: bytes[plane.offset..<plane.offset + plane.bytes]),
        bytesPerRow: plane.stride, width: plane.width, height: plane.height))
  }
}

extension FrameInfo {
  struct PlanePlace {
    var offset: Int
    var stride: Int
    var width: Int
    var height: Int
    /// The bytes of a sample.
    var sample = 1

    /// Whether a row has room for its samples.
    var isSound: Bool { stride >= width * sample }

    /// The size of the plane, with its last row's padding.
    var bytes: Int { stride * height }
  }

  /// Where the planes are in the payload. Drivers give most formats in one piece of memory, in which the planes follow each other.
  var layout: [PlanePlace] {
    // The numbers come from the node, so their products could overflow.
    guard let first = planes.first, first.stride <= .max / 4 / max(size.height, 1), size.width <= .max / 8
    else {
      return []
    }
    let half = FrameSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    var luma = PlanePlace(offset: 0, stride: first.stride, width: size.width, height: size.height)
    switch pixelFormat {
    case .nv12, .nv21:
      return [
        luma,
        PlanePlace(
          offset: luma.bytes, stride: first.stride, width: half.width, height: half.height, sample: 2),
      ]
    case .yu12, .yv12:
      let chroma = PlanePlace(
        offset: luma.bytes, stride: first.stride / 2, width: half.width, height: half.height)
      var second = chroma
      second.offset += chroma.bytes
      return [luma, chroma, second]
    case .ar24, .xr24, .rgb3, .bgr3, .grey, .yuyv, .yvyu, .uyvy, .vyuy:
      luma.sample = [.grey: 1, .rgb3: 3, .bgr3: 3, .ar24: 4, .xr24: 4][pixelFormat] ?? 2
      return [luma]
    default: return []
    }
  }
}
