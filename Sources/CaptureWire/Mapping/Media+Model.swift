public import CaptureModel

extension Size {
  public init(_ size: FrameSize) {
    self.init(width: UInt32(clamping: size.width), height: UInt32(clamping: size.height))
  }

  /// `nil` for 0x0: no size was asked for.
  public var model: FrameSize? {
    width == 0 && height == 0 ? nil : FrameSize(width: Int(width), height: Int(height))
  }
}

extension FrameInterval {
  public init(_ interval: CaptureModel.FrameInterval) {
    self.init(numerator: interval.numerator, denominator: interval.denominator)
  }

  /// `nil` for 0/0: unknown.
  public var model: CaptureModel.FrameInterval? {
    CaptureModel.FrameInterval(numerator: numerator, denominator: denominator)
  }

  /// `nil` for 0/0, which is no interval. Throws `invalidArgument`, which names `field`, for a fraction without a numerator or without a denominator.
  func model(_ field: String) throws(CaptureError) -> CaptureModel.FrameInterval? {
    guard numerator != 0 || denominator != 0 else { return nil }
    if let model { return model }
    throw CaptureError(
      .invalidArgument, "a frame duration of \(numerator)/\(denominator) s is not possible",
      .init(.valueNotPossible, field: field, asked: .text("\(numerator)/\(denominator)")))
  }
}

extension MediaType: NumberedOnWire { package typealias Model = CaptureModel.MediaType }

extension Region {
  init(_ rect: NormalizedRect) { self.init(x: rect.x, y: rect.y, width: rect.width, height: rect.height) }

  /// Throws `invalidArgument`, which names `field`, for a rectangle that is not inside a picture.
  func model(_ field: String) throws(CaptureError) -> NormalizedRect {
    do throws(CaptureError) {
      return try NormalizedRect(x: x, y: y, width: width, height: height)
    } catch { throw error.naming(field) }
  }
}

extension Point {
  public init(_ point: NormalizedPoint) { self.init(x: point.x, y: point.y) }

  /// `nil`: a place outside the picture.
  package var model: NormalizedPoint? { try? model("point") }

  /// Throws `invalidArgument`, which names `field`, for a place outside the picture.
  package func model(_ field: String) throws(CaptureError) -> NormalizedPoint {
    do throws(CaptureError) { return try NormalizedPoint(x: x, y: y) } catch { throw error.naming(field) }
  }
}

extension Optional<Point> {
  func model(_ field: String) throws(CaptureError) -> NormalizedPoint? {
    if let self { return try self.model(field) }
    return nil
  }
}

extension FlashOutcome {
  public init(_ outcome: CaptureModel.FlashOutcome?) {
    switch outcome {
    case .fired: self = .fired
    case .notNeeded: self = .notNeeded
    case nil: self = .unspecified
    }
  }

  /// `nil`: the flash is off, or the camera has none.
  package var model: CaptureModel.FlashOutcome? {
    switch self {
    case .fired: .fired
    case .notNeeded: .notNeeded
    default: nil
    }
  }
}
