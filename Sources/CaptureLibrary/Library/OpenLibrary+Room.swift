import CaptureModel
import CaptureSystem

extension OpenLibrary {
  /// Reserves room for that many bytes, which ``release(_:)`` gives back. If the configuration says so, the oldest assets are removed to make room.
  /// Throws `resourceExhausted` if there is still no room.
  func reserve(_ bytes: Int64) async throws(CaptureError) {
    try root.requireMounted()
    while true {
      let free = try root.free()
      let (quota, floor) = (configuration.quota, configuration.freeFloor)
      let (excess, used) = usage.withLock { usage in
        let excess = usage.excess(bytes, quota: quota, free: free, floor: floor)
        if excess == 0 { usage.reserve(bytes) }
        return (excess, usage.bytes)
      }
      if excess == 0 { return }
      if configuration.removesOldest, bytes <= (quota ?? .max), try await removeOldest(excess) { continue }
      throw refusal(of: bytes, used: used, free: free)
    }
  }

  func release(_ bytes: Int64) { usage.withLock { $0.release(bytes) } }

  /// Removes the oldest assets, at most 64, until that many bytes more are free. Returns whether any was removed.
  private func removeOldest(_ excess: Int64) async throws(CaptureError) -> Bool {
    let oldest = try await writer.run { index throws(CaptureError) in try index.oldest(64) }
    var (some, sum): ([AssetID], Int64) = ([], 0)
    for asset in oldest where sum < excess {
      some.append(asset.id)
      sum += asset.bytes
    }
    guard !some.isEmpty else { return false }
    let removed = try await delete(some)
    if !removed.isEmpty { report(.removed(removed.count, .noRoom)) }
    return !removed.isEmpty
  }

  private func refusal(of bytes: Int64, used: Int64, free: Int64) -> CaptureError {
    if let quota = configuration.quota, used + bytes > quota {
      return CaptureError(
        .resourceExhausted,
        "the library has \(used) of at most \(quota) bytes, and \(bytes) more do not fit; delete something, or raise the quota",
        .init(.quotaReached, bound: UInt64(quota)))
    }
    return .libraryDiskFull(
      "\(free) bytes are free, of which \(configuration.freeFloor) stay free, and \(bytes) more do not fit; delete something"
    )
  }
}
