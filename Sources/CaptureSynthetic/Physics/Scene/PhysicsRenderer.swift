import CPhysicsKernels
import CaptureModel
import CaptureSystem

/// Makes pictures of a frame's true state. Surfaces are blurred by the lens and lit, laid over each other from far to near, magnified by the zoom,
/// and measured by the sensor. The renderer works row by row, so that a row stays in the cache.
final class PhysicsRenderer {
  let buffers: LentBuffers
  private let scene: PhysicsScene
  private let size: FrameSize
  private let isGrey: Bool
  private let noiseFactor: Double
  private let noise: NoiseTable
  private let scratch = SurfaceStack.Scratch()
  /// The stacks of all surfaces, by the power of two of the magnification; `nil` for a surface that cannot be seen.
  private var stacks: [Int: [SurfaceStack?]] = [:]
  /// Light in red, green and blue: two rows of the scene, and one of the picture.
  private let rows: UnsafeMutablePointer<Float>
  /// R'G'B' of a row.
  private let values: UnsafeMutablePointer<UInt8>
  private let curve = SensorModel.curve

  /// As many as drivers usually have.
  static let bufferCount = 6

  init(_ format: StreamFormat, scene: PhysicsScene, options: PhysicsOptions) {
    self.scene = scene
    size = format.size
    isGrey = format.pixelFormat == .grey
    noiseFactor = options.noise
    noise = NoiseTable(seed: options.seed, longest: size.width)
    buffers = LentBuffers(count: Self.bufferCount, bytes: format.planes[0].bytes)
    rows = .allocate(capacity: 9 * size.width)
    rows.initialize(repeating: 0, count: 9 * size.width)
    values = .allocate(capacity: 3 * size.width)
    values.initialize(repeating: 0, count: 3 * size.width)
  }

  deinit {
    rows.deallocate()
    values.deallocate()
  }

  /// The picture of a frame. `nil`: readers hold every buffer.
  func render(_ frame: PhysicsFrame) -> Payload? {
    guard let index = buffers.take() else { return nil }
    let target = buffers.base(index)
    let octave = frame.zoom < 2 ? 0 : 1
    let layers = layers(frame, octave: octave)
    let magnifier = Magnifier(size: size, factor: frame.zoom / Double(1 << octave))
    var sensor = SensorModel.sensor(frame, noise: noiseFactor)
    var present = [-1, -1]
    for row in 0..<size.height {
      var light = self.row(2)
      if let magnifier {
        let (above, part) = magnifier.place(row)
        for source in [above, above + 1] where present[source & 1] != source {
          present[source & 1] = source
          paint(layers, row: source, to: self.row(source & 1))
        }
        magnifier.magnify(self.row(above & 1), self.row((above + 1) & 1), part, to: light, width: size.width)
      } else {
        light = self.row(0)
        paint(layers, row: row, to: light)
      }
      expose(light, row: row, frame.sequence, &sensor, to: target)
    }
    return buffers.lend(index)
  }

  private func row(_ index: Int) -> UnsafeMutablePointer<Float> { rows + 3 * size.width * index }

  private func expose(
    _ light: UnsafeMutablePointer<Float>, row: Int, _ sequence: UInt64, _ sensor: inout physics_sensor,
    to target: UnsafeMutablePointer<UInt8>
  ) {
    let width = size.width
    for color in 0..<3 {
      noise.withRow(row, color: color, sequence: sequence) {
        physics_expose_row(
          light + color * width, $0, width, &sensor, Int32(color), curve, values + color * width)
      }
    }
    let (red, green, blue) = (values, values + width, values + 2 * width)
    if isGrey {
      physics_luma_row(red, green, blue, width, target + row * width)
    } else {
      physics_yuyv_row(red, green, blue, width, target + row * 2 * width)
    }
  }

  // MARK: Layers

  /// A surface in one frame.
  private struct Layer {
    var mixture: SurfaceStack.Mixture
    /// The column of the stack's first pixel in the picture.
    var x: Int
    /// The row of the stack's first pixel in the picture.
    var y: Int
    var width: Int
    var height: Int
    /// The light from the surface where it has no ink: red, green and blue.
    var paper: [Float]
    /// The light from the surface where it has ink: red, green and blue.
    var ink: [Float]
  }

  private func layers(_ frame: PhysicsFrame, octave: Int) -> [Layer] {
    let scale = Double(size.height << octave)
    let surfaces = scene.surfaces(frame.world)
    let stacks = stacks(octave, surfaces, scale)
    return surfaces.indices.compactMap { index in
      guard let stack = stacks[index] else { return nil }
      let surface = surfaces[index]
      let (x, y) = corner(surface, scale)
      let light = surface.light(frame.world, torch: frame.torch)
      let (paper, ink) = (surface.paper * light, surface.ink * light)
      let blur = LensOptics.blur(at: surface.distance, lens: frame.lensPosition) * scale
      return Layer(
        mixture: stack.mixture(radius: blur), x: x + stack.left, y: y + stack.top, width: stack.width,
        height: stack.height, paper: [Float(paper.red), Float(paper.green), Float(paper.blue)],
        ink: [Float(ink.red), Float(ink.green), Float(ink.blue)])
    }
  }

  /// Where a surface's top left corner is, in pixels.
  private func corner(_ surface: PhysicsSurface, _ scale: Double) -> (x: Int, y: Int) {
    (
      Int(((surface.x - scene.aspect / 2) * scale + Double(size.width) / 2).rounded()),
      Int(((surface.y - 0.5) * scale + Double(size.height) / 2).rounded())
    )
  }

  private func stacks(_ octave: Int, _ surfaces: [PhysicsSurface], _ scale: Double) -> [SurfaceStack?] {
    if let stacks = stacks[octave] { return stacks }
    let new = surfaces.enumerated().map { index, surface in
      let (x, y) = corner(surface, scale)
      let isMoving = index == PhysicsScene.subject
      let far = 1 << 20
      return SurfaceStack(
        surface, tile: scene.tile, scale: scale, fillsPicture: index == 0,
        visible: isMoving ? (-far..<far, -far..<far) : (-x..<size.width - x, -y..<size.height - y),
        scratch: scratch)
    }
    stacks[octave] = new
    return new
  }

  private func paint(_ layers: [Layer], row: Int, to light: UnsafeMutablePointer<Float>) {
    for layer in layers where row >= layer.y && row < layer.y + layer.height {
      let (from, to) = (max(0, layer.x), min(size.width, layer.x + layer.width))
      guard from < to else { continue }
      let offset = (row - layer.y) * layer.width + from - layer.x
      let mixture = layer.mixture
      physics_cover_row(
        mixture.sharpInk + offset, mixture.softInk + offset, mixture.sharpCover.map { $0 + offset },
        mixture.softCover.map { $0 + offset }, mixture.part, to - from, layer.paper, layer.ink, light + from,
        light + size.width + from, light + 2 * size.width + from)
    }
  }
}
