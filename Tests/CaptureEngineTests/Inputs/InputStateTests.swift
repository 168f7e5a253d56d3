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
