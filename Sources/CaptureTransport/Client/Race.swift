import CaptureWire

/// Tries several addresses of one node at once.
enum Race {
  /// Returns the value of the first attempt that succeeds, and discards the others. If all attempts fail, it throws the first error which says that
  /// the node refuses this client, or that its key is not the known one. If there is no such error, it throws that of the first address.
  static func first<Address: Sendable, Value: Sendable>(
    of addresses: [Address], _ attempt: @escaping @Sendable (Address) async throws(RPCError) -> Value,
    discard: @escaping @Sendable (Value) async -> Void
  ) async throws(RPCError) -> Value {
    let (results, tell) = AsyncStream.makeStream(of: (place: Int, result: Result<Value, RPCError>).self)
    let tasks = addresses.enumerated().map { place, address in
      Task {
        do throws(RPCError) { tell.yield((place, .success(try await attempt(address)))) } catch {
          tell.yield((place, .failure(error)))
        }
      }
    }
    var failures: [(place: Int, error: RPCError)] = []
    for await (place, result) in results {
      switch result {
      case .failure(let error):
        failures.append((place, error))
        guard failures.count == addresses.count else { continue }
        let mostTelling = failures.first {
          $0.error.details?.reason == .nodeChanged || $0.error.code == .unauthenticated
        }
        throw mostTelling?.error ?? failures.min { $0.place < $1.place }!.error
      case .success(let value):
        for task in tasks { task.cancel() }
        // The attempts that still run are not waited for.
        let left = addresses.count - failures.count - 1
        Task {
          var rest = results.makeAsyncIterator()
          for _ in 0..<left {
            if case .success(let other)? = await rest.next()?.result { await discard(other) }
          }
        }
        return value
      }
    }
    throw RPCError(.cancelled, "the call was cancelled", .init(.cancelled))
  }
}
