import CaptureLibrary
import CaptureModel
import CaptureSystem

/// An invalid configuration. The text has the file, the key, what is wrong and what would be right.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// The contents of a configuration file (JSON5). Every key may be left out.
///
///     {
///       listen: ["unix:/run/capture-node/socket", { address: "127.0.0.1:7311", trustLocalUsers: true }],
///       cameras: ["synthetic:1280x720@30"],
///       torchLEDs: { "IDENTITY": "white:torch" },  // of /sys/class/leds, by camera
///       inUseLEDs: { "IDENTITY": "red:camera" },  // of /sys/class/leds, on while the camera streams
///       positions: { "IDENTITY": "front" },  // back, external: which way cameras look
///       gainISO: { "IDENTITY": [100, 1600] },  // the ISO of the least and of the most gain, by camera
///       edids: { "IDENTITY": "/etc/capture-node/hdmi.edid" },  // the EDIDs that capture cards show to their sources, by camera
///       location: { latitude: 48.858, longitude: 2.294, altitude: 35 },  // of the node: degrees in WGS 84, metres
///       lenses: { "IDENTITY": { focalLength: 3.67, fNumber: 2 } },  // also make, model, focalLengthIn35mm
///       sensors: { "IDENTITY": { blackLevel: 64, whiteLevel: 1023 } },  // for DNGs; also colorMatrix, neutral
///       logLevel: "info",                   // error, warning, info, debug
///       audit: "changes",                   // none, all: which calls are written down
///       unixMode: "0660",                   // octal, of Unix sockets
///       drainGraceSeconds: 3.5,             // 0 to 60
///       state: "/var/lib/capture-node/state.json",  // or "none"
///       tls: { certificate: "/etc/capture-node/tls/fullchain.pem", key: "/etc/capture-node/tls/key.pem" },  // of a CA
///       library: { root: "/srv/pictures" },  // also quotaBytes, maximumAgeDays, freeBytes, whenFull
///       limits: {
///         connections: 1024, connectionsPerAddress: 256, callsPerConnection: 100,
///         callsPerAddress: 2560,
///         requestBytesPerAddress: 2000000,  // of the requests of an address's running calls
///         envelopeBytes: 65536, chunkBytes: 262144,  // of a packet towards the node
///         bufferBytesPerCamera: 256000000,  // of the driver's memory for one camera
///         unreadPhotoBytes: 256000000,      // of photos that wait for their clients
///         unreadAssetBytes: 64000000,       // of pieces of kept pictures that wait for the clients that fetch them
///         keptPhotoBytes: 64000000,         // of photos that are kept for a client that asks again
///         burstBytesPerCamera: 64000000,    // of a camera's frames that wait to be made into photos
///         photosPerCamera: 16,              // that are being taken at once; a bracket or a burst counts as one
///         recentFrameBytesPerCamera: 20000000,  // of the newest frames of a stream, for photos of a moment that has passed; 0: none
///       },
///       leases: {
///         maximum: 600,  // seconds, 1 to 86400: for leases that outlive their connections
///         waiters: 256,  // for one camera
///       },
///     }
public struct ConfigurationFile: Hashable, Sendable {
  public var listen: [ListenSetting]?
  public var cameras: [String]?
  public var torchLEDs: [String: String]?
  public var inUseLEDs: [String: String]?
  public var positions: [String: CameraDescription.Position]?
  public var gainISO: [String: ClosedRange<Double>]?
  public var edids: [String: String]?
  public var location: GeographicLocation?
  public var lenses: [String: Lens]?
  public var sensors: [String: SensorCalibration]?
  public var logLevel: LogLevel?
  public var audit: AuditExtent?
  public var unixMode: UInt32?
  public var drainGrace: Duration?
  public var limits: NodeLimits?
  public var leases: LeaseLimits?
  public var state: StateLocation?
  public var library: LibraryConfiguration?
  public var tls: ConfiguredTLS?

  public init(path: String) throws(ConfigurationError) { self = try JSON5Document(path: path).contents }

  /// Returns `settings` with the values of the file.
  public func applied(to settings: NodeSettings) -> NodeSettings {
    var settings = settings
    if let listen { settings.listen = listen }
    if let cameras { settings.cameras = cameras }
    if let torchLEDs { settings.torchLEDs = torchLEDs }
    if let inUseLEDs { settings.inUseLEDs = inUseLEDs }
    if let positions { settings.positions = positions }
    if let gainISO { settings.gainISO = gainISO }
    if let edids { settings.edids = edids }
    if let location { settings.location = location }
    if let lenses { settings.lenses = lenses }
    if let sensors { settings.sensors = sensors }
    if let logLevel { settings.logLevel = logLevel }
    if let audit { settings.audit = audit }
    if let unixMode { settings.unixMode = unixMode }
    if let drainGrace { settings.drainGrace = drainGrace }
    if let limits { settings.limits = limits }
    if let leases { settings.leases = leases }
    if let state { settings.state = state }
    if let library { settings.library = library }
    if let tls { settings.tls = tls }
    return settings
  }
}

extension ConfigurationFile: Decodable {
  private enum Key: String, CaseIterable {
    case listen, cameras, logLevel, audit, allowUnauthenticatedRemote, unixMode, drainGraceSeconds, limits,
      state,
      library, torchLEDs, inUseLEDs, positions, gainISO, edids, location, lenses, sensors, leases, tls
  }

  public init(from decoder: any Decoder) throws {
    let keys = try StrictKeys<Key>(decoder, refused: [.allowUnauthenticatedRemote])
    listen = try keys.value(.listen, [ListenSetting].self)
    if listen?.isEmpty == true {
      throw keys.refusal(.listen, "has at least one address; left out: unix:\(SocketAddress.packagedSocket)")
    }
    cameras = try keys.value(.cameras, [String].self)
    torchLEDs = try keys.value(.torchLEDs, [String: String].self)
    inUseLEDs = try keys.value(.inUseLEDs, [String: String].self)
    if let torch = torchLEDs?.values, let both = inUseLEDs?.values.first(where: torch.contains) {
      throw keys.refusal(.inUseLEDs, "has LEDs that are no torch: \(both.quoted) is in torchLEDs")
    }
    positions = try keys.value(.positions, [String: String].self)?.mapValues { text in
      guard let position = CameraDescription.Position(rawValue: text) else {
        let all = CameraDescription.Position.allCases.map(\.rawValue).joined(separator: ", ")
        throw keys.refusal(.positions, "is one of \(all) for each camera")
      }
      return position
    }
    gainISO = try keys.value(.gainISO, [String: [Double]].self)?.mapValues { ends in
      guard ends.count == 2, 0 < ends[0], ends[0] < ends[1], ends[1] <= 1e7 else {
        throw keys.refusal(.gainISO, "has two ISO numbers a camera, the smaller one first: [100, 1600]")
      }
      return ends[0]...ends[1]
    }
    edids = try keys.value(.edids, [String: String].self)
    location = try keys.value(.location, ConfiguredLocation.self)?.value
    lenses = try keys.value(.lenses, [String: ConfiguredLens].self)?.mapValues(\.value)
    sensors = try keys.value(.sensors, [String: ConfiguredSensor].self)?.mapValues(\.value)
    logLevel = try keys.value(.logLevel, String.self).map { text in
      guard let level = LogLevel(rawValue: text) else {
        throw keys.refusal(
          .logLevel, "is one of \(LogLevel.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return level
    }
    audit = try keys.value(.audit, String.self).map { text in
      guard let extent = AuditExtent(rawValue: text) else {
        throw keys.refusal(
          .audit, "is one of \(AuditExtent.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return extent
    }
    if try keys.value(.allowUnauthenticatedRemote, Bool.self) == true {
      throw keys.refusal(
        .allowUnauthenticatedRemote,
        "is no more: pair other machines ('capture-node pair'), or let them come in the clear with a credential of their own (plaintext, under listen)"
      )
    }
    unixMode = try keys.value(.unixMode, String.self).map { text in
      guard let mode = UInt32(text, radix: 8), mode <= 0o777 else {
        throw keys.refusal(.unixMode, "is an octal text from \"0000\" to \"0777\"")
      }
      return mode
    }
    drainGrace = try keys.value(.drainGraceSeconds, Double.self).map { seconds in
      guard seconds >= 0, seconds <= 60 else {
        throw keys.refusal(.drainGraceSeconds, "is a number of seconds from 0 to 60")
      }
      return .seconds(seconds)
    }
    limits = try keys.value(.limits, Limits.self)?.value
    leases = try keys.value(.leases, Leases.self)?.value
    state = try keys.value(.state, String.self).map { text in
      guard let location = StateLocation(text) else {
        throw keys.refusal(.state, "is a file's path, or none")
      }
      return location
    }
    library = try keys.value(.library, ConfiguredLibrary.self)?.value
    tls = try keys.value(.tls, ConfiguredTLS.self)
  }

  private struct Limits: Decodable {
    var value = NodeLimits()

    /// The limits that can be configured.
    private struct Key: RawRepresentable, CaseIterable {
      let limit: NodeLimit
      static let allCases = NodeLimit.allCases.filter { $0.configurable != nil }.map { Key(limit: $0) }

      init(limit: NodeLimit) { self.limit = limit }
      init?(rawValue: String) {
        guard let limit = NodeLimit(rawValue: rawValue), limit.configurable != nil else { return nil }
        self.limit = limit
      }
      var rawValue: String { limit.rawValue }
    }

    init(from decoder: any Decoder) throws {
      let keys = try StrictKeys<Key>(decoder)
      for key in Key.allCases {
        guard let values = key.limit.configurable, let count = try keys.value(key, Int.self) else { continue }
        guard values.contains(count) else {
          throw keys.refusal(key, "is a number from \(values.lowerBound) to \(values.upperBound)")
        }
        value[key.limit] = count
      }
    }
  }

  private struct Leases: Decodable {
    var value = LeaseLimits()

    private enum Key: String, CaseIterable { case maximum, waiters }

    init(from decoder: any Decoder) throws {
      let keys = try StrictKeys<Key>(decoder)
      if let seconds = try keys.value(.maximum, Double.self) {
        guard 1...86_400 ~= seconds else {
          throw keys.refusal(.maximum, "is a number of seconds from 1 to 86400")
        }
        value.maximum = .seconds(seconds)
      }
      if let count = try keys.value(.waiters, Int.self) {
        guard 1...10_000 ~= count else { throw keys.refusal(.waiters, "is a number from 1 to 10000") }
        value.waiters = count
      }
    }
  }
}
