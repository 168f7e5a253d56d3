import CaptureModel

/// How a lens moves.
public struct LensTravel: Hashable, Sendable {
  /// Positions are whole multiples of it; 0: any position.
  public var step: Double
  /// How many frames the lens needs from one end of its travel to the other, at least 1.
  public var framesForWholeTravel: Double
  /// Whether position 0 focuses near things and 1 far ones, as in AVFoundation; otherwise it is the other way round.
  public var zeroIsNear: Bool

  public init(step: Double = 0, framesForWholeTravel: Double = 8, zeroIsNear: Bool = true) {
    self.step = step
    self.framesForWholeTravel = max(framesForWholeTravel, 1)
    self.zeroIsNear = zeroIsNear
  }

  /// The part of the travel that a restriction allows.
  public func positions(_ restriction: FocusRestriction) -> ClosedRange<Double> {
    switch restriction {
    case .none: 0...1
    case .near: zeroIsNear ? 0...0.5 : 0.5...1
    case .far: zeroIsNear ? 0.5...1 : 0...0.5
    }
  }

  /// A position at which most of the scene is tolerably sharp in most lenses: a fifth of the travel from the far end.
  public var hyperfocalGuess: Double { zeroIsNear ? 0.8 : 0.2 }

  func possible(_ position: Double) -> Double {
    step > 0 ? ((position / step).rounded() * step).clamped(to: 0...1) : position
  }
}

/// The part of its travel to which the lens is restricted (`AVCaptureDevice.AutoFocusRangeRestriction`).
public enum FocusRestriction: Sendable { case none, near, far }
