import CaptureLoop
import CaptureSystem
import CaptureWire
import Synchronization

/// A channel that runs handlers in place: requests are collected, and the handler runs when they have ended.
struct DirectChannel: CallChannel {
  let handler: any ServiceHandler

  func unary(
    _ method: MethodDescriptor, _ request: RawMessage, options: CallOptions
  ) async throws(RPCError) -> RawMessage {
    let call = try await open(method, request, last: true, options: options)
    guard let answer = try await call.next() else { throw RPCError(.dataLoss, "no answer") }
    return answer
  }

  func open(
    _ method: MethodDescriptor, _ request: RawMessage?, last: Bool, options: CallOptions
  ) async throws(RPCError) -> any RawClientCall {
    let call = DirectCall { [handler] call in
      try await handler.handle(
        method, context: .test(method), requests: call.requests, responses: call.responses)
    }
    if let request { try await call.send(request) }
    if last { try await call.finishSending() }
    return call
  }
}

final class DirectCall: RawClientCall {
  let requests = DirectQueue()
  let responses = DirectQueue()
  let abortedPayloads: UInt64 = 0
  private let run: @Sendable (DirectCall) async throws -> Void

  init(run: @escaping @Sendable (DirectCall) async throws -> Void = { _ in }) { self.run = run }

  func send(_ message: RawMessage) async throws(RPCError) { try await requests.send(message) }
  func next() async throws(RPCError) -> RawMessage? { try await responses.next() }
  func cancel() {}

  func finishSending() async throws(RPCError) {
    do {
      try await run(self)
    } catch {
      throw RPCError(any: error)
    }
  }
}

/// Messages that wait, in order.
final class DirectQueue: RawRequestReader, RawResponseWriter {
  private let messages = Mutex<[RawMessage]>([])
  let loop = QueueExecutor(label: "direct")
  let room = Int.max
  let discarded: UInt64 = 0

  func send(_ message: RawMessage) async throws(RPCError) { messages.withLock { $0.append(message) } }
  func next() async throws(RPCError) -> RawMessage? {
    messages.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
  func offer(payload: Payload?, encode: @escaping @Sendable (_ discarded: UInt64) -> [UInt8]) {
    messages.withLock { $0.append(RawMessage(body: encode(0), payload: payload)) }
  }
  func releaseBuffers() {}
}

extension CallContext {
  static func test(_ method: MethodDescriptor) -> CallContext {
    CallContext(method: method, peer: "test", connectionID: 1)
  }
}
