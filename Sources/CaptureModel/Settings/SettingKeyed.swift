/// A table by setting. It finds an entry by the setting's number, without hashing. Its subscript is inlinable, since only then does the compiler
/// specialize it in other modules for the values that they store.
@frozen public struct SettingKeyed<Value> {
  /// One place for each setting; empty until the first entry is set.
  @usableFromInline var places: [Value?] = []

  @inlinable public init() {}

  /// The entry of a setting; `nil`: it has none.
  @inlinable public subscript(setting: Setting) -> Value? {
    get { places.isEmpty ? nil : places[setting.place] }
    set {
      if places.isEmpty {
        guard newValue != nil else { return }
        places = Array(repeating: nil, count: Setting.count)
      }
      places[setting.place] = newValue
    }
  }

  package var values: [Value] { places.compactMap { $0 } }

  /// Whether no setting has an entry.
  public var isEmpty: Bool { places.allSatisfy { $0 == nil } }
}

extension SettingKeyed: Sendable where Value: Sendable {}

extension SettingKeyed: Equatable where Value: Equatable {
  public static func == (a: Self, b: Self) -> Bool {
    if a.places.isEmpty || b.places.isEmpty { return a.isEmpty && b.isEmpty }
    return a.places == b.places
  }
}

extension SettingKeyed: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

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
  fileprivate var bit: UInt64 {
    precondition(place < UInt64.bitWidth, "a set of settings has room for \(UInt64.bitWidth) of them")
    return 1 << place
  }
}
