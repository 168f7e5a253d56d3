import CaptureModel
import CaptureWire
import Testing

/// How a request says of when its photo is to be.
@Suite struct PhotoTimeTests {
  private static func time(_ when: When?) -> Result<PhotoTime, CaptureError> {
    let request = CapturePhotoRequest(device: "0", settings: PhotoSettings(when: when))
    return Result { () throws(CaptureError) in try request.photoTime(bootID: "here") }
  }

  private static func field(_ when: When) -> String? {
    guard case .failure(let error) = time(when), error.code == .invalidArgument else { return nil }
    return error.details?.field
  }

  @Test func whatIsTrueIsLeftOutOrTrue() throws {
    #expect(try Self.time(nil).get() == .next)
    #expect(try Self.time(When(kind: .next(true))).get() == .next)
    #expect(try Self.time(When(kind: .now(true))).get() == .now)
    #expect(Self.field(When(kind: .next(false))) == "settings.when.next")
    #expect(Self.field(When(kind: .now(false))) == "settings.when.now")
  }

  @Test func aBootBelongsToATimeOfTheNodesClock() throws {
    #expect(try Self.time(When(kind: .nodeNs(7), bootID: "here")).get() == .node(7, bootID: "here"))
    #expect(Self.field(When(kind: .nodeNs(7))) == "settings.when.boot_id")
    #expect(Self.field(When(kind: .utcNs(7), bootID: "here")) == "settings.when.boot_id")
    #expect(Self.field(When(bootID: "here")) == "settings.when.boot_id")
    guard case .failure(let error) = Self.time(When(kind: .nodeNs(7), bootID: "there")) else {
      Issue.record("another boot's time is taken")
      return
    }
    #expect(error.code == .failedPrecondition && error.details?.possible == ["here"])
  }

  @Test(arguments: [PhotoTime.ago(.seconds(600 * 365 * 86400)), .ago(.seconds(Int64.max))])
  func aTimeThatNoMomentHasIsRefusedWithWhatIsPossible(time: PhotoTime) throws {
    guard case .failure(let error) = Self.time(When(time)) else {
      Issue.record("a time before all time is taken")
      return
    }
    #expect(error.code == .invalidArgument && error.details?.field == "settings.when.ago_ns")
    #expect(error.details?.range == .init(0, Double(Int64.max)), "\(error)")
    #expect(
      error.message
        == "a moment 584 years ago is not possible; the node keeps the frames of a stream's last seconds")
    #expect(try Self.time(When(.ago(.seconds(200 * 365 * 86400)))).get() == .ago(.seconds(200 * 365 * 86400)))
  }
}
