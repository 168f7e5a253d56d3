import CaptureAccess
import CaptureModel
import CaptureSystem
import CaptureTLS
import FoundationEssentials
import Glibc

/// The files of a node's clients and of its own key. Only the node's user may read them, and each is replaced as a whole.
struct AccessFiles: Sendable {
  private let clients: String
  private let identity: String
  private static let longest = 4 << 20

  /// `state`: the path of the node's state file. The files of this type are beside the state file, and their names begin with its name, unless it is
  /// the usual name, `state.json`.
  init(beside state: String) {
    let name = state.hasSuffix(".json") ? String(state.dropLast(5)) : state
    let beginning = name.hasSuffix("/state") ? String(name.dropLast(5)) : name + "-"
    (clients, identity) = (beginning + "access.json", beginning + "identity.pem")
  }

  /// The contents of the file of clients.
  struct Contents: Sendable {
    var book = AccessBook()
    /// The port at which the node is open to the network; `nil`: it is not. A closed node has none.
    var port: UInt16?
    /// Whether a person has closed the node to the network, so that it does not listen there at addresses of its configuration either.
    var isClosed = false
  }

  /// Reads the file of clients. `readFailure`: why the file could not be read, and what to do; `nil`: it was read, or there is none.
  func read() -> (contents: Contents, readFailure: AccessFileError?) {
    var contents = Contents()
    do throws(AccessFileError) {
      guard let bytes = try bytes(of: clients) else { return (contents, nil) }
      // Invalid secrets stay invalid, and a closed node stays closed, whatever is wrong with the rest of the file, and whoever can read it.
      let prohibitions = SavedProhibitions(bytes)
      contents.isClosed = prohibitions.isClosed
      contents.book = AccessBook(exposed: prohibitions.exposed, replaced: prohibitions.replaced)
      try requirePrivate(clients)
      let saved = try decoded(Data(bytes))
      contents.book = AccessBook(
        clients: saved.clients, exposed: prohibitions.exposed, replaced: prohibitions.replaced)
      contents.port = contents.isClosed ? nil : saved.port
      return (contents, nil)
    } catch {
      return (
        contents,
        AccessFileError(
          "\(error). Its clients are not admitted, nobody can pair, and the file is left as it is: repair it or move it away, then 'sudo capture-node reload'"
        )
      )
    }
  }

  private func decoded(_ data: Data) throws(AccessFileError) -> (clients: [KnownClient], port: UInt16?) {
    do {
      let version = try JSONDecoder().decode(SavedVersion.self, from: data).version ?? 1
      guard version <= SavedVersion.newest else {
        throw AccessFileError(
          "a newer capture-node wrote it (version \(version); this one reads \(SavedVersion.newest)); install that one again"
        )
      }
      let saved = try JSONDecoder().decode(Saved.self, from: data)
      return (try saved.clients.map { try $0.client() }, saved.port)
    } catch let error as DecodingError {
      throw AccessFileError("\(clients) is damaged: \(DecodingError.text(of: error))")
    } catch {
      throw AccessFileError("\(clients): \(error)")
    }
  }

  func write(_ contents: Contents) throws(AccessFileError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let isPlain = contents.book.clients.allSatisfy(\.hasOneRole)
    let saved = Saved(
      version: isPlain ? nil : SavedVersion.newest, clients: contents.book.clients.map(SavedClient.init),
      exposedSHA256: SavedProhibitions.texts(contents.book.exposed),
      replacedSHA256: SavedProhibitions.texts(contents.book.replaced),
      port: contents.port, closed: contents.isClosed ? true : nil)
    guard let data = try? encoder.encode(saved) else { preconditionFailure("clients that are no JSON") }
    do throws(Errno) { try SmallFile.replace(clients, with: Array(data)) } catch {
      throw AccessFileError("\(clients) cannot be written: \(error)")
    }
  }

  /// Reads the node's own key; `nil`: it has none yet.
  func readIdentity() throws(AccessFileError) -> TLSIdentity? {
    guard let bytes = try bytes(of: identity) else { return nil }
    try requirePrivate(identity)
    do throws(TLSError) { return try TLSIdentity(pem: bytes) } catch {
      throw AccessFileError(
        "\(identity) is damaged: \(error). Put a copy back, or remove it: the node makes another one, and its clients pair again"
      )
    }
  }

  /// Makes a key, which is not written yet.
  static func newIdentity() throws(AccessFileError) -> TLSIdentity {
    do throws(TLSError) { return try TLSIdentity.make() } catch {
      throw AccessFileError("no key can be made: \(error)")
    }
  }

  /// Writes the node's own key, in place of the one that is there.
  func write(_ made: TLSIdentity) throws(AccessFileError) {
    do throws(Errno) { try SmallFile.replace(identity, with: Array(made.pem.utf8)) } catch {
      throw AccessFileError("\(identity) cannot be written: \(error)")
    }
  }

  /// Returns `nil` where there is no such file.
  private func bytes(of path: String) throws(AccessFileError) -> [UInt8]? {
    do throws(Errno) { return try SmallFile.bytes(of: path, upTo: Self.longest) } catch {
      guard error.rawValue != ENOENT else { return nil }
      throw AccessFileError("\(path) cannot be read: \(error)")
    }
  }

  /// Throws where others can read a file.
  private func requirePrivate(_ path: String) throws(AccessFileError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw AccessFileError("\(path) cannot be read: \(Errno.current)")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw AccessFileError(
        "\(path) can be read by others, so it is no longer secret. If nobody has read it, chmod 600 it; otherwise remove it, and pair again"
      )
    }
  }

  /// Which version of the format a file has.
  private struct SavedVersion: Decodable {
    static let newest = 2
    /// `nil`: version 1, in which each client has one role for every medium. If version 1 is enough for a file, the file is written without a
    /// version, so that older nodes can read it.
    var version: Int?
  }

  /// Secrets of the configuration's clients that are invalid, and whether the node was closed to the network. Each is read separately, so that damage
  /// elsewhere in the file makes no secret valid again, and opens no node.
  private struct SavedProhibitions: Decodable {
    let exposed, replaced: [Digest]
    let isClosed: Bool

    private enum Key: String, CodingKey { case exposedSHA256, replacedSHA256, closed }

    /// A digest; `nil`: the text is damaged, or no digest.
    private struct Entry: Decodable {
      let digest: Digest?

      init(from decoder: any Decoder) throws {
        digest = (try? decoder.singleValueContainer().decode(String.self)).flatMap { Digest(hexadecimal: $0) }
      }
    }

    /// `bytes`: the bytes of the file. If they are no JSON at all, both lists are empty, and the node was not closed.
    init(_ bytes: [UInt8]) {
      let read = try? JSONDecoder().decode(Self.self, from: Data(bytes))
      (exposed, replaced) = (read?.exposed ?? [], read?.replaced ?? [])
      isClosed = read?.isClosed ?? false
    }

    init(from decoder: any Decoder) throws {
      let lists = try decoder.container(keyedBy: Key.self)
      let digests = { (key: Key) in
        ((try? lists.decode([Entry].self, forKey: key)) ?? []).compactMap(\.digest)
      }
      (exposed, replaced) = (digests(.exposedSHA256), digests(.replacedSHA256))
      // A value that is damaged says that the node was closed: an open node's file has none.
      isClosed = lists.contains(.closed) && (try? lists.decode(Bool.self, forKey: .closed)) != false
    }

    static func texts(_ digests: [Digest]) -> [String]? { digests.isEmpty ? nil : digests.map { "\($0)" } }
  }

  private struct Saved: Codable {
    var version: Int?
    var clients: [SavedClient]
    var exposedSHA256, replacedSHA256: [String]?
    var port: UInt16?
    /// `nil`: the node was not closed.
    var closed: Bool?
  }
}

/// Why a file of access control cannot be used, for a person.
public struct AccessFileError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
