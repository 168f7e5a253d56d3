public import CaptureModel

extension Size {
  public init(_ size: FrameSize) {
    self.init(width: UInt32(clamping: size.width), height: UInt32(clamping: size.height))
  }

  /// `nil` for 0x0: none was asked for.
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
}

extension MediaType: NumberedOnWire { typealias Model = CaptureModel.MediaType }

extension Region {
  init(_ rect: NormalizedRect) { self.init(x: rect.x, y: rect.y, width: rect.width, height: rect.height) }

  /// Throws `invalidArgument`, which names `field`, for a rectangle that is not inside a picture.
  func checked(as field: String) throws(CaptureError) -> NormalizedRect {
    do throws(CaptureError) {
      return try NormalizedRect(x: x, y: y, width: width, height: height)
    } catch { throw error.naming(field) }
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

  /// `nil`: it is off, or the camera has none.
  package var model: CaptureModel.FlashOutcome? {
    switch self {
    case .fired: .fired
    case .notNeeded: .notNeeded
    default: nil
    }
  }
}
