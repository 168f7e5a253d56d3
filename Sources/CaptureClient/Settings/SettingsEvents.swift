public import CaptureModel
internal import CaptureWire

/// The changes of a camera's settings: key-value observing of an `AVCaptureDevice`.
public typealias SettingsEvents = ResumingEvents<CaptureModel.SettingsEvent>

extension Camera {
  /// Reports first the present settings, then every change of the named ones (`focus`, `exposure.duration`, a control), or of all. While the camera
  /// is unplugged no event comes; the event that reports its return has a ``Resumption``, and names what is different from before.
  ///
  /// It does not end by itself (``ResumingEvents``). A slow reader gets only the latest change of each setting. Throws `notFound` for a camera or a name
  /// that the node does not have, and `resourceExhausted` where too many clients watch. A camera that is unplugged at the beginning, or missing after a
  /// lost connection, is waited for; where connections are not made again, one that is unplugged at the beginning is `unavailable`. A watch that goes on
  /// has the same camera, whatever index that has in a node that has started anew.
  public func settingsEvents(names: [String] = []) -> SettingsEvents {
    let camera = CameraReference(name, isIdentified: info != nil)
    return SettingsEvents(
      node.connection,
      open: {
        (connection: any NodeConnection) async throws(RPCError) -> ResponseStream<CaptureWire.SettingsEvent>
        in
        try await camera.requireListed(on: connection)
        return try await SettingsClient(connection).watch(
          WatchSettingsRequest(device: camera.name, names: names), options: CallOptions(window: 64))
      },
      read: { event in
        if let identity = event.settings?.device, !identity.isEmpty { camera.settle(on: identity) }
        return event.model
      }, afterPause: { $0.afterPause(known: $1, names: names) },
      combined: { $0.combined(with: $1) }, continuity: { CameraContinuity($0) },
      mayComeBack: { $0.code == .unavailable || $0.code == .notFound })
  }
}

extension CaptureModel.SettingsEvent {
  /// This event as the first one after a pause: it names the watched settings and controls that differ from those before the pause.
  fileprivate func afterPause(known last: Self, names: [String]) -> Self {
    var event = self
    let settings = settings.differences(from: last.settings).map(\.name).filter { setting in
      names.isEmpty || names.contains { setting == $0 || setting.hasPrefix("\($0).") }
    }
    let controls = controls.filter { control in
      last.controls.contains { $0.id == control.id && $0.value != control.value }
    }
    event.changed = settings + controls.map(\.name)
    return event
  }

  /// This event, with the controls that earlier events had and this one has not.
  fileprivate func combined(with last: Self) -> Self {
    var event = self
    let told = Set(controls.map(\.id))
    event.controls += last.controls.filter { !told.contains($0.id) }
    return event
  }
}
