/// Why a command ended early, and what was written before.
struct CutShort: Error, CustomStringConvertible {
  let reason: any Error
  /// What there is, or why it could not be finished; for a person.
  let note: String

  init(_ reason: any Error, _ note: String) {
    self.reason = reason
    self.note = note
  }

  var description: String { "\(explain(reason))\n\(note)" }
}
