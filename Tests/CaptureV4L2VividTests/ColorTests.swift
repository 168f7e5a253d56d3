import CTurboJPEG
import CaptureImaging
import CaptureModel
import CaptureSystem
import CaptureV4L2
import Foundation
import Testing

extension VividTests {
  /// JPEGs of each family of formats have the colours that the driver's colour space, encoding and quantization mean. The reference is the
  /// raw frame converted here in floating point, by what vivid was set to.
  @Suite struct ColorTests {
    /// A JPEG's own error.
    static let tolerance = 6

    /// The items of the control `colorspace`, in its order, each with V4L2's default matrix for it.
    static let spaces: [(ColorSpace, ColorMatrix)] = [
      (.smpte170M, .rec601), (.rec709, .rec709), (.srgb, .rec601), (.opRGB, .rec601), (.rec2020, .rec2020),
      (.dciP3, .rec709), (.smpte240M, .smpte240M), (.bt470M, .rec601), (.bt470BG, .rec601),
    ]
    /// The items of the control `y_cbcr_encoding`, with their numbers: the default, and each other one.
    static let encodings: [(number: Int64, matrix: ColorMatrix?, isLimited: Bool)] = [
      (0, nil, false), (1, .rec601, false), (2, .rec709, false), (3, .rec601, true), (4, .rec709, true),
      (6, .rec2020, false), (7, .rec2020ConstantLuminance, false), (8, .smpte240M, false),
    ]

    /// Formats of Y'CbCr: a packed, a semi-planar and a planar one, and one that is converted first.
    static let chroma = ["YUYV", "NV12", "YU12", "YUV4"]
    /// RGB and luma, as they are and converted first. They have no matrix to convert by.
    static let others = ["RGB3", "GREY", "RG10", "Y16"]
    /// Every format in every combination. Without this all are tried with the default encoding, and with each other one a format of either kind in turn:
    /// each meets every encoding.
    static let isComplete = ProcessInfo.processInfo.environment["CAPTURE_EVERY_COLOR"] != nil

    private struct Combination {
      var space: Int
      var encoding: Int
      var quantization: Int

      var formats: [String] {
        let (chroma, others) = (ColorTests.chroma, ColorTests.others)
        if isComplete || encoding == 0 { return chroma + others }
        let turn = space + 2 * encoding + quantization
        return [chroma[turn % chroma.count], others[turn / 2 % others.count]]
      }
    }

    /// Both cameras at once, each with half of the colour spaces.
    @Test func jpegsAreRight() async throws {
      try await Cameras.with { cameras in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (half, id) in [VividTests.singlePlanar, VividTests.multiPlanar].enumerated() {
            let camera = try #require(cameras[id])
            let spaces = Self.spaces.indices.filter { $0 % 2 == half }
            group.addTask { try await check(spaces, of: camera) }
          }
          try await group.waitForAll()
        }
      }
    }

    private func check(_ spaces: [Int], of camera: any Camera) async throws {
      // No text over the bars, which stand still.
      try await camera.set(["osd_text_mode": .integer(2)])
      let listed = try await camera.controls()
      let controls = try ["colorspace", "y_cbcr_encoding", "quantization"].map { name in
        try #require(listed.first { $0.name == name }).id
      }
      let begun = ContinuousClock.now
      var (worst, count) = (0, 0)
      let combinations = spaces.flatMap { space in
        Self.encodings.indices.flatMap { encoding in
          (0...2).map { Combination(space: space, encoding: encoding, quantization: $0) }
        }
      }
      for combination in combinations {
        let values = [
          Int64(combination.space), Self.encodings[combination.encoding].number,
          Int64(combination.quantization),
        ]
        try await camera.set(zip(controls, values).map { ControlAssignment($0, .integer($1)) })
        for code in combination.formats {
          let frame = try await frame(code, of: camera)
          let wanted = meaning(code, combination)
          #expect(frame.format.color.space == Self.spaces[combination.space].0)
          #expect(frame.format.matrix == wanted.matrix, "\(code), \(combination)")
          #expect(frame.format.isFullRange == wanted.isFullRange, "\(code), \(combination)")
          let error = try difference(frame, wanted)
          #expect(error <= Self.tolerance, "\(code), \(combination)")
          (worst, count) = (max(worst, error), count + 1)
        }
      }
      print("colours: \(count) pictures, at most \(worst) off, \(ContinuousClock.now - begun)")
      try await camera.set([
        "colorspace": .integer(2), "y_cbcr_encoding": .integer(0), "quantization": .integer(0),
        "osd_text_mode": .integer(0),
      ])
    }

    private func meaning(_ code: String, _ combination: Combination)
      -> (matrix: ColorMatrix, isFullRange: Bool)
    {
      let told = Self.encodings[combination.encoding]
      let isYUV = Self.chroma.contains(code)
      let isFull = combination.quantization == 1 || combination.quantization == 0 && !isYUV
      if ["RGB3", "RG10"].contains(code) { return (.identity, isFull) }
      return (told.matrix ?? Self.spaces[combination.space].1, isFull && !told.isLimited)
    }

    private func frame(_ code: String, of camera: any Camera) async throws -> Frame {
      let recorder = Recorder(keeping: 1)
      let request = StreamRequest(
        pixelFormat: PixelFormat(code)!, size: small, interval: FrameInterval(rate: 60))
      _ = try await camera.startStreaming(request, into: recorder)
      try await recorder.frames(1)
      let frame = recorder.record.kept[0]
      let kept = Frame(
        payload: Payload(copying: frame.payload.bytes), format: frame.format, sequence: frame.sequence,
        timestamp: frame.timestamp)
      recorder.release()
      await camera.stopStreaming()
      return kept
    }

    /// The largest difference between the JPEG and the raw frame, in the middle of each bar.
    private func difference(_ frame: Frame, _ meaning: (matrix: ColorMatrix, isFullRange: Bool)) throws -> Int
    {
      let jpeg = try JPEGEncoder().encode(frame, quality: 92, into: PayloadPool()).bytes
      let size = frame.format.size
      var pixels = [UInt8](repeating: 0, count: size.area * 3)
      let decoder = tjInitDecompress()
      defer { tjDestroy(decoder) }
      try #require(
        tjDecompress2(
          decoder, jpeg, UInt(jpeg.count), &pixels, Int32(size.width), 0, Int32(size.height),
          TJPF_RGB.rawValue, 0) == 0)
      let bytes = frame.payload.bytes
      var worst = 0
      for bar in 0..<8 {
        let (x, y) = ((2 * bar + 1) * size.width / 16, size.height / 2)
        let wanted = Reference(frame.format, bytes, meaning.matrix, meaning.isFullRange).rgb(x, y)
        for channel in 0..<3 {
          worst = max(
            worst, abs(Int(pixels[3 * (y * size.width + x) + channel]) - Int(wanted[channel].rounded())))
        }
      }
      return worst
    }
  }
}

/// A raw frame's colours, 0…255, in floating point.
private struct Reference {
  let format: StreamFormat
  let bytes: [UInt8]
  let matrix: ColorMatrix
  let isFullRange: Bool

  init(_ format: StreamFormat, _ bytes: [UInt8], _ matrix: ColorMatrix, _ isFullRange: Bool) {
    (self.format, self.bytes, self.matrix, self.isFullRange) = (format, bytes, matrix, isFullRange)
  }

  func rgb(_ x: Int, _ y: Int) -> [Double] {
    let stride = format.planes[0].stride
    let chroma = stride * format.size.height
    switch format.pixelFormat.description {
    case "RGB3": return (0..<3).map { level(bytes[y * stride + 3 * x + $0]) }
    case "GREY": return [Double](repeating: level(bytes[y * stride + x]), count: 3)
    case "Y16": return [Double](repeating: level(bytes[y * stride + 2 * x + 1]), count: 3)
    case "RG10":
      let (left, top) = (x & ~1, y & ~1)
      return [(0, 0), (1, 0), (1, 1)].map { level(tenBits(top + $0.1, left + $0.0)) }
    case "YUV4":
      let pixel = y * stride + 4 * x
      return rgb(bytes[pixel + 1], bytes[pixel + 2], bytes[pixel + 3])
    case "YUYV":
      let pair = y * stride + x / 2 * 4
      return rgb(bytes[pair + x % 2 * 2], bytes[pair + 1], bytes[pair + 3])
    case "NV12":
      let pair = chroma + y / 2 * stride + x / 2 * 2
      return rgb(bytes[y * stride + x], bytes[pair], bytes[pair + 1])
    default:
      let place = chroma + y / 2 * (stride / 2) + x / 2
      return rgb(bytes[y * stride + x], bytes[place], bytes[place + stride / 2 * format.size.height / 2])
    }
  }

  /// The upper 8 of 10 bits, with what is below them as a fraction.
  private func tenBits(_ y: Int, _ x: Int) -> Double {
    let place = y * format.planes[0].stride + 2 * x
    return Double(UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place])) / 4
  }

  private func level(_ sample: UInt8) -> Double { level(Double(sample)) }

  private func level(_ sample: Double) -> Double {
    limited(isFullRange ? sample : (sample - 16) * 255 / 219)
  }

  private func rgb(_ y: UInt8, _ u: UInt8, _ v: UInt8) -> [Double] {
    let luma = isFullRange ? Double(y) : (Double(y) - 16) * 255 / 219
    let scale = isFullRange ? 1 : 255.0 / 224
    let (cb, cr) = ((Double(u) - 128) * scale, (Double(v) - 128) * scale)
    let (kr, kb) =
      switch matrix {
      case .rec601, .identity: (0.299, 0.114)
      case .rec709: (0.2126, 0.0722)
      case .rec2020, .rec2020ConstantLuminance: (0.2627, 0.0593)
      case .smpte240M: (0.212, 0.087)
      }
    let red: Double, green: Double, blue: Double
    if matrix == .rec2020ConstantLuminance {
      red = luma + cr * (cr <= 0 ? 1.7184 : 0.9936)
      blue = luma + cb * (cb <= 0 ? 1.9404 : 1.5816)
      let light = (light(luma) - kr * light(red) - kb * light(blue)) / (1 - kr - kb)
      green = light < 0.0181 ? 4.5 * light * 255 : (1.0993 * pow(light, 0.45) - 0.0993) * 255
    } else {
      red = luma + (2 - 2 * kr) * cr
      blue = luma + (2 - 2 * kb) * cb
      green = (luma - kr * red - kb * blue) / (1 - kr - kb)
    }
    return [limited(red), limited(green), limited(blue)]
  }

  private func light(_ value: Double) -> Double {
    let value = limited(value) / 255
    return value < 0.0812 ? value / 4.5 : pow((value + 0.0993) / 1.0993, 1 / 0.45)
  }

  private func limited(_ value: Double) -> Double { min(max(value, 0), 255) }
}
