import CaptureModel
import CaptureSystem

/// Gives access to a raw frame's memory, with checked bounds: a driver's short buffer is an error, not a read past its end.
struct FrameBytes {
  let frame: Frame
  private let strides: [Int]

  init(_ frame: Frame) throws(CaptureError) {
    guard !frame.format.planes.isEmpty else {
      throw CaptureError(.internal, "a \(frame.format.pixelFormat) frame came without its row stride")
    }
    self.frame = frame
    strides = frame.format.planes.map(\.stride)
  }

  var size: FrameSize { frame.format.size }

  /// The first plane.
  func first(rowBytes: Int) throws(CaptureError) -> Plane {
    try plane(segment: 0, offset: 0, stride: strides[0], rowBytes: rowBytes, rows: size.height)
  }

  /// Plane `index` (1 or 2), in a segment of its own or behind the others. In the latter case its stride is `sharedStride`.
  func chromaPlane(_ index: Int, sharedStride: Int, rowBytes: Int, rows: Int) throws(CaptureError) -> Plane {
    if strides.count > index, frame.payload.segments.count > index {
      return try plane(segment: index, offset: 0, stride: strides[index], rowBytes: rowBytes, rows: rows)
    }
    let offset = strides[0] * size.height + (index - 1) * sharedStride * rows
    return try plane(segment: 0, offset: offset, stride: sharedStride, rowBytes: rowBytes, rows: rows)
  }

  private func plane(segment: Int, offset: Int, stride: Int, rowBytes: Int, rows: Int) throws(CaptureError)
    -> Plane
  {
    guard segment < frame.payload.segments.count, let base = frame.payload.segments[segment].baseAddress,
      stride >= rowBytes, rows > 0,
      frame.payload.segments[segment].count >= offset + stride * (rows - 1) + rowBytes
    else {
      throw CaptureError(
        .dataLoss,
        "a \(frame.format.pixelFormat) frame of \(size) is incomplete: \(frame.payload.count) bytes")
    }
    return Plane(
      base: (base + offset).assumingMemoryBound(to: UInt8.self), stride: stride, width: rowBytes, height: rows
    )
  }
}
