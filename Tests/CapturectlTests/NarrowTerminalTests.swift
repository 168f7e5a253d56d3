import CaptureClient
import CaptureModel
import CaptureWire
import Testing

@testable import capturectl

/// Tables on a terminal of 80 columns.
@Suite struct NarrowTerminalTests {
  private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  @Test func flexibleColumnsGiveWayByWhatTheyHaveToSpare() {
    var table = TextTable([
      .init("A", isFlexible: true), .init("FIXED"), .init("B", isFlexible: true),
      .init("C", isFlexible: true),
    ])
    table.add(repeated("a", 28), "fixed", repeated("b", 48), "cccccc")
    // 93 columns. The 33 too many are 11 of A's 20 to spare, and 22 of B's 40.
    let lines = table.text(width: 60).split(separator: "\n")
    #expect(lines[1] == "\(repeated("a", 17))  fixed  \(repeated("b", 26))  cccccc")
    #expect(lines.count == 3 && lines.allSatisfy { $0.count <= 60 })
  }

  @Test func columnsThatCannotGiveWayEnoughHaveTheirLeast() {
    var table = TextTable([.init("A", isFlexible: true), .init("TEN LETTER", isFlexible: true)])
    table.add(repeated("a", 20), repeated("b", 20))
    #expect(table.text(width: 10).split(separator: "\n")[1] == "\(repeated("a", 8))  \(repeated("b", 10))")
  }

  @Test func longValuesOfAListGoOnBelowTheirBeginning() {
    let items = [(name: "Name", value: repeated("word ", 8) + "end"), (name: "N", value: "short")]
    #expect(
      listText(items, width: 30) == """
        Name  word word word word word
              word word word end
        N     short

        """)
    #expect(listText(items, width: nil).split(separator: "\n").count == 2)
  }

  @Test func statusFitsEightyColumns() {
    let idle = CameraStatus(index: 0, id: "idle", buffers: 4)
    let busy = CameraStatus(
      index: 11, id: "busy", streaming: true, pixelFormat: CaptureModel.PixelFormat.yuyv.rawValue,
      size: Size(width: 1920, height: 1080), interval: FrameInterval(numerator: 1, denominator: 30),
      measuredFps: 29.97, subscribers: 12, frames: 2_592_000, framesFlagged: 20, framesLost: 1_234,
      framesDiscarded: 54_321, restarts: 3, buffers: 4, buffersLent: 2, framesEncoded: 999_999)
    var status = NodeStatus(uptimeMs: 86_400_000, clients: 12, clientsTotal: 40_000, cameras: [busy, idle])
    let lines = text(status, width: 80).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
    #expect(lines.last?.hasPrefix("  0  idle ") == true)
    status.cameras = [idle]
    #expect(text(status, width: 80) == text(status, width: nil))
  }

  @Test func controlsFitEightyColumnsInFewLines() {
    let names = ["Manual", "Daylight", "Cloudy", "Tungsten", "Fluorescent H"]
    let preset = CaptureModel.ControlDescription(
      id: ControlID(rawValue: 1), name: "white_balance_preset_number", label: "Preset", type: .menu,
      maximum: 4, menu: names.enumerated().map { .init(index: Int64($0.offset), content: .name($0.element)) },
      flags: [.inactive])
    let text = tables([RemoteControl(description: preset, value: .integer(4))], width: 80)
    let lines = text.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 } && lines.count <= 7, "\(text)")
  }
}
