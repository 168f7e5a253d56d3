import CaptureModel
import CaptureSystem

/// Writes EXIF and XMP into a JPEG, without decoding it: everything else stays as it is, byte for byte.
public enum JPEGMetadata {
  /// Returns the JPEG with that EXIF and XMP in place of its own; `nil`: it does not begin as a JPEG. Other segments are kept, and so is whatever follows the
  /// headers. `thumbnail`: a small JPEG for the EXIF. `software`: the program and its version.
  public static func writing(
    _ metadata: PhotoMetadata, of picture: PictureDescription, thumbnail: [UInt8]? = nil, software: String,
    into jpeg: Payload, pool: PayloadPool
  ) -> Payload? {
    jpeg.withContiguousBytes { bytes in
      let isGrey = places(in: bytes).components == 1
      var block = EXIFBlock(metadata, picture, software: software, in: .jpeg(isGrey: isGrey))
      block.thumbnail = thumbnail
      let exif = block.bytes
      let xmp = XMPPacket(metadata, picture, bootID: MonotonicClock.bootID).bytes
      return replacing(metadataOf: bytes, with: segment(exifName, exif) + segment(xmpName, xmp), pool)
    }
  }

  /// Returns the JPEG without its EXIF and XMP, and with `segments` behind the APP0 segments at its beginning, such as JFIF's; `nil`: it does not
  /// begin as a JPEG.
  package static func replacing(
    metadataOf jpeg: UnsafeRawBufferPointer, with segments: [UInt8], _ pool: PayloadPool
  ) -> Payload? {
    guard jpeg.count >= 4, jpeg[0] == 0xFF, jpeg[1] == 0xD8 else { return nil }
    let (place, own, _) = places(in: jpeg)
    let buffer = pool.take(jpeg.count + segments.count)
    var rest = buffer.bytes[...]
    rest = rest.filled(with: jpeg[..<place]).filled(with: segments)
    var next = place
    for range in own {
      rest = rest.filled(with: jpeg[next..<range.lowerBound])
      next = range.upperBound
    }
    rest = rest.filled(with: jpeg[next...])
    let count = rest.startIndex
    return buffer.finish(count: count)
  }

  /// The place for new metadata; the ranges of the JPEG's own metadata, all behind that place; and the number of components in its frame header (0:
  /// it has none).
  private static func places(
    in jpeg: UnsafeRawBufferPointer
  ) -> (new: Int, own: [Range<Int>], components: Int) {
    var (place, own, components, offset) = (2, [Range<Int>](), 0, 2)
    while offset + 4 <= jpeg.count, jpeg[offset] == 0xFF {
      let marker = jpeg[offset + 1]
      if marker == 0xFF {  // A fill byte.
        offset += 1
        continue
      }
      let length = Int(jpeg[offset + 2]) << 8 | Int(jpeg[offset + 3])
      let end = offset + 2 + length
      guard marker != startOfScan, length >= 2, end <= jpeg.count else { break }
      if marker == 0xE0, offset == place { place = end }
      if frameHeaders.contains(marker), length >= 8 { components = Int(jpeg[offset + 9]) }
      let content = jpeg[offset + 4..<end]
      if marker == 0xE1, names.contains(where: { content.starts(with: $0) }) { own.append(offset..<end) }
      offset = end
    }
    return (place, own, components)
  }

  private static let startOfScan: UInt8 = 0xDA
  /// SOF0 to SOF2: the frame headers in JPEGs that cameras or the node make.
  private static let frameHeaders: ClosedRange<UInt8> = 0xC0...0xC2
  private static let exifName = Array("Exif\0\0".utf8)
  private static let xmpName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  /// How APP1 segments of EXIF, of XMP and of XMP's continuation begin. Other APP1 segments, such as those of thermal cameras, are kept.
  private static let names = [exifName, xmpName, Array("http://ns.adobe.com/xmp/extension/\0".utf8)]

  /// An APP1 segment; empty if the content is too long for one.
  private static func segment(_ name: [UInt8], _ content: [UInt8]) -> [UInt8] {
    let length = 2 + name.count + content.count
    guard length <= 0xFFFF else { return [] }
    return [0xFF, 0xE1] + UInt16(length).bigEndianBytes + name + content
  }
}

extension Slice<UnsafeMutableRawBufferPointer> {
  /// Copies the bytes to the beginning of the slice. Returns the rest of the slice.
  fileprivate func filled(with bytes: some Collection<UInt8>) -> Self {
    UnsafeMutableRawBufferPointer(rebasing: self).copyBytes(from: bytes)
    return dropFirst(bytes.count)
  }
}
