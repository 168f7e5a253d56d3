import CaptureModel
import Testing

@testable import CaptureSynthetic

struct SyntheticSpecTests {
  @Test func readsSizeAndRate() throws {
    let spec = try #require(try SyntheticSpec.parse("synthetic:1920x1080@60"))
    #expect(spec.size == FrameSize(width: 1920, height: 1080))
    #expect(spec.interval.rate == 60)
    #expect(spec.sizes.first == spec.size)
    #expect(!spec.sizes.contains(FrameSize(width: 3840, height: 2160)))
  }

  @Test func leavesOutWhatIsUsual() throws {
    #expect(try SyntheticSpec.parse("synthetic") == .standard)
    #expect(try SyntheticSpec.parse("synthetic@25")?.interval.rate == 25)
    #expect(try SyntheticSpec.parse("synthetic:640x480")?.interval.rate == 30)
    #expect(SyntheticSpec.standard.sizes.contains(FrameSize(width: 3840, height: 2160)))
    #expect(Set(SyntheticSpec.standard.sizes).count == SyntheticSpec.standard.sizes.count)
  }

  @Test func readsPhysics() throws {
    let plain = try #require(try SyntheticSpec.parse("synthetic:physics"))
    #expect(plain == .physics())
    #expect(plain.size == FrameSize(width: 640, height: 480))
    #expect(plain.sizes.contains(FrameSize(width: 1280, height: 720)))
    let spec = try #require(try SyntheticSpec.parse("synthetic:physics:320x240@15,manual,delay=3,seed=9"))
    #expect(spec.size == FrameSize(width: 320, height: 240))
    #expect(spec.interval.rate == 15)
    #expect(spec.physics?.automation == [])
    #expect(spec.physics?.delay == 3)
    #expect(spec.physics?.seed == 9)
    #expect(try SyntheticSpec.parse("synthetic:physics,illuminant=2700")?.physics?.illuminant == 2700)
    #expect(try SyntheticSpec.parse("synthetic:physics,window=7")?.physics?.window == 7)
    #expect(try SyntheticSpec.parse("synthetic:physics@60")?.interval.rate == 60)
    #expect(try SyntheticSpec.parse("synthetic:physics,manual")?.physics?.automation == [])
    #expect(try SyntheticSpec.parse("synthetic")?.physics == nil)
  }

  @Test func leavesOtherCamerasAlone() throws {
    #expect(try SyntheticSpec.parse("/dev/video0") == nil)
    #expect(try SyntheticSpec.parse("synthetics") == nil)
  }

  @Test(arguments: [
    ("synthetic:", "something is missing"), ("synthetic:640x480@", "something is missing"),
    ("synthetic:big", "\"big\" is no size"), ("synthetic:4000x3000", "160x120 to 3840x2160"),
    ("synthetic:641x480", "even"), ("synthetic:640x480@0", "1 to 120"), ("synthetic:640x480@121", "1 to 120"),
    ("synthetic:640x480@nan", "1 to 120"), ("synthetic:640x480@30@30", "two rates"),
    ("synthetic:physics:1920x1080", "160x120 to 1280x720"), ("synthetic:physics,", "something is missing"),
    ("synthetic:physics,delay=6", "0 to 5"),
    (
      "synthetic:physics,lens",
      "manual, silent, delay=FRAMES, seed=NUMBER, light=EV, illuminant=KELVIN, window=EV"
    ),
    ("synthetic:physics,window=9", "0 to 8 EV more than the room's"),
    ("synthetic:physics,illuminant=1000", "1700 to 25000 kelvin"),
    ("synthetic:physics,light=7", "-16 to 6 EV"),
    ("synthetic:physicist", "\"physicist\" is no size"),
  ])
  func saysWhatIsWrong(text: String, part: String) {
    let error = #expect(throws: CaptureError.self) { try SyntheticSpec.parse(text) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains(part) == true)
  }
}
