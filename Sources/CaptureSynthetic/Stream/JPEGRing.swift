import CaptureImaging
import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization

/// The scene as a loop of JPEGs that lasts about a second. Once all pictures are encoded, a frame costs nothing: its readers share the bytes of the
/// picture in the loop.
///
/// The loop cannot show the time, so its pictures show their place in it. A queue of the ring's own encodes them one after the other, while the stream
/// shows those that exist.
final class JPEGRing: Sendable {
  /// The number of pictures in the loop: as many as take about 3 MB, but 8 to 30.
  let count: Int
  /// How many frames in a row show the same picture.
  private let hold: UInt64
  private struct State {
    var tone: Tone
    var pictures: [Payload?]
    var latest: Payload?
    var isEncoding = false
  }
  private let state: Mutex<State>
  /// `nil` before the first picture, and once all are encoded.
  private let painter = Mutex<RingPainter?>(nil)
  private let makeScene: @Sendable () -> Scene
  private let queue = DispatchQueue(label: "synthetic.ring", qos: .utility)

  static let quality = 85

  /// `rate`: frames a second.
  init(size: FrameSize, rate: Double, tone: Tone, scene: @escaping @Sendable () -> Scene) {
    // At this quality a pixel of the scene takes a fourteenth of a byte.
    count = min(max(3_000_000 / (size.area / 14), 8), 30)
    hold = UInt64(max(1, (rate / Double(count)).rounded()))
    makeScene = scene
    state = Mutex(State(tone: tone, pictures: Array(repeating: nil, count: count)))
  }

  /// Whether all pictures are encoded.
  var isComplete: Bool { state.withLock { !$0.pictures.contains { $0 == nil } } }

  /// The picture of frame `sequence` or, while that is not encoded, the one that was encoded last. The first picture in each tone is encoded at once.
  func picture(_ sequence: UInt64, tone: Tone) throws(CaptureError) -> Payload {
    let slot = Int(sequence / hold % UInt64(count))
    let (known, encodes) = state.withLock { state -> (Payload?, Bool) in
      if tone != state.tone {
        state = State(tone: tone, pictures: Array(repeating: nil, count: count), isEncoding: state.isEncoding)
      }
      let known = state.pictures[slot] ?? state.latest
      guard known != nil, !state.isEncoding, state.pictures.contains(where: { $0 == nil }) else {
        return (known, false)
      }
      state.isEncoding = true
      return (known, true)
    }
    if encodes { queue.async { self.encodeNext(from: slot) } }
    if let known { return known }
    return try encode(slot, tone)
  }

  private func encodeNext(from start: Int) {
    let next = state.withLock { state -> (slot: Int, tone: Tone)? in
      let slots = (start..<start + count).lazy.map { $0 % self.count }
      return slots.first { state.pictures[$0] == nil }.map { ($0, state.tone) }
    }
    // A picture whose encoding failed is tried again.
    if let next { _ = try? encode(next.slot, next.tone) }
    state.withLock { $0.isEncoding = false }
    if isComplete { painter.withLock { $0 = nil } }
  }

  private func encode(_ slot: Int, _ tone: Tone) throws(CaptureError) -> Payload {
    let result = painter.withLock { painter -> Result<Payload, CaptureError> in
      let found = painter ?? RingPainter(makeScene())
      painter = found
      do throws(CaptureError) { return .success(try found.encode(slot, of: count, tone)) } catch {
        return .failure(error)
      }
    }
    let picture = try result.get()
    state.withLock { state in
      guard state.tone == tone else { return }
      state.pictures[slot] = picture
      state.latest = picture
    }
    return picture
  }
}

/// Paints and encodes the pictures of a loop, in memory of its own.
private final class RingPainter {
  private let scene: Scene
  private let canvas: Bitmap
  private let encoder = JPEGEncoder()
  private let pool = PayloadPool(keep: 0)

  init(_ scene: Scene) {
    self.scene = scene
    canvas = Bitmap(width: scene.size.width, height: scene.size.height)
  }

  func encode(_ slot: Int, of count: Int, _ tone: Tone) throws(CaptureError) -> Payload {
    canvas.copy(
      PixelArea(x: 0, y: 0, width: canvas.width, height: canvas.height), of: scene.background)
    let part = Double(slot) / Double(count)
    let moment = Moment(
      clock: "LOOP \(slot + 1 < 10 ? "0" : "")\(slot + 1)/\(count < 10 ? "0" : "")\(count)",
      label: "ENCODED ONCE", journey: part, turn: part)
    scene.drawMoving(moment, on: canvas)
    if let curve = tone.curve { canvas.apply(curve, width: canvas.width, height: canvas.height) }
    // The picture is encoded into memory for the largest possible JPEG, and then copied into as much as it needs.
    let encoded = try encoder.encode(canvas, quality: JPEGRing.quality, into: pool)
    return encoded.withContiguousBytes { Payload(copying: $0) }
  }
}
