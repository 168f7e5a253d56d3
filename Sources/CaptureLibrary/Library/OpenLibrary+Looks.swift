import CaptureModel

/// What is asked of the library's file system.
///
/// A disk that has gone may take minutes to answer. The library's functions run on their callers' threads, and one of these may be a loop that serves
/// all clients: so the disk is asked on a queue of its own.
extension OpenLibrary {
  /// Throws `unavailable` if the root's path leads to another folder by now, or to none. From then on the library is closed for good: those that wait for
  /// a look of their own do not wait for the disk as well.
  func requireMounted() async throws(CaptureError) {
    try await looks.run { () throws(CaptureError) in
      if let loss = self.loss.withLock({ $0 }) { throw loss }
      do throws(CaptureError) { try self.root.requireMounted() } catch {
        self.loss.withLock { $0 = error }
        throw error
      }
    }
  }

  /// The bytes of the file system that are free for the node.
  func free() async throws(CaptureError) -> Int64 {
    let root = root
    return try await looks.run { () throws(CaptureError) in try root.free() }
  }

  /// Reserves some space of the disk again, where it was given back.
  func takeReserve() async {
    let root = root
    try? await files.run { () throws(CaptureError) in root.takeReserve() }
  }

  /// Gives the reserved space back. Returns whether any was reserved.
  func giveReserve() async -> Bool {
    let root = root
    let hadSome = try? await files.run { () throws(CaptureError) in root.giveReserve() }
    return hadSome ?? false
  }
}
