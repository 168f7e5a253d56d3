/// How far a picture is turned, clockwise (`AVCaptureConnection.videoRotationAngle`). The raw value is degrees.
public enum Orientation: Int, Hashable, Sendable, CaseIterable {
  /// Not turned.
  case upright = 0
  /// A quarter to the right.
  case clockwise90 = 90
  /// Half a turn.
  case upsideDown = 180
  /// A quarter to the left.
  case clockwise270 = 270

  /// Throws `invalidArgument` for anything but 0, 90, 180 and 270.
  public init(degrees: Int) throws(CaptureError) {
    guard let orientation = Orientation(rawValue: degrees) else {
      throw CaptureError(
        .invalidArgument,
        "an orientation of \(degrees) degrees is not possible; it is 0, 90, 180 or 270, clockwise",
        .init(
          .valueNotPossible, field: "orientation", asked: .number(Double(degrees)),
          possible: Self.allCases.map { "\($0.rawValue)" }))
    }
    self = orientation
  }

  /// Whether a picture that is turned so exchanges its width and its height.
  public var swapsSides: Bool { self == .clockwise90 || self == .clockwise270 }

  /// The turn that undoes this one.
  public var inverse: Orientation { Orientation(quarters: -quarters) }

  /// This turn and another one.
  public static func + (a: Orientation, b: Orientation) -> Orientation {
    Orientation(quarters: a.quarters + b.quarters)
  }

  private var quarters: Int { rawValue / 90 }

  private init(quarters: Int) { self = Orientation(rawValue: (quarters & 3) * 90)! }
}

extension FrameSize {
  /// The size of a picture of this size after it is turned.
  public func turned(_ orientation: Orientation) -> FrameSize {
    orientation.swapsSides ? FrameSize(width: height, height: width) : self
  }
}
