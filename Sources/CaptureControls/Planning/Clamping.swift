import CaptureModel

/// Whether values out of range become the nearest possible ones instead of being refused. Collects the values that did, or that were rounded to a
/// step.
public struct Clamping: Hashable, Sendable {
  public let isAsked: Bool
  public private(set) var values: [ClampedValue] = []

  public init(_ isAsked: Bool) { self.isAsked = isAsked }

  /// Returns the value if it is in the range. A value out of range becomes the nearest possible one, which is noted. If the client did not ask for
  /// clamping, it is refused instead: throws `invalidArgument`, which names the range.
  public mutating func clamp(
    _ value: Double, in range: SettingsDescription.ValueRange, _ setting: Setting, by camera: String
  ) throws(CaptureError) -> Double {
    let possible = try range.checked(value, setting, clamping: isAsked, by: camera)
    if !range.contains(value) { note(setting.name, asked: value, set: possible, step: range.gap(at: value)) }
    return possible
  }

  /// Notes that `asked`, which is in the range, has become `set`, a step of the driver's, if a person would notice the difference.
  public mutating func noteRounding(
    _ asked: Double, to set: Double, in range: SettingsDescription.ValueRange, _ setting: Setting
  ) {
    let whole = setting.isFraction ? 1 : abs(asked)
    guard range.contains(asked), abs(set - asked) > Self.noticeable * whole else { return }
    note(setting.name, asked: asked, set: set, step: range.step)
  }

  /// A person notices a rounded value if it is off by more than this part of itself, or of the whole range if it is a fraction. An exposure that is
  /// off by as much is off by 0.014 EV.
  private static let noticeable = 0.01

  /// Checks a control's value as ``ControlDescription/checked(_:clamping:rounding:)`` does. Where the client asked for clamping, notes the value if it has
  /// become another one.
  public mutating func clamp(_ value: ControlValue, for control: ControlDescription) throws(CaptureError)
    -> ControlValue
  {
    let possible = try control.checked(value, clamping: isAsked)
    guard isAsked, control.type != .button else { return possible }
    switch (value, possible) {
    case (.integer(let asked), .integer(let set)): note(control.name, asked, set, control)
    case (.integers(let asked), .integer(let set)) where asked.count == 1:
      note(control.name, asked[0], set, control)
    case (.integer(let asked), .integers(let set)):
      if let first = set.first { note(control.name, asked, first, control) }
    case (.integers(let asked), .integers(let set)):
      for (index, pair) in zip(asked, set).enumerated() {
        note("\(control.name)[\(index)]", pair.0, pair.1, control)
      }
    default: break
    }
    return possible
  }

  /// Notes a value that has become another one.
  public mutating func note(_ name: String, asked: Double, set: Double, step: Double = 0) {
    let value = ClampedValue(name: name, asked: asked, set: set, step: step)
    // Both the driver and the node may have the setting; it is noted once.
    if !values.contains(value) { values.append(value) }
  }

  private mutating func note(_ name: String, _ asked: Int64, _ set: Int64, _ control: ControlDescription) {
    guard asked != set else { return }
    let isInside =
      control.menu.isEmpty && (control.minimum...max(control.minimum, control.maximum)).contains(asked)
    note(name, asked: Double(asked), set: Double(set), step: isInside ? Double(control.step) : 0)
  }
}
