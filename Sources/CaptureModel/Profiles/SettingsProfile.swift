/// A named set of a camera's settings, kept on its node.
public struct SettingsProfile: Hashable, Sendable {
  /// 1 to 64 letters, digits, "-", "_" and ".".
  public var name: String
  /// The identity of the camera whose settings they are.
  public var camera: CameraID
  /// What it sets; `nil` while the camera is not there.
  public var settings: CameraSettings?
  /// How many values of the driver's controls it has.
  public var controls: Int

  package init(name: String, camera: CameraID, settings: CameraSettings?, controls: Int) {
    (self.name, self.camera, self.settings, self.controls) = (name, camera, settings, controls)
  }
}
