import CaptureSystem
import CaptureWire

/// Opens and serves calls. A function whose name ends in `Here` does its work at once if the caller is on the connection's loop, and returns `nil` if not.
extension ClientConnection: CallChannel {
  public nonisolated(nonsending) func unary(
    _ method: MethodDescriptor, _ request: RawMessage, options: CallOptions
  ) async throws(RPCError) -> RawMessage {
    let id: UInt32
    if let opened = openUnaryHere(method, request, options) {
      id = try opened.get()
    } else {
      id = try await openUnary(method, request, options).get()
    }
    let answer = await withTaskCancellationHandler {
      await withUnsafeContinuation { taker in onLoop { $0.take(answerOf: id, taker) } }
    } onCancel: {
      onLoop { $0.cancel(id, RPCError(.callCancelled)) }
    }
    return try answer.get()
  }

  public nonisolated(nonsending) func open(
    _ method: MethodDescriptor, _ request: RawMessage?, last: Bool, options: CallOptions
  ) async throws(RPCError) -> any RawClientCall {
    if let opened = openHere(method, request, last, options) { return try opened.get() }
    return try await openIsolated(method, request, last, options).get()
  }

  private nonisolated func openHere(
    _ method: MethodDescriptor, _ request: RawMessage?, _ last: Bool, _ options: CallOptions
  ) -> Result<ClientCall, RPCError>? {
    ifOnLoop { $0.openIsolated(method, request, last, options) }
  }

  private func openIsolated(
    _ method: MethodDescriptor, _ request: RawMessage?, _ last: Bool, _ options: CallOptions
  ) -> Result<ClientCall, RPCError> {
    open(method, request, last, options).map { id in
      let handle = ClientCall(id: id, connection: self)
      let call = OpenCall(id)
      call.handle = handle
      calls.insert(id, call)
      return handle
    }
  }

  private func open(
    _ method: MethodDescriptor, _ request: RawMessage?, _ last: Bool, _ options: CallOptions
  ) -> Result<UInt32, RPCError> {
    do throws(RPCError) {
      let now = MonotonicClock.now()
      let id = try pump.state.open(method, request, last: last, options: options, now: now)
      scheduleFlush()
      if options.timeout != nil { armTimer() }
      return .success(id)
    } catch {
      return .failure(error)
    }
  }

  // MARK: Unary calls

  private nonisolated func openUnaryHere(
    _ method: MethodDescriptor, _ request: RawMessage, _ options: CallOptions
  ) -> Result<UInt32, RPCError>? {
    ifOnLoop { $0.openUnary(method, request, options) }
  }

  private func openUnary(
    _ method: MethodDescriptor, _ request: RawMessage, _ options: CallOptions
  ) -> Result<UInt32, RPCError> {
    open(method, request, true, options).map { id in
      unaryCalls.insert(id, UnaryCall(method: method.name))
      return id
    }
  }

  private func take(answerOf id: UInt32, _ taker: AnswerTaker) {
    if unaryCalls[existing: id].ending == nil {
      unaryCalls[existing: id].taker = taker
    } else {
      taker.resume(returning: unaryCalls.remove(id)!.outcome)
    }
  }

  private func unaryEnded(_ id: UInt32, _ error: RPCError?) {
    unaryCalls[existing: id].ending = error.map { .failure($0) } ?? .success(())
    guard let taker = unaryCalls[existing: id].taker else { return }
    taker.resume(returning: unaryCalls.remove(id)!.outcome)
  }

  // MARK: Answers

  func received(_ id: UInt32, _ message: RawMessage) {
    if unaryCalls.contains(id) {
      unaryCalls[existing: id].answer = message
    } else if let call = calls[id] {
      call.inbox.append(message)
      if !call.readers.isEmpty { wakeReaders(call) }
    }
  }

  /// Returns the call's next message, or success with `nil` after the last one. Returns `nil` if none has come yet: the caller has to wait for it.
  func nextNow(_ handle: ClientCall) -> Result<RawMessage?, RPCError>? {
    guard let call = calls[handle.id] else { return .success(nil) }
    if !call.inbox.isEmpty {
      let message = call.inbox.removeFirst()
      pump.state.consumed(handle.id)
      if pump.state.hasOutput { scheduleFlush() }
      return .success(message)
    }
    guard let ending = call.ending else { return nil }
    calls.remove(handle.id)
    handle.isForgotten.store(true, ordering: .relaxed)
    return ending.map { nil }
  }

  func next(_ handle: ClientCall, _ reader: MessageReader) {
    if calls[handle.id]?.readers.isEmpty ?? true, let done = nextNow(handle) {
      return reader.resume(returning: done)
    }
    calls[handle.id]!.readers.append(reader)
  }

  func wakeReaders(_ call: OpenCall) {
    while !call.readers.isEmpty, let handle = call.handle, let done = nextNow(handle) {
      call.readers.removeFirst().resume(returning: done)
    }
  }

  func ended(_ id: UInt32, _ error: RPCError?) {
    if unaryCalls.contains(id) { return unaryEnded(id, error) }
    guard let call = calls[id] else { return }
    call.ending = error.map { .failure($0) } ?? .success(())
    wakeReaders(call)
    wakeSenders(call)
  }

  // MARK: Requests

  /// Sends a message. Returns `nil`, and has not sent it, while there is no credit or no room, or while others wait: the caller has to wait too.
  func sendNow(_ handle: ClientCall, _ message: RawMessage) -> Result<Void, RPCError>? {
    guard let call = calls[handle.id] else {
      return .failure(RPCError(.cancelled, "the call is over", .init(.cancelled)))
    }
    guard call.senders.isEmpty else { return nil }
    return sendNow(handle.id, call, message)
  }

  private func sendNow(_ id: UInt32, _ call: OpenCall, _ message: RawMessage) -> Result<Void, RPCError>? {
    if let ending = call.ending {
      return ending.flatMap {
        .failure(RPCError(.cancelled, "the node has ended the call already", .init(.cancelled)))
      }
    }
    guard pump.state.canSend(id) else { return nil }
    do throws(RPCError) {
      try pump.state.send(id, message, now: MonotonicClock.now())
    } catch {
      return .failure(error)
    }
    scheduleFlush()
    return .success(())
  }

  func send(_ handle: ClientCall, _ message: RawMessage, _ sender: MessageSender) {
    if let done = sendNow(handle, message) { return sender.resume(returning: done) }
    calls[handle.id]!.senders.append((message, sender))
  }

  func wakeSenders(_ call: OpenCall) {
    while let first = call.senders.first, let done = sendNow(call.id, call, first.message) {
      call.senders.removeFirst()
      first.sender.resume(returning: done)
    }
  }

  func finishSending(_ id: UInt32) {
    pump.state.finishSending(id)
    scheduleFlush()
  }

  func cancel(_ id: UInt32, _ error: RPCError) {
    pump.state.cancel(id, error)
    performActions()
    scheduleFlush()
  }

  /// Tells that nobody holds the call any more.
  func abandon(_ id: UInt32) {
    guard let call = calls[id] else { return }
    if call.ending == nil { cancel(id, RPCError(.cancelled, "the call was let go of", .init(.cancelled))) }
    calls.remove(id)
  }
}
