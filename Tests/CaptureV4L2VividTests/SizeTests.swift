import CaptureControls
import CaptureModel
import CaptureV4L2
import Testing

extension VividTests {
  /// vivid's HDMI input takes any size up to 16384x8640.
  @Suite struct Sizes {
    @Test func aPhotoFromAnHDMIInputHasTheSizeThatTheDriverIsSetTo() async throws {
      try await HDMI.with { camera in
        let path = camera.description.path
        let witness = try run("v4l2-ctl", "-d", path, "--get-fmt-video")
        let formats = try await camera.formats()
        let yuyv = try #require(formats.first { $0.pixelFormat == .yuyv })
        let option = try #require(yuyv.sizes.first)
        #expect(!option.isDiscrete && option.maximum.area > 100_000_000, "\(option)")
        let current = try #require(option.current)
        #expect(witness.contains("Width/Height      : \(current.width)/\(current.height)"), "\(witness)")

        let choice = FormatChoice(camera: "cam", formats: formats, isEncodable: { $0 == .yuyv })
        let photo = try choice.choose(VideoRequest(), for: .photo)
        #expect(photo.size == current)
        let recorder = Recorder()
        _ = try await camera.startStreaming(photo, into: recorder)
        try await recorder.frames(1)
        // What the driver is set to now does not count.
        await camera.stopStreaming()
        let small = StreamRequest(pixelFormat: .yuyv, size: FrameSize(width: 640, height: 360))
        _ = try await camera.startStreaming(small, into: recorder)
        await camera.stopStreaming()
        let again = try await camera.formats()
        #expect(again.first { $0.pixelFormat == .yuyv }?.sizes.first?.current == current)
      }
    }

    @Test func whatNoMemoryHoldsIsRefusedAndTheDriverStaysAsItWas() async throws {
      try await HDMI.with { camera in
        let path = camera.description.path
        let before = try run("v4l2-ctl", "-d", path, "--get-fmt-video")
        let request = StreamRequest(pixelFormat: .yuyv, size: FrameSize(width: 16384, height: 8640))
        let error = await #expect(throws: CaptureError.self) {
          try await camera.startStreaming(request, into: Recorder())
        }
        #expect(error?.code == .resourceExhausted)
        #expect(
          error?.message.contains("takes 2 buffers of 283 MB at least, and a camera's may take 256 MB")
            == true,
          "\(error?.message ?? "")")
        #expect(error?.message.contains("limits.bufferBytesPerCamera") == true)
        #expect(try run("v4l2-ctl", "-d", path, "--get-fmt-video") == before)
      }
    }

    @Test func thereAreFewerBuffersBeforeAStreamIsRefused() async throws {
      let bytes = small.width * small.height * 2
      let cameras = await Cameras(bufferLimit: bytes * 3)
      do {
        try await wait(for: "the camera") { cameras[singlePlanar] != nil }
        let recorder = Recorder()
        let camera = cameras[singlePlanar]!
        _ = try await camera.startStreaming(smallYUYV, into: recorder)
        #expect(camera.counters.buffers == 3)
        try await recorder.frames(5)
        await camera.stopStreaming()
      } catch {
        await cameras.provider.stop()
        throw error
      }
      await cameras.provider.stop()
    }
  }
}
