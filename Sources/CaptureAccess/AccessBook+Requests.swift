import CaptureModel

/// Clients ask for more rights, and an operator decides.
extension AccessBook {
  /// The answer to a client that asks.
  public enum Asking: Hashable, Sendable {
    case noted(AccessRequests.Request)
    /// The client has all of these rights already. A request that the client had is withdrawn.
    case alreadyGranted
  }

  public enum AskingRefusal: Error, Hashable, Sendable {
    /// The client was revoked, has expired, or was never paired: then the configuration decides its rights.
    case cannotAsk
    case denied(AccessRequests.Denial)
    /// With these rights the client would have more grants, or more patterns, than a client may have.
    case noRoom(CaptureError)
    case tooManyRequests
  }

  /// Notes the rights that a client asks for. `wanted` has at least one of these: a role other than admin, cameras, media.
  public mutating func ask(
    _ name: String, for wanted: AccessRequests.Rights, from peer: String, now: Int64, boottime: UInt64
  ) -> Result<Asking, AskingRefusal> {
    guard let client = clients.first(where: { $0.name == name && !$0.hasExpired(now) }) else {
      return .failure(.cannotAsk)
    }
    guard client.lacks(wanted) else {
      requests.withdraw(name)
      return .success(.alreadyGranted)
    }
    if let denial = requests.denial(of: name, at: boottime) { return .failure(.denied(denial)) }
    do throws(CaptureError) {
      try client.granted(wanted).grants.requireRoom(of: name, field: "cameras")
    } catch {
      return .failure(.noRoom(error))
    }
    let asked = requests.ask(name, for: wanted, from: peer, now: now, boottime: boottime)
    return asked.map { .success(.noted($0)) } ?? .failure(.tooManyRequests)
  }

  /// Removes a client's request. Returns whether there was one.
  public mutating func withdraw(_ name: String) -> Bool { requests.withdraw(name) }

  /// The requests of clients that are still there, the oldest first.
  public func pending(now: Int64, boottime: UInt64) -> [(
    request: AccessRequests.Request, client: KnownClient
  )] {
    requests.all(at: boottime).compactMap { request in
      clients.first { $0.name == request.client && !$0.hasExpired(now) }.map { (request, $0) }
    }
  }

  /// Whether a client has access to the pictures of a camera.
  public enum CameraAccess: Hashable, Sendable {
    /// The client sees the camera, if there is one.
    case visible
    /// The client has asked for the camera, or for the video of cameras that it has, and nobody has decided.
    case requested
    case denied(AccessRequests.Denial)
    case notRequested
  }

  /// `camera`: a camera's identity.
  public func access(of name: String, to camera: String, boottime: UInt64) -> CameraAccess {
    guard let client = clients.first(where: { $0.name == name }) else { return .notRequested }
    if client.sees(camera) { return .visible }
    if let wanted = requests.request(of: name, at: boottime)?.wanted, client.granted(wanted).sees(camera) {
      return .requested
    }
    return requests.denial(of: name, at: boottime).map(CameraAccess.denied) ?? .notRequested
  }

  public enum DecisionRefusal: Error, Hashable, Sendable {
    /// No client has that name, or the client has expired.
    case gone
    /// The client has no request.
    case noRequest
    /// The client has another request, of this number.
    case otherRequest(UInt64)
  }

  /// Decides the request of a client. An approval takes effect once the book is written to its file. `number`: the number of the request that the
  /// operator has seen; `nil`: any request.
  public mutating func decide(
    _ name: String, number: UInt64?, approves: Bool, now: Int64, boottime: UInt64
  ) -> Result<KnownClient, DecisionRefusal> {
    guard let place = clients.firstIndex(where: { $0.name == name && !$0.hasExpired(now) }) else {
      return .failure(.gone)
    }
    guard let request = requests.request(of: name, at: boottime) else { return .failure(.noRequest) }
    guard number == nil || number == request.number else { return .failure(.otherRequest(request.number)) }
    if approves {
      requests.forget(name)
      clients[place] = clients[place].granted(request.wanted)
    } else {
      requests.deny(name, now: now, boottime: boottime)
    }
    return .success(clients[place])
  }
}

extension KnownClient {
  func hasExpired(_ now: Int64) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether the client may view the live pictures of the camera with this identity.
  fileprivate func sees(_ camera: String) -> Bool {
    grants.of(.video).contains { $0.cameras.contains(camera: camera) }
  }

  /// Whether the client lacks one of these rights.
  func lacks(_ wanted: AccessRequests.Rights) -> Bool { !grants(for: wanted).allSatisfy(grants.cover) }

  /// The client with these rights in addition to its present ones.
  public func granted(_ wanted: AccessRequests.Rights) -> KnownClient {
    var client = self
    client.grants = grants.adding(grants(for: wanted).filter { !grants.cover($0) })
    return client
  }

  /// Returns each of the client's grants with the wanted cameras, role and media instead of its former ones. What `wanted` leaves out stays as the
  /// grant has it. Where `wanted` names media but no role, each medium gets the role that the client has for that medium, or else view: a role for
  /// one medium is not one for another.
  private func grants(for wanted: AccessRequests.Rights) -> [AccessGrant] {
    grants.flatMap { own in
      let cameras = wanted.cameras.isEmpty ? own.cameras : CameraScope(wanted.cameras)
      guard wanted.role == nil, !wanted.media.isEmpty else {
        let media = wanted.media.isEmpty ? own.media : wanted.media
        return [AccessGrant(wanted.role ?? own.role, cameras: cameras, media: media)]
      }
      return AccessMedium.allCases.filter(wanted.media.contains).map { medium in
        let role = own.media.contains(medium) ? own.role : grants.of(medium).role ?? .view
        return AccessGrant(role, cameras: cameras, media: [medium])
      }
    }
  }
}
