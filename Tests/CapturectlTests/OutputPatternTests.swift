import Testing

@testable import capturectl

/// What a photo puts into the name of its file comes from a node, which may be anybody's.
@Suite struct OutputPatternTests {
  @Test func theCameraAndTheFrameAreFilledIn() {
    let name = OutputTarget.file("{camera}-{sequence}.jpg")
    #expect(name.hasPatterns)
    #expect(name.filled(camera: "usb-1", sequence: 17) == .file("usb-1-17.jpg"))
    #expect(!OutputTarget.file("photo.jpg").hasPatterns)
  }

  @Test(arguments: ["..", ".", "../../etc", "/etc/passwd", "a/../..", "/\u{301}etc"])
  func noIdentityLeavesTheFolder(camera: String) {
    let name = OutputTarget.file("photos/{camera}/x.jpg").filled(camera: camera, sequence: 1)
    guard case .file(let path) = name else {
      Issue.record("it is no file any more")
      return
    }
    let parts = path.unicodeScalars.split(separator: "/").map(String.init)
    #expect(parts.count == 3 && parts[0] == "photos" && parts[2] == "x.jpg", "\(path)")
    #expect(parts[1] != "." && parts[1] != "..", "\(path)")
  }
}
