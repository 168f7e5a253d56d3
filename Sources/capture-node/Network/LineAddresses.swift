import CaptureAccess

/// The addresses of this node that a pairing line or a fingerprint line has, out of a longer list.
struct LineAddresses {
  let taken: [String]
  /// The text for a person about addresses that are left out; `nil`: none is left out.
  let note: String?

  /// `areNamed`: whether a person has named the addresses, with `--address`.
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
