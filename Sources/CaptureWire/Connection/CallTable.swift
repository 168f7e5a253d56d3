/// Values by call id, for the few calls that a connection has at once. Looking one up reads numbers that lie side by side, and costs
/// less than hashing.
///
/// Public, as are its members: the compiler makes a version for another module's values, without which a lookup costs ten times as much, of
/// public generic code alone.
public struct CallTable<Value> {
  @usableFromInline var ids: [UInt32] = []
  @usableFromInline var entries: [Value] = []

  /// Calls.
  @inlinable public var count: Int { ids.count }
  /// No calls.
  @inlinable public var isEmpty: Bool { ids.isEmpty }
  /// In order.
  @inlinable public var keys: [UInt32] { ids }

  /// In the same order.
  @inlinable public var values: [Value] { entries }

  /// Empty.
  @inlinable public init() {}

  /// Whether there is a call of this number.
  @inlinable public func contains(_ id: UInt32) -> Bool { index(of: id) != nil }

  /// A copy; `nil`: there is none.
  @inlinable public subscript(id: UInt32) -> Value? { index(of: id).map { entries[$0] } }

  /// One that there is, in place.
  @inlinable public subscript(existing id: UInt32) -> Value {
    _read { yield entries[index(of: id)!] }
    _modify { yield &entries[index(of: id)!] }
  }

  /// A new one. Most have a higher number than those before; a call whose first message was long in coming has not.
  @inlinable public mutating func insert(_ id: UInt32, _ value: Value) {
    guard let last = ids.last, id <= last else {
      ids.append(id)
      entries.append(value)
      return
    }
    let place = place(of: id)
    precondition(ids[place] != id)
    ids.insert(id, at: place)
    entries.insert(value, at: place)
  }

  /// Returns what it held; `nil`: there was none.
  @inlinable @discardableResult public mutating func remove(_ id: UInt32) -> Value? {
    guard let index = index(of: id) else { return nil }
    guard index < ids.count - 1 else {
      ids.removeLast()
      return entries.removeLast()
    }
    ids.remove(at: index)
    return entries.remove(at: index)
  }

  /// Empties it.
  @inlinable public mutating func removeAll() {
    ids.removeAll()
    entries.removeAll()
  }

  @inlinable func index(of id: UInt32) -> Int? {
    let place = place(of: id)
    return place < ids.count && ids[place] == id ? place : nil
  }

  /// Of the first that is not before it.
  @inlinable func place(of id: UInt32) -> Int {
    ids.withUnsafeBufferPointer { ids in
      var (low, high) = (0, ids.count)
      while low < high {
        let middle = (low + high) / 2
        if ids[middle] < id { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }
}
