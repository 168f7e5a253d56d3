import CaptureModel
import CaptureSystem
import Foundation
import Testing

/// A JPEG as djpeg, a witness outside this package, decodes it.
struct DecodedPicture {
  var size: FrameSize
  /// 1 (grey) or 3.
  var components: Int
  var samples: [UInt8]

  init(_ jpeg: Payload) throws {
    let directory = FileManager.default.temporaryDirectory
    let name = "bars-\(UUID().uuidString)"
    let (input, output) = (directory.appending(path: name + ".jpg"), directory.appending(path: name + ".pnm"))
    defer {
      try? FileManager.default.removeItem(at: input)
      try? FileManager.default.removeItem(at: output)
    }
    try Data(jpeg.bytes).write(to: input)
    let djpeg = Process()
    djpeg.executableURL = URL(filePath: "/usr/bin/djpeg")
    djpeg.arguments = ["-pnm", "-outfile", output.path, input.path]
    let messages = Pipe()
    djpeg.standardError = messages
    try djpeg.run()
    djpeg.waitUntilExit()
    let text = String(decoding: messages.fileHandleForReading.availableData, as: UTF8.self)
    try #require(djpeg.terminationStatus == 0 && text.isEmpty, "djpeg: \(text)")
    let bytes = [UInt8](try Data(contentsOf: output))
    // "P6\nWIDTH HEIGHT\n255\n", then the samples; P5 for grey.
    let header = bytes.split(separator: 0x0A, maxSplits: 3, omittingEmptySubsequences: false)
    let numbers = String(decoding: header[1], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    size = FrameSize(width: numbers[0], height: numbers[1])
    components = bytes[1] == UInt8(ascii: "6") ? 3 : 1
    samples = Array(header[3])
  }

  func color(x: Int, y: Int) -> [Int] {
    let start = (y * size.width + x) * components
    return samples[start..<start + components].map(Int.init)
  }
}

/// The largest difference between the middle of each bar and what it should be, over two rows.
func worstDifference(_ picture: DecodedPicture) -> Int {
  var worst = 0
  for bar in 0..<8 {
    for y in [picture.size.height / 3, picture.size.height - 1] {
      let found = picture.color(x: (2 * bar + 1) * picture.size.width / 16, y: y)
      let rgb = ColorBars.colors[bar]
      let wanted = found.count == 3 ? rgb : [0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]]
      for (a, b) in zip(found, wanted) { worst = max(worst, abs(a - Int(b.rounded()))) }
    }
  }
  return worst
}

/// Luma's sampling factors from a JPEG's frame header: 0x21 is 4:2:2, 0x22 4:2:0, 0x11 grey.
func lumaSampling(_ jpeg: Payload) -> UInt8? {
  let bytes = jpeg.bytes
  guard let start = bytes.indices.dropLast(12).first(where: { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
  else { return nil }
  return bytes[start + 11]
}
