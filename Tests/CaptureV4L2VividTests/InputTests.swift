import CaptureModel
import Synchronization
import Testing

@testable import CaptureV4L2

extension VividTests {
  /// The single-planar camera has a webcam's input, one for HDMI and one for TV.
  @Suite struct Inputs {
    /// Vivid's menu of what is at an input.
    private enum Signal: Int64 { case current, none, noLock, outOfRange, selected }

    /// Runs `body` with the camera, and puts its inputs back.
    private func with(_ body: (any Camera, _ path: String) async throws -> Void) async throws {
      try await Cameras.with(singlePlanar) { camera in
        let path = camera.description.path
        func reset() async throws {
          await camera.stopStreaming()
          await camera.observeInput(nil)
          for (input, mode) in [(1, "dv_timings_signal_mode"), (2, "standard_signal_mode")] {
            try run("v4l2-ctl", "-d", path, "-i", "\(input)")
            try run("v4l2-ctl", "-d", path, "--set-ctrl", "\(mode)=0")
          }
          try run("v4l2-ctl", "-d", path, "-i", "1")
          try run("v4l2-ctl", "-d", path, "--set-dv-bt-timings", "index=\(Self.hdIndex)")
          try run("v4l2-ctl", "-d", path, "-i", "0")
        }
        do {
          try await body(camera, path)
        } catch {
          try await reset()
          throw error
        }
        try await reset()
      }
    }

    /// 1280x720 at 60 frames a second, as vivid begins, in its list of timings.
    private static let hdIndex = 7

    /// Chooses an input as a node does.
    private func select(_ name: String, of camera: any Camera) async throws -> CameraInput {
      let input = try await camera.inputs().find(name, of: "vivid")
      try await camera.selectInput(input.index)
      return try #require(try await camera.inputs().selected)
    }

    @Test func inputsAreListedAsV4L2ListsThem() async throws {
      try await with { camera, path in
        let inputs = try await camera.inputs()
        #expect(inputs.map(\.name) == ["Webcam 0", "HDMI 0", "TV 0"])
        #expect(inputs.map(\.kind) == [.camera, .camera, .tuner])
        #expect(inputs.map(\.isSelected) == [true, false, false])
        #expect(inputs.map(\.status) == [.ready, nil, nil])
        #expect(inputs.map(\.signal) == [nil, nil, nil])
        let hdmi = try await select("HDMI 0", of: camera)
        #expect(try run("v4l2-ctl", "-d", path, "-I").contains("1"))
        #expect(hdmi.status == .ready)
        #expect(hdmi.signal?.description == "1280x720 at 60 fps")
        #expect(hdmi.detected == hdmi.signal)
        let tv = try await select("tv 0", of: camera)
        #expect(tv.signal == .standard("PAL"))
        #expect(tv.detected == tv.signal)
      }
    }

    @Test func whatIsWrongWithASignalIsTold() async throws {
      try await with { camera, _ in
        _ = try await select("HDMI 0", of: camera)
        for (signal, status): (Signal, InputStatus) in [
          (.none, .noSignal), (.noLock, .unstable), (.outOfRange, .outOfRange), (.current, .ready),
        ] {
          try await camera.set(["dv_timings_signal_mode": .integer(signal.rawValue)])
          #expect(try await camera.selectedInput()?.status == status)
        }
        _ = try await select("TV 0", of: camera)
        try await camera.set(["standard_signal_mode": .integer(Signal.none.rawValue)])
        #expect(try await camera.selectedInput()?.status == .noSignal)
        try await camera.set(["standard_signal_mode": .integer(Signal.noLock.rawValue)])
        #expect(try await camera.selectedInput()?.status == .unstable)
      }
    }

    @Test(arguments: [false, true]) func aSourceThatChangesIsToldAndAdopted(streams: Bool) async throws {
      try await with { camera, path in
        _ = try await select("HDMI 0", of: camera)
        let told = Mutex<[InputChange]>([])
        await camera.observeInput { change in told.withLock { $0.append(change) } }
        let recorder = Recorder()
        if streams {
          let hd = StreamRequest(
            pixelFormat: .grey, size: FrameSize(width: 1280, height: 720), interval: nil)
          _ = try await camera.startStreaming(hd, into: recorder)
          try await recorder.frames(2)
        }
        try run("v4l2-ctl", "-d", path, "--set-ctrl", "dv_timings_signal_mode=4,dv_timings=4")
        try await wait(for: "the event") { told.withLock { $0.contains { $0.isOfSource } } }
        let change = try #require(told.withLock { $0.last })
        #expect(change.input?.signal?.description == "1280x720 at 60 fps")
        #expect(change.input?.detected?.description == "720x576 at 50 fps")
        if streams {
          let refusal = await #expect(throws: CaptureError.self) { try await camera.adoptSignal() }
          #expect(refusal?.code == .failedPrecondition)
          await camera.stopStreaming()
        }
        #expect(try await camera.adoptSignal())
        #expect(try await camera.adoptSignal() == false)
        let input = try await camera.selectedInput()
        #expect(input?.signal == input?.detected)
        let size = try await camera.formats().first?.sizes.first?.current
        #expect(size == FrameSize(width: 720, height: 576))
      }
    }

    @Test func whatAnotherProgramSetIsTold() async throws {
      try await with { camera, path in
        _ = try await select("HDMI 0", of: camera)
        let told = Mutex<[InputChange]>([])
        await camera.observeInput { change in told.withLock { $0.append(change) } }
        try run("v4l2-ctl", "-d", path, "-i", "2")
        try await wait(for: "the other input") { told.withLock { $0.last?.input?.name == "TV 0" } }
        #expect(try await camera.formats().first?.sizes.first?.current == FrameSize(width: 720, height: 576))
      }
    }

    @Test func aStandardIsAdopted() async throws {
      try await with { camera, path in
        _ = try await select("TV 0", of: camera)
        // NTSC-M, where PAL is set.
        try run("v4l2-ctl", "-d", path, "--set-ctrl", "standard_signal_mode=4,standard=0")
        #expect(try await camera.selectedInput()?.detected == .standard("NTSC"))
        #expect(try await camera.adoptSignal())
        #expect(try await camera.selectedInput()?.signal == .standard("NTSC"))
        try run("v4l2-ctl", "-d", path, "--set-standard", "pal")
      }
    }

    @Test func anEDIDIsWritten() async throws {
      try await with { camera, path in
        var edid = [UInt8](repeating: 0, count: 128)
        edid.replaceSubrange(0..<8, with: [0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0])
        edid[8] = 0x12
        edid[127] = 0 &- edid.reduce(0, &+)
        let before = try run("v4l2-ctl", "-d", path, "--get-edid=pad=1,format=raw").utf8.count
        try await camera.setEDID(edid)
        let written = try run("v4l2-ctl", "-d", path, "--get-edid=pad=1,format=hex")
        #expect(written.contains("00 ff ff ff ff ff ff 00 12 00"), "\(written), before \(before) bytes")
        await #expect(throws: CaptureError.self) { try await camera.setEDID([1, 2, 3]) }
      }
    }
  }
}
