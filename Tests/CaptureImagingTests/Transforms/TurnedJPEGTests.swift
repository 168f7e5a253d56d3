import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

struct TurnedJPEGTests {
  let encoder = JPEGEncoder()
  let decoder = JPEGDecoder()
  let pool = PayloadPool()

  /// A picture in which no corner is like another, so that every wrong turn shows.
  private func frame(_ code: String, _ size: FrameSize) -> Frame {
    ComponentLayout(code).frame(code, size, padding: 0) { index, x, y in
      // Smooth, so that compression changes little.
      let (width, height) = index == 0 ? (size.width, size.height) : (size.width / 2, size.height)
      let across = x * 100 / width
      let down = y * 60 / height
      return UInt8(
        index == 0 ? 40 + across + down : index == 1 ? 100 + across / 2 : 150 - across / 3 + down / 4)
    }
  }

  private func luma(_ jpeg: Payload, _ size: FrameSize) throws -> Component {
    let planes = try decoder.decode(jpeg.segments[0], size: size)
    return Component(width: size.width, height: size.height) { planes.luma.row($1)[$0] }
  }

  private func colors(_ jpeg: Payload) throws -> [Component] {
    let picture = try DecodedPicture(jpeg)
    return (0..<3).map { index in
      Component(width: picture.size.width, height: picture.size.height) {
        UInt8(picture.color(x: $0, y: $1)[index])
      }
    }
  }

  @Test(arguments: ["YUYV", "NV12", "RGB3"], everyTurn)
  func aJPEGOfATurnedFrameIsTheTurnedJPEG(code: String, transform: PictureTransform) throws {
    let (frame, size) = (frame(code, FrameSize(width: 160, height: 96)), FrameSize(width: 160, height: 96))
    let plain = try colors(encoder.encode(frame, quality: 95, into: pool))
    let turned = try encoder.encode(frame, quality: 95, transform: transform, into: pool)
    #expect(try DecodedPicture(turned).size == size.turned(transform.orientation))
    for (a, b) in zip(try colors(turned), plain) { #expect(a.difference(b.turned(transform)) <= 8) }
  }

  @Test func cropsAreCutOutAndZoomsScaled() throws {
    let (frame, size) = (
      frame("YUYV", FrameSize(width: 320, height: 192)), FrameSize(width: 320, height: 192)
    )
    let plain = try luma(encoder.encode(frame, quality: 95, into: pool), size)
    let crop = PictureTransform(crop: try NormalizedRect(x: 0.5, y: 0.25, width: 0.25, height: 0.75))
    let cut = try encoder.encode(frame, quality: 95, transform: crop, into: pool)
    let part = plain.cropped(x: 160, y: 48, width: 80, height: 144)
    #expect(try luma(cut, FrameSize(width: 80, height: 144)).difference(part) <= 6)

    let zoom = try PictureTransform(cropFactor: 2, orientation: .clockwise90)
    let zoomed = try luma(
      encoder.encode(frame, quality: 95, transform: zoom, into: pool), FrameSize(width: 192, height: 320))
    for place in [(20, 30), (150, 300), (96, 160)] {
      let picture = try NormalizedPoint(x: Double(place.0) / 192, y: Double(place.1) / 320)
      let device = zoom.devicePoint(forPicturePoint: picture)
      let wanted = plain[Int(device.x * 320), Int(device.y * 192)]
      #expect(abs(Int(zoomed[place.0, place.1]) - Int(wanted)) <= 4)
    }
  }

  /// Whole MCUs: coefficients change places only, so that turning back gives the very same picture.
  @Test(arguments: ["YUYV", "NV12", "GREY"], everyTurn)
  func aCamerasJPEGIsTurnedWithoutLoss(code: String, transform: PictureTransform) throws {
    let size = FrameSize(width: 160, height: 96)
    let original = try encoder.encode(frame(code, size), quality: 70, into: pool)
    let turned = try #require(try JPEGTurner().turn(original.segments[0], size: size, transform, into: pool))
    let turnedSize = size.turned(transform.orientation)
    // Rounding differs between columns and rows.
    #expect(try luma(turned, turnedSize).difference(luma(original, size).turned(transform)) <= 2)
    // A mirrored turn is its own inverse.
    let back = PictureTransform(
      orientation: transform.isMirrored ? transform.orientation : transform.orientation.inverse,
      isMirrored: transform.isMirrored)
    let again = try #require(try JPEGTurner().turn(turned.segments[0], size: turnedSize, back, into: pool))
    #expect(try luma(again, size) == luma(original, size))
    #expect(try DecodedPicture(again).samples == DecodedPicture(original).samples)
  }

  @Test(arguments: everyTurn)
  func aCropAtWholeMCUsLosesNothing(turn: PictureTransform) throws {
    let size = FrameSize(width: 320, height: 192)
    let original = try encoder.encode(frame("YUYV", size), quality: 70, into: pool)
    var transform = turn
    transform.crop = try NormalizedRect(x: 0.2, y: 1 / 3, width: 0.5, height: 0.5)
    let cut = try #require(try JPEGTurner().turn(original.segments[0], size: size, transform, into: pool))
    let part = try luma(original, size).cropped(x: 64, y: 64, width: 160, height: 96).turned(transform)
    #expect(try luma(cut, transform.size(of: size)).difference(part) <= 2)
  }

  @Test(arguments: everyTurn)
  func whatIsNoWholeMCUIsDecodedAndEncodedAgain(transform: PictureTransform) throws {
    let size = FrameSize(width: 150, height: 90)
    let original = try encoder.encode(frame("YUYV", size), quality: 95, into: pool)
    let settings = JPEGSettings(
      size: size.turned(transform.orientation), quality: 95, transform: transform, isLosslessPreferred: true)
    let turned = try encoder.encode(jpegFrame(original, size), as: settings, into: pool)
    #expect(
      try luma(turned, settings.size).difference(luma(original, size).turned(transform)) <= 4)
    let lossless = try JPEGTurner().turn(original.segments[0], size: size, transform, into: pool)
    // Only what leaves the right and the lower edge where they are, or swaps them, can do without.
    let isPossible = [PictureTransform(), PictureTransform(orientation: .clockwise90, isMirrored: true)]
    #expect((lossless != nil) == isPossible.contains(transform))
  }

  @Test func losslessKeepsTheCoefficientsWhateverQualityIsSaid() throws {
    let size = FrameSize(width: 160, height: 96)
    let original = try encoder.encode(frame("YUYV", size), quality: 95, into: pool)
    var settings = JPEGSettings(
      size: size, quality: 5, transform: PictureTransform(orientation: .upsideDown), isLosslessPreferred: true
    )
    let kept = try encoder.encode(jpegFrame(original, size), as: settings, into: pool)
    settings.isLosslessPreferred = false
    let coarse = try encoder.encode(jpegFrame(original, size), as: settings, into: pool)
    #expect(coarse.count < kept.count / 2)
  }

  /// Webcams leave out the standard tables.
  @Test func aJPEGWithoutHuffmanTablesIsTurned() throws {
    let size = FrameSize(width: 160, height: 96)
    let original = try encoder.encode(frame("YUYV", size), quality: 70, into: pool)
    let bare = Payload(copying: withoutHuffmanTables(original.bytes))
    #expect(bare.count < original.count - 400)
    let turn = PictureTransform(orientation: .upsideDown)
    let turned = try #require(try JPEGTurner().turn(bare.segments[0], size: size, turn, into: pool))
    #expect(try luma(turned, size).difference(luma(original, size).turned(turn)) <= 2)
  }

  @Test func damagedJPEGIsRefusedAndTheNextOneTurned() throws {
    let size = FrameSize(width: 320, height: 192)
    let good = try encoder.encode(frame("YUYV", size), into: pool)
    let turner = JPEGTurner()
    let turn = PictureTransform(orientation: .clockwise90)
    var bytes = good.bytes
    for index in bytes.count / 2..<bytes.count - 40 { bytes[index] = 0xFF }
    for bad in [bytes, Array(good.bytes.dropLast(2)), []] {
      let payload = Payload(copying: bad)
      let error = #expect(throws: CaptureError.self) {
        try turner.turn(payload.segments[0], size: size, turn, into: pool)
      }
      #expect(error?.code == .dataLoss)
      #expect(try turner.turn(good.segments[0], size: size, turn, into: pool) != nil)
    }
    #expect(throws: CaptureError.self) {
      try turner.turn(good.segments[0], size: FrameSize(width: 640, height: 480), turn, into: pool)
    }
  }

  private func withoutHuffmanTables(_ jpeg: [UInt8]) -> [UInt8] {
    var result = Array(jpeg[..<2])
    var offset = 2
    while jpeg[offset + 1] != 0xDA {
      let length = 2 + Int(jpeg[offset + 2]) << 8 + Int(jpeg[offset + 3])
      if jpeg[offset + 1] != 0xC4 { result += jpeg[offset..<offset + length] }
      offset += length
    }
    return result + jpeg[offset...]
  }
}
