import CaptureLibrary
import CaptureModel
import CaptureSystem

/// The settings of a node, from its command line and its configuration file.
public struct NodeSettings: Hashable, Sendable {
  /// Where the node listens. Empty: on the usual Unix socket.
  public var listen: [ListenSetting] = []
  /// The cameras, as a person writes them. Empty: every capture device, or one synthetic camera where there is none.
  public var cameras: [String] = []
  /// The LEDs under `/sys/class/leds` that are cameras' torches, by the camera's identity.
  public var torchLEDs: [String: String] = [:]
  /// The LEDs under `/sys/class/leds` that show that cameras are in use, by the camera's identity.
  public var inUseLEDs: [String: String] = [:]
  /// The directions in which cameras look, by their identities, where the driver reports none or a wrong one.
  public var positions: [String: CameraDescription.Position] = [:]
  /// The ISO of the least and of the largest gain, for cameras without an ISO control, by the camera's identity.
  public var gainISO: [String: ClosedRange<Double>] = [:]
  /// The files with EDIDs for cameras' inputs, by the camera's identity.
  public var edids: [String: String] = [:]
  /// Where the node is, for photos; `nil`: photos have no location.
  public var location: GeographicLocation?
  /// Cameras' lenses, for photos, by the camera's identity.
  public var lenses: [String: Lens] = [:]
  /// Cameras' sensors, for DNGs, by the camera's identity.
  public var sensors: [String: SensorCalibration] = [:]
  public var logLevel = LogLevel.info
  /// Which calls are written down.
  public var audit = AuditExtent.changes
  /// Whether the node serves `capture.v1.Test` too.
  public var offersTestService = false
  /// Permissions of Unix sockets.
  public var unixMode: UInt32 = 0o600
  /// How long calls may continue after SIGTERM.
  public var drainGrace = Duration.milliseconds(3_500)
  /// The limits for clients. A request beyond one is refused at once, with the reason.
  public var limits = NodeLimits()
  public var leases = LeaseLimits()
  public var state = StateLocation.usual
  /// Where pictures are kept; `nil`: the node keeps none.
  public var library: LibraryConfiguration?
  /// The certificate that the node shows; `nil`: its own.
  public var tls: ConfiguredTLS?
  /// The clients that the configuration names.
  public var access = ConfiguredAccess()
  /// Advice for the administrator; `nil`: none.
  public var hint: String?

  public init() {}

  /// The keys of the configuration that differ from those of `other`, and take effect at the node's next start.
  public func keysForNextStart(from other: NodeSettings) -> [String] {
    func key<Value: Equatable>(_ name: String, _ value: KeyPath<NodeSettings, Value>) -> String? {
      self[keyPath: value] == other[keyPath: value] ? nil : name
    }
    return [
      key("listen", \.listen), key("cameras", \.cameras), key("torchLEDs", \.torchLEDs),
      key("inUseLEDs", \.inUseLEDs),
      key("positions", \.positions), key("gainISO", \.gainISO), key("edids", \.edids),
      key("location", \.location), key("lenses", \.lenses), key("sensors", \.sensors),
      key("logLevel", \.logLevel), key("audit", \.audit),
      key("unixMode", \.unixMode), key("drainGraceSeconds", \.drainGrace), key("limits", \.limits),
      key("leases", \.leases), key("state", \.state), key("library", \.library),
    ].compactMap { $0 }
  }
}

/// The level of log messages. Each level includes those before it.
public enum LogLevel: String, CaseIterable, Hashable, Sendable, Comparable {
  case error, warning, info, debug

  /// The number in syslog.
  public var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .info: 6
    case .debug: 7
    }
  }

  public static func < (a: LogLevel, b: LogLevel) -> Bool { a.priority < b.priority }
}
