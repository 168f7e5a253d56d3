extension ControlDescription {
  /// Whether the current value can be read.
  public var isReadable: Bool {
    !flags.contains(.writeOnly) && !flags.contains(.disabled) && type != .button && type != .controlClass
  }

  /// Throws `failedPrecondition` when the control's value cannot be read.
  public func requireReadable() throws(CaptureError) {
    if isReadable { return }
    let why =
      flags.contains(.disabled) ? "is disabled" : type == .button ? "is a button" : "can only be written"
    throw CaptureError(
      .failedPrecondition, "\(name) \(why); it has no value to read", .init(.notReadable, field: name))
  }

  /// Throws `failedPrecondition` when the control cannot be set now, and says why.
  public func requireSettable() throws(CaptureError) {
    let why: String
    var reason = CaptureError.Reason.controlInactive
    if flags.contains(.readOnly) {
      why = "is read-only"
      reason = .notWritable
    } else if flags.contains(.disabled) {
      why = "is disabled"
      reason = .notWritable
    } else if flags.contains(.grabbed) {
      why = "is in use by another program or by the running stream"
    } else if flags.contains(.inactive) {
      why =
        "is inactive: another control, an automatic mode as a rule, has taken it over, or the mode that uses it is off; change that one first"
    } else {
      return
    }
    throw CaptureError(.failedPrecondition, "\(name) cannot be set: it \(why)", .init(reason, field: name))
  }

  /// `value` in the form for the driver. Throws `invalidArgument` when the driver would change or refuse the value; the message says what is
  /// possible. With `clamping`, a value out of range becomes the nearest possible one instead; with `rounding` only one between two steps does.
  public func checked(
    _ value: ControlValue, clamping: Bool = false, rounding: Bool = false
  ) throws(CaptureError) -> ControlValue {
    switch (type, value) {
    case (.button, _): return .integer(0)
    case (.string, .text(let text)): return try checked(text)
    case (.compound, .raw(let bytes)):
      guard bytes.count == elements * elementSize else {
        throw refusal("\(bytes.count) bytes", "takes \(elements * elementSize)")
      }
      return value
    case (.string, _): throw refusal(value, "takes a text")
    case (.compound, _): throw refusal(value, "takes \(elements * elementSize) raw bytes")
    case (_, .integers(let values)):
      let counts = elementCounts
      guard counts.contains(values.count) else {
        let possible =
          counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
        throw refusal("\(values.count) values", "takes \(possible)")
      }
      var result: [Int64] = []
      for value in values { result.append(try checked(value, clamping, rounding)) }
      return isArray ? .integers(result) : .integer(result[0])
    case (_, .integer(let number)):
      let checked = try checked(number, clamping, rounding)
      return isArray
        ? .integers(Array(repeating: checked, count: elementCounts.lowerBound)) : .integer(checked)
    case (_, .text), (_, .raw): throw refusal(value, "takes a number")
    }
  }

  /// The value to set in order to have again what the camera reports: some cameras report numbers out of their own range, or between two steps.
  /// `nil`: there is none, as for an item that the menu has not.
  package func settable(_ reported: ControlValue) -> ControlValue? {
    try? checked(reported, clamping: type != .menu && type != .integerMenu)
  }

  private var isArray: Bool { !dimensions.isEmpty || elements > 1 }

  /// How many values the control takes. A dynamic array may take another number of values than it has now.
  private var elementCounts: ClosedRange<Int> {
    guard flags.contains(.dynamicArray) else { return elements...elements }
    return 1...max(1, elements, dimensions.reduce(1, *))
  }

  private func checked(_ text: String) throws(CaptureError) -> ControlValue {
    let length = Int64(text.utf8.count)
    guard length >= minimum, length <= maximum else {
      throw refusal("a text of \(length) bytes", "takes \(minimum) to \(maximum)")
    }
    if step > 1, UInt64(length - minimum) % step != 0 {
      throw refusal("a text of \(length) bytes", "takes \(minimum) to \(maximum) in steps of \(step)")
    }
    return .text(text)
  }

  private func checked(
    _ number: Int64, _ clamping: Bool, _ rounding: Bool
  ) throws(CaptureError) -> Int64 {
    switch type {
    case .menu, .integerMenu:
      if menu.contains(where: { $0.index == number }) { return number }
      if clamping,
        let near = menu.min(by: { $0.index.distance(from: number) < $1.index.distance(from: number) })
      {
        return near.index
      }
      throw refusal("\(number)", "is one of \(menuText)")
        .with(details(.valueNotPossible, .number(Double(number))))
    case .bitmask:
      let mask = UInt64(bitPattern: maximum)
      if elementSize <= 4, number < 0 || number > Int64(UInt32.max) {
        throw refusal("\(number)", "takes bits of 0x\(String(mask & 0xFFFF_FFFF, radix: 16))")
      }
      if UInt64(bitPattern: number) & ~mask == 0 { return number }
      if clamping { return Int64(bitPattern: UInt64(bitPattern: number) & mask) }
      throw refusal("0x\(String(number, radix: 16))", "takes bits of 0x\(String(mask, radix: 16))")
    default:
      let nearest = nearest(to: number)
      let isInside = number >= minimum && number <= maximum
      if nearest == number || clamping || rounding && isInside { return nearest }
      let steps = step > 1 ? " in steps of \(step)" : ""
      throw refusal("\(number)", "goes from \(minimum) to \(maximum)\(steps)")
        .with(details(.valueOutOfRange, .number(Double(number))))
    }
  }

  /// The value nearest to `number` that lies in the range and on a step.
  package func nearest(to number: Int64) -> Int64 {
    let clamped = Swift.min(Swift.max(number, minimum), maximum)
    guard step > 1 else { return clamped }
    let offset = clamped.distance(from: minimum)
    let down = offset - offset % step
    let up = down.addingReportingOverflow(step)
    let range = maximum.distance(from: minimum)
    let chosen =
      offset - down >= step - (offset - down) && !up.overflow && up.partialValue <= range
      ? up.partialValue : down
    return Int64(bitPattern: UInt64(bitPattern: minimum) &+ chosen)
  }

  private func refusal(_ asked: ControlValue, _ possible: String) -> CaptureError {
    switch asked {
    case .integer(let number): refusal("\(number)", possible)
    case .text(let text): refusal(text.quoted, possible)
    case .integers(let numbers): refusal("\(numbers.count) values", possible)
    case .raw(let bytes): refusal("\(bytes.count) bytes", possible)
    }
  }

  /// An error's details: the control's name and the values that it takes, which are a menu's indexes or a range.
  private func details(
    _ reason: CaptureError.Reason, _ asked: CaptureError.Details.Asked
  ) -> CaptureError.Details {
    let hasRange =
      switch type {
      case .menu, .integerMenu, .button, .string, .compound: false
      default: true
      }
    return CaptureError.Details(
      reason, field: name, asked: asked, possible: menu.map { "\($0.index)" },
      range: hasRange ? .init(Double(minimum), Double(maximum), step: Double(step)) : nil)
  }

  func refusal(_ asked: String, _ possible: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "\(name) cannot be \(asked): it \(possible)", details(.valueNotPossible, .text(asked))
    )
  }

  /// "0 'Disabled', 1 '50 Hz'"
  var menuText: String {
    menu.map { item in
      switch item.content {
      case .name(let name): "\(item.index) '\(name)'"
      case .value(let value): "\(item.index) (\(value))"
      }
    }.joined(separator: ", ")
  }
}

extension Int64 {
  /// The difference of two numbers; it never overflows.
  fileprivate func distance(from other: Int64) -> UInt64 {
    self >= other
      ? UInt64(bitPattern: self) &- UInt64(bitPattern: other)
      : UInt64(bitPattern: other) &- UInt64(bitPattern: self)
  }
}

extension ControlDescription {
  /// Whether a value stays once it is set, and has no further effect when it is set again.
  public var keepsValue: Bool {
    type != .button && type != .controlClass
      && flags.isDisjoint(with: [.executeOnWrite, .writeOnly, .volatile])
  }

  package var isSwitch: Bool { type == .boolean || type == .menu || type == .integerMenu }
}
