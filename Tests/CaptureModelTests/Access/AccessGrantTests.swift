import CaptureModel
import Testing

@Suite struct AccessGrantTests {
  private func grant(_ text: String) throws -> AccessGrant { try AccessGrant(parsing: text) }

  @Test func aTextSaysRoleMediumAndPattern() throws {
    #expect(try grant("view") == AccessGrant(.view))
    #expect(
      try grant("control:usb-0000:00:14.0-2-*")
        == AccessGrant(.control, cameras: CameraScope(["usb-0000:00:14.0-2-*"])))
    #expect(try grant("view/library") == AccessGrant(.view, media: [.library]))
    #expect(
      try grant("control/video:usb-a/b*")
        == AccessGrant(.control, cameras: CameraScope(["usb-a/b*"]), media: [.video]))
  }

  @Test(arguments: [
    ("", "with the role view or control"), ("boss:usb-*", "with the role view or control"),
    ("admin", "an admin has every camera and medium"), ("view/audio", "with the medium video or library"),
    ("view/video/library", "with the medium"), ("view:", "a pattern of cameras"),
    ("view:a b", "a pattern of cameras"),
    ("usb-*", "ROLE[/MEDIUM][:PATTERN]"),
  ])
  func anErrorSaysWhatIsPossible(text: String, word: String) {
    do throws(AccessGrant.TextError) {
      _ = try AccessGrant(parsing: text)
      Issue.record("'\(text)' was taken")
    } catch {
      #expect(error.expectation.contains(word), "\(error.expectation)")
      // Options are a program's to name.
      #expect(!error.expectation.contains("--") && error.namesAdmin == (text == "admin"))
    }
  }

  @Test func whatIsAddedIsJoinedWhereThatSaysTheSame() throws {
    func adding(_ texts: String...) throws -> [AccessGrant] { [].adding(try texts.map { try grant($0) }) }
    #expect(try adding("view:a", "view:b") == [AccessGrant(.view, cameras: CameraScope(["a", "b"]))])
    #expect(try adding("view/video:a", "view/library:a") == [try grant("view:a")])
    #expect(
      try adding("view/video:a", "view/library:b") == [
        try grant("view/video:a"), try grant("view/library:b"),
      ])
    #expect(try adding("view:a", "control:a*") == [try grant("control:a*")], "another one gives it too")
    #expect(try adding("view", "control:a", "view:b") == [try grant("view"), try grant("control:a")])
    // What two join to takes a third in.
    #expect(
      try adding("view/video:a", "view:b", "view/library:a") == [
        AccessGrant(.view, cameras: CameraScope(["b", "a"]))
      ])
  }

  @Test func severalCoverOneTogether() throws {
    let desk = [try grant("control/video:usb-*"), try grant("view")]
    for (text, isCovered) in [
      ("control/video:usb-1", true), ("control:usb-1", false), ("view:usb-1", true), ("view", true),
      ("control/video", false), ("control/video:pci-1", false),
    ] { #expect(desk.cover(try grant(text)) == isCovered, "\(text)") }
    #expect([try grant("view/video"), try grant("view/library")].cover(try grant("view")))
    #expect(![AccessGrant]().cover(try grant("view")))
  }

  @Test func allOfThemAreSummedUp() throws {
    let desk = [try grant("control/video:usb-*"), try grant("view:usb-1")]
    #expect(desk.role == .control && desk.cameras?.patterns == ["usb-*"] && desk.patternCount == 2)
    #expect(desk[0].description == "control of the video of the camera usb-*")
    #expect(AccessGrant(.view).description == "view of every camera")
    #expect([AccessGrant]().cameras == nil, "not every one")
  }
}
