import CaptureModel
import CaptureSystem

/// What a node is told to do, by its command line and its configuration file.
public struct NodeSettings: Hashable, Sendable {
  public var listen: [SocketAddress] = [.standard]
  /// Cameras as a person writes them; empty: every capture device, or one synthetic camera where there is none.
  public var cameras: [String] = []
  /// LEDs of `/sys/class/leds` that are cameras' torches, by the camera's identity.
  public var torchLEDs: [String: String] = [:]
  /// Which way cameras look, by their identities, where the driver does not say or says wrong.
  public var positions: [String: CameraDescription.Position] = [:]
  /// What the least and the most gain of cameras without an ISO control are as ISO, by the camera's identity.
  public var gainISO: [String: ClosedRange<Double>] = [:]
  /// Files with the EDIDs that cameras' inputs have, by the camera's identity.
  public var edids: [String: String] = [:]
  public var logLevel = LogLevel.info
  /// Listens on addresses that other machines reach, though anybody there may then use the cameras.
  public var allowsUnauthenticatedRemote = false
  /// Serves `capture.v1.Test` too.
  public var offersTestService = false
  /// Permissions of Unix sockets.
  public var unixMode: UInt32 = 0o600
  /// How long calls may go on after SIGTERM.
  public var drainGrace = Duration.milliseconds(3_500)
  /// How much clients may take; what is past it is refused at once, with the reason.
  public var limits = NodeLimits()
  public var leases = LeaseLimits()
  public var state = StateLocation.usual

  public init() {}
}

/// What a log tells; each level includes those before it.
public enum LogLevel: String, CaseIterable, Hashable, Sendable, Comparable {
  case error, warning, info, debug

  /// syslog's number.
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
  /// Throws for an address that other machines reach, unless that is allowed: nobody would have to prove who they are.
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
