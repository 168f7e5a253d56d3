import CaptureSystem
import Foundation
import Testing

@testable import CaptureNode

@Suite struct ConfigurationFileTests {
  private func read(_ text: String) throws -> ConfigurationFile {
    try JSON5Document<ConfigurationFile>(Data(text.utf8), named: "node.json5").contents
  }

  @Test func theCommittedExampleIsRead() throws {
    let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../deploy/capture-node.json5")
    let file = try ConfigurationFile(path: example.path)
    #expect(file.listen == [ListenSetting(.unix(path: "/run/capture-node/socket"))])
    #expect(file.unixMode == 0o660)
    #expect(file.applied(to: NodeSettings()).drainGrace == NodeSettings().drainGrace)
  }

  /// Those in comments count, once they are none any more.
  @Test func theCommittedExampleHasEveryKey() throws {
    let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../deploy/capture-node.json5")
    let lines = try String(contentsOf: example, encoding: .utf8).components(separatedBy: "\n").map {
      $0.replacing(/^ *\/\/ (?=[a-zA-Z]+: ["\[{])/, with: "  ")
    }
    for (key, value) in Mirror(reflecting: try read(lines.joined(separator: "\n"))).children {
      #expect("\(value)" != "nil", "\(key ?? "") is missing")
    }
  }

  @Test func whatIsLeftOutStaysAsItIs() throws {
    var settings = NodeSettings()
    settings.cameras = ["usb"]
    #expect(try read("{}").applied(to: settings) == settings)
  }

  @Test(arguments: [
    ("{ listn: [] }", "listn: there is no such key; there are: listen, cameras, logLevel"),
    ("{ listn: [] }", "library, torchLEDs"),
    ("{ listn: [] }", "logLevel, audit, unixMode, drainGraceSeconds"),
    ("{ listn: [] }", "leases, tls; a newer version than \(Release.version) may have more"),
    ("{ listen: ['127.0.0.1:1', 'x y'] }", "'x y' is no address"), ("{ listen: 5 }", "listen: takes a list"),
    ("{ tls: { key: '/k' } }", "tls.certificate: is needed, the absolute path of a file in PEM"),
    ("{ tls: { certificate: '/c', key: 'k' } }", "tls.key: is needed, the absolute path"),
    (
      "{ tls: { certificate: '/c', key: '/k', ca: '/a' } }",
      "tls.ca: there is no such key; there are: certificate, key"
    ),
    ("{ listen: [] }", "listen: has at least one address; left out: unix:/run/capture-node/socket"),
    ("{ cameras: [1] }", "cameras[0]: takes a text"), ("[]", "takes an object"), (" ", "is empty"),
    ("{ positions: { a: 'up' } }", "positions: is one of unspecified, front, back, external for each camera"),
    ("{ location: { latitude: 91, longitude: 0 } }", "from -90 to 90"),
    ("{ location: { latitude: 9 } }", "longitude: is needed"),
    ("{ lenses: { a: { focalLength: 0 } } }", "is a number of millimetres from 0.01 to 10000"),
    ("{ sensors: { a: { blackLevel: -1 } } }", "is a sample, a whole number from 0 to 65534"),
    ("{ sensors: { a: { blackLevel: 64, whiteLevel: 64 } } }", "is a sample above blackLevel"),
    ("{ sensors: { a: { colorMatrix: [1, 0, 0] } } }", "has nine numbers from -100 to 100, row by row"),
    ("{ sensors: { a: { neutral: [0, 1, 1] } } }", "has three numbers from 0.001 to 1"),
    ("{ lenses: { a: { zoom: 2 } } }", "make, model, focalLength, focalLengthIn35mm, fNumber"),
    ("{ limits: [] }", "limits: takes an object"),
    ("{ drainGraceSeconds: 'x' }", "drainGraceSeconds: takes a number"),
    ("{ allowUnauthenticatedRemote: true }", "allowUnauthenticatedRemote: is no more"),
    ("{ listen: [{ address: 'unix:/x', plaintext: true }] }", "listen[0].plaintext: is for TCP"),
    ("{ listen: [{ address: '127.0.0.1', plaintext: true }] }", "is for addresses that other machines reach"),
    ("{ listen: [{ trustLocalUsers: true }] }", "listen[0].address: is needed"),
    ("{ logLevel: 'loud' }", "logLevel: is one of error, warning, info, debug"),
    (
      "{ torchLEDs: { a: 'x' }, inUseLEDs: { b: 'x' } }",
      "inUseLEDs: has LEDs that are no torch: 'x' is in torchLEDs"
    ),
    ("{ audit: true }", "audit: takes a text"), ("{ audit: 'some' }", "audit: is one of none, changes, all"),
    ("{ limits: { connections: 0 } }", "limits.connections: is a number from 1 to 1000000"),
    ("{ limits: { envelopeBytes: 100 } }", "limits.envelopeBytes: is a number from 4096 to 1048576"),
    ("{ limits: { chunkBytes: 262145 } }", "limits.chunkBytes: is a number from 4096 to 262144"),
    ("{ limits: { bufferBytesPerCamera: 1 } }", "limits.bufferBytesPerCamera: is a number from 1000000 to"),
    ("{ leases: { maximum: 0 } }", "leases.maximum: is a number of seconds from 1 to 86400"),
    ("{ leases: { waiters: 0 } }", "leases.waiters: is a number from 1 to 10000"),
    ("{ limits: { clients: 5 } }", "limits.clients: there is no such key"),
    ("{ unixMode: '8' }", "unixMode: is an octal text"),
    ("{ drainGraceSeconds: -1 }", "drainGraceSeconds: is a number"),
    ("{ gainISO: { a: [1600, 100] } }", "gainISO: has two ISO numbers a camera, the smaller one first"),
    ("{ gainISO: { a: [0, 100] } }", "gainISO: has two ISO numbers"),
    ("{ gainISO: { a: 100 } }", "gainISO"),
    ("{ cameras: ", "node.json5: "),
  ])
  func mistakesAreNamedWithTheirPlace(text: String, expected: String) {
    #expect {
      _ = try read(text)
    } throws: {
      let message = "\($0)"
      return message.hasPrefix("node.json5: ") && message.contains(expected)
    }
  }

  @Test func aFileThatIsNotThereIsNamed() {
    #expect {
      _ = try ConfigurationFile(path: "/nonexistent/node.json5")
    } throws: {
      "\($0)".hasPrefix("/nonexistent/node.json5: cannot be read")
    }
  }

  @Test func aDirectoryIsNoConfiguration() {
    #expect {
      _ = try ConfigurationFile(path: "/tmp")
    } throws: {
      "\($0)" == "/tmp: cannot be read: Is a directory"
    }
  }
}
