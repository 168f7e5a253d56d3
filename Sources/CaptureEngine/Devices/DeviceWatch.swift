import CaptureModel
import Synchronization

/// A camera came, went, or was there.
public struct DeviceChange: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// Was there when the watch began.
    case present
    case appeared
    case vanished
    /// All `present` ones have been told; there is no camera with it.
    case listed
  }
  public var kind: Kind
  public var camera: CameraRoster.Entry?
}

/// What a watcher has not read yet. Changes of one camera coalesce: a slow watcher gets the latest, and nothing grows.
public final class DeviceWatch: Sendable {
  private struct State {
    var waiting: [DeviceChange] = []
    var reader: CheckedContinuation<Void, Never>?
    var isOver = false
  }
  private let state = Mutex(State())

  init(_ cameras: [CameraRoster.Entry]) {
    state.withLock { state in
      state.waiting = cameras.map { DeviceChange(kind: .present, camera: $0) }
      state.waiting.append(DeviceChange(kind: .listed))
    }
  }

  var isOver: Bool { state.withLock { $0.isOver } }

  func tell(_ change: DeviceChange) {
    wake { state in
      state.waiting.removeAll { $0.kind != .present && $0.camera?.index == change.camera?.index }
      state.waiting.append(change)
    }
  }

  /// No more changes.
  public func end() { wake { $0.isOver = true } }

  /// The next change; `nil` at the end or when the task is cancelled. One reader.
  public func next() async -> DeviceChange? {
    while true {
      let (change, isOver) = state.withLock { state in
        (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isOver)
      }
      if let change { return change }
      if isOver || Task.isCancelled { return nil }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReady = state.withLock { state -> Bool in
            if !state.waiting.isEmpty || state.isOver || Task.isCancelled { return true }
            state.reader = continuation
            return false
          }
          if isReady { continuation.resume() }
        }
      } onCancel: {
        wake { _ in }
      }
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let reader = state.withLock { state in
      change(&state)
      return state.reader.take()
    }
    reader?.resume()
  }
}
