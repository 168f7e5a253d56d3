import CaptureClient

@Sendable func showInfo(_ context: CommandContext) async throws {
  let info = try await context.node.info()
  try context.print(
    [
      "name": info.name, "version": info.version, "boot_id": info.bootID, "kernel": info.kernel,
      "machine": info.machine, "cameras": info.cameras, "listeners": info.listeners, "methods": info.methods,
    ],
    text: ([
      "Name": info.name, "Version": info.version, "System": "\(info.kernel), \(info.machine)",
      "Cameras": "\(info.cameras)", "Listens on": info.listeners.joined(separator: ", "),
    ] + methodLines(info.methods)).text())
}

/// "Devices: List, Watch", a line for each service.
private func methodLines(_ methods: [String]) -> TextList {
  var services: [(name: String, methods: [String])] = []
  for method in methods {
    let parts = method.split(separator: "/").map(String.init)
    guard parts.count == 2 else { continue }
    if services.last?.name != parts[0] { services.append((parts[0], [])) }
    services[services.count - 1].methods.append(parts[1])
  }
  return TextList(
    services.enumerated().map { index, service in
      (index == 0 ? "Methods" : "", "\(service.name): \(service.methods.joined(separator: ", "))")
    })
}

@Sendable func ping(_ context: CommandContext) async throws {
  let count = context.arguments[Options.count] ?? 10
  var trips = DurationHistogram()
  var (shortest, longest) = (Duration.seconds(86_400), Duration.zero)
  for _ in 0..<count {
    let trip = try await context.node.ping()
    trips.add(trip)
    (shortest, longest) = (min(shortest, trip), max(longest, trip))
  }
  func milliseconds(_ trip: Duration) -> Double { trip / .milliseconds(1) }
  // The histogram's quantiles are rounded to its buckets. They are kept between the extremes, which are exact.
  func quantile(_ share: Double) -> Double {
    min(max(trips.quantile(share) ?? 0, milliseconds(shortest)), milliseconds(longest))
  }
  let (median, high) = (quantile(0.5), quantile(0.99))
  try context.print(
    [
      "count": count,
      "round_trip_ms": [
        "min": JSON.number(milliseconds(shortest), decimals: 3), "p50": JSON.number(median, decimals: 3),
        "p99": JSON.number(high, decimals: 3), "max": JSON.number(milliseconds(longest), decimals: 3),
      ] as JSON,
    ],
    text: "\(count) round trip\(count == 1 ? "" : "s"): median \(fixed(median, 3)) ms, "
      + "shortest \(fixed(milliseconds(shortest), 3)) ms, longest \(fixed(milliseconds(longest), 3)) ms\n")
}
