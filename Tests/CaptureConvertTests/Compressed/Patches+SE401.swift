extension Patches {
  /// S401: red, green and blue in steps of 8, as differences from the pixel before, which at the start of a row is black. A difference is its length in ones, a
  /// zero, and its bits. The pixels are in packets, whose first four bytes tell the first and the last of them, and how many pixels and bits it has.
  func se401() -> [UInt8] {
    let (perPacket, count) = (64, size.area / 64)
    var frame: [UInt8] = []
    for packet in 0..<count {
      var bits = Bits()
      for pixel in packet * perPacket..<(packet + 1) * perPacket {
        let (x, y) = (pixel % size.width, pixel / size.width)
        let before = x == 0 ? [0, 0, 0] : colour(x - 1, y)
        for (sample, last) in zip(colour(x, y), before) { append(sample / 8 - last / 8, to: &bits) }
      }
      var head = Bits()
      head.append(packet == 0 ? 2 : packet == count - 1 ? 1 : 0, 2)
      head.append(perPacket, 14)
      head.append(bits.count, 16)
      let bytes = head.bytes() + bits.bytes()
      frame += bytes + (bytes.count % 2 == 0 ? [] : [0])
    }
    return frame
  }

  private func append(_ difference: Int, to bits: inout Bits) {
    let length = difference.magnitudeBits
    for _ in 0..<length { bits.append("1") }
    bits.append("0")
    bits.append(signed: difference, length)
  }
}
