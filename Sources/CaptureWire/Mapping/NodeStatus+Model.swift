public import CaptureModel

extension StatusResponse {
  public init(_ status: NodeStatus) {
    self.init(
      uptimeMs: status.uptime.milliseconds, clients: UInt32(clamping: status.clients),
      clientsTotal: status.clientsTotal, clientsRefused: status.clientsRefused,
      calls: UInt32(clamping: status.calls), callsTotal: status.callsTotal, callsFailed: status.callsFailed,
      leases: UInt32(clamping: status.leases), framesDiscarded: status.framesDiscarded,
      descriptors: UInt32(clamping: status.descriptors), descriptorsLimit: status.descriptorsLimit,
      residentBytes: status.residentBytes, threads: UInt32(clamping: status.threads),
      cpuNs: UInt64(status.processorTime / .nanoseconds(1)), cameras: status.cameras.map { CameraStatus($0) },
      stateFailure: status.stateFailure.map { .init(message: $0.message, ageMs: $0.age.milliseconds) },
      warnings: status.warnings, viewers: status.viewers.map { Viewer($0) })
  }

  package var model: NodeStatus {
    var status = NodeStatus()
    status.uptime = .milliseconds(Int64(clamping: uptimeMs))
    (status.clients, status.clientsTotal) = (Int(clients), clientsTotal)
    status.clientsRefused = clientsRefused
    (status.calls, status.callsTotal, status.callsFailed) = (Int(calls), callsTotal, callsFailed)
    (status.leases, status.framesDiscarded) = (Int(leases), framesDiscarded)
    (status.descriptors, status.descriptorsLimit) = (Int(descriptors), descriptorsLimit)
    (status.residentBytes, status.threads) = (residentBytes, Int(threads))
    status.processorTime = .nanoseconds(Int64(clamping: cpuNs))
    status.cameras = cameras.map(\.model)
    status.stateFailure = stateFailure.map {
      .init(message: $0.message, age: .milliseconds(Int64(clamping: $0.ageMs)))
    }
    status.warnings = warnings
    status.viewers = viewers.map(\.model)
    return status
  }
}

extension CameraStatus {
  fileprivate init(_ status: CaptureModel.CameraStatus) {
    self.init(
      index: UInt32(clamping: status.index), id: status.id.rawValue, streaming: status.isStreaming,
      pixelFormat: status.pixelFormat?.rawValue ?? 0, size: status.size.map { Size($0) },
      interval: status.interval.map { FrameInterval($0) }, measuredFps: status.measuredRate,
      subscribers: UInt32(clamping: status.subscribers), frames: status.frames,
      framesFlagged: status.framesFlagged, framesLost: status.framesLost,
      framesDiscarded: status.framesDiscarded, restarts: status.restarts,
      buffers: UInt32(clamping: status.buffers), buffersLent: UInt32(clamping: status.buffersLent),
      lastError: status.lastError ?? "", encodeNs: UInt64(status.encodingTime / .nanoseconds(1)),
      framesEncoded: status.framesEncoded, framesCorrupt: status.framesCorrupt,
      lastErrorAgeMs: status.lastErrorAge?.milliseconds ?? 0, response: DriverResponse(status.response),
      input: status.input.map { CameraInput($0) })
  }

  fileprivate var model: CaptureModel.CameraStatus {
    var status = CaptureModel.CameraStatus(index: Int(index), id: CameraID(rawValue: id))
    status.isStreaming = streaming
    status.pixelFormat = pixelFormat == 0 ? nil : PixelFormat(rawValue: pixelFormat)
    (status.size, status.interval) = (size?.model, interval?.model)
    (status.measuredRate, status.subscribers) = (measuredFps, Int(subscribers))
    (status.frames, status.framesFlagged, status.framesLost) = (frames, framesFlagged, framesLost)
    (status.framesDiscarded, status.framesEncoded) = (framesDiscarded, framesEncoded)
    status.framesCorrupt = framesCorrupt
    status.encodingTime = .nanoseconds(Int64(clamping: encodeNs))
    status.restarts = restarts
    (status.buffers, status.buffersLent) = (Int(buffers), Int(buffersLent))
    status.lastError = lastError.isEmpty ? nil : lastError
    status.lastErrorAge = lastErrorAgeMs == 0 ? nil : .milliseconds(Int64(clamping: lastErrorAgeMs))
    (status.response, status.input) = (response.model, input?.model)
    return status
  }
}

extension Duration {
  /// Whole milliseconds; 0 for a negative duration.
  var milliseconds: UInt64 { UInt64(max(0, min(self / .milliseconds(1), 1e18))) }

  /// Whole nanoseconds; 0 for a negative duration.
  public var wholeNanoseconds: UInt64 { UInt64(max(0, min(self / .nanoseconds(1), 1e18))) }
}
