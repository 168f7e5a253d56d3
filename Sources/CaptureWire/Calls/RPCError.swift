import CaptureModel

/// The error of a call that did not end in OK: the node's status, or this side's own for a broken connection or an expired deadline.
public struct RPCError: Error, Hashable, Sendable, CustomStringConvertible {
  public var code: StatusCode
  /// The message for a person.
  public var text: String
  public var metadata: [CallMetadata]

  public init(_ code: StatusCode, _ text: String, metadata: [CallMetadata] = []) {
    self.code = code
    self.text = text
    self.metadata = metadata
  }

  /// Maps the model's errors to statuses; only this code does. Foreign text in the message is kept to one line of limited length.
  public init(_ error: CaptureError) {
    self.init(
      StatusCode(error.code), error.message.abridged(to: Self.longestText),
      error.details ?? Self.usualReason[error.code].map { .init($0) })
  }

  /// The reasons of errors without details: the code that reads and makes pictures gives only error codes.
  private static let usualReason: [CaptureError.Code: CaptureError.Reason] = [
    .dataLoss: .damagedPicture, .unimplemented: .notSupported,
  ]

  /// An error with details.
  package init(_ code: StatusCode, _ text: String, _ details: CaptureError.Details?) {
    self.init(code, text, metadata: details.map { [CallMetadata($0)] } ?? [])
  }

  /// The longest text of a model's error, in characters (Unicode scalars).
  private static let longestText = 4000

  /// Maps any error that a handler threw: known errors as they are, a cancellation to CANCELLED, others to INTERNAL.
  public init(any error: any Error) {
    switch error {
    case let error as RPCError: self = error
    case let error as CaptureError: self.init(error)
    case is CancellationError: self.init(.callCancelled)
    default: self.init(.internal, "\(error)")
    }
  }

  /// The error's details, for programs; `nil`: the node sent none that this side understands.
  public var details: CaptureError.Details? {
    metadata.first { $0.key == CallMetadata.errorKey }.flatMap { CaptureError.Details($0.value) }
  }

  /// Returns the same error with another text.
  public func with(text: String) -> RPCError { RPCError(code, text, metadata: metadata) }

  public var description: String { "\(code): \(text)" }
}

/// A name and a value that travel with a call.
public struct CallMetadata: Hashable, Sendable {
  /// The name, in lower case.
  public var key: String
  public var value: [UInt8]

  public init(key: String, value: [UInt8]) {
    self.key = key
    self.value = value
  }
}

extension CallMetadata {
  /// The key of a lease's token. Calls that change a camera have it (leases.proto).
  public static let leaseKey = "lease"
  /// The key of a status's `ErrorDetails` (errors.proto).
  public static let errorKey = "capture-error-bin"
}
