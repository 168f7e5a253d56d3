import CaptureModel

extension VividTests {
  /// The single-planar camera's second input.
  enum HDMI {
    /// Runs `body` with the camera as it appears with that input.
    static func with(_ body: (any Camera) async throws -> Void) async throws {
      let path = try await path()
      try run("v4l2-ctl", "-d", path, "-i", "1")
      defer { _ = try? run("v4l2-ctl", "-d", path, "-i", "0") }
      try await Cameras.with(singlePlanar) { camera in
        let input = try run("v4l2-ctl", "-d", path, "-I")
        guard input.contains("1") else { throw TimedOut(description: "no HDMI input: \(input)") }
        do {
          try await body(camera)
        } catch {
          await camera.stopStreaming()
          throw error
        }
        await camera.stopStreaming()
      }
    }

    private static func path() async throws -> String {
      let cameras = await Cameras()
      defer { withExtendedLifetime(cameras) {} }
      try await wait(for: "the camera") { cameras[singlePlanar] != nil }
      let path = cameras[singlePlanar]!.description.path
      await cameras.provider.stop()
      return path
    }
  }
}
