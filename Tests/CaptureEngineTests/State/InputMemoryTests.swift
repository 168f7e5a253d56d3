import CaptureModel
import Testing

@testable import CaptureEngine

@Suite struct InputMemoryTests {
  private let inputs = [
    CameraInput(index: 0, name: "TV 0"), CameraInput(index: 1, name: "HDMI"),
    CameraInput(index: 2, name: "HDMI"), CameraInput(index: 3, name: "1"),
  ]

  @Test func aKeptInputIsFoundByItsNameWhereItHasMoved() {
    #expect(inputs.find(InputMemory(inputs[2]))?.index == 2)
    #expect(inputs.find(InputMemory(CameraInput(index: 7, name: "TV 0")))?.index == 0)
    #expect(inputs.find(InputMemory(CameraInput(index: 0, name: "SDI"))) == nil)
  }
}
