import CPixelKernels
import CYUV
import CaptureModel
import CaptureSystem

extension Plane {
  /// Scales the plane. Returns the plane itself where it has that size.
  func scaled(width: Int, height: Int, in scratch: Scratch) -> Plane {
    if width == self.width, height == self.height { return self }
    let target = scratch.plane(width: width, height: height)
    if height == 2 * self.height || height == 2 * self.height - 1, width == self.width / 2 {
      // This is the chroma of 4:2:2 after a quarter turn.
      for y in 0..<height { pixels_halve_row(row(y / 2), target.base + y * target.stride, width) }
    } else {
      ScalePlane(
        base, Int32(stride), Int32(self.width), Int32(self.height), target.base, Int32(target.stride),
        Int32(width), Int32(height), kFilterBox)
    }
    return target.plane
  }

  fileprivate func copy(to target: UnsafeMutablePointer<UInt8>, stride: Int) {
    CopyPlane(base, Int32(self.stride), target, Int32(stride), Int32(width), Int32(height))
  }
}

/// Packs a picture into the memory layouts of V4L2's pixel formats, without padding. The chroma planes must have the sizes of the format.
extension PlanarPicture {
  func packed(_ size: FrameSize, lumaFirst: Bool, uFirst: Bool, into pool: PayloadPool) -> RawPicture {
    let stride = (size.width + 1) / 2 * 4
    let chroma = self.chroma!
    let (first, second) = uFirst ? (chroma.u, chroma.v) : (chroma.v, chroma.u)
    return pool.picture([PlaneLayout(stride: stride, bytes: stride * size.height)]) { target in
      let pack = lumaFirst ? I422ToYUY2 : I422ToUYVY
      _ = pack(
        luma.base, Int32(luma.stride), first.base, Int32(first.stride), second.base, Int32(second.stride),
        target, Int32(stride), Int32(size.width), Int32(size.height))
    }
  }

  func semiplanar(_ size: FrameSize, _ shift: ChromaShift, uFirst: Bool, pieces: Int, into pool: PayloadPool)
    -> RawPicture
  {
    let chroma = self.chroma!
    let (first, second) = uFirst ? (chroma.u, chroma.v) : (chroma.v, chroma.u)
    let stride = first.width * 2
    let planes = [
      PlaneLayout(stride: shift.stride(size.width), bytes: shift.stride(size.width) * size.height),
      PlaneLayout(stride: stride, bytes: stride * first.height),
    ]
    return pool.picture(planes, pieces: pieces) { target in
      luma.copy(to: target, stride: planes[0].stride)
      MergeUVPlane(
        first.base, Int32(first.stride), second.base, Int32(second.stride), target + planes[0].bytes,
        Int32(stride), Int32(first.width), Int32(first.height))
    }
  }

  func planar(_ size: FrameSize, _ shift: ChromaShift, uFirst: Bool, pieces: Int, into pool: PayloadPool)
    -> RawPicture
  {
    let chroma = self.chroma!
    let (first, second) = uFirst ? (chroma.u, chroma.v) : (chroma.v, chroma.u)
    let stride = shift.stride(size.width)
    let plane = PlaneLayout(stride: first.width, bytes: first.width * first.height)
    let planes = [PlaneLayout(stride: stride, bytes: stride * size.height), plane, plane]
    return pool.picture(planes, pieces: pieces) { target in
      luma.copy(to: target, stride: stride)
      first.copy(to: target + planes[0].bytes, stride: first.width)
      second.copy(to: target + planes[0].bytes + plane.bytes, stride: first.width)
    }
  }

  func grey(_ size: FrameSize, into pool: PayloadPool) -> RawPicture {
    pool.picture([PlaneLayout(stride: size.width, bytes: size.area)]) {
      luma.copy(to: $0, stride: size.width)
    }
  }
}

extension RGBPicture {
  func packed(_ size: FrameSize, into pool: PayloadPool) -> RawPicture {
    let row = size.width * bytesPerPixel
    return pool.picture([PlaneLayout(stride: row, bytes: row * size.height)]) { target in
      if size == self.size {
        CopyPlane(base, Int32(stride), target, Int32(row), Int32(row), Int32(size.height))
      } else {
        let scale = bytesPerPixel == 3 ? RGBScale : ARGBScale
        _ = scale(
          base, Int32(stride), Int32(self.size.width), Int32(self.size.height), target, Int32(row),
          Int32(size.width), Int32(size.height), kFilterBox)
      }
    }
  }
}

extension ChromaShift {
  /// The bytes of a luma row without padding. The rows of chroma planes are whole parts of it.
  fileprivate func stride(_ width: Int) -> Int { narrowed(width) << x }
}

extension PayloadPool {
  /// A picture of `planes`, one after the other, which `fill` writes. Where the pixel format keeps them in one buffer (`pieces` is 1), only the first
  /// plane's stride is stated.
  func picture(
    _ planes: [PlaneLayout], pieces: Int = 1, _ fill: (UnsafeMutablePointer<UInt8>) -> Void
  ) -> RawPicture {
    let count = planes.reduce(0) { $0 + $1.bytes }
    let buffer = take(count)
    fill(buffer.base.assumingMemoryBound(to: UInt8.self))
    let layouts = pieces == planes.count ? planes : [PlaneLayout(stride: planes[0].stride, bytes: count)]
    return RawPicture(payload: buffer.finish(count: count), planes: layouts)
  }
}
