import CaptureModel
import CaptureSystem
import CaptureV4L2
import Foundation
import Testing

extension VividTests {
  @Suite struct Streaming {
    /// In luminance alone and without text over the picture: an emulated processor that draws more than that is late by itself.
    @Test(arguments: [singlePlanar, multiPlanar])
    func streamsThirtyFramesASecond(id: CameraID) async throws {
      try await Cameras.with(id) { camera in
        try await camera.set(["osd_text_mode": .integer(2)])
        try await losesNoFrame(at: 30) {
          let before = camera.counters
          let record = try await thirtyFramesASecond(of: camera)
          let lost = camera.counters.lost - before.lost
          #expect(camera.counters.frames - before.frames == UInt64(record.frames))
          #expect(record.isNumberedWithoutGaps(but: lost))
          #expect(record.timestamps.allSatisfy { $0.clock == .monotonic })
          let times = record.timestamps.map(\.nanoseconds)
          #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
          #expect(abs(rate(record.sequences, times) - 30) < 1)
          return lost
        }
        try await camera.set(["osd_text_mode": .integer(0)])
      }
    }

    /// Frames a second, from the middles of the first third and the last: one frame that is late moves them little.
    private func rate(_ sequences: [UInt64], _ times: [UInt64]) -> Double {
      func way(_ values: [UInt64]) -> Double {
        let count = values.count / 3
        let first: UInt64 = values.prefix(count).reduce(0, +)
        let last: UInt64 = values.suffix(count).reduce(0, +)
        return Double(last - first) / Double(count)
      }
      return way(sequences) / way(times) * 1e9
    }

    private func thirtyFramesASecond(of camera: any Camera) async throws -> Recorder.Record {
      let recorder = Recorder()
      let size = FrameSize(width: 640, height: 360)
      let request = StreamRequest(pixelFormat: .grey, size: size, interval: thirty)
      let format = try await camera.startStreaming(request, into: recorder)
      #expect(format.size == size)
      #expect(format.interval == thirty)
      #expect(format.planes == [PlaneLayout(stride: 640, bytes: 640 * 360)])
      try await recorder.frames(90, within: .seconds(8))
      await camera.stopStreaming()
      return recorder.record
    }

    /// `FormatPictures` has every format of the multi-planar camera.
    @Test func streamsEveryFormatWithTheBytesThatTheDriverSays() async throws {
      try await Cameras.with(singlePlanar) { camera in
        let formats = try await camera.formats()
        #expect(formats.count > 20)
        for (index, description) in formats.enumerated() {
          let recorder = Recorder()
          let request = StreamRequest(pixelFormat: description.pixelFormat, size: small, interval: thirty)
          let format = try await camera.startStreaming(request, into: recorder)
          try await recorder.frames(2)
          if index.isMultiple(of: 8) { #expect(try camera.planesOfDriver() == format.planes) }
          await camera.stopStreaming()
          recorder.record.expectBytes(of: format)
        }
      }
    }

    @Test func refusesWhatTheCameraDoesNotOfferAndChangesNothing() async throws {
      try await Cameras.with(singlePlanar) { camera in
        let path = camera.description.path
        let recorder = Recorder()
        _ = try await camera.startStreaming(smallYUYV, into: recorder)
        await camera.stopStreaming()
        let before = try run("v4l2-ctl", "-d", path, "--get-fmt-video", "--get-parm")
        let impossible = [
          (StreamRequest(pixelFormat: .yuyv, size: FrameSize(width: 333, height: 77)), "640x360"),
          (StreamRequest(pixelFormat: .mjpeg, size: small), "YUYV"),
          (StreamRequest(pixelFormat: .yuyv, size: small, interval: FrameInterval(rate: 31)), "30 fps"),
        ]
        for (request, offered) in impossible {
          let error = await #expect(throws: CaptureError.self) {
            try await camera.startStreaming(request, into: recorder)
          }
          #expect(error?.code == .invalidArgument)
          #expect(error?.message.contains(offered) == true, "\(error?.message ?? "")")
        }
        #expect(try run("v4l2-ctl", "-d", path, "--get-fmt-video", "--get-parm") == before)
      }
    }

    @Test func namesTheProgramThatHasTheCamera() async throws {
      try await Cameras.with(singlePlanar) { camera in
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/v4l2-ctl")
        other.arguments = ["-d", camera.description.path, "--stream-mmap", "--stream-count=1000"]
        let progress = Pipe()
        other.standardError = progress
        other.standardOutput = progress
        try other.run()
        defer {
          kill(other.processIdentifier, SIGKILL)
          other.waitUntilExit()
        }
        // It prints a mark for its first frame.
        #expect(!progress.fileHandleForReading.availableData.isEmpty)
        let refusal = await #expect(throws: CaptureError.self) {
          try await camera.startStreaming(smallYUYV, into: Recorder())
        }
        #expect(refusal?.code == .failedPrecondition)
        #expect(refusal?.message.contains("v4l2-ctl (process \(other.processIdentifier))") == true)
      }
    }

    @Test func sharesItsBuffersAndSaysWhenTheyAreLow() async throws {
      try await Cameras.with(multiPlanar) { camera in
        let recorder = Recorder(keeping: 100)
        _ = try await camera.startStreaming(smallYUYV, into: recorder)
        try await wait(for: "low buffers") { recorder.record.buffersLow > 0 }
        // Readers hold all buffers that the driver can do without: it waits, and that is no stall.
        try await Task.sleep(for: .milliseconds(1500))
        let frames = recorder.record.frames
        #expect(camera.counters.restarts == 0)
        #expect(camera.counters.buffersLent >= camera.counters.buffers - 1)
        recorder.release()
        try await recorder.frames(5)
        #expect(recorder.record.interruptions == [])
        #expect(recorder.record.frames > frames)
        await camera.stopStreaming()
      }
    }

    @Test func aFrameOutlivesItsStream() async throws {
      try await Cameras.with(multiPlanar) { camera in
        let recorder = Recorder(keeping: 2)
        _ = try await camera.startStreaming(smallYUYV, into: recorder)
        try await recorder.frames(3)
        await camera.stopStreaming()
        let bytes = recorder.record.kept.map(\.payload.bytes)
        #expect(bytes.allSatisfy { $0.count == 320 * 180 * 2 && $0.contains { $0 != 0 } })
        let second = Recorder()
        _ = try await camera.startStreaming(smallYUYV, into: second)
        try await second.frames(3)
        await camera.stopStreaming()
        #expect(recorder.record.kept.map(\.payload.bytes) == bytes)
        #expect(second.record.sequences.first == 0)
      }
    }

    @Test func startingAndStoppingLeavesNoDescriptorOpen() async throws {
      try await Cameras.with(singlePlanar) { camera in
        let before = try openDescriptors()
        for _ in 0..<10 {
          let recorder = Recorder()
          _ = try await camera.startStreaming(smallYUYV, into: recorder)
          try await recorder.frames(1)
          await camera.stopStreaming()
        }
        try await wait(for: "descriptors to be closed") { try openDescriptors() <= before }
      }
    }

    @Test func anOpenIdleCameraUsesNoProcessorTime() async throws {
      try await Cameras.with { cameras in
        for camera in cameras.all {
          await camera.observeControls { _ in }
          let recorder = Recorder()
          _ = try await camera.startStreaming(smallYUYV, into: recorder)
          try await recorder.frames(1)
          await camera.stopStreaming()
        }
        // What spins or polls does so each time; a busy host only adds to what is used.
        var used: [Double] = []
        for _ in 1...3 {
          let before = clock()
          try await Task.sleep(for: .seconds(3))
          used.append(Double(clock() - before) / Double(CLOCKS_PER_SEC))
        }
        print("idle: \(used) s of processor time in 3 s each, two cameras open and observed")
        #expect(used.min()! < 0.03)
      }
    }
  }
}
