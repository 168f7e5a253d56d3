/// A value that was out of range, and the nearest possible one that is set instead.
public struct ClampedValue: Hashable, Sendable {
  /// A setting, "exposure.duration", or a control, "gain"; of an array's values, "name[3]".
  public var name: String
  public var asked: Double
  public var set: Double

  public init(name: String, asked: Double, set: Double) {
    (self.name, self.asked, self.set) = (name, asked, set)
  }
}

/// Whether values out of range are to become the nearest possible ones, instead of being refused; and those that did.
public struct Clamping: Hashable, Sendable {
  public let isAsked: Bool
  public private(set) var values: [ClampedValue] = []

  public init(_ isAsked: Bool) { self.isAsked = isAsked }

  /// Throws `invalidArgument` naming the range, unless clamping was asked for.
  public mutating func take(
    _ value: Double, in range: SettingsDescription.ValueRange, _ setting: Setting, by camera: String
  ) throws(CaptureError) -> Double {
    let taken = try range.checked(value, setting, clamping: isAsked, by: camera)
    if !range.contains(value) { note(setting.rawValue, asked: value, set: taken) }
    return taken
  }

  /// As ``ControlDescription/checked(_:clamping:)``.
  public mutating func take(_ value: ControlValue, for control: ControlDescription) throws(CaptureError)
    -> ControlValue
  {
    let taken = try control.checked(value, clamping: isAsked)
    guard isAsked, control.type != .button else { return taken }
    switch (value, taken) {
    case (.integer(let asked), .integer(let set)): note(control.name, Double(asked), Double(set))
    case (.integers(let asked), .integer(let set)) where asked.count == 1:
      note(control.name, Double(asked[0]), Double(set))
    case (.integer(let asked), .integers(let set)):
      if let first = set.first { note(control.name, Double(asked), Double(first)) }
    case (.integers(let asked), .integers(let set)):
      for (index, pair) in zip(asked, set).enumerated() {
        note("\(control.name)[\(index)]", Double(pair.0), Double(pair.1))
      }
    default: break
    }
    return taken
  }

  /// A value that has become another one.
  public mutating func note(_ name: String, asked: Double, set: Double) {
    let value = ClampedValue(name: name, asked: asked, set: set)
    // One that both the driver and the node take.
    if !values.contains(value) { values.append(value) }
  }

  private mutating func note(_ name: String, _ asked: Double, _ set: Double) {
    if asked != set { note(name, asked: asked, set: set) }
  }
}
