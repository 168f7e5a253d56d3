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
  private struct State {
    var waiting: [SettingsNews] = []
    var isFirstDue = true
    var reader: CheckedContinuation<Void, Never>?
    var end: CaptureError?
    var isOver = false

    var hasNews: Bool { isFirstDue || !waiting.isEmpty }

    mutating func takeNews() -> SettingsNews? {
      if isFirstDue {
        isFirstDue = false
        return SettingsNews(keys: [], change: 0, frame: nil, provenance: .reported)
      }
      return waiting.isEmpty ? nil : waiting.removeFirst()
    }
  }
  private let state = Mutex(State())
  private let isWanted: @Sendable (SettingsKey) -> Bool
  private let ended: @Sendable () -> Void

  /// `ended` hears of its end, on any thread.
  init(isWanted: @escaping @Sendable (SettingsKey) -> Bool, ended: @escaping @Sendable () -> Void) {
    self.isWanted = isWanted
    self.ended = ended
  }

  var isOver: Bool { state.withLock { $0.isOver } }

  func watches(_ key: SettingsKey) -> Bool { isWanted(key) }

  func tell(_ news: SettingsNews) {
    var news = news
    news.keys = news.keys.filter(isWanted)
    guard !news.keys.isEmpty else { return }
    wake { state in
      for index in state.waiting.indices { state.waiting[index].keys.subtract(news.keys) }
      state.waiting.removeAll(where: \.keys.isEmpty)
      state.waiting.append(news)
    }
  }

  /// No more news.
  public func end(_ error: CaptureError? = nil) {
    wake { state in
      state.isOver = true
      state.end = state.end ?? error
    }
    ended()
  }

  /// The next news; `nil` at the end or when the task is cancelled. Throws why it ended. One reader.
  public func next() async throws(CaptureError) -> SettingsNews? {
    while true {
      let (news, end, isOver) = state.withLock { state in
        (state.takeNews(), state.end, state.isOver)
      }
      if let news { return news }
      if let end { throw end }
      if isOver || Task.isCancelled { return nil }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReady = state.withLock { state -> Bool in
            if state.hasNews || state.isOver || Task.isCancelled { return true }
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
