/// Runs functions one after the other, in the order of the calls of ``run(_:)``. Each runs to its end, even if its caller is cancelled.
actor Turns {
  private var last: Task<Void, Never>?

  func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let turn = Task { [last] in
      await last?.value
      return try await body()
    }
    last = Task { _ = await turn.result }
    return try await turn.value
  }
}
