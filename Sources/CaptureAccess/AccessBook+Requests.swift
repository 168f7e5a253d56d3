import CaptureModel

/// Clients ask for more than they may, and an operator decides.
extension AccessBook {
  /// What came of asking.
  public enum Asking: Hashable, Sendable {
    case asked(AccessRequests.Request)
    /// The client has all of it already, and so it has no request any more.
    case had
  }

  public enum AskingRefusal: Error, Hashable, Sendable {
    /// It was not paired: its rights are those of the configuration; or it is gone, or has expired.
    case cannotAsk
    case denied(AccessRequests.Denial)
    /// It would have so many patterns.
    case tooManyPatterns(Int)
    /// It would have so many grants.
    case tooManyGrants(Int)
    case tooManyRequests
  }

  /// Takes what a client asks for. `wish` has a role other than admin, cameras, or media.
  public mutating func ask(
    _ name: String, for wish: AccessRequests.Wish, from peer: String, now: Int64, boottime: UInt64
  ) -> Result<Asking, AskingRefusal> {
    guard let client = clients.first(where: { $0.name == name && !$0.hasExpired(now) }) else {
      return .failure(.cannotAsk)
    }
    guard client.lacks(wish) else {
      requests.withdraw(name)
      return .success(.had)
    }
    if let denial = requests.denial(of: name, at: boottime) { return .failure(.denied(denial)) }
    let grants = client.granted(wish).grants
    guard grants.patternCount <= CameraScope.most else {
      return .failure(.tooManyPatterns(grants.patternCount))
    }
    guard grants.count <= AccessGrant.most else { return .failure(.tooManyGrants(grants.count)) }
    let asked = requests.ask(name, for: wish, from: peer, now: now, boottime: boottime)
    return asked.map { .success(.asked($0)) } ?? .failure(.tooManyRequests)
  }

  /// Takes a client's request back. Returns whether there was one.
  public mutating func withdraw(_ name: String) -> Bool { requests.withdraw(name) }

  /// The requests of clients that are still there, the oldest first.
  public func pending(now: Int64, boottime: UInt64) -> [(
    request: AccessRequests.Request, client: KnownClient
  )] {
    requests.all(at: boottime).compactMap { request in
      clients.first { $0.name == request.client && !$0.hasExpired(now) }.map { (request, $0) }
    }
  }

  /// What a client is to a camera that it names by its identity.
  public enum Standing: Hashable, Sendable {
    /// It sees it, if there is such a camera.
    case sees
    /// It has asked, and nobody has decided.
    case waits
    case denied(AccessRequests.Denial)
    case stranger
  }

  public func standing(of name: String, to camera: String, boottime: UInt64) -> Standing {
    guard let client = clients.first(where: { $0.name == name }) else { return .stranger }
    if client.sees(camera) { return .sees }
    if let wish = requests.request(of: name, at: boottime)?.wish, !wish.cameras.isEmpty,
      client.granted(wish).sees(camera)
    {
      return .waits
    }
    return requests.denial(of: name, at: boottime).map(Standing.denied) ?? .stranger
  }

  public enum DecisionRefusal: Error, Hashable, Sendable {
    /// There is no client of that name, or its right has expired.
    case gone
    /// The client has no request.
    case noRequest
    /// The client has another request, of this number.
    case otherRequest(UInt64)
  }

  /// Decides the request of a client. An approval counts once the book is written down. `number`: of the request that is meant; `nil`: whichever it is.
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
      clients[place] = clients[place].granted(request.wish)
    } else {
      requests.deny(name, now: now, boottime: boottime)
    }
    return .success(clients[place])
  }
}

extension KnownClient {
  func hasExpired(_ now: Int64) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether there are live pictures of a camera for it, by its identity.
  fileprivate func sees(_ camera: String) -> Bool {
    grants.of(.video).contains { $0.cameras.contains(camera: camera) }
  }

  /// Whether the wish has anything that the client has not.
  func lacks(_ wish: AccessRequests.Wish) -> Bool { !wished(wish).allSatisfy(grants.cover) }

  /// The client with what it wishes besides what it has.
  public func granted(_ wish: AccessRequests.Wish) -> KnownClient {
    var client = self
    client.grants = grants.adding(wished(wish).filter { !grants.cover($0) })
    return client
  }

  /// Returns the client's grants with the wish's cameras, role and media in place of their own; parts that the wish leaves out stay. The role for a medium is
  /// none for another: where the wish names media alone, it is that of the client's grants for each of them, or view.
  private func wished(_ wish: AccessRequests.Wish) -> [AccessGrant] {
    grants.flatMap { own in
      let cameras = wish.cameras.isEmpty ? own.cameras : CameraScope(wish.cameras)
      guard wish.role == nil, !wish.media.isEmpty else {
        let media = wish.media.isEmpty ? own.media : wish.media
        return [AccessGrant(wish.role ?? own.role, cameras: cameras, media: media)]
      }
      return AccessMedium.allCases.filter(wish.media.contains).map { medium in
        let role = own.media.contains(medium) ? own.role : grants.of(medium).role ?? .view
        return AccessGrant(role, cameras: cameras, media: [medium])
      }
    }
  }
}
