import CaptureModel
import Testing

@Suite struct CameraRosterTests {
  private func roster(_ ids: String...) -> CameraRoster {
    var roster = CameraRoster()
    for id in ids { roster.appeared(camera(id)) }
    return roster
  }

  private func camera(_ id: String, path: String = "") -> CameraDescription {
    CameraDescription(id: CameraID(rawValue: id), name: "Webcam \(id)", driver: "uvcvideo", path: path)
  }

  @Test func anIndexIsKeptThroughUnplugAndReplug() {
    var roster = roster("usb-1", "usb-2")
    roster.vanished(CameraID(rawValue: "usb-1"))
    roster.appeared(camera("usb-3"))
    let back = roster.appeared(camera("usb-1", path: "/dev/video7"))
    #expect(back.index == 0 && back.isPresent && back.description.path == "/dev/video7")
    #expect(roster.entries.map(\.description.id.rawValue) == ["usb-1", "usb-2", "usb-3"])
    #expect(roster.vanished(CameraID(rawValue: "never")) == nil)
  }

  @Test func camerasAreFoundByIdentityIndexPartNameOrPath() throws {
    var roster = roster("usb-a-1", "usb-b-12")
    roster.appeared(camera("pci-0", path: "/dev/video2"))
    #expect(try roster.find("usb-a-1").index == 0)
    #expect(try roster.find("1").index == 1)
    #expect(try roster.find("USB-B").index == 1)
    #expect(try roster.find("webcam pci").index == 2)
    #expect(try roster.find("/dev/video2").index == 2)
  }

  /// One that counted would be kept for as long as its call lasts, however long it is.
  @Test(arguments: ["00", "+1", "01", "1 ", String(repeating: "0", count: 60_000)])
  func anIndexHasOneSpelling(reference: String) {
    #expect {
      _ = try roster("usb-a", "usb-b").find(reference)
    } throws: {
      let error = $0 as? CaptureError
      return error?.code == .notFound && error?.message.utf8.count ?? .max < 300
    }
  }

  @Test(arguments: [
    (
      "usb", CaptureError.Code.invalidArgument,
      "'usb' may mean several cameras; there are: 0 'usb-1', 1 'usb-2'"
    ),
    ("x", .notFound, "no camera 'x'; there are: 0 'usb-1', 1 'usb-2' (unplugged)"),
    ("9", .notFound, "no camera '9'"), ("", .invalidArgument, "no camera was named"),
  ])
  func othersAreRefusedNamingThoseThereAre(reference: String, code: CaptureError.Code, text: String) {
    var roster = roster("usb-1", "usb-2")
    if code == .notFound { roster.vanished(CameraID(rawValue: "usb-2")) }
    #expect {
      _ = try roster.find(reference)
    } throws: {
      let error = $0 as? CaptureError
      return error?.code == code && error?.message.hasPrefix(text) == true
    }
  }

  @Test func anEmptyNodeSaysSo() {
    #expect {
      _ = try CameraRoster().find("0")
    } throws: {
      ($0 as? CaptureError)?.message == "no camera '0'; this node has none"
    }
  }

  @Test func theDefaultIsTheOneAtTheBackThenTheFrontThenAnyThatCanBeUsed() {
    func camera(_ id: String, _ position: CameraDescription.Position = .unspecified, usable: Bool = true)
      -> CameraDescription
    {
      CameraDescription(
        id: CameraID(rawValue: id), name: id, driver: "x", position: position,
        unusableReason: usable ? nil : "no")
    }
    var roster = CameraRoster()
    #expect(roster.entries.defaultCamera == nil)
    roster.appeared(camera("broken", .back, usable: false))
    #expect(roster.entries.defaultCamera == nil)
    roster.appeared(camera("usb", .external))
    #expect(roster.entries.defaultCamera?.rawValue == "usb")
    roster.appeared(camera("front", .front))
    #expect(roster.entries.defaultCamera?.rawValue == "front")
    roster.appeared(camera("back", .back))
    #expect(roster.entries.defaultCamera?.rawValue == "back")
    roster.vanished(CameraID(rawValue: "back"))
    #expect(roster.entries.defaultCamera?.rawValue == "front")
  }
}
