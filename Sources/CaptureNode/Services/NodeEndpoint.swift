import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire

/// `capture.v1.Node`: the node's identity and state.
struct NodeEndpoint: NodeService {
  let engine: CaptureEngine
  let facts: NodeFacts

  func info(_ request: InfoRequest, context: CallContext) async throws -> InfoResponse {
    let system = SystemName()
    return InfoResponse(
      name: system.host, version: facts.version, bootID: MonotonicClock.bootID, kernel: system.kernel,
      machine: system.machine, cameras: UInt32(engine.cameras.count { $0.isPresent }),
      listeners: facts.listeners.map(\.description), methods: facts.methods)
  }

  func status(_ request: StatusRequest, context: CallContext) async throws -> StatusResponse {
    let usage = ProcessUsage()
    let transport = facts.statistics
    var cameras: [CameraStatus] = []
    for (entry, device) in engine.all {
      cameras.append(CameraStatus(entry, await device.status()))
    }
    return StatusResponse(
      uptimeMs: (MonotonicClock.now() - facts.started) / 1_000_000, clients: UInt32(transport.clients),
      clientsTotal: transport.clientsTotal, clientsRefused: transport.clientsRefused,
      calls: UInt32(transport.calls), callsTotal: transport.callsTotal, callsFailed: transport.callsFailed,
      leases: UInt32(engine.leases.heldCameras),
      framesDiscarded: cameras.reduce(0) { $0 + $1.framesDiscarded }, descriptors: UInt32(usage.descriptors),
      descriptorsLimit: usage.descriptorsLimit, residentBytes: usage.residentBytes,
      threads: UInt32(usage.threads), cpuNs: usage.cpuTime, cameras: cameras,
      stateFailure: engine.storeFailure.map { StateFailure($0) })
  }
}

extension StateFailure {
  fileprivate init(_ failure: StoreFailure) {
    self.init(message: failure.message, ageMs: (MonotonicClock.now() - failure.since) / 1_000_000)
  }
}

extension CameraStatus {
  fileprivate init(_ entry: CameraRoster.Entry, _ status: DeviceStatus) {
    self.init(
      index: UInt32(entry.index), id: entry.description.id.rawValue, streaming: status.format != nil,
      pixelFormat: status.format?.pixelFormat.rawValue ?? 0, size: (status.format?.size).map { Size($0) },
      interval: (status.format?.interval).map { .init($0) }, measuredFps: status.measuredRate,
      subscribers: UInt32(status.subscribers), frames: status.counters.frames,
      framesFlagged: status.counters.flagged, framesLost: status.counters.lost,
      framesDiscarded: status.discarded, restarts: status.counters.restarts,
      buffers: UInt32(clamping: status.counters.buffers),
      buffersLent: UInt32(clamping: status.counters.buffersLent), lastError: status.lastError,
      encodeNs: UInt64(status.encodeTime / .nanoseconds(1)), framesEncoded: status.encoded,
      framesCorrupt: status.corrupt,
      lastErrorAgeMs: UInt64(max(.zero, status.lastErrorAge) / .milliseconds(1)),
      response: DriverResponse(status.response), input: status.input.map { .init($0) })
  }
}
