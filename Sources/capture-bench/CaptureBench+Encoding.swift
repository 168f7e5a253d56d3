import CaptureImaging
import CaptureModel
import CaptureSystem
import Glibc

extension CaptureBench {
  /// Measures the cost of making a JPEG from the picture in a file, in quality 80 like Benchmarks/jpeg-floor.c. The picture has the given matrix and
  /// video range. It is YUYV and becomes a JPEG in 4:2:2; if the file's name ends in .nv12, it is NV12 and becomes a JPEG in 4:2:0.
  static func measureEncoding(_ size: String, _ path: String, _ matrix: String, count: Int) throws {
    let matrices: [String: ColorMatrix] = [
      "601": .rec601, "709": .rec709, "2020": .rec2020, "240": .smpte240M,
      "constant": .rec2020ConstantLuminance,
    ]
    guard let size = FrameSize(size), let matrix = matrices[matrix] else { throw Usage() }
    let isNV12 = path.hasSuffix(".nv12")
    let bytes = try picture(in: path, byteCount: isNV12 ? size.area * 3 / 2 : size.area * 2)
    let frame = Frame(
      payload: Payload(copying: bytes),
      format: StreamFormat(
        pixelFormat: isNV12 ? .nv12 : .yuyv, size: size, interval: nil,
        planes: [PlaneLayout(stride: isNV12 ? size.width : size.width * 2, bytes: bytes.count)],
        color: ColorDescription(matrix: matrix)), sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .unknown, source: .endOfFrame))
    let (encoder, pool) = (JPEGEncoder(), PayloadPool())
    var length = 0
    let times = try ProcessMeter.own().milliseconds(ofEach: count) {
      length = try encoder.encode(
        frame, quality: 80, subsampling: isNV12 ? .s420 : .s422, into: pool
      ).count
    }
    report(["cpu_ms_per_frame": times.percentile(0.5), "jpeg_bytes": Double(length)])
  }

  /// Measures the cost of looking for damage in a camera's JPEG, as for a photo.
  static func measureChecking(_ spec: String, count: Int) async throws {
    let frame = try await firstFrame(spec, .mjpeg)
    let times = try ProcessMeter.own().milliseconds(ofEach: count) {
      if let damage = JPEGCheck.damage(inside: frame.payload.segments[0], size: frame.format.size) {
        throw Failure("the camera's frame: \(damage)")
      }
    }
    report(["check_ms": times.percentile(0.5), "jpeg_bytes": Double(frame.payload.count)])
  }
}
