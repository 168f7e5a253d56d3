import CaptureConvert
public import CaptureModel
public import CaptureSystem

/// Writes the samples of sensors behind a Bayer filter as uncompressed DNGs of version 1.4. A sample of 8 bits takes one byte, any other two.
///
/// A DNG is a TIFF, and so is a block of EXIF. So the DNG is such a block with the picture's tags added, and the samples behind it.
public enum DNGFile {
  /// Whether frames of that format can be written.
  public static func canWrite(_ format: PixelFormat) -> Bool { BayerFormat(format) != nil }

  /// Bits of a sample; `nil` for formats that cannot be written.
  public static func bits(of format: PixelFormat) -> Int? { BayerFormat(format)?.bits }

  /// Returns a DNG of the frame, in memory of `pool`. Without metadata the DNG says only what a raw converter needs. `model`: the camera's name.
  /// `software`: the program and its version.
  ///
  /// Throws `unimplemented` for a pixel format without a Bayer filter, and `dataLoss` for a short frame.
  public static func write(
    _ frame: Frame, of picture: PictureDescription, metadata: PhotoMetadata?, thumbnail: [UInt8]? = nil,
    model: String, sensor: SensorCalibration, software: String, into pool: PayloadPool
  ) throws(CaptureError) -> Payload {
    let format = frame.format.pixelFormat
    guard let bayer = BayerFormat(format) else {
      throw CaptureError(.unimplemented, "\(format) frames have no Bayer filter, and a DNG needs one")
    }
    let size = frame.format.size
    let rows = try FrameBytes(frame).first(rowBytes: bayer.rowBytes(size.width))
    let rowBytes = bayer.bits == 8 ? size.width : size.width * 2
    var block =
      metadata.map { EXIFBlock($0, picture, software: software, in: .dng) } ?? EXIFBlock()
    block.addSamples(of: bayer, size, bytes: rowBytes * size.height)
    block.addSensor(sensor, bits: bayer.bits, model: model)
    if let metadata {
      block[.xmp] = .bytes(XMPPacket(metadata, picture, bootID: MonotonicClock.bootID).bytes)
      block[.cameraSerialNumber] = .text(metadata.serial)
    }
    block.thumbnail = thumbnail
    // This value is replaced as soon as the block's length is known. The length does not depend on it.
    block[.stripOffsets] = .long(0)
    let header = block.bytes.count
    block[.stripOffsets] = .long(UInt32(header))

    let buffer = pool.take(header + rowBytes * size.height)
    buffer.bytes.copyBytes(from: block.bytes)
    let target = buffer.base.assumingMemoryBound(to: UInt8.self) + header
    for y in 0..<size.height {
      bayer.unpack(rows.base + y * rows.stride, width: size.width, into: target + y * rowBytes)
    }
    return buffer.finish(count: header + rowBytes * size.height)
  }
}

extension EXIFBlock {
  fileprivate mutating func addSamples(of bayer: BayerFormat, _ size: FrameSize, bytes: Int) {
    self[.newSubfileType] = .long(0)
    (self[.imageWidth], self[.imageLength]) = (.long(UInt32(size.width)), .long(UInt32(size.height)))
    self[.bitsPerSample] = .short(bayer.bits == 8 ? 8 : 16)
    self[.compression] = .short(1)
    // A colour filter array of two by two samples.
    self[.photometricInterpretation] = .short(32_803)
    self[.cfaRepeatPatternDim] = .shorts([2, 2])
    self[.cfaPattern] = .bytes(bayer.pattern)
    self[.cfaPlaneColor] = .bytes([0, 1, 2])
    self[.cfaLayout] = .short(1)
    (self[.samplesPerPixel], self[.planarConfiguration]) = (.short(1), .short(1))
    (self[.rowsPerStrip], self[.stripByteCounts]) = (.long(UInt32(size.height)), .long(UInt32(bytes)))
    self[.orientation] = self[.orientation] ?? .short(1)
  }

  fileprivate mutating func addSensor(_ sensor: SensorCalibration, bits: Int, model: String) {
    (self[.dngVersion], self[.dngBackwardVersion]) = (.bytes([1, 4, 0, 0]), .bytes([1, 1, 0, 0]))
    self[.uniqueCameraModel] = .text(model)
    let largest = 1 << bits - 1
    self[.blackLevel] = .long(UInt32(clamping: min(sensor.blackLevel ?? 0, largest - 1)))
    self[.whiteLevel] = .long(UInt32(clamping: min(sensor.whiteLevel ?? largest, largest)))
    self[.asShotNeutral] = .rationals(
      (sensor.neutral ?? [1, 1, 1]).map { .init(UInt32(($0 * 10_000).rounded()), 10_000) })
    guard let matrix = sensor.colorMatrix else { return }
    self[.colorMatrix1] = .tenThousandths(matrix.map { Int32(($0 * 10_000).rounded()) })
    // D65.
    self[.calibrationIlluminant1] = .short(21)
  }
}
