import CaptureModel
import CaptureSystem

/// The settings of a node, from its command line and its configuration file.
public struct NodeSettings: Hashable, Sendable {
  public var listen: [SocketAddress] = [.standard]
  /// The cameras, as a person writes them. Empty: every capture device, or one synthetic camera where there is none.
  public var cameras: [String] = []
  /// The LEDs under `/sys/class/leds` that are cameras' torches, by the camera's identity.
  public var torchLEDs: [String: String] = [:]
  /// The directions in which cameras look, by their identities, where the driver reports none or a wrong one.
  public var positions: [String: CameraDescription.Position] = [:]
  /// The ISO of the least and of the largest gain, for cameras without an ISO control, by the camera's identity.
  public var gainISO: [String: ClosedRange<Double>] = [:]
  /// The files with EDIDs for cameras' inputs, by the camera's identity.
  public var edids: [String: String] = [:]
  /// Where the node is, for photos; `nil`: they do not say.
  public var location: GeographicLocation?
  /// Cameras' lenses, for photos, by the camera's identity.
  public var lenses: [String: Lens] = [:]
  public var logLevel = LogLevel.info
  /// Allows addresses that other machines can reach. Anybody there may then use the cameras.
  public var allowsUnauthenticatedRemote = false
  /// Whether it serves `capture.v1.Test` too.
  public var offersTestService = false
  /// Permissions of Unix sockets.
  public var unixMode: UInt32 = 0o600
  /// How long calls may continue after SIGTERM.
  public var drainGrace = Duration.milliseconds(3_500)
  /// The limits for clients. A request beyond one is refused at once, with the reason.
  public var limits = NodeLimits()
  public var leases = LeaseLimits()
  public var state = StateLocation.usual

  public init() {}
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

extension NodeSettings {
  /// Throws for an address that other machines can reach, unless it is allowed: nobody would have to prove who they are.
  public func requireLocalListeners() throws(ConfigurationError) {
    guard !allowsUnauthenticatedRemote else { return }
    for address in listen where !address.isLocal {
      do throws(SocketAddressError) {
        _ = try address.resolved()
      } catch {
        throw ConfigurationError(description: "cannot listen on \(address): \(error)")
      }
      throw ConfigurationError(
        description:
          "refusing to listen on \(address): whoever reaches it could use the cameras. Listen on a loopback address or a Unix "
          + "socket and tunnel to it, or allow it with --allow-unauthenticated-remote")
    }
  }
}
