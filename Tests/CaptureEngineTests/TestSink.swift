import CaptureEngine
import CaptureLoop
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Synchronization

/// A sink with room for as many messages as the test allows; like the transport's it keeps the newest of those that wait.
final class TestSink: FrameSink {
  struct Received: Sendable {
    var picture: Picture?
    var interruption: String?
    var isUnplugged = false
    var gap: FrameGap
  }
  private struct State {
    var credit: Int
    var waiting: VideoMessage?
    var replaced: UInt64 = 0
    var received: [Received] = []
    var relinquished = 0
  }
  let loop: QueueExecutor
  private let state: Mutex<State>

  init(credit: Int = .max, loop: QueueExecutor = QueueExecutor(label: "test-loop")) {
    self.loop = loop
    state = Mutex(State(credit: credit))
  }

  var room: Int { state.withLock { $0.waiting == nil ? $0.credit : 0 } }

  func offer(_ message: VideoMessage) {
    loop.checkIsolated()
    state.withLock { state in
      if state.waiting != nil { state.replaced += 1 }
      state.waiting = message
    }
    pump()
  }

  func releaseBuffers() {
    state.withLock { state in
      state.relinquished += 1
      if state.waiting.take() != nil { state.replaced += 1 }
    }
  }

  /// Lets so many more messages through.
  func grant(_ credit: Int) {
    loop.queue.sync {
      state.withLock { $0.credit += credit }
      pump()
    }
  }

  /// The last message was given up in the middle: it did not arrive.
  func abortLast() {
    loop.queue.sync {
      state.withLock { state in
        state.received.removeLast()
        state.replaced += 1
      }
    }
  }

  var received: [Received] { loop.queue.sync { state.withLock { $0.received } } }
  var relinquished: Int { loop.queue.sync { state.withLock { $0.relinquished } } }

  private func pump() {
    state.withLock { state in
      guard state.credit > 0, let message = state.waiting.take() else { return }
      if state.credit != .max { state.credit -= 1 }
      // What the transport does when it sends: the count starts again once this one is delivered.
      let gap = message.gap(replacing: state.replaced)
      state.replaced = 0
      switch message.content {
      case .picture(let picture): state.received.append(Received(picture: picture, gap: gap))
      case .interrupted(let reason, let isUnplugged):
        state.received.append(Received(interruption: reason, isUnplugged: isUnplugged, gap: gap))
      }
    }
  }
}
