import CaptureModel

/// A camera came, went, or was there.
public struct DeviceChange: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// Was there when the watch began.
    case present
    case appeared
    case vanished
    /// Its driver answers otherwise than before.
    case changed
    /// All `present` ones have been told; there is no camera with it.
    case listed
  }
  public var kind: Kind
  public var camera: CameraRoster.Entry?
}

/// What a watcher has not read yet. Changes of one camera coalesce: a slow watcher gets the latest, and nothing grows.
public final class DeviceWatch: Sendable {
  private let changes: WaitingChanges<DeviceChange>
  private let ended: @Sendable (DeviceWatch) -> Void

  /// `ended` hears of its end, on any thread.
  init(_ cameras: [CameraRoster.Entry], ended: @escaping @Sendable (DeviceWatch) -> Void) {
    self.ended = ended
    changes = WaitingChanges(
      cameras.map { DeviceChange(kind: .present, camera: $0) } + [DeviceChange(kind: .listed)])
  }

  func tell(_ change: DeviceChange) {
    changes.tell { waiting in
      let place = waiting.firstIndex { $0.camera?.index == change.camera?.index }
      if change.kind == .changed, let place {
        // Of one that has not been read yet: as it is now.
        waiting[place].camera = change.camera
        return
      }
      waiting.removeAll { $0.kind != .present && $0.camera?.index == change.camera?.index }
      waiting.append(change)
    }
  }

  /// No more changes.
  public func end() {
    changes.end()
    ended(self)
  }

  /// The next change; `nil` at the end or when the task is cancelled. One reader.
  public func next() async -> DeviceChange? { await changes.next() }
}
