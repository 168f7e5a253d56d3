import CaptureModel

/// Knows which frame has which settings.
///
/// The first frame whose exposure begins at or after the moment at which a control was set latches the control's value. The first frame that has the
/// value is the latching frame, or as many frames later as the control's delay says. A change of several controls is complete with the last of them.
public struct FrameTimeline: Sendable {
  /// A setting's new value in a change.
  public struct Part: Hashable, Sendable {
    /// `nil`: the control has no setting that frames have.
    public var setting: Setting?
    /// `nil`: unknown.
    public var value: Observed<Double>?
    /// The gains of white balance, in place of `value`.
    public var gains: Observed<WhiteBalanceGains>?
    /// Whether the camera's own mode moves the value.
    var isMoving = false
    public var moment: ControlMoment
    public var delay: ControlDelay

    public init(setting: Setting?, value: Observed<Double>?, moment: ControlMoment, delay: ControlDelay) {
      self.setting = setting
      self.value = value
      self.moment = moment
      self.delay = delay
    }
  }

  public typealias Applied = AppliedChange

  struct Pending: Sendable {
    var change: UInt64
    /// The number of a reading; `nil`: this is a client's change.
    var reading: UInt64?
    var entries: [Entry] = []
    /// Settings that are being set just now.
    var inFlight: SettingSet
    var isOpen = true
    var provenance = Provenance.reported

    struct Entry: Sendable {
      /// What determines the first frame that has an entry's part.
      enum Due: Hashable, Sendable {
        /// The time at which the driver took the part, and the control's delay.
        case moment
        /// The driver gets the part later.
        case promised(Setting)
        /// The first frame of the stream has the part.
        case streamStart
      }
      var part: Part
      var due = Due.moment
      /// The first frame that has the part, once that frame is known.
      var first: UInt64?
      var isDone = false

      var isPromised: Bool { if case .promised = due { true } else { false } }
    }
  }

  /// `nil`: the camera does not stream.
  private var clock: FrameClock?
  var pending: [Pending] = []
  /// The settings of the latest frame, or of the next stream's first; `nil`: nothing is known.
  var known: FrameSettings?
  /// The first frame of the stream that was seen.
  private var firstFrame: Applied.Position?
  /// The latest frame of the stream.
  private(set) var latest: Applied.Position?
  var readingTimes = ReadingTimes()

  public init() {}

  public var isStreaming: Bool { clock != nil }
  public var pacing: FramePacing? { clock?.pacing }

  /// The settings of the latest frame, or of the next stream's first; `nil`: nothing is known. Settings that are being set just now are unknown, and
  /// so are values that move by themselves and were read too long ago.
  public var current: FrameSettings? {
    guard var settings = known else { return nil }
    if let latest, readingTimes.areOld(at: latest.timestamp) { settings.markUnknown(settings.moving) }
    for change in pending { settings.markUnknown(change.inFlight) }
    return settings
  }

  /// Forgets all settings.
  public mutating func forget() -> [Applied] {
    for index in pending.indices { pending[index].leaveToStream { _ in true } }
    let applied = streamEnded()
    (known, readingTimes) = (nil, ReadingTimes())
    return applied
  }

  // MARK: Changes

  /// Tells that controls of `settings` are about to be set.
  public mutating func begin(_ change: UInt64, _ settings: [Setting]) {
    pending.append(Pending(change: change, inFlight: SettingSet(settings)))
  }

  /// Tells that the driver took some of the change's controls.
  public mutating func set(_ change: UInt64, _ parts: [Part]) {
    guard let index = pending.lastIndex(where: { $0.change == change && $0.isOpen }) else { return }
    for part in parts {
      if let setting = part.setting { pending[index].inFlight.remove(setting) }
      pending[index].entries.append(Pending.Entry(part: part))
      pending[index].provenance = max(pending[index].provenance, part.delay.provenance)
    }
  }

  /// Tells that the driver has all of the change's controls. `values`: the settings that the driver reports now. Returns the change if it waits for
  /// no frame, because a frame that has come has it already, or because the camera does not stream.
  public mutating func end(_ change: UInt64, _ values: FrameSettings) -> [Applied] {
    guard let index = pending.lastIndex(where: { $0.change == change && $0.isOpen }) else { return [] }
    pending[index].isOpen = false
    pending[index].inFlight.removeAll()
    for entry in pending[index].entries.indices {
      guard let setting = pending[index].entries[entry].part.setting else { continue }
      pending[index].entries[entry].part.copyValue(from: values)
      if pending[index].entries[entry].isDone { known?.copy(setting, from: values) }
    }
    return clock == nil ? showAll() : complete(nil)
  }

  /// Tells that the controls were set back, or will not be set.
  public mutating func abandon(_ change: UInt64) { pending.removeAll { $0.change == change } }

  // MARK: Parts that take their time

  /// Tells that the driver gets a part of the change later. The change must not have ended yet.
  public mutating func promise(_ change: UInt64, _ setting: Setting) {
    guard let index = pending.lastIndex(where: { $0.change == change && $0.isOpen }) else { return }
    let part = Part(
      setting: nil, value: nil, moment: ControlMoment(began: 0, ended: 0),
      delay: ControlDelay(frames: 0, provenance: .reported))
    pending[index].entries.append(Pending.Entry(part: part, due: .promised(setting)))
  }

  /// Tells that the driver took a promised part.
  public mutating func fulfil(
    _ change: UInt64, _ setting: Setting, at moment: ControlMoment, delay: ControlDelay
  ) -> [Applied] {
    update(change) { entry in
      guard entry.due == .promised(setting) else { return }
      entry.due = .moment
      (entry.part.moment, entry.part.delay) = (moment, delay)
    }
  }

  /// Tells that the stream that started last has a promised part.
  public mutating func fulfilWithStream(_ change: UInt64, _ setting: Setting) -> [Applied] {
    update(change) { entry in
      if entry.due == .promised(setting) { entry.due = .streamStart }
    }
  }

  private mutating func update(
    _ change: UInt64, _ body: (inout Pending.Entry) -> Void
  ) -> [Applied] {
    guard let index = pending.firstIndex(where: { $0.change == change }) else { return [] }
    for entry in pending[index].entries.indices { body(&pending[index].entries[entry]) }
    let provenance = pending[index].entries.map(\.part.delay.provenance).max()
    pending[index].provenance = max(pending[index].provenance, provenance ?? .reported)
    if clock == nil { return showAll() }
    return complete(nil)
  }

  /// Tells that a promised part does not come. Frames still show the parts that the driver has, but these parts belong to no change.
  public mutating func breakPromise(of change: UInt64) -> [Applied] {
    guard let index = pending.firstIndex(where: { $0.change == change }) else { return [] }
    pending[index].change = 0
    pending[index].entries.removeAll(where: \.isPromised)
    return clock == nil ? showAll() : complete(nil)
  }

  // MARK: The stream

  public mutating func streamStarted(interval: FrameInterval?) {
    clock = FrameClock(nominal: interval)
    (firstFrame, latest) = (nil, nil)
  }

  /// Sets the interval at which the driver says that it streams.
  public mutating func setInterval(_ interval: FrameInterval?) { clock?.setInterval(interval) }

  /// Tells that the stream ended. The next stream's first frame has the parts that were on their way. A change with parts that the driver gets later
  /// waits for those.
  public mutating func streamEnded() -> [Applied] {
    clock = nil
    (firstFrame, latest) = (nil, nil)
    return showAll()
  }

  /// Tells that frames will be missing.
  public mutating func interrupted() { clock?.restart() }

  /// Adds a frame: ``current`` has its settings. Returns the changes that are complete with it.
  public mutating func frame(
    _ sequence: UInt64, timestamp: UInt64, source: FrameTimestamp.Source? = nil
  ) -> [Applied] {
    clock?.tick(sequence, timestamp, source)
    latest = .init(sequence: sequence, timestamp: timestamp)
    firstFrame = firstFrame ?? latest
    return pending.isEmpty ? [] : complete((sequence, timestamp))
  }

  /// Adds the parts that the latest frame has to the known settings. Returns the changes that are complete with it.
  mutating func complete(_ seen: (sequence: UInt64, timestamp: UInt64)?) -> [Applied] {
    guard let clock, let latest = seen?.sequence ?? clock.latestSequence else { return [] }
    var applied: [Applied] = []
    for index in pending.indices {
      pending[index].resolve(with: clock, streamStart: firstFrame?.sequence)
      for entry in pending[index].entries.indices {
        guard !pending[index].entries[entry].isDone, let first = pending[index].entries[entry].first,
          first <= latest
        else { continue }
        show(pending[index].entries[entry].part)
        pending[index].entries[entry].isDone = true
      }
      guard pending[index].isDone else { continue }
      let first = pending[index].entries.compactMap(\.first).max() ?? latest
      let exact = [seen.map { Applied.Position(sequence: $0.sequence, timestamp: $0.timestamp) }, firstFrame]
        .lazy.compactMap { $0 }.first { $0.sequence == first }
      let time = exact?.timestamp ?? clock.timestamp(of: first)
      raiseChange(to: pending[index].change)
      applied.append(
        Applied(
          change: pending[index].change, reading: pending[index].reading ?? 0,
          frame: .init(sequence: first, timestamp: time ?? 0), provenance: pending[index].provenance))
    }
    if !applied.isEmpty { pending.removeAll(where: \.isDone) }
    return applied
  }

  /// Adds all parts that the driver has to the known settings, because no frame comes that could show them first. Returns the changes that are
  /// complete with them.
  private mutating func showAll() -> [Applied] {
    for index in pending.indices where pending[index].hasPromises {
      // The next stream's first frame has the parts that the driver took.
      pending[index].leaveToStream { $0 == .moment }
    }
    let over = pending.filter { !$0.isOpen && !$0.hasPromises }
    pending.removeAll { !$0.isOpen && !$0.hasPromises }
    return over.map { change in
      for entry in change.entries where !entry.isDone { show(entry.part) }
      raiseChange(to: change.change)
      return Applied(
        change: change.change, reading: change.reading ?? 0, frame: nil, provenance: .reported)
    }
  }

  /// Adds a part to the known settings: frames show it.
  private mutating func show(_ part: Part) {
    guard let setting = part.setting else { return }
    var settings = known ?? FrameSettings()
    settings.set(part, of: setting)
    known = settings
  }

  /// Notes that the known settings have a change. Of several changes, the known settings carry the number of the latest one.
  private mutating func raiseChange(to change: UInt64) {
    guard var settings = known else { return }
    settings.change = max(settings.change, change)
    known = settings
  }
}

extension FrameTimeline.Part {
  /// Sets the part's value to that of its setting in `settings`.
  public mutating func copyValue(from settings: FrameSettings) {
    guard let setting else { return }
    value = settings[setting]
    if setting == .whiteBalanceGains { gains = settings.whiteBalanceGains }
    isMoving = settings.moving.contains(setting)
  }
}

extension FrameTimeline.Pending {
  fileprivate var isDone: Bool { !isOpen && entries.allSatisfy(\.isDone) }

  /// Whether the driver gets parts of the change later.
  fileprivate var hasPromises: Bool { entries.contains(where: \.isPromised) }

  /// Leaves parts to the next stream's first frame: those for whose `due` `isIncluded` returns `true`.
  fileprivate mutating func leaveToStream(where isIncluded: (Entry.Due) -> Bool) {
    for index in entries.indices where !entries[index].isDone && isIncluded(entries[index].due) {
      (entries[index].due, entries[index].first) = (.streamStart, nil)
    }
  }

  /// Finds the first frames of parts whose latching frame has been seen.
  fileprivate mutating func resolve(with clock: FrameClock, streamStart: UInt64?) {
    for index in entries.indices where entries[index].first == nil {
      switch entries[index].due {
      case .moment: break
      case .promised: continue
      case .streamStart:
        entries[index].first = streamStart
        continue
      }
      let part = entries[index].part
      guard let latch = clock.firstFrame(from: part.moment.ended) else { continue }
      // A frame began while the call ran: it may or may not have the value.
      if clock.firstFrame(from: part.moment.began) != latch { provenance = max(provenance, .assumed) }
      entries[index].first = latch + UInt64(part.delay.frames)
    }
  }
}
