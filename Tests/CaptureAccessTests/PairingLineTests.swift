import CaptureModel
import CaptureTLS
import Testing

@testable import CaptureAccess

@Suite struct PairingLineTests {
  static let line = PairingLine(
    host: "studio", addresses: ["192.168.1.20", "2001:db8::7"], port: 7311, pin: Digest(of: [1, 2, 3]),
    code: Array(0..<16))

  @Test func aLineIsReadAsItWasPrinted() throws {
    #expect(try PairingLine(parsing: Self.line.text) == Self.line)
    #expect(try PairingLine(parsing: "  \(Self.line.text)\r\n") == Self.line)
  }

  @Test func noShellTouchesALine() {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:/"
    #expect(Self.line.text.allSatisfy(plain.contains))
    #expect(
      PairingLine(host: "it's $(me)", addresses: [], port: 1, pin: Digest(of: []), code: []).host == "itsme")
  }

  @Test func aLineThatWasCutIsRefusedWhereverItWasCut() {
    let text = Self.line.text
    for count in 0..<text.count {
      #expect(throws: CaptureError.self) { try PairingLine(parsing: String(text.prefix(count))) }
    }
    for count in 1..<text.count {
      #expect(throws: CaptureError.self) { try PairingLine(parsing: String(text.dropFirst(count))) }
    }
  }

  @Test func aLineThatWasPastedTwiceIsRefused() {
    let text = Self.line.text
    for doubled in [text + text, "\(text) \(text)", "\(text)\n\(text)", text + "/", "x" + text] {
      #expect(throws: CaptureError.self) { try PairingLine(parsing: doubled) }
    }
  }

  @Test(arguments: ["0", "65536", "+7311", "-1", "7311x", ""])
  func aPortThatIsNoneIsRefused(_ port: String) {
    #expect(throws: CaptureError.self) {
      try PairingLine(parsing: Self.line.text.replacing("/7311/", with: "/\(port)/"))
    }
  }

  @Test func anErrorNeverRepeatsTheCode() {
    let code = Self.line.code.hexadecimal
    do {
      _ = try PairingLine(parsing: Self.line.text + "/x")
      Issue.record("it was taken")
    } catch {
      #expect(!"\(error)".contains(code))
    }
  }
}
