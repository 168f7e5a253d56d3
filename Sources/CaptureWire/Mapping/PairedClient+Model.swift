package import CaptureModel

extension ClientInfo {
  /// `created`: when the client was paired, in seconds of UTC since 1970.
  package init(_ client: PairedClient, created: Int64) {
    self.init(
      name: client.name, role: Role(AccessRole(rawValue: client.role)), createdS: UInt64(clamping: created),
      expiresS: UInt64(clamping: client.expires), connections: UInt32(clamping: client.peers.count),
      peers: client.peers, cameras: client.cameras, grants: client.grants.map { Grant($0) },
      fingerprint: client.fingerprint.bytesOfHex ?? [])
  }

  package var model: PairedClient {
    PairedClient(
      name: name, fingerprint: fingerprint.hexDigits, role: (role.model ?? .view).rawValue,
      expires: Int64(clamping: expiresS), cameras: cameras, grants: grants.compactMap(\.model), peers: peers)
  }
}
