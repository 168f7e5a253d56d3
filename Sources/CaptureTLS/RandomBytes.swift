internal import COpenSSL
import Glibc

/// Bytes that nobody can guess, from the kernel (`getrandom(2)`).
public enum RandomBytes {
  public static func make(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = getrandom(buffer.baseAddress! + filled, count - filled, 0)
        // The call can only fail because a signal interrupts it: a kernel without this call does not start this program either.
        if got > 0 { filled += got } else { precondition(errno == EINTR, "the kernel gives no random bytes") }
      }
    }
  }
}
