import CaptureModel
import CaptureSystem

/// A file with the EDID for a capture card's inputs: blocks of 128 bytes, in the form that `edid-decode` reads.
public enum EDIDFile {
  private static let block = 128
  /// The most blocks that V4L2 takes.
  private static let mostBlocks = 256

  /// The bytes of the file. Throws `invalidArgument`, with the reason, for an invalid EDID.
  public static func bytes(of path: String) throws(CaptureError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try SmallFile.bytes(of: path, upTo: block * mostBlocks + 1)
    } catch {
      throw CaptureError(.invalidArgument, "the EDID \(path) cannot be read: \(error)", cause: error)
    }
    guard !bytes.isEmpty, bytes.count % block == 0, bytes.count <= block * mostBlocks else {
      throw CaptureError(
        .invalidArgument,
        "\(path) is not an EDID: it has \(bytes.count) bytes; an EDID has 1 to \(mostBlocks) blocks of \(block)"
      )
    }
    guard bytes.starts(with: [0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0]) else {
      throw CaptureError(
        .invalidArgument, "\(path) is not an EDID: an EDID begins with the bytes 00 ff ff ff ff ff ff 00")
    }
    for start in stride(from: 0, to: bytes.count, by: block)
    where bytes[start..<start + block].reduce(0, &+) != 0 {
      throw CaptureError(
        .invalidArgument, "\(path) is not an EDID: the checksum of its block \(start / block) is wrong")
    }
    return bytes
  }
}
