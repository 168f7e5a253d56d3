/// The states that systemd has not been sent yet: only the newest of each kind, such as STATUS or WATCHDOG, in the order in which they came. So this
/// does not grow while systemd takes no states, and systemd gets no outdated state after that.
struct ServiceNews {
  private var waiting: [String] = []

  /// Adds a state, as sd_notify(3) has it, in place of a waiting state of its kind. Returns whether there is one more state to take.
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
