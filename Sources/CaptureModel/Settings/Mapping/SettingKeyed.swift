/// Something by setting, found by its place: without hashing.
struct SettingKeyed<Value> {
  private var places = [Value?](repeating: nil, count: Setting.allCases.count)

  subscript(setting: Setting) -> Value? {
    get { places[setting.place] }
    set { places[setting.place] = newValue }
  }

  var values: [Value] { places.compactMap { $0 } }
}

extension SettingKeyed: Sendable where Value: Sendable {}

/// A set of settings, without hashing.
struct SettingSet: Hashable, Sendable {
  private var bits: UInt32 = 0

  init(_ settings: [Setting] = []) {
    for setting in settings { bits |= 1 << setting.place }
  }

  func contains(_ setting: Setting) -> Bool { bits & 1 << setting.place != 0 }

  mutating func insert(_ setting: Setting) { bits |= 1 << setting.place }

  mutating func remove(_ setting: Setting) { bits &= ~(1 << setting.place) }

  mutating func removeAll() { bits = 0 }

  var isEmpty: Bool { bits == 0 }
}

extension Setting {
  /// Among all of them. A case without a payload is its number.
  fileprivate var place: Int { Int(unsafeBitCast(self, to: UInt8.self)) }
}
