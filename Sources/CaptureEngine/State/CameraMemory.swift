import CaptureModel

/// The state of a camera that a node keeps across its own restarts.
public struct CameraMemory: Hashable, Sendable {
  /// The controls that clients set.
  public var controls = ControlMemory()
  /// Whether the gains of white balance were set after the temperature, where ``controls`` do not show that: the gains that a mode of the node's sets
  /// are not kept. `nil`: ``controls`` show it.
  public var gainsWereSetLast: Bool?
  /// The measured delays of controls.
  public var delays: [ControlID: MeasuredDelay] = [:]
  /// The node's own modes: those that are on, and the points of the others.
  public var software: SoftwareMemory?
  /// The exposure mode that was asked for: a driver's controls may have the same values in several modes.
  public var exposureMode: ExposureMode?
  /// The factor of the node's own zoom; `nil`: none was set.
  public var zoom: Double?
  /// The photos for which the flash fires; `nil`: none.
  public var flash: LightMode?
  /// The lamp that serves as the camera's torch, where clients have set it.
  public var lamp: LampMemory?
  /// The bounds of the frame duration, where clients have set them.
  public var frameDuration: SettingsChange.FrameDuration?
  /// The input that a client chose.
  public var input: InputMemory?
  /// The profiles, by name.
  public var profiles: [String: CameraProfile] = [:]

  public init() {}

  public var isEmpty: Bool { self == CameraMemory() }

  /// Whether the gains tell the temperature of the light, and not the driver's control of it.
  var gainsTellLight: Bool {
    get { gainsWereSetLast ?? controls.gainsWereSetLast ?? false }
    set { gainsWereSetLast = newValue == (controls.gainsWereSetLast ?? false) ? nil : newValue }
  }

  /// Whether the memory has settings that the camera gets again when it comes back.
  var hasSettings: Bool {
    !controls.isEmpty || software != nil || zoom != nil || flash != nil || lamp != nil || frameDuration != nil
  }
}

/// The state in which clients left a lamp.
public struct LampMemory: Hashable, Sendable, Codable {
  /// 0 (off) to 1.
  public var level: Double
  /// The level of the lamp when it is switched on without a level.
  public var brightness: Double

  public init(level: Double, brightness: Double) {
    (self.level, self.brightness) = (level, brightness)
  }
}

/// Stores what a node must not forget.
public protocol MemoryStore: Sendable {
  /// The stored state of a camera; empty for one that was never seen.
  func memory(of camera: CameraID) -> CameraMemory
  /// Stores the state of a camera soon. Any thread may call it; it never waits.
  func save(_ memory: CameraMemory, of camera: CameraID)
  /// The stored sessions, by name.
  var sessions: [String: SessionMemory] { get }
  /// Stores a session soon; `nil` removes it. Any thread may call it; it never waits.
  func save(_ session: SessionMemory?, named name: String)
  /// Returns once everything that was stored would survive a power cut. Throws `unavailable`, with the reason, if something cannot be stored.
  func flush() async throws(CaptureError)
  /// Why nothing can be stored now; `nil`: the last write succeeded, or there was none.
  var failure: StoreFailure? { get }
}

extension MemoryStore {
  public var failure: StoreFailure? { nil }
}

/// A store that cannot be written.
public struct StoreFailure: Hashable, Sendable {
  /// The store, and why it cannot be written.
  public var message: String
  /// When the first write failed: `CLOCK_MONOTONIC`, in nanoseconds.
  public var since: UInt64

  public init(_ message: String, since: UInt64) { (self.message, self.since) = (message, since) }
}

/// A store that keeps nothing. If there is a reason for that (``failure``), ``flush()`` throws it.
public struct DiscardingStore: MemoryStore {
  public let failure: StoreFailure?

  /// `failure`: why there is no store; `nil`: none is wanted.
  public init(_ failure: StoreFailure? = nil) { self.failure = failure }
  public func memory(of camera: CameraID) -> CameraMemory { CameraMemory() }
  public func save(_ memory: CameraMemory, of camera: CameraID) {}
  public var sessions: [String: SessionMemory] { [:] }
  public func save(_ session: SessionMemory?, named name: String) {}
  public func flush() async throws(CaptureError) {
    guard let failure else { return }
    throw CaptureError(
      .unavailable,
      "the node keeps nothing until this is put right and it is started again: \(failure.message)",
      .init(.stateNotWritable))
  }
}
