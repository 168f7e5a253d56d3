import CaptureModel

extension FrameTimeline {
  /// Settings that the node read from the camera or that the camera reported, and that no client's change set.
  public struct Reading: Sendable {
    /// The number by which ``Applied/reading`` names the reading; 0: no watcher is told.
    public var number: UInt64
    public var settings: FrameSettings
    /// The camera's events.
    public var events: [Event]
    /// The timestamp of the latest frame when the camera was asked, in `CLOCK_MONOTONIC` nanoseconds; `nil`: there was no frame.
    public var latestTime: UInt64?

    public init(number: UInt64 = 0, settings: FrameSettings, events: [Event] = [], latestTime: UInt64? = nil)
    {
      self.number = number
      self.settings = settings
      self.events = events
      self.latestTime = latestTime
    }

    /// An event that a control changed (`V4L2_EVENT_CTRL`): the camera or another program changed it.
    public struct Event: Sendable {
      /// The settings whose value the control has.
      public var settings: [Setting]
      /// `CLOCK_MONOTONIC` nanoseconds.
      public var time: UInt64
      public var delay: ControlDelay

      public init(settings: [Setting], time: UInt64, delay: ControlDelay) {
        self.settings = settings
        self.time = time
        self.delay = delay
      }
    }
  }

  /// Takes in a reading. Changes and earlier readings that still wait for their frames keep these frames.
  ///
  /// A new value that an event reported is assumed to be in the first frame that begins after the event, later by the control's delay. A new value
  /// that only the reading showed is assumed to be in the next frame. Without a stream all values count at once. Returns the readings that wait for
  /// no frame.
  public mutating func learn(_ reading: Reading) -> [Applied] {
    readingTimes.latest = reading.latestTime
    guard let coming, let latest, pending.count(where: { $0.reading != nil }) < Self.mostReadings else {
      return replaceKnown(by: reading)
    }
    let next = latest.sequence + 1
    var entries = reading.events.map { Pending.Entry(part: $0.part(nil)) }
    for setting in FrameSettings.settings + [.whiteBalanceGains]
    where !reading.settings.isSame(setting, as: coming) {
      if pending.contains(where: { $0.inFlight.contains(setting) }) { continue }
      let event = reading.event(of: setting)
      if event == nil, correct(setting, from: reading.settings) { continue }
      var entry = Pending.Entry(part: (event ?? .unseen).part(setting))
      entry.part.copyValue(from: reading.settings)
      if event == nil { entry.first = next }
      entries.append(entry)
    }
    if reading.number == 0, entries.allSatisfy({ $0.part.setting == nil }) { return [] }
    if entries.isEmpty { entries = [Pending.Entry(part: Reading.Event.unseen.part(nil), first: next)] }
    pending.append(
      Pending(
        change: 0, reading: reading.number, entries: entries, inFlight: SettingSet(), isOpen: false,
        provenance: .assumed))
    return complete(nil)
  }

  /// If this many readings wait for frames, no frames are coming. The latest reading then counts at once, without a frame.
  private static let mostReadings = 16

  /// The known settings, together with those on their way.
  private var coming: FrameSettings? {
    guard var settings = known else { return nil }
    for part in pending.lazy.flatMap(\.entries).filter({ !$0.isDone }).map(\.part) {
      if let setting = part.setting { settings.set(part, of: setting) }
    }
    return settings
  }

  /// Gives a setting that is on its way the value that was read. Returns `false` where it is not on its way.
  private mutating func correct(_ setting: Setting, from settings: FrameSettings) -> Bool {
    var isComing = false
    for index in pending.indices {
      for entry in pending[index].entries.indices
      where pending[index].entries[entry].part.setting == setting && !pending[index].entries[entry].isDone {
        pending[index].entries[entry].part.copyValue(from: settings)
        isComing = true
      }
    }
    return isComing
  }

  /// Makes a reading the known settings. Earlier readings that still wait for their frames are over, because this one includes them.
  private mutating func replaceKnown(by reading: Reading) -> [Applied] {
    let over = pending.compactMap(\.reading)
    pending.removeAll { $0.reading != nil }
    var settings = reading.settings
    settings.change = known?.change ?? 0
    for entry in pending.lazy.flatMap(\.entries) where !entry.isDone {
      if let setting = entry.part.setting { settings.copy(setting, from: known) }
    }
    known = settings
    return (over + [reading.number]).filter { $0 > 0 }
      .map { Applied(change: 0, reading: $0, frame: nil, provenance: .reported) }
  }

  // MARK: Values that move by themselves

  /// When the camera was asked for values that its own modes move.
  struct ReadingTimes: Sendable {
    /// The timestamp of the latest frame when the camera was last asked, in `CLOCK_MONOTONIC` nanoseconds; `nil`: no frames came then.
    var latest: UInt64?
    /// The timestamp of the frame at which a reading was last due.
    fileprivate var due: UInt64?

    /// The least time between two readings, in nanoseconds.
    fileprivate static let interval: UInt64 = 200_000_000
    /// The age at which a reading is too old, in nanoseconds.
    fileprivate static let longest: UInt64 = 500_000_000

    /// Whether the readings are too old for a frame at `time`.
    func areOld(at time: UInt64) -> Bool { latest.map { time > $0 && time - $0 > Self.longest } ?? true }
  }

  /// Whether values that the camera's own modes move have to be read again: `true` at most five times a second.
  public mutating func takeReadingDue() -> Bool {
    guard let time = latest?.timestamp, known?.moving.isEmpty == false else { return false }
    if let due = readingTimes.due, time >= due, time - due < ReadingTimes.interval { return false }
    readingTimes.due = time
    return true
  }

  /// The latest frame's timestamp; `nil`: no frame has come.
  public var latestTime: UInt64? { latest?.timestamp }
}

extension FrameTimeline.Reading {
  /// The event that reported the change of a setting; `nil`: only reading showed it.
  fileprivate func event(of setting: Setting) -> Event? {
    let own = events.filter { $0.settings.contains(setting) }.max { $0.time < $1.time }
    if let own { return own }
    // An event of a mode counts too: the mode has changed the setting, unless the setting moves by itself.
    return settings.moving.contains(setting) ? nil : events.max { $0.time < $1.time }
  }
}

extension FrameTimeline.Reading.Event {
  /// Stands for an event where only the reading showed a change.
  fileprivate static let unseen = Self(
    settings: [], time: 0, delay: ControlDelay(frames: 0, provenance: .assumed))

  fileprivate func part(_ setting: Setting?) -> FrameTimeline.Part {
    FrameTimeline.Part(
      setting: setting, value: nil, moment: ControlMoment(began: time, ended: time), delay: delay)
  }
}
