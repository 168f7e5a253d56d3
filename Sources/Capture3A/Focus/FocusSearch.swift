import CaptureModel

/// Autofocus by contrast: moves the lens through its range while frames come, finds where the picture around a point is sharpest, moves back
/// over that in small steps, and ends on the top of the parabola through what it saw.
///
/// The lens never waits for frames on the way: each frame is judged by the position that it was taken at, a lens that needs time being followed
/// in mind.
public struct FocusSearch: Sendable {
  public internal(set) var mode = AutomaticMode.continuous
  /// What is to be sharp; `nil`: the middle.
  public var point: NormalizedPoint? { didSet { if point != oldValue { restart() } } }
  public var restriction = FocusRestriction.none { didSet { if restriction != oldValue { restart() } } }
  public let travel: LensTravel
  /// It is known for sure which frame has which position. Else the two ways of the search, there and back, tell how far off that is.
  public var isDelayKnown: Bool
  /// Of the picture, width by height.
  public var aspect: Double
  /// Searching (`isAdjustingFocus`).
  public var isAdjusting: Bool { if case .watching = phase { false } else { mode != .locked } }

  var phase = Phase.starting
  var lens = LensEstimate()
  var awaited: AwaitedSetting<Double>
  /// Positions to go to, a frame each, once ``hold`` frames have passed.
  var path: [Double] = []
  var hold = 0
  var curve = SharpnessCurve()
  /// The top of the hill as the sweep through the range saw it, and the sweep's step from frame to frame.
  var swept: (top: Double, step: Double)?
  /// Where the lens was before the search.
  var origin: Double?
  var extensions = 0
  var retries = 0

  enum Phase: Sendable {
    case starting
    /// To the end of the range from which the sweep begins.
    case approaching(end: Double)
    /// Through the range, and for some frames still on the way when the lens was already told to turn back to an edge.
    case sweeping(turn: Turn?)
    /// To the edge of the fine search.
    case returning(edge: Double)
    case refining
    /// To the position that was found.
    case arriving(FocusResult, sharpness: Double)
    case watching(FocusWatch)
  }

  /// The lens was told to go back to `edge` some frames ago.
  struct Turn: Sendable {
    var edge: Double
    var frames = 0
  }

  public init(
    travel: LensTravel = LensTravel(), point: NormalizedPoint? = nil, aspect: Double = 4 / 3,
    isDelayKnown: Bool = true, assumedDelay: Int = 3
  ) {
    self.travel = travel
    self.isDelayKnown = isDelayKnown
    self.point = point
    self.aspect = aspect
    awaited = AwaitedSetting(assumedDelay: assumedDelay)
  }

  /// Auto and continuous begin a search.
  public mutating func set(_ mode: AutomaticMode) {
    self.mode = mode
    awaited.forget()
    restart()
  }

  mutating func restart() {
    phase = .starting
    path = []
    hold = 0
    retries = 0
  }

  /// Frames that a delay may be longer than is believed.
  static let doubt = 3
  /// How far around the point zones count, in heights of the picture.
  static let reach = 0.1
}
