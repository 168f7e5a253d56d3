import CaptureModel
import FoundationEssentials
import Testing

@testable import CaptureEngine

@Suite struct SessionMemoryTests {
  /// A session with everything that can be set, as nodes have written it from the first.
  private static let text = """
    {"configuration":{"connections":[{"camera":"a","cropFactor":2,"isEnabled":false,"isMirrored":true,\
    "orientation":90,"output":"still"}],"inputs":[{"camera":"a","format":{"frameDuration":"1\\/30",\
    "pixelFormat":"YUYV","size":"640x480"}},{"camera":"b"}],"outputs":[{"kind":"photo","name":"still"}],\
    "preset":"640x480"},"isRunning":true,"owner":"client 1"}
    """

  @Test func aSessionIsKeptAsItAlwaysWas() throws {
    let format = ActiveFormat(
      pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480), interval: FrameInterval(rate: 30))
    let connection = SessionConnection(
      camera: "a", output: "still", orientation: 90, isMirrored: true, isEnabled: false, cropFactor: 2)
    let memory = SessionMemory(
      SessionConfiguration(
        inputs: [.init(camera: "a", format: format), .init(camera: "b")],
        outputs: [.init(name: "still", kind: .photo)], connections: [connection], preset: .vga640x480),
      isRunning: true, owner: "client 1")
    #expect(try JSONDecoder().decode(SessionMemory.self, from: Data(Self.text.utf8)) == memory)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(memory), as: UTF8.self) == Self.text)
  }

  @Test func theBoundsOfTheFrameDurationAreKeptAsTheyAlwaysWere() throws {
    let bounds = SettingsChange.FrameDuration(maximum: FrameInterval(rate: 15))
    let text = #"{"maximum":"1\/15"}"#
    #expect(try JSONDecoder().decode(SettingsChange.FrameDuration.self, from: Data(text.utf8)) == bounds)
    #expect(String(decoding: try JSONEncoder().encode(bounds), as: UTF8.self) == text)
  }
}
