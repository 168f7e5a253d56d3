import CaptureSystem

/// A failure, described for a person: what was asked for, what is possible, and what to do.
public struct CaptureError: Error, Hashable, Sendable {
  /// The kind of failure. These are gRPC's status codes, and the wire uses their numbers.
  public enum Code: UInt32, Sendable, CaseIterable {
    /// The caller cancelled the call, or its task was cancelled.
    case cancelled = 1
    /// A failure that fits no other code.
    case unknown = 2
    /// The request is wrong in any state of the node.
    case invalidArgument = 3
    /// There was no answer in time. Whether the node has carried out the request is not known.
    case deadlineExceeded = 4
    /// There is no camera, session, control or profile of that name. The details list what there is.
    case notFound = 5
    /// The name is taken.
    case alreadyExists = 6
    /// The caller, or the user as whom the node runs, has no right to do this.
    case permissionDenied = 7
    /// A limit was reached: connections, calls, disk.
    case resourceExhausted = 8
    /// The request is valid, but not in the present state: another client has fixed the format, or a control is inactive.
    case failedPrecondition = 9
    /// Somebody else was faster: a change, or a lease that was ended by force.
    case aborted = 10
    /// A place beyond the end of something.
    case outOfRange = 11
    /// The node does not have the method; it may be older.
    case unimplemented = 12
    /// A bug in the node.
    case `internal` = 13
    /// Not possible now, but perhaps later: the camera is unplugged, the node is draining, or no node answers.
    case unavailable = 14
    /// The data that came is damaged or incomplete.
    case dataLoss = 15
    /// The caller is not known.
    case unauthenticated = 16

    /// gRPC's name: "FAILED_PRECONDITION".
    public var name: String { "\(self)".inCapitals }
  }

  /// The kind of failure.
  public var code: Code
  /// The text for a person: what was asked for, what is possible, what to do.
  public var message: String
  /// The system call's failure that caused this one, where there is one.
  public var cause: Errno?
  /// The part of the error for programs. The details are in an object of their own, since most errors have none.
  public var details: Details? {
    get { box?.details }
    set { keep(newValue, unrestored) }
  }
  /// The controls that a camera's call had set before it failed, and that it could not set back: in order, each with its former value.
  package var unrestored: [ControlAssignment] {
    get { box?.unrestored ?? [] }
    set { keep(details, newValue) }
  }
  private var box: Box?

  public init(_ code: Code, _ message: String, cause: Errno? = nil, _ details: Details? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
    self.details = details
  }

  private mutating func keep(_ details: Details?, _ unrestored: [ControlAssignment]) {
    box = details == nil && unrestored.isEmpty ? nil : Box(details, unrestored)
  }

  private final class Box: Hashable, Sendable {
    let details: Details?
    let unrestored: [ControlAssignment]
    init(_ details: Details?, _ unrestored: [ControlAssignment]) {
      (self.details, self.unrestored) = (details, unrestored)
    }
    static func == (one: Box, other: Box) -> Bool {
      one.details == other.details && one.unrestored == other.unrestored
    }
    func hash(into hasher: inout Hasher) {
      hasher.combine(details)
      hasher.combine(unrestored)
    }
  }
}

extension CaptureError: CustomStringConvertible {
  public var description: String { message }
}

extension CaptureError {
  /// Returns the same error with `text` before its message, to tell the caller what the error means for the call.
  public func prefixed(_ text: String) -> CaptureError { with(message: "\(text): \(message)") }

  /// Returns the same error with another message.
  public func with(message: String) -> CaptureError {
    var error = self
    error.message = message
    return error
  }

  /// The client has gone, or has cancelled the call.
  public static let callCancelled = CaptureError(.cancelled, "the call was cancelled", Details(.cancelled))

  /// The node takes no more work.
  public static let nodeDraining = CaptureError(
    .unavailable, "the node is shutting down", Details(.nodeDraining))

  /// Throws `cancelled` when the calling task has been cancelled: the client has gone, and its request must not be carried out later.
  public static func checkCancellation() throws(CaptureError) {
    if Task.isCancelled { throw .callCancelled }
  }
}
