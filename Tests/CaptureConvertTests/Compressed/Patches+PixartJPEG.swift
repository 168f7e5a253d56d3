extension Patches {
  /// PJPG: a JPEG of 4:2:2 without tables. 0x62 before its scan and 0x44 before each two blocks of luma and one of either chroma say which they are: here with
  /// steps of 8 and 16. The scan is in chunks of 1018 bytes and then 1024, between which FF FF FF 01 stands, and FF FF FF 00 before the last one.
  func pixartJPEG() -> [UInt8] {
    var scan = FlatScan()
    for y in stride(from: 0, to: size.height, by: 8) {
      for x in stride(from: 0, to: size.width, by: 16) {
        scan.append(byte: 0x44)
        let yuv = yuv(x, y)
        for _ in 0..<2 { scan.append(yuv[0], of: 0, step: 8, .luminance) }
        for component in 1...2 { scan.append(yuv[component], of: component, step: 16, .chrominance) }
      }
    }
    let bytes = scan.bytes
    var (frame, start) = (pixartHead + [0x62] + bytes.prefix(1018), 1018)
    while bytes.count - start > 1024 {
      frame += [0xFF, 0xFF, 0xFF, 1] + bytes[start..<start + 1024]
      start += 1024
    }
    return frame + [0xFF, 0xFF, 0xFF, 0] + bytes[start...]
  }

  /// The start of an image, of a frame of three components and of a scan.
  private var pixartHead: [UInt8] {
    let sides = [size.height, size.width].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return [0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8] + sides + [3, 1, 0x21, 0, 2, 0x11, 1, 3, 0x11, 1]
      + [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0]
  }
}
