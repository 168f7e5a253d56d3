import CaptureModel
import Testing

struct PhotoMetadataTests {
  private func camera(_ id: String, serial: String = "") -> CameraDescription {
    CameraDescription(id: CameraID(rawValue: id), name: "Webcam", driver: "uvcvideo", serial: serial)
  }

  @Test func aCameraWithoutASerialNumberGetsOneOfItsIdentity() {
    let (twin, other) = (camera("usb-1").photoSerial, camera("usb-2").photoSerial)
    #expect(twin.provenance == .derived && twin.text.count == 16 && twin.text != other.text)
    // It is the same in each process. FNV-1a of no bytes is its basis.
    #expect(camera("").photoSerial.text == "cbf29ce484222325")
    #expect(camera("usb-1", serial: "A7").photoSerial == ("A7", .reported))
  }

  @Test func aTagIsKnownAndHasATextOfOneLine() throws {
    #expect(try PhotoTag(named: "Artist") == .artist)
    let unknown = #expect(throws: CaptureError.self) { try PhotoTag(named: "artist") }
    #expect(
      unknown?.message.contains("Artist, Copyright, ImageDescription, UserComment, CameraOwnerName") == true)
    try PhotoTag.artist.validate("Ä")
    for text in ["", "a\nb", String(repeating: "a", count: PhotoTag.longest + 1)] {
      #expect(throws: CaptureError.self) { try PhotoTag.artist.validate(text) }
    }
  }
}
