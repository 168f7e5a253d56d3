import CaptureModel
import Testing

@Suite struct PixelFormatTests {
  @Test func readsAndPrintsItsFourCharacters() {
    #expect(PixelFormat("YUYV") == .yuyv)
    #expect(PixelFormat.yuyv.rawValue == 0x5659_5559)
    #expect(PixelFormat("Y10")?.description == "Y10")
    #expect(PixelFormat("AR15-BE")?.rawValue == 0xB531_5241)
    #expect(PixelFormat("AR15-BE")?.description == "AR15-BE")
    #expect(PixelFormat("") == nil)
    #expect(PixelFormat("YUYVX") == nil)
  }
}
