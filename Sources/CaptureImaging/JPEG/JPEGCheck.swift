import CaptureModel

/// Checks the markers of a camera's JPEG without decoding it. USB webcams send truncated and corrupt pictures like good ones, without a flag.
///
/// A picture without Huffman tables (DHT) passes: webcams leave out the standard tables, and decoders (libjpeg-turbo, FFmpeg, browsers) assume them.
public enum JPEGCheck: Hashable, Sendable {
  /// The picture is whole, according to its markers. It is the first `count` bytes; the driver's padding of zeros follows.
  case whole(count: Int)
  /// The reason is for a person.
  case damaged(reason: String)

  /// Looks for a baseline picture of `size` (according to its SOF0) that begins with SOI, reaches its scan and ends with EOI.
  public init(_ bytes: UnsafeRawBufferPointer, size: FrameSize) {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == Marker.startOfImage else {
      self = .damaged(reason: "does not begin as a JPEG")
      return
    }
    if let reason = Self.fault(inHeadersOf: bytes, size: size) {
      self = .damaged(reason: reason)
      return
    }
    var count = bytes.count
    while count > 4, bytes[count - 1] == 0 { count -= 1 }
    guard bytes[count - 2] == 0xFF, bytes[count - 1] == Marker.endOfImage else {
      self = .damaged(reason: "truncated: no end of image")
      return
    }
    self = .whole(count: count)
  }

  private enum Marker {
    static let baselineFrame: UInt8 = 0xC0
    static let huffmanTables: UInt8 = 0xC4
    static let arithmeticTables: UInt8 = 0xCC
    static let startOfImage: UInt8 = 0xD8
    static let endOfImage: UInt8 = 0xD9
    static let startOfScan: UInt8 = 0xDA
    /// Markers of frame headers. The range includes two markers of tables, and 0xC8, which nothing uses.
    static let frames: ClosedRange<UInt8> = 0xC0...0xCF
  }

  /// Walks the segments from SOI to SOS. `nil`: it found no fault.
  private static func fault(inHeadersOf bytes: UnsafeRawBufferPointer, size: FrameSize) -> String? {
    var offset = 2
    var hasFrame = false
    while offset + 4 <= bytes.count {
      guard bytes[offset] == 0xFF else { return "no marker where one must be" }
      let marker = bytes[offset + 1]
      if marker == 0xFF {  // A fill byte.
        offset += 1
        continue
      }
      if marker == Marker.startOfScan { return hasFrame ? nil : "a scan before the frame header" }
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      guard length >= 2, offset + 2 + length <= bytes.count else { return "truncated in its headers" }
      if marker == Marker.baselineFrame {
        guard !hasFrame else { return "two frame headers" }
        guard length >= 8 else { return "a short frame header" }
        if bytes[offset + 4] != 8 { return "\(bytes[offset + 4]) bits a sample" }
        let height = Int(bytes[offset + 5]) << 8 | Int(bytes[offset + 6])
        let width = Int(bytes[offset + 7]) << 8 | Int(bytes[offset + 8])
        if size != FrameSize(width: width, height: height) { return "is \(width)x\(height), not \(size)" }
        hasFrame = true
      } else if Marker.frames.contains(marker), marker != Marker.huffmanTables,
        marker != Marker.arithmeticTables
      {
        return "not a baseline JPEG"
      }
      offset += 2 + length
    }
    return "truncated in its headers"
  }
}
