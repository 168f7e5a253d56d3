/// A table by call id, for the few calls that a connection has at once. A lookup reads numbers that lie side by side, and costs less than hashing.
///
/// It is public, as are its members: the compiler specializes only public generic code for another module's values, and without that a lookup costs
/// ten times as much.
public struct CallTable<Value> {
  @usableFromInline var ids: [UInt32] = []
  @usableFromInline var entries: [Value] = []

  /// The number of calls.
  @inlinable public var count: Int { ids.count }
  /// Whether there is no call.
  @inlinable public var isEmpty: Bool { ids.isEmpty }
  /// The call ids, in rising order.
  @inlinable public var keys: [UInt32] { ids }

  /// The values, in the order of ``keys``.
  @inlinable public var values: [Value] { entries }

  /// Makes an empty table.
  @inlinable public init() {}

  /// Whether there is a call with this id.
  @inlinable public func contains(_ id: UInt32) -> Bool { index(of: id) != nil }

  /// A copy of a call's value; `nil`: there is no such call.
  @inlinable public subscript(id: UInt32) -> Value? { index(of: id).map { entries[$0] } }

  /// The value of a call that exists, in place.
  @inlinable public subscript(existing id: UInt32) -> Value {
    _read { yield entries[index(of: id)!] }
    _modify { yield &entries[index(of: id)!] }
  }

  /// Adds a call. Most new calls have a higher id than those before; a call whose first message took long to come does not.
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

  /// Removes a call, and returns its value; `nil`: there was none.
  @inlinable @discardableResult public mutating func remove(_ id: UInt32) -> Value? {
    guard let index = index(of: id) else { return nil }
    guard index < ids.count - 1 else {
      ids.removeLast()
      return entries.removeLast()
    }
    ids.remove(at: index)
    return entries.remove(at: index)
  }

  /// Removes all calls.
  @inlinable public mutating func removeAll() {
    ids.removeAll()
    entries.removeAll()
  }

  @inlinable func index(of id: UInt32) -> Int? {
    let place = place(of: id)
    return place < ids.count && ids[place] == id ? place : nil
  }

  /// The first place whose id is not less than `id`.
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
