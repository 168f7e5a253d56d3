import CaptureClient
import CaptureControls
import Testing

@testable import capturectl

/// Tables on terminals of 80 columns and fewer.
@Suite struct NarrowTerminalTests {
  private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  @Test func flexibleColumnsGiveWayByWhatTheyHaveToSpare() {
    var table = TextTable(.flexible("A"), "FIXED", .flexible("B"), .flexible("C"))
    table.add(repeated("a", 28), "fixed", repeated("b", 48), "cccccc")
    // 93 columns. The 33 too many are 11 of A's 20 to spare, and 22 of B's 40.
    let lines = table.text(width: 60).split(separator: "\n")
    #expect(lines[1] == "\(repeated("a", 17))  fixed  \(repeated("b", 26))  cccccc")
    #expect(lines.count == 3 && lines.allSatisfy { $0.count <= 60 })
  }

  @Test func columnsOfWordsGiveWayWhereFlexibleOnesCannotEnough() {
    var table = TextTable("A", .flexible("B"), .number("N"))
    table.add(repeated("a", 40), repeated("b", 20), repeated("9", 6))
    let lines = table.text(width: 40).split(separator: "\n")
    #expect(lines[1] == "\(repeated("a", 22))  \(repeated("b", 8))  999999")
    #expect(lines.count == 4 && lines[2].hasPrefix(repeated("a", 18) + " "))
  }

  @Test func rowsOfATableThatCannotBeNarrowEnoughAreLists() {
    var table = TextTable(.flexible("A"), .flexible("TEN LETTER"), .number("N"))
    table.add(repeated("a", 20), repeated("b", 20), "1")
    table.add("", repeated("b", 25), "2")
    #expect(
      table.text(width: 20) == """
        A           aaaaaaaaaaaaaaaaaaaa
        TEN LETTER  bbbbbbbbbbbbbbbbbbbb
        N           1

        TEN LETTER  bbbbbbbbbbbbbbbbbbbb
                    bbbbb
        N           2

        """)
    #expect(table.text(width: 32).hasPrefix("A         "))
  }

  @Test func longValuesOfAListGoOnBelowTheirBeginning() {
    let items: TextList = ["Name": repeated("word ", 8) + "end", "Nothing": nil, "N": "short"]
    #expect(
      items.text(width: 30) == """
        Name  word word word word word
              word word word end
        N     short

        """)
    #expect(items.text(width: nil).split(separator: "\n").count == 2)
  }

  @Test func statusFitsEightyColumns() {
    var idle = CameraStatus(index: 0, id: CameraID(rawValue: "idle"))
    idle.buffers = 4
    var busy = CameraStatus(index: 11, id: CameraID(rawValue: "busy"))
    (busy.isStreaming, busy.pixelFormat) = (true, .yuyv)
    (busy.size, busy.interval) = (FrameSize(width: 1920, height: 1080), FrameInterval(rate: 30))
    (busy.measuredRate, busy.subscribers) = (29.97, 12)
    (busy.frames, busy.framesFlagged, busy.framesLost) = (2_592_000, 20, 1_234)
    (busy.framesDiscarded, busy.restarts, busy.framesEncoded) = (54_321, 3, 999_999)
    (busy.buffers, busy.buffersLent) = (4, 2)
    var status = NodeStatus()
    (status.uptime, status.clients, status.clientsTotal) = (.seconds(86_400), 12, 40_000)
    status.cameras = [busy, idle]
    status.viewers = [
      Viewer(
        camera: busy.id, kind: .video, client: repeated("c", 64),
        address: "[2001:db8:85a3::8a2e:370:7334]:53211", age: .seconds(86_399), isWaiting: true),
      Viewer(camera: idle.id, kind: .photo, user: "user 1000", address: "unix", age: .milliseconds(1)),
      Viewer(camera: idle.id, kind: nil, address: "192.0.2.7:1", age: .seconds(1)),
    ]
    let lines = text(status, width: 80).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  0  idle ") })
    #expect(lines.contains { $0.hasPrefix("0    user 1000 ") && $0.contains("Unix socket") })
    #expect(lines.contains { $0.hasPrefix("0    somebody ") && $0.contains(" something else ") })
    // What its short headings mean.
    #expect(lines.contains { $0.hasPrefix("LOST: gaps in the camera's numbering. BAD: ") })
    for width in 40...79 {
      let narrow = text(status, width: width).split(separator: "\n")
      #expect(narrow.allSatisfy { $0.count <= width }, "\(width): \(narrow)")
    }
    status.cameras = [idle]
    let table = [text(status, width: 80), text(status, width: nil)].map { $0.prefix { $0 != ":" } }
    #expect(table[0] == table[1])
  }

  @Test func controlsFitEightyColumnsInFewLines() {
    let names = ["Manual", "Daylight", "Cloudy", "Tungsten", "Fluorescent H"]
    let preset = ControlDescription(
      id: ControlID(rawValue: 1), name: "white_balance_preset_number", label: "Preset", type: .menu,
      maximum: 4, menu: names.enumerated().map { .init(index: Int64($0.offset), content: .name($0.element)) },
      flags: [.inactive])
    let text = tables([CameraControl(description: preset, value: .integer(4))], width: 80)
    let lines = text.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 } && lines.count <= 7, "\(text)")
    for width in 40...79 {
      let narrow = tables([CameraControl(description: preset, value: .integer(4))], width: width)
      #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= width }, "\(width): \(narrow)")
    }
  }

  /// What a node says of the presets of a camera with these formats.
  private func presets(_ formats: [FormatDescription])
    -> [(preset: SessionPreset, format: Result<ActiveFormat, CaptureError>)]
  {
    let choice = PresetChoice(camera: "it", formats: formats, isEncodable: { _ in true })
    return SessionPreset.allCases.map { preset in
      do throws(CaptureError) {
        let wanted = try choice.wanted(preset)
        let stream = try FormatChoice(camera: "it", formats: formats, isEncodable: { _ in true })
          .choose(wanted.request, for: wanted.purpose)
        return (preset, .success(.init(size: stream.size)))
      } catch {
        return (preset, .failure(error))
      }
    }
  }

  @Test func aDescriptionHasAllOfACameraOnEightyColumns() throws {
    let rates = [30.0, 15].map { FrameInterval(rate: $0)! }
    func size(_ width: Int, _ height: Int, _ rates: [FrameInterval]) -> SizeOption {
      .init(discrete: FrameSize(width: width, height: height), intervals: .discrete(rates))
    }
    let bayer = PixelFormat("BA81")!
    func format(_ format: PixelFormat, _ sizes: [SizeOption]) -> CameraFormat {
      CameraFormat(
        description: .init(pixelFormat: format, description: "", sizes: sizes),
        abilities: .init(isAvailableAsJPEG: format != bayer))
    }
    let small = [size(320, 240, rates), size(640, 480, rates)]
    let formats = [
      format(.yuyv, small), format(.nv12, small), format(bayer, [size(1920, 1080, [rates[1]])]),
      format(.mjpeg, small + [size(1280, 720, [rates[0]])]),
    ]
    func control(
      _ id: UInt32, _ name: String, _ type: ControlType, flags: ControlFlags = [],
      menu: [ControlDescription.MenuItem] = []
    ) -> CameraControl {
      CameraControl(
        description: .init(
          id: ControlID(rawValue: id), name: name, label: name, type: type, maximum: 255, menu: menu,
          flags: flags, className: id < 4 ? "User Controls" : "Camera Controls"), value: .integer(0))
    }
    let menu = ["Disabled", "50 Hz", "60 Hz"].enumerated().map {
      ControlDescription.MenuItem(index: Int64($0.offset), content: .name($0.element))
    }
    let controls = [
      control(1, "brightness", .integer), control(2, "power_line_frequency", .menu, menu: menu),
      control(3, "gain", .integer), control(4, "privacy", .boolean, flags: .readOnly),
      control(5, "pan_reset", .button),
    ]
    let camera = CameraDescription(
      id: CameraID(rawValue: "usb-1"), name: "HD Webcam", driver: "uvcvideo", bus: "usb", path: "/dev/video0",
      position: .front)
    var settings = SettingsDescription()
    settings.controls = [
      .init(
        setting: .gain, control: ControlID(rawValue: 3), name: "gain", conversion: "",
        delay: .init(frames: 0, provenance: .assumed))
    ]
    let overview = CameraOverview(
      info: CameraInfo(index: 0, description: camera, isPresent: true), name: "0", formats: formats,
      presets: presets(formats.map(\.description).filter { $0.pixelFormat != bayer }),
      settings: settings, controls: controls)
    #expect(
      text(overview, width: 80).hasPrefix(
        """
        camera          usb-1
        name            HD Webcam (uvcvideo, /dev/video0)
        position        front
        formats         YUYV, NV12: 640x480, 320x240 at 30, 15 frames/s
                        BA81: 1920x1080 at 15 frames/s, not as JPEG
                        MJPG: 1280x720 at 30; 640x480, 320x240 at 30, 15 frames/s
        presets         photo 1280x720, high 1280x720, medium 640x480, low 320x240,
                        640x480, 1280x720, iFrame1280x720, inputPriority 1280x720; not
                        352x288, 1920x1080, iFrame960x540
        focus           fixed

        """))
    #expect(
      text(overview, width: 80).contains(
        """

        other controls  User Controls: brightness 0 to 255; power_line_frequency
                        Disabled, 50 Hz, 60 Hz
                        Camera Controls: privacy (read-only); pan_reset
        calibrated      no

        """))
    for width in 40...80 {
      let lines = text(overview, width: width).split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= width }, "\(width): \(lines)")
    }
    let json = "\(JSON(overview))"
    #expect(json.contains(#""position":"front""#) && json.contains(#""pixel_format":"NV12""#))
    #expect(json.contains(#"{"preset":"high","size":{"width":1280,"height":720},"refusal":null}"#))
    #expect(json.contains(#""other_controls":[{"id":1,"name":"brightness""#))
  }
}
