import CaptureAccess
import CaptureSystem

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

  /// The addresses at which the node can be reached: of each listener its own, and where one listens at every address of its family, those of `found`.
  /// `found`: the addresses of the machine's interfaces; all of them if the listeners' tell nothing.
  static func served(by listeners: [SocketAddress], of found: [String]) -> [String] {
    let hosts = listeners.compactMap { listener -> String? in
      guard case .internet(let host, _, _) = listener else { return nil }
      return host
    }
    let every = (v4: hosts.contains("0.0.0.0"), v6: hosts.contains("::"))
    let own = hosts.filter { $0 != "0.0.0.0" && $0 != "::" }
    let others = found.filter { ($0.contains(":") ? every.v6 : every.v4) && !own.contains($0) }
    return own.isEmpty && others.isEmpty ? found : own + others
  }
}
