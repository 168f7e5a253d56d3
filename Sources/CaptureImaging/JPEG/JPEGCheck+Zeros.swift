extension JPEGCheck {
  /// Reports a run of zero bytes among the coefficients of a picture whose markers are whole; `nil`: there is none, or the zeros may be right.
  ///
  /// A lost USB payload often leaves such a run. A decoder accepts it: with the Huffman tables of webcams zeros are coefficients of -1, and a decoder
  /// warns only if the number of blocks is wrong. No encoder makes forty such coefficients one after the other. In tables made for one picture the
  /// code of all zeros may mean end of block. Then zeros may be many flat blocks, and the picture is not judged.
  static func zeros(inside bytes: UnsafeRawBufferPointer) -> String? {
    guard let scan = scan(of: bytes), !scan.endsBlocksWithZeros else { return nil }
    var place = scan.start
    while place % wordBytes != 0 { place += 1 }
    // A run that is long enough holds a whole word.
    while place + wordBytes <= bytes.count {
      if bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) == 0 {
        var (first, last) = (place, place + wordBytes)
        while first > scan.start, bytes[first - 1] == 0 { first -= 1 }
        while last < bytes.count, bytes[last] == 0 { last += 1 }
        if last - first >= longestRun { return "\(last - first) zeros among its coefficients" }
        place = last
        while place % wordBytes != 0 { place += 1 }
        continue
      }
      place += wordBytes
    }
    return nil
  }

  private static let wordBytes = 8
  private static let longestRun = 16

  /// Where the coefficients begin, and whether luma's AC code of all zeros means end of block.
  private static func scan(of bytes: UnsafeRawBufferPointer) -> (start: Int, endsBlocksWithZeros: Bool)? {
    var (offset, firstSymbol) = (2, standardFirstSymbol)
    while offset + 4 <= bytes.count {
      let marker = bytes[offset + 1]
      if marker == 0xFF {  // A fill byte.
        offset += 1
        continue
      }
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      let end = offset + 2 + length
      guard bytes[offset] == 0xFF, length >= 2, end <= bytes.count else { return nil }
      if marker == 0xDA { return (end, firstSymbol == endOfBlock) }
      if marker == 0xC4 { firstSymbol = Self.firstSymbol(in: bytes[offset + 4..<end]) ?? firstSymbol }
      offset = end
    }
    return nil
  }

  /// The symbol of the AC table 0 whose code is all zeros; `nil`: the segment has no such table.
  private static func firstSymbol(in tables: Slice<UnsafeRawBufferPointer>) -> UInt8? {
    var rest = tables
    while rest.count > 17 {
      let kind = rest.first!
      let symbols = rest.dropFirst().prefix(16).reduce(0) { $0 + Int($1) }
      guard symbols > 0, rest.count >= 17 + symbols else { return nil }
      if kind == 0x10 { return rest.dropFirst(17).first }
      rest = rest.dropFirst(17 + symbols)
    }
    return nil
  }

  private static let endOfBlock: UInt8 = 0
  /// The first symbol of the standard tables, which webcams leave out: no zeros before a coefficient of one bit.
  private static let standardFirstSymbol: UInt8 = 1
}
