import CaptureModel

/// Decides from what is told and seen of a camera whether what is automatic has settled.
struct Settling {
  /// Who tells that something automatic has come to rest.
  enum Witness: Hashable {
    /// The node's own mode.
    case node
    /// The driver's `V4L2_CID_AUTO_FOCUS_STATUS`.
    case driver
    case pictures
  }

  /// What is automatic, by who tells of it; `nil`: it is not.
  struct Automatic: Hashable {
    var exposure: Witness?
    var focus: Witness?
    var whiteBalance: Witness?
    /// The camera has no control of its exposure: pictures are watched, but nobody waits where there is nothing to see.
    var isGuessed = false
    /// Frames can be metered.
    var isVisible = true
  }

  /// How long is waited at most, by frames' times: what looks for something goes by frames, too.
  struct Bounds: Hashable {
    var node = Duration.seconds(20)
    var others = PhotoSettling.usualBound
    /// Frames in which any mode has found what it looks for, on a camera that was never calibrated too.
    static let frames = 300
  }

  /// What is known when a frame has come, or before the first one.
  struct Sight {
    /// The frame's, in nanoseconds.
    var time: UInt64 = 0
    /// For how long frames have come under these settings.
    var steadiness = Duration.zero
    /// How long ago a photo saw that the camera had settled.
    var sinceSettled: Duration?
    /// None of the node's modes searches, and the frame has what they set.
    var isNodeAtRest = true
    /// Frames of the stream that the node's modes have judged; `nil`: none of these is on.
    var judged: Int?
    /// As the driver says it; `nil`: it cannot be read.
    var focusStatus: Int64?
    var picture = Picture.unusable

    enum Picture {
      case reading(SettlingReading)
      /// Damaged, or taken with older settings.
      case unusable
      /// Frames of this kind cannot be metered.
      case unmeterable
    }
  }

  /// Frames over which pictures stay the same, and a mode that is at rest would have seen what disturbs it.
  static let span = 5

  private let automatic: Automatic
  private let bounds: Bounds
  private(set) var frames = 0
  private var start: UInt64?
  private var elapsed = Duration.zero
  private var readings: [SettlingReading] = []
  /// Frames for which the driver's focus has been at rest, and whether it was busy before.
  private var restFrames = 0
  private var wasBusy = false
  private var isBlind: Bool

  init(_ automatic: Automatic, _ bounds: Bounds = Bounds()) {
    (self.automatic, self.bounds, isBlind) = (automatic, bounds, !automatic.isVisible)
  }

  private var witnesses: Set<Witness> {
    Set([automatic.exposure, automatic.focus, automatic.whiteBalance].compactMap { $0 })
  }

  func needs(_ witness: Witness) -> Bool { witnesses.contains(witness) }

  /// A frame came. Returns how it is known that the camera has settled; `nil`: it is waited for.
  mutating func observe(_ sight: Sight) -> Provenance? {
    frames += 1
    let start = start ?? sight.time
    self.start = start
    elapsed = sight.time >= start ? .nanoseconds(sight.time - start) : max(bounds.node, bounds.others)
    if let status = sight.focusStatus {
      let isBusy = status & 1 != 0
      (restFrames, wasBusy) = (isBusy ? 0 : restFrames + 1, wasBusy || isBusy)
    }
    switch sight.picture {
    case .reading(let reading): readings = readings.suffix(Self.span - 1) + [reading]
    case .unusable: break
    case .unmeterable: isBlind = true
    }
    return answer(to: sight)
  }

  /// How it is known, by all that was told so far.
  func answer(to sight: Sight) -> Provenance? {
    var weakest = Provenance.reported
    for witness in witnesses {
      let provenance =
        switch witness {
        case .node: node(sight)
        case .driver: driver(sight)
        case .pictures: pictures(sight)
        }
      guard let provenance else { return nil }
      weakest = max(weakest, provenance)
    }
    return weakest
  }

  private func node(_ sight: Sight) -> Provenance? {
    if sight.isNodeAtRest, sight.judged.map({ $0 >= Self.span }) ?? true { return .reported }
    return elapsed >= bounds.node || frames > Bounds.frames ? .assumed : nil
  }

  private func driver(_ sight: Sight) -> Provenance? {
    guard let status = sight.focusStatus else { return isOver(sight) ? .assumed : nil }
    // `V4L2_AUTO_FOCUS_STATUS_BUSY`, `_REACHED`, `_FAILED`. What has not been busy may be about to begin, and tell of an older search.
    let hasEnded = wasBusy && status & 6 != 0
    if status & 1 == 0, hasEnded || restFrames >= Self.span || sight.steadiness >= bounds.others {
      return .reported
    }
    return elapsed >= bounds.others ? .assumed : nil
  }

  private func pictures(_ sight: Sight) -> Provenance? {
    if readings.count == Self.span, readings.areSteady(automatic) { return .observed }
    if let sinceSettled = sight.sinceSettled, sinceSettled < PhotoSettling.usualBound { return .observed }
    return isOver(sight) || isBlind && automatic.isGuessed ? .assumed : nil
  }

  /// Whoever waits longer learns no more.
  private func isOver(_ sight: Sight) -> Bool {
    max(elapsed, sight.steadiness) >= bounds.others || frames > Bounds.frames
  }
}
