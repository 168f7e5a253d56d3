import CaptureModel

/// A table by control: a few dozen entries at most, in the order of the controls' ids. A change of settings looks up dozens of controls, and hashing
/// them would cost several times as much. The members are inlinable, because only then does the compiler specialize them for values of another
/// module.
@frozen public struct ControlKeyed<Value> {
  @usableFromInline var ids: [UInt32] = []
  /// One value for each id.
  @usableFromInline var values: [Value] = []

  @inlinable public init() {}

  @inlinable public init(uniqueKeysWithValues pairs: some Sequence<(ControlID, Value)>) {
    for (id, value) in pairs { self[id] = value }
  }

  /// The controls that have an entry.
  var keys: [ControlID] { ids.map { ControlID(rawValue: $0) } }

  @inlinable public var isEmpty: Bool { ids.isEmpty }

  /// The first place whose id is not less than `id`.
  @inlinable func place(_ id: UInt32) -> Int {
    var (low, high) = (0, ids.count)
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  @inlinable public subscript(control: ControlID) -> Value? {
    get {
      let place = place(control.rawValue)
      return place < ids.count && ids[place] == control.rawValue ? values[place] : nil
    }
    set {
      let place = place(control.rawValue)
      let isThere = place < ids.count && ids[place] == control.rawValue
      if let newValue {
        if isThere { values[place] = newValue } else { insert(control, newValue, at: place) }
      } else if isThere {
        remove(at: place)
      }
    }
  }

  @inlinable mutating func insert(_ control: ControlID, _ value: Value, at place: Int) {
    ids.insert(control.rawValue, at: place)
    values.insert(value, at: place)
  }

  @inlinable mutating func remove(at place: Int) {
    ids.remove(at: place)
    values.remove(at: place)
  }
}

extension ControlKeyed: Sendable where Value: Sendable {}
extension ControlKeyed: Equatable where Value: Equatable {}
extension ControlKeyed: Hashable where Value: Hashable {}

extension ControlKeyed: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (ControlID, Value)...) {
    self.init(uniqueKeysWithValues: elements)
  }
}
