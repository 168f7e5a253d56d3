extension CaptureError {
  /// The part of an error for programs, so that they need not read its message. Only what is known is set.
  public struct Details: Hashable, Sendable {
    /// Why it was refused.
    public var reason: Reason
    /// The path of the field in the request: "change.exposure.duration".
    public var field: String?
    /// What the client asked for.
    public var asked: Asked?
    /// Names or values that can be asked for instead.
    public var possible: [String]
    /// How many more names or values are possible than ``possible`` has.
    public var leftOut: Int
    /// The possible values of a number, in the unit of the field.
    public var range: Range?
    /// The limit's name, as in `docs/limits.md`.
    public var limit: String?
    /// The limit's bound, or the present revision.
    public var bound: UInt64?
    /// Who has what was asked for: a lease's holder, a client or a session.
    public var holder: String?
    /// The remaining time of a lease.
    public var remaining: Duration?
    /// The identity of the camera.
    public var device: String?

    public init(
      _ reason: Reason, field: String? = nil, asked: Asked? = nil, possible: [String] = [], leftOut: Int = 0,
      range: Range? = nil, limit: String? = nil, bound: UInt64? = nil, holder: String? = nil,
      remaining: Duration? = nil, device: String? = nil
    ) {
      self.reason = reason
      self.field = field
      self.asked = asked
      self.possible = possible
      self.leftOut = leftOut
      self.range = range
      self.limit = limit
      self.bound = bound
      self.holder = holder
      self.remaining = remaining
      self.device = device
    }

    /// A value that was asked for.
    public enum Asked: Hashable, Sendable {
      /// A name, or a value as a person writes it.
      case text(String)
      /// A number, in the unit of the field.
      case number(Double)
    }

    /// Possible values, in the unit of the field.
    public struct Range: Hashable, Sendable {
      /// The smallest possible value.
      public var minimum: Double
      /// The largest possible value.
      public var maximum: Double
      /// 0: every value in the range is possible.
      public var step: Double

      public init(_ minimum: Double, _ maximum: Double, step: Double = 0) {
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
      }
    }
  }

  /// A change's setting as a field of a request: "change.exposure.duration".
  public static func field(of setting: Setting) -> String { "change.\(setting.name)" }

  /// The field in which a request names its camera.
  public static let deviceField = "device"

  /// Returns the same error with other details.
  public func with(_ details: Details?) -> CaptureError {
    var error = self
    error.details = details
    return error
  }

  /// Returns the same error; its details name the camera and the field, where they named none.
  public func about(device: CameraID? = nil, field: String? = nil) -> CaptureError {
    guard var details else { return self }
    if details.device == nil, let device { details.device = device.rawValue }
    if details.field == nil { details.field = field }
    return with(details)
  }
}

extension CaptureError.Details.Asked: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self = .text(text) }
}
