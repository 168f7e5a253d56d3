import CaptureImaging
import CaptureModel
import CaptureSystem
import Glibc

extension CaptureBench {
  /// Measures the cost of converting the YUYV picture at the beginning of a file into another pixel format, like Benchmarks/convert-floor.c.
  static func measureConverting(_ size: String, _ path: String, _ target: String, count: Int) throws {
    guard let size = FrameSize(size), let target = PixelFormat(target).flatMap(PixelTarget.init) else {
      throw Usage()
    }
    let bytes = try picture(in: path, byteCount: size.area * 2)
    let frame = Frame(
      payload: Payload(copying: bytes),
      format: StreamFormat(
        pixelFormat: .yuyv, size: size, interval: nil,
        planes: [PlaneLayout(stride: size.width * 2, bytes: bytes.count)]), sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .unknown, source: .endOfFrame))
    let (converter, pool) = (PixelConverter(), PayloadPool())
    let settings = PixelSettings(target: target, size: size)
    let times = try ProcessMeter.own().milliseconds(ofEach: count) {
      _ = try converter.convert(frame, as: settings, into: pool)
    }
    report(["cpu_ms_per_frame": times.percentile(0.5)])
  }
}
