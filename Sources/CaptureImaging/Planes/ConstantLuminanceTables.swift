import CPixelKernels
import CaptureModel
import Glibc

/// The tables of ``pixels_constant_luminance`` (ITU-R BT.2020-2, table 4), made when they are first needed. Not thread-safe.
final class ConstantLuminanceTables {
  private var table: UnsafeMutablePointer<constant_luminance>?
  private var isFullRange = false

  deinit { table?.deallocate() }

  func with(isFullRange: Bool, _ body: (UnsafePointer<constant_luminance>) -> Void) {
    if let table, self.isFullRange == isFullRange { return body(table) }
    let table = table ?? .allocate(capacity: 1)
    fill(&table.pointee, isFullRange)
    (self.table, self.isFullRange) = (table, isFullRange)
    body(table)
  }

  private func fill(_ table: inout constant_luminance, _ isFullRange: Bool) {
    let top = Double(LIGHT_LEVELS - 1)
    let lights = Double(SAMPLED_LIGHTS - 1)
    func level(_ value: Double) -> Int16 { Int16((value * top).rounded()) }
    Self.fill(&table.luma) { sample in
      level(isFullRange ? sample / 255 : (sample - 16) / 219)
    }
    // The difference of a colour from luma has one range below luma, and another above it.
    func chroma(_ sample: Double, _ below: Double, _ above: Double) -> Int16 {
      let value = (sample - 128) / (isFullRange ? 255 : 224)
      return level(value * (value < 0 ? below : above))
    }
    Self.fill(&table.blue) { chroma($0, 1.9404, 1.5816) }
    Self.fill(&table.red) { chroma($0, 1.7184, 0.9936) }
    Self.fill(&table.light) { Float(Self.light($0 / top)) }
    Self.fill(&table.sample) { UInt8(($0 / top * 255).rounded()) }
    Self.fill(&table.sample_of_light) { UInt8((Self.value($0 / lights) * 255).rounded()) }
    let (red, blue) = ColorMatrix.rec2020ConstantLuminance.lumaWeights
    let green = 1 - red - blue
    table.green_of_luminance = Float(1 / green)
    table.green_of_red = Float(red / green)
    table.green_of_blue = Float(blue / green)
  }

  /// Fills one of the C struct's arrays.
  private static func fill<Array, Element>(_ array: inout Array, _ entry: (Double) -> Element) {
    withUnsafeMutableBytes(of: &array) { bytes in
      let entries = bytes.bindMemory(to: Element.self)
      for index in entries.indices { entries[index] = entry(Double(index)) }
    }
  }

  /// Converts a value to light, both 0 to 1. ``value(_:)`` converts it back.
  private static func light(_ value: Double) -> Double {
    value < 4.5 * knee ? value / 4.5 : pow((value + offset) / (1 + offset), 1 / 0.45)
  }
  private static func value(_ light: Double) -> Double {
    light < knee ? 4.5 * light : (1 + offset) * pow(light, 0.45) - offset
  }
  private static let (knee, offset) = (0.018053968510807, 0.09929682680944)
}
