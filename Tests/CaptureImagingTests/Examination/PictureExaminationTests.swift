import CaptureImaging
import CaptureModel
import CaptureSystem
import Testing

@Suite struct PictureExaminationTests {
  private func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] {
    let bitmap = Bitmap(width: width, height: height)
    bitmap.fill(0xFF20_80C0)
    return try JPEGEncoder().encode(bitmap, quality: 80, into: PayloadPool()).bytes
  }

  private func reason(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? CaptureError).map { "\($0.code): \($0.message)" }
    }
  }

  @Test(arguments: [(640, 480), (100, 40), (1920, 1080), (8, 2000)])
  func aJPEGHasASizeAndAThumbnail(_ width: Int, _ height: Int) throws {
    let picture = try jpeg(width, height).withUnsafeBytes { try PictureExamination(jpeg: $0) }
    #expect(picture.size == FrameSize(width: width, height: height))
    #expect(max(picture.thumbnailSize.width, picture.thumbnailSize.height) == min(160, max(width, height)))
    let small = try picture.thumbnail.withUnsafeBytes { try Bitmap.decoding($0) }
    #expect(small.width == picture.thumbnailSize.width && small.height == picture.thumbnailSize.height)
    let pixel = small[small.width / 2, small.height / 2]
    #expect(abs(Int(pixel >> 8 & 255) - 0x80) < 8, "its colour is that of the picture")
  }

  @Test func aDamagedJPEGIsRefused() throws {
    let whole = try jpeg(640, 480)
    let damaged: [[UInt8]] = [
      [], Array("text".utf8), Array(whole.prefix(whole.count / 2)), [0xFF, 0xD8, 0xFF, 0xD9],
      Array(whole.dropLast(2)),
    ]
    for bytes in damaged {
      #expect(reason { _ = try bytes.withUnsafeBytes { try PictureExamination(jpeg: $0) } } != nil)
    }
  }

  @Test func aPNGIsReadToItsEnd() throws {
    // 1x1, black.
    var png: [UInt8] = [
      0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0,
      0, 1,
      8, 0, 0, 0, 0, 0x3A, 0x7E, 0x9B, 0x55, 0, 0, 0, 10, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0x60, 0,
      0, 0,
      2, 0, 1, 0x48, 0xAF, 0xA4, 0x71, 0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]
    let size = try png.withUnsafeBytes { try PictureExamination(png: $0).size }
    #expect(size == FrameSize(width: 1, height: 1))
    #expect(
      reason { _ = try png.dropLast(3).withUnsafeBytes { try PictureExamination(png: $0) } }?.contains(
        "truncated") == true)
    png[45] ^= 1
    #expect(
      reason { _ = try png.withUnsafeBytes { try PictureExamination(png: $0) } }?.contains("checksum") == true
    )
  }

  @Test func aPNGHasAThumbnail() throws {
    let (width, height) = (400, 300)
    // Red on the left, blue on the right.
    let pixels = (0..<width * height).flatMap {
      $0 % width < width / 2 ? [200, 30, 40] : [20, 60, 220] as [UInt8]
    }
    var description = PictureDescription.sample(FrameSettings())
    (description.size, description.pixelFormat) = (FrameSize(width: width, height: height), .rgb3)
    let planes = [PlaneLayout(stride: width * 3, bytes: width * height * 3)]
    let png = try PNGFile.write(
      RawPicture(payload: Payload(copying: pixels), planes: planes), of: description, metadata: nil,
      software: "test", into: PayloadPool()
    ).bytes
    let picture = try png.withUnsafeBytes { try PictureExamination(png: $0) }
    #expect(picture.size == description.size && picture.thumbnailSize == FrameSize(width: 160, height: 120))
    let small = try picture.thumbnail.withUnsafeBytes { try Bitmap.decoding($0) }
    for (x, expected) in [(20, [200, 30, 40]), (140, [20, 60, 220])] {
      let pixel = small[x, 60]
      let found = [16, 8, 0].map { Int(pixel >> $0 & 255) }
      #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 12 }, "\(found), not \(expected)")
    }
  }

  @Test(arguments: [8, 16])
  func aDNGHasAThumbnail(bits: Int) throws {
    let size = FrameSize(width: 320, height: 240)
    // A sensor that sees white as half as red as green; its black is an eighth of its white. The right half is black.
    let bytes = (0..<size.area).flatMap { place -> [UInt8] in
      let (x, y) = (place % size.width, place / size.width)
      let isRed = x % 2 == 0 && y % 2 == 0
      let value = x >= size.width / 2 ? 32 : isRed ? 32 + 100 : 32 + 200
      return bits == 8 ? [UInt8(value)] : [0, UInt8(value)]
    }
    let format = StreamFormat(
      pixelFormat: try #require(PixelFormat(bits == 8 ? "RGGB" : "RG16")), size: size, interval: nil,
      planes: [PlaneLayout(stride: size.width * bits / 8, bytes: bytes.count)])
    let frame = Frame(
      payload: Payload(copying: bytes), format: format, sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
    var sensor = SensorCalibration()
    (sensor.blackLevel, sensor.neutral) = (32 << (bits - 8), [0.5, 1, 1])
    let dng = try DNGFile.write(
      frame, of: PictureDescription(frame), metadata: nil, model: "test", sensor: sensor, software: "test",
      into: PayloadPool()
    ).bytes
    let picture = try dng.withUnsafeBytes { try PictureExamination(dng: $0) }
    #expect(picture.size == size && picture.thumbnailSize == FrameSize(width: 160, height: 120))
    let small = try picture.thumbnail.withUnsafeBytes { try Bitmap.decoding($0) }
    let (light, dark) = (small[40, 60], small[120, 60])
    let colors = [16, 8, 0].map { Int(light >> $0 & 255) }
    #expect(colors.allSatisfy { 215...245 ~= $0 }, "\(colors) is no light grey")
    #expect([16, 8, 0].allSatisfy { Int(dark >> $0 & 255) < 12 })
  }

  @Test func aDNGHasItsTagsAndItsPicture() throws {
    func entry(_ tag: UInt16, _ type: UInt16, _ count: UInt32, _ value: UInt32) -> [UInt8] {
      bytes(of: tag) + bytes(of: type) + bytes(of: count) + bytes(of: value)
    }
    func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
      withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
    func dng(_ entries: [[UInt8]]) -> [UInt8] {
      let header: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, UInt8(entries.count), 0]
      let rest: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 4]
      return header + entries.flatMap(\.self) + rest
    }
    let strip: UInt32 = 8 + 2 + 5 * 12 + 4
    let entries = [
      entry(256, 4, 1, 2), entry(257, 3, 1, 2), entry(273, 4, 1, strip), entry(279, 4, 1, 4),
      entry(50706, 1, 4, 0x0000_0401),
    ]
    let size = try dng(entries).withUnsafeBytes { try PictureExamination(dng: $0).size }
    #expect(size == FrameSize(width: 2, height: 2))
    let whole = dng(entries)
    let broken: [[UInt8]] = [
      Array(whole.dropLast()), dng(Array(entries.dropLast())), Array(whole.prefix(30)), [0x49, 0x49],
    ]
    for bytes in broken {
      #expect(reason { _ = try bytes.withUnsafeBytes { try PictureExamination(dng: $0) } } != nil)
    }
  }
}
