import CaptureModel
import CaptureSystem
import Foundation
import Testing

@testable import capturectl

/// What stands in a directory while and after pictures are written.
@Suite struct PictureWriterTests {
  private let folder: PictureFolder

  init() throws { folder = try PictureFolder() }

  private func path(_ name: String) -> String { folder.path(name) }
  private var names: [String] { folder.names }
  private func text(_ name: String) -> String? { folder.text(name) }
  private func picture(_ text: String) -> Payload { Payload(copying: Array(text.utf8)) }

  private func recording(_ name: String) -> PictureWriter {
    PictureWriter(.file(path(name)), isRecording: true)
  }

  @Test func aRecordingIsAPartUntilItsEnd() async throws {
    let writer = recording("out")
    try await writer.open()
    try await writer.write(picture("one"))
    #expect(names == ["out.part"] && text("out.part") == "one")
    try await writer.write(picture("two"))
    #expect(try await writer.finish().first == path("out"))
    #expect(names == ["out"])
    #expect(text("out") == "onetwo")
  }

  @Test func aRecordingThatWasCutIsKept() async throws {
    let writer = recording("out")
    try await writer.open()
    try await writer.write(picture("half"))
    let files = try await writer.finish(isWhole: false)
    #expect(files.first == path("out") && !files.isBeside)
    #expect(names == ["out"] && text("out") == "half")
  }

  @Test func aRecordingThatWasCutLeavesAFileThatWasThere() async throws {
    try "before".write(toFile: path("out"), atomically: false, encoding: .utf8)
    let writer = recording("out")
    try await writer.open()
    try await writer.write(picture("half"))
    let files = try await writer.finish(isWhole: false)
    #expect(files.first == path("out.part") && files.isBeside)
    #expect(names == ["out", "out.part"])
    #expect(text("out") == "before" && text("out.part") == "half")
  }

  @Test func aRecordingWithoutAFrameLeavesNothing() async throws {
    try "before".write(toFile: path("out"), atomically: false, encoding: .utf8)
    let writer = recording("out")
    try await writer.open()
    #expect(try await writer.finish(isWhole: false).first == nil)
    #expect(names == ["out"] && text("out") == "before")
  }

  @Test func whatAKilledRecordingLeftStays() async throws {
    try "killed".write(toFile: path("out.part"), atomically: false, encoding: .utf8)
    try "".write(toFile: path("other.part"), atomically: false, encoding: .utf8)
    let writer = recording("out")
    try await writer.open()
    try await writer.write(picture("new"))
    #expect(names == ["other.part", "out.2.part", "out.part"])
    _ = try await writer.finish()
    #expect(text("out") == "new" && text("out.part") == "killed")
    // In an empty one there is nothing to keep.
    let other = recording("other")
    try await other.open()
    try await other.write(picture("new"))
    _ = try await other.finish()
    #expect(names == ["other", "out", "out.part"])
  }

  @Test func twoDoNotRecordIntoOneFile() async throws {
    let first = recording("out")
    try await first.open()
    try await first.write(picture("first"))
    let failure = await #expect(throws: Failure.self) { try await self.recording("out").open() }
    #expect(failure?.description.contains("another program records into it just now") == true)
    _ = try await first.finish()
    #expect(names == ["out"] && text("out") == "first")
  }

  @Test func aFileThatAnotherMadeMeanwhileStays() async throws {
    let writer = recording("out")
    try await writer.open()
    try await writer.write(picture("mine"))
    try "other".write(toFile: path("out"), atomically: false, encoding: .utf8)
    let failure = await #expect(throws: Failure.self) { try await writer.finish() }
    #expect(failure?.description.contains("the recording is in '\(path("out.part"))'") == true)
    #expect(text("out") == "other" && text("out.part") == "mine")
  }

  @Test func aFolderThatIsNotThereIsToldBeforeTheFirstPicture() async {
    let writer = PictureWriter(.numbered(NumberedName(prefix: path("none/f"), digits: 2, suffix: ".jpg")))
    let failure = await #expect(throws: Failure.self) { try await writer.open() }
    #expect(failure.map { "\($0)" }?.contains("none/f01.jpg': No such file or directory") == true)
    #expect(names == [])
  }

  @Test(arguments: ["x.png", "x.PNG", "%06d.tiff", "x.mp4"])
  func aNameThatPromisesAnotherFormatIsRefused(name: String) throws {
    let target = try OutputTarget(parsing: name)
    #expect(throws: Failure.self) { try target.requireName(forFramesOf: VideoRequest(encoding: .jpeg)) }
    #expect(throws: Failure.self) { try target.requireName(forFramesOf: VideoRequest(encoding: .raw)) }
    for name in ["x", "x.jpg", "x.mjpeg", "x.backup"] {
      try OutputTarget(parsing: name).requireName(forFramesOf: VideoRequest(encoding: .jpeg))
    }
    for name in ["x.raw", "x.yuv", "%06d.YUV"] {
      let target = try OutputTarget(parsing: name)
      #expect(throws: Failure.self) { try target.requireName(forFramesOf: VideoRequest(encoding: .jpeg)) }
      try target.requireName(forFramesOf: VideoRequest(encoding: .raw))
    }
    let photo = try OutputTarget(parsing: "x.jpg")
    #expect(throws: Failure.self) { try photo.requireName(forFramesOf: VideoRequest(encoding: .raw)) }
    #expect(throws: Failure.self) {
      try photo.requireName(forFramesOf: VideoRequest(encoding: .raw, pixelFormat: .yuyv))
    }
  }

  @Test(arguments: [
    ("x", PhotoFileType.jpeg), ("x.JPG", .jpeg), ("x.png", .png), ("a.b/x.dng", .dng), ("x.raw", .raw),
    ("x.backup", .jpeg), ("-", .jpeg), ("%Y.png", .png), ("/dev/x.png", .jpeg),
  ])
  func thePhotosTypeIsWhatItsNamePromises(name: String, type: PhotoFileType) throws {
    let target = try OutputTarget(parsing: name)
    #expect(try target.photoTypes(asked: nil) == [type])
    #expect(try target.photoTypes(asked: [type]) == [type])
  }

  @Test(arguments: ["x.tiff", "x.mp4", "x.heic"])
  func aNameThatNoPhotoHasIsRefused(name: String) throws {
    let target = try OutputTarget(parsing: name)
    #expect(throws: Failure.self) { try target.photoTypes(asked: nil) }
    #expect(throws: Failure.self) { try target.photoTypes(asked: [.jpeg]) }
    #expect(throws: Failure.self) { try OutputTarget(parsing: "x.png").photoTypes(asked: [.jpeg]) }
  }

  @Test(arguments: [
    ("x", ["x.jpg", "x.dng"]), ("x.jpg", ["x.jpg", "x.dng"]), ("a.b/x", ["a.b/x.jpg", "a.b/x.dng"]),
    ("x.old", ["x.old.jpg", "x.old.dng"]),
  ])
  func eachFileOfAPhotoHasItsEnding(name: String, paths: [String]) throws {
    let places = try OutputTarget(parsing: name).places(of: [.jpeg, .dng])
    #expect(places == paths.map { .file($0) })
    #expect(try OutputTarget(parsing: name).places(of: [.dng]) == [.file(name)])
    #expect(throws: Failure.self) { try OutputTarget.standardOutput.places(of: [.jpeg, .dng]) }
    let timed = try OutputTarget(parsing: "%Y-x.jpg").places(of: [.png, .jpeg])
    #expect(timed == [try OutputTarget(parsing: "%Y-x.png"), try OutputTarget(parsing: "%Y-x.jpg")])
  }

  @Test(arguments: [
    ("x.png", "a PNG"), ("a/x.TIFF", "a TIFF"), ("x.dng", "a DNG"), ("x.raw", "raw"),
    ("x.nv12", "bare nv12 pixels"),
  ])
  func aNameThatPromisesNoJPEGIsNotForAPreview(name: String, promise: String) throws {
    let failure = #expect(throws: Failure.self) {
      try OutputTarget(ofOneFile: name).requireName(of: "a preview", as: .jpeg)
    }
    #expect(
      failure?.description == "'\(name)' would not be \(promise); a preview is a JPEG: name the file .jpg")
    for name in ["x.jpg", "x.JPEG", "x", "x.old", "-", "/dev/x.png", "%d.jpg"] {
      try OutputTarget(ofOneFile: name).requireName(of: "a preview", as: .jpeg)
    }
    try OutputTarget(ofOneFile: "x.png").requireName(of: "a file", as: .png)
  }

  @Test(arguments: PixelTarget.allCases)
  func aNameThatPromisesAPixelFormatIsForThatOne(target: PixelTarget) throws {
    let file = try OutputTarget(parsing: "x.\(target.word)")
    #expect(throws: Failure.self) { try file.photoTypes(asked: nil) }
    #expect(throws: Failure.self) { try file.requireName(forFramesOf: VideoRequest(encoding: .jpeg)) }
    // The camera's own bytes may be that.
    try file.requireName(forFramesOf: VideoRequest(encoding: .raw))
    for other in PixelTarget.allCases {
      let request = VideoRequest(encoding: .raw, pixelFormat: other.pixelFormat)
      guard other != target else {
        try file.requireName(forFramesOf: request)
        continue
      }
      let failure = #expect(throws: Failure.self) { try file.requireName(forFramesOf: request) }
      #expect(
        failure?.description == "'x.\(target.word)' would not be \(target.word), but \(other.word); take "
          + "--format \(target.word), or name the file .raw")
    }
  }

  @Test func whatACameraCompressesItselfIsAJPEG() throws {
    let target = try OutputTarget(parsing: "x.jpg")
    for format in [PixelFormat.mjpeg, .jpeg] {
      try target.requireName(forFramesOf: VideoRequest(encoding: .raw, pixelFormat: format))
    }
  }

  @Test func rawFramesOfACameraThatHasJPEGsAloneAreJPEGs() throws {
    let raw = VideoRequest(encoding: .raw)
    for name in ["x.mjpeg", "%06d.jpg"] {
      let target = try OutputTarget(parsing: name)
      try target.requireName(forFramesOf: raw, from: [.mjpeg])
      let failure = #expect(throws: Failure.self) {
        try target.requireName(forFramesOf: raw, from: [.yuyv, .mjpeg])
      }
      #expect(failure?.description.contains("or MJPG where the camera has that") == true)
    }
    try OutputTarget(parsing: "x.raw").requireName(forFramesOf: raw, from: [.mjpeg])
    #expect(throws: Failure.self) {
      try OutputTarget(parsing: "x.png").requireName(forFramesOf: raw, from: [.mjpeg])
    }
  }

  @Test func whatALinkPointsToIsWrittenWhetherItIsThereOrNot() async throws {
    try FileManager.default.createDirectory(atPath: path("there"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: "there/clip")
    let writer = recording("link")
    try await writer.open()
    try await writer.write(picture("one"))
    _ = try await writer.finish()
    #expect(text("there/clip") == "one" && text("link") == "one")
    try FileManager.default.createSymbolicLink(
      atPath: path("photo"), withDestinationPath: path("there/photo"))
    let file = try OutputFile(path: path("photo"))
    try file.write(picture("two"))
    try file.finish(durably: false)
    #expect(text("there/photo") == "two" && text("photo") == "two")
    try FileManager.default.createSymbolicLink(atPath: path("circle"), withDestinationPath: "circle")
    #expect(throws: Failure.self) { _ = try OutputFile(path: path("circle")) }
    let circle = recording("circle")
    await #expect(throws: Failure.self) { try await circle.open() }
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
    let writer = recording("link")
    try await writer.open()
    try await writer.write(picture("after"))
    _ = try await writer.finish()
    #expect(text("real") == "after")
    #expect(names == ["link", "real"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("link")) == "real")
    let mode = try FileManager.default.attributesOfItem(atPath: path("real"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  private func write(_ words: [String], to target: OutputTarget, overwrites: Bool = false) async throws {
    let writer = PictureWriter(target, isRecording: true, overwrites: overwrites)
    try await writer.open()
    for word in words { try await writer.write(picture(word)) }
    _ = try await writer.finish()
  }

  @Test func numberedPicturesGoOnBehindTheLast() async throws {
    let target = try OutputTarget(parsing: path("f%03d.jpg"))
    try await write(["a", "b"], to: target)
    try "x".write(toFile: path("f7.jpeg"), atomically: false, encoding: .utf8)
    try await write(["c"], to: target)
    #expect(names == ["f001.jpg", "f002.jpg", "f003.jpg", "f7.jpeg"])
    #expect(text("f001.jpg") == "a" && text("f003.jpg") == "c")
    try await write(["d"], to: target, overwrites: true)
    #expect(names.count == 4 && text("f001.jpg") == "d" && text("f002.jpg") == "b")
  }

  @Test func aTimeInANameIsNoNumber() async throws {
    try "other".write(toFile: path("f030405.jpg"), atomically: false, encoding: .utf8)
    try await write(["a", "b"], to: try OutputTarget(parsing: path("f%d.jpg")))
    #expect(names == ["f030405.jpg", "f1.jpg", "f2.jpg"])
  }

  @Test func aFileThatAppearsMeanwhileIsNotWrittenOver() async throws {
    let writer = PictureWriter(try OutputTarget(parsing: path("f%d.jpg")), isRecording: true)
    try await writer.open()
    try "other".write(toFile: path("f1.jpg"), atomically: false, encoding: .utf8)
    try await writer.write(picture("mine"))
    #expect(text("f1.jpg") == "other" && text("f2.jpg") == "mine")
  }

  @Test func picturesOfOneSecondGetASuffix() async throws {
    let target = try OutputTarget(parsing: path("%Y-%m.x/../%Y%m%d-%H%M%S.jpg"))
    guard case .timed(let name) = target else { return #expect(Bool(false), "no time") }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec) = (126, 0, 2, 3, 4, 5)
    #expect(name.path(at: time, number: 1) == path("2026-01.x/../20260102-030405.jpg"))
    #expect(name.path(at: time, number: 2) == path("2026-01.x/../20260102-030405-2.jpg"))
    let plain = try OutputTarget(parsing: path("%Y%m%d-%H%M%S.jpg"))
    try await write(["a", "b", "c"], to: plain)
    try await write(["d"], to: plain)
    #expect(Set(names.compactMap { text($0) }) == ["a", "b", "c", "d"], "\(names)")
  }

  @Test func aTimeInANameIsThatOfCapture() async throws {
    let target = try OutputTarget(parsing: path("%Y%m%d-%H%M%S.jpg"))
    guard case .timed(let name) = target else { return #expect(Bool(false), "no time") }
    let writer = PictureWriter(target)
    let captured = time(nil) - 3600
    try await writer.write(picture("a"), captured: captured)
    #expect(names.map(path) == [name.path(at: TimedName.local(captured), number: 1)])
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
    _ = try await writer.finish()
    #expect(try Array(Data(contentsOf: URL(filePath: path("out")))) == bytes)
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
    ("a%d.jpg", OutputTarget.numbered(NumberedName(prefix: "a", digits: 0, suffix: ".jpg"))),
    ("d/%06d", .numbered(NumberedName(prefix: "d/", digits: 6, suffix: ""))), ("100%%", .file("100%")),
    ("-", .standardOutput), ("./-", .file("./-")),
  ])
  func targetsAreRead(text: String, target: OutputTarget) throws {
    #expect(try OutputTarget(parsing: text) == target)
  }

  @Test(arguments: ["%", "%6d", "%x", "%d-%d", "%021d", "%099999999999999999999d", "%Y-%06d"])
  func wrongTargetsAreRefused(text: String) {
    #expect(throws: Failure.self) { try OutputTarget(parsing: text) }
  }
}
