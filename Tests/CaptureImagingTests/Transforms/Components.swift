import CaptureModel
import CaptureSystem

/// One component of a picture, apart from how a pixel format stores it: the witness for what the library does to frames.
struct Component: Equatable {
  var width: Int
  var height: Int
  var samples: [UInt8]

  init(width: Int, height: Int, _ value: (Int, Int) -> UInt8) {
    (self.width, self.height) = (width, height)
    samples = (0..<width * height).map { value($0 % width, $0 / width) }
  }

  subscript(x: Int, y: Int) -> UInt8 { samples[y * width + x] }

  func cropped(x: Int, y: Int, width: Int, height: Int) -> Component {
    Component(width: width, height: height) { self[$0 + x, $1 + y] }
  }

  /// A quarter clockwise, as often as asked, then mirrored.
  func turned(_ transform: PictureTransform) -> Component {
    var result = self
    for _ in 0..<transform.orientation.rawValue / 90 {
      let from = result
      result = Component(width: from.height, height: from.width) { from[$1, from.height - 1 - $0] }
    }
    let from = result
    return transform.isMirrored
      ? Component(width: from.width, height: from.height) { from[from.width - 1 - $0, $1] } : from
  }

  /// The largest difference between two samples in the same place.
  func difference(_ other: Component) -> Int {
    guard width == other.width, height == other.height else { return 256 }
    return zip(samples, other.samples).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
  }
}

/// Where the components of a pixel format are in memory; written from V4L2's documentation.
struct ComponentLayout {
  /// Powers of two that chroma is narrower and lower by.
  var shift: (x: Int, y: Int)
  /// Offset of component `index` at `x`, `y` of its own samples, in a picture with `stride` bytes a row and `size`.
  var offset: (_ index: Int, _ x: Int, _ y: Int, _ stride: Int, _ size: FrameSize) -> Int
  /// Bytes of a luma row without padding, and of all rows of a picture.
  var rowBytes: (_ width: Int) -> Int
  var bytes: (_ stride: Int, _ size: FrameSize) -> Int
  var count = 3

  init(_ code: String) {
    func pairs(_ places: [Int], _ chroma: [Int]) -> ComponentLayout {
      ComponentLayout(
        shift: (1, 0),
        offset: { index, x, y, stride, _ in
          y * stride + (index == 0 ? x / 2 * 4 + places[x & 1] : x * 4 + chroma[index - 1])
        }, rowBytes: { ($0 + 1) / 2 * 4 }, bytes: { $0 * $1.height })
    }
    func semiplanar(_ first: Int, _ x: Int, _ y: Int) -> ComponentLayout {
      ComponentLayout(
        shift: (x, y),
        offset: { index, column, row, stride, size in
          if index == 0 { return row * stride + column }
          return stride * size.height + row * (stride >> x) * 2 + column * 2 + (index == first ? 0 : 1)
        }, rowBytes: { $0 },
        bytes: { $0 * $1.height + ($0 >> x) * 2 * (($1.height + (1 << y) - 1) >> y) })
    }
    func planar(_ first: Int, _ x: Int, _ y: Int) -> ComponentLayout {
      ComponentLayout(
        shift: (x, y),
        offset: { index, column, row, stride, size in
          if index == 0 { return row * stride + column }
          let plane = (stride >> x) * ((size.height + (1 << y) - 1) >> y)
          return stride * size.height + (index == first ? 0 : plane) + row * (stride >> x) + column
        }, rowBytes: { $0 },
        bytes: { $0 * $1.height + 2 * ($0 >> x) * (($1.height + (1 << y) - 1) >> y) })
    }
    func pixels(_ bytes: Int, _ places: [Int]) -> ComponentLayout {
      ComponentLayout(
        shift: (0, 0), offset: { index, x, y, stride, _ in y * stride + x * bytes + places[index] },
        rowBytes: { $0 * bytes }, bytes: { $0 * $1.height }, count: places.count)
    }
    switch code {
    case "YUYV": self = pairs([0, 2], [1, 3])
    case "YVYU": self = pairs([0, 2], [3, 1])
    case "UYVY": self = pairs([1, 3], [0, 2])
    case "VYUY": self = pairs([1, 3], [2, 0])
    case "NV12": self = semiplanar(1, 1, 1)
    case "NV21": self = semiplanar(2, 1, 1)
    case "NV16": self = semiplanar(1, 1, 0)
    case "NV24": self = semiplanar(1, 0, 0)
    case "YU12": self = planar(1, 1, 1)
    case "YV12": self = planar(2, 1, 1)
    case "422P": self = planar(1, 1, 0)
    case "GREY": self = pixels(1, [0])
    case "RGB3": self = pixels(3, [0, 1, 2])
    case "BGR3": self = pixels(3, [2, 1, 0])
    case "XR24", "AR24": self = pixels(4, [2, 1, 0])
    case "BX24": self = pixels(4, [1, 2, 3])
    case "XB24": self = pixels(4, [0, 1, 2])
    case "RX24": self = pixels(4, [3, 2, 1])
    default: fatalError("no layout of \(code)")
    }
  }

  private init(
    shift: (x: Int, y: Int), offset: @escaping (Int, Int, Int, Int, FrameSize) -> Int,
    rowBytes: @escaping (Int) -> Int, bytes: @escaping (Int, FrameSize) -> Int, count: Int = 3
  ) {
    (self.shift, self.offset, self.rowBytes, self.bytes, self.count) = (shift, offset, rowBytes, bytes, count)
  }

  /// The samples of component `index` in a picture of `size`.
  func extent(_ index: Int, _ size: FrameSize) -> FrameSize {
    if index == 0 { return size }
    return FrameSize(
      width: (size.width + (1 << shift.x) - 1) >> shift.x,
      height: (size.height + (1 << shift.y) - 1) >> shift.y)
  }

  /// A frame of that format.
  func frame(
    _ code: String, _ size: FrameSize, padding: Int,
    color: ColorDescription = ColorDescription(isFullRange: true),
    _ value: (_ index: Int, Int, Int) -> UInt8
  ) -> Frame {
    let stride = rowBytes(size.width) + padding
    var memory = [UInt8](repeating: 77, count: bytes(stride, size))
    for index in 0..<count {
      let extent = extent(index, size)
      for y in 0..<extent.height {
        for x in 0..<extent.width { memory[offset(index, x, y, stride, size)] = value(index, x, y) }
      }
    }
    let format = StreamFormat(
      pixelFormat: PixelFormat(code)!, size: size, interval: nil,
      planes: [PlaneLayout(stride: stride, bytes: memory.count)], color: color)
    return Frame(
      payload: Payload(copying: memory), format: format, sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
  }

  /// The components of a picture in one piece of memory.
  func components(_ payload: Payload, stride: Int, _ size: FrameSize) -> [Component] {
    let memory = payload.bytes
    return (0..<count).map { index in
      let extent = extent(index, size)
      return Component(width: extent.width, height: extent.height) {
        memory[offset(index, $0, $1, stride, size)]
      }
    }
  }
}

/// Noise that is the same every time.
func noise(_ index: Int, _ x: Int, _ y: Int) -> UInt8 {
  var value = UInt32(truncatingIfNeeded: x &* 374_761_393 &+ y &* 668_265_263 &+ index &* 974_634_777)
  value = (value ^ (value >> 13)) &* 1_274_126_177
  return UInt8(truncatingIfNeeded: value ^ (value >> 16))
}

/// Every way of turning and mirroring.
let everyTurn: [PictureTransform] = Orientation.allCases.flatMap { orientation in
  [false, true].map { PictureTransform(orientation: orientation, isMirrored: $0) }
}
