import CaptureModel
import Foundation
import Testing

@testable import CaptureNode

@Suite struct EDIDFileTests {
  private static let edid: [UInt8] = {
    var bytes = [UInt8](repeating: 0, count: 128)
    bytes.replaceSubrange(0..<8, with: [0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0])
    bytes[127] = 0 &- bytes.reduce(0, &+)
    return bytes
  }()

  private func read(_ bytes: [UInt8]) throws -> [UInt8] {
    let file = FileManager.default.temporaryDirectory.appending(path: "edid-\(UUID())")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try EDIDFile.bytes(of: file.path)
  }

  @Test func anEDIDIsReadWhole() throws {
    let two = Self.edid + [UInt8](repeating: 0, count: 128)
    #expect(try read(Self.edid) == Self.edid)
    #expect(try read(two) == two)
  }

  @Test func whatIsNoneIsRefusedSayingWhy() {
    var (damaged, other) = (Self.edid, Self.edid)
    damaged[20] = 1
    other[1] = 0
    for (bytes, reason) in [
      ([], "it has 0 bytes"), (Array(Self.edid.dropLast()), "it has 127 bytes"),
      (damaged, "the checksum of its block 0 is wrong"), (other, "begins with"),
    ] {
      #expect {
        _ = try read(bytes)
      } throws: {
        ($0 as? CaptureError)?.code == .invalidArgument && "\($0)".contains(reason)
      }
    }
    #expect(throws: CaptureError.self) { try EDIDFile.bytes(of: "/no/such/edid") }
  }
}
