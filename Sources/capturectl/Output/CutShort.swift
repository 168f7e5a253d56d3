/// Why a command ended early, and what was written before.
struct CutShort: Error, CustomStringConvertible {
  let reason: any Error
  /// What was written, or why that could not be finished; for a person.
  let note: String

  init(_ reason: any Error, _ note: String) {
    self.reason = reason
    self.note = note
  }

  var description: String { "\(explain(reason))\n\(note)" }
}
