import CaptureImaging
import CaptureModel
import CaptureSystem

/// The scene as a loop of JPEGs, encoded when first needed: after one round, a frame costs nothing, and all of its readers share it.
///
/// The loop cannot show the time: its pictures say their place in it.
final class JPEGRing {
  private let scene: Scene
  private var tone: Tone
  private var pictures: [Payload?]
  private var latest: Payload?
  private let encoder = JPEGEncoder()
  private let pool = PayloadPool(keep: 0)
  private let canvas: Bitmap

  static let count = 30
  static let quality = 85

  init(scene: Scene, tone: Tone) {
    self.scene = scene
    self.tone = tone
    pictures = Array(repeating: nil, count: Self.count)
    canvas = Bitmap(width: scene.size.width, height: scene.size.height)
  }

  /// The picture of frame `sequence`. `isLate`: there is no time to encode one now, so an older one does if there is any.
  func picture(_ sequence: UInt64, tone: Tone, isLate: Bool) throws(CaptureError) -> Payload {
    if tone != self.tone {
      self.tone = tone
      pictures = Array(repeating: nil, count: Self.count)
      latest = nil
    }
    let slot = Int(sequence % UInt64(Self.count))
    if let picture = pictures[slot] { return picture }
    if isLate, let latest { return latest }
    canvas.copy(
      PixelArea(x: 0, y: 0, width: canvas.width, height: canvas.height), of: scene.background)
    let part = Double(slot) / Double(Self.count)
    let moment = Moment(
      clock: "LOOP \(slot + 1 < 10 ? "0" : "")\(slot + 1)/\(Self.count)", label: "ENCODED ONCE",
      journey: part,
      turn: part)
    scene.drawMoving(moment, on: canvas)
    if let curve = tone.curve { canvas.apply(curve, width: canvas.width, height: canvas.height) }
    // Encoded into memory for the largest JPEG possible, kept in as much as it needs.
    let encoded = try encoder.encode(canvas, quality: Self.quality, into: pool)
    let picture = encoded.withContiguousBytes { Payload(copying: $0) }
    (pictures[slot], latest) = (picture, picture)
    return picture
  }
}
