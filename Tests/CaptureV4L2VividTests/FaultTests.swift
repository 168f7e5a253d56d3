import CaptureModel
import CaptureV4L2
import Testing

extension VividTests {
  @Suite struct Faults {
    /// Streams, injects, waits for frames after it, and counts descriptors. A stream that the fault `interrupts` is back within 2 s.
    private func recovery(
      on id: CameraID, interrupts: Bool = true, after inject: (any Camera) async throws -> Void,
      _ check: (Recorder.Record, CameraCounters) -> Void
    ) async throws {
      try await Cameras.with(id) { camera in
        let recorder = Recorder()
        _ = try await camera.startStreaming(smallYUYV, into: recorder)
        try await recorder.frames(5)
        let descriptors = try openDescriptors()
        try await inject(camera)
        if interrupts {
          try await wait(.seconds(2), for: "the stream's return") { !recorder.record.resumed.isEmpty }
        }
        try await recorder.frames(15)
        try await wait(for: "descriptors to be closed") { try openDescriptors() <= descriptors }
        #expect(try openDescriptors() == descriptors)
        check(recorder.record, camera.counters)
        #expect(recorder.record.ended == nil)
        await camera.stopStreaming()
      }
    }

    @Test(arguments: [singlePlanar, multiPlanar])
    func aFlaggedBufferIsDroppedAndCounted(id: CameraID) async throws {
      try await recovery(
        on: id, interrupts: false, after: { try await $0.press("inject_v4l2_buf_flag_error") }
      ) {
        #expect($1.flagged == 1)
        #expect($0.interruptions == [])
      }
    }

    @Test(arguments: [singlePlanar, multiPlanar])
    func aFatalStreamingErrorRestartsTheStream(id: CameraID) async throws {
      try await recovery(on: id, after: { try await $0.press("inject_fatal_streaming_error") }) {
        #expect($0.interruptions.count == 1)
        #expect($0.resumed.map(\.discontinuity.kind) == [.resumed])
        #expect($0.isNumberedWithoutGaps(but: $1.lost), "numbered on over the restart")
        #expect($1.restarts == 1)
      }
    }

    @Test(arguments: [singlePlanar, multiPlanar])
    func aFailedQueueingRestartsTheStream(id: CameraID) async throws {
      try await recovery(on: id, after: { try await $0.press("inject_vidioc_qbuf_error") }) {
        #expect($0.interruptions.count == 1)
        #expect($0.resumed.count == 1)
        #expect($1.restarts == 1)
      }
    }

    @Test(arguments: [
      "inject_vidioc_reqbufs_error", "inject_vidioc_streamon_error", "inject_vidioc_qbuf_error",
    ])
    func aRestartThatFailsIsTriedAgain(fault: String) async throws {
      try await recovery(
        on: multiPlanar,
        after: { camera in
          try await camera.press(fault)
          try await camera.press("inject_fatal_streaming_error")
        }
      ) { record, counters in
        #expect(record.resumed.count >= 1)
        #expect(counters.restarts >= 1)
      }
    }

    @Test(arguments: ["inject_vidioc_reqbufs_error", "inject_vidioc_streamon_error"])
    func aRefusedStartIsAnErrorAndLeavesNothingOpen(fault: String) async throws {
      try await Cameras.with(singlePlanar) { camera in
        let descriptors = try openDescriptors()
        try await camera.press(fault)
        await #expect(throws: CaptureError.self) {
          try await camera.startStreaming(smallYUYV, into: Recorder())
        }
        #expect(try openDescriptors() == descriptors)
        let recorder = Recorder()
        _ = try await camera.startStreaming(smallYUYV, into: recorder)
        try await recorder.frames(2)
        await camera.stopStreaming()
      }
    }

    @Test func framesThatTheDriverDropsAreCountedAsLost() async throws {
      try await Cameras.with(singlePlanar) { camera in
        try await camera.set(["percentage_of_dropped_buffers": .integer(50)])
        let recorder = Recorder()
        _ = try await camera.startStreaming(smallYUYV, into: recorder)
        try await recorder.frames(20, within: .seconds(10))
        await camera.stopStreaming()
        try await camera.set(["percentage_of_dropped_buffers": .integer(0)])
        let record = recorder.record
        #expect(camera.counters.lost > 0)
        #expect(
          record.sequences.last! + 1 == UInt64(record.frames) + camera.counters.lost - record.sequences[0])
      }
    }

    @Test func aSequenceNumberThatWrapsIsNoLoss() async throws {
      try await Cameras.with(singlePlanar) { camera in
        try await camera.set(["wrap_sequence_number": .integer(1)])
        let recorder = Recorder()
        _ = try await camera.startStreaming(smallYUYV, into: recorder)
        try await recorder.frames(150, within: .seconds(10))
        await camera.stopStreaming()
        try await camera.set(["wrap_sequence_number": .integer(0)])
        #expect(camera.counters.lost < 128, "a slow machine loses some, a wrap taken for a gap would be 2^32")
        #expect(recorder.record.isNumberedWithoutGaps(but: camera.counters.lost))
      }
    }

    @Test(arguments: [singlePlanar, multiPlanar])
    func aStreamingCameraThatIsUnpluggedEndsAndComesBackAsItself(id: CameraID) async throws {
      try await Cameras.with { cameras in
        let camera = try #require(cameras[id])
        await camera.observeControls { _ in }
        let descriptors = try openDescriptors()
        let recorder = Recorder()
        _ = try await camera.startStreaming(smallYUYV, into: recorder)
        try await recorder.frames(3)
        try await camera.press("disconnect")
        try await wait(.seconds(1), for: "the end of the stream") { recorder.record.ended != nil }
        #expect(recorder.record.ended?.code == .unavailable)
        try await wait(.seconds(2), for: "the camera's return") { cameras[id].map { $0 !== camera } ?? false }
        #expect(cameras.history.suffix(2) == ["vanished \(id)", "appeared \(id)"])
        await #expect(throws: CaptureError.self) { try await camera.controls() }
        let returned = try #require(cameras[id])
        await returned.observeControls { _ in }
        let second = Recorder()
        _ = try await returned.startStreaming(smallYUYV, into: second)
        try await second.frames(3)
        await returned.stopStreaming()
        try await wait(for: "descriptors to be closed") { try openDescriptors() <= descriptors }
        #expect(try openDescriptors() == descriptors)
      }
    }

    @Test func anIdleCameraThatIsUnpluggedByAnotherProgramComesBackAsItself() async throws {
      try await Cameras.with { cameras in
        let ofCameras = try openCameraDescriptors()
        // What loops open for good at their first use is open after the first replug. The second one leaves nothing more.
        var descriptors: Int?
        for _ in 1...2 {
          let camera = try #require(cameras[singlePlanar])
          try run("v4l2-ctl", "-d", camera.description.path, "--set-ctrl", "disconnect=1")
          try await wait(.seconds(2), for: "the camera's return") {
            cameras[singlePlanar].map { $0 !== camera } ?? false
          }
          #expect(cameras.history.suffix(2) == ["vanished \(singlePlanar)", "appeared \(singlePlanar)"])
          try await wait(for: "its descriptors to be closed") { try openCameraDescriptors() <= ofCameras }
          if let descriptors {
            try await wait(for: "descriptors to be closed") { try openDescriptors() <= descriptors }
          }
          descriptors = try openDescriptors()
        }
      }
    }
  }
}
