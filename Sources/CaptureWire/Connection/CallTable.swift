/// Values by call id, for the few calls that a connection has at once. Looking one up reads numbers that lie side by side, and costs
/// less than hashing.
package struct CallTable<Value> {
  @usableFromInline var ids: [UInt32] = []
  @usableFromInline var entries: [Value] = []

  @inlinable package var count: Int { ids.count }
  @inlinable package var isEmpty: Bool { ids.isEmpty }
  /// In order.
  @inlinable package var keys: [UInt32] { ids }

  /// In the same order.
  @inlinable package var values: [Value] { entries }

  @inlinable package init() {}

  @inlinable package func contains(_ id: UInt32) -> Bool { index(of: id) != nil }

  /// A copy; `nil`: there is none.
  @inlinable package subscript(id: UInt32) -> Value? { index(of: id).map { entries[$0] } }

  /// One that there is, in place.
  @inlinable package subscript(existing id: UInt32) -> Value {
    _read { yield entries[index(of: id)!] }
    _modify { yield &entries[index(of: id)!] }
  }

  /// A new one. Most have a higher number than those before; a call whose first message was long in coming has not.
  @inlinable package mutating func insert(_ id: UInt32, _ value: Value) {
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

  @inlinable @discardableResult package mutating func remove(_ id: UInt32) -> Value? {
    guard let index = index(of: id) else { return nil }
    guard index < ids.count - 1 else {
      ids.removeLast()
      return entries.removeLast()
    }
    ids.remove(at: index)
    return entries.remove(at: index)
  }

  @inlinable package mutating func removeAll() {
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
