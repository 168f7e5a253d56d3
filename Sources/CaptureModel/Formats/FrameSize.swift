/// Pixels of a picture: width by height.
public struct FrameSize: Hashable, Sendable, CustomStringConvertible {
  /// Pixels in a row.
  public var width: Int
  /// Rows.
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Reads "1280x720"; `nil` unless both are from 1 to 65,535.
  public init?(_ text: String) {
    let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = UInt16(parts[0]), let height = UInt16(parts[1]), width > 0, height > 0
    else { return nil }
    self.init(width: Int(width), height: Int(height))
  }

  /// The number of pixels, at most `Int.max`.
  public var area: Int {
    let (area, isTooMuch) = width.multipliedReportingOverflow(by: height)
    return isTooMuch ? .max : area
  }

  public var description: String { "\(width)x\(height)" }
}
