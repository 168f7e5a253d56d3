import CaptureAccess

/// The addresses in a line by which clients find this node, and those for which it has no room.
struct LineAddresses {
  let taken: [String]
  /// What a person is told of those that are left out; `nil`: none is.
  let note: String?

  /// `areNamed`: by a person, with `--address`.
  init(_ addresses: [String], areNamed: Bool) {
    taken = Array(addresses.prefix(PairingLine.mostAddresses))
    let others = addresses.dropFirst(taken.count)
    guard !others.isEmpty else {
      note = nil
      return
    }
    note =
      "the line has room for \(PairingLine.mostAddresses) addresses, and \(others.count) \(others.count == 1 ? "is" : "are") left out: "
      + "\(others.joined(separator: ", ")). "
      + (areNamed ? "It has the first ones of --address" : "--address names those that it shall have")
  }
}
