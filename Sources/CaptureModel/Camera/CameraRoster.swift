/// The cameras that are there now or were there before. Each keeps the index that it got when it first appeared, also when it is unplugged and comes
/// back.
public struct CameraRoster: Sendable {
  public struct Entry: Hashable, Sendable {
    /// The index, from 0; it never changes.
    public let index: Int
    /// The latest description.
    public var description: CameraDescription
    /// `false`: the camera is unplugged.
    public var isPresent: Bool
    /// How its driver answers.
    public var response = Responsiveness.responding
    /// Whether a photo is being taken with it.
    public var isCapturingPhoto = false

    package init(
      index: Int, description: CameraDescription, isPresent: Bool, response: Responsiveness = .responding
    ) {
      (self.index, self.description, self.isPresent, self.response) = (
        index, description, isPresent, response
      )
    }
  }

  /// The cameras in the order of their index.
  public internal(set) var entries: [Entry] = []

  public init() {}

  /// Notes that a camera has appeared, for the first time or again.
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

  /// Notes that a camera has gone. Returns `nil` for an unknown camera.
  @discardableResult
  public mutating func vanished(_ id: CameraID) -> Entry? {
    guard let index = index(of: id) else { return nil }
    entries[index].isPresent = false
    entries[index].response = .responding
    return entries[index]
  }

  /// Notes that a camera's driver answers in another way than before. Returns `nil` for a camera that is not there.
  public mutating func responds(_ id: CameraID, _ response: Responsiveness) -> Entry? {
    guard let index = index(of: id), entries[index].isPresent else { return nil }
    entries[index].response = response
    return entries[index]
  }

  /// Notes whether a photo is being taken. Returns `nil` where nothing changed.
  public mutating func captures(_ id: CameraID, _ isCapturing: Bool) -> Entry? {
    guard let index = index(of: id), entries[index].isCapturingPhoto != isCapturing else { return nil }
    entries[index].isCapturingPhoto = isCapturing
    return entries[index]
  }

  /// Finds the camera that a person means: by its index, its identity, or a part of an identity, name or path that only one camera has. Throws
  /// `notFound`, or `invalidArgument` for an ambiguous part; both list the cameras.
  public func find(_ reference: String) throws(CaptureError) -> Entry { entries[try place(reference)] }

  /// The index of the camera that ``find(_:)`` finds.
  public func place(_ reference: String) throws(CaptureError) -> Int {
    if let place = entries.firstIndex(where: { $0.description.id.rawValue == reference }) { return place }
    if let index = Int(normalForm: reference), entries.indices.contains(index) { return index }
    if reference.isEmpty {
      throw CaptureError(
        .invalidArgument, "no camera was named; \(listing(entries))", details(.valueMissing, nil, entries))
    }
    let word = reference.lowercased()
    let byID = entries.filter { $0.description.id.rawValue.lowercased().hasPart(word) }
    if byID.count == 1 { return byID[0].index }
    let matches =
      byID.isEmpty
      ? entries.filter { $0.description.path == reference || $0.description.name.lowercased().hasPart(word) }
      : byID
    switch matches.count {
    case 1: return matches[0].index
    case 0: throw unknown(reference)
    default:
      throw CaptureError(
        .invalidArgument, "\(reference.quoted) may mean several cameras; \(listing(matches))",
        details(.ambiguousName, reference, matches))
    }
  }

  /// Throws `notFound`, which lists the cameras, where none has this identity. A part of an identity is none.
  package func requireCamera(_ id: CameraID) throws(CaptureError) {
    guard index(of: id) != nil else { throw unknown(id.rawValue) }
  }

  package func index(of id: CameraID) -> Int? {
    entries.firstIndex { $0.description.id == id }
  }

  private func unknown(_ reference: String) -> CaptureError {
    CaptureError(
      .notFound, "no camera \(reference.quoted); \(listing(entries))",
      details(.unknownName, reference, entries))
  }

  private func details(
    _ reason: CaptureError.Reason, _ asked: String?, _ entries: [Entry]
  ) -> CaptureError.Details {
    CaptureError.Details(
      reason, field: CaptureError.deviceField, asked: asked.map { .text($0) },
      possible: entries.map(\.description.id.rawValue))
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

extension String {
  /// Whether this text contains `text`. To search for 60,000 bytes takes a millisecond, however short this text is. So `text` is not searched for if
  /// it has more than four times as many bytes: then it cannot be in this text in any of Unicode's forms.
  fileprivate func hasPart(_ text: String) -> Bool { text.utf8.count <= 4 * utf8.count && contains(text) }
}
