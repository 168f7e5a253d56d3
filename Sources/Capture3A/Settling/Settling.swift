import CaptureModel

/// Decides whether a camera's automatic modes have settled, from what the node's modes and the driver report, and from what pictures show.
package struct Settling {
  /// The source that shows that an automatic mode has come to rest.
  package enum Source: Hashable {
    /// The node's own mode.
    case node
    /// The driver's `V4L2_CID_AUTO_FOCUS_STATUS`.
    case driver
    /// The pictures, which no longer change.
    case pictures
  }

  /// The source for each mode; `nil`: the mode is not automatic.
  package struct Automatic: Hashable {
    package var exposure: Source?
    package var focus: Source?
    package var whiteBalance: Source?
    /// Whether the exposure is only guessed to be automatic, since the camera has no control of it. If pictures cannot be measured, photos do not
    /// wait for it.
    package var isGuessed = false
    /// Whether frames can be metered.
    package var isVisible = true

    package init(exposure: Source? = nil, focus: Source? = nil, whiteBalance: Source? = nil) {
      (self.exposure, self.focus, self.whiteBalance) = (exposure, focus, whiteBalance)
    }
  }

  /// How long a photo waits at most. The time is counted by the frames' timestamps, because automatic modes go by frames, too.
  package struct Bounds: Hashable {
    /// For the node's own modes.
    package var node = Duration.seconds(20)
    /// For the driver and for pictures.
    package var others = PhotoSettling.usualBound
    /// After this many frames a photo does not wait for the node's modes or for pictures any longer: any mode finds what it looks for within them,
    /// even on a camera that was never calibrated.
    package static let frames = 300

    package init() {}
    package init(node: Duration, others: Duration) { (self.node, self.others) = (node, others) }
  }

  /// The facts when a frame has come, or before the first one.
  package struct Observation {
    /// The frame's time in nanoseconds.
    package var time: UInt64 = 0
    /// For how long frames have come with these settings.
    package var steadiness = Duration.zero
    /// How often settings changed, or the stream was interrupted, so far.
    package var disturbances: UInt64 = 0
    /// The time since an earlier photo found that the camera had settled; `nil`: none has found that with these settings.
    package var sinceSettled: Duration?
    /// Whether none of the node's modes searches, and the frame has the values that these modes set.
    package var isNodeAtRest = true
    /// How many frames of the stream the node's modes have judged; `nil`: none of them is on.
    package var judged: Int?
    /// The driver's focus status; `nil`: it cannot be read.
    package var focusStatus: Int64?
    /// The frame's picture.
    package var picture = Picture.unusable
    /// Whether this is the last frame that the photo can be made of, so that the photo waits no longer.
    package var isLast = false

    package enum Picture {
      case reading(SettlingReading)
      /// The frame is damaged, or was taken with older settings.
      case unusable
      /// Frames of this format cannot be metered.
      case unmeterable
    }
  }

  /// The number of frames over which pictures have to stay the same. The node's modes count as at rest only once
  /// they have judged as many frames: by then they have seen anything that makes them search again.
  package static let span = 5

  private let automatic: Automatic
  private let bounds: Bounds
  package private(set) var frames = 0
  private var start: UInt64?
  private var elapsed = Duration.zero
  private var readings: [SettlingReading] = []
  /// How many frames have come since the driver reported that focus is at rest.
  private var restFrames = 0
  /// Whether the driver has reported that focus was busy.
  private var wasBusy = false
  private var isBlind: Bool
  private var disturbances: UInt64?

  package init(_ automatic: Automatic, _ bounds: Bounds = Bounds()) {
    (self.automatic, self.bounds, isBlind) = (automatic, bounds, !automatic.isVisible)
  }

  /// The sources of all automatic modes.
  private var sources: Set<Source> {
    Set([automatic.exposure, automatic.focus, automatic.whiteBalance].compactMap { $0 })
  }

  package func needs(_ source: Source) -> Bool { sources.contains(source) }

  /// Takes in a frame. Returns how it is known that the camera has settled; `nil`: the photo has to wait longer.
  package mutating func observe(_ observation: Observation) -> Provenance? {
    frames += 1
    let start = start ?? observation.time
    self.start = start
    elapsed =
      observation.time >= start ? .nanoseconds(observation.time - start) : max(bounds.node, bounds.others)
    if let disturbances, disturbances != observation.disturbances {
      (readings, restFrames, wasBusy) = ([], 0, false)
    }
    disturbances = observation.disturbances
    if let status = observation.focusStatus {
      let isBusy = status & 1 != 0
      (restFrames, wasBusy) = (isBusy ? 0 : restFrames + 1, wasBusy || isBusy)
    }
    switch observation.picture {
    case .reading(let reading): readings = readings.suffix(Self.span - 1) + [reading]
    case .unusable: break
    case .unmeterable: isBlind = true
    }
    return answer(to: observation)
  }

  /// Returns how it is known that the camera has settled, by all observations so far; `nil`: it has not.
  package func answer(to observation: Observation) -> Provenance? {
    var weakest = Provenance.reported
    for source in sources {
      let provenance =
        switch source {
        case .node: node(observation)
        case .driver: driver(observation)
        case .pictures: pictures(observation)
        }
      guard let provenance else { return observation.isLast ? .assumed : nil }
      weakest = max(weakest, provenance)
    }
    return weakest
  }

  private func node(_ observation: Observation) -> Provenance? {
    if observation.isNodeAtRest, observation.judged.map({ $0 >= Self.span }) ?? true { return .reported }
    return elapsed >= bounds.node || frames > Bounds.frames ? .assumed : nil
  }

  private func driver(_ observation: Observation) -> Provenance? {
    guard let status = observation.focusStatus else { return isOver(observation) ? .assumed : nil }
    // The lowest bits of the status are `V4L2_AUTO_FOCUS_STATUS_BUSY`, `_REACHED` and `_FAILED`. A driver that has not been busy yet may be about to
    // begin a search, and the status may be that of an older one.
    let hasEnded = wasBusy && status & 6 != 0
    if status & 1 == 0, hasEnded || restFrames >= Self.span || observation.steadiness >= bounds.others {
      return .reported
    }
    return elapsed >= bounds.others ? .assumed : nil
  }

  private func pictures(_ observation: Observation) -> Provenance? {
    if readings.count == Self.span, readings.areSteady(automatic) { return .observed }
    if let sinceSettled = observation.sinceSettled, sinceSettled < PhotoSettling.usualBound {
      return .observed
    }
    return isOver(observation) || isBlind && automatic.isGuessed ? .assumed : nil
  }

  /// Whether the bound has passed: a photo that waits longer learns no more.
  private func isOver(_ observation: Observation) -> Bool {
    max(elapsed, observation.steadiness) >= bounds.others || frames > Bounds.frames
  }
}

extension Settling.Observation {
  /// Nothing is known yet.
  package static var unknown: Settling.Observation { Settling.Observation() }
}
