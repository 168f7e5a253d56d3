import CaptureModel
import Testing

@Suite struct ControlTests {
  private static func control(
    _ name: String, _ type: ControlType = .integer, _ range: ClosedRange<Int64> = 0...255, step: UInt64 = 1,
    menu: [ControlDescription.MenuItem] = [], elements: Int = 1, dimensions: [Int] = [],
    elementSize: Int = 4, flags: ControlFlags = []
  ) -> ControlDescription {
    ControlDescription(
      id: ControlID(rawValue: 0x98_0900), name: name, label: name, type: type, minimum: range.lowerBound,
      maximum: range.upperBound, step: step, menu: menu, elements: elements,
      dimensions: dimensions, elementSize: elementSize, flags: flags)
  }
  private static let brightness = control("brightness")
  private static let stepped = control("gain", .integer, -10...95, step: 10)
  private static let lineFrequency = control(
    "power_line_frequency", .menu, 0...2,
    menu: [
      .init(index: 0, content: .name("Disabled")), .init(index: 2, content: .name("60 Hz")),
    ])
  private static let bits = control("bits", .bitmask, 0...0x8000_2000)
  private static let switchControl = control("hflip", .boolean, 0...1)
  private static let matrix = control("matrix", .u8, 0...9, elements: 3)
  private static let single = control("single", .u32, 0...9, dimensions: [1])
  private static let dynamic = control("dynamic", .u32, 0...9, dimensions: [3], flags: .dynamicArray)
  private static let text = control("text", .string, 2...4)
  private static let wide = control("wide", .integer64, Int64.min...Int64.max)

  @Test(arguments: [
    (brightness, "12", ControlValue.integer(12)), (brightness, "0xff", .integer(255)),
    (stepped, "-10", .integer(-10)),
    (lineFrequency, "60 hz", .integer(2)), (lineFrequency, "0", .integer(0)),
    (switchControl, "on", .integer(1)),
    (switchControl, "False", .integer(0)), (matrix, "1,2, 3", .integers([1, 2, 3])),
    (matrix, "7", .integers([7, 7, 7])), (single, "7", .integers([7])),
    (dynamic, "1,2,3", .integers([1, 2, 3])), (dynamic, "4", .integers([4])),
    (text, "abc", .text("abc")),
    (bits, "0x80002000", .integer(0x8000_2000)), (wide, "-9223372036854775808", .integer(.min)),
    (control("b", .button), "", .integer(0)),
    (control("c", .compound(0x200), elementSize: 2), "00 fF", .raw([0, 255])),
  ])
  func literalsAreReadAsPeopleWriteThem(control: ControlDescription, literal: String, value: ControlValue)
    throws
  {
    #expect(try control.checked(control.value(of: literal)) == value)
  }

  @Test(arguments: [
    (brightness, "256", "brightness cannot be 256: it goes from 0 to 255"),
    (brightness, "x", "takes a number from 0 to 255"),
    (stepped, "5", "goes from -10 to 95 in steps of 10"), (lineFrequency, "1", "0 'Disabled', 2 '60 Hz'"),
    (lineFrequency, "50 Hz", "0 'Disabled', 2 '60 Hz'"), (switchControl, "perhaps", "on or off"),
    (matrix, "1,2", "2 values: it takes 3"), (dynamic, "1,2,3,4", "4 values: it takes 1 to 3"),
    (matrix, "1,2,10", "from 0 to 9"), (text, "a", "takes 2 to 4"),
    (bits, "0x1", "takes bits of 0x80002000"),
    (control("c", .compound(0x200), elementSize: 2), "0", "hex bytes"),
  ])
  func wrongValuesAreRefusedWithWhatIsPossible(control: ControlDescription, literal: String, text: String) {
    #expect {
      _ = try control.checked(control.value(of: literal))
    } throws: {
      let error = $0 as? CaptureError
      return error?.code == .invalidArgument && error?.message.contains(text) == true
    }
  }

  @Test(
    arguments: [
      (brightness, 300, 255), (brightness, -1, 0), (stepped, 4, 0), (stepped, 5, 10), (stepped, 95, 90),
      (stepped, .max, 90),
      (lineFrequency, 9, 2), (bits, 0x2001, 0x2000), (wide, Int64.max, Int64.max),
    ] as [(ControlDescription, Int64, Int64)])
  func clampingGivesTheNearestPossibleValue(control: ControlDescription, asked: Int64, nearest: Int64) throws
  {
    #expect(try control.checked(.integer(asked), clamping: true) == .integer(nearest))
  }

  @Test(arguments: [
    (ControlFlags.readOnly, "read-only"), (.inactive, "or the mode that uses it is off; change that"),
    (.grabbed, "in use"),
    (.disabled, "disabled"),
  ])
  func whatCannotBeSetNowSaysWhy(flags: ControlFlags, text: String) {
    #expect {
      try Self.control("x", flags: flags).requireSettable()
    } throws: {
      let error = $0 as? CaptureError
      return error?.code == .failedPrecondition && error?.message.contains(text) == true
    }
  }

  @Test func writeOnlyControlsAndButtonsHaveNoValue() {
    #expect(throws: CaptureError.self) { try Self.control("x", flags: .writeOnly).requireReadable() }
    #expect(throws: CaptureError.self) { try Self.control("x", .button).requireReadable() }
  }
}
