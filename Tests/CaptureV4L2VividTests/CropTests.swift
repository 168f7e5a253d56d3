import CaptureModel
import CaptureV4L2
import Synchronization
import Testing

extension VividTests {
  /// vivid's HDMI input crops its sensor and scales that to the picture; its webcam does neither.
  @Suite struct Crop {
    private static let size = FrameSize(width: 640, height: 360)

    private static let request = StreamRequest(pixelFormat: .yuyv, size: size, interval: nil)

    @Test func aWebcamHasNone() async throws {
      try await Cameras.with(singlePlanar) { camera in
        let crop = try await camera.crop()
        #expect(crop == nil)
        await #expect(throws: CaptureError.self) {
          try await camera.setCrop(PixelArea(x: 0, y: 0, width: 320, height: 180), pacing: nil)
        }
      }
    }

    @Test func theMiddleOfTheColourBarsFillsThePictureWhileItStreams() async throws {
      try await HDMI.with { camera in
        let crop = try #require(try await camera.crop())
        #expect(crop.area == crop.whole)
        let row = RowRecorder()
        let format = try await camera.startStreaming(Self.request, into: row)
        #expect(format.size == Self.size)
        try await wait(for: "a frame") { row.latest.count > 2 }
        let whole = row.latest.luma
        #expect(Set(bars(whole, 8)).count == 8, "eight bars: \(whole)")

        let area = crop.area(magnifying: 2)
        let taken = try await camera.setCrop(area, pacing: nil).crop
        #expect(taken.area == area && taken.factor == 2)
        let witness = try run("v4l2-ctl", "-d", camera.description.path, "--get-selection", "target=crop")
        let expected = "Left \(area.x), Top \(area.y), Width \(area.width), Height \(area.height)"
        #expect(witness.contains(expected))
        let before = row.latest.count
        try await wait(for: "frames after it") { row.latest.count > before + 3 }
        let middle = row.latest.luma
        // Four of the eight bars, twice as wide.
        #expect(areAlike(bars(middle, 4), Array(bars(whole, 8)[2..<6])), "\(middle)")
        #expect(row.latest.sizes == [Self.size.area * 2])

        _ = try await camera.setCrop(crop.whole, pacing: nil)
        let zoomed = row.latest.count
        try await wait(for: "frames after it") { row.latest.count > zoomed + 3 }
        #expect(areAlike(bars(row.latest.luma, 8), bars(whole, 8)))
      }
    }

    @Test func withoutAScalerItIsRefusedAndNothingChanges() async throws {
      try await HDMI.with { camera in
        for control in ["enable_capture_scaler", "enable_capture_composing"] {
          try await camera.set([control: .integer(0)])
        }
        do {
          // Idle: the picture would be as large as the crop.
          let before = try run("v4l2-ctl", "-d", camera.description.path, "--get-fmt-video")
          let whole = try #require(try await camera.crop()).whole
          let half = SensorCrop(whole: whole, area: whole).area(magnifying: 2)
          let idle = await #expect(throws: CaptureError.self) { try await camera.setCrop(half, pacing: nil) }
          #expect(idle?.code == .failedPrecondition)
          #expect(idle?.message.contains("does not scale") == true)
          let after = try run("v4l2-ctl", "-d", camera.description.path, "--get-fmt-video")
          #expect(after == before)

          let row = RowRecorder()
          let format = try await camera.startStreaming(
            StreamRequest(pixelFormat: .yuyv, size: whole.size, interval: nil), into: row)
          let busy = await #expect(throws: CaptureError.self) { try await camera.setCrop(half, pacing: nil) }
          #expect(busy?.message == "its driver does not change the sensor's crop while a stream runs")
          let count = row.latest.count
          try await wait(for: "frames after it") { row.latest.count > count + 2 }
          #expect(row.latest.sizes == format.planes.map(\.bytes))
          await camera.stopStreaming()
        }
        for control in ["enable_capture_composing", "enable_capture_scaler"] {
          try await camera.set([control: .integer(1)])
        }
      }
    }

    @Test func theNextProgramFindsTheWholeSensor() async throws {
      var path = ""
      var whole = PixelArea(x: 0, y: 0, width: 0, height: 0)
      try await HDMI.with { camera in
        path = camera.description.path
        let crop = try #require(try await camera.crop())
        whole = crop.whole
        _ = try await camera.setCrop(crop.area(magnifying: 3), pacing: nil)
        let cropped = try await camera.crop()
        #expect(cropped?.area != whole)
      }
      try run("v4l2-ctl", "-d", path, "-i", "1")
      let witness = try run("v4l2-ctl", "-d", path, "--get-selection", "target=crop")
      try run("v4l2-ctl", "-d", path, "-i", "0")
      #expect(witness.contains("Width \(whole.width), Height \(whole.height)"), "\(witness)")
    }
  }
}

/// Luma in the middle of so many bars, side by side.
private func bars(_ row: [UInt8], _ count: Int) -> [Int] {
  let width = row.count / count
  return (0..<count).map { Int(row[width / 2 + $0 * width]) }
}

private func areAlike(_ a: [Int], _ b: [Int]) -> Bool {
  a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) < 4 }
}

/// Keeps one row of the latest frame's luma.
private final class RowRecorder: FrameReceiver {
  struct Latest {
    var count = 0
    var luma: [UInt8] = []
    var sizes: [Int] = []
  }
  private let state = Mutex(Latest())

  var latest: Latest { state.withLock { $0 } }

  func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool { true }

  func received(_ frame: Frame) {
    guard let bytes = frame.payload.segments.first else { return }
    let (width, stride) = (frame.format.size.width, frame.format.planes.first?.stride ?? 0)
    // Below vivid's text.
    let start = stride * (frame.format.size.height * 9 / 10)
    let luma = (0..<width).map { bytes[start + $0 * 2] }
    let sizes = frame.payload.segments.map(\.count)
    state.withLock { $0 = Latest(count: $0.count + 1, luma: luma, sizes: sizes) }
  }

  func streamEvent(_ event: StreamEvent) {}
}
