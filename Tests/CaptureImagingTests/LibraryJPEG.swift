import CTurboJPEG
import CYUV
import CaptureModel
import CaptureSystem

/// A picture of 8-bit planes with even sides as libyuv and libjpeg-turbo make a JPEG of it, with nothing of ours between.
struct LibraryJPEG {
  private let size: FrameSize
  /// Luma, and the two of chroma where there is any.
  private var planes: [[UInt8]]
  private let subsampling: TJSAMP

  /// A raw frame in one piece, without padding.
  init(_ frame: Frame) {
    size = frame.format.size
    let (bytes, width, area) = (frame.payload.bytes, frame.format.size.width, frame.format.size.area)
    func every(_ step: Int, from first: Int, in bytes: ArraySlice<UInt8>) -> [UInt8] {
      stride(from: bytes.startIndex + first, to: bytes.endIndex, by: step).map { bytes[$0] }
    }
    let (all, rest) = (bytes[...], bytes[min(area, bytes.count)...])
    let half = rest.count / 2
    let (first, second) = (Array(rest.prefix(half)), Array(rest.suffix(half)))
    let pairs = (every(2, from: 0, in: rest), every(2, from: 1, in: rest))
    let luma = Array(bytes.prefix(area))
    switch frame.format.pixelFormat.description {
    case "YUYV":
      planes = [every(2, from: 0, in: all), every(4, from: 1, in: all), every(4, from: 3, in: all)]
    case "YVYU":
      planes = [every(2, from: 0, in: all), every(4, from: 3, in: all), every(4, from: 1, in: all)]
    case "UYVY":
      planes = [every(2, from: 1, in: all), every(4, from: 0, in: all), every(4, from: 2, in: all)]
    case "VYUY":
      planes = [every(2, from: 1, in: all), every(4, from: 2, in: all), every(4, from: 0, in: all)]
    case "NV12", "NV16": planes = [luma, pairs.0, pairs.1]
    case "NV21", "NV61": planes = [luma, pairs.1, pairs.0]
    case "NV24":
      planes = [luma] + [pairs.0, pairs.1].map { Self.halved($0, width, frame.format.size.height) }
    case "YV12": planes = [luma, second, first]
    case "GREY": planes = [luma]
    default: planes = [luma, first, second]
    }
    subsampling = planes.count == 1 ? TJSAMP_GRAY : planes[1].count == area / 4 ? TJSAMP_420 : TJSAMP_422
  }

  /// A JPEG in 4:2:2, taken apart.
  init(jpeg: Payload, _ size: FrameSize) {
    (self.size, subsampling) = (size, TJSAMP_422)
    planes = [size.area, size.area / 2, size.area / 2].map { [UInt8](repeating: 0, count: $0) }
    let handle = tjInitDecompress()
    defer { tjDestroy(handle) }
    var bases = planes.map { UnsafeMutablePointer<UInt8>?.some(.allocate(capacity: $0.count)) }
    defer { for base in bases { base?.deallocate() } }
    var strides = [size.width, size.width / 2, size.width / 2].map(Int32.init)
    let data = jpeg.segments[0].bindMemory(to: UInt8.self)
    precondition(
      tjDecompressToYUVPlanes(
        handle, data.baseAddress, UInt(data.count), &bases, Int32(size.width), &strides, Int32(size.height), 0
      )
        == 0)
    for (index, base) in bases.enumerated() {
      planes[index] = Array(UnsafeBufferPointer(start: base, count: planes[index].count))
    }
  }

  func compressed(quality: Int) -> [UInt8] {
    Self.compressed { handle, output, count in
      var bases = planes.map { plane -> UnsafePointer<UInt8>? in
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: plane.count)
        copy.initialize(from: plane, count: plane.count)
        return UnsafePointer(copy)
      }
      defer { for base in bases { base?.deallocate() } }
      var strides = planes.enumerated().map { Int32($0.offset == 0 ? size.width : size.width / 2) }
      return tjCompressFromYUVPlanes(
        handle, &bases, Int32(size.width), &strides, Int32(size.height), Int32(subsampling.rawValue), output,
        count, Int32(quality), 0)
    }
  }

  /// A frame of RGB.
  static func compressed(_ frame: Frame, _ order: TJPF, quality: Int) -> [UInt8] {
    let (size, stride) = (frame.format.size, frame.format.planes[0].stride)
    return compressed { handle, output, count in
      tjCompress2(
        handle, frame.payload.segments[0].bindMemory(to: UInt8.self).baseAddress, Int32(size.width),
        Int32(stride), Int32(size.height), order.rawValue, output, count, Int32(TJSAMP_422.rawValue),
        Int32(quality), 0)
    }
  }

  private static func compressed(
    _ body: (tjhandle?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>) ->
      Int32
  ) -> [UInt8] {
    let handle = tjInitCompress()
    var output: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer {
      tjDestroy(handle)
      tjFree(output)
    }
    precondition(body(handle, &output, &count) == 0)
    return Array(UnsafeBufferPointer(start: output, count: Int(count)))
  }

  private static func halved(_ plane: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: plane.count / 2)
    ScalePlane(
      plane, Int32(width), Int32(width), Int32(height), &result, Int32(width / 2), Int32(width / 2),
      Int32(height), kFilterBox)
    return result
  }
}
