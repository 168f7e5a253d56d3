public import CaptureAccess
public import CaptureModel
internal import CaptureTLS
internal import Glibc

extension RemoteNode.Configuration {
  /// Reaches a node that this user has paired with. `name`: the name that the node got from ``RemoteNode/pair(with:as:in:timeout:)`` or from
  /// `capturectl pair`.
  ///
  /// Throws `notFound` with the names that there are, and `failedPrecondition` where the node's file is damaged, or others can read it.
  public init(known name: String, in nodes: KnownNodes? = .usual) throws(CaptureError) {
    try self.init(KnownNodes.required(nodes).required(name))
  }
}

extension RemoteNode {
  /// The result of pairing.
  public struct Pairing: Sendable {
    /// The node, as it is known from now on.
    public var node: KnownNode
    /// What this machine may do with the node.
    public var role: AccessRole
  }

  /// Makes this machine a client of the node whose pairing line this is, and stores the node for ``Configuration/init(known:in:)``.
  ///
  /// The secret is stored before it is sent, so that after a failure another attempt with the same line uses the same secret.
  ///
  /// - Parameters:
  ///   - line: the line that `capture-node pair` has printed, with or without white space around it. It works once, for ten minutes.
  ///   - name: the node's name on this machine; `nil`: the node's host name.
  ///   - nodes: where the node is stored; by default among the nodes of `capturectl`, in this user's home.
  ///   - timeout: for connecting, and for the node's answer.
  ///
  /// Throws `invalidArgument` for a text that is no pairing line and for a name that is not possible, `alreadyExists` where another node has that
  /// name, `unauthenticated` for a code that is unknown, expired or used, and where no address shows the node's key (then nothing was sent),
  /// `unavailable` where nothing answers, and `failedPrecondition` where nothing can be stored.
  public static func pair(
    with line: String, as name: String? = nil, in nodes: KnownNodes? = .usual,
    timeout: Duration = .seconds(10)
  ) async throws(CaptureError) -> Pairing {
    let line = try PairingLine(parsing: line)
    let nodes = try KnownNodes.required(nodes)
    do {
      return try await nodes.locked {
        var node = try nodes.storeBeforePairing(line, name: name ?? line.host)
        let answer = try await pair(line, secret: node.secret!, name: hostName, timeout: timeout)
        node.client = answer.client
        try nodes.write(node)
        return Pairing(node: node, role: answer.role)
      }
    } catch let error as CaptureError {
      throw error
    } catch {
      throw CaptureError(.internal, "\(error)")
    }
  }

  /// This machine's host name, up to the first dot.
  private static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return String(
      decoding: name.prefix { $0 != 0 && $0 != 0x2E }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension KnownNodes {
  fileprivate static func required(_ nodes: KnownNodes?) throws(CaptureError) -> KnownNodes {
    guard let nodes else {
      throw CaptureError(.failedPrecondition, "there is no folder for the files of known nodes: set HOME")
    }
    return nodes
  }

  /// Stores the node and a secret before anything is sent: a secret that only the node had would be lost. If an earlier attempt with the same line
  /// has stored a node and a secret, they are used again.
  fileprivate func storeBeforePairing(_ line: PairingLine, name: String) throws(CaptureError) -> KnownNode {
    try KnownNode.requireName(name)
    if let other = try node(name), other.pin != line.pin {
      throw CaptureError(
        .alreadyExists,
        "another node is known as '\(name)', and this one has another key. If that node was set up anew, remove \(path(of: name)) and pair again; "
          + "otherwise give this one another name",
        .init(.nameTaken, field: "name", asked: .text(name)))
    }
    let code = Digest(of: line.code)
    for isPending in [true, false] {
      if let begun = try? self.node(name, isPending: isPending), begun.pin == line.pin, begun.code == code,
        begun.secret != nil
      {
        return begun
      }
    }
    let node = KnownNode(
      name: name, addresses: line.addresses, port: line.port, pin: line.pin, secret: .make(), code: code)
    try write(node)
    return node
  }
}
