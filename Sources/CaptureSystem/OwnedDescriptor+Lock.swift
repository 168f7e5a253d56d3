import Glibc

extension OwnedDescriptor {
  /// Locks the file as long as it is open (`flock(2)`), without waiting. Returns `false` where it is locked already, by whoever has opened it otherwise.
  /// Throws where the file system gives no lock.
  package func acquireLock() throws(Errno) -> Bool {
    do throws(Errno) {
      _ = try retryingInterrupts { flock(raw, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      // SMB says `EACCES`.
      if error.rawValue == EWOULDBLOCK || error == .accessDenied { return false }
      throw error
    }
  }
}
