import Foundation
import Testing

@testable import CaptureModel

struct PictureTransformTests {
  static func point(_ x: Double, _ y: Double) -> NormalizedPoint { try! NormalizedPoint(x: x, y: y) }

  /// Where a mark at the top of the left edge of the sensor's frame goes.
  @Test(arguments: [
    (Orientation.upright, false, point(0, 0.2)), (.clockwise90, false, point(0.8, 0)),
    (.upsideDown, false, point(1, 0.8)), (.clockwise270, false, point(0.2, 1)),
    (.upright, true, point(1, 0.2)), (.clockwise90, true, point(0.2, 0)),
    (.upsideDown, true, point(0, 0.8)), (.clockwise270, true, point(0.8, 1)),
  ])
  func turnsClockwiseThenMirrors(orientation: Orientation, isMirrored: Bool, wanted: NormalizedPoint) {
    let transform = PictureTransform(orientation: orientation, isMirrored: isMirrored)
    #expect(transform.picturePoint(forDevicePoint: Self.point(0, 0.2))?.isNear(wanted) == true)
  }

  /// Numbers that clients in other languages are held against too: those of docs/integration.md.
  @Test func everyClientFindsTheSamePlaces() throws {
    struct Pair: Decodable {
      var orientation: Int
      var mirrored: Bool?
      var region: [Double]?
      var picture: [Double]
      var sensor: [Double]
    }
    let file = URL(filePath: #filePath).appending(path: "../../../Support/sensor-points.json").standardized
    let pairs = try JSONDecoder().decode([Pair].self, from: Data(contentsOf: file))
    #expect(pairs.count > 8)
    for pair in pairs {
      let crop = try pair.region.map { try NormalizedRect(x: $0[0], y: $0[1], width: $0[2], height: $0[3]) }
      let orientation = try #require(Orientation(rawValue: pair.orientation))
      let transform = PictureTransform(
        crop: crop ?? .full, orientation: orientation, isMirrored: pair.mirrored ?? false)
      let found = transform.devicePoint(forPicturePoint: Self.point(pair.picture[0], pair.picture[1]))
      #expect(found.isNear(Self.point(pair.sensor[0], pair.sensor[1])), "\(pair)")
    }
  }

  @Test(arguments: everyTransform)
  func pointsComeBack(transform: PictureTransform) throws {
    for point in somePoints {
      let device = transform.devicePoint(forPicturePoint: point)
      #expect(transform.crop.contains(device))
      #expect(try #require(transform.picturePoint(forDevicePoint: device)).isNear(point))
      if let picture = transform.picturePoint(forDevicePoint: point) {
        #expect(transform.crop.contains(point))
        #expect(transform.devicePoint(forPicturePoint: picture).isNear(point))
      } else {
        #expect(!transform.crop.contains(point))
      }
    }
  }

  @Test(arguments: everyTransform)
  func rectanglesComeBack(transform: PictureTransform) throws {
    let rect = try NormalizedRect(x: 0.2, y: 0.1, width: 0.3, height: 0.85)
    let device = transform.deviceRect(forPictureRect: rect)
    #expect(try #require(transform.pictureRect(forDeviceRect: device)).isNear(rect))
    #expect(try #require(transform.pictureRect(forDeviceRect: .full)).isNear(.full))
    #expect(transform.deviceRect(forPictureRect: .full).isNear(transform.crop))
  }

  @Test func onlyTheVisiblePartOfARectangleIsInThePicture() throws {
    let transform = try PictureTransform(cropFactor: 2)
    let corner = try NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5)
    let wanted = try NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5)
    #expect(try #require(transform.pictureRect(forDeviceRect: corner)).isNear(wanted))
    #expect(
      try transform.pictureRect(forDeviceRect: NormalizedRect(x: 0, y: 0, width: 0.2, height: 1)) == nil)
  }

  @Test(arguments: everyTransform)
  func oneAfterTheOtherIsOne(first: PictureTransform) throws {
    for second in everyTransform {
      let both = first.then(second)
      for point in somePoints {
        let between = second.devicePoint(forPicturePoint: point)
        let wanted = first.devicePoint(forPicturePoint: between)
        #expect(both.devicePoint(forPicturePoint: point).isNear(wanted), "\(second)")
      }
    }
    #expect(first.then(.identity) == first)
    let same = PictureTransform.identity.then(first)
    #expect(same.crop.isNear(first.crop) && same.orientation == first.orientation)
    #expect(same.isMirrored == first.isMirrored)
  }

  @Test func zoomKeepsTheMiddle() throws {
    let transform = try PictureTransform(cropFactor: 4)
    #expect(transform.crop == (try NormalizedRect(x: 0.375, y: 0.375, width: 0.25, height: 0.25)))
    #expect(try PictureTransform(cropFactor: 1).isIdentity)
    #expect(transform.picturePoint(forDevicePoint: .center)?.isNear(.center) == true)
  }

  @Test(arguments: [0.99, 16.01, 0, -1, Double.nan, .infinity])
  func impossibleFactorsAreRefused(factor: Double) {
    let error = #expect(throws: CaptureError.self) { try PictureTransform(cropFactor: factor) }
    #expect(error?.code == .invalidArgument && error?.message.contains("from 1 to 16") == true)
  }

  @Test(arguments: [
    (-0.1, 0.0, 0.5, 0.5), (0.6, 0, 0.5, 0.5), (0, 0, 0, 1), (0, 0, 1, -1), (.nan, 0, 1, 1),
    (0, 0, .infinity, 1),
    (0, 0.5, 1, .nan),
  ])
  func impossibleRectanglesAreRefused(x: Double, y: Double, width: Double, height: Double) {
    let error = #expect(throws: CaptureError.self) {
      try NormalizedRect(x: x, y: y, width: width, height: height)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: [-90, 1, 45, 360])
  func impossibleOrientationsAreRefused(degrees: Int) {
    let error = #expect(throws: CaptureError.self) { try Orientation(degrees: degrees) }
    #expect(error?.message.contains("0, 90, 180 or 270") == true)
    #expect((try? Orientation(degrees: 270)) == .clockwise270)
  }

  @Test func turnsAddUp() {
    for a in Orientation.allCases {
      #expect(a + a.inverse == .upright)
      for b in Orientation.allCases { #expect((a + b).rawValue == (a.rawValue + b.rawValue) % 360) }
    }
  }
}

struct PictureSizeTests {
  static let vga = FrameSize(width: 640, height: 480)

  @Test func turnedPicturesSwapTheirSides() {
    #expect(PictureTransform(orientation: .clockwise90).deliveredSize(of: Self.vga) == FrameSize("480x640"))
    #expect(PictureTransform(orientation: .upsideDown).deliveredSize(of: Self.vga) == Self.vga)
  }

  @Test func zoomKeepsTheSizeAndOtherCropsTheResolution() throws {
    for factor in stride(from: 1.0, through: 16, by: 0.37) {
      let zoom = try PictureTransform(cropFactor: factor, orientation: .clockwise270)
      #expect(zoom.deliveredSize(of: Self.vga) == FrameSize("480x640"))
      #expect(zoom.sourceSize(for: FrameSize(width: 480, height: 640)) == Self.vga)
    }
    let half = PictureTransform(crop: try NormalizedRect(x: 0, y: 0, width: 0.5, height: 1))
    #expect(half.deliveredSize(of: Self.vga) == FrameSize("320x480"))
    #expect(half.sourceSize(for: Self.vga) == nil)
  }

  @Test func edgesInsideThePictureAreEven() throws {
    for size in [Self.vga, FrameSize(width: 641, height: 35), FrameSize(width: 3, height: 2)] {
      for transform in everyTransform {
        let area = transform.area(in: size)
        #expect(area.x % 2 == 0 && area.y % 2 == 0)
        #expect(area.x >= 0 && area.y >= 0 && area.width >= 2 && area.height >= 2)
        #expect(area.x + area.width <= size.width && area.y + area.height <= size.height)
        #expect((area.x + area.width) % 2 == 0 || area.x + area.width == size.width)
        #expect((area.y + area.height) % 2 == 0 || area.y + area.height == size.height)
        #expect(abs(Double(area.x) - transform.crop.x * Double(size.width)) <= 2)
      }
    }
    #expect(PictureTransform.identity.size(of: FrameSize(width: 641, height: 35)) == FrameSize("641x35"))
    #expect(PictureTransform.identity.size(of: FrameSize(width: 1, height: 1)) == FrameSize("1x1"))
  }

  @Test func aZoomMovesPlacesOutwardsAndOutOfSight() throws {
    let zoom = PictureTransform.zoomed(2)
    #expect(zoom == (try PictureTransform(cropFactor: 2)))
    let shown = zoom.nearestPicturePoint(forDevicePoint: try NormalizedPoint(x: 0.6, y: 0.45))
    #expect(shown.isNear(try NormalizedPoint(x: 0.7, y: 0.4)))
    let beyond = try NormalizedPoint(x: 0.9, y: 0.5)
    #expect(zoom.picturePoint(forDevicePoint: beyond) == nil)
    #expect(zoom.nearestPicturePoint(forDevicePoint: beyond).isNear(try NormalizedPoint(x: 1, y: 0.5)))
    #expect(PictureTransform.zoomed(1) == .identity && PictureTransform.zoomed(.nan) == .identity)
    // This holds for any driver, and before the connection's transform.
    #expect(abs(PictureTransform.zoomed(40).crop.width - 0.025) < 1e-9)
    let both = PictureTransform.zoomed(2).then(PictureTransform(orientation: .upsideDown))
    #expect(
      both.devicePoint(forPicturePoint: try NormalizedPoint(x: 0, y: 0)).isNear(
        try NormalizedPoint(x: 0.75, y: 0.75)))
  }
}
