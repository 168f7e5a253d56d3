import CaptureModel
import Testing

@Suite struct CameraInputTests {
  private let inputs = [
    CameraInput(index: 0, name: "TV 0"), CameraInput(index: 1, name: "HDMI"),
    CameraInput(index: 2, name: "HDMI"), CameraInput(index: 3, name: "1"),
  ]

  @Test func anInputIsMeantByNameOrIndex() throws {
    #expect(try inputs.find("tv 0", of: "'card'").index == 0)
    #expect(try inputs.find("2", of: "'card'").index == 2)
    #expect(try inputs.find("1", of: "'card'").index == 3, "a name goes before an index")
  }

  @Test func whatIsNotThereOrNotOneIsRefused() {
    #expect {
      _ = try inputs.find("hdmi", of: "'card'")
    } throws: {
      ($0 as? CaptureError)?.code == .invalidArgument && "\($0)".contains("use an index")
    }
    #expect {
      _ = try inputs.find("SDI", of: "'card'")
    } throws: {
      ($0 as? CaptureError)?.code == .notFound && "\($0)".contains("0 'TV 0', 1 'HDMI'")
    }
    #expect(throws: CaptureError.self, "an index has one spelling") { try inputs.find("02", of: "'card'") }
  }

  @Test func aSignalReadsAsAPersonSaysIt() {
    let size = FrameSize(width: 720, height: 576)
    let timings = VideoTimings(size: size, interval: FrameInterval(rate: 25), isInterlaced: true)
    #expect("\(InputSignal.timings(timings))" == "720x576 interlaced at 25 fps")
    #expect("\(InputSignal.standard("PAL"))" == "PAL")
  }
}
