import CaptureControls
import CaptureModel
import CaptureSystem
import Glibc
import Testing

@testable import CaptureV4L2

struct ControlFailureTests {
  private func setting(_ control: ControlDescription, _ value: Int64, _ error: Int32) -> CaptureError {
    ControlFailure(path: "/dev/video0", control: control).setting(.integer(value), Errno(rawValue: error))
  }

  private let focus = ControlDescription(
    id: .focusAbsolute, name: "focus_absolute", label: "Focus, Absolute", type: .integer,
    minimum: 0, maximum: 250, step: 5, flags: [.inactive])

  @Test(arguments: [EACCES, EILSEQ])
  func whatAnAutomaticModeHoldsNamesTheMode(error: Int32) {
    let refusal = setting(focus, 10, error)
    #expect(refusal.code == .failedPrecondition)
    #expect(refusal.message.contains("'focus_absolute' of /dev/video0"))
    #expect(refusal.message.contains("'focus_automatic_continuous' has taken it over; switch that off first"))
    #expect(refusal.details == .init(.controlInactive, field: "focus_absolute"))
  }

  @Test func aValueOutOfRangeNamesTheRange() {
    let refusal = setting(focus, 999, ERANGE)
    #expect(refusal.code == .outOfRange)
    #expect(refusal.message.hasSuffix("cannot be 999: it is from 0 to 250 in steps of 5"))
    let details = refusal.details
    #expect(details?.reason == .valueOutOfRange && details?.asked == "999" && details?.range == .init(0, 250))
  }

  @Test func aHoleInAMenuNamesTheItems() {
    let exposure = ControlDescription(
      id: .autoExposure, name: "auto_exposure", label: "Auto Exposure", type: .menu,
      maximum: 3,
      menu: [
        .init(index: 1, content: .name("Manual Mode")),
        .init(index: 3, content: .name("Aperture Priority Mode")),
      ])
    let refusal = setting(exposure, 2, EINVAL)
    #expect(refusal.code == .invalidArgument)
    #expect(
      refusal.message.hasSuffix("cannot be 2: it is one of 1 (Manual Mode), 3 (Aperture Priority Mode)"))
    #expect(refusal.details?.reason == .valueNotPossible && refusal.details?.possible == ["1", "3"])
  }

  /// To find the programs that use the camera, all processes are looked at, and a control may refuse each reading.
  @Test func aReadingThatTheCameraIsNotReadyForNamesNoProgram() {
    let refusal = ControlFailure(path: "/dev/video0", control: focus).reading(.busy)
    #expect(refusal.code == .failedPrecondition && refusal.cause == .busy)
    #expect(refusal.message.contains("says that it is not ready"))
    #expect(refusal.details == .init(.cameraBusy, field: "focus_absolute"))
  }

  @Test(arguments: [
    (EBUSY, CaptureError.Code.failedPrecondition), (ENODEV, .unavailable), (EIO, .unavailable),
  ])
  func otherFailuresSayWhetherTryingAgainMayHelp(error: Int32, code: CaptureError.Code) {
    #expect(setting(focus, 10, error).code == code)
    #expect(setting(focus, 10, error).cause == Errno(rawValue: error))
    let reasons: [Int32: CaptureError.Reason] = [
      EBUSY: .cameraBusy, ENODEV: .cameraUnplugged, EIO: .driverFailed,
    ]
    #expect(setting(focus, 10, error).details?.reason == reasons[error])
  }
}
