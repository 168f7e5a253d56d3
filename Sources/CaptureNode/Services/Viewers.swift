import CaptureModel
import CaptureSystem
import CaptureWire
import Synchronization

/// The viewers of cameras now: one entry for each running call that takes frames.
final class Viewers: Sendable {
  typealias Kind = CaptureModel.SessionConfiguration.Output.Kind

  /// The camera that the frames come from.
  struct Source: Sendable {
    var camera: CameraID
    /// Since when the frames come from this camera, in nanoseconds of `CLOCK_MONOTONIC`.
    var since: UInt64
    var isWaiting = false
  }
  fileprivate struct Entry {
    let caller: Caller
    let address: String
    let kind: Kind
    let source: @Sendable () -> Source?
  }
  private struct State {
    var entries: [UInt64: Entry] = [:]
    var next: UInt64 = 0
  }
  private let state = Mutex(State())

  /// Lists the call as a viewer while `body` runs. A cancelled call is no longer listed, even if `body` goes on because its camera hangs.
  nonisolated(nonsending) func note<Value>(
    _ context: CallContext, taking kind: Kind, of camera: CameraID,
    while body: nonisolated(nonsending) () async throws -> Value
  ) async rethrows -> Value {
    let source = Source(camera: camera, since: MonotonicClock.now())
    return try await note(context, taking: kind, from: { source }, while: body)
  }

  /// Does the same for a call whose camera may change while it runs.
  nonisolated(nonsending) func note<Value>(
    _ context: CallContext, taking kind: Kind, from source: @escaping @Sendable () -> Source?,
    while body: nonisolated(nonsending) () async throws -> Value
  ) async rethrows -> Value {
    if let called = context.cameras, let camera = source()?.camera { called.add(camera) }
    let number = state.withLock { state in
      state.next += 1
      state.entries[state.next] = Entry(
        caller: context.caller, address: context.peer, kind: kind, source: source)
      return state.next
    }
    defer { end(number) }
    return try await withTaskCancellationHandler(operation: body) { end(number) }
  }

  private func end(_ number: UInt64) { state.withLock { $0.entries[number] = nil } }

  /// The viewers of the cameras that the caller sees; the one that has viewed longest is the first.
  func seen(by context: CallContext) -> [CaptureModel.Viewer] {
    let entries = state.withLock { $0.entries }
    let now = MonotonicClock.now()
    let seen = entries.compactMap { number, entry -> (source: Source, number: UInt64, entry: Entry)? in
      guard let source = entry.source(), context.caller.cameras.contains(source.camera) else { return nil }
      return (source, number, entry)
    }
    return seen.sorted { ($0.source.since, $0.number) < ($1.source.since, $1.number) }
      .map { CaptureModel.Viewer($0.entry, $0.source, at: now) }
  }
}

extension CaptureModel.Viewer {
  fileprivate init(_ entry: Viewers.Entry, _ source: Viewers.Source, at now: UInt64) {
    self.init(
      camera: source.camera, kind: entry.kind, address: entry.address,
      age: .nanoseconds(now > source.since ? now - source.since : 0), isWaiting: source.isWaiting)
    switch entry.caller.kind {
    case .client: client = entry.caller.name
    case .user: user = entry.caller.name
    case .trusted, .unknown: break
    }
  }
}
