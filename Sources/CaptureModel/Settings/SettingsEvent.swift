/// Settings that changed, and the frame from which on they hold.
public struct SettingsEvent: Hashable, Sendable {
  /// The names of what changed: "focus.lens_position", a control's name; empty in the first event. After a lost connection or an unplugging they are
  /// the names of whatever differs from what earlier events reported.
  public var changed: [String]
  /// The present values of the groups (focus, exposure, …) of which something is watched.
  public var settings: CameraSettings
  /// Controls that changed and are not part of the settings. In the first event, those that are watched by name.
  public var controls: [ControlReadout]
  /// The number of the change that caused the event; 0: the camera or another program caused it.
  public var change: UInt64
  /// The frame from which on the event's values hold; `nil`: that is not known, or not known yet.
  public var frame: AppliedChange.Position?
  /// How the frame is known.
  public var provenance: Provenance

  /// How long the camera was unplugged before this event, or its driver counted as not answering; `nil`: neither was so.
  package var away: Duration?
  /// How often, since the node started, the camera came, or came back, and got the settings that the node had kept of it.
  package var restorations: UInt32 = 0

  package init(
    changed: [String], settings: CameraSettings, controls: [ControlReadout], change: UInt64,
    frame: AppliedChange.Position?, provenance: Provenance
  ) {
    (self.changed, self.settings, self.controls) = (changed, settings, controls)
    (self.change, self.frame, self.provenance) = (change, frame, provenance)
  }
}
