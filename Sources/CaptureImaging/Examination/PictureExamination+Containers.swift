public import CaptureModel

extension PictureExamination {
  /// Reads a PNG: its signature, its chunks to the end with their checksums, and its header.
  public init(png bytes: UnsafeRawBufferPointer) throws(CaptureError) {
    guard bytes.count >= 8, bytes.prefix(8).elementsEqual([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    else { throw Self.refusal(of: "PNG", "it does not begin as one") }
    func number(_ offset: Int) -> Int {
      (0..<4).reduce(0) { (sum: Int, place: Int) -> Int in (sum << 8) | Int(bytes[offset + place]) }
    }
    var (offset, size): (Int, FrameSize?) = (8, nil)
    var (hasData, hasEnd) = (false, false)
    while !hasEnd {
      guard offset + 12 <= bytes.count else { throw Self.refusal(of: "PNG", "it is truncated") }
      let length = number(offset)
      guard length <= bytes.count - offset - 12 else { throw Self.refusal(of: "PNG", "it is truncated") }
      let body = bytes[(offset + 4)..<(offset + 8 + length)]
      let type = String(decoding: body.prefix(4), as: UTF8.self)
      guard Checksum.crc(body) == UInt32(number(offset + 8 + length)) else {
        throw Self.refusal(of: "PNG", "the checksum of its part \(type.quoted) is wrong")
      }
      switch type {
      case "IHDR" where offset == 8 && length == 13:
        size = FrameSize(width: number(offset + 8), height: number(offset + 12))
      case "IDAT": hasData = true
      case "IEND": hasEnd = true
      default: break
      }
      offset += 12 + length
    }
    guard let size, size.width > 0, size.height > 0 else { throw Self.refusal(of: "PNG", "it has no header") }
    guard hasData else { throw Self.refusal(of: "PNG", "it has no picture") }
    self.init(size: size)
    guard size.width <= Self.mostPixels / max(size.height, 1) else { return }
    try takeThumbnail(ThumbnailSums(png: bytes, of: size))
  }

  private mutating func takeThumbnail(_ sums: ThumbnailSums?) throws(CaptureError) {
    guard let sums else { return }
    (thumbnail, thumbnailSize) = try sums.jpeg()
  }

  /// Reads the beginning of a DNG: a TIFF whose first directory has DNGVersion, and whose pictures lie in the file.
  public init(dng bytes: UnsafeRawBufferPointer) throws(CaptureError) {
    let tiff = TIFFDirectory(bytes)
    guard let tiff else {
      throw Self.refusal(of: "DNG", "it does not begin as a TIFF, or its directory is not whole")
    }
    guard tiff.values(50706) != nil else { throw Self.refusal(of: "DNG", "it has no DNGVersion") }
    let directories = [tiff] + (tiff.values(330) ?? []).compactMap { TIFFDirectory(bytes, at: $0) }
    for directory in directories {
      guard let offsets = directory.values(273), let counts = directory.values(279) else { continue }
      guard offsets.count == counts.count, zip(offsets, counts).allSatisfy({ $0 + $1 <= bytes.count }) else {
        throw Self.refusal(of: "DNG", "it is truncated")
      }
    }
    // The picture is the directory without "reduced resolution" (NewSubfileType, 254).
    let main = directories.first { ($0.values(254)?.first ?? 0) & 1 == 0 } ?? tiff
    guard let width = main.values(256)?.first, let height = main.values(257)?.first, width > 0, height > 0
    else { throw Self.refusal(of: "DNG", "it has no size") }
    self.init(size: FrameSize(width: width, height: height))
    guard size.width <= Self.mostPixels / size.height, let samples = BayerSamples(main, tiff, in: bytes, size)
    else { return }
    try takeThumbnail(ThumbnailSums(samples))
  }

  private init(size: FrameSize) { self.size = size }

  private static func refusal(of type: String, _ reason: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "it is not a complete \(type): \(reason)",
      .init(.contentMismatch, field: "resource.media_type"))
  }
}

/// A directory of a TIFF, of which integers and rationals are read.
struct TIFFDirectory {
  private let bytes: UnsafeRawBufferPointer
  let isLittle: Bool
  private let start: Int
  private let entries: Int

  /// The first directory.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 8 else { return nil }
    let isLittle = bytes[0] == 0x49
    guard bytes[0] == bytes[1], isLittle || bytes[0] == 0x4D,
      Self.number(bytes, 2, 2, isLittle) == 42
    else { return nil }
    self.init(bytes, at: Self.number(bytes, 4, 4, isLittle))
  }

  init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    (self.bytes, isLittle, start) = (bytes, bytes[0] == 0x49, offset)
    guard offset >= 8, offset + 2 <= bytes.count else { return nil }
    entries = Self.number(bytes, offset, 2, isLittle)
    guard offset + 2 + entries * 12 <= bytes.count else { return nil }
  }

  /// The values of a tag of bytes or integers; `nil`: there is no such tag, or it has more than 1,048,576 values, or some of them lie behind the end
  /// of the file.
  func values(_ tag: Int) -> [Int]? {
    for entry in 0..<entries {
      let place = start + 2 + entry * 12
      guard Self.number(bytes, place, 2, isLittle) == tag else { continue }
      let lengths = [1: 1, 3: 2, 4: 4, 13: 4]
      guard let length = lengths[Self.number(bytes, place + 2, 2, isLittle)] else { return nil }
      let count = Self.number(bytes, place + 4, 4, isLittle)
      guard count <= 1 << 20 else { return nil }
      let offset = count * length <= 4 ? place + 8 : Self.number(bytes, place + 8, 4, isLittle)
      guard offset + count * length <= bytes.count else { return nil }
      return (0..<count).map { Self.number(bytes, offset + $0 * length, length, isLittle) }
    }
    return nil
  }

  /// The values of a tag of unsigned rational numbers; `nil`: there is no such tag, or it has more than 64 values, or some of them lie behind the end
  /// of the file.
  func rationals(_ tag: Int) -> [Double]? {
    for entry in 0..<entries {
      let place = start + 2 + entry * 12
      guard Self.number(bytes, place, 2, isLittle) == tag else { continue }
      let count = Self.number(bytes, place + 4, 4, isLittle)
      let offset = Self.number(bytes, place + 8, 4, isLittle)
      guard Self.number(bytes, place + 2, 2, isLittle) == 5, count <= 64, offset + count * 8 <= bytes.count
      else { return nil }
      return (0..<count).map {
        let under = Self.number(bytes, offset + $0 * 8 + 4, 4, isLittle)
        return Double(Self.number(bytes, offset + $0 * 8, 4, isLittle)) / Double(max(under, 1))
      }
    }
    return nil
  }

  private static func number(
    _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ length: Int, _ isLittle: Bool
  ) -> Int {
    (0..<length).reduce(0) { (sum: Int, place: Int) -> Int in
      (sum << 8) | Int(bytes[offset + (isLittle ? length - 1 - place : place)])
    }
  }
}

/// The checksum of a PNG's parts (CRC-32 of ISO 3309).
private enum Checksum {
  private static let table: [UInt32] = (0..<256).map { number in
    var value = UInt32(number)
    for _ in 0..<8 {
      let shifted = value >> 1
      value = value & 1 == 1 ? shifted ^ 0xEDB8_8320 : shifted
    }
    return value
  }

  static func crc(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32 {
    var value: UInt32 = .max
    table.withUnsafeBufferPointer { table in
      for byte in UnsafeRawBufferPointer(rebasing: bytes) {
        let place = Int(UInt8(truncatingIfNeeded: value) ^ byte)
        value = table[place] ^ (value >> 8)
      }
    }
    return ~value
  }
}
