import CPNG
public import CaptureModel
public import CaptureSystem

/// Writes pictures as PNGs of 8 bits a channel.
public enum PNGFile {
  /// Returns a PNG of pixels of ``PixelTarget/rgb24`` or ``PixelTarget/grey``, with EXIF and XMP where there is metadata, in memory of `pool`. `software`:
  /// the program and its version.
  ///
  /// Throws `internal` where libpng fails.
  public static func write(
    _ pixels: RawPicture, of picture: PictureDescription, metadata: PhotoMetadata?, thumbnail: [UInt8]? = nil,
    software: String, into pool: PayloadPool
  ) throws(CaptureError) -> Payload {
    let isGrey = picture.pixelFormat == .grey
    guard isGrey || picture.pixelFormat == .rgb3, let plane = pixels.planes.first else {
      throw CaptureError(.internal, "a PNG is made of RGB3 or GREY, not of \(picture.pixelFormat)")
    }
    var block = metadata.map { EXIFBlock($0, picture, software: software, in: .png) }
    block?.thumbnail = thumbnail
    let exif = block?.bytes
    let xmp = metadata.map { XMPPacket($0, picture, bootID: MonotonicClock.bootID).bytes + [0] }
    let made: Result<Payload, CaptureError> = pixels.payload.withContiguousBytes { bytes in
      (exif ?? []).withUnsafeBufferPointer { exifBytes in
        (xmp ?? []).withUnsafeBytes { xmpBytes in
          let source = png_picture(
            pixels: bytes.bindMemory(to: UInt8.self).baseAddress, stride: plane.stride,
            width: UInt32(picture.size.width), height: UInt32(picture.size.height), is_grey: isGrey,
            is_srgb: picture.color.space == .srgb, exif: exif == nil ? nil : exifBytes.baseAddress,
            exif_count: exifBytes.count,
            xmp: xmp == nil ? nil : xmpBytes.bindMemory(to: CChar.self).baseAddress)
          return write(source, pool)
        }
      }
    }
    return try made.get()
  }

  private static func write(_ source: png_picture, _ pool: PayloadPool) -> Result<Payload, CaptureError> {
    var source = source
    let buffer = pool.take(png_file_bound(&source))
    var message = [CChar](repeating: 0, count: 128)
    let count = png_file_write(
      &source, buffer.base.assumingMemoryBound(to: UInt8.self), buffer.capacity, &message)
    guard count > 0 else {
      let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      return .failure(CaptureError(.internal, "PNG encoding failed: \(text)"))
    }
    return .success(buffer.finish(count: count))
  }
}
