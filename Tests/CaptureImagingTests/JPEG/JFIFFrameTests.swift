import CTurboJPEG
import CYUV
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

/// What has JFIF's matrix and range already goes into a JPEG as it is: no byte differs from what libyuv and libjpeg-turbo make of it by themselves.
struct JFIFFrameTests {
  static let size = FrameSize(width: 320, height: 48)
  static let quality = 80

  let encoder = JPEGEncoder()
  let pool = PayloadPool()

  @Test(arguments: [
    "YUYV", "YVYU", "UYVY", "VYUY", "NV12", "NV21", "NV16", "NV61", "NV24", "YU12", "YV12", "422P", "GREY",
  ])
  func planesAreThoseOfTheLibraries(code: String) throws {
    let frame = noise(code)
    let jpeg = try encoder.encode(frame, quality: Self.quality, into: pool)
    // The bytes themselves would be a message of many pages.
    let isSame = jpeg.bytes == LibraryJPEG(frame).compressed(quality: Self.quality)
    #expect(isSame, "\(code)")
  }

  @Test(arguments: ["RGB3", "BGR3", "XR24", "BX24", "XB24", "RX24"])
  func pixelsAreThoseOfTheLibraries(code: String) throws {
    let orders = [
      "RGB3": TJPF_RGB, "BGR3": TJPF_BGR, "XR24": TJPF_BGRX, "BX24": TJPF_XRGB, "XB24": TJPF_RGBX,
      "RX24": TJPF_XBGR,
    ]
    let frame = noise(code)
    let jpeg = try encoder.encode(frame, quality: Self.quality, into: pool)
    let isSame =
      jpeg.bytes == LibraryJPEG.compressed(frame, try #require(orders[code]), quality: Self.quality)
    #expect(isSame, "\(code)")
  }

  /// Whatever a driver says of its JPEGs' colours.
  @Test(arguments: [ColorMatrix.rec601, .rec709, .rec2020ConstantLuminance], [true, false])
  func aCamerasJPEGIsMadeSmallerByTheLibrariesAlone(matrix: ColorMatrix, isFullRange: Bool) throws {
    let original = try encoder.encode(noise("YUYV"), quality: 95, into: pool)
    let format = StreamFormat(
      pixelFormat: .mjpeg, size: Self.size, interval: nil, planes: [],
      color: ColorDescription(matrix: matrix, isFullRange: isFullRange))
    let frame = Frame(
      payload: original, format: format, sequence: 0, timestamp: jpegFrame(original, Self.size).timestamp)
    let jpeg = try encoder.encode(frame, quality: Self.quality, into: pool)
    let isSame = jpeg.bytes == LibraryJPEG(jpeg: original, Self.size).compressed(quality: Self.quality)
    #expect(isSame)
  }

  /// The frame's own memory goes to libjpeg-turbo.
  @Test func noPassIsMadeOverPlanesThatAreRightAlready() throws {
    for code in ["YU12", "NV12", "GREY"] {
      let frame = noise(code)
      let (bytes, unpacker) = (try FrameBytes(frame), Unpacker())
      let picture =
        switch code {
        case "YU12": try unpacker.planar(bytes, .s420, uFirst: true)
        case "NV12": try unpacker.semiplanar(bytes, .s420, uFirst: true)
        default: try unpacker.grey(bytes)
        }
      let converted = MatrixConverter().convert(picture)
      #expect(UnsafeRawPointer(converted.luma.base) == frame.payload.segments[0].baseAddress, "\(code)")
      #expect(converted.chroma?.u.base == picture.chroma?.u.base, "\(code)")
      let (width, height) = (Self.size.width, Self.size.height)
      let sampled = converted.luma.resampled(
        width: width, height: height, padded: (width, height), from: nil, in: Scratch())
      #expect(sampled.base == converted.luma.base, "\(code)")
    }
  }

  /// A frame of chance: whatever a pass would do to it shows.
  private func noise(_ code: String) -> Frame {
    let bars = ColorBars(size: Self.size, isFullRange: true).frame(code)
    var state: UInt32 = 1
    let bytes = (0..<bars.payload.count).map { _ -> UInt8 in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
    return Frame(
      payload: Payload(copying: bytes), format: bars.format, sequence: 0, timestamp: bars.timestamp)
  }
}
