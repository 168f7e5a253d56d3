extension Patches {
  /// JL20: stripes of 16 columns from top to bottom, each a scan of a JPEG. For 16 rows it has two blocks of green, one of red and one of blue, all with the tables
  /// of luminance. Stripes begin at multiples of 16 bytes; the first 16 tell the size in blocks and the quality, of which 50 is a step of 16.
  func jl2005bcd() -> [UInt8] {
    var frame = [UInt8](repeating: 0, count: 16)
    frame[4] = UInt8(size.height / 8)
    frame[5] = UInt8(size.width / 8)
    frame[13] = 50
    for x in stride(from: 0, to: size.width, by: 16) {
      var scan = FlatScan()
      for y in stride(from: 0, to: size.height, by: 16) {
        let rgb = colour(x, y)
        for (component, sample) in [rgb[1], rgb[1], rgb[0], rgb[2]].enumerated() {
          scan.append(Double(sample), of: max(component - 1, 0), step: 16, .luminance)
        }
      }
      frame += scan.bytes
      while frame.count % 16 > 0 { frame.append(0) }
    }
    return frame
  }
}
