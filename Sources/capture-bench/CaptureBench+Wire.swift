import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization

extension CaptureBench {
  /// Connects to a node. A connection to "tls:ADDRESS" is encrypted, and accepts any key of the node.
  static func connect(_ address: String) async throws -> ClientConnection {
    var configuration = ClientConfiguration()
    configuration.agent = "capture-bench"
    let isEncrypted = address.hasPrefix(encrypted)
    if isEncrypted { configuration.tls = .anybody }
    return try await .connect(
      to: SocketAddress(parsing: isEncrypted ? String(address.dropFirst(encrypted.count)) : address),
      configuration: configuration)
  }

  private static let encrypted = "tls:"

  /// Measures how long it takes from connecting to the first answer, in milliseconds.
  static func measureArrivals(_ address: String, count: Int) async throws {
    var times: [Double] = []
    for index in -max(1, count / 10)..<count {
      let start = monotonicSeconds()
      let connection = try await connect(address)
      _ = try await TestClient(connection).empty(TestEmpty())
      if index >= 0 { times.append((monotonicSeconds() - start) * 1e3) }
      await connection.close()
    }
    report(["p50_ms": times.percentile(0.5), "p99_ms": times.percentile(0.99)])
  }

  /// The message that a unary call carries in each direction: 64 bytes.
  private static let echo = TestRequest(note: [UInt8](repeating: 7, count: 64))

  /// Measures round trips of a unary call of 64 bytes, one at a time.
  static func measureRoundTrips(_ address: String, count: Int, by caller: Caller) async throws {
    let connection = try await connect(address)
    let times = try await withTaskExecutorPreference(caller.executor(for: connection)) {
      try await roundTrips(TestClient(connection), count: count)
    }
    await connection.close()
    report(["p50_us": times.percentile(0.5), "p99_us": times.percentile(0.99)])
  }

  /// Measures round trips of a change of one setting and of an empty call, in turns, for a camera that does not stream.
  static func measureSettings(_ address: String, camera: String, count: Int) async throws {
    let connection = try await connect(address)
    let (pings, sets) = try await withTaskExecutorPreference(connection.loop.executor) {
      let (empty, settings) = (TestClient(connection), SettingsClient(connection))
      var (pings, sets): ([Double], [Double]) = ([], [])
      for index in -count / 10..<count {
        let ping = try await time { _ = try await empty.empty(TestEmpty()) }
        let gain = Double(abs(index) % 50)
        let change = SettingsChange(exposure: ExposureChange(amplification: .gain(gain)))
        let set = try await time {
          _ = try await settings.set(SetSettingsRequest(device: camera, change: change))
        }
        if index >= 0 {
          pings.append(ping)
          sets.append(set)
        }
      }
      return (pings, sets)
    }
    await connection.close()
    let ratio = sets.percentile(0.5) / pings.percentile(0.5)
    report([
      "ping_p50_us": pings.percentile(0.5), "set_p50_us": sets.percentile(0.5), "ratio": ratio,
    ])
  }

  /// The time of a call, in microseconds.
  private nonisolated(nonsending) static func time(_ body: nonisolated(nonsending) () async throws -> Void)
    async throws -> Double
  {
    let start = monotonicSeconds()
    try await body()
    return (monotonicSeconds() - start) * 1e6
  }

  /// The times of the round trips, in microseconds.
  private static func roundTrips(_ client: TestClient, count: Int) async throws -> [Double] {
    var times: [Double] = []
    for index in -count / 10..<count {  // The calls with negative numbers warm up.
      let start = monotonicSeconds()
      _ = try await client.unary(echo)
      if index >= 0 { times.append((monotonicSeconds() - start) * 1e6) }
    }
    return times
  }

  /// Measures unary calls of 64 bytes, `inFlight` of them at once on one connection. CPU is that of the node and of this process together.
  static func measureCalls(
    _ address: String, node: ProcessMeter, inFlight: Int, seconds: Double, by caller: Caller
  )
    async throws
  {
    let connection = try await connect(address)
    let own = try ProcessMeter.own()
    let calls = CallTally()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<inFlight {
        group.addTask(executorPreference: caller.executor(for: connection)) {
          let client = TestClient(connection)
          while !Task.isCancelled {
            _ = try await client.unary(echo)
            calls.add()
          }
        }
      }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds / 10))  // The calls warm up.
        let before = (count: calls.count, time: monotonicSeconds(), cpu: node.cpu + own.cpu)
        try await Task.sleep(for: .seconds(seconds))
        let count = Double(calls.count - before.count)
        report([
          "calls_per_s": count / (monotonicSeconds() - before.time),
          "cpu_us_per_call": (node.cpu + own.cpu - before.cpu) * 1e6 / count,
        ])
      }
      // The measuring task ends normally, and a caller only by failing. Errors of cancelled callers are ignored.
      try await group.next()
      group.cancelAll()
    }
    await connection.close()
  }

  /// Measures one stream of messages with a payload, as fast as possible. CPU is that of the node and of this process together.
  static func measureDownload(_ address: String, node: ProcessMeter, bytes: UInt64, seconds: Double)
    async throws
  {
    let connection = try await connect(address)
    try await withTaskExecutorPreference(connection.loop.executor) {
      try await receive(TestClient(connection), node, bytes, seconds)
    }
    await connection.close()
  }

  /// How many messages of this size may be on their way: about 2 MB of them, but 4 to 32.
  private static func window(for bytes: UInt64) -> UInt32 { UInt32(max(4, min(32, 2_000_000 / bytes))) }

  private static func receive(_ client: TestClient, _ node: ProcessMeter, _ bytes: UInt64, _ seconds: Double)
    async throws
  {
    let own = try ProcessMeter.own()
    let request = TestRequest(responsePayloadBytes: bytes, responseCount: .max)
    let stream = try await client.download(request, options: CallOptions(window: window(for: bytes)))
    var messages = 0
    var began = 0.0
    var cpuBefore = 0.0
    for try await message in stream {
      guard message.data?.count == Int(bytes) else { throw RPCError(.dataLoss, "a payload is not whole") }
      if began == 0 {  // The first message warms up.
        began = monotonicSeconds()
        cpuBefore = node.cpu + own.cpu
        continue
      }
      messages += 1
      if monotonicSeconds() - began >= seconds { break }
    }
    let took = monotonicSeconds() - began
    let cpu = node.cpu + own.cpu - cpuBefore
    let gigabytes = Double(messages) * Double(bytes) * 1e-9
    report([
      "gb_per_s": gigabytes / took, "cpu_s_per_gb": cpu / gigabytes,
      "messages_per_s": Double(messages) / took,
    ])
  }
}

/// Which tasks make calls.
enum Caller {
  /// Tasks that prefer the connection's loop: their calls need no change of thread.
  case loop
  /// Tasks like those of an app, which know of no loop.
  case app

  func executor(for connection: ClientConnection) -> (any TaskExecutor)? {
    switch self {
    case .loop: connection.loop.executor
    case .app: nil
    }
  }
}

/// The number of calls that all tasks have made.
private final class CallTally: Sendable {
  private let number = Atomic<Int>(0)
  var count: Int { number.load(ordering: .relaxed) }
  func add() { number.wrappingAdd(1, ordering: .relaxed) }
}
