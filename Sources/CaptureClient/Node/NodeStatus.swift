public import CaptureModel
internal import CaptureWire

/// The state of a node: enough to see whether it is well.
public struct NodeStatus: Hashable, Sendable {
  /// The time since its start.
  public var uptime: Duration = .zero
  /// Open connections.
  public var clients = 0
  /// Connections since the start.
  public var clientsTotal: UInt64 = 0
  /// Connections that were refused since the start: beyond a limit, or with another protocol.
  public var clientsRefused: UInt64 = 0
  /// Calls that run, including cancelled ones that have not returned.
  public var calls = 0
  /// Calls since the start.
  public var callsTotal: UInt64 = 0
  /// Calls that failed since the start, other than by a cancellation.
  public var callsFailed: UInt64 = 0
  /// Leases that are held.
  public var leases = 0
  /// Frames of all subscriptions that newer ones replaced, since the start.
  public var framesDiscarded: UInt64 = 0
  /// Open file descriptors of the process.
  public var descriptors = 0
  /// How many descriptors the process can have.
  public var descriptorsLimit: UInt64 = 0
  /// Memory of the process that is in use now, in bytes.
  public var residentBytes: UInt64 = 0
  /// Threads of the process.
  public var threads = 0
  /// User and system time of the process since its start.
  public var processorTime: Duration = .zero
  /// The cameras, by index.
  public var cameras: [CameraStatus] = []
  /// Why the node cannot write its state file: what clients set holds only until it ends. `nil`: it can, or it is to keep none.
  public var stateFailure: StateFailure?

  public init() {}

  /// A state that cannot be written.
  public struct StateFailure: Hashable, Sendable {
    /// The file, and why it cannot be written.
    public var message: String
    /// The time since the first write that failed, or since the node's start.
    public var age: Duration

    public init(message: String, age: Duration) { (self.message, self.age) = (message, age) }
  }
}

/// The stream of one camera.
public struct CameraStatus: Hashable, Sendable {
  /// The camera's index: ``CameraInfo/index``.
  public var index: Int
  /// The camera's identity.
  public var id: CameraID
  /// Whether its driver gives frames now.
  public var isStreaming = false
  /// The stream's format, or the last one's; `nil`: there was none.
  public var pixelFormat: PixelFormat?
  /// The stream's size, or the last one's; `nil`: there was none.
  public var size: FrameSize?
  /// The interval that the driver reports.
  public var interval: CaptureModel.FrameInterval?
  /// Frames a second, over the last seconds; 0 when it does not stream.
  public var measuredRate: Double = 0
  /// How many clients get its frames.
  public var subscribers = 0
  /// Frames that were taken from the driver, since the node's start, as are those below.
  public var frames: UInt64 = 0
  /// Frames with the driver's error flag, which were dropped.
  public var framesFlagged: UInt64 = 0
  /// Gaps in the driver's numbering.
  public var framesLost: UInt64 = 0
  /// Frames that newer ones replaced in subscriptions.
  public var framesDiscarded: UInt64 = 0
  /// Frames that the node encoded.
  public var framesEncoded: UInt64 = 0
  /// Truncated or corrupt frames, which were dropped.
  public var framesCorrupt: UInt64 = 0
  /// Time spent encoding.
  public var encodingTime: Duration = .zero
  /// Restarts of the stream, after a stall or an error.
  public var restarts: UInt64 = 0
  /// Buffers of the driver.
  public var buffers = 0
  /// Buffers that readers hold now.
  public var buffersLent = 0
  /// `nil`: there was none.
  public var lastError: String?
  /// The time since ``lastError``; `nil` where it is not told.
  public var lastErrorAge: Duration?
  /// How its driver answers.
  public var response: Responsiveness = .responding
  /// The input in use; `nil` for a camera that has no input that could change.
  public var input: CaptureModel.CameraInput?

  public init(index: Int, id: CameraID) { (self.index, self.id) = (index, id) }
}

extension RemoteNode {
  /// The state of the node.
  public func status() async throws(CaptureError) -> NodeStatus {
    try await capturing { () async throws(RPCError) in
      NodeStatus(try await NodeClient(connection).status(StatusRequest(), options: callOptions))
    }
  }
}

extension NodeStatus {
  fileprivate init(_ message: StatusResponse) {
    uptime = .milliseconds(Int64(clamping: message.uptimeMs))
    (clients, clientsTotal) = (Int(message.clients), message.clientsTotal)
    clientsRefused = message.clientsRefused
    (calls, callsTotal, callsFailed) = (Int(message.calls), message.callsTotal, message.callsFailed)
    (leases, framesDiscarded) = (Int(message.leases), message.framesDiscarded)
    (descriptors, descriptorsLimit) = (Int(message.descriptors), message.descriptorsLimit)
    (residentBytes, threads) = (message.residentBytes, Int(message.threads))
    processorTime = .nanoseconds(Int64(clamping: message.cpuNs))
    cameras = message.cameras.map { CameraStatus($0) }
    stateFailure = message.stateFailure.map {
      .init(message: $0.message, age: .milliseconds(Int64(clamping: $0.ageMs)))
    }
  }
}

extension CameraStatus {
  fileprivate init(_ message: CaptureWire.CameraStatus) {
    self.init(index: Int(message.index), id: CameraID(rawValue: message.id))
    isStreaming = message.streaming
    pixelFormat = message.pixelFormat == 0 ? nil : PixelFormat(rawValue: message.pixelFormat)
    (size, interval) = (message.size?.model, message.interval?.model)
    (measuredRate, subscribers) = (message.measuredFps, Int(message.subscribers))
    (frames, framesFlagged, framesLost) = (message.frames, message.framesFlagged, message.framesLost)
    (framesDiscarded, framesEncoded) = (message.framesDiscarded, message.framesEncoded)
    framesCorrupt = message.framesCorrupt
    encodingTime = .nanoseconds(Int64(clamping: message.encodeNs))
    restarts = message.restarts
    (buffers, buffersLent) = (Int(message.buffers), Int(message.buffersLent))
    lastError = message.lastError.isEmpty ? nil : message.lastError
    lastErrorAge = message.lastErrorAgeMs == 0 ? nil : .milliseconds(Int64(clamping: message.lastErrorAgeMs))
    (response, input) = (message.response.model, message.input?.model)
  }
}
