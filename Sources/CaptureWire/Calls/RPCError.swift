import CaptureModel

/// A call that did not end in OK: the node's status, or what this side made of a broken connection or a passed deadline.
public struct RPCError: Error, Hashable, Sendable, CustomStringConvertible {
  public var code: StatusCode
  /// For a person.
  public var text: String
  public var metadata: [CallMetadata]

  public init(_ code: StatusCode, _ text: String, metadata: [CallMetadata] = []) {
    self.code = code
    self.text = text
    self.metadata = metadata
  }

  /// The one mapping of the model's errors to statuses. Whatever strings of others went into its text, it is one line and not too long a one.
  public init(_ error: CaptureError) {
    self.init(StatusCode(error.code), error.message.abridged(to: Self.longestText))
  }

  /// Characters (Unicode scalars).
  private static let longestText = 4000

  /// Any error a handler threw: ours as they are, a cancellation as CANCELLED, others as INTERNAL.
  public init(any error: any Error) {
    switch error {
    case let error as RPCError: self = error
    case let error as CaptureError: self.init(error)
    case is CancellationError: self.init(.cancelled, "the call was cancelled")
    default: self.init(.internal, "\(error)")
    }
  }

  public var description: String { "\(code): \(text)" }
}

/// A name and a value that travel with a call.
public struct CallMetadata: Hashable, Sendable {
  /// Lower case.
  public var key: String
  public var value: [UInt8]

  public init(key: String, value: [UInt8]) {
    self.key = key
    self.value = value
  }
}

extension CallMetadata {
  /// A lease's token, with calls that change a camera (leases.proto).
  public static let leaseKey = "lease"
}
