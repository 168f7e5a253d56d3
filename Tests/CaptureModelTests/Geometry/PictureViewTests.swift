import CaptureModel
import Testing

struct PictureViewTests {
  static let vga = FrameSize(width: 640, height: 480)
  static let wide = ViewSize(width: 800, height: 300)

  @Test func gravityPlacesThePicture() {
    #expect(
      VideoGravity.aspect.rect(of: Self.vga, in: Self.wide) == ViewRect(x: 200, y: 0, width: 400, height: 300)
    )
    #expect(
      VideoGravity.fill.rect(of: Self.vga, in: Self.wide) == ViewRect(x: 0, y: -150, width: 800, height: 600))
    #expect(
      VideoGravity.resize.rect(of: Self.vga, in: Self.wide) == ViewRect(x: 0, y: 0, width: 800, height: 300))
  }

  @Test func barsBesideThePictureShowNothing() throws {
    let view = try PictureView(of: Self.vga, in: Self.wide)
    #expect(view.devicePoint(forViewPoint: ViewPoint(x: 199, y: 100)) == nil)
    #expect(view.devicePoint(forViewPoint: ViewPoint(x: 601, y: 100)) == nil)
    #expect(view.devicePoint(forViewPoint: ViewPoint(x: 200, y: 0)) == (try NormalizedPoint(x: 0, y: 0)))
    #expect(view.devicePoint(forViewPoint: ViewPoint(x: 400, y: 150)) == .center)
    #expect(view.devicePoint(forViewPoint: ViewPoint(x: .nan, y: 150)) == nil)
    #expect(view.deviceRect(forViewRect: ViewRect(x: 0, y: 0, width: 200, height: 300)) == nil)
  }

  @Test func filledViewCutsThePicture() throws {
    let view = try PictureView(of: Self.vga, in: Self.wide, gravity: .fill)
    let top = try #require(view.devicePoint(forViewPoint: ViewPoint(x: 0, y: 0)))
    #expect(top.isNear(try NormalizedPoint(x: 0, y: 0.25)))
    #expect(view.devicePoint(forViewPoint: ViewPoint(x: 400, y: -1)) == nil)
    #expect(view.viewPoint(forDevicePoint: try NormalizedPoint(x: 0.5, y: 0)) == ViewPoint(x: 400, y: -150))
    let visible = try #require(
      view.deviceRect(forViewRect: ViewRect(x: -50, y: -50, width: 2000, height: 2000)))
    #expect(visible.isNear(try NormalizedRect(x: 0, y: 0.25, width: 1, height: 0.5)))
  }

  /// Somebody taps on a turned, mirrored, zoomed picture.
  @Test func tapFindsItsPlaceOnTheSensor() throws {
    let transform = try PictureTransform(cropFactor: 2, orientation: .clockwise90, isMirrored: true)
    let view = try PictureView(
      of: FrameSize(width: 480, height: 640), transform: transform, in: ViewSize(width: 240, height: 320))
    // The picture's top left corner shows, unmirrored, what is top right; before turning, top left of the middle half.
    let point = try #require(view.devicePoint(forViewPoint: ViewPoint(x: 240, y: 0)))
    #expect(point.isNear(try NormalizedPoint(x: 0.25, y: 0.75)))
  }

  @Test(arguments: everyTransform, VideoGravity.allCases)
  func pointsAndRectanglesComeBack(transform: PictureTransform, gravity: VideoGravity) throws {
    for size in [Self.wide, ViewSize(width: 123.5, height: 456.25), ViewSize(width: 1, height: 1)] {
      let picture = transform.deliveredSize(of: Self.vga)
      let view = try PictureView(of: picture, transform: transform, in: size, gravity: gravity)
      for point in somePoints {
        let place = ViewPoint(x: point.x * size.width, y: point.y * size.height)
        if let device = view.devicePoint(forViewPoint: place) {
          let back = try #require(view.viewPoint(forDevicePoint: device))
          #expect(abs(back.x - place.x) < 1e-6 && abs(back.y - place.y) < 1e-6)
        } else {
          #expect(gravity == .aspect)
        }
      }
      let rect = ViewRect(
        x: size.width * 0.45, y: size.height * 0.4, width: size.width / 10, height: size.height / 5)
      if let device = view.deviceRect(forViewRect: rect) {
        let back = try #require(view.viewRect(forDeviceRect: device))
        let visible = view.pictureRect
        #expect(abs(back.x - max(rect.x, visible.x)) < 1e-6 && abs(back.y - max(rect.y, visible.y)) < 1e-6)
        #expect(back.width <= rect.width + 1e-6 && back.height <= rect.height + 1e-6)
        if gravity != .aspect { #expect(abs(back.width - rect.width) < 1e-6) }
      } else {
        #expect(gravity == .aspect)
      }
    }
  }

  @Test func whatWasCroppedAwayIsNotInTheView() throws {
    let view = try PictureView(
      of: Self.vga, transform: PictureTransform(cropFactor: 2), in: ViewSize(width: 64, height: 48))
    #expect(view.viewPoint(forDevicePoint: try NormalizedPoint(x: 0.1, y: 0.5)) == nil)
    #expect(
      try view.viewRect(forDeviceRect: NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5))
        == ViewRect(x: 0, y: 0, width: 32, height: 24))
  }

  @Test(arguments: [(0.0, 10.0), (10, -1), (.nan, 10), (10, .infinity)])
  func viewsWithoutAnAreaAreRefused(width: Double, height: Double) {
    let size = ViewSize(width: width, height: height)
    let error = #expect(throws: CaptureError.self) { try PictureView(of: Self.vga, in: size) }
    #expect(error?.code == .invalidArgument)
    #expect(throws: CaptureError.self) {
      try PictureView(of: FrameSize(width: 0, height: 1), in: Self.wide)
    }
  }
}
