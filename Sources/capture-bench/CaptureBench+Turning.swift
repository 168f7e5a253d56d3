import CaptureImaging
import CaptureModel
import CaptureSystem
import Glibc

extension CaptureBench {
  /// Measures the cost of turning a JPEG of 12 megapixels, in 4:2:0, by a quarter without decoding it. Writes that JPEG into a file, for jpegtran.
  static func measureTurning(_ path: String, count: Int) throws {
    let (encoder, pool) = (JPEGEncoder(), PayloadPool())
    let size = FrameSize(width: 4000, height: 3008)
    let jpeg = try encoder.encode(
      frame(.yuyv, size, Payload(copying: picture(size))), quality: 90, subsampling: .s420, into: pool)
    try writeFile(jpeg, to: path)
    let turned = PictureTransform(orientation: .clockwise90)
    let settings = JPEGSettings(
      size: turned.size(of: size), quality: 90, transform: turned, isLosslessPreferred: true)
    let source = frame(.mjpeg, size, jpeg)
    let times = try ProcessMeter.own().milliseconds(ofEach: count, warmUp: 1) {
      _ = try encoder.encode(source, as: settings, into: pool)
    }
    report(["turn_ms": times.percentile(0.5), "jpeg_bytes": Double(jpeg.count)])
  }

  /// A picture in YUYV with smooth shades, edges and a little noise, as Benchmarks/jpeg-floor.c draws them.
  private static func picture(_ size: FrameSize) -> [UInt8] {
    var noise: UInt32 = 1
    return [UInt8](unsafeUninitializedCapacity: size.area * 2) { bytes, count in
      for y in 0..<size.height {
        for x in 0..<size.width {
          noise = noise &* 1_664_525 &+ 1_013_904_223
          let checker = (y / 40 + x / 40) & 1 * 48
          let place = (y * size.width + x) * 2
          bytes[place] = UInt8(32 + (x + y) % 128 + checker + Int(noise >> 30))
          bytes[place + 1] = UInt8(96 + (x & 1 == 1 ? y : x) * 64 / (size.width + size.height))
        }
      }
      count = size.area * 2
    }
  }

  private static func frame(_ format: PixelFormat, _ size: FrameSize, _ payload: Payload) -> Frame {
    Frame(
      payload: payload,
      format: StreamFormat(
        pixelFormat: format, size: size, interval: nil,
        planes: [PlaneLayout(stride: format == .mjpeg ? 0 : size.width * 2, bytes: payload.count)]),
      sequence: 0, timestamp: FrameTimestamp(nanoseconds: 0, clock: .unknown, source: .endOfFrame))
  }
}
