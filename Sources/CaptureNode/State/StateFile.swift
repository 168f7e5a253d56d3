import CaptureEngine
import CaptureLoop
import CaptureModel
import CaptureSystem
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// The file in which a node keeps what clients set on its cameras, across restarts and reboots. It is JSON and is replaced as a whole, so that at any
/// moment either the old or the new file is there. The node writes it at most once a second, and at once for a call whose answer waits for the write.
public final class StateFile: NodeStore {
  public let path: String
  private let queue = QueueExecutor(label: "state", threads: .own).queue
  private let report: @Sendable (LogLevel, String) -> Void
  /// Held as long as the file is in use: two nodes would overwrite each other's settings.
  private let lock: OwnedDescriptor
  private let state: Mutex<State>

  private struct State {
    var memory = NodeMemory()
    /// The number of changes that were kept.
    var kept: UInt64 = 0
    /// How many of these changes the file has.
    var written: UInt64 = 0
    var isDue = false
    /// When the file was last written, in nanoseconds of `CLOCK_MONOTONIC`; 0: not yet.
    var lastWrite: UInt64 = 0
    /// Why the file could not be written the last time.
    var failure: StoreFailure?
    /// Whether the file was given up, so that it may belong to another node now.
    var isClosed = false
  }
  /// The least time between two writes, in nanoseconds.
  private static let pause: UInt64 = 1_000_000_000
  /// The pause after a failure, before the next attempt, in nanoseconds.
  private static let retryPause: UInt64 = 10_000_000_000
  /// The longest file that is read, in bytes: far more than any node's cameras need.
  private static let longest = 16 << 20

  /// Reads the file. `makesFolder`: also makes the file's folder, and the folders above. A file that cannot be read as a state file is set aside and
  /// reported. Throws where nothing can be kept. `patience`: how long to wait for another node that keeps its state there and may be ending. `report`
  /// is called with errors, on any thread.
  public init(
    path: String, makesFolder: Bool = true, patience: Duration = .zero,
    report: @escaping @Sendable (LogLevel, String) -> Void
  ) throws(StateFileError) {
    self.path = path
    self.report = report
    do throws(Errno) {
      if makesFolder { try Self.makeFolder(of: path) }
      lock = try OwnedDescriptor(path: path + ".lock", flags: O_RDWR | O_CREAT, mode: 0o600)
    } catch {
      let folder = SmallFile.folder(of: path)
      let hint =
        error.rawValue == ENOENT && !makesFolder
        ? "; make the folder '\(folder)', or name another file with --state" : ""
      throw StateFileError(
        "\(path): nothing can be kept there: \(error)\(hint)")
    }
    let isAlone: Bool
    do throws(Errno) {
      isAlone = try Self.acquire(lock, within: patience) {
        report(.info, "\(path): waiting for the node that keeps its state there")
      }
    } catch {
      throw StateFileError(
        "\(path): nothing can be kept there: \(path).lock cannot be locked: \(error); --state FILE names another file"
      )
    }
    guard isAlone else {
      throw StateFileError(
        "\(path): another node keeps its state there; --state FILE names another file")
    }
    var memory = NodeMemory()
    do {
      if let data = try Self.contents(of: path) {
        memory = try JSONDecoder().decode(NodeMemory.self, from: data)
      }
    } catch let error as DecodingError {
      let aside = path + ".unreadable"
      let place =
        rename(path, aside) == 0 ? "set aside as \(aside)" : "left where it is, and will be replaced"
      report(
        .warning,
        "\(path) is no state file of this program (\(DecodingError.text(of: error))); it was \(place), and the node begins without"
      )
    } catch let error as NodeMemory.NewerVersion {
      throw StateFileError(
        "\(path): a newer capture-node wrote it (version \(error.version); this one reads \(NodeMemory.version)), and it is left as it is; install that node again, or name another file with --state"
      )
    } catch {
      throw StateFileError(
        "\(path): cannot be read: \(error)")
    }
    state = Mutex(State(memory: memory))
  }

  /// Acquires the lock, and returns whether that succeeded in time. `waiting` is called once if another node has the lock. Throws where the file system
  /// gives no lock.
  private static func acquire(
    _ lock: borrowing OwnedDescriptor, within patience: Duration, _ waiting: () -> Void
  ) throws(Errno) -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + patience
    var hasReported = false
    while try !lock.acquireLock() {
      guard clock.now < end else { return false }
      if !hasReported { waiting() }
      hasReported = true
      usleep(20_000)
    }
    return true
  }

  // MARK: NodeStore

  public func memory(of camera: CameraID) -> CameraMemory {
    state.withLock { $0.memory.cameras[camera] } ?? CameraMemory()
  }

  public func save(_ memory: CameraMemory, of camera: CameraID) {
    save { $0.cameras[camera] = memory.isEmpty ? nil : memory }
  }

  public var sessions: [String: SessionMemory] { state.withLock { $0.memory.sessions } }

  public func save(_ session: SessionMemory?, named name: String) { save { $0.sessions[name] = session } }

  public var jobs: [String: JobMemory] { state.withLock { $0.memory.jobs } }

  public func save(_ job: JobMemory?, job name: String) { save { $0.jobs[name] = job } }

  private func save(_ change: (inout NodeMemory) -> Void) {
    let delay = state.withLock { state -> UInt64? in
      change(&state.memory)
      state.kept += 1
      guard !state.isDue else { return nil }
      state.isDue = true
      let (now, next) = (MonotonicClock.now(), state.lastWrite + Self.pause)
      return state.lastWrite > 0 && next > now ? next - now : 0
    }
    if let delay { writeLater(delay) }
  }

  nonisolated(nonsending) public func flush() async throws(CaptureError) {
    let (failure, isTooLate) = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: (self.write(), self.isTooLate)) }
    }
    if isTooLate { throw .nodeDraining }
    if let failure {
      throw CaptureError(
        .unavailable, "the node's state file, \(path), cannot be written: \(failure)", cause: failure,
        .init([.noSpace, .quotaExceeded].contains(failure) ? .diskFull : .stateNotWritable))
    }
  }

  public var failure: StoreFailure? { state.withLock { $0.failure } }

  /// Gives the file up: changes that are kept from here on are not written, and ``flush()`` throws for them. Another node may then use the file, even
  /// if this process does not end: a thread that a driver holds keeps the process's descriptors open.
  public func close() async {
    await withCheckedContinuation { continuation in
      queue.async {
        self.state.withLock { $0.isClosed = true }
        flock(self.lock.raw, LOCK_UN)
        continuation.resume()
      }
    }
  }

  // MARK: On the queue

  private func writeLater(_ delay: UInt64) {
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) {
      _ = self.write(isDue: true)
    }
  }

  /// Whether the file was given up before it had all changes.
  private var isTooLate: Bool { state.withLock { $0.isClosed && $0.kept != $0.written } }

  /// Writes what the file does not have yet. Returns the error where that fails.
  private func write(isDue: Bool = false) -> Errno? {
    let (memory, kept, isNew) = state.withLock { state in
      if isDue { state.isDue = false }
      let isNew = state.kept != state.written && !state.isClosed
      // Changes that are kept from here on wait for the next write.
      if isNew { state.lastWrite = MonotonicClock.now() }
      return (state.memory, state.kept, isNew)
    }
    guard isNew else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    var failure: Errno?
    do {
      try SmallFile.replace(path, with: Array(try encoder.encode(memory)))
    } catch let error as Errno {
      failure = error
    } catch {
      preconditionFailure("a memory that is no JSON: \(error)")
    }
    let (isRetryDue, wasFailing) = state.withLock { state -> (Bool, Bool) in
      let wasFailing = state.failure != nil
      state.failure = failure.map {
        StoreFailure("\(path) cannot be written: \($0)", since: state.failure?.since ?? MonotonicClock.now())
      }
      if failure == nil { state.written = max(state.written, kept) }
      let isRetryDue = failure != nil && !state.isDue
      if isRetryDue { state.isDue = true }
      return (isRetryDue, wasFailing)
    }
    if isRetryDue { writeLater(Self.retryPause) }
    if let failure, !wasFailing {
      report(.warning, "\(path) cannot be written: \(failure); changes by clients last until the node ends")
    } else if failure == nil, wasFailing {
      report(.info, "\(path) can be written again")
    }
    return failure
  }

  // MARK: Files

  /// Returns `nil` where there is no file.
  private static func contents(of path: String) throws -> Data? {
    do throws(Errno) {
      return Data(try SmallFile.bytes(of: path, upTo: longest))
    } catch {
      if error.rawValue == ENOENT { return nil }
      throw error
    }
  }

  private static func makeFolder(of path: String) throws(Errno) {
    var made = ""
    for part in SmallFile.folder(of: path).split(separator: "/", omittingEmptySubsequences: false) {
      made += made.isEmpty && !part.isEmpty ? part : "/" + part
      if mkdir(made, 0o700) != 0, errno != EEXIST, errno != EROFS, errno != EACCES { throw Errno.current }
    }
    var status = stat()
    if stat(SmallFile.folder(of: path), &status) != 0 { throw Errno.current }
  }
}

/// The reason why a node keeps no state.
public struct StateFileError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}
