import CaptureModel
import CaptureWire
import Testing

@testable import CaptureNode

@Suite struct AuditTrailTests {
  private static let second: UInt64 = 1_000_000_000

  private func call(_ camera: String = "usb-1", outcome: String = "OK") -> AuditedCall {
    AuditedCall(
      CallContext(method: SettingsMethods.set, peer: "192.0.2.7:53211", connectionID: 3, caller: .laptop),
      [CameraID(rawValue: camera)], outcome: outcome)
  }

  @Test func theFirstOfAKindIsWrittenAtOnceAndTheOthersTogether() {
    var trail = AuditTrail()
    #expect(trail.note(call(), at: 5) == [.init(call: call(), count: 1)])
    for time in 6...9 as ClosedRange<UInt64> { #expect(trail.note(call(), at: time).isEmpty) }
    #expect(trail.note(call(outcome: "ABORTED"), at: 10) == [.init(call: call(outcome: "ABORTED"), count: 1)])
    #expect(trail.due == 5 + AuditTrail.window)
    #expect(trail.flush(at: 4 + AuditTrail.window).isEmpty)
    #expect(trail.flush(at: 5 + AuditTrail.window) == [.init(call: call(), count: 4)])
    // Then it is a first one again.
    #expect(trail.note(call(), at: 6 + AuditTrail.window) == [.init(call: call(), count: 1)])
  }

  @Test func whatIsCountedIsWrittenAtTheEnd() {
    var trail = AuditTrail()
    for time in 1...3 as ClosedRange<UInt64> { _ = trail.note(call(), at: time) }
    #expect(trail.end() == [.init(call: call(), count: 2)])
    #expect(trail.due == nil)
    #expect(trail.end().isEmpty)
  }

  /// Whoever makes calls of ever new kinds neither fills the log nor the node's memory, and every one of them is accounted for.
  @Test func aFloodOfKindsIsBoundedAndCounted() {
    var trail = AuditTrail()
    let most = AuditTrail.mostKinds
    var lines: [AuditTrail.Line] = []
    for number in 0..<most * 3 { lines += trail.note(call("usb-\(number)"), at: Self.second) }
    #expect(lines.count == AuditTrail.burst)
    var (time, others) = (Self.second, trail.takeOthers())
    #expect(others == most * 2)
    #expect(trail.takeOthers() == 0)
    while let due = trail.due {
      #expect(due > time)
      let written = trail.flush(at: due)
      #expect(written.count <= AuditTrail.burst)
      lines += written
      (time, others) = (due, others + trail.takeOthers())
    }
    #expect(lines.count == most)
    #expect(lines.allSatisfy { $0.count == 1 })
    #expect(Set(lines.map(\.call)).count == most)
    // 10 s of the window, and then 50 lines a second.
    #expect(time < 40 * Self.second)
  }

  @Test func aClocksFirstReadingMayBeSmall() {
    var trail = AuditTrail()
    #expect(trail.note(call(), at: 0).count == 1)
    #expect(trail.note(call("usb-2"), at: 0).count == 1)
  }

  @Test func aLineHasOneWordEachAndNothingThatOthersCanForge() {
    #expect(call().text == "by=client:laptop from=192.0.2.7 call=Settings/Set camera=usb-1 outcome=OK")
    #expect(
      call("a b\n<3>by=user:0 \"\u{202E}").text
        == #"by=client:laptop from=192.0.2.7 call=Settings/Set camera="a b\\n<3>by=user:0 \"\\u{202E}" outcome=OK"#
    )
    #expect(call("").text.contains(#" camera="" "#))
    #expect(call(String(repeating: "x", count: 60_000)).text.utf8.count < 300)
    let many = AuditedCall(
      CallContext(
        method: SessionsMethods.start, peer: "unix", connectionID: 1,
        caller: Caller(.user(0), name: "root", role: .admin)),
      (0..<80).map { CameraID(rawValue: "usb-\($0)") }, outcome: "OK")
    #expect(many.text.hasPrefix("by=user:0 from=unix call=Sessions/Start camera=usb-0 camera=usb-1 "))
    #expect(many.text.hasSuffix(" camera=usb-15 cameras=80 outcome=OK"))
  }

  @Test(arguments: [
    ("127.0.0.1:53211", "127.0.0.1"), ("[fe80::1]:53211", "[fe80::1]"), ("[::1]", "[::1]"), ("unix", "unix"),
  ])
  func theOriginHasNoPort(peer: String, origin: String) {
    let context = CallContext(method: SettingsMethods.set, peer: peer, connectionID: 3, caller: .unknown)
    #expect(AuditedCall(context, [], outcome: "OK").origin == origin)
  }
}

extension Caller {
  fileprivate static let laptop = Caller(.client, name: "laptop", role: .control)
}
