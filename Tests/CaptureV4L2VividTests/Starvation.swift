import Foundation
import Synchronization
import Testing

/// How late this process is woken: the host of a virtual machine may have no processor for it, of which the machine is not told.
private final class Lateness: Sendable {
  private let worst = Mutex(Duration.zero)
  private let isOver = Atomic(false)

  init() {
    let thread = Thread { [self] in
      while !isOver.load(ordering: .relaxed) {
        let asleep = ContinuousClock().measure { Thread.sleep(forTimeInterval: 0.005) }
        worst.withLock { $0 = max($0, asleep - .milliseconds(5)) }
      }
    }
    thread.qualityOfService = .userInteractive
    thread.start()
  }

  func end() -> Duration {
    isOver.store(true, ordering: .relaxed)
    return worst.withLock { $0 }
  }
}

/// Measures what a starved machine cannot do: again, and says so, where it failed while sleepers were woken late by more than half a
/// frame's time, from which on vivid skips one. `measurement` returns what was wrong.
func unlessStarved(_ measurement: () async throws -> String?) async throws {
  for attempt in 1...5 {
    let lateness = Lateness()
    defer { _ = lateness.end() }
    let wrong = try await measurement()
    let late = lateness.end()
    guard let wrong else { return }
    guard late > .milliseconds(16), attempt < 5 else {
      Issue.record("\(wrong); sleepers were late by up to \(late)")
      return
    }
    print("again, for the machine was starved (a sleeper was late by \(late)): \(wrong)")
  }
}
