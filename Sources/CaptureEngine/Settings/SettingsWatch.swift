import CaptureControls
import CaptureModel
import Synchronization

/// Something of a camera that changed.
public enum SettingsKey: Hashable, Sendable {
  case setting(Setting)
  /// One that is no part of the settings.
  case control(ControlID)
}

/// Settings that changed, and the frame from which they hold.
public struct SettingsNews: Hashable, Sendable {
  /// Empty: settings as they are, to begin with.
  public var keys: Set<SettingsKey>
  /// The change that made it; 0: the camera or another program did.
  public var change: UInt64
  /// The first frame that has it; `nil`: the next stream's, or not known.
  public var frame: FrameTimeline.Applied.Position?
  public var provenance: Provenance
}

/// What a watcher has not read yet. News of one setting coalesce: a slow watcher gets the latest, and nothing grows.
public final class SettingsWatch: Sendable {
  private let news = WaitingChanges([
    SettingsNews(keys: [], change: 0, frame: nil, provenance: .reported)
  ])
  private let failure = Mutex<CaptureError?>(nil)
  private let isWanted: @Sendable (SettingsKey) -> Bool
  /// Those that were asked for by name, and are no part of the settings.
  public let controls: [ControlID]
  private let ended: @Sendable (SettingsWatch) -> Void

  /// `ended` hears of its end, on any thread.
  init(
    controls: [ControlID] = [], isWanted: @escaping @Sendable (SettingsKey) -> Bool,
    ended: @escaping @Sendable (SettingsWatch) -> Void
  ) {
    self.controls = controls
    self.isWanted = isWanted
    self.ended = ended
  }

  /// Of settings the groups of which something was asked for.
  public func asked(of settings: CameraSettings) -> CameraSettings {
    settings.keeping { group in
      Setting.allCases.contains { $0.group == group && isWanted(.setting($0)) }
    }
  }

  func tell(_ latest: SettingsNews) {
    var latest = latest
    latest.keys = latest.keys.filter(isWanted)
    guard !latest.keys.isEmpty else { return }
    news.tell { waiting in
      waiting.removeAll { former in
        // The first has none.
        !former.keys.isEmpty && former.keys.isSubset(of: latest.keys)
      }
      for index in waiting.indices { waiting[index].keys.subtract(latest.keys) }
      waiting.append(latest)
    }
  }

  /// No more news.
  public func end(_ error: CaptureError? = nil) {
    failure.withLock { $0 = $0 ?? error }
    news.end()
    ended(self)
  }

  /// The next news; `nil` at the end or when the task is cancelled. Throws why it ended. One reader.
  public func next() async throws(CaptureError) -> SettingsNews? {
    if let latest = await news.next() { return latest }
    if let error = failure.withLock({ $0 }) { throw error }
    return nil
  }
}
