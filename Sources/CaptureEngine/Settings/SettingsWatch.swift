import CaptureControls
import CaptureModel
import Synchronization

/// A setting or a control of a camera, of which watchers hear.
public enum SettingsKey: Hashable, Sendable {
  case setting(Setting)
  /// A control that is no part of the settings.
  case control(ControlID)
}

/// Settings that changed, and the frame from which they hold.
public struct SettingsNews: Hashable, Sendable {
  /// The keys that changed. The first news has none: it stands for the present settings.
  public var keys: Set<SettingsKey>
  /// The number of the client's change that made this news; 0: no client's change is named.
  public var change: UInt64
  /// The first frame that has the change; `nil`: the next stream's first frame has it, or it is not known.
  public var frame: FrameTimeline.Applied.Position?
  public var provenance: Provenance
  /// If the camera is back now: how long it was unplugged, or its driver counted as not answering.
  public var away: Duration?

  init(
    _ keys: Set<SettingsKey>, change: UInt64 = 0, frame: FrameTimeline.Applied.Position? = nil,
    _ provenance: Provenance = .reported
  ) {
    (self.keys, self.change, self.frame, self.provenance) = (keys, change, frame, provenance)
  }

  /// Whether it tells nothing.
  var isEmpty: Bool { keys.isEmpty && away == nil }
}

/// Keeps the news that a watcher has not read yet. Several news of the same setting become one: a slow watcher gets the latest, and the list does not
/// grow.
public final class SettingsWatch: Sendable {
  private let news = Watch([SettingsNews([])]) { latest, waiting in
    var latest = latest
    waiting.removeAll { former in
      // The first news, which has no keys, stays. Several returns of the camera become one.
      if former.away != nil {
        guard latest.away != nil else { return false }
        latest.keys.formUnion(former.keys)
        return true
      }
      return !former.keys.isEmpty && former.keys.isSubset(of: latest.keys)
    }
    for index in waiting.indices { waiting[index].keys.subtract(latest.keys) }
    waiting.append(latest)
  }
  private let failure = Mutex<CaptureError?>(nil)
  private let isWanted: @Sendable (SettingsKey) -> Bool
  /// The groups of settings in which the watcher asked for something. They are found once, since each event needs them.
  private let groups: Set<String>
  /// The controls that the watcher named and that are no part of the settings.
  public let controls: [ControlID]
  private let ended: @Sendable (SettingsWatch) -> Void

  /// `ended` is called when the watch ends, on any thread.
  init(
    controls: [ControlID] = [], isWanted: @escaping @Sendable (SettingsKey) -> Bool,
    ended: @escaping @Sendable (SettingsWatch) -> Void
  ) {
    self.controls = controls
    self.isWanted = isWanted
    groups = Set(Setting.allCases.filter { isWanted(.setting($0)) }.map { String($0.group) })
    self.ended = ended
  }

  /// Returns the settings without the groups in which the watcher asked for nothing.
  public func asked(of settings: CameraSettings) -> CameraSettings { settings.keeping(groups.contains) }

  func notify(_ latest: SettingsNews) {
    var latest = latest
    latest.keys = latest.keys.filter(isWanted)
    if !latest.isEmpty { news.notify(latest) }
  }

  /// Ends the watch: no more news come. `error`: why.
  public func end(_ error: CaptureError? = nil) {
    failure.withLock { $0 = $0 ?? error }
    news.end()
    ended(self)
  }

  /// Waits for the next news; returns `nil` at the end, or when the task is cancelled. Throws the error with which the watch ended. Only one task may
  /// read a watch.
  public func next() async throws(CaptureError) -> SettingsNews? {
    if let latest = await news.next() { return latest }
    if let error = failure.withLock({ $0 }) { throw error }
    return nil
  }
}
