import CaptureModel

/// The changes that a watcher has not read yet. Those of one camera are combined: a slow watcher gets the latest, and nothing grows.
public final class DeviceWatch: Sendable {
  private let changes: WaitingChanges<Event>
  private let ended: @Sendable (DeviceWatch) -> Void

  /// `ended` is called at its end, on any thread.
  init(_ cameras: [CameraRoster.Entry], ended: @escaping @Sendable (DeviceWatch) -> Void) {
    self.ended = ended
    changes = WaitingChanges(
      cameras.map { Event(kind: .present, camera: $0) } + [Event(kind: .listed)])
  }

  func notify(_ change: Event) {
    changes.notify { waiting in
      let place = waiting.firstIndex { $0.camera?.index == change.camera?.index }
      if change.kind == .changed, let place {
        // A change that has not been read yet gets the camera's present state.
        waiting[place].camera = change.camera
        return
      }
      waiting.removeAll { $0.kind != .present && $0.camera?.index == change.camera?.index }
      waiting.append(change)
    }
  }

  /// Ends the changes.
  public func end() {
    changes.end()
    ended(self)
  }

  /// The next change; `nil` at the end, or when the task is cancelled. It can have one reader.
  public func next() async -> Event? { await changes.next() }
}

extension DeviceWatch {
  /// A camera came, went, or was there already.
  public typealias Event = CameraRoster.Event
}
