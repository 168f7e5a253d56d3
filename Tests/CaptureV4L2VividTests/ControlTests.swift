import CaptureModel
import CaptureSystem
import CaptureV4L2
import Synchronization
import Testing

extension VividTests {
  @Suite struct Controls {
    @Test func listsTheControlsThatV4L2CtlLists() async throws {
      try await Cameras.with(singlePlanar) { camera in
        let witness = try run("v4l2-ctl", "-d", camera.description.path, "--list-ctrls")
        let expected = witness.matches(of: /(\w+) 0x([0-9a-f]{8}) \((\w+)\)/).map { "\($0.1) \($0.2)" }
        let controls = try await camera.controls()
        let listed = controls.filter { $0.type != .controlClass }.map { control in
          let id = String(control.id.rawValue, radix: 16)
          return "\(control.name) " + String(repeating: "0", count: 8 - id.count) + id
        }
        #expect(Set(listed) == Set(expected))
        #expect(listed.count == expected.count)
        #expect(Set(controls.map(\.className)).isSuperset(of: ["User Controls", "Vivid Controls"]))
        let menu = controls.first { $0.name == "menu" }
        #expect(menu?.menu.map(\.index) == [1, 3, 4], "with its holes")
      }
    }

    /// One control of every type: our value, and how v4l2-ctl writes it.
    static let values: [(name: String, value: ControlValue, text: String)] = [
      ("brightness", .integer(77), "77"),
      ("boolean", .integer(0), "0"),
      ("menu", .integer(4), "4 (Menu Item 4)"),
      ("integer_menu", .integer(6), "6 (13 0xd)"),
      ("integer_64_bits", .integer(-9_000_000_000), "-9000000000"),
      ("bitmask", .integer(0x8040_2000), "-2143281152"),
      ("string", .text("abcd"), "'abcd'"),
      ("u32_1_element_array", .integers([4242]), "4242"),
      ("u8_2x3x4x5_array", .integers((0..<120).map { 16 + $0 % 17 }), ""),
      ("u16_8x16_matrix", .integers((0..<128).map { 16 + $0 * 60 }), ""),
      ("u32_dynamic_array", .integers([11, 22, 33]), ""),
      ("area", .raw([0x80, 2, 0, 0, 0x68, 1, 0, 0]), "640x360"),
    ]

    @Test func readsBackWhatItSetInEveryType() async throws {
      try await Cameras.with(singlePlanar) { camera in
        for (name, value, _) in Self.values {
          try await camera.set([name: value])
          #expect(try await camera.value(name) == value, "\(name)")
        }
        try await camera.press("button")
      }
    }

    @Test func v4l2CtlReadsBackWhatWasSet() async throws {
      try await Cameras.with(singlePlanar) { camera in
        for (name, value, text) in Self.values {
          try await camera.set([name: value])
          let witness = try run("v4l2-ctl", "-d", camera.description.path, "--get-ctrl", name)
          // It pads the elements of arrays; those longer than a line are left to the reverse test.
          let words = witness.split(whereSeparator: \.isWhitespace).joined(separator: " ")
          if !text.isEmpty { #expect(words == "\(name): \(text)", "\(name)") }
        }
      }
    }

    @Test func readsWhatV4L2CtlSet() async throws {
      try await Cameras.with(singlePlanar) { camera in
        let path = camera.description.path
        let settings: [(String, String, ControlValue)] = [
          ("contrast", "11", .integer(11)),
          ("boolean", "1", .integer(1)),
          ("menu", "3", .integer(3)),
          ("integer_menu", "2", .integer(2)),
          ("integer_64_bits", "123456789012", .integer(123_456_789_012)),
          ("bitmask", "0x2000", .integer(0x2000)),
          ("string", "xy", .text("xy")),
          ("u8_2x3x4x5_array", "20", .integers([Int64](repeating: 20, count: 120))),
        ]
        for (name, text, value) in settings {
          try run("v4l2-ctl", "-d", path, "--set-ctrl", "\(name)=\(text)")
          #expect(try await camera.value(name) == value, "\(name)")
        }
      }
    }

    @Test func explainsWhatCannotBeSet() async throws {
      try await Cameras.with(singlePlanar) { camera in
        try await camera.set(["gain_automatic": .integer(1)])
        let refused: [(String, ControlValue, CaptureError.Code, String)] = [
          ("read_only_integer_32_bits", .integer(1), .failedPrecondition, "can be read, not set"),
          ("menu", .integer(2), .invalidArgument, "1 (Menu Item 1), 3 (Menu Item 3), 4 (Menu Item 4)"),
          ("bitmask", .integer(1 << 40), .outOfRange, "bits of 0x80402010"),
          ("brightness", .text("x"), .invalidArgument, "from 0 to 255"),
          ("string", .text("much too long"), .outOfRange, "2 to 4 bytes"),
          ("area", .raw([1]), .invalidArgument, "8 bytes"),
          ("u16_8x16_matrix", .integers([1]), .invalidArgument, "128 values from 16 to 8192"),
        ]
        for (name, value, code, text) in refused {
          let error = await #expect(throws: CaptureError.self, "\(name)") {
            try await camera.set([name: value])
          }
          #expect(error?.code == code, "\(name): \(error?.message ?? "")")
          #expect(error?.message.contains(text) == true, "\(name): \(error?.message ?? "")")
        }
        let error = await #expect(throws: CaptureError.self) { try await camera.value("button") }
        #expect(error?.code == .failedPrecondition)
      }
    }

    @Test func setsBackWhatItHadSetBeforeAFailure() async throws {
      try await Cameras.with(singlePlanar) { camera in
        try await camera.set(["brightness": .integer(100), "contrast": .integer(100)])
        let controls = try await camera.controls()
        func id(_ name: String) -> ControlID { controls.first { $0.name == name }!.id }
        await #expect(throws: CaptureError.self) {
          try await camera.set([
            ControlAssignment(id("brightness"), .integer(1)),
            ControlAssignment(id("contrast"), .integer(2)),
            ControlAssignment(id("read_only_integer_32_bits"), .integer(3)),
          ])
        }
        #expect(try await camera.value("brightness") == .integer(100))
        #expect(try await camera.value("contrast") == .integer(100))
      }
    }

    @Test func tellsOfChangesThatAnotherProgramMakes() async throws {
      try await Cameras.with(multiPlanar) { camera in
        let changes = Mutex<[ControlChange]>([])
        try await camera.set(["brightness": .integer(1), "gain_automatic": .integer(1)])
        await camera.observeControls { change in changes.withLock { $0.append(change) } }
        let path = camera.description.path
        let controls = try await camera.controls()
        let id = controls.first { $0.name == "brightness" }!.id
        let gain = controls.first { $0.name == "gain" }!.id
        let began = MonotonicClock.now()
        try run("v4l2-ctl", "-d", path, "--set-ctrl", "brightness=201")
        let ended = MonotonicClock.now()
        try await wait(for: "the change, and when it was") {
          changes.withLock { changes in
            changes.contains { change in
              change.id == id && change.value == .integer(201) && began...ended ~= change.time ?? 0
            }
          }
        }
        try run("v4l2-ctl", "-d", path, "--set-ctrl", "gain_automatic=0")
        try await wait(for: "the flag") {
          changes.withLock { $0.contains { $0.id == gain && !$0.flags.contains(.inactive) } }
        }
        await camera.observeControls(nil)
        let count = changes.withLock { $0.count }
        try run("v4l2-ctl", "-d", path, "--set-ctrl", "brightness=7,gain_automatic=1")
        #expect(try await camera.value("brightness") == .integer(7))
        #expect(changes.withLock { $0.count } == count)
      }
    }
  }
}
