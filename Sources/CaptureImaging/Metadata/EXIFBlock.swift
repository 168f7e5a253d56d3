/// The place of a value in EXIF: its directory and its number there.
package struct EXIFTag: Hashable, Sendable {
  /// EXIF's directories (IFD). The raw value is the number of the tag in ``image`` that points to the directory.
  package enum Directory: UInt16, CaseIterable, Sendable {
    /// IFD0
    case image = 0
    case exposure = 0x8769
    case location = 0x8825
  }
  var directory: Directory
  var number: UInt16

  package init(_ directory: Directory, _ number: UInt16) {
    (self.directory, self.number) = (directory, number)
  }
}

/// The values of EXIF 2.32, and their bytes: a TIFF of up to four directories, whose only picture is a thumbnail.
package struct EXIFBlock: Hashable, Sendable {
  package var values: [EXIFTag: EXIFValue] = [:]
  /// A JPEG of at most 160x160, in a directory of its own behind the others (IFD1); `nil`: none.
  package var thumbnail: [UInt8]?

  /// The kind of file that the block is written into.
  package enum File: Hashable, Sendable {
    case jpeg(isGrey: Bool)
    case png
    case dng
  }

  package init() {}

  package subscript(tag: EXIFTag) -> EXIFValue? {
    get { values[tag] }
    set { values[tag] = newValue }
  }

  /// The TIFF: its header, then the directories, each followed by the values that do not fit into it.
  package var bytes: [UInt8] {
    var directories: [EXIFTag.Directory: [Entry]] = [:]
    for (tag, value) in values {
      directories[tag.directory, default: []].append(Entry(number: tag.number, value: value))
    }
    let pointed = EXIFTag.Directory.allCases.filter { $0 != .image && directories[$0] != nil }
    // The first directory gets the entries that point to others now, since its length depends on them. Their values are set below.
    for directory in pointed {
      directories[.image, default: []].append(Entry(number: directory.rawValue, value: .long(0)))
    }
    var place = Self.header.count + Self.length(of: directories[.image] ?? [])
    for directory in pointed {
      let index = directories[.image]!.firstIndex { $0.number == directory.rawValue }!
      directories[.image]![index].value = .long(UInt32(place))
      place += Self.length(of: directories[directory]!)
    }
    var bytes = Self.header
    for directory in [.image] + pointed {
      // The thumbnail's directory is the last one, and the link of the first directory leads to it.
      let next = directory == .image && thumbnail != nil ? UInt32(place) : 0
      Self.append(directories[directory] ?? [], next: next, to: &bytes)
    }
    if let thumbnail { Self.append(thumbnail: thumbnail, to: &bytes) }
    return bytes
  }

  private static func append(thumbnail: [UInt8], to bytes: inout [UInt8]) {
    func entry(_ tag: EXIFTag, _ value: EXIFValue) -> Entry { Entry(number: tag.number, value: value) }
    func entries(at place: Int) -> [Entry] {
      [
        // JPEG
        entry(.compression, .short(6)), entry(.xResolution, EXIFValue(72)!),
        entry(.yResolution, EXIFValue(72)!), entry(.resolutionUnit, .short(2)),
        entry(.jpegInterchangeFormat, .long(UInt32(place))),
        entry(.jpegInterchangeFormatLength, .long(UInt32(thumbnail.count))),
      ]
    }
    append(entries(at: bytes.count + length(of: entries(at: 0))), to: &bytes)
    bytes += thumbnail
    // Whatever follows the block begins at an even place.
    if bytes.count % 2 == 1 { bytes.append(0) }
  }

  /// "MM": the most significant byte first; 42; the first directory follows at once.
  private static let header: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]

  private struct Entry {
    var number: UInt16
    var value: EXIFValue
  }

  private static func length(of entries: [Entry]) -> Int {
    entries.reduce(2 + 12 * entries.count + 4) { length, entry in
      let count = entry.value.bytes.count
      return length + (count > 4 ? (count + 1) & ~1 : 0)
    }
  }

  /// Appends a directory. Its values begin at even places, as TIFF wants it. `next`: where the next picture's directory is; 0: there is none.
  private static func append(_ entries: [Entry], next: UInt32 = 0, to bytes: inout [UInt8]) {
    var data: [UInt8] = []
    let dataPlace = bytes.count + 2 + 12 * entries.count + 4
    bytes += UInt16(entries.count).bigEndianBytes
    for entry in entries.sorted(by: { $0.number < $1.number }) {
      let value = entry.value.bytes
      bytes += entry.number.bigEndianBytes + entry.value.type.bigEndianBytes
      bytes += UInt32(entry.value.count).bigEndianBytes
      if value.count <= 4 {
        bytes += value + Array(repeating: 0, count: 4 - value.count)
      } else {
        bytes += UInt32(dataPlace + data.count).bigEndianBytes
        data += value
        if data.count % 2 == 1 { data.append(0) }
      }
    }
    bytes += next.bigEndianBytes
    bytes += data
  }
}
