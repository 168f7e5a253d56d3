import Glibc

/// How TCP finds out how fast it may send (`TCP_CONGESTION`).
struct CongestionControl: Hashable, Sendable {
  /// "cubic"
  let name: String

  /// For connections within a machine, where no link can be congested. CUBIC sends at once; BBR, the default of some systems, paces by a guess.
  static let local = CongestionControl(name: "cubic")

  init(name: String) { self.name = name }

  /// The congestion control of a socket; `nil` where the socket has none.
  init?(of descriptor: Int32) {
    var size = socklen_t(Self.longestName)
    let name = [UInt8](unsafeUninitializedCapacity: Self.longestName) { buffer, count in
      let status = getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, buffer.baseAddress, &size)
      count = status == 0 ? Int(size) : 0
    }
    guard !name.isEmpty else { return nil }
    self.name = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Sets a socket's congestion control. Where the kernel lacks this one, or does not let everyone choose it, the socket keeps the one that it has.
  ///
  /// Call this before the socket connects or listens: a socket that began with BBR goes on pacing, whatever is set later.
  func apply(to descriptor: Int32) {
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, name, socklen_t(name.utf8.count))
  }

  /// `TCP_CA_NAME_MAX`
  private static let longestName = 16
}
