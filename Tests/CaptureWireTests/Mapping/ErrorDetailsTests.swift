import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureWire

struct ErrorDetailsTests {
  private static let full = CaptureError.Details(
    .valueOutOfRange, field: "change.exposure.duration", asked: .number(7), possible: ["a", "b"], leftOut: 3,
    range: .init(0.1, 2, step: 0.5), limit: "sessions", bound: 64, holder: "studio-a",
    remaining: .milliseconds(1500), device: "usb-1")

  private func travelled(_ details: CaptureError.Details) -> CaptureError.Details? {
    RPCError(CaptureError(.invalidArgument, "no", details)).details
  }

  @Test func detailsTravelWhole() {
    #expect(travelled(Self.full) == Self.full)
    var other = CaptureError.Details(.unknownName, asked: "x")
    #expect(travelled(other) == other)
    other = CaptureError.Details(.leaseHeld, remaining: .zero)
    #expect(travelled(other) == other)
    #expect(CaptureError.Reason.allCases.allSatisfy { travelled(.init($0))?.reason == $0 })
  }

  @Test func anErrorWithoutDetailsHasNoMetadata() {
    let error = RPCError(CaptureError(.internal, "oops"))
    #expect(error.metadata.isEmpty && error.details == nil)
    #expect(RPCError(CaptureError(.dataLoss, "torn")).details == .init(.damagedPicture))
  }

  @Test func eachReasonHasTheWiresNumberAndName() {
    for reason in CaptureError.Reason.allCases {
      let wire = String(describing: ErrorReason(rawValue: reason.rawValue))
      #expect(!wire.isEmpty)
    }
    #expect(CaptureError.Reason.valueOutOfRange.name == "VALUE_OUT_OF_RANGE")
    #expect(ErrorReason.diskFull.rawValue == CaptureError.Reason.diskFull.rawValue)
  }

  @Test func metadataThatIsMalformedIsPassedOver() {
    for bytes: [UInt8] in [[0xFF], [0x0A, 0x05, 0x41], [0x12, 0x02, 0xC3, 0x28], [0x12, 0x01, 0x00]] {
      let error = RPCError(.notFound, "x", metadata: [CallMetadata(key: CallMetadata.errorKey, value: bytes)])
      #expect(error.details == nil, "\(bytes)")
      #expect(error.code == .notFound)
    }
    let other = RPCError(.notFound, "x", metadata: [CallMetadata(key: "other-bin", value: [8, 1])])
    #expect(other.details == nil)
  }

  @Test func aReasonOfNewerNodesIsUnspecified() {
    let bytes = ErrorDetails(reason: ErrorReason(rawValue: 4_000), field: "f").encoded()
    let error = RPCError(.notFound, "x", metadata: [CallMetadata(key: CallMetadata.errorKey, value: bytes)])
    #expect(error.details == CaptureError.Details(.unspecified, field: "f"))
  }

  @Test func longTextsAndListsAreCut() throws {
    let long = String(repeating: "\u{10FFFF}", count: 50_000)
    var details = Self.full
    details.possible = (0..<500).map { "name-\($0)" }
    (details.field, details.limit, details.holder, details.device) = (long, long, long, long)
    details.asked = .text(long)
    let some = try #require(travelled(details))
    #expect(some.possible == (0..<32).map { "name-\($0)" } && some.leftOut == 468 + 3)
    details.possible = Array(repeating: long, count: 500)
    let message = ErrorDetails(details)
    #expect(message.encoded().count < 16_384)
    #expect(Int(message.possibleLeftOut) == 503 - message.possible.count && !message.possible.isEmpty)
    #expect(message.holder.contains("… (200000 bytes)"))
  }

  @Test func hiddenCharactersAreWrittenOut() {
    let details = travelled(
      .init(.unknownName, asked: "a\u{1B}[2J", possible: ["b\u{202E}\n"], holder: "c\0"))
    #expect(details?.asked == .text("a\\u{1B}[2J"))
    #expect(details?.possible == ["b\\u{202E}\\n"] && details?.holder == "c\\u{0}")
  }

  @Test func aPrefixedErrorKeepsItsDetails() {
    let error = CaptureError(.notFound, "no", Self.full).prefixed("then").about(
      device: CameraID(rawValue: "x"), field: "y")
    #expect(error.details == Self.full && error.message == "then: no")
    let bare = CaptureError(.notFound, "no", .init(.unknownName)).about(
      device: CameraID(rawValue: "x"), field: "y")
    #expect(bare.details?.device == "x" && bare.details?.field == "y")
    #expect(CaptureError(.notFound, "no").about(device: CameraID(rawValue: "x")).details == nil)
  }

  @Test func anErrorWithAnotherMessageIsOtherwiseTheSame() {
    var error = CaptureError(.unavailable, "no", cause: Errno.inputOutput, Self.full)
    error.unrestored = [ControlAssignment(ControlID(rawValue: 1), .integer(2))]
    let prefixed = error.prefixed("then")
    error.message = "then: no"
    #expect(prefixed == error)
  }
}
