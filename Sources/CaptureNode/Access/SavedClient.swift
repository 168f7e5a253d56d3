import CaptureAccess
import CaptureModel
import CaptureTLS

/// A client as the file of clients has it.
struct SavedClient: Codable {
  var name, secretSHA256: String
  var codeSHA256, nextSHA256: String?
  /// The role for every medium. `nil`: there are grants instead. A node of a version that does not know grants finds no role then, and does not admit
  /// the client.
  var role: String?
  /// Patterns; `nil`: every camera.
  var cameras: [String]?
  var grants: [SavedGrant]?
  var created: Int64
  var expires: Int64?
  /// `true`: the client's pairing code was tried with another secret.
  var codeContested: Bool?

  init(_ client: KnownClient) {
    (name, secretSHA256) = (client.name, "\(client.secret)")
    codeSHA256 = client.code.map { "\($0)" }
    nextSHA256 = client.next.map { "\($0)" }
    if client.hasOneRole {
      role = client.role.rawValue
      cameras = client.cameras.isEvery ? nil : client.cameras.patterns
    } else {
      grants = client.grants.map(SavedGrant.init)
    }
    (created, expires) = (client.created, client.expires)
    codeContested = client.isCodeContested ? true : nil
  }

  func client() throws(AccessFileError) -> KnownClient {
    guard let secret = Digest(hexadecimal: secretSHA256), KnownClient.isName(name),
      (role == nil) != (grants == nil), grants == nil || cameras == nil
    else { throw AccessFileError("the client \(name.quoted) in it is damaged") }
    let saved = grants ?? [SavedGrant(role: role ?? "", cameras: cameras)]
    let read = saved.compactMap { $0.grant() }
    // Every grant has to be intact: a grant that lost its patterns would be for every camera.
    guard !read.isEmpty, read.count == saved.count, grants == nil || read.role != .admin else {
      throw AccessFileError(
        "the role, the cameras or the grants of the client \(name.quoted) in it are damaged")
    }
    var client = KnownClient(
      name: name, secret: secret, grants: read, created: created, expires: expires,
      code: codeSHA256.flatMap { Digest(hexadecimal: $0) })
    client.next = nextSHA256.flatMap { Digest(hexadecimal: $0) }
    client.isCodeContested = codeContested ?? false
    return client
  }
}

struct SavedGrant: Codable {
  var role: String
  /// Patterns; `nil`: every camera.
  var cameras: [String]?
  /// `nil`: every medium.
  var media: [String]?

  init(role: String, cameras: [String]?) { (self.role, self.cameras) = (role, cameras) }

  init(_ grant: AccessGrant) {
    role = grant.role.rawValue
    cameras = grant.cameras.isEvery ? nil : grant.cameras.patterns
    media = grant.media.count == AccessMedium.allCases.count ? nil : grant.mediaNames
  }

  /// The grant; `nil`: it is damaged.
  func grant() -> AccessGrant? {
    let media = media?.map { AccessMedium(rawValue: $0) }
    guard let role = AccessRole(rawValue: role), media.map({ !$0.isEmpty && !$0.contains(nil) }) ?? true,
      cameras.map({ !$0.isEmpty && $0.allSatisfy(CameraScope.isPattern) }) ?? true
    else { return nil }
    return AccessGrant(
      role, cameras: CameraScope(cameras ?? []), media: Set(media?.compactMap { $0 } ?? AccessMedium.allCases)
    )
  }
}

extension KnownClient {
  /// Whether its rights are one role for every medium.
  var hasOneRole: Bool { grants.count == 1 && grants[0].media.count == AccessMedium.allCases.count }
}
