import CaptureControls
import CaptureModel

extension SettingsPlan {
  /// Plans the driver's controls of a profile: automatic modes, then the values that they leave free.
  ///
  /// `list`: the camera's controls. Throws `failedPrecondition` for a control that the camera no longer has, or that no longer takes the value.
  public init(
    profile name: String, _ profile: ControlMemory, of camera: String, list: [ControlDescription]
  ) throws(CaptureError) {
    self.init()
    switches = try Self.steps(profile.switches, name, camera, list)
    values = try Self.steps(profile.values, name, camera, list)
  }

  private static func steps(
    _ entries: [ControlMemory.Entry], _ name: String, _ camera: String, _ list: [ControlDescription]
  ) throws(CaptureError) -> [Step] {
    var steps: [Step] = []
    for entry in entries {
      guard let control = list.first(where: { $0.id == entry.id }) else {
        throw CaptureError(
          .failedPrecondition,
          "the profile '\(name)' has '\(entry.name)', which \(camera) no longer has; save it anew",
          .init(.profileOutdated, field: "name", asked: .text(name)))
      }
      do throws(CaptureError) {
        let value = try control.checked(entry.value, rounding: true)
        steps.append(Step(control: entry.id, value: value))
      } catch {
        throw CaptureError(
          .failedPrecondition, "the profile '\(name)' does not fit \(camera) any more: \(error.message)",
          .init(.profileOutdated, field: "name", asked: .text(name)))
      }
    }
    return steps
  }
}
