import CaptureModel
import CaptureV4L2
import Synchronization
import Testing

/// Tests on the kernel's uvcvideo driver and a USB camera in user space (`Tests/Support/usb-camera/swift-tests`). One at a time: there is one camera.
@Suite(.serialized, .enabled(if: USBCamera.addresses != nil))
struct USBCameraTests {
  static let raw = StreamRequest(
    pixelFormat: .yuyv, size: FrameSize(width: 320, height: 240),
    interval: FrameInterval(numerator: 1, denominator: 15))

  @Test func isOneCameraWithAnIdentityOfPlaceModelAndSerialNumber() async throws {
    try await USBCamera.with { _, cameras in
      let description = try #require(cameras.all.first?.description)
      #expect(cameras.all.count == 1, "the metadata node is none")
      #expect(description.id == USBCamera.id)
      #expect(description.serial == "CAM0001")
      #expect(description.driver == "uvcvideo")
      #expect(description.model == "1209:0c4a")
    }
  }

  @Test(arguments: [(640, 480), (1280, 720), (1920, 1080)])
  func mjpegArrivesByteForByte(width: Int, height: Int) async throws {
    try await USBCamera.with { _, cameras in
      let camera = try #require(cameras[USBCamera.id])
      let recorder = Recorder(keeping: 3)
      let size = FrameSize(width: width, height: height)
      let format = try await camera.startStreaming(
        StreamRequest(pixelFormat: .mjpeg, size: size, interval: FrameInterval(rate: 30)), into: recorder)
      #expect(format.size == size)
      try await recorder.frames(5, within: .seconds(20))
      let verdicts = try recorder.record.verdicts()
      recorder.release()
      await camera.stopStreaming()
      #expect(verdicts.count == 3)
      #expect(verdicts.compactMap { Int($0) }.count == 3, "\(verdicts)")
    }
  }

  @Test func anAutomaticModeGoesOffBeforeItsValueIsSet() async throws {
    try await USBCamera.with { usb, cameras in
      let camera = try #require(cameras[USBCamera.id])
      let refusal = await #expect(throws: CaptureError.self) {
        try await camera.set(["focus_absolute": .integer(100)])
      }
      #expect(refusal?.code == .failedPrecondition)
      #expect(refusal?.message.contains("focus_automatic_continuous") == true, "\(refusal?.message ?? "")")
      let controls = try await camera.controls()
      let ids = ["focus_automatic_continuous", "focus_absolute"].map { name in
        controls.first { $0.name == name }!.id
      }
      try await camera.set([ControlAssignment(ids[0], .integer(0)), ControlAssignment(ids[1], .integer(100))])
      #expect(try usb("get focus_absolute") == "100")
      #expect(try await camera.value("focus_absolute") == .integer(100))
    }
  }

  @Test func aRefusalIsNamedAndSetsBackWhatWasSetBefore() async throws {
    try await USBCamera.with { usb, cameras in
      let camera = try #require(cameras[USBCamera.id])
      let controls = try await camera.controls()
      let ids = ["contrast", "brightness"].map { name in controls.first { $0.name == name }!.id }
      let codes: [(Int, CaptureError.Code)] = [
        (1, .failedPrecondition), (2, .failedPrecondition), (4, .outOfRange), (8, .invalidArgument),
      ]
      for (code, expected) in codes {
        try usb("refuse brightness \(code)")
        let error = await #expect(throws: CaptureError.self) {
          try await camera.set([
            ControlAssignment(ids[0], .integer(1)), ControlAssignment(ids[1], .integer(2)),
          ])
        }
        #expect(error?.code == expected, "UVC error \(code): \(error?.message ?? "")")
        #expect(error?.message.contains("brightness") == true)
        #expect(try usb("get contrast") == "128")
      }
    }
  }

  @Test func aSlowControlDoesNotHoldTheStreamUp() async throws {
    try await USBCamera.with { usb, cameras in
      let camera = try #require(cameras[USBCamera.id])
      let recorder = Recorder()
      _ = try await camera.startStreaming(Self.raw, into: recorder)
      try await recorder.frames(5)
      try usb("delay zoom_absolute 1")
      let before = recorder.record.frames
      let took = try await ContinuousClock().measure {
        try await camera.set(["zoom_absolute": .integer(200)])
      }
      let during = recorder.record.frames - before
      await camera.stopStreaming()
      #expect(took >= .seconds(1))
      #expect(Double(during) >= 0.8 * 15 * (took / .seconds(1)), "\(during) frames in \(took)")
      #expect(recorder.record.interruptions == [])
    }
  }

  @Test func tellsOfThePrivacyShutter() async throws {
    try await USBCamera.with { usb, cameras in
      let camera = try #require(cameras[USBCamera.id])
      let id = try #require(try await camera.controls().first { $0.name == "privacy" }?.id)
      let changes = Mutex<[ControlChange]>([])
      await camera.observeControls { change in changes.withLock { $0.append(change) } }
      try usb("set privacy 1")
      try await wait(for: "the change") {
        changes.withLock { $0.contains { $0.id == id && $0.value == .integer(1) } }
      }
      await camera.observeControls(nil)
    }
  }

  @Test func aHaltedEndpointRestartsTheStream() async throws {
    try await restart { try $0("halt") }
  }

  @Test func aSilentStreamIsRestartedUntilItGivesFrames() async throws {
    try await restart { usb in
      try usb("stall")
      try await wait(.seconds(10), for: "a restart") { try usb("status").contains(#""streaming": null"#) }
      try usb("resume")
    }
  }

  private func restart(after fault: (USBCamera) async throws -> Void) async throws {
    try await USBCamera.with { usb, cameras in
      let camera = try #require(cameras[USBCamera.id])
      let recorder = Recorder()
      _ = try await camera.startStreaming(Self.raw, into: recorder)
      try await recorder.frames(5)
      let descriptors = try openDescriptors()
      try await fault(usb)
      try await wait(.seconds(10), for: "frames again") { !recorder.record.resumed.isEmpty }
      try await recorder.frames(5)
      #expect(recorder.record.interruptions.count == 1)
      #expect(camera.counters.restarts >= 1)
      #expect(try openDescriptors() == descriptors)
      await camera.stopStreaming()
    }
  }

  @Test func unpluggedInMidStreamItComesBackAsItself() async throws {
    try await USBCamera.with { usb, cameras in
      let descriptors = try openDescriptors()
      for _ in 0..<5 {
        let camera = try #require(cameras[USBCamera.id])
        await camera.observeControls { _ in }
        let recorder = Recorder()
        _ = try await camera.startStreaming(Self.raw, into: recorder)
        try await recorder.frames(3)
        try usb("unplug")
        try await wait(.seconds(2), for: "the end of the stream") { recorder.record.ended != nil }
        #expect(recorder.record.ended?.code == .unavailable)
        try await wait(for: "the camera to vanish") { cameras[USBCamera.id] == nil }
        try usb("plug")
        try usb("wait attached")
        try await wait(.seconds(2), for: "the camera's return") { cameras[USBCamera.id] != nil }
        try await wait(for: "as many descriptors as before") { try openDescriptors() == descriptors }
      }
    }
  }

  @Test func underAnotherNumberItIsStillItself() async throws {
    try await USBCamera.with { usb, cameras in
      let camera = try #require(cameras[USBCamera.id])
      let other = try Holder(of: camera.description.path)
      try usb("unplug")
      try await wait(for: "the camera to vanish") { cameras[USBCamera.id] == nil }
      try usb("plug")
      try await wait(.seconds(20), for: "the camera's return") { cameras[USBCamera.id] != nil }
      let returned = try #require(cameras[USBCamera.id])
      #expect(returned.description.path != camera.description.path)
      let recorder = Recorder()
      _ = try await returned.startStreaming(Self.raw, into: recorder)
      try await recorder.frames(2)
      await returned.stopStreaming()
      other.close()
    }
  }
}
