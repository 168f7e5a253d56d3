/// The grants of one client. What they allow adds up.
extension [AccessGrant] {
  /// The highest role of the grants; `nil`: there is no grant.
  public var role: AccessRole? { map(\.role).max() }

  /// The cameras of all grants; `nil`: there is no grant, and so no camera.
  public var cameras: CameraScope? {
    guard let first else { return nil }
    return dropFirst().reduce(first.cameras) { $1.cameras.isEvery ? .every : $0.adding($1.cameras) }
  }

  /// How many patterns the grants have together.
  public var patternCount: Int { reduce(0) { $0 + $1.cameras.patterns.count } }

  /// Throws `resourceExhausted` for more grants, or more patterns in them, than one client may have. `client`: its name, for a person. `field`: the field of
  /// the request that has them.
  package func requireRoom(of client: String = "the client", field: String) throws(CaptureError) {
    guard patternCount <= CameraScope.most else {
      throw CameraScope.tooManyPatterns(patternCount, of: client, field: field)
    }
    guard count <= AccessGrant.most else {
      throw NodeLimit.grantsPerClient.exceeded(
        "\(client) would have \(count) grants, and a client has up to \(AccessGrant.most): put more into one"
      ).about(field: field)
    }
  }

  /// The grants for a medium. If `medium` is `nil`: all grants.
  public func of(_ medium: AccessMedium?) -> [AccessGrant] {
    filter { grant in medium.map(grant.media.contains) ?? true }
  }

  /// Whether the grants together give all that `grant` does. Patterns are compared as texts: `false` also where that cannot decide.
  public func cover(_ grant: AccessGrant) -> Bool {
    grant.media.allSatisfy { medium in
      let own = of(medium).filter { $0.role >= grant.role }
      return own.cameras?.covers(grant.cameras) ?? false
    }
  }

  /// These grants and others. A grant that another one covers is left out. Two that differ only in their cameras, or only in their media, become one.
  public func adding(_ others: [AccessGrant]) -> [AccessGrant] {
    others.reduce(into: self) { all, new in
      guard !all.contains(where: { $0.covers(new) }) else { return }
      var joined = new
      while let place = all.firstIndex(where: { joined.covers($0) || joined.joined(with: $0) != nil }) {
        let other = all.remove(at: place)
        joined = joined.covers(other) ? joined : joined.joined(with: other)!
      }
      all.append(joined)
    }
  }
}

extension AccessGrant {
  /// One grant that gives what both give; `nil`: any such grant would give more.
  fileprivate func joined(with other: AccessGrant) -> AccessGrant? {
    guard role == other.role else { return nil }
    var one = self
    if media == other.media {
      one.cameras = other.cameras.adding(cameras)
    } else if Set(cameras.patterns) == Set(other.cameras.patterns) {
      one.media.formUnion(other.media)
    } else {
      return nil
    }
    return one
  }
}
