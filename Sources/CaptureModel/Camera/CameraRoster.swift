/// Which cameras there are and have been: each keeps the index it got at first sight, also across unplug and replug.
public struct CameraRoster: Sendable {
  public struct Entry: Hashable, Sendable {
    /// From 0, kept for good.
    public let index: Int
    /// The latest known.
    public var description: CameraDescription
    /// `false`: unplugged.
    public var isPresent: Bool
    /// How its driver answers.
    public var response = Responsiveness.responding
  }

  /// By index.
  public private(set) var entries: [Entry] = []

  public init() {}

  /// The camera is there, for the first time or again.
  @discardableResult
  public mutating func appeared(_ description: CameraDescription) -> Entry {
    if let index = index(of: description.id) {
      entries[index].description = description
      entries[index].isPresent = true
      entries[index].response = .responding
      return entries[index]
    }
    let entry = Entry(index: entries.count, description: description, isPresent: true)
    entries.append(entry)
    return entry
  }

  /// The camera is gone. `nil` for one never seen.
  @discardableResult
  public mutating func vanished(_ id: CameraID) -> Entry? {
    guard let index = index(of: id) else { return nil }
    entries[index].isPresent = false
    entries[index].response = .responding
    return entries[index]
  }

  /// Its driver answers otherwise than before. `nil` for one that is not there.
  public mutating func responds(_ id: CameraID, _ response: Responsiveness) -> Entry? {
    guard let index = index(of: id), entries[index].isPresent else { return nil }
    entries[index].response = response
    return entries[index]
  }

  /// The camera that a person means: an index, an identity, or a part of an identity, name or path that only one has.
  /// Throws `notFound`, or `invalidArgument` for an ambiguous part, naming those there are.
  public func find(_ reference: String) throws(CaptureError) -> Entry { entries[try place(reference)] }

  /// As ``find(_:)``: its index.
  public func place(_ reference: String) throws(CaptureError) -> Int {
    if let place = entries.firstIndex(where: { $0.description.id.rawValue == reference }) { return place }
    if let index = Int(reference), entries.indices.contains(index) { return index }
    if reference.isEmpty {
      throw CaptureError(.invalidArgument, "no camera was named; \(listing(entries))")
    }
    let word = reference.lowercased()
    let byID = entries.filter { $0.description.id.rawValue.lowercased().contains(word) }
    if byID.count == 1 { return byID[0].index }
    let matches =
      byID.isEmpty
      ? entries.filter { $0.description.path == reference || $0.description.name.lowercased().contains(word) }
      : byID
    switch matches.count {
    case 1: return matches[0].index
    case 0: throw CaptureError(.notFound, "no camera \(reference.quoted); \(listing(entries))")
    default:
      throw CaptureError(
        .invalidArgument, "\(reference.quoted) may mean several cameras; \(listing(matches))")
    }
  }

  private func index(of id: CameraID) -> Int? {
    entries.firstIndex { $0.description.id == id }
  }

  private func listing(_ entries: [Entry]) -> String {
    guard !entries.isEmpty else { return "this node has none" }
    let names = entries.prefix(8).map { entry in
      "\(entry.index) '\(entry.description.id)'" + (entry.isPresent ? "" : " (unplugged)")
    }
    let more = entries.count > 8 ? " and \(entries.count - 8) more" : ""
    return "there are: " + names.joined(separator: ", ") + more
  }
}
