import CaptureModel
import CaptureSystem

extension ServerConnectionState {
  /// Handles a Request whose number no open call has: it opens a call, or says why not.
  mutating func open(
    _ id: UInt32, _ request: Request, _ chunkLength: Int, _ now: UInt64
  ) -> PayloadAssembly? {
    guard id % 2 == 1 else {
      refuse(id, .invalidArgument, "call \(id) is even; a client numbers its calls with odd numbers")
      return nil
    }
    guard id > lastCallID else {
      refuse(id, .invalidArgument, "call \(id) after call \(lastCallID); the numbers of calls rise")
      return nil
    }
    lastCallID = id
    callsTotal += 1
    guard !isDraining else {
      refuseCall(id, .unavailable, drainText, .init(.nodeDraining))
      return nil
    }
    if lastPlace.map({ methods[$0].name }) != request.method { lastPlace = methods.place(of: request.method) }
    guard let place = lastPlace else {
      refuseCall(
        id, .unimplemented, methods.refusal(of: request.method),
        .init(.unknownMethod, asked: .text(request.method)))
      return nil
    }
    let method = methods[place]
    guard runningHandlers + unstartedCalls + untakenAnswers < configuration.maxCalls else {
      refuseCall(
        id, .resourceExhausted,
        "\(configuration.maxCalls) calls are running on this connection, cancelled ones that have not stopped and answers that were not taken counted; no more are taken (max_calls, callsPerConnection)",
        NodeLimit.callsPerConnection.details(bound: configuration.maxCalls)
      )
      return nil
    }
    var call = Call(
      method: method, place: place, receiveCredit: configuration.initialCredit, sendCredit: request.credit)
    call.metadata = request.metadata.map { CallMetadata(key: $0.key, value: $0.value) }
    if request.timeoutMs > 0 {
      let deadline = now + UInt64(request.timeoutMs) * 1_000_000
      call.deadline = deadline
      nextDeadline = min(nextDeadline, deadline)
    }
    calls.insert(id, call)
    unstartedCalls += 1

    if request.noMessage {
      guard method.clientStreams else {
        end(id, .invalidArgument, "\(method.name) takes one message, and the Request has none (no_message)")
        return nil
      }
      guard request.body.isEmpty, request.payloadLength == 0, chunkLength == 0 else {
        end(id, .invalidArgument, "a Request with no_message has neither body nor payload")
        return nil
      }
      start(id, nil)
      if request.last { halfClose(id) }
      return nil
    }
    guard method.clientStreams || request.last else {
      end(
        id, .invalidArgument, "\(method.name) takes one message: its Request has to say that it is the last")
      return nil
    }
    return begin(id, request.body, last: request.last, request.payloadLength, chunkLength)
  }

  mutating func receive(_ message: Message, on id: UInt32, _ chunkLength: Int) -> PayloadAssembly? {
    guard calls[existing: id].method.clientStreams else {
      end(id, .invalidArgument, "\(calls[existing: id].method.name) takes one message, that of its Request")
      return nil
    }
    guard !calls[existing: id].isHalfClosed else {
      end(id, .invalidArgument, "a Message after the last one of this call")
      return nil
    }
    guard calls[existing: id].assembly == nil else {
      end(id, .invalidArgument, "a Message before the payload of the one before is complete")
      return nil
    }
    if message.noMessage {
      guard message.last, message.body.isEmpty, message.payloadLength == 0, chunkLength == 0 else {
        end(id, .invalidArgument, "a Message with no_message is the last, and has neither body nor payload")
        return nil
      }
      halfClose(id)
      return nil
    }
    return begin(id, message.body, last: message.last, message.payloadLength, chunkLength)
  }

  private mutating func begin(
    _ id: UInt32, _ body: [UInt8], last: Bool, _ payloadLength: UInt64, _ chunkLength: Int
  ) -> PayloadAssembly? {
    let method = calls[existing: id].method
    if method.clientStreams {
      guard calls[existing: id].receiveCredit > 0 else {
        end(
          id, .invalidArgument, "a message past the credit of this call (initial_credit and Credit)",
          NodeLimit.messagesAhead.details())
        return nil
      }
      calls[existing: id].receiveCredit -= 1
    }
    guard payloadLength <= method.requestPayloadLimit else {
      end(
        id, .invalidArgument,
        "a payload of \(payloadLength) bytes; \(method.name) takes at most \(method.requestPayloadLimit)")
      return nil
    }
    guard chunkLength <= Int(payloadLength) else {
      end(id, .invalidArgument, "a chunk of \(chunkLength) bytes in a payload of \(payloadLength)")
      return nil
    }
    // The handler of a client stream says whether the client may send, before memory is taken for what it sends.
    if method.clientStreams { start(id, nil) }
    if payloadLength == 0 {
      deliver(RawMessage(body: body), on: id, isLast: last)
      return nil
    }
    let assembly = PayloadAssembly(
      callID: id, body: body, isLast: last, length: Int(payloadLength), pool: pool)
    calls[existing: id].assembly = assembly
    return assembly
  }

  mutating func receive(_ chunk: Chunk, on id: UInt32, _ chunkLength: Int) -> PayloadAssembly? {
    guard let assembly = calls[existing: id].assembly else {
      end(id, .invalidArgument, "a Chunk where no payload is unfinished")
      return nil
    }
    if chunk.abort {
      guard chunkLength == 0 else {
        end(id, .invalidArgument, "a Chunk that aborts a payload carries no bytes")
        return nil
      }
      abort(assembly)
      return nil
    }
    guard chunkLength <= assembly.remaining else {
      end(
        id, .invalidArgument,
        "a chunk of \(chunkLength) bytes where \(assembly.remaining) of the payload's \(assembly.length) are left"
      )
      return nil
    }
    return assembly
  }

  private mutating func abort(_ assembly: PayloadAssembly) {
    let id = assembly.callID
    calls[existing: id].assembly = nil
    guard calls[existing: id].method.clientStreams else {
      end(id, .cancelled, "the client aborted the payload of its request")
      return
    }
    calls[existing: id].receiveCredit += 1
    if assembly.isLast { halfClose(id) }
  }

  package mutating func chunkEnded(_ assembly: PayloadAssembly) {
    // The call may have ended while its chunk was on its way.
    guard assembly.remaining == 0, calls.contains(assembly.callID),
      calls[existing: assembly.callID].assembly === assembly
    else { return }
    calls[existing: assembly.callID].assembly = nil
    deliver(assembly.finish(), on: assembly.callID, isLast: assembly.isLast)
  }

  private mutating func deliver(_ message: RawMessage, on id: UInt32, isLast: Bool) {
    guard calls[existing: id].method.clientStreams else {
      calls[existing: id].isHalfClosed = true
      return start(id, message)
    }
    actions.append(.message(id, message))
    if isLast { halfClose(id) }
  }

  private mutating func start(_ id: UInt32, _ request: RawMessage?) {
    guard !calls[existing: id].isStarted else { return }
    unstartedCalls -= 1
    runningHandlers += 1
    actions.append(.start(calls[existing: id].start(id, request)))
  }

  private mutating func halfClose(_ id: UInt32) {
    calls[existing: id].isHalfClosed = true
    actions.append(.endOfMessages(id))
  }

  /// How many calls have ended on this side while the payload of their answer still waits.
  private var untakenAnswers: Int { outbox.waitingCalls.count { !calls.contains($0) } }
}
