import CaptureModel
import CaptureSystem

extension OpenLibrary {
  /// Reserves room for that many bytes, which ``release(_:written:)`` gives back. If the configuration says so, the oldest assets are removed to make
  /// room, but none if that would not be enough. Throws `resourceExhausted` if there is no room.
  func reserve(_ bytes: Int64) async throws(CaptureError) {
    try await requireMounted()
    // How much is removed at once for the disk: little, until that has proved to give space back.
    var piece = UnreturnedSpace.tolerated
    while true {
      let free = try await self.free()
      unreturned.withLock { $0.noteFree(free) }
      let (quota, floor) = (configuration.quota, configuration.freeFloor)
      let (excess, used) = usage.withLock { usage in
        let excess = usage.excess(bytes, quota: quota, free: free, floor: floor)
        if excess.bytes == 0 { usage.reserve(bytes) }
        return (excess, usage.bytes)
      }
      if excess.bytes == 0 { return }
      let isOfDisk = excess.ofDisk > 0
      let held = isOfDisk ? heldSpace : nil
      if configuration.removesOldest, held == nil,
        try await removeOldest(excess.bytes, atOnce: isOfDisk ? piece : .max, makesRoom: isOfDisk)
      {
        piece = min(piece, .max / 4) * 4
        continue
      }
      throw refusal(of: bytes, used: used, free: free, held: held)
    }
  }

  /// `written`: those of the bytes that were noted as written.
  func release(_ bytes: Int64, written: Int64 = 0) {
    usage.withLock { $0.release(bytes, written: written) }
  }

  /// The bytes that were removed in vain, where they keep the library from removing more.
  private var heldSpace: Int64? {
    unreturned.withLock { unreturned in
      unreturned.forbidsRemoval(at: MonotonicClock.now()) ? unreturned.bytes : nil
    }
  }

  /// Removes the oldest assets to free so many bytes, or the first of them if these are many, or more than `piece` bytes. The caller then asks again:
  /// so others have their turn at the index, and what clients label or delete meanwhile counts. Returns `false`, and removes none, if all assets that
  /// may be removed have fewer bytes.
  private func removeOldest(
    _ excess: Int64, atOnce piece: Int64, makesRoom: Bool
  ) async throws(CaptureError) -> Bool {
    let oldest = try await writer.run { index throws(CaptureError) -> [AssetID]? in
      let enough = try index.oldest(freeing: excess)
      guard enough != nil, excess > piece else { return enough }
      return try index.oldest(freeing: piece)
    }
    guard let oldest else { return false }
    let removed = try await delete(Array(oldest.prefix(256)), sparingKept: true, makesRoom: makesRoom)
    // It is empty where others have removed all of them meanwhile, or labelled them.
    if !removed.isEmpty { report(.removed(removed.count, .noRoom)) }
    return true
  }

  private func refusal(of bytes: Int64, used: Int64, free: Int64, held: Int64?) -> CaptureError {
    if let quota = configuration.quota, used + bytes > quota {
      return CaptureError(
        .resourceExhausted,
        "the library has \(used) of at most \(quota) bytes, and \(bytes) more do not fit; delete something, or raise the quota",
        .init(.quotaReached, bound: UInt64(quota)))
    }
    let way =
      held.map {
        "pictures of \($0) bytes were removed to make room, and their space has not become free: "
          + "snapshots, hard links or programs may hold it, or others have taken it"
      } ?? "delete something"
    return .libraryDiskFull(
      "\(free) bytes are free, of which \(configuration.freeFloor) stay free, and \(bytes) more do not fit; \(way)"
    )
  }
}
