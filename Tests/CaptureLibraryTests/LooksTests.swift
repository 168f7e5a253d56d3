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
    private let running = Mutex<pthread_t?>(nil)
    /// Whether the caller is one of its tasks.
    var isCurrent: Bool { running.withLock { $0 == pthread_self() } }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async {
        self.running.withLock { $0 = pthread_self() }
        job.runSynchronously(on: self.asUnownedTaskExecutor())
        self.running.withLock { $0 = nil }
      }
    }
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }

  private let folder = TestFolder()

  /// Asks the disk, which does not answer before the semaphore is signalled.
  private func unansweredLook(in library: OpenLibrary) async -> (DispatchSemaphore, Task<Void, any Error>) {
    let answer = DispatchSemaphore(value: 0)
    let asked = AsyncStream.makeStream(of: Void.self)
    let looking = Task {
      try await library.looks.run { () throws(CaptureError) in
        asked.continuation.yield()
        answer.wait()
      }
    }
    for await _ in asked.stream { break }
    return (answer, looking)
  }

  @Test func aDiskThatDoesNotAnswerHoldsUpOnlyThoseThatAskForIt() async throws {
    let library = try OpenLibrary.idle(in: folder)
    let (answer, looking) = await unansweredLook(in: library)
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

  @Test func whoeverMakesRoomDoesNotAskTheDiskItself() async throws {
    let thread = OneThread()
    let isAskedThere = Flag()
    let free = Mutex<Int64>(.max / 2)
    let disk = LibraryDisk(
      free: { _ in
        if thread.isCurrent { isAskedThere.set() }
        return free.withLock { $0 }
      },
      sync: { _ in free.withLock { $0 = .max / 2 } })
    let library = try OpenLibrary.idle(in: folder, disk: disk) { $0.removesOldest = true }
    for created in 1...2 { try await library.add(at: Int64(created)) }
    free.withLock { $0 = 0 }
    try await Task(executorPreference: thread) { try await library.reserve(1) }.value
    #expect(try await library.entries().map(\.created) == [2])
    #expect(!isAskedThere.isSet)
    library.release(1)
    library.close()
  }

  /// Whoever opened it before would take a file that is placed for a picture that has lost its entry.
  @Test func aLibraryThatHasFailedIsOpenedAnewOnceNoFilesAreBeingPlaced() async throws {
    let library = try OpenLibrary.idle(in: folder)
    let addition = AssetAddition(NewAsset(.captured), to: library)
    let bytes = picture()
    try await addition.begin(.jpeg, bytes: Int64(bytes.count), sha256: nil)
    try await addition.append(bytes)
    let (answer, looking) = await unansweredLook(in: library)
    let finishing = Task { try await addition.finish() }
    while library.adding.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
    library.giveUp(.libraryUnavailable("its disk has failed"))
    #expect(throws: CaptureError.self) { try LibraryRoot(folder.path) }
    answer.signal()
    try await looking.value
    let error = await failure { _ = try await finishing.value }
    #expect(error?.details?.reason == .libraryUnavailable)
    _ = try LibraryRoot(folder.path)
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
