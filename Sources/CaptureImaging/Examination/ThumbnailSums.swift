import CPNG
import CaptureModel

/// The pixels of a thumbnail while a picture is read: for each, the sum of the picture's pixels that it covers, and their number.
struct ThumbnailSums {
  private let size: FrameSize
  /// Four numbers for each pixel of the thumbnail: the sums of red, green and blue, and the number of the picture's pixels.
  private var sums: [UInt32]

  /// `nil`: the picture is an interlaced PNG, or none that libpng reads.
  init?(png bytes: UnsafeRawBufferPointer, of picture: FrameSize) {
    self.init(of: picture)
    var row = [UInt8](repeating: 0, count: picture.width * 3)
    let (width, height) = (UInt32(size.width), UInt32(size.height))
    guard
      png_file_sum(
        bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.count, &sums, width, height, &row,
        row.count)
    else { return nil }
  }

  init(_ samples: BayerSamples) {
    self.init(of: samples.size)
    for y in stride(from: 0, to: samples.size.height - 1, by: 2) {
      let row = y * size.height / samples.size.height * size.width
      for x in stride(from: 0, to: samples.size.width - 1, by: 2) {
        let place = (row + x * size.width / samples.size.width) * 4
        let (red, green, blue) = samples.color(atX: x, y: y)
        sums[place] += UInt32(red)
        sums[place + 1] += UInt32(green)
        sums[place + 2] += UInt32(blue)
        sums[place + 3] += 1
      }
    }
  }

  private init(of picture: FrameSize) {
    size = PictureExamination.thumbnailSize(of: picture)
    sums = [UInt32](repeating: 0, count: size.area * 4)
  }

  /// The thumbnail as a JPEG.
  func jpeg() throws(CaptureError) -> (jpeg: [UInt8], size: FrameSize) {
    var pixels = [UInt8](repeating: 0, count: size.area * 3)
    for pixel in 0..<size.area {
      let count = max(sums[pixel * 4 + 3], 1)
      for channel in 0..<3 {
        pixels[pixel * 3 + channel] = UInt8(clamping: sums[pixel * 4 + channel] / count)
      }
    }
    return (try PictureExamination.jpeg(of: pixels, size), size)
  }
}
