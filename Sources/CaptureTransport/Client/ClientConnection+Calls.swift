import CaptureSystem
import CaptureWire

extension ClientConnection: CallChannel {
  public nonisolated func unary(
    _ method: MethodDescriptor, _ request: RawMessage, options: CallOptions
  ) async throws(RPCError) -> RawMessage {
    let call = try await open(method, request, last: true, options: options)
    let answer = try await call.next()
    guard let answer, try await call.next() == nil else {
      throw RPCError(.dataLoss, "\(method.name) ended in OK without its one answer")
    }
    return answer
  }

  public nonisolated func open(
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
    let now = MonotonicClock.now()
    do throws(RPCError) {
      let id = try pump.state.open(method, request, last: last, options: options, now: now)
      let handle = ClientCall(id: id, connection: self)
      let call = OpenCall(id)
      call.handle = handle
      calls.insert(id, call)
      scheduleFlush()
      if options.timeout != nil { armTimer() }
      return .success(handle)
    } catch {
      return .failure(error)
    }
  }

  // MARK: Answers

  /// `nil`: it has to be waited for.
  func nextNow(_ handle: ClientCall) -> Result<RawMessage?, RPCError>? {
    guard let call = calls[handle.id] else { return .success(nil) }
    if !call.inbox.isEmpty {
      let message = call.inbox.removeFirst()
      pump.state.consumed(handle.id)
      if !pump.state.outbox.isEmpty { scheduleFlush() }
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
    guard let call = calls[id] else { return }
    call.ending = error.map { .failure($0) } ?? .success(())
    wakeReaders(call)
    wakeSenders(call)
  }

  // MARK: Requests

  func sendNow(_ handle: ClientCall, _ message: RawMessage) -> Result<Void, RPCError>? {
    guard let call = calls[handle.id] else { return .failure(RPCError(.cancelled, "the call is over")) }
    guard call.senders.isEmpty else { return nil }
    return sendNow(handle.id, call, message)
  }

  private func sendNow(_ id: UInt32, _ call: OpenCall, _ message: RawMessage) -> Result<Void, RPCError>? {
    if let ending = call.ending {
      return ending.flatMap { .failure(RPCError(.cancelled, "the node has ended the call already")) }
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

  /// Nobody holds the call any more.
  func abandon(_ id: UInt32) {
    guard let call = calls[id] else { return }
    if call.ending == nil { cancel(id, RPCError(.cancelled, "the call was let go of")) }
    calls.remove(id)
  }
}
