import CaptureSystem
import Glibc

/// What a connection has to write, in this order: the rest of a packet that was begun, then packets without payload, then the payloads of calls, one
/// chunk of each in turn. Only headers are copied.
///
/// The packets of a call keep their order: a packet that follows a payload of the same call waits behind it in the call's lane.
package struct Outbox: ~Copyable {
  fileprivate struct Partial {
    var header: [UInt8]
    var payload: Payload?
    var offset: Int
    var count: Int
    var call: UInt32
    /// Whether the payload is a copy of the chunk.
    var isCopied = false
    var total: Int { header.count + count }
  }

  private var control: [UInt8] = []
  private var controlHead = 0
  private var partial: Partial?
  /// The lanes of calls with something to send, in the order in which they are served.
  private var lanes: [Lane] = []
  /// The calls from whose lane a message was sent whole since the connection last looked.
  package var progressed: [UInt32] = []
  /// How many bytes were written in all.
  package private(set) var bytesWritten: UInt64 = 0
  /// The peer's limits.
  package var peer: PacketLimits

  /// A lane accepts another message while it holds fewer payload bytes than this.
  package static let laneTarget = 262_144
  /// While so many bytes of packets without payload wait, no call has room for another message.
  package static let controlTarget = 65_536

  package init(peer: PacketLimits) { self.peer = peer }

  package var isEmpty: Bool { partial == nil && controlCount == 0 && lanes.isEmpty }
  /// The calls of which something waits.
  var waitingCalls: some Sequence<UInt32> { lanes.lazy.map(\.call) }
  /// How many bytes of packets without payload wait.
  package var controlCount: Int { control.count - controlHead }
  /// How many bytes go out before a packet without payload that is sent now.
  var ahead: Int { (partial?.total ?? 0) + controlCount }
  /// How much memory the packets without payload take, including bytes that were written and not yet freed.
  var controlMemory: Int { control.count }

  /// Sends a packet before all payloads: one of the connection, or one whose place in its call does not matter.
  package mutating func send(_ envelope: Envelope) {
    PacketEncoder.append(envelope, to: &control)
  }

  /// Sends text, to a peer that speaks another protocol.
  mutating func send(line: String) {
    control.append(contentsOf: line.utf8)
  }

  /// Sends a packet after what its call already has in its lane.
  package mutating func sendInOrder(_ envelope: Envelope) {
    guard lane(of: envelope.callID) != nil else { return send(envelope) }
    append(OutgoingMessage(call: envelope.callID, packet: PacketEncoder.header(envelope)))
  }

  /// Adds a message with a payload to its call's lane. `body`: the message, encoded; calls that send the same one share it.
  package mutating func send(
    _ call: UInt32, body: [UInt8], payload: Payload, reportedDiscards: UInt64? = nil
  ) {
    var opening = OutgoingMessage.Opening.message(body: body)
    if MessageEnvelope.size(call, body: body.count, payloadLength: payload.count) > WriteBatch.headerRoom {
      sendInOrder(
        Envelope(callID: call, kind: .message(Message(body: body, payloadLength: UInt64(payload.count)))))
      opening = .sent
    }
    append(OutgoingMessage(call: call, opening, payload: payload, reportedDiscards: reportedDiscards))
  }

  /// Adds a packet with a payload behind it to its call's lane.
  package mutating func send(_ envelope: Envelope, payload: Payload) {
    let encoded = envelope.encoded()
    var opening = OutgoingMessage.Opening.envelope(encoded)
    if encoded.count > WriteBatch.headerRoom {
      // The envelope is too long for a batch's scratch memory. It becomes a packet of its own, and the payload follows in chunks.
      sendInOrder(envelope)
      opening = .sent
    }
    append(OutgoingMessage(call: envelope.callID, opening, payload: payload))
  }

  private mutating func append(_ message: OutgoingMessage) {
    if let lane = lane(of: message.call) {
      lanes[lane].append(message)
    } else {
      lanes.append(Lane(message))
    }
  }

  private func lane(of call: UInt32) -> Int? { lanes.firstIndex { $0.call == call } }

  private func head(of call: UInt32) -> OutgoingMessage? { lane(of: call).map { lanes[$0].first } }

  /// Whether this call has nothing that waits.
  package func isIdle(_ call: UInt32) -> Bool { lane(of: call) == nil }

  /// Whether this call may add another message now.
  package func hasRoom(_ call: UInt32) -> Bool {
    guard controlCount < Self.controlTarget else { return false }
    guard let lane = lane(of: call) else { return true }
    return lanes[lane].uncommitted < Self.laneTarget
  }

  // MARK: Taking back

  /// A message at the head of a lane that a newer one may replace.
  package struct Frame {
    package var isBegun: Bool
    /// The bytes of its payload.
    package var length: Int
    /// How many bytes could still be saved: those that are in no packet that was begun.
    package var remaining: Int
    package var reportedDiscards: UInt64
  }

  /// The frame that this call is sending; `nil`: it sends none.
  package func frame(of call: UInt32) -> Frame? {
    guard let message = head(of: call), let discards = message.reportedDiscards else { return nil }
    return Frame(
      isBegun: message.isBegun, length: message.length, remaining: message.length - message.committed,
      reportedDiscards: discards)
  }

  /// Withdraws or aborts the frame at the head of the lane. Returns `false` where its last chunk was begun, so that it will arrive.
  package mutating func abortFrame(of call: UInt32) -> Bool {
    guard let lane = lane(of: call) else { return false }
    let message = lanes[lane].first
    guard message.reportedDiscards != nil, !message.isCommittedWhole else { return false }
    if message.isBegun {
      let abort = Envelope(callID: call, kind: .chunk(Chunk(abort: true)))
      lanes[lane].first = OutgoingMessage(call: call, packet: PacketEncoder.header(abort))
    } else {
      removeHead(lane)
    }
    return true
  }

  /// Lets go of the payload of this call's packet in flight. It copies the rest of the packet's chunk.
  package mutating func releasePartial(of call: UInt32) {
    guard var rest = partial, let payload = rest.payload, rest.count > 0, rest.call == call, !rest.isCopied
    else { return }
    rest.payload = payload.copy(offset: rest.offset, count: rest.count)
    rest.isCopied = true
    rest.offset = 0
    // The whole struct is assigned: an assignment through the optional would leak its old contents, in a struct that is not copied (Swift 6.3).
    partial = rest
  }

  /// Copies the frames of a call whose handler has returned. They may wait for as long as the client likes, and the camera's buffers must not wait
  /// with them.
  mutating func release(_ call: UInt32) {
    releasePartial(of: call)
    guard let lane = lane(of: call) else { return }
    lanes[lane].forEach { message in if message.reportedDiscards != nil { message.copyPayload() } }
  }

  /// Drops what waits of a call that has ended. A packet that was begun is still finished.
  package mutating func drop(_ call: UInt32) {
    releasePartial(of: call)
    if let lane = lane(of: call) { lanes.remove(at: lane) }
  }

  /// Drops everything except a packet that was begun.
  package mutating func dropAll() {
    if let partial { releasePartial(of: partial.call) }
    lanes.removeAll()
  }

  /// Drops everything; nothing will be written any more.
  package mutating func clear() {
    partial = nil
    control = []
    controlHead = 0
    dropAll()
  }

  private mutating func removeHead(_ lane: Int) {
    if !lanes[lane].removeFirst() { lanes.remove(at: lane) }
  }

  // MARK: Writing

  /// How many bytes one write took.
  package struct Written {
    package var count: Int
    /// Whether the write took all bytes that it was offered.
    package var isWhole: Bool
  }

  /// Gathers what is sent next and lets `body` write it; `body` returns how many bytes it wrote.
  package mutating func write(
    _ batch: inout WriteBatch, _ body: (UnsafeBufferPointer<iovec>) throws(Errno) -> Int
  ) throws(Errno) -> Written {
    batch.reset()
    let result = (partial?.header ?? []).withUnsafeBytes { head in
      control.withUnsafeBytes { control -> Result<Int, Errno> in
        batch.append(head)
        if let partial, let payload = partial.payload {
          batch.append(payload, offset: partial.offset, count: partial.count)
        }
        batch.append(UnsafeRawBufferPointer(rebasing: control[controlHead...]))
        planPayloads(&batch)
        do throws(Errno) {
          return .success(try body(batch.pieces))
        } catch {
          return .failure(error)
        }
      }
    }
    let offered = batch.byteCount
    switch result {
    case .success(let written):
      commit(written, &batch)
      return Written(count: written, isWhole: written == offered)
    case .failure(let error):
      commit(0, &batch)
      throw error
    }
  }

  private func planPayloads(_ batch: inout WriteBatch) {
    var hasPlanned = true
    while hasPlanned {
      hasPlanned = false
      for lane in lanes {
        guard let message = lane.nextToPlan else { continue }
        guard batch.plan(message, chunkLimit: peer.chunk) else { return }
        hasPlanned = true
      }
    }
  }

  private mutating func commit(_ written: Int, _ batch: inout WriteBatch) {
    bytesWritten += UInt64(written)
    var left = written
    if let current = partial {
      let taken = min(left, current.total)
      left -= taken
      partial = taken == current.total ? nil : current.dropping(taken)
    }
    let taken = min(left, controlCount)
    left -= taken
    controlHead += taken
    if controlHead == control.count {
      // The memory of a burst is freed.
      control.removeAll(keepingCapacity: control.capacity <= 4 * Self.controlTarget)
      controlHead = 0
    } else if controlHead >= Self.controlTarget {
      // Written bytes are freed also for a peer that sends new requests before it has taken all answers.
      control.removeSubrange(..<controlHead)
      controlHead = 0
    }
    for packet in batch.packets {
      let message = packet.message
      guard left > 0 else {
        message.forgetPlan()
        continue
      }
      message.begin(upTo: packet.offset + packet.count)
      if left < packet.size { begin(packet, batch, written: left) }
      left -= min(left, packet.size)
      if message.isCommittedWhole { finish(message) }
    }
    // The batch is shared and outlives this write, so it must not keep payloads.
    batch.reset()
    if lanes.count > 1 { lanes.append(lanes.removeFirst()) }
  }

  private mutating func begin(_ packet: WriteBatch.Packet, _ batch: borrowing WriteBatch, written: Int) {
    partial = Partial(
      header: [UInt8](batch.headerBytes(packet.header)), payload: packet.message.payload,
      offset: packet.offset, count: packet.count, call: packet.message.call
    ).dropping(written)
  }

  private mutating func finish(_ message: OutgoingMessage) {
    guard let lane = lane(of: message.call), lanes[lane].first === message else { return }
    removeHead(lane)
    progressed.append(message.call)
  }
}

extension Outbox.Partial {
  fileprivate func dropping(_ count: Int) -> Self {
    var rest = self
    let ofHeader = min(count, header.count)
    rest.header.removeFirst(ofHeader)
    rest.offset += count - ofHeader
    rest.count -= count - ofHeader
    return rest
  }
}
