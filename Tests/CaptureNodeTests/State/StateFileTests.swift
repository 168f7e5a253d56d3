import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Foundation
import Synchronization
import Testing

@testable import CaptureNode

@Suite struct StateFileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())").path
  private var path: String { folder + "/deep/state.json" }
  private static let camera = CameraID(rawValue: "fake-0")
  private static let brightness = ControlDescription(
    id: ControlID(rawValue: 1), name: "brightness", label: "Brightness", type: .integer, maximum: 255)

  private final class Lines: Sendable {
    private let all = Mutex<[String]>([])
    func add(_ level: LogLevel, _ text: String) { all.withLock { $0.append("\(level): \(text)") } }
    var texts: [String] { all.withLock { $0 } }
  }

  private func open(_ lines: Lines = Lines()) throws -> StateFile {
    try StateFile(path: path) { lines.add($0, $1) }
  }

  /// What was begun with it before may hold the file a little longer.
  private func reopen() async throws -> StateFile {
    var opened: StateFile?
    await eventually("the file is free") {
      opened = try? open()
      return opened != nil
    }
    return try #require(opened)
  }

  private func memory(_ value: Int64) -> CameraMemory {
    var memory = CameraMemory()
    memory.controls.note(Self.brightness, .integer(value))
    return memory
  }

  private func remove() { try? FileManager.default.removeItem(atPath: folder) }

  @Test func whatIsKeptIsThereAtTheNextStart() async throws {
    defer { remove() }
    do {
      let file = try open()
      #expect(file.memory(of: Self.camera).isEmpty)
      file.save(memory(1), of: Self.camera)
      file.save(memory(2), of: Self.camera)
      try await file.flush()
    }
    #expect(try await reopen().memory(of: Self.camera) == memory(2))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/deep").sorted()
    #expect(names == ["state.json", "state.json.lock"])
  }

  @Test func aNodeSetsAgainWhatAnEarlierOneWasToldTo() async throws {
    defer { remove() }
    func run(_ body: (Device) async throws -> Void) async throws -> FakeCamera {
      let camera = FakeCamera("fake-0")
      camera.state.withLock { $0.controls = [Self.brightness] }
      let store = try await reopen()
      let engine = CaptureEngine(imaging: .standard, store: store)
      await engine.attach(FakeProvider([camera]))
      try await body(engine.device("fake-0"))
      await engine.shutDown()
      try await store.flush()
      return camera
    }
    _ = try await run { device in
      _ = try await device.run {
        try await $0.settings.set(
          [NamedAssignment(name: "brightness", value: .value(.integer(77)))], clamping: false)
      }
    }
    let camera = try await run { device in
      await eventually("it is set again") {
        (try? await device.run { try await $0.settings.readings(of: ["brightness"]) })?.first?.value
          == .integer(77)
      }
    }
    #expect(camera.state.withLock { $0.values[Self.brightness.id] } == .integer(77))
  }

  @Test(arguments: [
    "", "{\"version\": 1, \"cameras\": {\"fake-0\": {\"contr", "{\"version\": 0, \"cameras\": {}}",
  ])
  func aTornOrForeignFileIsSetAside(_ text: String) async throws {
    defer { remove() }
    try FileManager.default.createDirectory(atPath: folder + "/deep", withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    let lines = Lines()
    let file = try open(lines)
    #expect(lines.texts.count == 1)
    #expect(lines.texts[0].hasPrefix("warning: \(path) is no state file of this program ("))
    #expect(try String(contentsOfFile: path + ".unreadable", encoding: .utf8) == text)
    file.save(memory(3), of: Self.camera)
    try await file.flush()
    #expect(
      try JSONDecoder().decode(NodeMemory.self, from: Data(contentsOf: URL(fileURLWithPath: path))).cameras
        .count == 1)
  }

  /// As after going back to the version before.
  @Test func theFileOfANewerNodeIsLeftAsItIs() throws {
    defer { remove() }
    try FileManager.default.createDirectory(atPath: folder + "/deep", withIntermediateDirectories: true)
    let text = "{\"version\": 2, \"cameras\": {\"fake-0\": {\"newer\": true}}}"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    let error = #expect(throws: StateFileError.self) { try open() }
    #expect(
      error?.description.hasPrefix(
        "\(path): a newer capture-node wrote it (version 2; this one reads 1), and it is left as it is")
        == true)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    #expect(!FileManager.default.fileExists(atPath: path + ".unreadable"))
  }

  @Test func twoNodesDoNotShareAFile() throws {
    defer { remove() }
    let first = try open()
    let error = #expect(throws: StateFileError.self) { try open() }
    #expect(error?.description.contains("another node keeps its state there") == true)
    withExtendedLifetime(first) {}
  }

  @Test func theNextNodeWaitsForTheStateOfOneThatEnds() async throws {
    defer { remove() }
    let first = try open()
    first.save(memory(3), of: Self.camera)
    let (path, lines) = (path, Lines())
    let second = Task.detached {
      try StateFile(path: path, patience: .seconds(60)) { lines.add($0, $1) }
    }
    await eventually("it waits") { lines.texts.contains { $0.contains("waiting for the node") } }
    try await first.flush()
    await first.close()
    #expect(try await second.value.memory(of: Self.camera) == memory(3))
  }

  @Test func whatComesAfterTheFileWasGivenUpIsNotSaidToBeWritten() async throws {
    defer { remove() }
    let file = try open()
    file.save(memory(1), of: Self.camera)
    try await file.flush()
    await file.close()
    // It has everything.
    try await file.flush()
    file.save(memory(2), of: Self.camera)
    await #expect(throws: CaptureError.nodeDraining) { try await file.flush() }
    #expect(try open().memory(of: Self.camera) == memory(1))
  }

  @Test func aFileThatCannotBeWrittenIsToldOnceAndToWhoeverAsks() async throws {
    defer { remove() }
    let lines = Lines()
    let file = try open(lines)
    // A directory in the place of the new file: also root cannot write it.
    try FileManager.default.createDirectory(atPath: path + ".new", withIntermediateDirectories: false)
    file.save(memory(4), of: Self.camera)
    await #expect(throws: CaptureError.self) { try await file.flush() }
    await #expect(throws: CaptureError.self) { try await file.flush() }
    #expect(lines.texts.count { $0.hasPrefix("warning: \(path) cannot be written: ") } == 1)
    try FileManager.default.removeItem(atPath: path + ".new")
    try await file.flush()
    #expect(lines.texts.last == "info: \(path) can be written again")
  }

  @Test func writesAreAtMostOneASecond() async throws {
    defer { remove() }
    let file = try open()
    file.save(memory(0), of: Self.camera)
    await eventually("the first is written at once") { FileManager.default.fileExists(atPath: path) }
    func inode() throws -> UInt64 {
      (try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? NSNumber)!.uint64Value
    }
    var written: [(Int64, UInt64)] = []
    var last = try inode()
    let start = ContinuousClock.now
    for value in 1...300 {
      file.save(memory(Int64(value)), of: Self.camera)
      try await Task.sleep(for: .milliseconds(5))
      let now = try inode()
      if now != last { written.append((Int64(value), now)) }
      last = now
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    #expect(Double(written.count) <= seconds + 1)
  }

  @Test func whereItIsKept() {
    func path(_ location: StateLocation, _ environment: [String: String]) -> String? {
      location.path { environment[$0] }
    }
    let home = ["HOME": "/home/anna"]
    #expect(path(.usual, home) == "/home/anna/.local/state/remote-capture/state.json")
    #expect(
      path(.usual, home.merging(["XDG_STATE_HOME": "/s"]) { $1 }) == "/s/remote-capture/state.json")
    #expect(
      path(.usual, home.merging(["STATE_DIRECTORY": "/var/lib/a:/var/lib/b"]) { $1 })
        == "/var/lib/a/state.json")
    #expect(path(.usual, ["HOME": ""]) == nil)
    #expect(path(.none, home) == nil)
    #expect(path(StateLocation("x/y.json")!, home) == "x/y.json")
    #expect(StateLocation("none") == StateLocation.none)
  }
}
