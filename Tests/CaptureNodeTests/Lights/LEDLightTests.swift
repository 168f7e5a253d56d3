import CaptureModel
import CaptureNode
import FoundationEssentials
import Testing

@Suite struct LEDLightTests {
  /// A directory as /sys/class/leds, with one LED.
  private struct Leds {
    let root = FileManager.default.temporaryDirectory.path + "/leds-\(UUID().uuidString)"

    init(maximum: Int = 200) throws {
      try FileManager.default.createDirectory(
        atPath: root + "/white:torch", withIntermediateDirectories: true)
      try write("max_brightness", "\(maximum)\n")
      try write("brightness", "0\n")
    }

    func write(_ file: String, _ text: String) throws {
      try Data(text.utf8).write(to: URL(filePath: "\(root)/white:torch/\(file)"))
    }

    var brightness: String {
      (try? String(decoding: Data(contentsOf: URL(filePath: "\(root)/white:torch/brightness")), as: UTF8.self))
        ?? ""
    }

    func remove() { try? FileManager.default.removeItem(atPath: root) }
  }

  @Test func aLevelIsWrittenAsBrightness() throws {
    let leds = try Leds()
    defer { leds.remove() }
    let light = try LEDLight("white:torch", root: leds.root)
    #expect(light.name == "LED white:torch" && light.steps == 200 && light.hasLevel)
    try light.set(0.5)
    #expect(leds.brightness == "100\n")
    #expect(try light.level() == 0.5)
    try light.set(0.0001)
    #expect(leds.brightness == "1\n")
    try light.set(0)
    #expect(leds.brightness == "0\n")
  }

  @Test func anLEDThatIsNotThereIsNamed() throws {
    let leds = try Leds()
    defer { leds.remove() }
    for name in ["nothing", "../white:torch", ""] {
      #expect(throws: CaptureError.self) { try LEDLight(name, root: leds.root) }
    }
  }

  @Test func anLEDWithoutLevelsIsOnOrOff() throws {
    let leds = try Leds(maximum: 1)
    defer { leds.remove() }
    let light = try LEDLight("white:torch", root: leds.root)
    #expect(light.steps == 1 && !light.hasLevel)
  }
}
