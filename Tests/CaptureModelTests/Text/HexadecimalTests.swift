import CaptureModel
import Testing

@Suite struct HexadecimalTests {
  @Test func bytesAreReadAsTheyAreWritten() {
    let bytes: [UInt8] = [0, 0x0A, 0xF9, 0xFF]
    #expect(bytes.hexDigits == "000af9ff" && bytes.hexDigits.bytesOfHex == bytes)
    #expect("0aF9".bytesOfHex == [0x0A, 0xF9] && "".bytesOfHex == [])
  }

  /// Neither a sign nor a digit of another script is one.
  @Test(arguments: ["+a", "-0", "0", "0g", " 0", "\u{FF10}0"])
  func otherTextsAreNotHexadecimal(text: String) {
    #expect(text.bytesOfHex == nil)
  }
}
