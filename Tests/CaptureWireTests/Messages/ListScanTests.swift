import CaptureWire
import Testing

@Suite struct ListScanTests {
  private func list(_ message: some WireMessage) -> String? {
    message.encoded().withUnsafeBytes { ListScan.tooLong(in: $0, of: type(of: message)) }
  }

  @Test func aListMayHaveSoManyEntriesAndNoMore() {
    let names = Array(repeating: "exposure.duration", count: ListScan.most)
    #expect(list(WatchSettingsRequest(device: "0", names: names)) == nil)
    #expect(list(WatchSettingsRequest(device: "0", names: names + ["zoom"])) == "names")
    #expect(list(GetControlsRequest(device: "0", names: Array(repeating: "", count: 300))) == "names")
    #expect(list(CalibrateRequest(device: "0", controls: Array(repeating: "gain", count: 300))) == "controls")
    let assignment = ControlAssignment(name: "gain", kind: .literal("1"))
    #expect(list(SetControlsRequest(assignments: Array(repeating: assignment, count: 257))) == "assignments")
  }

  @Test func listsFurtherInCountToo() {
    let assignment = ControlAssignment(name: "gain", kind: .literal("1"))
    let change = SettingsChange(controls: Array(repeating: assignment, count: 257))
    #expect(list(SetSettingsRequest(change: change)) == "change.controls")
    for count in [256, 257] {
      let inputs = Array(repeating: SessionInput(device: "0"), count: count)
      let labels = Array(repeating: "", count: count)
      let photo = PhotoSettings(tags: Array(repeating: PhotoTag(), count: count))
      let grant = Grant(cameras: Array(repeating: "*", count: count))
      let expected = { (text: String) in count == 256 ? nil : text }
      #expect(
        list(ConfigureSessionRequest(configuration: .init(inputs: inputs)))
          == expected("configuration.inputs"))
      #expect(list(WatchAssetsRequest(filter: AssetFilter(labels: labels))) == expected("filter.labels"))
      #expect(list(CapturePhotoRequest(settings: photo)) == expected("settings.tags"))
      #expect(list(StartJobRequest(timelapse: .init(photo: photo))) == expected("timelapse.photo.tags"))
      #expect(list(NewPairingRequest(grants: [Grant(), grant])) == expected("grants.cameras"))
    }
    let connections = Array(repeating: SessionConnection(device: "0", output: "a"), count: 300)
    #expect(
      list(ConfigureSessionRequest(configuration: .init(connections: connections)))
        == "configuration.connections")
  }

  /// A decoder joins the parts.
  @Test func aMessageInPartsIsOneThatIsTooLong() {
    let tags = CapturePhotoRequest(settings: PhotoSettings(tags: Array(repeating: PhotoTag(), count: 200)))
    #expect(list(tags) == nil)
    let parts = tags.encoded() + tags.encoded()
    #expect(
      parts.withUnsafeBytes { ListScan.tooLong(in: $0, of: CapturePhotoRequest.self) } == "settings")
  }

  /// The bytes of text, of arrays and of what is no message are nobody's list.
  @Test func longValuesAreNoLists() {
    let values = ControlValue(kind: .integers(.init(values: Array(repeating: 16, count: 5_000))))
    #expect(list(SetControlsRequest(assignments: [.init(name: "grid", kind: .value(values))])) == nil)
    let text = String(repeating: "\u{8}\u{1}", count: 5_000)
    #expect(list(SetControlsRequest(assignments: [.init(name: "grid", kind: .literal(text))])) == nil)
    #expect(list(WatchSettingsRequest(device: text)) == nil)
    let torn: [UInt8] = Array(repeating: 0xFF, count: 5_000)
    #expect(torn.withUnsafeBytes { ListScan.tooLong(in: $0, of: WatchSettingsRequest.self) } == nil)
  }

  /// Fields that the contract does not have would be kept one by one; numbers in a list of their own, however they are written, are not.
  @Test func unknownFieldsCountAndNumbersDoNot() {
    let unknown = Array(repeating: [UInt8](arrayLiteral: 30 << 3 & 0x7F | 0x80, 1, 1), count: 257).flatMap(
      \.self)
    #expect(unknown.withUnsafeBytes { ListScan.tooLong(in: $0, of: InfoRequest.self) } == "field 30")
    let numbers = Array(repeating: [UInt8](arrayLiteral: 1 << 3, 16), count: 5_000).flatMap(\.self)
    #expect(numbers.withUnsafeBytes { ListScan.tooLong(in: $0, of: IntegerArray.self) } == nil)
  }
}
