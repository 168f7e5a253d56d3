import CaptureModel

/// Autofocus by contrast: moves the lens through its range while frames come, finds where the picture around a point is sharpest, moves back
/// over that in small steps, and ends on the top of the parabola through what it saw.
///
/// The lens never waits for frames on the way: each frame is judged by the position that it was taken at, a lens that needs time being followed
/// in mind. Where it is not known for sure which frame has which position, and what was found is not as sharp as the lens has seen it be, all is
/// searched once more patiently: then the lens rests at each position.
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
  /// Frames that are believed to show where the lens was told to go last.
  var rested = 0
  var pace = Pace.quick
  var curve = SharpnessCurve()
  /// The top of the hill as the sweep through the range saw it, and the sweep's step from frame to frame.
  var swept: (top: Double, step: Double)?
  /// Where the lens was before the search.
  var origin: Double?
  /// Of this search, wherever it was.
  var sharpest = 0.0
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
    case arriving(FocusResult)
    case watching(FocusWatch)
  }

  enum Pace: Sendable {
    /// The lens goes on with every frame.
    case quick
    /// It rests at each position until a frame shows it, however late; no other is judged.
    case patient
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
    pace = .quick
    origin = nil
  }

  /// Each frame that is judged was taken where it is believed to have been.
  var isSure: Bool { isDelayKnown || pace == .patient }

  /// Frames that a delay may be longer than is believed.
  static let doubt = 3
  /// Frames by which positions may show later, or earlier, than is believed, and a quick search makes up for it.
  static let lags = -0.75...2.75
  /// Frames for which the lens rests at each position of a patient search, the last of which is judged.
  static let rest = 5
  /// How far around the point zones count, in heights of the picture.
  static let reach = 0.1
}
