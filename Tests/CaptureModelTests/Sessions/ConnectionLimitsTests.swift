import CaptureModel
import Testing

/// What a connection can do follows from its output and the format of its input.
@Suite struct ConnectionLimitsTests {
  private static let vga = FrameSize(width: 640, height: 480)

  private func limits(
    _ kind: SessionConfiguration.Output.Kind, _ size: FrameSize = vga, isEncodable: Bool = true,
    isTurnable: Bool = true
  ) -> ConnectionLimits {
    ConnectionLimits(
      to: .init(name: "out", kind: kind), size: size, isEncodable: isEncodable, isTurnable: isTurnable)
  }

  @Test func picturesThatCanBeReadAreTurnedMirroredAndCropped() {
    for kind in SessionConfiguration.Output.Kind.allCases {
      #expect(
        limits(kind)
          == ConnectionLimits(
            output: "out", orientations: Orientation.allCases, isMirroringSupported: true,
            maximumCropFactor: 16))
    }
  }

  @Test func whatNobodyCanReadComesAsItIs() {
    for kind in SessionConfiguration.Output.Kind.allCases {
      #expect(
        limits(kind, isEncodable: false, isTurnable: false)
          == ConnectionLimits(
            output: "out", orientations: [.upright], isMirroringSupported: false, maximumCropFactor: 1))
    }
  }

  @Test func rawFramesMayBeTurnedWhereNoPhotoCan() {
    #expect(limits(.video, isEncodable: false).orientations.count == 4)
    #expect(limits(.photo, isEncodable: false).orientations == [.upright])
  }

  @Test func aSmallPictureIsCroppedToNoLessThanTwoPixels() {
    #expect(limits(.video, FrameSize(width: 40, height: 16)).maximumCropFactor == 8)
    #expect(limits(.video, FrameSize(width: 1, height: 1)).maximumCropFactor == 1)
  }
}
