import CaptureModel

/// Converts a control's number to a setting's value, and back.
enum ValueConversion: Hashable, Sendable {
  /// The control counts units of this size.
  case scaled(Double, text: String)
  /// The items of an integer menu count units of this size.
  case items(Double, text: String)
  /// The value is 0, the nearest distance, at the control's maximum, and 1, infinity, at its minimum.
  case nearToFar
  /// The value is a factor: the number divided by the control's minimum.
  case overMinimum
  /// The value is a factor: the number divided by the control's default.
  case overDefault
  /// The value is 0 at the control's minimum and 1 at its maximum.
  case fraction
  /// The control counts lines of the sensor; each line takes this many seconds.
  case lines(Double)
  /// The first value is at the control's minimum, the second at its maximum.
  case between(Double, Double)

  /// The conversion for a person: "× 100 µs".
  func text(_ control: ControlDescription) -> String {
    switch self {
    case .scaled(_, let text), .items(_, let text): text
    case .nearToFar: "\(control.minimum)…\(control.maximum) → 1…0"
    case .overMinimum: "÷ \(control.minimum)"
    case .overDefault: "÷ \(control.defaultValue)"
    case .fraction: "\(control.minimum)…\(control.maximum) → 0…1"
    case .between(let least, let most):
      "\(control.minimum)…\(control.maximum) → \(least.shortText)…\(most.shortText)"
    case .lines(let seconds): "lines of \((seconds * 1e6).shortText) µs"
    }
  }

  /// Whether the conversion is possible for this control.
  func isPossible(_ control: ControlDescription) -> Bool {
    switch self {
    case .items: control.menu.contains { $0.number != nil }
    case .overMinimum: control.minimum > 0 && control.maximum >= control.minimum
    case .overDefault: control.defaultValue > 0 && control.minimum >= 0
    case .nearToFar, .fraction, .between: control.maximum > control.minimum
    case .scaled, .lines: control.maximum >= control.minimum
    }
  }

  /// The setting's value for the control's number; `nil` for a hole in a menu.
  func value(of number: Int64, _ control: ControlDescription) -> Double? {
    let number = Double(number)
    switch self {
    case .scaled(let unit, _): return number * unit
    case .lines(let unit): return number * unit
    case .items(let unit, _):
      return Self.item(Int64(number), of: control).map { $0 * unit }
    case .nearToFar: return 1 - (number - Double(control.minimum)) / control.span
    case .fraction: return (number - Double(control.minimum)) / control.span
    case .between(let least, let most):
      return least + (number - Double(control.minimum)) * (most - least) / control.span
    case .overMinimum: return number / Double(control.minimum)
    case .overDefault: return number / Double(control.defaultValue)
    }
  }

  private static func item(_ index: Int64, of control: ControlDescription) -> Double? {
    control.menu.first { $0.index == index }?.number
  }

  /// The control's number whose value is nearest to `value`, within its range.
  func number(of value: Double, _ control: ControlDescription) -> Int64 {
    let exact: Double
    switch self {
    case .items(let unit, _):
      let items = control.menu.filter { $0.number != nil }
      return items.min { abs($0.number! * unit - value) < abs($1.number! * unit - value) }?.index ?? 0
    case .scaled(let unit, _): exact = value / unit
    case .lines(let unit): exact = value / unit
    case .nearToFar: exact = Double(control.minimum) + (1 - value) * control.span
    case .fraction: exact = Double(control.minimum) + value * control.span
    case .between(let least, let most):
      exact = Double(control.minimum) + (value - least) * control.span / (most - least)
    case .overMinimum: exact = value * Double(control.minimum)
    case .overDefault: exact = value * Double(control.defaultValue)
    }
    return control.nearest(to: Int64(exactly: exact.rounded()) ?? (exact < 0 ? .min : .max))
  }

  /// The range of the setting's value.
  func range(_ control: ControlDescription) -> SettingsDescription.ValueRange {
    let numbers: [Int64]
    var step = 0.0
    var items: [Double] = []
    if case .items = self {
      numbers = control.menu.filter { $0.number != nil }.map(\.index)
      items = Set(numbers.compactMap { value(of: $0, control) }).sorted()
    } else {
      // A gain of 0 is not a gain.
      let isNone = if case .overDefault = self { control.minimum == 0 } else { false }
      let least = isNone ? max(1, Int64(clamping: control.step)) : control.minimum
      numbers = [least, control.maximum]
      let next = Int64(clamping: control.step) &+ control.minimum
      step = abs((value(of: next, control) ?? 0) - (value(of: control.minimum, control) ?? 0))
    }
    let values = numbers.compactMap { value(of: $0, control) }
    let (least, most) = (values.min() ?? 0, values.max() ?? 0)
    return SettingsDescription.ValueRange(
      minimum: least, maximum: most, step: step,
      defaultValue: value(of: control.defaultValue, control) ?? least, items: items)
  }
}

extension ControlDescription {
  fileprivate var span: Double { Double(maximum) - Double(minimum) }
}

extension ControlDescription.MenuItem {
  /// The value of an item of an integer menu.
  fileprivate var number: Double? {
    if case .value(let value) = content { return Double(value) }
    return nil
  }
}
