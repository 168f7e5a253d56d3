import CaptureSystem
import Testing

@Suite struct SHA256Tests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// FIPS 180-2, appendix B.
  @Test func theChecksumIsThatOfTheStandard() {
    #expect(
      hex(SHA256.of(Payload(copying: Array("abc".utf8))))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      hex(SHA256.of(.empty)) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func piecesMakeTheWhole() {
    let text = Array("a picture in pieces".utf8)
    let hash = SHA256()
    for start in stride(from: 0, to: text.count, by: 7) {
      hash.update(Payload(copying: text[start..<min(start + 7, text.count)]))
    }
    #expect(hash.finish() == SHA256.of(Payload(copying: text)))
  }
}
