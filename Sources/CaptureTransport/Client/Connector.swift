import CaptureModel
import CaptureSystem
import CaptureWire
import Dispatch
import Glibc

/// Finds a node and connects to it. The resolver and the wait for the network block, so they run on a thread of their own.
enum Connector {
  typealias Check = @Sendable (SocketAddress) throws(RPCError) -> Void

  /// First calls `check` with every numeric address. If `check` throws for one, this connects to none.
  static func connect(
    to address: SocketAddress, timeout: Duration, check: Check? = nil
  ) async throws(RPCError) -> (Int32, SocketAddress) {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<(Int32, SocketAddress), RPCError>, Never>) in
      DispatchQueue.global().async {
        continuation.resume(returning: connectBlocking(to: address, timeout: timeout, check: check))
      }
    }
    return try result.get()
  }

  private static func connectBlocking(
    to address: SocketAddress, timeout: Duration, check: Check?
  ) -> Result<(Int32, SocketAddress), RPCError> {
    let deadline = MonotonicClock.now() &+ timeout.nanoseconds
    let candidates: [SocketAddress]
    do throws(SocketAddressError) {
      candidates = try address.resolved()
    } catch {
      return .failure(.unreachable(address, "\(error)"))
    }
    do throws(RPCError) {
      if let check { for candidate in candidates { try check(candidate) } }
    } catch {
      return .failure(error)
    }
    var last = Errno(rawValue: ETIMEDOUT)
    for candidate in candidates {
      do throws(Errno) {
        let socket = try Sockets.make(for: candidate)
        if candidate.isLocal { CongestionControl.local.apply(to: socket.raw) }
        if try !Sockets.connect(socket.raw, to: candidate) { try wait(for: socket.raw, until: deadline) }
        try Sockets.tune(socket.raw, candidate)
        return .success((socket.release(), candidate))
      } catch {
        last = error
      }
    }
    return .failure(.unreachable(address, "no node at \(address): \(explain(last, address))"))
  }

  private static func wait(for descriptor: Int32, until deadline: UInt64) throws(Errno) {
    while true {
      let now = MonotonicClock.now()
      guard now < deadline else { throw Errno(rawValue: ETIMEDOUT) }
      var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let milliseconds = Int32(min((deadline - now) / 1_000_000 + 1, 60_000))
      let count = try retryingInterrupts { Glibc.poll(&poll, 1, milliseconds) }
      guard count > 0 else { continue }
      if let error = Sockets.pendingError(descriptor) { throw error }
      return
    }
  }

  static func explain(_ error: Errno, _ address: SocketAddress) -> String {
    switch error.rawValue {
    case ECONNREFUSED:
      "nothing listens there; is capture-node running?"
        + (address.isLocal
          ? "" : " A node is closed to the network until 'sudo capture-node pair' on its machine opens it")
    case ENOENT: "there is no such socket; is capture-node running?"
    case ETIMEDOUT: "no answer within the time"
    case EHOSTUNREACH, ENETUNREACH: "the network does not reach it"
    case EACCES: "no permission to open the socket\(permissionAdvice(address))"
    default: "\(error)"
    }
  }

  private static func permissionAdvice(_ address: SocketAddress) -> String {
    var status = stat()
    guard case .unix(let path) = address, stat(path, &status) == 0 else { return "" }
    return permissionAdvice(mode: status.st_mode, group: status.st_gid)
  }

  /// What a user does who may not open a Unix socket of this mode and group.
  static func permissionAdvice(mode: mode_t, group: gid_t) -> String {
    // Members of root's group may do more than use cameras, so nobody is advised to join it.
    guard mode & 0o060 == 0o060, group != 0, let entry = getgrgid(group) else {
      return "; root and the node's own user may: use sudo"
    }
    let name = String(cString: entry.pointee.gr_name)
    return "; members of the group '\(name)' may: sudo usermod -aG \(name) $USER, then log in again"
  }
}
