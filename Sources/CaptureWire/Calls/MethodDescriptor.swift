/// A method of a service, as the contract declares it. Generated, one constant a method.
public struct MethodDescriptor: Hashable, Sendable {
  public enum Kind: Sendable { case unary, serverStream, clientStream, bidirectional }

  /// "capture.v1.Devices/List"
  public var name: String
  public var kind: Kind
  /// The longest payload a request message may carry, bytes: 0 unless the request declares `bytes data = 15`.
  public var requestPayloadLimit: UInt64

  public init(name: String, kind: Kind, requestPayloadLimit: UInt64 = 0) {
    self.name = name
    self.kind = kind
    self.requestPayloadLimit = requestPayloadLimit
  }

  public var clientStreams: Bool { kind == .clientStream || kind == .bidirectional }
  public var serverStreams: Bool { kind == .serverStream || kind == .bidirectional }
}
