import CaptureImaging
import CaptureModel
import CaptureSystem
import CaptureV4L2
import Foundation
import Testing

extension VividTests {
  /// Each of vivid's formats with the bytes that the driver says, as a JPEG and converted, against what the driver itself has in RGB.
  @Suite struct FormatPictures {
    /// The multi-planar camera has all that the other one has, and ten more.
    @Test func theColourBarsAreRightInEveryFormat() async throws {
      try await Cameras.with(multiPlanar) { camera in
        try await camera.set(Self.plain)
        try await camera.set(["osd_text_mode": .integer(2)])
        let reference = try bars(of: try await frame(.rgb3, from: camera))
        #expect(Set(reference).count == 8, "eight bars: \(reference)")
        let (encoder, converter, pool) = (JPEGEncoder(), PixelConverter(), PayloadPool())
        var worst: [(String, Int)] = []
        let formats = try await camera.formats()
        // docs/formats.md says so of vivid of Linux 6.1.
        #expect(Set(formats.map(\.pixelFormat)).count == 93)
        for (index, format) in formats.enumerated() {
          let code = format.pixelFormat
          guard JPEGEncoder.canEncode(code) else {
            worst.append(("\(code) has no JPEG", 255))
            continue
          }
          if code.description.hasPrefix("HSV") {
            // vivid loses its encoding of hue, which it tells, when an RGB format is set; this sets it again.
            try await camera.set(["hsv_encoding": .integer(1), "hsv_encoding": .integer(0)])
          }
          let frame = try await frame(code, from: camera, isWitnessed: index.isMultiple(of: 8))
          let picture = try decoded(encoder.encode(frame, quality: 95, into: pool))
          let difference = difference(picture, reference)
          if difference > tolerance(frame) { worst.append(("\(code)", difference)) }
          let settings = PixelSettings(target: .rgb24, size: small)
          let pixels = try converter.convert(frame, as: settings, into: pool).payload.bytes
          let samples = picture.components == 3 ? pixels : (0..<small.area).map { pixels[3 * $0] }
          let other = self.difference((picture.components, samples), reference)
          if other > tolerance(frame) { worst.append(("\(code) as RGB3", other)) }
        }
        try await camera.set(["osd_text_mode": .integer(0)])
        #expect(worst.isEmpty, "\(worst)")
      }
    }

    /// What changes colours, as vivid has it at first; other tests set any control.
    private static let plain: KeyValuePairs<String, ControlValue> = [
      "brightness": .integer(128), "contrast": .integer(128), "saturation": .integer(128), "hue": .integer(0),
      "colorspace": .integer(2), "y_cbcr_encoding": .integer(0), "quantization": .integer(0),
      "test_pattern": .integer(0),
    ]

    /// One frame of a stream. v4l2-ctl may be the witness of its planes.
    private func frame(_ code: PixelFormat, from camera: any Camera, isWitnessed: Bool = false) async throws
      -> Frame
    {
      let recorder = Recorder(keeping: 1)
      let request = StreamRequest(
        pixelFormat: code, size: small, interval: FrameInterval(numerator: 1, denominator: 60))
      let format = try await camera.startStreaming(request, into: recorder)
      try await recorder.frames(1)
      if isWitnessed { #expect(try camera.planesOfDriver() == format.planes) }
      await camera.stopStreaming()
      recorder.record.expectBytes(of: format)
      return recorder.record.kept[0]
    }

    private let row = small.height * 2 / 3

    /// Colours in the middles of the bars of an RGB3 frame.
    private func bars(of frame: Frame) throws -> [[Int]] {
      let bytes = frame.payload.bytes
      return middles.map { x in
        let start = row * frame.format.planes[0].stride + x * 3
        return bytes[start..<start + 3].map { Int($0) }
      }
    }

    private var middles: [Int] { (0..<8).map { (2 * $0 + 1) * small.width / 16 } }

    /// What djpeg, a witness outside of this project, makes of it: components and samples.
    private func decoded(_ jpeg: Payload) throws -> (components: Int, samples: [UInt8]) {
      let path = FileManager.default.temporaryDirectory.appending(path: "vivid.jpg").path
      try Data(jpeg.bytes).write(to: URL(filePath: path))
      let djpeg = Process()
      djpeg.executableURL = URL(filePath: "/usr/bin/djpeg")
      djpeg.arguments = ["-pnm", path]
      let output = Pipe()
      djpeg.standardOutput = output
      try djpeg.run()
      let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
      djpeg.waitUntilExit()
      try #require(djpeg.terminationStatus == 0)
      // "P6\nWIDTH HEIGHT\n255\n", then the samples; P5 for grey.
      let header = bytes.split(separator: 0x0A, maxSplits: 3, omittingEmptySubsequences: false)
      return (bytes[1] == UInt8(ascii: "6") ? 3 : 1, Array(header[3]))
    }

    private func difference(_ picture: (components: Int, samples: [UInt8]), _ bars: [[Int]]) -> Int {
      var worst = 0
      for (x, bar) in zip(middles, bars) {
        let start = (row * small.width + x) * picture.components
        let found = picture.samples[start..<start + picture.components].map { Int($0) }
        // vivid's grey has BT.709's weights, whatever its colours have.
        let luma = 0.2126 * Double(bar[0]) + 0.7152 * Double(bar[1]) + 0.0722 * Double(bar[2])
        let wanted = found.count == 3 ? bar : [Int(luma.rounded())]
        for (a, b) in zip(found, wanted) { worst = max(worst, abs(a - b)) }
      }
      return worst
    }

    /// What a JPEG loses, and what a format has no bits for.
    private func tolerance(_ frame: Frame) -> Int {
      switch "\(frame.format.pixelFormat)" {
      case "RGB1": 45
      case "Y444": 45
      case "R444", "XR12", "AR12", "RX12", "RA12", "XB12", "AB12", "BX12", "GA12": 18
      case "YUVO", "YUVP": 21
      case "RGBO", "XR15", "AR15", "RX15", "RA15", "XB15", "AB15", "BX15", "BA15", "RGBQ", "XR15-BE",
        "AR15-BE", "RGBP",
        "RGBR", "BGRH":
        12
      default: 8
      }
    }
  }
}
