import CaptureModel
import Testing

@Suite struct CameraScopeTests {
  private let door = CameraID(rawValue: "usb-0000:00:14.0-2-046d_0825_1A2B3C")
  private let roof = CameraID(rawValue: "usb-0000:00:14.0-3-046d_0825_1A2B3C")

  @Test func withoutPatternsItIsEveryCamera() {
    #expect(CameraScope.every.contains(door))
    #expect(CameraScope.every.unmatched(by: []).isEmpty)
  }

  @Test func aPatternIsOfTheWholeIdentity() {
    for (pattern, isRight) in [
      ("usb-*", true), ("*", true), ("*-2-*", true), ("usb-0000:00:14.0-[12]-*", true),
      ("usb-????:00:14.0-2-*", true),
      (door.rawValue, true), ("usb", false), ("*-2", false), ("USB-*", false), ("*-[3-9]-*", false),
      ("", false),
    ] {
      #expect(CameraScope([pattern]).contains(door) == isRight, "\(pattern)")
    }
  }

  @Test func oneOfSeveralIsEnough() {
    let scope = CameraScope(["pci-*", "*-3-*"])
    #expect(!scope.contains(door) && scope.contains(roof))
    #expect(scope.unmatched(by: [door, roof]) == ["pci-*"])
    #expect(scope.unmatched(by: [door]) == scope.patterns)
  }

  @Test func whatMeansSomethingElseToTheLibraryIsNoPattern() {
    for text in [
      "", " ", "a b", "[!a]", "a\\*", "é", String(repeating: "a", count: 129), "usb-[[:digit:]]*",
      "[[.u.]]sb", "usb-[0*", "[]a", "[z-a]*", "[^]",
    ] {
      #expect(!CameraScope.isPattern(text), "\(text)")
    }
    #expect(CameraScope.isPattern("usb-*:[0-9]?") && CameraScope.isPattern("[^a]*"))
  }

  @Test func indicesOfThoseThatAreSeenHaveNoGaps() throws {
    var roster = CameraRoster()
    for id in [door, roof, CameraID(rawValue: "pci-1")] {
      roster.appeared(CameraDescription(id: id, name: id.rawValue, driver: "uvcvideo"))
    }
    let scope = CameraScope(["*-3-*", "pci-*"])
    let seen = roster.seen(by: scope)
    #expect(seen.entries.map(\.index) == [0, 1])
    #expect(try seen.find("0").description.id == roof)
    #expect(try seen.find("1").description.id.rawValue == "pci-1")
    #expect(throws: CaptureError.self) { try seen.find("7") }
    #expect(throws: CaptureError.self) { try seen.find(door.rawValue) }
    let events = roster.entries.map { CameraRoster.Event(kind: .present, camera: $0) }
    #expect(events.map { roster.seen($0, by: scope)?.camera?.index } == [nil, 0, 1])
    #expect(roster.seen(CameraRoster.Event(kind: .listed), by: scope) != nil)
  }

  @Test func aScopeCoversAPatternWhereTheTextsSaySo() {
    for (wide, pattern, isCovered) in [
      ("*", "usb-[0-9]?*", true), ("usb-*", "usb-*", true), ("usb-[0-9]", "usb-[0-9]", true),
      ("usb-*", "usb-0*-2", true), ("usb-*", "usb-?", true), ("usb-?", "usb-1", true),
      ("usb-[12]", "usb-1", true),
      // It may be so, and these texts do not say it; or it is not.
      ("usb-?", "usb-*", false), ("usb-[12]", "usb-?", false), ("*c]", "x[bc]", false),
      ("usb-1", "usb-*", false),
      ("usb-*", "*", false), ("usb-[12]", "usb-3", false),
    ] {
      #expect(CameraScope([wide]).covers(pattern) == isCovered, "\(wide) \(pattern)")
    }
    #expect(CameraScope.every.covers("*"))
    #expect(CameraScope(["pci-*", "usb-*"]).covers("usb-1"))
  }

  @Test func whatIsAddedTakesThePlaceOfWhatItCovers() {
    #expect(CameraScope.every.adding(CameraScope(["usb-*"])) == .every)
    #expect(CameraScope(["usb-1"]).adding(.every) == .every)
    let wider = CameraScope(["usb-1", "pci-1"]).adding(CameraScope(["usb-*", "usb-*"]))
    #expect(wider.patterns == ["pci-1", "usb-*"])
    #expect(CameraScope(["usb-*"]).adding(CameraScope(["usb-1"])).patterns == ["usb-*"])
  }
}
