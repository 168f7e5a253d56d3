import CaptureModel

/// Autofocus by contrast: moves the lens through its range while frames come, finds where the picture around a point is sharpest, moves back over that
/// range in small steps, and ends at the top of the parabola through the samples.
///
/// The lens does not wait for frames on the way: each frame is judged by the position at which it was taken, and the search estimates where a slow lens
/// is. Where nobody knows which frame has which position, the lens goes through its range and back, and both ways tell how late frames are
/// (`FocusSurvey`). Where the delay was never measured, the result is compared with its neighbours while the lens rests (`FocusClimb`). So the result
/// is right however late frames are, or the search reports that it found nothing. If the lens has seen a sharper picture elsewhere, everything is
/// searched once more, slowly: the lens rests at each position.
public struct FocusSearch: Sendable {
  public internal(set) var mode = AutomaticMode.continuous
  /// The point that shall be sharp; `nil`: the middle.
  public var point: NormalizedPoint? { didSet { if point != oldValue { restart() } } }
  public var restriction = FocusRestriction.none { didSet { if restriction != oldValue { restart() } } }
  public let travel: LensTravel
  /// How surely it is known which frame has which position.
  public let trust: DelayTrust
  /// Why auto mode found nothing.
  public internal(set) var failure: String?
  /// The picture's width divided by its height.
  public var aspect: Double
  /// Whether it is searching (`isAdjustingFocus`).
  public var isAdjusting: Bool { if case .watching = phase { false } else { mode != .locked } }
  /// Whether the lens goes back to where it was before, because nothing was found.
  var isTurningBack: Bool { if case .arriving(.notFound) = phase { true } else { false } }

  var phase = Phase.starting
  var lens = LensEstimate()
  var awaited: AwaitedSetting<Double>
  /// The next positions, one for each frame, once ``pause`` frames have passed.
  var path: [Double] = []
  var pause = 0
  /// How many frames are believed to show the position to which the lens was last sent.
  var rested = 0
  var pace = Pace.quick
  var curve = SharpnessCurve()
  /// Where the lens was before the search.
  public internal(set) var origin: Double?
  /// The best sharpness of this search, at any position.
  var sharpest = 0.0
  /// The least one.
  var faintest = Double.infinity
  /// Whether what the sweep has found is hardly noise.
  var isClear = false
  /// The sharpness of the frames at the position that was found, where that may be noise.
  var atRest: [Double] = []
  var extensions = 0
  var retries = 0
  var observations: [Int] = []
  /// The latest frame's number.
  var latest: UInt64 = 0

  enum Phase: Sendable {
    case starting
    /// The lens goes to the end of the range at which the sweep begins.
    case approaching(end: Double)
    /// The lens goes through the range. Some frames are still of the sweep when the lens has already been told to turn back to an edge.
    case sweeping(turn: Turn?)
    /// The lens goes through the range and back. Where the delay is unknown, this replaces sweeping, returning and refining.
    case surveying(FocusSurvey)
    /// The lens goes to the edge of the fine search.
    case returning(edge: Double)
    case refining
    /// The lens goes to the position that was found.
    case arriving(FocusResult)
    /// The lens goes to positions around the one that was found, and rests at each.
    case climbing(FocusClimb)
    case watching(FocusWatch)
  }

  enum Pace: Sendable {
    /// The lens moves with every frame.
    case quick
    /// The lens rests at each position until a frame shows it, however late. No other frame is judged.
    case patient
  }

  /// The lens was told some frames ago to go back to `edge`.
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

  /// Sets the mode. Auto and continuous begin a search.
  public mutating func set(_ mode: AutomaticMode) {
    self.mode = mode
    awaited.forget()
    failure = nil
    restart()
  }

  /// Takes the lens position of the camera when a search begins. It does nothing once the lens was moved.
  public mutating func begin(at position: Double) {
    guard case .starting = phase, awaited.latest.map({ abs($0 - position) >= 0.002 }) ?? true else { return }
    awaited.set(position)
    rested = 0
  }

  /// Returns, once, by how many frames positions showed later than the frames' settings said, in order.
  public mutating func takeObservations() -> [Int] {
    defer { observations = [] }
    return observations
  }

  /// Takes over from a search that has not ended: if nothing is found, the lens goes back to where it was before `former` began.
  public mutating func resume(from former: FocusSearch?) {
    if let former, former.isAdjusting { origin = former.origin }
  }

  mutating func restart() {
    // A search after a rest begins where the lens is now. One that starts again on its way keeps its origin.
    if case .watching = phase { origin = nil }
    phase = .starting
    path = []
    pause = 0
    retries = 0
    pace = .quick
  }

  /// The distance between positions of a climb.
  var climb: Double { max(0.03, travel.step) }
  /// How many frames tell whether the picture is sharp where the lens rests.
  static let framesAtRest = 3...12
  /// How far around the point zones count, in heights of the picture.
  static let reach = 0.1
}
