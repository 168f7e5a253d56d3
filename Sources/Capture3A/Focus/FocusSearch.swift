import CaptureModel

/// Autofocus by contrast: moves the lens through its range while frames come, finds where the picture around a point is sharpest, moves over the
/// positions around that one in small steps, and ends at the top of the hill that the samples form.
///
/// The lens does not wait for frames on the way: each frame is judged by the lens position at which it was taken, and the search estimates where a
/// slow lens is. Where nobody knows which frame has which position, the lens goes through its range and back, and a comparison of both ways shows how
/// late frames are (`FocusSurvey`). Where the delay was never measured, the lens then rests at the result and at positions around it, and their
/// sharpness is compared (`FocusClimb`). So the result is right however late frames are, or the search reports that it found nothing. If a frame on
/// the way was clearly sharper than the result, everything is searched once more, usually with the lens at rest at each position.
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
  /// Whether a search for focus is under way (`isAdjustingFocus`).
  public var isAdjusting: Bool { if case .watching = phase { false } else { mode != .locked } }
  /// Whether the lens goes back to where it was before, because nothing was found.
  var isTurningBack: Bool { if case .arriving(.notFound) = phase { true } else { false } }

  var phase = Phase.starting
  var lens = LensEstimate()
  var awaited: AwaitedSetting<Double>
  /// The next positions of the lens. After ``pause`` frames, each further frame sends the lens to the next of them.
  var path: [Double] = []
  /// How many frames pass before the lens follows ``path``.
  var pause = 0
  /// How many frames are believed to show the position to which the lens was last sent.
  var rested = 0
  var pace = Pace.quick
  var curve = SharpnessCurve()
  /// Where the lens was before the search.
  public internal(set) var origin: Double?
  /// The greatest sharpness that this search has seen at any position.
  var sharpest = 0.0
  /// The least sharpness that this search has seen at any position.
  var faintest = Double.infinity
  /// Whether the peak that the sweep has found is so clear that it is hardly noise.
  var isClear = false
  /// The sharpness of the frames at the position that was found. They are collected only where the sweep's peak may be noise.
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
    /// The lens goes through the range. `turn`: the lens was already told to turn back, while frames still show the sweep; `nil`: it was not.
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
    /// The lens rests at each position until even the slowest camera shows it. Earlier frames are not judged.
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

  /// Tells which lens position the camera has when a search begins. The call does nothing once the search has moved the lens.
  public mutating func begin(at position: Double) {
    guard case .starting = phase, awaited.latest.map({ abs($0 - position) >= 0.002 }) ?? true else { return }
    awaited.set(position)
    rested = 0
  }

  /// Returns the observations that were not returned before: by how many frames positions showed later than the frames' settings said, in order.
  public mutating func takeObservations() -> [Int] {
    defer { observations = [] }
    return observations
  }

  /// Takes over from a search that has not ended: if nothing is found, the lens goes back to where it was before `former` began.
  public mutating func resume(from former: FocusSearch?) {
    if let former, former.isAdjusting { origin = former.origin }
  }

  mutating func restart() {
    // A search after a rest has its origin where the lens is now. A search that restarts on its way keeps its origin.
    if case .watching = phase { origin = nil }
    phase = .starting
    path = []
    pause = 0
    retries = 0
    pace = .quick
  }

  /// The distance between positions of a climb.
  var climb: Double { max(0.03, travel.step) }
  /// The least and the largest number of frames by which the search decides whether the picture is sharp where the lens rests.
  static let framesAtRest = 3...12
  /// The distance from the point, in heights of the picture, up to which zones count.
  static let reach = 0.1
}
