import CaptureControls
import CaptureModel
import Testing

@Suite struct ControlTableTests {
  private func control(_ name: String, _ type: ControlType = .integer) -> ControlDescription {
    ControlDescription(id: ControlID(rawValue: 0x98_0900), name: name, label: name, type: type)
  }

  @Test func controlsAreFoundByNameLabelOrNumberAndTheClosestAreNamedElse() throws {
    var focus = control("focus_absolute")
    focus.label = "Focus, Absolute"
    focus.id = ControlID(rawValue: 0x9a090a)
    let table = ControlTable(
      camera: "'cam'", [control("camera_controls", .controlClass), control("brightness"), focus])
    for text in ["focus_absolute", "Focus, Absolute", "0x9a090a", "0x009A090A", "10094858"] {
      #expect(try table.find(text) == focus)
    }
    let zeros = String(repeating: "0", count: 60_000)
    for text in [
      "0x0009a090a", "0x\(zeros)9a090a", "0x+9a090a", "+10094858", "010094858", "\(zeros)10094858",
    ] {
      #expect(throws: CaptureError.self) { try table.find(text) }
    }
    #expect {
      _ = try table.find(zeros)
    } throws: {
      ($0 as? CaptureError)?.message.contains("nor one with a name like that") == true
    }
    #expect {
      _ = try table.find("brightnes")
    } throws: {
      let error = $0 as? CaptureError
      return error?.code == .notFound
        && error?.message.hasSuffix("closest: brightness") == true
    }
    #expect {
      _ = try table.find("nothing")
    } throws: {
      ($0 as? CaptureError)?.message
        == "'cam' has no control 'nothing', nor one with a name like that; list its 2 controls to see their names"
    }
  }

  @Test func anErrorNamesALongNameByItsBeginning() {
    #expect {
      _ = try ControlTable(camera: "'front'", [control("gain")]).find(
        "nobody\n<3>forged" + String(repeating: "y", count: 60_000))
    } throws: {
      let message = "\($0)"
      return message.utf8.count < 600 && message.contains("60016 bytes") && !message.contains("\n")
    }
  }
}
