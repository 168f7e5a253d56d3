import CaptureModel
import Testing

@testable import CaptureEngine

@Suite struct InputStateTests {
  static func hdmi(
    _ signal: InputSignal? = .hd, detected: InputSignal? = .hd, _ status: InputStatus = .ready
  ) -> CameraInput {
    CameraInput(
      index: 1, name: "HDMI 0", isSelected: true, status: status, signal: signal, detected: detected)
  }

  private func state(_ input: CameraInput) -> InputState {
    var state = InputState()
    #expect(state.handle(.set(input)).first == .forgetFormats)
    return state
  }

  @Test func aSourceOfAnotherSizeIsAdopted() {
    var state = state(Self.hdmi())
    let found = Self.hdmi(.hd, detected: .fullHD)
    #expect(state.handle(.changed(InputChange(found, isOfSource: true))) == [.adoptSignal])
  }

  @Test func whatAnotherProgramSetIsFollowedAndNotCorrected() {
    var state = state(Self.hdmi())
    let set = Self.hdmi(.fullHD, detected: .hd)
    #expect(state.handle(.changed(InputChange(set, isOfSource: false))) == [.forgetFormats, .restartStream])
    #expect(state.handle(.read(set)) == [])
  }

  @Test func aSignalThatGoesAndComesIsToldOnceEach() {
    var state = state(Self.hdmi())
    let gone = Self.hdmi(.hd, detected: nil, .noSignal)
    let change = InputChange(gone, isOfSource: true)
    #expect(state.handle(.changed(change)) == [.announce("the input 'HDMI 0' has no signal")])
    #expect(state.handle(.changed(change)) == [])
    let back = state.handle(.changed(InputChange(Self.hdmi(), isOfSource: true)))
    #expect(back == [.announceReturn("the input 'HDMI 0' has a signal again")])
  }

  @Test func aSourceThatComesBackAsAnotherIsAdoptedAndTold() {
    var state = state(Self.hdmi(.hd, detected: nil, .noSignal))
    let other = InputChange(Self.hdmi(.hd, detected: .fullHD), isOfSource: true)
    #expect(state.handle(.changed(other)).first == .adoptSignal)
  }

  /// A card that is set to `hd` while another source is at it, and whose driver is busy.
  private func refused() -> InputState {
    var state = state(Self.hdmi(.hd, detected: .fullHD))
    #expect(state.handle(.refused) == [.pause(.seconds(1)), .tellRefusal])
    return state
  }

  @Test func aBusyDriverIsToldOnceAndTriedAgainEverMoreRarelyAndNotForEver() {
    var state = refused()
    for pause in [2, 4, 8, 16, 32, 64, 128, 256, 512] {
      #expect(state.handle(.pauseEnded) == [.adoptSignal])
      #expect(state.handle(.refused) == [.pause(.seconds(pause))])
    }
    #expect(state.handle(.pauseEnded) == [.adoptSignal])
    #expect(state.handle(.refused) == [] && state.handle(.pauseEnded) == [])
    // A source that is plugged in again counts anew, and so does another signal.
    let same = Self.hdmi(.hd, detected: .fullHD)
    #expect(state.handle(.changed(InputChange(same, isOfSource: true))) == [.adoptSignal])
    #expect(state.handle(.refused) == [.pause(.seconds(1)), .tellRefusal])
    let other = Self.hdmi(.hd, detected: .standard("PAL"))
    #expect(state.handle(.changed(InputChange(other, isOfSource: true))) == [.adoptSignal])
    #expect(state.handle(.refused) == [.pause(.seconds(1)), .tellRefusal])
  }

  @Test func whatHasBecomeRightMeanwhileIsNotTriedAgain() {
    for input in [
      Self.hdmi(.fullHD, detected: .fullHD), Self.hdmi(), Self.hdmi(.standard("PAL"), detected: .fullHD),
    ] {
      var state = refused()
      _ = state.handle(.read(input))
      #expect(state.handle(.pauseEnded) == [], "\(input)")
    }
    var gone = refused()
    #expect(gone.handle(.vanished) == [] && gone.handle(.pauseEnded) == [])
  }

  @Test func aSignalThatIsLostInThePauseIsWaitedFor() {
    var state = refused()
    _ = state.handle(.read(Self.hdmi(.hd, detected: nil, .noSignal)))
    #expect(state.handle(.pauseEnded) == [.pause(.seconds(2))])
    _ = state.handle(.read(Self.hdmi(.hd, detected: .fullHD)))
    #expect(state.handle(.pauseEnded) == [.adoptSignal])
  }

  @Test func aSignalIsTheSameWhereverItsClockIsMeasured() {
    func signal(_ rate: Double, height: Int = 1080, isInterlaced: Bool = false) -> InputSignal {
      .timings(
        VideoTimings(
          size: FrameSize(width: 1920, height: height), interval: FrameInterval(rate: rate),
          isInterlaced: isInterlaced))
    }
    #expect(signal(60).isSame(as: signal(60.01)) && signal(59.99).isSame(as: signal(60)))
    #expect(!signal(60).isSame(as: signal(50)) && !signal(24).isSame(as: signal(25)))
    #expect(!signal(60).isSame(as: signal(60, height: 1200)))
    #expect(!signal(60).isSame(as: signal(60, isInterlaced: true)))
    #expect(InputSignal.standard("PAL").isSame(as: .standard("PAL")))
    #expect(InputSignal.standard("PAL").isSame(as: .standard("PAL or PAL-N or SECAM")))
    #expect(!InputSignal.standard("PAL-N or SECAM").isSame(as: .standard("PAL or NTSC")))
    #expect(
      !InputSignal.standard("PAL").isSame(as: .standard("NTSC")) && !signal(60).isSame(as: .standard("PAL")))
  }

  @Test func aFirstLookForgetsNothing() {
    var state = InputState()
    #expect(state.handle(.read(Self.hdmi())) == [])
    #expect(state.handle(.vanished) == [])
    #expect(state.current == nil)
  }
}

extension InputSignal {
  static let hd = InputSignal.timings(
    VideoTimings(size: FrameSize(width: 1280, height: 720), interval: FrameInterval(rate: 60)))
  static let fullHD = InputSignal.timings(
    VideoTimings(size: FrameSize(width: 1920, height: 1080), interval: FrameInterval(rate: 50)))
}
