/// A table by setting. It finds an entry by the setting's number, without hashing.
package struct SettingKeyed<Value> {
  private var places = [Value?](repeating: nil, count: Setting.allCases.count)

  package init() {}

  package subscript(setting: Setting) -> Value? {
    get { places[setting.place] }
    set { places[setting.place] = newValue }
  }

  package var values: [Value] { places.compactMap { $0 } }
}

extension SettingKeyed: Sendable where Value: Sendable {}

/// A set of settings, without hashing.
package struct SettingSet: Hashable, Sendable {
  private var bits: UInt64 = 0

  package init(_ settings: [Setting] = []) {
    for setting in settings { bits |= setting.bit }
  }

  package func contains(_ setting: Setting) -> Bool { bits & setting.bit != 0 }

  package mutating func insert(_ setting: Setting) { bits |= setting.bit }

  package mutating func remove(_ setting: Setting) { bits &= ~setting.bit }

  package mutating func removeAll() { bits = 0 }

  package var isEmpty: Bool { bits == 0 }
}

extension Setting {
  /// The setting's number among all settings. A case without a payload is only its number.
  fileprivate var place: Int { Int(unsafeBitCast(self, to: UInt8.self)) }

  fileprivate var bit: UInt64 {
    precondition(place < UInt64.bitWidth, "a set of settings has room for \(UInt64.bitWidth) of them")
    return 1 << place
  }
}
