import CaptureImaging
import CaptureModel
import Glibc

/// The synthetic camera's scene: hills at dusk with a balloon, a panel with the time, colour bars and a focus star.
///
/// The background is painted once. A few sprites move over small areas of it.
struct Scene {
  let size: FrameSize
  let background: Bitmap
  private let balloon: Bitmap
  private let hand: Bitmap
  private let clockFont: BitmapFont
  private let smallFont: BitmapFont
  private let panel: Panel

  /// `caption`: a line under the clock that says what the camera delivers.
  init(size: FrameSize, caption: String) {
    self.size = size
    let unit = max(1, min(size.height / 144, size.width / 150))
    clockFont = BitmapFont(scale: unit, pixel: Palette.text.pixel())
    smallFont = BitmapFont(scale: max(1, unit / 2), pixel: Palette.accent.pixel())
    panel = Panel(
      unit: unit, clockWidth: clockFont.width(12), clockHeight: clockFont.height,
      lineHeight: smallFont.height)
    balloon = Sprites.balloon(height: size.height / 4)
    hand = Sprites.dot(diameter: max(4, panel.dialRadius / 2), Palette.accent)
    background = Bitmap(width: size.width, height: size.height)
    let painter = BackgroundPainter(background)
    painter.paintSky()
    painter.paintHills()
    painter.paintStar()
    painter.paintBars()
    painter.shade(panel.area)
    painter.paintDial(x: panel.dialX, y: panel.dialY, radius: panel.dialRadius)
    smallFont.draw(caption, on: background, x: panel.textX, y: panel.captionY)
  }

  /// The areas that differ from the background at a moment. Their edges have even coordinates.
  func movingAreas(_ moment: Moment) -> [PixelArea] {
    let (balloonX, balloonY) = balloonPosition(moment)
    let (handX, handY) = handPosition(moment)
    return [
      PixelArea(x: panel.textX, y: panel.clockY, width: clockFont.width(12), height: clockFont.height),
      PixelArea(x: panel.textX, y: panel.numberY, width: smallFont.width(16), height: smallFont.height),
      PixelArea(x: balloonX, y: balloonY, width: balloon.width, height: balloon.height),
      PixelArea(x: handX, y: handY, width: hand.width, height: hand.height),
    ].map { $0.aligned(in: size) }.filter { $0.width > 0 && $0.height > 0 }
  }

  /// Draws the moving parts on a bitmap whose top left corner is at `x`, `y` of the scene.
  func drawMoving(_ moment: Moment, on bitmap: Bitmap, x: Int = 0, y: Int = 0) {
    clockFont.draw(moment.clock, on: bitmap, x: panel.textX - x, y: panel.clockY - y)
    smallFont.draw(moment.label, on: bitmap, x: panel.textX - x, y: panel.numberY - y)
    let (balloonX, balloonY) = balloonPosition(moment)
    bitmap.blend(balloon, x: balloonX - x, y: balloonY - y)
    let (handX, handY) = handPosition(moment)
    bitmap.blend(hand, x: handX - x, y: handY - y)
  }

  /// The balloon moves across the sky and back, and sways.
  private func balloonPosition(_ moment: Moment) -> (Int, Int) {
    let (width, height) = (Double(size.width), Double(size.height))
    let x = width * (0.46 + 0.3 * sin(2 * .pi * moment.journey))
    let y = height * (0.34 + 0.05 * sin(2 * .pi * 3 * moment.journey))
    return (Int(x) - balloon.width / 2, Int(y) - balloon.height / 2)
  }

  /// The hand moves once around the dial.
  private func handPosition(_ moment: Moment) -> (Int, Int) {
    let radius = Double(panel.dialRadius) * 0.62
    let angle = 2 * .pi * moment.turn - .pi / 2
    return (
      panel.dialX + Int((radius * cos(angle)).rounded()) - hand.width / 2,
      panel.dialY + Int((radius * sin(angle)).rounded()) - hand.height / 2
    )
  }
}

/// The moment of a picture, and the texts that show it.
struct Moment {
  /// "HH:MM:SS.mmm", or another text of the same length.
  var clock: String
  /// "FRAME 0000000001": 16 characters.
  var label: String
  /// The balloon's progress, 0…1.
  var journey: Double
  /// The hand's turn, 0…1.
  var turn: Double
}

/// The places of the parts of the panel with the time.
private struct Panel {
  let area: PixelArea
  let textX: Int
  let clockY: Int
  let numberY: Int
  let captionY: Int
  let dialX: Int
  let dialY: Int
  let dialRadius: Int

  init(unit: Int, clockWidth: Int, clockHeight: Int, lineHeight: Int) {
    let (margin, padding, gap) = (4 * unit, 3 * unit, 2 * unit)
    let inner = clockHeight + 2 * (gap + lineHeight)
    dialRadius = inner / 2
    area = PixelArea(
      x: margin, y: margin, width: clockWidth + inner + 3 * padding, height: inner + 2 * padding)
    textX = margin + padding
    clockY = margin + padding
    numberY = clockY + clockHeight + gap
    captionY = numberY + lineHeight + gap
    dialX = margin + 2 * padding + clockWidth + dialRadius
    dialY = margin + padding + dialRadius
  }
}
