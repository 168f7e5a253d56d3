public import CaptureAccess
import CaptureModel
import CaptureSystem
import CaptureTLS
import Glibc

/// The clients that files of `access.d` name, so that a node knows them without pairing.
///
///     {
///       clients: {
///         "controller": { secretSHA256: "64 hexadecimal digits", role: "control" },
///         "door": { secretSHA256: "…", role: "view", cameras: ["usb-0000:00:14.0-2-*"] },  // it sees no other camera
///         // Its role differs by camera: it controls the cameras 'usb-a*', and may view all other cameras and the library.
///         "desk": { secretSHA256: "…", grants: [{ role: "control", cameras: ["usb-a*"], media: ["video"] }, { role: "view" }] },
///         // Its secret is being replaced: the old one is valid until the new one has been used.
///         "roof": { secretSHA256: "…", nextSHA256: "…", role: "view" },
///         "dome": { secretSHA256: "…", role: "view", plaintext: true },  // over listeners that say plaintext, and nowhere else
///       },
///     }
public struct ConfiguredAccess: Hashable, Sendable {
  public private(set) var clients: [ConfiguredClient] = []
  /// The errors, each with its file, line and key. No client of a file with an error is admitted; the other files are used all the same.
  public private(set) var problems: [String] = []

  public init() {}

  init(problem: String) { problems = [problem] }

  init(files: [String]) {
    var named = Named()
    for file in files {
      do throws(ConfigurationError) {
        let found = try Self.clients(of: file)
        for client in found { try named.requireNew(client) }
        for client in found { named.add(client) }
        clients += found
      } catch {
        problems.append(error.description)
      }
    }
  }

  private static func clients(of file: String) throws(ConfigurationError) -> [ConfiguredClient] {
    var status = stat()
    guard stat(file, &status) == 0 else {
      throw ConfigurationError("\(file): cannot be read: \(Errno.current)")
    }
    // The group may read the file, since it may be the node's group. Whoever can write the file can let anybody in.
    guard status.st_mode & 0o027 == 0 else {
      throw ConfigurationError(
        "\(file): others can read it, or its group can write it, so its clients are not admitted; chmod 640 it"
      )
    }
    return try clients(in: JSON5Document(path: file))
  }

  /// The clients that a file names.
  static func clients(in document: JSON5Document<Contents>) -> [ConfiguredClient] {
    document.contents.clients.map { ConfiguredClient(client: $0, file: document.path) }.sorted {
      $0.client.name < $1.client.name
    }
  }

  /// The clients of the files that were read before, by their names and by their secrets.
  private struct Named {
    private var files: [String: String] = [:]
    private var owners: [Digest: ConfiguredClient] = [:]

    mutating func add(_ client: ConfiguredClient) {
      files[client.client.name] = client.file
      for secret in client.client.secrets { owners[secret] = client }
    }

    func requireNew(_ client: ConfiguredClient) throws(ConfigurationError) {
      if let file = files[client.client.name] {
        throw ConfigurationError(
          "\(client.file): clients.\(client.client.name): is also in \(file); a client is in one file")
      }
      if let other = client.client.secrets.lazy.compactMap({ owners[$0] }).first {
        throw ConfigurationError(
          "\(client.file): clients.\(client.client.name): has the secret of '\(other.client.name)' in \(other.file); each client has its own"
        )
      }
    }
  }

  struct Contents: Decodable {
    var clients: [KnownClient] = []

    private enum Key: String, CaseIterable { case clients }

    init(from decoder: any Decoder) throws {
      let keys = try StrictKeys<Key>(decoder)
      for (name, client) in try keys.value(.clients, [String: Entry].self) ?? [:] {
        guard KnownClient.isName(name) else {
          throw keys.refusal(
            .clients, "a client's name has \(KnownClient.namePattern), not \(name.quoted)")
        }
        var known = KnownClient(name: name, secret: client.secret, grants: client.grants)
        (known.next, known.isForPlaintext) = (client.next, client.isForPlaintext)
        clients.append(known)
      }
      let secrets = clients.flatMap(\.secrets)
      if Set(secrets).count < secrets.count {
        throw keys.refusal(.clients, "two clients have the same secret; each client has its own")
      }
    }
  }

  private struct Entry: Decodable {
    let secret: Digest
    let next: Digest?
    let grants: [AccessGrant]
    let isForPlaintext: Bool

    private enum Key: String, CaseIterable { case secretSHA256, nextSHA256, role, cameras, grants, plaintext }

    init(from decoder: any Decoder) throws {
      let keys = try StrictKeys<Key>(decoder)
      guard let secret = try keys.value(.secretSHA256, String.self).flatMap({ Digest(hexadecimal: $0) })
      else {
        throw keys.refusal(
          .secretSHA256, "is needed, 64 hexadecimal digits, as 'capturectl credential new' prints them")
      }
      next = try keys.value(.nextSHA256, String.self).map { text in
        guard let next = Digest(hexadecimal: text), next != secret else {
          throw keys.refusal(
            .nextSHA256,
            "has 64 hexadecimal digits, of another secret than the present one, as 'capturectl credential renew' writes them"
          )
        }
        return next
      }
      isForPlaintext = try keys.value(.plaintext, Bool.self) ?? false
      self.secret = secret
      if let grants = try keys.value(.grants, [Grant].self)?.map(\.value) {
        let isAlone = try keys.value(.role, String.self) == nil && keys.value(.cameras, [String].self) == nil
        guard isAlone, 1...AccessGrant.most ~= grants.count,
          grants.patternCount <= CameraScope.most
        else {
          throw keys.refusal(
            .grants,
            "has 1 to \(AccessGrant.most) grants with up to \(CameraScope.most) patterns in all, and takes the place of role and cameras"
          )
        }
        self.grants = grants
        return
      }
      guard let role = try keys.value(.role, String.self).flatMap(AccessRole.init(rawValue:)) else {
        throw keys.refusal(
          .role, "is needed, one of \(AccessRole.allCases.map(\.rawValue).joined(separator: ", ")), or grants"
        )
      }
      if isForPlaintext, role == .admin {
        throw keys.refusal(.role, "is view or control where the secret goes in the clear (plaintext)")
      }
      let cameras = try keys.cameras(.cameras)
      guard cameras.isEvery || role != .admin else {
        throw keys.refusal(.cameras, "an admin has every camera; leave it out")
      }
      grants = [AccessGrant(role, cameras: cameras)]
    }
  }

  /// An entry of the key "grants".
  private struct Grant: Decodable {
    let value: AccessGrant

    private enum Key: String, CaseIterable { case role, cameras, media }

    init(from decoder: any Decoder) throws {
      let keys = try StrictKeys<Key>(decoder)
      guard let role = try keys.value(.role, String.self).flatMap(AccessRole.init(rawValue:)), role != .admin
      else {
        throw keys.refusal(.role, "is needed, view or control; an admin has a role alone, for every camera")
      }
      let media = try keys.value(.media, [String].self)?.map(AccessMedium.init)
      guard media.map({ !$0.isEmpty && !$0.contains(nil) }) ?? true else {
        throw keys.refusal(
          .media,
          "has one or more of \(AccessMedium.allCases.map(\.rawValue).joined(separator: ", ")); without it the role is for each"
        )
      }
      value = AccessGrant(
        role, cameras: try keys.cameras(.cameras),
        media: Set(media?.compactMap { $0 } ?? AccessMedium.allCases))
    }
  }
}

extension StrictKeys {
  /// The cameras of a key with a list of patterns; every camera where the key is missing.
  fileprivate func cameras(_ key: Key) throws -> CameraScope {
    guard let patterns = try value(key, [String].self) else { return .every }
    // An empty list is refused: one reader would take it for no camera, another for every camera.
    guard !patterns.isEmpty, patterns.count <= CameraScope.most else {
      throw refusal(key, "has 1 to \(CameraScope.most) patterns; without it the client has every camera")
    }
    if let wrong = patterns.first(where: { !CameraScope.isPattern($0) }) {
      throw refusal(key, "\(CameraScope.expectation); not \(wrong.quoted)")
    }
    return CameraScope(patterns)
  }
}

/// A client that a file of the configuration names.
public struct ConfiguredClient: Hashable, Sendable {
  public var client: KnownClient
  /// The file's path.
  public var file: String
}
