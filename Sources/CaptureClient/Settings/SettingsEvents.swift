public import CaptureModel
internal import CaptureWire

/// Settings that changed, and the frame from which on they hold.
public struct SettingsEvent: Hashable, Sendable {
  /// The names of what changed: "focus.lens_position", a control's name; empty in the first event. After a lost connection they are those that are
  /// different from what was told before.
  public var changed: [String]
  /// The present values of the groups (focus, exposure, …) of which something is watched.
  public var settings: CaptureModel.CameraSettings
  /// Controls that changed and are not part of the settings. In the first event, those that are watched by name.
  public var controls: [ControlReadout]
  /// The number of the change that made it; 0: the camera or another program did.
  public var change: UInt64
  /// The frame from which on it holds; `nil` where it is not known (yet).
  public var frame: CaptureModel.AppliedChange.Position?
  /// How the frame is known.
  public var provenance: CaptureModel.Provenance
}

/// The changes of a camera's settings: key-value observing of an `AVCaptureDevice`.
public typealias SettingsEvents = ResumingEvents<SettingsEvent>

extension Camera {
  /// Reports first the present settings, then every change of the named ones (`focus`, `exposure.duration`, a control), or of all.
  public func settingsEvents(names: [String] = []) -> SettingsEvents {
    SettingsEvents(
      node.connection,
      open: { [name] connection throws(RPCError) in
        try await SettingsClient(connection).watch(
          WatchSettingsRequest(device: name, names: names), options: CallOptions(window: 64))
      }, read: { SettingsEvent($0) }, goingOn: { $0.goingOn(after: $1, names: names) },
      remembering: { $0.remembering($1) },
      mayComeBack: { $0.code == .unavailable || $0.code == .notFound })
  }
}

extension SettingsEvent {
  init(_ message: CaptureWire.SettingsEvent) {
    self.init(
      changed: message.changed, settings: message.settings?.model ?? .init(),
      controls: message.controls.map { ControlReadout($0) }, change: message.change,
      frame: message.frame?.model, provenance: message.provenance.model)
  }

  /// The first event after a pause: it names what is different now, of what is watched.
  fileprivate func goingOn(after last: SettingsEvent, names: [String]) -> SettingsEvent {
    var event = self
    let settings = settings.differences(from: last.settings).map(\.rawValue).filter { setting in
      names.isEmpty || names.contains { setting == $0 || setting.hasPrefix("\($0).") }
    }
    let controls = controls.filter { control in
      last.controls.contains { $0.id == control.id && $0.value != control.value }
    }
    event.changed = settings + controls.map(\.name)
    return event
  }

  /// This event, and the controls that were told before it.
  fileprivate func remembering(_ last: SettingsEvent) -> SettingsEvent {
    var event = self
    let told = Set(controls.map(\.id))
    event.controls += last.controls.filter { !told.contains($0.id) }
    return event
  }
}
