internal import COpenSSL

/// Which cipher suites of TLS 1.3 are offered, the best one first.
public enum CipherOrder: Sendable {
  /// For a processor with instructions for AES: with these, AES is faster than any cipher in software.
  case aesFirst
  /// For a processor without instructions for AES: there ChaCha20 takes a third of the time that AES takes, and does not leak the key through caches.
  case chachaFirst

  /// The order for this machine's processor.
  public static let usual = CipherOrder(.current, x86HasAES: capture_x86_has_aes() != 0) { getauxval($0) }

  /// Kinds of machines that differ in how they compute AES.
  enum Machine: Sendable {
    case x86, arm64, arm32, other

    static var current: Machine {
      #if arch(x86_64) || arch(i386)
        .x86
      #elseif arch(arm64)
        .arm64
      #elseif arch(arm)
        .arm32
      #else
        .other
      #endif
    }
  }

  /// `auxiliary` reads the kernel's auxiliary vector (`getauxval(3)`).
  init(_ machine: Machine, x86HasAES: Bool, auxiliary: (UInt) -> UInt) {
    let hasAES =
      switch machine {
      case .x86: x86HasAES
      // HWCAP_AES and HWCAP2_AES of the kernel's asm/hwcap.h.
      case .arm64: auxiliary(UInt(AT_HWCAP)) & 1 << 3 != 0
      case .arm32: auxiliary(UInt(AT_HWCAP2)) & 1 << 0 != 0
      case .other: false
      }
    self = hasAES ? .aesFirst : .chachaFirst
  }

  var suites: String {
    let (aes, chacha) = ("TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256")
    let rest = "TLS_AES_256_GCM_SHA384"
    return self == .aesFirst ? "\(aes):\(chacha):\(rest)" : "\(chacha):\(aes):\(rest)"
  }
}
