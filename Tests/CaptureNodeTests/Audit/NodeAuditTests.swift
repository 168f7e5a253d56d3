import CaptureModel
import CaptureWire
import Dispatch
import Synchronization
import Testing

@testable import CaptureNode

@Suite struct NodeAuditTests {
  private func call(_ number: Int) -> AuditedCall {
    AuditedCall(
      CallContext(method: SettingsMethods.set, peer: "unix", connectionID: 1, caller: .unknown),
      [CameraID(rawValue: "usb-\(number)")], outcome: "OK")
  }

  @Test func allIsWrittenWhenTheNodeHasEnded() {
    let lines = Mutex<[String]>([])
    let audit = NodeAudit(.all) { line in lines.withLock { $0.append(line) } }
    for _ in 0..<1_000 { audit.note(call(0)) }
    audit.end()
    let text = "by=unknown from=unix call=Settings/Set camera=usb-0 outcome=OK"
    #expect(lines.withLock { $0 } == [text, "\(text) count=999"])
  }

  /// Where the log takes nothing, calls go on, and what could not be written is counted.
  @Test func noCallWaitsForALogThatIsStuck() {
    let log = StuckLog()
    let audit = NodeAudit(.all, write: log.write)
    for number in 0..<AuditTrail.mostKinds + 500 { audit.note(call(number)) }
    #expect(log.lines.isEmpty)
    log.goOn()
    audit.end()
    let written = log.lines
    #expect(written.count <= AuditTrail.mostKinds + 1)
    let others = written.last.flatMap { Int($0.prefix { $0.isNumber }) }
    // A line for a call, and one that counts the others.
    #expect(others == AuditTrail.mostKinds + 500 - (written.count - 1))
  }

  @Test(.timeLimit(.minutes(1))) func soManyLinesWaitForTheLogAndNoMore() async {
    let log = StuckLog()
    let audit = NodeAudit(.all, write: log.write)
    for number in 0..<AuditTrail.mostKinds { audit.note(call(number)) }
    let waiting = audit.waitingLines
    let others = AuditTrail.mostKinds - waiting
    #expect(waiting >= AuditTrail.burst)
    // Its end has a line for each of the others, which are more than have room.
    DispatchQueue.global().async { audit.end() }
    await eventually("the others are told of") { audit.waitingLines > waiting }
    #expect(audit.waitingLines <= NodeLimit.auditLines.usual)
    log.goOn()
    await eventually("all is written") { audit.waitingLines == 0 }
    let told = "\(others) calls more, of too many kinds to tell them apart"
    #expect(log.lines.count == waiting + 1 && log.lines.last == told)
  }
}

/// A log that takes nothing until it goes on.
private final class StuckLog: Sendable {
  private let written = Mutex<[String]>([])
  private let gate = DispatchSemaphore(value: 0)

  var lines: [String] { written.withLock { $0 } }

  func write(_ line: String) {
    gate.wait()
    gate.signal()
    written.withLock { $0.append(line) }
  }

  func goOn() { gate.signal() }
}
