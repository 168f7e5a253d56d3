import CaptureWire
import Testing

@Suite struct ListScanTests {
  private func field(_ message: some WireMessage) -> UInt64? {
    message.encoded().withUnsafeBytes { ListScan.tooLong(in: $0, of: type(of: message).protoName) }
  }

  @Test func aListMayHaveSoManyEntriesAndNoMore() {
    let names = Array(repeating: "exposure.duration", count: ListScan.most)
    #expect(field(WatchSettingsRequest(device: "0", names: names)) == nil)
    #expect(field(WatchSettingsRequest(device: "0", names: names + ["zoom"])) == 2)
    #expect(field(GetControlsRequest(device: "0", names: Array(repeating: "", count: 300))) == 2)
    #expect(field(CalibrateRequest(device: "0", controls: Array(repeating: "gain", count: 300))) == 2)
    let assignment = ControlAssignment(name: "gain", kind: .literal("1"))
    #expect(field(SetControlsRequest(assignments: Array(repeating: assignment, count: 257))) == 2)
  }

  @Test func listsOneMessageDeeperCountToo() {
    let assignment = ControlAssignment(name: "gain", kind: .literal("1"))
    let change = SettingsChange(controls: Array(repeating: assignment, count: 257))
    #expect(field(SetSettingsRequest(change: change)) == 8)
    for count in [256, 257] {
      let expected: UInt64? = count == 256 ? nil : 1
      let inputs = Array(repeating: SessionInput(device: "0"), count: count)
      #expect(field(ConfigureSessionRequest(configuration: .init(inputs: inputs))) == expected)
    }
    let connections = Array(repeating: SessionConnection(device: "0", output: "a"), count: 300)
    #expect(field(ConfigureSessionRequest(configuration: .init(connections: connections))) == 3)
  }

  /// The bytes of text, of arrays and of what is no message are nobody's list.
  @Test func longValuesAreNoLists() {
    let values = ControlValue(kind: .integers(.init(values: Array(repeating: 16, count: 5_000))))
    #expect(field(SetControlsRequest(assignments: [.init(name: "grid", kind: .value(values))])) == nil)
    let text = String(repeating: "\u{8}\u{1}", count: 5_000)
    #expect(field(SetControlsRequest(assignments: [.init(name: "grid", kind: .literal(text))])) == nil)
    #expect(field(WatchSettingsRequest(device: text)) == nil)
    let torn: [UInt8] = Array(repeating: 0xFF, count: 5_000)
    #expect(torn.withUnsafeBytes { ListScan.tooLong(in: $0, of: "") } == nil)
  }
}
