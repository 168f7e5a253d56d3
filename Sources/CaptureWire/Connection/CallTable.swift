/// Values by call id, for the few calls that a connection has at once. Looking one up reads numbers that lie side by side, and costs
/// less than hashing.
struct CallTable<Value> {
  private var ids: [UInt32] = []
  private var values: [Value] = []

  var count: Int { ids.count }
  var isEmpty: Bool { ids.isEmpty }
  /// In order.
  var keys: [UInt32] { ids }

  func contains(_ id: UInt32) -> Bool { index(of: id) != nil }

  /// A copy; `nil`: there is none.
  subscript(id: UInt32) -> Value? { index(of: id).map { values[$0] } }

  /// One that there is, in place.
  subscript(existing id: UInt32) -> Value {
    _read { yield values[index(of: id)!] }
    _modify { yield &values[index(of: id)!] }
  }

  /// A new one, with a higher number than those before.
  mutating func insert(_ id: UInt32, _ value: Value) {
    precondition(ids.last ?? 0 < id)
    ids.append(id)
    values.append(value)
  }

  @discardableResult mutating func remove(_ id: UInt32) -> Value? {
    guard let index = index(of: id) else { return nil }
    ids.remove(at: index)
    return values.remove(at: index)
  }

  mutating func removeAll() {
    ids.removeAll()
    values.removeAll()
  }

  /// Numbers of calls rise, so these are in order.
  private func index(of id: UInt32) -> Int? {
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
