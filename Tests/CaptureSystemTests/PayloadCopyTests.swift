import Testing

@testable import CaptureSystem

@Suite struct PayloadCopyTests {
  /// Lengths around those at which the copy goes another way, from places with any alignment.
  @Test(arguments: [0, 1, 63, 4_095, 4_096, 4_097, 4_159, 10_000, 300_001])
  func aCopyHasEveryByte(of length: Int) {
    let bytes = (0..<length + 64).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    for offset in [0, 1, 15, 16, 63] {
      let part = bytes[offset..<offset + length]
      let copy = part.withUnsafeBytes { bytes in
        Payload(lending: bytes) {}.copy(into: PayloadPool())
      }
      #expect(copy.bytes == Array(part), "from place \(offset)")
    }
  }

  @Test func aCopyOfSeveralPiecesHasThemInOrder() {
    let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
    let copy = bytes.withUnsafeBytes { bytes in
      let pieces = [bytes[..<1], bytes[1..<9_001], bytes[9_001..<9_001], bytes[9_001...]]
      return Payload(lending: pieces.map { UnsafeRawBufferPointer(rebasing: $0) }) {}
        .copy(into: PayloadPool())
    }
    #expect(copy.bytes == bytes)
  }

  @Test(arguments: [0..<0, 0..<1, 0..<20, 3..<7, 4..<15, 9..<9, 19..<20])
  func aPartOfSeveralPiecesIsCopied(of part: Range<Int>) {
    let bytes = (0..<20).map { UInt8($0) }
    let copy = bytes.withUnsafeBytes { bytes in
      let pieces = [bytes[..<5], bytes[5..<5], bytes[5..<14], bytes[14...]]
      return Payload(lending: pieces.map { UnsafeRawBufferPointer(rebasing: $0) }) {}
        .copy(offset: part.lowerBound, count: part.count)
    }
    #expect(copy.bytes == Array(bytes[part]))
  }
}
