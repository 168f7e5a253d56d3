import CaptureModel

/// Finds a camera's controls by the names that people use.
package struct ControlTable: Sendable {
  /// In the driver's order, classes left out.
  package let controls: [ControlDescription]
  private let camera: String
  /// The places in ``controls`` by the controls' ids. A client may ask for hundreds of controls at once.
  private var placesByID: [UInt32: Int] = [:]
  /// The places in ``controls`` by the controls' names, and by their labels in lower case.
  private var placesByWord: [String: Int] = [:]

  package init(camera: String, _ controls: [ControlDescription]) {
    self.camera = camera
    self.controls = controls.filter { $0.type != .controlClass }
    // Where several controls have the same label, the first of them counts.
    for (place, control) in self.controls.enumerated().reversed() {
      placesByID[control.id.rawValue] = place
      placesByWord[control.name] = place
      placesByWord[control.label.lowercased()] = place
    }
  }

  /// Finds the control that `text` means: its name ("brightness"), its label ("Brightness"), or its id in decimal or with 0x and up to eight digits
  /// ("0x00980900"). Throws `notFound`, which names the closest ones, if any are close.
  package func find(_ text: String) throws(CaptureError) -> ControlDescription {
    if let place = Self.number(text).flatMap({ placesByID[$0] }) { return controls[place] }
    let word = text.lowercased()
    if let place = placesByWord[word] { return controls[place] }
    guard !controls.isEmpty else {
      throw CaptureError(.notFound, "\(camera) has no controls", .init(.unknownName, asked: .text(text)))
    }
    let near = closest(to: word, in: controls.map(\.name))
    throw CaptureError(
      .notFound,
      "\(camera) has no control \(text.quoted)"
        + (near.isEmpty
          ? ", nor one with a name like that; list its \(controls.count) controls to see their names"
          : "; closest: \(near.joined(separator: ", "))"),
      .init(.unknownName, asked: .text(text), possible: near, leftOut: controls.count - near.count))
  }

  private static func number(_ text: String) -> UInt32? {
    guard text.hasPrefix("0x") else { return UInt32(normalForm: text) }
    let digits = text.dropFirst(2)
    return 1...8 ~= digits.utf8.count && digits.allSatisfy(\.isHexDigit) ? UInt32(digits, radix: 16) : nil
  }

  /// Finds the control for each of `names`. Throws as ``find(_:)`` does.
  package func find(all names: [String]) throws(CaptureError) -> [ControlDescription] {
    var found: [ControlDescription] = []
    found.reserveCapacity(names.count)
    for name in names { found.append(try find(name)) }
    return found
  }
}

/// Up to five of `candidates`, the most similar first: those that contain `word`, and those that differ from it in at most a third of its letters. A
/// word that is longer than any name has no similar ones.
func closest(to word: String, in candidates: [String]) -> [String] {
  guard word.utf8.count <= longestCompared else { return [] }
  let scored = candidates.map { candidate in
    (candidate, candidate.contains(word) && !word.isEmpty ? 0 : editDistance(word, candidate))
  }
  return scored.filter { $0.1 <= max(1, word.utf8.count / 3) }.sorted { $0.1 < $1.1 }.prefix(5).map(\.0)
}

/// The length of the longest word that is compared, in bytes.
private let longestCompared = 64

/// The number of insertions, deletions and replacements between two words (Levenshtein); words are cut at 64 bytes.
func editDistance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a.utf8.prefix(longestCompared)), Array(b.utf8.prefix(longestCompared)))
  var row = Array(0...b.count)
  for (i, x) in a.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, y) in b.enumerated() {
      let above = row[j + 1]
      row[j + 1] = min(above + 1, row[j] + 1, diagonal + (x == y ? 0 : 1))
      diagonal = above
    }
  }
  return row[b.count]
}
