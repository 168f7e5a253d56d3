import CaptureImaging
import CaptureModel
import CaptureSystem

/// Makes raw pictures of the scene in lent buffers. A buffer keeps its picture of the background between frames. Only the areas that move are
/// painted: first the background over those of the buffer's former frame, then those of the new frame.
final class RawRenderer {
  let buffers: LentBuffers
  private let layout: RawLayout
  private let scene: Scene
  private var tone: Tone
  /// The background in the stream's format, with `tone`.
  private let background: UnsafeMutablePointer<UInt8>
  private let tile: Bitmap
  /// For each buffer, the areas in which it differs from the background; `nil`: everywhere.
  private var painted: [[PixelArea]?]

  /// As many as drivers usually have.
  static let bufferCount = 6

  init(_ layout: RawLayout, scene: Scene, tone: Tone) {
    self.layout = layout
    self.scene = scene
    self.tone = tone
    buffers = LentBuffers(count: Self.bufferCount, bytes: layout.bytes(scene.size))
    let bytes = layout.bytes(scene.size)
    background = PictureMemory.allocate(bytes).bindMemory(to: UInt8.self, capacity: bytes)
    painted = Array(repeating: nil, count: Self.bufferCount)
    let areas = scene.movingAreas(Moment(clock: "", label: "", journey: 0, turn: 0))
    // Two more pixels in each direction, since an area grows when it is aligned.
    tile = Bitmap(width: areas.map(\.width).max()! + 4, height: areas.map(\.height).max()! + 4)
    writeBackground()
  }

  deinit { PictureMemory.free(background, count: layout.bytes(scene.size)) }

  /// The scene at a moment. `nil`: readers hold every buffer.
  func render(_ moment: Moment, tone: Tone) -> Payload? {
    guard let index = buffers.take() else { return nil }
    if tone != self.tone {
      self.tone = tone
      writeBackground()
      for index in painted.indices { painted[index] = nil }
    }
    let target = buffers.base(index)
    if let areas = painted[index] {
      for area in areas { layout.copy(area, of: background, to: target, size: scene.size) }
    } else {
      target.update(from: background, count: layout.bytes(scene.size))
    }
    let areas = scene.movingAreas(moment)
    for area in areas {
      tile.copy(area, of: scene.background)
      scene.drawMoving(moment, on: tile, x: area.x, y: area.y)
      if let curve = tone.curve { tile.apply(curve, width: area.width, height: area.height) }
      tile.write(layout, over: area, of: target, size: scene.size)
    }
    painted[index] = areas
    return buffers.lend(index)
  }

  private func writeBackground() {
    let whole = PixelArea(x: 0, y: 0, width: scene.size.width, height: scene.size.height)
    guard let curve = tone.curve else {
      return scene.background.write(layout, over: whole, of: background, size: scene.size)
    }
    let toned = Bitmap(width: whole.width, height: whole.height)
    toned.copy(whole, of: scene.background)
    toned.apply(curve, width: whole.width, height: whole.height)
    toned.write(layout, over: whole, of: background, size: scene.size)
  }
}
