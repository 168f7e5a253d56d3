import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire

/// `capture.v1.Node`: the node's identity and state.
struct NodeEndpoint: NodeService {
  let engine: ServedEngine
  let facts: NodeFacts
  let jobs: NodeJobs
  let access: NodeAccess?
  let viewers: Viewers

  func info(_ request: InfoRequest, context: CallContext) async throws -> InfoResponse {
    let system = SystemName()
    let info = NodeInfo(
      name: system.host, version: facts.version, bootID: MonotonicClock.bootID, kernel: system.kernel,
      machine: system.machine,
      cameras: engine.seen(by: context.withCamerasSeen(in: .video)).cameras.count { $0.isPresent },
      listeners: facts.listeners.map(\.description), methods: facts.methods)
    return InfoResponse(info)
  }

  func status(_ request: StatusRequest, context: CallContext) async throws -> StatusResponse {
    let context = context.withCamerasSeen(in: .video)
    let (seen, usage) = (engine.seen(by: context), ProcessUsage())
    let transport = facts.statistics
    var status = NodeStatus()
    for (entry, device) in seen.all {
      var camera = CaptureModel.CameraStatus(entry, await device.status())
      camera.lastError = camera.lastError.map(seen.redacted)
      status.cameras.append(camera)
    }
    status.uptime = .nanoseconds(MonotonicClock.now() - facts.started)
    status.clients = transport.clients
    (status.clientsTotal, status.clientsRefused) = (transport.clientsTotal, transport.clientsRefused)
    status.calls = transport.calls
    (status.callsTotal, status.callsFailed) = (transport.callsTotal, transport.callsFailed)
    status.leases = seen.leasedCameraCount
    status.framesDiscarded = status.cameras.reduce(0) { $0 + $1.framesDiscarded }
    (status.descriptors, status.descriptorsLimit) = (usage.descriptors, usage.descriptorsLimit)
    (status.residentBytes, status.threads) = (usage.residentBytes, usage.threads)
    status.processorTime = .nanoseconds(usage.cpuTime)
    status.stateFailure = seen.storeFailure.map {
      .init(message: $0.message, age: .nanoseconds(MonotonicClock.now() - $0.since))
    }
    // Only those who see every camera get the warnings, which name clients, patterns of their cameras, and jobs.
    if context.caller.cameras.isEvery { status.warnings = (access?.warnings ?? []) + (await jobs.warnings) }
    status.viewers = viewers.seen(by: context)
    return StatusResponse(status)
  }
}

extension CaptureModel.CameraStatus {
  fileprivate init(_ entry: CameraRoster.Entry, _ status: DeviceStatus) {
    self.init(index: entry.index, id: entry.description.id)
    isStreaming = status.format != nil
    (pixelFormat, size, interval) = (status.format?.pixelFormat, status.format?.size, status.format?.interval)
    (measuredRate, subscribers) = (status.measuredRate, status.subscribers)
    let counters = status.counters
    (frames, framesFlagged, framesLost) = (counters.frames, counters.flagged, counters.lost)
    (framesDiscarded, framesEncoded) = (status.discarded, status.encoded)
    (framesCorrupt, encodingTime) = (status.corrupt, status.encodeTime)
    restarts = counters.restarts
    (buffers, buffersLent) = (Int(counters.buffers), Int(counters.buffersLent))
    lastError = status.lastError.isEmpty ? nil : status.lastError
    lastErrorAge = status.lastErrorAge
    (response, input) = (status.response, status.input)
  }
}
