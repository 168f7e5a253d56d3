import CaptureAccess
import CaptureModel
import CaptureTLS
import Foundation
import Testing

@testable import CaptureNode

@Suite struct ConfigurationFolderTests {
  /// A folder that is removed with it.
  final class Folder {
    let path = NSTemporaryDirectory() + "capture-configuration-\(UUID())"

    init() throws {
      for part in ["conf.d", "access.d"] {
        try FileManager.default.createDirectory(atPath: "\(path)/\(part)", withIntermediateDirectories: true)
      }
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ text: String, mode: Int = 0o640) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
    }
  }

  static let sum = String(repeating: "ab", count: 32)
  static func client(_ name: String, sum: String = sum, role: String = "view") -> String {
    "{ clients: { '\(name)': { secretSHA256: '\(sum)', role: '\(role)' } } }"
  }

  private func message(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return ""
  }

  @Test func filesAddUp() throws {
    let folder = try Folder()
    try folder.write("node.json5", "{ logLevel: 'debug' }")
    try folder.write("conf.d/10-cameras.json5", "{ cameras: ['synthetic'] }")
    try folder.write("conf.d/20-mode.json5", "{ unixMode: '0600' }")
    try folder.write("conf.d/other.txt", "not read")
    for path in [folder.path, folder.path + "/", folder.path + "/node.json5"] {
      let settings = try ConfigurationFolder(path: path).applied(to: NodeSettings())
      #expect(settings.logLevel == .debug)
      #expect(settings.cameras == ["synthetic"])
      #expect(settings.unixMode == 0o600)
      #expect(settings.hint == nil)
    }
  }

  @Test func aKeyInTwoFilesNamesBoth() throws {
    let folder = try Folder()
    try folder.write("node.json5", "{\n  logLevel: 'debug',\n}")
    try folder.write("conf.d/a.json5", "{\n\n  logLevel: 'info' }")
    let text = message { _ = try ConfigurationFolder(path: folder.path) }
    #expect(
      text.contains(
        "\(folder.path)/conf.d/a.json5: line 3: logLevel: is also in \(folder.path)/node.json5, line 2"))
  }

  @Test(arguments: [
    ("{\n  unixMode: '0600',\n  unixMode: '0660' }", "line 3: unixMode: is there twice, first on line 2"),
    ("{\n  limits: {\n    connections: 0,\n  } }", "line 3: limits.connections: is a number from 1"),
    ("{\n  listn: [] }", "line 2: listn: there is no such key"),
    ("{\n  cameras: [\n 'a', 5] }", "line 3: cameras[1]: takes a text"),
    ("{\n  cameras: ['a' }", "line 2, column 17: expected ','"),
  ])
  func aMistakeIsNamedWithItsLine(text: String, expected: String) throws {
    let folder = try Folder()
    try folder.write("conf.d/a.json5", text)
    let text = message { _ = try ConfigurationFolder(path: folder.path) }
    #expect(text.hasPrefix("\(folder.path)/conf.d/a.json5: \(expected)"), "\(text)")
  }

  @Test func theSingleFileOfBeforeIsReadWithAHint() throws {
    let folder = try Folder()
    let old = folder.path + ".json5"
    try Data("{ logLevel: 'debug' }".utf8).write(to: URL(fileURLWithPath: old))
    defer { try? FileManager.default.removeItem(atPath: old) }
    var settings = try ConfigurationFolder(path: folder.path).applied(to: NodeSettings())
    #expect(settings.logLevel == .debug)
    #expect(settings.hint == "\(old) is read as before; move it to \(folder.path)/node.json5")
    try folder.write("node.json5", "{ logLevel: 'error' }")
    settings = try ConfigurationFolder(path: folder.path).applied(to: NodeSettings())
    #expect(settings.logLevel == .error)
    #expect(settings.hint?.contains("is not read") == true)
  }

  @Test func aFolderThatIsNotThereIsNamed() {
    let text = message { _ = try ConfigurationFolder(path: "/nonexistent/node.json5") }
    #expect(text.hasPrefix("/nonexistent/node.json5: cannot be read"))
  }

  @Test func clientsAreNamed() throws {
    let folder = try Folder()
    try folder.write("access.d/a.json5", Self.client("controller", role: "admin"))
    let access = try ConfigurationFolder(path: folder.path).access
    #expect(access.problems == [])
    #expect(
      access.clients == [
        ConfiguredClient(
          client: KnownClient(
            name: "controller", secret: Digest(bytes: Array(repeating: 0xAB, count: 32))!,
            grants: [AccessGrant(.admin)]),
          file: folder.path + "/access.d/a.json5")
      ])
  }

  /// A client whose secret is replaced.
  static func next(_ next: String, of sum: String = sum) -> String {
    client("x", sum: sum).replacing("role:", with: "nextSHA256: '\(next)', role:")
  }

  @Test func aSecondSecretIsNamed() throws {
    let folder = try Folder()
    let other = String(repeating: "cd", count: 32)
    try folder.write("access.d/a.json5", Self.next(other))
    let access = try ConfigurationFolder(path: folder.path).access
    #expect(access.problems == [])
    #expect(access.clients.map { "\($0.client.secret)" } == [Self.sum])
    #expect(access.clients.map { $0.client.next.map { "\($0)" } } == [other])
  }

  static func grants(_ list: String) -> String {
    client("x", role: "view").replacing("role: 'view'", with: "grants: \(list)")
  }

  @Test func grantsTakeThePlaceOfARole() throws {
    let folder = try Folder()
    try folder.write(
      "access.d/a.json5",
      Self.grants(
        "[{ role: 'control', cameras: ['usb-a*'], media: ['video'] }, { role: 'view', cameras: ['usb-*'] }]"))
    let access = try ConfigurationFolder(path: folder.path).access
    #expect(access.problems == [])
    let client = try #require(access.clients.first?.client)
    #expect((client.role, client.cameras) == (.control, CameraScope(["usb-*"])))
    #expect(
      client.grants == [
        AccessGrant(.control, cameras: CameraScope(["usb-a*"]), media: [.video]),
        AccessGrant(.view, cameras: CameraScope(["usb-*"])),
      ])
  }

  static func cameras(_ list: String, role: String = "view") -> String {
    client("x", role: role).replacing("'\(role)'", with: "'\(role)', cameras: \(list)")
  }

  @Test(arguments: [
    (
      "{ clients: {\n 'x': { secretSHA256: 'ab', role: 'view' } } }", 0o640,
      "line 2: clients.x.secretSHA256: is needed, 64"
    ),
    (client("x", role: "king"), 0o640, "line 1: clients.x.role: is needed, one of view, control, admin"),
    (cameras("[]"), 0o640, "line 1: clients.x.cameras: has 1 to 32 patterns"),
    (cameras("['usb-*', 'a b']"), 0o640, "line 1: clients.x.cameras: a pattern of cameras"),
    (cameras("['usb-*']", role: "admin"), 0o640, "line 1: clients.x.cameras: an admin has every camera"),
    (grants("[]"), 0o640, "line 1: clients.x.grants: has 1 to 8 grants"),
    (grants("[{ role: 'view' }], role: 'view'"), 0o640, "line 1: clients.x.grants: has 1 to 8 grants"),
    (grants("[{ role: 'admin' }]"), 0o640, "line 1: clients.x.grants[0].role: is needed, view or control"),
    (
      grants("[{ role: 'view', media: ['audio'] }]"), 0o640,
      "grants[0].media: has one or more of video, library"
    ),
    (grants("[{ role: 'view', media: [] }]"), 0o640, "grants[0].media: has one or more of video, library"),
    (grants("[{ role: 'view', cameras: [] }]"), 0o640, "grants[0].cameras: has 1 to 32 patterns"),
    (client("x y"), 0o640, "line 1: clients: a client's name has 1 to 63"),
    (client("-x"), 0o640, "'.', '_' and '-', without '.' or '-' at the beginning, not '-x'"),
    ("{ clients: { 'x': { role: 'view' } } }", 0o640, "line 1: clients.x.secretSHA256: is needed"),
    (next("ab"), 0o640, "line 1: clients.x.nextSHA256: has 64 hexadecimal digits"),
    (next(sum), 0o640, "line 1: clients.x.nextSHA256: has 64 hexadecimal digits, of another secret"),
    (next(sum, of: String(repeating: "cd", count: 32)), 0o640, "has the secret of 'good'"),
    ("{ client: {} }", 0o640, "line 1: client: there is no such key; there are: clients"),
    (client("x"), 0o644, "others can read it"), (client("x"), 0o660, "its group can write it"),
    (client("good"), 0o640, "clients.good: is also in"), (client("x"), 0o640, "has the secret of 'good'"),
    ("{ clients: { ", 0o640, "line 1, column"),
  ])
  func aBrokenFileAdmitsNobodyAndOthersStand(text: String, mode: Int, expected: String) throws {
    let folder = try Folder()
    try folder.write("access.d/a.json5", Self.client("good"))
    try folder.write("access.d/b.json5", text, mode: mode)
    let access = try ConfigurationFolder(path: folder.path).access
    #expect(access.clients.map(\.client.name) == ["good"])
    #expect(access.problems.count == 1)
    let problem = access.problems.first ?? ""
    #expect(
      problem.hasPrefix("\(folder.path)/access.d/b.json5: ") && problem.contains(expected), "\(problem)")
  }
}
