/// What systemd has not been told yet: of each kind, as STATUS or WATCHDOG, the newest, in the order in which they came. So nothing grows while systemd takes
/// none, and what it is told after that is true.
struct ServiceNews {
  private var waiting: [String] = []

  /// Adds a state, as sd_notify(3) has it, in place of one of its kind. Returns whether there is one more to take.
  mutating func add(_ state: String) -> Bool {
    let count = waiting.count
    waiting.removeAll { Self.kind(of: $0) == Self.kind(of: state) }
    waiting.append(state)
    return waiting.count > count
  }

  /// Takes the state that came first.
  mutating func next() -> String? { waiting.isEmpty ? nil : waiting.removeFirst() }

  private static func kind(of state: String) -> Substring { state.prefix { $0 != "=" } }
}
