import CaptureModel
import CaptureSystem
import CaptureWire
import Dispatch
import Glibc

/// Finds a node and connects to it. The resolver and the wait for the network block threads of Dispatch's, never the caller's.
enum Connector {
  typealias Check = @Sendable (SocketAddress) throws(RPCError) -> Void
  typealias Resolve = @Sendable (SocketAddress) throws(SocketAddressError) -> [SocketAddress]

  /// First calls `check` with every numeric address. If `check` throws for one, this connects to none. `resolve` finds the numeric addresses of a name.
  static func connect(
    to address: SocketAddress, timeout: Duration, check: Check? = nil,
    resolve: @escaping Resolve = { (name) throws(SocketAddressError) in try name.resolved() }
  ) async throws(RPCError) -> (Int32, SocketAddress) {
    let deadline = MonotonicClock.now() &+ timeout.nanoseconds
    let candidates = try await candidates(for: address, within: timeout, resolve)
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<(Int32, SocketAddress), RPCError>, Never>) in
      DispatchQueue.global().async {
        continuation.resume(returning: connectBlocking(to: address, candidates, until: deadline, check))
      }
    }
    return try result.get()
  }

  /// The numeric addresses of an address. The resolver cannot be interrupted: one that takes longer keeps its thread, and what it finds is dropped.
  private static func candidates(
    for address: SocketAddress, within limit: Duration, _ resolve: @escaping Resolve
  ) async throws(RPCError) -> [SocketAddress] {
    guard case .name = address else { return [address] }
    let lookup = await Patience.value(atMost: limit) { () -> Result<[SocketAddress], SocketAddressError> in
      do throws(SocketAddressError) { return .success(try resolve(address)) } catch { return .failure(error) }
    }
    switch lookup {
    case .success(let found)?: return found
    case .failure(let error)?: throw RPCError.unreachable(address, "\(error)")
    case nil:
      throw RPCError.unreachable(
        address, "no node at \(address): its name was not looked up within the time")
    }
  }

  private static func connectBlocking(
    to address: SocketAddress, _ candidates: [SocketAddress], until deadline: UInt64, _ check: Check?
  ) -> Result<(Int32, SocketAddress), RPCError> {
    do throws(RPCError) {
      if let check { for candidate in candidates { try check(candidate) } }
    } catch {
      return .failure(error)
    }
    var attempts = ConnectionAttempts(to: candidates)
    guard let connected = attempts.first(until: deadline) else {
      return .failure(.unreachable(address, "no node at \(address): \(explain(attempts.failures))"))
    }
    return .success((connected.release(), connected.address))
  }

  /// Why each address was not reached. A reason that all of them share is said once.
  private static func explain(_ failures: [ConnectionAttempts.Failure]) -> String {
    let reasons = failures.map { explain($0.error, $0.address) }
    guard Set(reasons).count > 1 else { return reasons.first ?? "it has no address" }
    return zip(failures, reasons).map { "at \($0.address) \($1)" }.joined(separator: "; ")
  }

  static func explain(_ error: Errno, _ address: SocketAddress) -> String {
    switch error.rawValue {
    case ECONNREFUSED:
      "nothing listens there; is capture-node running?"
        + (address.isLocal
          ? "" : " A node is closed to the network until 'sudo capture-node pair' on its machine opens it")
    case ENOENT: "there is no such socket; is capture-node running?"
    case ETIMEDOUT: "no answer within the time"
    case ECANCELED: "no time was left to try it"
    case EHOSTUNREACH, ENETUNREACH: "the network does not reach it"
    case EACCES: "no permission to open the socket\(permissionAdvice(address))"
    case ENODEV: "this machine has no network interface of that name"
    case EINVAL where address.isLinkLocal:
      "a link-local address needs its network interface, as in [fe80::1%eth0]"
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
