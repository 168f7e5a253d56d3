import CaptureModel
import CaptureSystem
import CaptureWire
import Dispatch

/// `capture.v1.Test` exercises the wire, for tests, benchmarks and conformance suites. A node offers it only if it is configured to.
public final class WireTestService: TestService {
  /// The longest payload that the service makes, in bytes.
  public static let payloadLimit: UInt64 = 64 << 20
  /// The longest time that a handler goes on after its call was cancelled, in milliseconds.
  private static let mostDeafMs: UInt32 = 10_000
  private let payloads = PatternPayloads()

  public init() {}

  /// The handler that a node offers.
  public var handler: some ServiceHandler { TestServiceWithMetadata(service: self) }

  public func empty(_ request: TestEmpty, context: CallContext) throws -> TestEmpty { TestEmpty() }

  public func unary(_ request: TestRequest, context: CallContext) async throws -> TestResponse {
    try await pause(request)
    return try answer(request)
  }

  private func answer(_ request: TestRequest) throws(RPCError) -> TestResponse {
    if request.statusCode != 0 {
      throw RPCError(StatusCode(rawValue: request.statusCode), request.statusText)
    }
    return try answer(request, index: 0, bytes: request.responsePayloadBytes)
  }

  public func download(
    _ request: TestRequest, context: CallContext, responses: ResponseWriter<TestResponse>
  ) async throws {
    for place in 0..<Self.answers(to: request) {
      try await pause(request)
      let answer = try answer(request, index: UInt64(place), bytes: Self.bytes(of: place, request))
      if request.latestWins { responses.offer(answer) } else { try await responses.send(answer) }
    }
    try end(request, context)
  }

  public func upload(_ requests: RequestReader<TestRequest>, context: CallContext) async throws
    -> TestResponse
  {
    var received: (messages: UInt32, bytes: UInt64) = (0, 0)
    var last = TestRequest()
    for try await request in requests {
      received.messages += 1
      received.bytes += UInt64(request.data?.count ?? 0)
      last = request
      last.data = nil
      try await pause(request)
    }
    try end(last, context)
    var answer = try answer(last, index: 0, bytes: last.responsePayloadBytes)
    answer.receivedMessages = received.messages
    answer.receivedPayloadBytes = received.bytes
    return answer
  }

  public func echo(
    _ requests: RequestReader<TestRequest>, context: CallContext, responses: ResponseWriter<TestResponse>
  ) async throws {
    var index: UInt64 = 0
    for try await request in requests {
      for place in 0..<Self.answers(to: request) {
        try await pause(request)
        try await responses.send(try answer(request, index: index, bytes: Self.bytes(of: place, request)))
        index += 1
      }
      try end(request, context)
    }
  }

  private static func answers(to request: TestRequest) -> Int {
    let sizes = request.responsePayloadSizes
    return sizes.isEmpty ? Int(max(1, request.responseCount)) : sizes.count
  }

  private static func bytes(of place: Int, _ request: TestRequest) -> UInt64 {
    let sizes = request.responsePayloadSizes
    return sizes.isEmpty ? request.responsePayloadBytes : sizes[place]
  }

  private func answer(_ request: TestRequest, index: UInt64, bytes: UInt64) throws(RPCError) -> TestResponse {
    guard bytes <= Self.payloadLimit else {
      throw RPCError(
        StatusCode(.outOfRange),
        "an answer with a payload of \(bytes) bytes; at most \(Self.payloadLimit) are made",
        .init(
          .valueOutOfRange, field: "response_payload_bytes", asked: .number(Double(bytes)),
          range: .init(0, Double(Self.payloadLimit))))
    }
    return TestResponse(
      receivedPayloadBytes: UInt64(request.data?.count ?? 0), receivedMessages: 1, index: index,
      sentNs: MonotonicClock.now(), note: request.note,
      data: payloads.payload(Int(bytes)))
  }

  private func pause(_ request: TestRequest) async throws {
    guard request.intervalUs > 0 else { return }
    do {
      try await Task.sleep(for: .microseconds(Int(request.intervalUs)))
    } catch {
      await Self.ignoreCancel(for: .milliseconds(Int(min(request.deafMs, Self.mostDeafMs))))
      throw error
    }
  }

  /// Sleeps in a task of its own, since the call's task is cancelled.
  private static func ignoreCancel(for time: Duration) async {
    guard time > .zero else { return }
    await Task { try? await Task.sleep(for: time) }.value
  }

  fileprivate func end(_ request: TestRequest, _ context: CallContext) throws(RPCError) {
    guard request.statusCode != 0 || request.echoMetadata else { return }
    throw RPCError(
      StatusCode(rawValue: request.statusCode), request.statusText,
      metadata: request.echoMetadata ? context.metadata : [])
  }
}

/// Ends unary calls in a status with metadata. A function that returns the answer cannot do so; a handler that sends the answer can.
private struct TestServiceWithMetadata: ServiceHandler {
  let service: WireTestService

  var methods: [MethodDescriptor] { TestMethods.all }

  /// The service sends metadata back on request.
  func metadata(of method: MethodDescriptor) -> MetadataUse { .all }

  nonisolated(nonsending) func handle(
    _ method: MethodDescriptor, context: CallContext, requests: any RawRequestReader,
    responses: any RawResponseWriter
  ) async throws {
    guard method.name == TestMethods.unary.name else {
      let handler = TestServiceHandler(service)
      return try await handler.handle(method, context: context, requests: requests, responses: responses)
    }
    let request = try await requests.only(TestRequest.self, of: method)
    // This throws if the caller may not make the call. The context that it returns is not needed, since the request is about no camera.
    _ = try context.permitted(request)
    if request.statusCode == 0 {
      try await responses.send(service.unary(request, context: context).raw())
    }
    try service.end(request, context)
  }
}
