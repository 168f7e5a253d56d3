import CaptureModel
import CaptureSystem
import Glibc

/// Eight vertical bars at 75 %, as a frame of any pixel format. The arithmetic is this file's own, from BT.601, so that it can
/// witness for the library's. The matrices are those of ITU-R BT.601, BT.709 and BT.2020 and of SMPTE 240M.
struct ColorBars {
  static let colors: [[Double]] = [
    [191, 191, 191], [191, 191, 0], [0, 191, 191], [0, 191, 0], [191, 0, 191], [191, 0, 0], [0, 0, 191],
    [16, 16, 16],
  ]

  var size: FrameSize
  var isFullRange = false
  var matrix = ColorMatrix.rec601
  /// Bytes added to each row.
  var rowPadding = 0

  func color(_ x: Int) -> [Double] { Self.colors[min(x * 8 / size.width, 7)] }

  func yuv(_ x: Int) -> (y: UInt8, u: UInt8, v: UInt8) {
    let rgb = color(min(x, size.width - 1))
    let (y, u, v) = components(rgb)
    if isFullRange { return (byte(y), byte(u + 128), byte(v + 128)) }
    return (byte(y * 219 / 255 + 16), byte(u * 224 / 255 + 128), byte(v * 224 / 255 + 128))
  }

  /// Luma 0…255 and chroma ±127.5.
  private func components(_ rgb: [Double]) -> (y: Double, u: Double, v: Double) {
    let (red, blue) =
      switch matrix {
      case .rec601, .identity: (0.299, 0.114)
      case .rec709: (0.2126, 0.0722)
      case .rec2020, .rec2020ConstantLuminance: (0.2627, 0.0593)
      case .smpte240M: (0.212, 0.087)
      }
    if matrix == .rec2020ConstantLuminance {
      let light = rgb.map { Self.light($0 / 255) }
      let y = Self.value(red * light[0] + (1 - red - blue) * light[1] + blue * light[2]) * 255
      let (u, v) = (rgb[2] - y, rgb[0] - y)
      return (y, u / (u <= 0 ? 1.9404 : 1.5816), v / (v <= 0 ? 1.7184 : 0.9936))
    }
    let y = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2]
    return (y, (rgb[2] - y) / (2 - 2 * blue), (rgb[0] - y) / (2 - 2 * red))
  }

  private static func light(_ value: Double) -> Double {
    value < 0.0812 ? value / 4.5 : pow((value + 0.0993) / 1.0993, 1 / 0.45)
  }
  private static func value(_ light: Double) -> Double {
    light < 0.0181 ? 4.5 * light : 1.0993 * pow(light, 0.45) - 0.0993
  }

  /// Luma of a bar with this matrix, 0…255.
  func luma(bar: Int) -> Double { components(Self.colors[bar]).y }

  func frame(_ code: String) -> Frame {
    let planes = planes(code)
    let isShared = !code.contains("M")
    let payload: Payload
    if isShared {
      payload = Payload(copying: planes.flatMap(\.bytes))
    } else {
      let pieces = planes.map { Payload(copying: $0.bytes) }
      payload = Payload(lending: pieces.flatMap(\.segments)) { _ = pieces }
    }
    let layouts = (isShared ? [planes[0]] : planes).map {
      PlaneLayout(stride: $0.stride, bytes: $0.bytes.count)
    }
    let format = StreamFormat(
      pixelFormat: PixelFormat(code)!, size: size, interval: nil, planes: layouts,
      color: ColorDescription(matrix: matrix, isFullRange: isFullRange))
    return Frame(
      payload: payload, format: format, sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
  }

  private struct Rows {
    var stride: Int
    var bytes: [UInt8]
  }

  /// Rows of `make(y)`, filled up to a stride with bytes that no bar has.
  private func rows(_ count: Int, padding: Int, _ make: (Int) -> [UInt8]) -> Rows {
    let bytes = (0..<count).map { make($0) + [UInt8](repeating: 77, count: padding) }
    return Rows(stride: bytes[0].count, bytes: bytes.flatMap { $0 })
  }

  private func planes(_ code: String) -> [Rows] {
    let (width, height) = (size.width, size.height)
    func plane(_ value: @escaping (Int) -> UInt8, _ x: Int = 0, _ y: Int = 0) -> Rows {
      rows((height + (1 << y) - 1) >> y, padding: rowPadding >> x) { _ in
        (0..<(width + (1 << x) - 1) >> x).map { value($0 << x) }
      }
    }
    func pairs(
      _ a: KeyPath<(y: UInt8, u: UInt8, v: UInt8), UInt8>,
      _ b: KeyPath<(y: UInt8, u: UInt8, v: UInt8), UInt8>, _ x: Int, _ y: Int
    ) -> Rows {
      rows((height + (1 << y) - 1) >> y, padding: x == 0 ? rowPadding * 2 : rowPadding) { _ in
        (0..<(width + (1 << x) - 1) >> x).flatMap { [yuv($0 << x)[keyPath: a], yuv($0 << x)[keyPath: b]] }
      }
    }
    func packed(_ make: @escaping (Int) -> [UInt8], step: Int = 1) -> [Rows] {
      [rows(height, padding: rowPadding) { _ in stride(from: 0, to: width, by: step).flatMap(make) }]
    }
    func rgb(_ x: Int) -> (r: UInt8, g: UInt8, b: UInt8) {
      let rgb = color(x).map { isFullRange ? $0 : $0 * 219 / 255 + 16 }
      return (byte(rgb[0]), byte(rgb[1]), byte(rgb[2]))
    }
    let y = plane { yuv($0).y }
    switch code {
    case "YUYV": return packed({ [yuv($0).y, yuv($0).u, yuv($0 + 1).y, yuv($0).v] }, step: 2)
    case "YVYU": return packed({ [yuv($0).y, yuv($0).v, yuv($0 + 1).y, yuv($0).u] }, step: 2)
    case "UYVY": return packed({ [yuv($0).u, yuv($0).y, yuv($0).v, yuv($0 + 1).y] }, step: 2)
    case "VYUY": return packed({ [yuv($0).v, yuv($0).y, yuv($0).u, yuv($0 + 1).y] }, step: 2)
    case "NV12", "NM12": return [y, pairs(\.u, \.v, 1, 1)]
    case "NV21", "NM21": return [y, pairs(\.v, \.u, 1, 1)]
    case "NV16": return [y, pairs(\.u, \.v, 1, 0)]
    case "NV61": return [y, pairs(\.v, \.u, 1, 0)]
    case "NV24": return [y, pairs(\.u, \.v, 0, 0)]
    case "YU12", "YM12": return [y, plane({ yuv($0).u }, 1, 1), plane({ yuv($0).v }, 1, 1)]
    case "YV12": return [y, plane({ yuv($0).v }, 1, 1), plane({ yuv($0).u }, 1, 1)]
    case "422P": return [y, plane({ yuv($0).u }, 1, 0), plane({ yuv($0).v }, 1, 0)]
    case "GREY": return [y]
    case "RGB3": return packed { [rgb($0).r, rgb($0).g, rgb($0).b] }
    case "BGR3": return packed { [rgb($0).b, rgb($0).g, rgb($0).r] }
    case "XR24", "AR24": return packed { [rgb($0).b, rgb($0).g, rgb($0).r, 0] }
    case "BX24": return packed { [0, rgb($0).r, rgb($0).g, rgb($0).b] }
    case "XB24": return packed { [rgb($0).r, rgb($0).g, rgb($0).b, 0] }
    case "RX24": return packed { [0, rgb($0).b, rgb($0).g, rgb($0).r] }
    case "RGBP":
      return packed { x in
        let word = UInt16(rgb(x).r >> 3) << 11 | UInt16(rgb(x).g >> 2) << 5 | UInt16(rgb(x).b >> 3)
        return [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)]
      }
    case "RGGB", "GRBG", "GBRG", "BA81":
      let pattern = Array((code == "BA81" ? "BGGR" : code).utf8)
      return [
        rows(height, padding: rowPadding) { row in
          (0..<width).map { x in
            switch pattern[(row & 1) * 2 + (x & 1)] {
            case UInt8(ascii: "R"): rgb(x).r
            case UInt8(ascii: "G"): rgb(x).g
            default: rgb(x).b
            }
          }
        }
      ]
    default: fatalError("no bars in \(code)")
    }
  }
}

private func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
