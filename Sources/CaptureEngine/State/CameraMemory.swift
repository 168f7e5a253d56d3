import CaptureModel

/// What a node keeps of a camera across its own restarts.
public struct CameraMemory: Hashable, Sendable {
  /// What clients set.
  public var controls = ControlMemory()
  /// Frames between a change of a control and the first frame that has it, as measured.
  public var delays: [ControlID: MeasuredDelay] = [:]
  /// The node's own modes: those that are on, and where the others look.
  public var software: SoftwareMemory?
  /// Of modes that cannot be told apart the one that was asked for.
  public var exposureMode: ExposureMode?
  /// Factor of the node's own zoom; `nil`: none was set.
  public var zoom: Double?
  /// With which photos the flash fires; `nil`: with none.
  public var flash: LightMode?
  /// The lamp that serves as its torch, where clients set it.
  public var lamp: LampMemory?
  /// Of frames, where clients bounded it.
  public var frameDuration: SettingsChange.FrameDuration?
  /// The input that somebody chose.
  public var input: InputMemory?
  /// Named sets of settings.
  public var profiles: [String: CameraProfile] = [:]

  public init() {}

  public var isEmpty: Bool { self == CameraMemory() }
}

/// How clients left a lamp.
public struct LampMemory: Hashable, Sendable, Codable {
  /// 0 (off) to 1.
  public var level: Double
  /// What it shines with when it is switched on without a level.
  public var brightness: Double

  public init(level: Double, brightness: Double) {
    (self.level, self.brightness) = (level, brightness)
  }
}

/// Where what a node shall not forget is kept.
public protocol MemoryStore: Sendable {
  /// What was kept of a camera; empty for one never seen.
  func memory(of camera: CameraID) -> CameraMemory
  /// Keeps it, soon. Called from any thread; never waits.
  func keep(_ memory: CameraMemory, of camera: CameraID)
  /// Sessions by name, as they were kept.
  var sessions: [String: SessionMemory] { get }
  /// Keeps a session, soon; `nil` forgets it. Called from any thread; never waits.
  func keep(_ session: SessionMemory?, named name: String)
  /// Returns once all that was to be kept outlives a power cut. Throws `unavailable` saying why it does not.
  func flush() async throws(CaptureError)
  /// Keeps nothing from here on, and lets others have what was kept.
  func close() async
}

extension MemoryStore {
  public func close() async {}
}

/// Keeps nothing.
public struct Forgetful: MemoryStore {
  public init() {}
  public func memory(of camera: CameraID) -> CameraMemory { CameraMemory() }
  public func keep(_ memory: CameraMemory, of camera: CameraID) {}
  public var sessions: [String: SessionMemory] { [:] }
  public func keep(_ session: SessionMemory?, named name: String) {}
  public func flush() async throws(CaptureError) {}
}
