/// A method of a service in the contract. Generated code has one constant for each method.
public struct MethodDescriptor: Hashable, Sendable {
  public enum Kind: Sendable { case unary, serverStream, clientStream, bidirectional }

  /// "capture.v1.Devices/List"
  public var name: String
  public var kind: Kind
  /// The longest payload that a request message may have, in bytes: 0 unless the request declares `bytes data = 15`.
  public var requestPayloadLimit: UInt64

  public init(name: String, kind: Kind, requestPayloadLimit: UInt64 = 0) {
    self.name = name
    self.kind = kind
    self.requestPayloadLimit = requestPayloadLimit
  }

  public var clientStreams: Bool { kind == .clientStream || kind == .bidirectional }
  public var serverStreams: Bool { kind == .serverStream || kind == .bidirectional }
}
