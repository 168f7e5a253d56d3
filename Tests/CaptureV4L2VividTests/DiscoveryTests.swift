import CaptureModel
import CaptureV4L2
import Testing

extension VividTests {
  @Suite struct Discovery {
    @Test func listsASinglePlanarAndAMultiPlanarCamera() async throws {
      try await Cameras.with { cameras in
        let descriptions = cameras.all.map(\.description)
        #expect(descriptions.map(\.id) == [singlePlanar, multiPlanar])
        #expect(descriptions.map(\.isMultiplanar) == [false, true])
        #expect(descriptions.map(\.path) == ["/dev/video0", "/dev/video1"])
        #expect(descriptions.map(\.bus) == ["platform:vivid-000", "platform:vivid-001"])
        #expect(descriptions.allSatisfy { $0.driver == "vivid" && $0.unusableReason == nil })
      }
    }

    @Test(arguments: ["/dev/video1", "platform-vivid-001", "vivid-001"])
    func offersOnlyWhatIsSelected(specification: String) async throws {
      let cameras = await Cameras(.only([specification]))
      #expect(cameras.all.map(\.description.id) == [multiPlanar])
      #expect(cameras.provider.missing == [])
      await cameras.provider.stop()
    }

    @Test func saysWhatOfTheSelectionIsMissing() async throws {
      let cameras = await Cameras(.only(["/dev/video1", "/dev/video7"]))
      let missing = cameras.provider.missing
      #expect(missing.count == 1)
      #expect(missing.first?.contains("/dev/video7") == true)
      #expect(missing.first?.contains("/dev/video1 (platform-vivid-001)") == true)
      await cameras.provider.stop()
    }

    @Test(arguments: [singlePlanar, multiPlanar])
    func listsTheFormatsAndSizesThatV4L2CtlLists(id: CameraID) async throws {
      try await Cameras.with(id) { camera in
        let witness = try run("v4l2-ctl", "-d", camera.description.path, "--list-formats-ext")
        let formats = try await camera.formats()
        let codes = witness.matches(of: /\[\d+\]: '(.{4})(-BE)?'/).map { $0.1 + ($0.2 ?? "") }
        #expect(
          formats.map(\.pixelFormat) == codes.map { PixelFormat(String($0)) }, "in \(camera.description.path)"
        )
        let sizes = witness.matches(of: /Size: Discrete (\S+)/).map { String($0.1) }
        #expect(formats.flatMap { $0.sizes.map(\.minimum.description) } == sizes)
        let intervals = witness.matches(of: /Interval: Discrete/).count
        #expect(
          formats.flatMap(\.sizes).reduce(0) {
            if case .discrete(let list) = $1.intervals { $0 + list.count } else { $0 }
          } == intervals)
      }
    }
  }
}
