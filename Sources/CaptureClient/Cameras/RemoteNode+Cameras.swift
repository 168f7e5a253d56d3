public import CaptureModel
internal import CaptureWire

extension RemoteNode {
  /// The camera of this name: its identity, a part of one that is unique on the node, or its index. This makes no call.
  public func camera(_ name: String) -> Camera { Camera(name, of: self) }

  /// The node's cameras by index, including those that were unplugged since its start (`AVCaptureDevice.DiscoverySession.devices`).
  /// Throws `unavailable` where the node is not reached.
  public func cameras() async throws(CaptureError) -> [Camera] {
    try await camerasAndMissing().cameras
  }

  /// The cameras that the node serves, and a text for each camera that it should serve but does not, with the reason, for a person.
  /// Throws `unavailable` where the node is not reached.
  public func camerasAndMissing() async throws(CaptureError) -> (cameras: [Camera], notServed: [String]) {
    let answer = try await list()
    return (answer.devices.map { camera(CameraInfo($0.values)) }, answer.notServed)
  }

  /// The camera to take where the user has chosen none (`AVCaptureDevice.default(for: .video)`). Throws `notFound` where none can be used.
  public func defaultCamera() async throws(CaptureError) -> Camera {
    let answer = try await list()
    if let device = answer.devices.first(where: { $0.id == answer.defaultDevice }) {
      return camera(CameraInfo(device.values))
    }
    throw CaptureError(
      .notFound,
      answer.devices.isEmpty && answer.notServed.isEmpty
        ? "the node has no camera" : "none of the node's cameras can be used now",
      .init(.unknownName, field: CaptureError.deviceField, possible: answer.devices.map(\.id)))
  }

  /// Reports the cameras that are there, each as `present`, and then `listed`; after that every change. It does not end by itself (``ResumingEvents``).
  /// A slow reader gets only the latest change of each camera. Throws `resourceExhausted` where too many clients watch.
  public func cameraEvents() -> CameraEvents {
    CameraEvents(
      connection,
      open: { connection throws(RPCError) in
        try await DevicesClient(connection).watch(WatchDevicesRequest(), options: CallOptions(window: 64))
      }, read: { $0.model.map { CameraEvent($0) } })
  }

  private func camera(_ info: CameraInfo) -> Camera { Camera(info.id.rawValue, of: self, info) }

  private func list() async throws(CaptureError) -> ListDevicesResponse {
    try await convertingErrors { () async throws(RPCError) in
      try await DevicesClient(connection).list(ListDevicesRequest(), options: callOptions)
    }
  }
}

/// A change of a node's cameras.
public enum CameraEvent: Hashable, Sendable {
  /// The camera was there when the watch began, or began again.
  case present(CameraInfo)
  /// All cameras that were there have been reported.
  case listed
  /// The camera is there now (`AVCaptureDeviceWasConnected`): for the first time, or again.
  case appeared(CameraInfo)
  /// The camera was unplugged; it keeps its index and identity.
  case vanished(CameraInfo)
  /// The node's facts about the camera are different now.
  case changed(CameraInfo)
}

/// The changes of a node's cameras. After a lost connection all cameras are `present` once more, and then `listed`.
public typealias CameraEvents = ResumingEvents<CameraEvent>

extension CameraInfo {
  init(_ entry: CameraRoster.Entry) {
    self.init(
      index: entry.index, description: entry.description, isPresent: entry.isPresent,
      response: entry.response)
    isCapturingPhoto = entry.isCapturingPhoto
  }
}

extension CameraEvent {
  fileprivate init(_ event: CameraRoster.Event) {
    guard let camera = event.camera.map({ CameraInfo($0) }) else {
      self = .listed
      return
    }
    switch event.kind {
    case .present: self = .present(camera)
    case .appeared: self = .appeared(camera)
    case .vanished: self = .vanished(camera)
    case .changed: self = .changed(camera)
    case .listed: self = .listed
    }
  }
}

extension [Camera] {
  /// The camera of this name: its identity, a part of the identity that no other camera has, or its index; `nil` where no camera has the name. Throws
  /// `invalidArgument` for a part that several cameras have. The node finds cameras by the same rules. The list must have all cameras of a node.
  package func find(_ name: String) throws(CaptureError) -> Camera? {
    var roster = CameraRoster()
    for camera in self { if let info = camera.info { roster.appeared(info.description) } }
    do throws(CaptureError) {
      let id = try roster.find(name).description.id
      return first { $0.info?.id == id }
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }
}
