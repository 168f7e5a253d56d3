import CaptureSystem
import Foundation
import Testing

@testable import capturectl

/// What stands in a directory while and after pictures are written.
@Suite final class PictureWriterTests {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "pictures-\(UUID())")

  init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: directory) }

  private func path(_ name: String) -> String { directory.appending(path: name).path }
  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
  }
  private func text(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }
  private func picture(_ text: String) -> Payload { Payload(copying: Array(text.utf8)) }

  @Test func aFileAppearsUnderItsNameOnlyWhenWhole() async throws {
    let writer = PictureWriter(.file(path("out")))
    try await writer.open()
    try await writer.write(picture("one"))
    #expect(!names.contains("out"))
    try await writer.write(picture("two"))
    try await writer.finish()
    #expect(names == ["out"])
    #expect(text("out") == "onetwo")
  }

  @Test func nothingIsLeftOfAFileThatWasGivenUp() async throws {
    try "before".write(toFile: path("out"), atomically: false, encoding: .utf8)
    let writer = PictureWriter(.file(path("out")))
    try await writer.open()
    try await writer.write(picture("half"))
    await writer.discard()
    #expect(names == ["out"])
    #expect(text("out") == "before")
  }

  @Test func aFolderThatIsNotThereIsToldBeforeTheFirstPicture() async {
    let writer = PictureWriter(.numbered(prefix: path("none/f"), digits: 2, suffix: ".jpg"))
    let failure = await #expect(throws: Failure.self) { try await writer.open() }
    #expect(failure.map { "\($0)" }?.contains("none/f01.jpg': No such file or directory") == true)
    #expect(names == [])
  }

  @Test func aFileSystemWithoutNamelessFilesSeesATemporaryName() throws {
    var file = try OutputFile(path: path("out"), namelessly: false)
    try file.write(picture("one"))
    #expect(names == [".out.\(getpid()).part"])
    try file.finish(durably: false)
    #expect(names == ["out"])
    file = try OutputFile(path: path("out"), namelessly: false)
    #expect(names.count == 2)
    try file.finish(durably: false)
    _ = try OutputFile(path: path("other"), namelessly: false)
    #expect(names == ["out"])
  }

  @Test func aReplacedFileKeepsItsModeAndALinkStaysALink() async throws {
    try "before".write(toFile: path("real"), atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path("real"))
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: "real")
    let writer = PictureWriter(.file(path("link")))
    try await writer.open()
    try await writer.write(picture("after"))
    try await writer.finish()
    #expect(text("real") == "after")
    #expect(names == ["link", "real"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("link")) == "real")
    let mode = try FileManager.default.attributesOfItem(atPath: path("real"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func numberedPicturesHaveFilesOfTheirOwn() async throws {
    let writer = PictureWriter(.numbered(prefix: path("f"), digits: 3, suffix: ".jpg"))
    try await writer.open()
    for word in ["a", "b"] { try await writer.write(picture(word)) }
    try await writer.finish()
    #expect(names == ["f001.jpg", "f002.jpg"])
    #expect(text("f002.jpg") == "b")
  }

  @Test func piecesOfAPictureAreWrittenInOrder() async throws {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 200_000, alignment: 1)
    for index in memory.indices { memory[index] = UInt8(truncatingIfNeeded: index) }
    let bytes = Array(memory)
    let pieces = UnsafeRawBufferPointer(memory)
    nonisolated(unsafe) let base = memory
    let payload = Payload(
      lending: [
        UnsafeRawBufferPointer(rebasing: pieces[..<7]), UnsafeRawBufferPointer(rebasing: pieces[7..<7]),
        UnsafeRawBufferPointer(rebasing: pieces[7...]),
      ]
    ) { base.deallocate() }
    let writer = PictureWriter(.file(path("out")))
    try await writer.open()
    try await writer.write(payload)
    try await writer.finish()
    #expect(try Array(Data(contentsOf: directory.appending(path: "out"))) == bytes)
  }

  @Test func aFullDeviceIsAnErrorThatNamesIt() async throws {
    let writer = PictureWriter(.file("/dev/full"))
    try await writer.open()
    let failure = await #expect(throws: Failure.self) { try await writer.write(self.picture("x")) }
    #expect(failure?.description == "cannot write '/dev/full': No space left on device")
  }

  @Test(arguments: ["missing/out", "."])
  func aPlaceThatCannotBeWrittenIsKnownBeforeTheFirstPicture(name: String) async {
    let writer = PictureWriter(.file(path(name)))
    let failure = await #expect(throws: Failure.self) { try await writer.open() }
    #expect(failure?.description.contains(path(name)) == true)
  }

  @Test(arguments: [
    ("a%d.jpg", OutputTarget.numbered(prefix: "a", digits: 0, suffix: ".jpg")),
    ("d/%06d", .numbered(prefix: "d/", digits: 6, suffix: "")), ("100%%", .file("100%")),
    ("-", .standardOutput), ("./-", .file("./-")),
  ])
  func targetsAreRead(text: String, target: OutputTarget) throws {
    #expect(try OutputTarget(parsing: text) == target)
  }

  @Test(arguments: ["%", "%6d", "%x", "%d-%d", "%021d"])
  func wrongTargetsAreRefused(text: String) {
    #expect(throws: Failure.self) { try OutputTarget(parsing: text) }
  }
}
