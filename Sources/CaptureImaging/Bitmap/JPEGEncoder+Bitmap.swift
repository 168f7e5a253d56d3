import CaptureModel
import CaptureSystem

extension JPEGEncoder {
  /// Encodes the bitmap as a 4:2:2 JPEG. Its alpha is ignored.
  package func encode(_ bitmap: Bitmap, quality: Int, into pool: PayloadPool) throws(CaptureError) -> Payload
  {
    let size = FrameSize(width: bitmap.width, height: bitmap.height)
    let plane = PlaneLayout(stride: bitmap.stride, bytes: bitmap.bytes.count)
    // The pixels are lent during this call: the encoder keeps no frame.
    let frame = Frame(
      payload: Payload(lending: bitmap.bytes, release: {}),
      format: StreamFormat(
        pixelFormat: .xr24, size: size, interval: nil, planes: [plane],
        color: ColorDescription(matrix: .identity, isFullRange: true)),
      sequence: 0, timestamp: FrameTimestamp(nanoseconds: 0, clock: .unknown, source: .endOfFrame))
    return try encode(frame, quality: quality, subsampling: .s422, into: pool)
  }
}
