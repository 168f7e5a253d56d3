import CaptureClient
import CaptureImaging
import CaptureOptions
import CaptureSystem

@Sendable func makeContactSheet(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let path = arguments[Options.sheetOutput]!
  let target = OutputTarget(ofOneFile: path)
  try target.requireName(of: "a contact sheet", as: .jpeg)
  try target.requireNoTerminal()
  let (count, columns) = (arguments[Options.assetCount], arguments[Options.columns]!)
  let most = ContactSheet.most(columns: columns)
  if let count, count > most {
    throw Misuse(
      "with --columns \(columns) a sheet has at most \(most) pictures; name fewer with --count, or a time with --since"
    )
  }
  let assets = try await context.library.assets(context.assetFilter(), limit: count ?? most)
  guard !assets.isEmpty else { throw Failure("there are no pictures for a sheet") }
  let sheet = ContactSheet(pictures: assets.count, columns: columns)
  // The oldest is first, as on paper.
  let shown = Array(assets.reversed())
  for (index, thumbnail) in try await context.library.thumbnails(of: shown.map(\.id)).enumerated() {
    let jpeg = thumbnail.jpeg
    let picture = try jpeg.map { try $0.withContiguousBytes { try Bitmap.decoding($0) } }
    sheet.paint(picture, caption: Moment.text(shown[index].created), at: index)
  }
  let writer = PictureWriter(target)
  try await writer.open()
  let jpeg = try sheet.jpeg()
  try await writer.write(jpeg)
  _ = try await writer.finish()
  try context.report(
    ["path": target == .standardOutput ? String?.none : path, "pictures": assets.count, "bytes": jpeg.count],
    text: "\(path): \(assets.count) pictures, \(bytesText(UInt64(jpeg.count)))\n", besides: target)
}

/// A page of small pictures in rows, each with its time below.
final class ContactSheet {
  /// The most pictures of a sheet with so many columns.
  static func most(columns: Int) -> Int { min(1000, columns * ((longest - margin) / (step + caption))) }

  /// The most pixels of a JPEG's side, as libjpeg-turbo has it (`JPEG_MAX_DIMENSION`).
  private static let longest = 65_500
  private static let side = 160
  private static let margin = 12
  private static let step = side + margin
  private static let caption = 16
  private static let paper: UInt32 = 0xFF18_1C24
  private static let frame: UInt32 = 0xFF2A_303C

  private let bitmap: Bitmap
  private let columns: Int
  private let font = BitmapFont(scale: 1, pixel: 0xFFC8_D0DC)

  init(pictures: Int, columns: Int) {
    self.columns = min(columns, pictures)
    let rows = (pictures + self.columns - 1) / self.columns
    bitmap = Bitmap(
      width: self.columns * Self.step + Self.margin,
      height: rows * (Self.step + Self.caption) + Self.margin)
    bitmap.fill(Self.paper)
  }

  /// Paints a picture, or an empty frame where there is none.
  func paint(_ picture: Bitmap?, caption: String, at index: Int) {
    let (x, y) = (
      Self.margin + index % columns * Self.step,
      Self.margin + index / columns * (Self.step + Self.caption)
    )
    let shown = picture ?? Self.emptyFrame()
    bitmap.blend(
      shown, x: x + (Self.side - shown.width) / 2, y: y + (Self.side - shown.height) / 2)
    font.draw(
      caption, on: bitmap, x: x + (Self.side - font.width(caption.count)) / 2,
      y: y + Self.side + (Self.caption - font.height) / 2)
  }

  private static func emptyFrame() -> Bitmap {
    let frame = Bitmap(width: side, height: side * 3 / 4)
    frame.fill(Self.frame)
    return frame
  }

  func jpeg() throws(CaptureError) -> Payload {
    try JPEGEncoder().encode(bitmap, quality: 88, into: PayloadPool())
  }
}
