import CaptureSystem
import CaptureWire
import Synchronization

/// Opens and serves calls.
extension ClientConnection: CallChannel {
  public nonisolated(nonsending) func unary(
    _ method: MethodDescriptor, _ request: RawMessage, options: CallOptions
  ) async throws(RPCError) -> RawMessage {
    // The call's number once it is open; `.max`: the task was cancelled. Only the loop uses it.
    let number = Atomic<UInt32>(0)
    let answer = await withTaskCancellationHandler {
      await withUnsafeContinuation { taker in
        onLoop { $0.openUnary(method, request, options, number, taker) }
      }
    } onCancel: {
      onLoop { $0.cancel(number.exchange(.max, ordering: .relaxed), RPCError(.callCancelled)) }
    }
    return try answer.get()
  }

  public nonisolated(nonsending) func open(
    _ method: MethodDescriptor, _ request: RawMessage?, last: Bool, options: CallOptions
  ) async throws(RPCError) -> any RawClientCall {
    let opened = ifOnLoop { $0.openIsolated(method, request, last, options) }
    if let opened { return try opened.get() }
    return try await openIsolated(method, request, last, options).get()
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
      let id = try pump.state.open(
        method, request, last: last, options: options, now: MonotonicClock.now())
      scheduleFlush()
      if options.timeout != nil { armTimer() }
      return .success(id)
    } catch {
      return .failure(error)
    }
  }

  // MARK: Unary calls

  private func openUnary(
    _ method: MethodDescriptor, _ request: RawMessage, _ options: CallOptions,
    _ number: borrowing Atomic<UInt32>, _ taker: AnswerTaker
  ) {
    guard number.load(ordering: .relaxed) == 0 else {
      return taker.resume(returning: .failure(RPCError(.callCancelled)))
    }
    switch open(method, request, true, options) {
    case .success(let id):
      number.store(id, ordering: .relaxed)
      unaryCalls.insert(id, UnaryCall(method: method.name, taker: taker))
    case .failure(let error):
      taker.resume(returning: .failure(error))
    }
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
    if let call = unaryCalls.remove(id) { return call.taker.resume(returning: call.outcome(error)) }
    guard let call = calls[id] else { return }
    call.ending = error.map { .failure($0) } ?? .success(())
    wakeReaders(call)
    wakeSenders(call)
  }

  // MARK: Requests

  /// Sends a message. Returns `nil` without sending it if there is no credit or no room, or if earlier messages wait: the caller has to wait too.
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
      try pump.state.send(id, message)
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

  /// Ends and forgets a call whose handle nobody holds any more.
  func abandon(_ id: UInt32) {
    guard let call = calls[id] else { return }
    if call.ending == nil { cancel(id, RPCError(.cancelled, "the call was let go of", .init(.cancelled))) }
    calls.remove(id)
  }
}
