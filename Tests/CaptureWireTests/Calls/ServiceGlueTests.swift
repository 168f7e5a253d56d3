import CaptureModel
import CaptureSystem
import CaptureWire
import Synchronization
import Testing

/// The generated services, client to handler, without a transport.
@Suite struct ServiceGlueTests {
  let client = TestClient(DirectChannel(handler: TestServiceHandler(Echo())))

  @Test func unaryCarriesBodyAndPayloadBothWays() async throws {
    let response = try await client.unary(TestRequest(note: [1], data: Payload(copying: [2, 3])))
    #expect(response == TestResponse(receivedPayloadBytes: 2, note: [1], data: Payload(copying: [2, 3])))
  }

  @Test func serverStreamGivesEveryAnswer() async throws {
    let indices = try await client.download(TestRequest(responseCount: 3)).reduce(into: []) {
      $0.append($1.index)
    }
    #expect(indices == [0, 1, 2])
  }

  @Test func clientStreamGivesOneAnswer() async throws {
    let call = try await client.upload()
    for _ in 0..<3 { try await call.requests.send(TestRequest()) }
    #expect(try await call.response().receivedMessages == 3)
  }

  @Test func bidirectionalGivesAnAnswerPerRequest() async throws {
    let call = try await client.echo()
    for byte in 0..<3 as Range<UInt8> { try await call.requests.send(TestRequest(note: [byte])) }
    try await call.requests.finish()
    let notes = try await call.responses.reduce(into: []) { $0.append($1.note) }
    #expect(notes == [[0], [1], [2]])
  }

  @Test func aThrownErrorIsTheCallsStatus() async {
    await #expect(throws: RPCError(.notFound, "gone")) {
      try await client.unary(TestRequest(statusCode: StatusCode.notFound.rawValue, statusText: "gone"))
    }
  }

  @Test func aBodyThatDoesNotParseIsInvalidAndNamesTheMethod() async {
    await #expect(
      throws: RPCError(
        .invalidArgument,
        "capture.v1.Test/Unary: capture.v1.TestRequest: not protobuf, or of another type")
    ) {
      let call = DirectCall()
      try await call.send(RawMessage(body: [0xff]))
      try await TestServiceHandler(Echo()).handle(
        TestMethods.unary, context: .test(TestMethods.unary), requests: call.requests,
        responses: call.responses)
    }
  }

  @Test func anotherServicesMethodIsUnimplemented() async {
    let details = CaptureError.Details(.unknownMethod, asked: "capture.v1.Devices/List")
    await #expect(
      throws: RPCError(
        .unimplemented, "this node has no method capture.v1.Devices/List", metadata: [CallMetadata(details)])
    ) {
      let call = DirectCall()
      try await TestServiceHandler(Echo()).handle(
        DevicesMethods.list, context: .test(DevicesMethods.list), requests: call.requests,
        responses: call.responses)
    }
  }

  /// A call that lasts holds nothing of a request that its service has let go of.
  @Test func aServiceOwnsItsRequest() async throws {
    let isReleased = Mutex(false)
    let service = Forgetful { isReleased.withLock { $0 } }
    for method in [TestMethods.unary, TestMethods.download] {
      isReleased.withLock { $0 = false }
      let call = DirectCall()
      let payload = Payload(lending: []) { isReleased.withLock { $0 = true } }
      try await call.send(RawMessage(body: [], payload: consume payload))
      try await TestServiceHandler(service).handle(
        method, context: .test(method), requests: call.requests, responses: call.responses)
      let answer = try #require(try await call.next())
      #expect(try TestResponse(answer).index == 1, "\(method.name)")
    }
  }

  @Test func descriptorsSayWhatTheContractSays() {
    #expect(
      TestMethods.all.map(\.name) == [
        "capture.v1.Test/Empty", "capture.v1.Test/Unary", "capture.v1.Test/Download",
        "capture.v1.Test/Upload",
        "capture.v1.Test/Echo",
      ])
    #expect(TestMethods.all.map(\.kind) == [.unary, .unary, .serverStream, .clientStream, .bidirectional])
    #expect(TestMethods.empty.requestPayloadLimit == 0)
    #expect(TestMethods.upload.requestPayloadLimit == 16 << 20)
    #expect(LibraryMethods.add.requestPayloadLimit == 1 << 20)
    #expect(VideoMethods.subscribe.requestPayloadLimit == 0)
  }
}

/// Lets go of its requests, and answers with 1 where nobody else has them.
private struct Forgetful: TestService {
  let isAlone: @Sendable () -> Bool

  init(isAlone: @escaping @Sendable () -> Bool) { self.isAlone = isAlone }

  func empty(_ request: TestEmpty, context: CallContext) async throws -> TestEmpty { request }

  func unary(_ request: consuming TestRequest, context: CallContext) async throws -> TestResponse {
    _ = consume request
    return TestResponse(index: isAlone() ? 1 : 0)
  }

  func download(
    _ request: consuming TestRequest, context: CallContext, responses: ResponseWriter<TestResponse>
  ) async throws {
    _ = consume request
    try await responses.send(TestResponse(index: isAlone() ? 1 : 0))
  }

  func upload(_ requests: RequestReader<TestRequest>, context: CallContext) async throws -> TestResponse {
    TestResponse()
  }

  func echo(
    _ requests: RequestReader<TestRequest>, context: CallContext, responses: ResponseWriter<TestResponse>
  ) async throws {}
}

private struct Echo: TestService {
  func empty(_ request: TestEmpty, context: CallContext) async throws -> TestEmpty { request }

  func unary(_ request: TestRequest, context: CallContext) async throws -> TestResponse {
    guard request.statusCode == 0 else {
      throw RPCError(StatusCode(rawValue: request.statusCode), request.statusText)
    }
    return TestResponse(
      receivedPayloadBytes: UInt64(request.data?.count ?? 0), note: request.note, data: request.data)
  }

  func download(_ request: TestRequest, context: CallContext, responses: ResponseWriter<TestResponse>)
    async throws
  {
    for index in 0..<request.responseCount { try await responses.send(TestResponse(index: UInt64(index))) }
  }

  func upload(_ requests: RequestReader<TestRequest>, context: CallContext) async throws -> TestResponse {
    TestResponse(receivedMessages: try await requests.reduce(0) { count, _ in count + 1 })
  }

  func echo(
    _ requests: RequestReader<TestRequest>, context: CallContext, responses: ResponseWriter<TestResponse>
  ) async throws {
    for try await request in requests { try await responses.send(TestResponse(note: request.note)) }
  }
}
