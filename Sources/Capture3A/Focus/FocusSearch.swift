import CaptureModel

/// Autofocus by contrast: moves the lens through its range while frames come, finds where the picture around a point is sharpest, moves back
/// over that in small steps, and ends on the top of the parabola through what it saw.
///
/// The lens never waits for frames on the way: each frame is judged by the position that it was taken at, a lens that needs time being followed
/// in mind. Where nobody knows which frame has which position, the lens goes through its range and back, and both ways tell how late frames are
/// (`FocusSurvey`). Where that was never measured, what was found is held against its neighbours, the lens at rest (`FocusClimb`): so it is right
/// however late frames are, or is said not to be found. If the lens has seen it sharper, all is searched once more patiently, at rest at each position.
public struct FocusSearch: Sendable {
  public internal(set) var mode = AutomaticMode.continuous
  /// What is to be sharp; `nil`: the middle.
  public var point: NormalizedPoint? { didSet { if point != oldValue { restart() } } }
  public var restriction = FocusRestriction.none { didSet { if restriction != oldValue { restart() } } }
  public let travel: LensTravel
  /// How surely it is known which frame has which position.
  public let trust: DelayTrust
  /// Why mode auto found nothing.
  public internal(set) var failure: String?
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
  /// Where the lens was before the search.
  public internal(set) var origin: Double?
  /// Of this search, wherever it was.
  var sharpest = 0.0
  var extensions = 0
  var retries = 0
  var observation: Int?
  /// The latest frame's number.
  var latest: UInt64 = 0

  enum Phase: Sendable {
    case starting
    /// To the end of the range from which the sweep begins.
    case approaching(end: Double)
    /// Through the range, and for some frames still on the way when the lens was already told to turn back to an edge.
    case sweeping(turn: Turn?)
    /// Instead of all that until ``climbing``, where the delay is not known and what is found is verified.
    case surveying(FocusSurvey)
    /// To the edge of the fine search.
    case returning(edge: Double)
    case refining
    /// To the position that was found.
    case arriving(FocusResult)
    /// Around the position that was found, each at rest.
    case climbing(FocusClimb)
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
    assumedDelay: Int = 3, trust: DelayTrust = .calibrated
  ) {
    self.trust = trust
    self.travel = travel
    self.point = point
    self.aspect = aspect
    awaited = AwaitedSetting(assumedDelay: assumedDelay)
  }

  /// Auto and continuous begin a search.
  public mutating func set(_ mode: AutomaticMode) {
    self.mode = mode
    awaited.forget()
    failure = nil
    restart()
  }

  /// Where the camera's lens is told to be when a search begins. Nothing once it was moved.
  public mutating func begin(at position: Double) {
    guard case .starting = phase, awaited.latest.map({ abs($0 - position) >= 0.002 }) ?? true else { return }
    awaited.set(position)
    rested = 0
  }

  /// Frames by which a position showed later than was said of frames, once.
  public mutating func takeObservation() -> Int? { observation.take() }

  /// Begins where `former` was on its way: if nothing is found, the lens goes back to where it was before that.
  public mutating func goOn(from former: FocusSearch?) {
    if let former, former.isAdjusting { origin = former.origin }
  }

  mutating func restart() {
    // What is looked for otherwise now began where it began.
    if case .watching = phase { origin = nil }
    phase = .starting
    path = []
    hold = 0
    retries = 0
    pace = .quick
  }

  /// Between positions of a climb.
  var climb: Double { max(0.03, travel.step) }
  /// How far around the point zones count, in heights of the picture.
  static let reach = 0.1
}
