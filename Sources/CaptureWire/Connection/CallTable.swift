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

  /// A new one, with a higher number than those before.
  @inlinable package mutating func insert(_ id: UInt32, _ value: Value) {
    precondition(ids.last ?? 0 < id)
    ids.append(id)
    entries.append(value)
  }

  @inlinable @discardableResult package mutating func remove(_ id: UInt32) -> Value? {
    guard let index = index(of: id) else { return nil }
    ids.remove(at: index)
    return entries.remove(at: index)
  }

  @inlinable package mutating func removeAll() {
    ids.removeAll()
    entries.removeAll()
  }

  /// Numbers of calls rise, so these are in order.
  @inlinable func index(of id: UInt32) -> Int? {
    ids.withUnsafeBufferPointer { ids in
      var (low, high) = (0, ids.count)
      while low < high {
        let middle = (low + high) / 2
        if ids[middle] < id { low = middle + 1 } else { high = middle }
      }
      return low < ids.count && ids[low] == id ? low : nil
    }
  }
}
