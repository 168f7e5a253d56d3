import CCaptureShims
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureV4L2

struct EDIDTests {
  private let short = [UInt8](repeating: 1, count: 128)
  private let long = [UInt8](repeating: 1, count: 256)

  @Test func onlyAnInputThatHasAnotherOneGetsIt() async throws {
    let card = try FakeCard(hasEvents: false)
    var writings: Int { card.driver.calls(of: capture_VIDIOC_S_EDID) }
    try await card.port.setEDID(short)
    #expect(writings == 2, "there are two inputs")
    try await card.port.setEDID(short)
    #expect(writings == 2)
    // As another program, or the driver, may have left it.
    card.change { $0.edids[1] = nil }
    try await card.port.setEDID(short)
    #expect(writings == 3)
    for edid in [long, short, short.map { $0 + 1 }] {
      let before = writings
      try await card.port.setEDID(edid)
      #expect(writings == before + 2)
    }
    await card.port.close()
  }

  @Test func whereTheDriverDoesNotTellItItIsWritten() async throws {
    let card = try FakeCard(hasEvents: false)
    try await card.port.setEDID(short)
    card.driver.fail(capture_VIDIOC_G_EDID, .notTTY, .notTTY)
    try await card.port.setEDID(short)
    #expect(card.driver.calls(of: capture_VIDIOC_S_EDID) == 4)
    await card.port.close()
  }
}
