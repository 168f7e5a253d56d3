import CPhysicsKernels
import CaptureModel
import CaptureSystem
import Glibc

/// A surface at one magnification, with several degrees of blur. Each degree is made when it is first needed. A blur between two degrees is mixed
/// from them so that its variance is right.
final class SurfaceStack {
  /// The stack's left edge in pixels, from the surface's left edge. It is negative where blur spreads beyond the surface.
  let left: Int
  /// The stack's top edge in pixels, from the surface's top edge. It is negative where blur spreads beyond the surface.
  let top: Int
  /// The stack's width in pixels.
  let width: Int
  /// The stack's height in pixels.
  let height: Int
  /// For each degree of blur, the ink and, where the surface does not fill the picture, the cover.
  private var levels: [Int: [UnsafeMutablePointer<UInt16>]] = [:]
  private let hasCover: Bool
  private let scratch: Scratch

  /// Memory for blurring, which stacks share.
  final class Scratch {
    private var memory: UnsafeMutableBufferPointer<Float> = .allocate(capacity: 0)
    func room(_ count: Int) -> UnsafeMutablePointer<Float> {
      if memory.count < count {
        memory.deallocate()
        memory = .allocate(capacity: count)
      }
      return memory.baseAddress!
    }
    deinit { memory.deallocate() }
  }

  /// `scale`: how many pixels a height of the unzoomed picture has. `visible`: the part of the surface that can be seen, in pixels from its top left
  /// corner. `nil`: no part can be seen.
  init?(
    _ surface: PhysicsSurface, tile: [UInt8], scale: Double, fillsPicture: Bool,
    visible: (x: Range<Int>, y: Range<Int>),
    scratch: Scratch
  ) {
    hasCover = !fillsPicture
    self.scratch = scratch
    // The surface's distance may change, so there is room for every blur that the lens can make.
    let spread =
      fillsPicture ? 0 : Int((3 * Self.deviation(LensOptics.blurPerTravel * scale)).rounded(.up)) + 1
    left = max(-spread, visible.x.lowerBound)
    top = max(-spread, visible.y.lowerBound)
    width = min(Int(surface.width * scale) + 1 + spread, visible.x.upperBound) - left
    height = min(Int(surface.height * scale) + 1 + spread, visible.y.upperBound) - top
    guard width > 0, height > 0 else { return nil }
    let (ink, cover) = (Self.memory(width * height), Self.memory(width * height))
    defer {
      ink.deallocate()
      cover.deallocate()
    }
    tile.withUnsafeBufferPointer { tile in
      var kernel = surface.kernel(tile: tile.baseAddress!)
      for row in 0..<height {
        physics_paint_surface(
          &kernel, Float((Double(left) + 0.5) / scale), Float((Double(top + row) + 0.5) / scale),
          Float(1 / scale),
          width, ink + row * width, cover + row * width)
      }
    }
    levels[0] = (hasCover ? [ink, cover] : [ink]).map { blurred($0, Self.deviation(0)) }
  }

  deinit { for level in levels.values { for plane in level { plane.deallocate() } } }

  /// Two degrees of blur, and the share of the softer one.
  struct Mixture {
    var sharpInk: UnsafePointer<UInt16>
    var softInk: UnsafePointer<UInt16>
    var sharpCover: UnsafePointer<UInt16>?
    var softCover: UnsafePointer<UInt16>?
    var part: Float
  }

  /// The mixture for a circle of confusion with this radius, in pixels.
  func mixture(radius: Double) -> Mixture {
    var index = 0
    while Self.radius(index + 1) <= radius { index += 1 }
    let (from, to) = (Self.radius(index), Self.radius(index + 1))
    let part = (radius * radius - from * from) / (to * to - from * from)
    let sharp = level(index)
    let soft = part > 0 ? level(index + 1) : sharp
    return Mixture(
      sharpInk: sharp[0], softInk: soft[0], sharpCover: hasCover ? sharp[1] : nil,
      softCover: hasCover ? soft[1] : nil, part: Float(part))
  }

  private func level(_ index: Int) -> [UnsafeMutablePointer<UInt16>] {
    if let level = levels[index] { return level }
    // Level 0 is blurred by half a pixel already, so only the rest of the variance is added.
    let radius = Self.radius(index)
    let level = levels[0]!.map { blurred($0, radius / 2) }
    levels[index] = level
    return level
  }

  private func blurred(_ plane: UnsafeMutablePointer<UInt16>, _ deviation: Double) -> UnsafeMutablePointer<
    UInt16
  > {
    let blurred = Self.memory(width * height)
    physics_blur(plane, blurred, width, height, Float(deviation), scratch.room(width * (height + 1)))
    return blurred
  }

  /// The radius of a level's circle of confusion, in pixels.
  private static func radius(_ level: Int) -> Double { level == 0 ? 0 : 0.8 * pow(1.5, Double(level - 1)) }

  /// The deviation of the blur by a circle of confusion, in pixels. A disc's variance along a line is a quarter of its squared radius, and pixels and
  /// lens add a deviation of half a pixel.
  private static func deviation(_ radius: Double) -> Double { (0.25 + radius * radius / 4).squareRoot() }

  private static func memory(_ count: Int) -> UnsafeMutablePointer<UInt16> { .allocate(capacity: count) }
}
