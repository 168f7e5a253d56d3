import CaptureSystem
import Glibc

/// A process that outlives this one and cuts a torn last frame off a file. So a recording has only whole frames even after SIGKILL, which can come in
/// the middle of a write.
///
/// It is a new process of this program under another name. It waits for the end of a pipe that nobody writes, which comes when this process ends.
/// Then it cuts the file to the length in the memory that both processes share, or removes it where it has no whole frame. It holds the file's lock
/// together with this process, so that the next holder of the lock finds whole frames.
final class TornFrameCutter {
  /// The first argument of the process, which `ps` shows.
  static let processName = "capturectl-cut-torn-frame"
  /// In place of a length: the file is complete, and nothing has to be cut.
  private static let nothing = UInt64.max

  /// The memory with the length.
  private let length: UnsafeMutablePointer<UInt64>
  /// The pipe's write end, which belongs to this process alone.
  private let pipe: OwnedDescriptor

  /// The descriptors of the new process.
  private enum Place {
    static let file: Int32 = 3
    static let length: Int32 = 4
    static let pipe: Int32 = 5
  }

  /// `nil` if no process can be started. The recording then works without one.
  init?(of file: borrowing OwnedDescriptor) {
    guard let memory = try? OwnedDescriptor(memoryNamed: Self.processName),
      ftruncate(memory.raw, MemoryLayout<UInt64>.size) == 0, let length = Self.map(memory.raw)
    else { return nil }
    self.length = length
    length.pointee = 0
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else {
      munmap(length, MemoryLayout<UInt64>.size)
      return nil
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let reading = OwnedDescriptor(owning: ends[0])
    pipe = OwnedDescriptor(owning: ends[1])
    guard Self.spawn(file.raw, memory.raw, reading.raw) else { return nil }
  }

  deinit { munmap(length, MemoryLayout<UInt64>.size) }

  /// Stores how many bytes the file's whole frames have.
  func storeLength(ofWholeFrames bytes: Int) { length.pointee = UInt64(bytes) }

  /// Notes that the file is complete, so that nothing is cut.
  func dismiss() { length.pointee = Self.nothing }

  /// Runs the process. It never returns.
  static func run() -> Never {
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
    var byte: UInt8 = 0
    while read(Place.pipe, &byte, 1) > 0 || errno == EINTR { errno = 0 }
    var status = stat()
    if let length = map(Place.length)?.pointee, length != nothing, fstat(Place.file, &status) == 0 {
      if status.st_size > Int(length) { ftruncate(Place.file, Int(length)) }
      if length == 0 { removeFile() }
    }
    _exit(0)
  }

  /// Removes the file, unless another one has its name by now.
  private static func removeFile() {
    if let path = FileIdentity.name(of: Place.file) { unlink(path) }
  }

  private static func map(_ descriptor: Int32) -> UnsafeMutablePointer<UInt64>? {
    let size = MemoryLayout<UInt64>.size
    let place = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    return place == MAP_FAILED ? nil : place?.assumingMemoryBound(to: UInt64.self)
  }

  /// Starts the process in a session of its own, so that it does not get the signals that a terminal sends to this process's group.
  private static func spawn(_ file: Int32, _ length: Int32, _ pipe: Int32) -> Bool {
    // The descriptors are copied to numbers above the fixed places, so that none takes another's place.
    let sources = [file, length, pipe].map { fcntl($0, F_DUPFD_CLOEXEC, Place.pipe + 1) }
    defer { for source in sources where source >= 0 { close(source) } }
    guard sources.allSatisfy({ $0 >= 0 }) else { return false }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for standard in STDIN_FILENO...STDERR_FILENO {
      posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0)
    }
    for (source, place) in zip(sources, [Place.file, Place.length, Place.pipe]) {
      posix_spawn_file_actions_adddup2(&actions, source, place)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, 0x80)  // POSIX_SPAWN_SETSID, which hides behind a feature macro.
    var process = pid_t()
    return processName.withCString { name in
      var arguments: [UnsafeMutablePointer<CChar>?] = [UnsafeMutablePointer(mutating: name), nil]
      return posix_spawn(&process, "/proc/self/exe", &actions, &attributes, &arguments, nil) == 0
    }
  }
}
