import CaptureSystem
import CaptureWire

extension ClientConnection: CallChannel {
  nonisolated var isOnLoop: Bool { loop.serial.isCurrent }

  nonisolated func onLoop(_ body: @escaping @Sendable (isolated ClientConnection) -> Void) {
    if isOnLoop {
      assumeIsolated(body)
    } else {
      loop.serial.async { self.assumeIsolated(body) }
    }
  }

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
    if isOnLoop { return try openHere(method, request, last, options).get() }
    return try await openIsolated(method, request, last, options).get()
  }

  private nonisolated func openHere(
    _ method: MethodDescriptor, _ request: RawMessage?, _ last: Bool, _ options: CallOptions
  ) -> Result<ClientCall, RPCError> {
    assumeIsolated { $0.openIsolated(method, request, last, options) }
  }

  private func openIsolated(
    _ method: MethodDescriptor, _ request: RawMessage?, _ last: Bool, _ options: CallOptions
  ) -> Result<ClientCall, RPCError> {
    let now = MonotonicClock.now()
    do throws(RPCError) {
      let id = try pump.state.open(method, request, last: last, options: options, now: now)
      let handle = ClientCall(id: id, connection: self)
      let call = OpenCall()
      call.handle = handle
      calls[id] = call
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
    calls[handle.id] = nil
    handle.isForgotten.store(true, ordering: .relaxed)
    return ending.map { nil }
  }

  func next(_ handle: ClientCall) async -> Result<RawMessage?, RPCError> {
    while true {
      if let done = nextNow(handle) { return done }
      await withCheckedContinuation { calls[handle.id]!.readers.append($0) }
    }
  }

  func ended(_ id: UInt32, _ error: RPCError?) {
    guard let call = calls[id] else { return }
    call.ending = error.map { .failure($0) } ?? .success(())
    call.wakeReaders()
    call.wakeSenders()
  }

  // MARK: Requests

  func sendNow(_ handle: ClientCall, _ message: RawMessage) -> Result<Void, RPCError>? {
    guard let call = calls[handle.id] else { return .failure(RPCError(.cancelled, "the call is over")) }
    if let ending = call.ending {
      return ending.flatMap { .failure(RPCError(.cancelled, "the node has ended the call already")) }
    }
    guard pump.state.canSend(handle.id) else { return nil }
    do throws(RPCError) {
      try pump.state.send(handle.id, message, now: MonotonicClock.now())
    } catch {
      return .failure(error)
    }
    scheduleFlush()
    return .success(())
  }

  func send(_ handle: ClientCall, _ message: RawMessage) async -> Result<Void, RPCError> {
    while true {
      if let done = sendNow(handle, message) { return done }
      await withCheckedContinuation { calls[handle.id]!.senders.append($0) }
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
    calls[id] = nil
  }
}
