import CaptureModel
import Glibc

/// The uncompressed samples of a Bayer sensor in a DNG, as colours to look at.
struct BayerSamples {
  let size: FrameSize
  private let bytes: UnsafeRawBufferPointer
  private let start: Int
  private let bytesPerSample: Int
  private let isLittle: Bool
  /// The colours of four samples that repeat: 0 for red, 1 for green, 2 for blue.
  private let pattern: [Int]
  /// For each colour, the thumbnail's values at 1,024 steps from the black level to the white level, with white balance and gamma.
  private let tones: [[UInt8]]
  private let black: Int
  private let white: Int

  /// `main`: the directory of the picture. `first`: the directory that describes the camera. `nil`: the picture is compressed, lies in several
  /// pieces, or is not a Bayer sensor's.
  init?(
    _ main: TIFFDirectory, _ first: TIFFDirectory, in bytes: UnsafeRawBufferPointer, _ size: FrameSize
  ) {
    let bits = main.values(258)?.first ?? 0
    guard main.values(259)?.first == 1, main.values(262)?.first == 32_803, bits == 8 || bits == 16,
      main.values(33_421) == [2, 2], let pattern = main.values(33_422), pattern.count == 4,
      pattern.allSatisfy((0...2).contains), let starts = main.values(273), starts.count == 1,
      main.values(279)?.first == size.area * bits / 8
    else { return nil }
    (self.size, self.bytes, start, bytesPerSample) = (size, bytes, starts[0], bits / 8)
    (self.pattern, isLittle) = (pattern, main.isLittle)
    let black = main.values(50_714)?.first ?? 0
    let white = max(main.values(50_717)?.first ?? (1 << bits) - 1, black + 1)
    (self.black, self.white) = (black, white)
    let neutral = first.rationals(50_728) ?? []
    tones = (0..<3).map { color in
      let gain = neutral.count == 3 && neutral[color] > 0 ? neutral[1] / neutral[color] : 1
      return (0..<1024).map { UInt8(clamping: Int(255 * pow(min(Double($0) / 1023 * gain, 1), 1 / 2.2))) }
    }
  }

  /// The colour of two by two samples.
  func color(atX x: Int, y: Int) -> (red: Int, green: Int, blue: Int) {
    var sums = (red: 0, green: 0, blue: 0)
    for place in 0..<4 {
      let color = pattern[place]
      let value = Int(tones[color][step(of: sample(x + place & 1, y + place >> 1))])
      switch color {
      case 0: sums.red += value
      case 1: sums.green += value
      default: sums.blue += value
      }
    }
    // A Bayer filter has two green samples.
    return (sums.red, sums.green / 2, sums.blue)
  }

  private func step(of sample: Int) -> Int {
    min(max(sample - black, 0), white - black) * 1023 / (white - black)
  }

  private func sample(_ x: Int, _ y: Int) -> Int {
    let place = start + (y * size.width + x) * bytesPerSample
    if bytesPerSample == 1 { return Int(bytes[place]) }
    let (low, high) = isLittle ? (place, place + 1) : (place + 1, place)
    return Int(bytes[low]) | Int(bytes[high]) << 8
  }
}
