import CaptureModel
import Testing

extension Recorder.Record {
  /// Expects every frame to have the bytes that the driver told with the format.
  func expectBytes(of format: StreamFormat) {
    // vivid puts these behind a header (data_offset), which is no part of the picture.
    let hasHeader = [PixelFormat("NM16"), PixelFormat("NM61")].contains(format.pixelFormat)
    let pictures = format.planes.map { hasHeader ? $0.stride * VividTests.small.height : $0.bytes }
    #expect(!sizes.isEmpty && sizes.allSatisfy { $0 == pictures }, "\(format.pixelFormat): \(sizes)")
  }
}

extension Camera {
  /// The planes of the format in use as v4l2-ctl, which takes its time to start under emulation, reads them from the driver.
  func planesOfDriver() throws -> [PlaneLayout] {
    let said = try run("v4l2-ctl", "-d", description.path, "--get-fmt-video")
    let bytes = said.matches(of: /Size Image +: (\d+)/).map { Int($0.1)! }
    let strides = said.matches(of: /Bytes per Line +: (\d+)/).map { Int($0.1)! }
    #expect(strides.count == bytes.count)
    return zip(strides, bytes).map { PlaneLayout(stride: $0, bytes: $1) }
  }
}
