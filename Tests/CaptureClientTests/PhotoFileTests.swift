import CaptureModel
import CaptureSystem
import Foundation
import Testing

@testable import CaptureClient

@Suite struct PhotoFileTests {
  private static let photo = CapturedPhoto(
    payload: Payload(copying: [0xFF, 0xD8, 0xFF, 0xD9]),
    info: FrameInfo(
      sequence: 0, timestamp: .init(nanoseconds: 0, clock: .monotonic, source: .endOfFrame),
      pixelFormat: .jpeg,
      size: FrameSize(width: 1, height: 1)))

  private static func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "photos-\(UInt32.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path())
  }

  @Test func aPhotoIsThereAsAWholeAndAlone() throws {
    try Self.inFolder { folder in
      let path = "\(folder)/a.jpg"
      try Data("before".utf8).write(to: URL(filePath: path))
      try Self.photo.write(to: path)
      #expect(try Data(contentsOf: URL(filePath: path)) == Data([0xFF, 0xD8, 0xFF, 0xD9]))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.jpg"])
    }
  }

  @Test func whatCannotBeWrittenSaysWhy() throws {
    let error = #expect(throws: CaptureError.self) { try Self.photo.write(to: "/nowhere/at/all/a.jpg") }
    #expect(error?.code == .notFound && error?.message.contains("/nowhere/at/all/a.jpg") == true)
    let full = #expect(throws: CaptureError.self) { try Self.photo.write(to: "/proc/self/a.jpg") }
    #expect(full?.message.contains("was not written") == true)
  }
}
