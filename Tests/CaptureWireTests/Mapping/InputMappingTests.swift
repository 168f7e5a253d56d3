import CaptureModel
import CaptureWire
import Testing

@Suite struct InputMappingTests {
  @Test(arguments: CaptureModel.InputStatus.allCases)
  func anInputIsTheSameBehindTheWire(status: CaptureModel.InputStatus) {
    let timings = VideoTimings(
      size: FrameSize(width: 720, height: 576), interval: FrameInterval(rate: 25), isInterlaced: true)
    for input in [
      CaptureModel.CameraInput(
        index: 2, name: "HDMI 0", kind: .camera, isSelected: true, status: status, flags: 0x102,
        signal: .timings(timings), detected: nil),
      CaptureModel.CameraInput(index: 0, name: "TV 0", kind: .tuner, signal: .standard("PAL")),
    ] {
      #expect(CaptureWire.CameraInput(input).model == input)
    }
  }
}
