import CaptureModel
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import CaptureLibrary

/// A disk that has gone may take minutes to answer.
@Suite(.timeLimit(.minutes(1))) struct LooksTests {
  /// Runs its tasks one after the other, as a loop that serves clients does.
  private final class OneThread: TaskExecutor {
    private let queue = DispatchQueue(label: "one thread")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }

  private let folder = TestFolder()

  @Test func aDiskThatDoesNotAnswerHoldsUpOnlyThoseThatAskForIt() async throws {
    let library = try OpenLibrary.idle(in: folder)
    let answer = DispatchSemaphore(value: 0)
    let asked = AsyncStream.makeStream(of: Void.self)
    let looking = Task {
      try await library.looks.run { () throws(CaptureError) in
        asked.continuation.yield()
        answer.wait()
      }
    }
    for await _ in asked.stream { break }
    let thread = OneThread()
    let reserved = Flag()
    let asking = Task(executorPreference: thread) {
      try await library.reserve(1)
      reserved.set()
    }
    // This begins after the other, on the same thread.
    let others = Task(executorPreference: thread) { reserved.isSet }
    #expect(await others.value == false)
    answer.signal()
    try await asking.value
    #expect(reserved.isSet)
    try await looking.value
    library.release(1)
    library.close()
  }

  @Test func whoeverWaitsForALookIsToldWhatAnotherHasFound() async throws {
    let library = try OpenLibrary.idle(in: folder)
    try await library.requireMounted()
    let away = folder.path + ".away"
    #expect(rename(folder.path, away) == 0)
    let error = await failure { try await library.requireMounted() }
    #expect(error?.details?.reason == .libraryUnavailable)
    // It is there again, and is opened anew.
    #expect(rename(away, folder.path) == 0)
    #expect(await failure { try await library.requireMounted() } != nil)
    library.close()
  }
}
