import Synchronization

/// Whether photos are being taken of a camera. Any thread may ask.
final class PhotoActivity: Sendable {
  private let count = Mutex(0)
  private let changed: @Sendable () -> Void

  /// `changed` is called when the first photo begins and when the last one ends, on any thread.
  init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

  var isCapturing: Bool { count.withLock { $0 > 0 } }

  func begin() { change(by: 1) }
  func end() { change(by: -1) }

  private func change(by step: Int) {
    let hasChanged = count.withLock { count in
      let before = count
      count += step
      return (before > 0) != (count > 0)
    }
    if hasChanged { changed() }
  }
}
