import CaptureOptions
import CaptureSystem

extension NodeProgram {
  /// Throws for an option that applies to no address of `--listen`, since it would have no effect.
  static func requireListeners(_ arguments: Arguments) throws(UsageError) {
    let addresses = arguments.all(listen)
    let hasTCP = addresses.contains { if case .unix = $0 { false } else { true } }
    if arguments[trustLocalUsers], !hasTCP {
      throw refusal(
        of: trustLocalUsers, "a TCP address of --listen", like: "127.0.0.1:7311", key: "trustLocalUsers")
    }
    if arguments[allowPlaintext], addresses.allSatisfy(\.isLocal) {
      throw refusal(
        of: allowPlaintext, "an address of --listen that other machines reach", like: "10.8.0.1:7311",
        key: "plaintext")
    }
  }

  private static func refusal(
    of flag: Flag, _ address: String, like sample: String, key: String
  ) -> UsageError {
    UsageError(
      message:
        "--\(flag.declaration.name) is for \(address), and there is none: add --listen \(sample), or leave the option out and put "
        + "{ address: \"\(sample)\", \(key): true } under 'listen' in the configuration",
      command: table.name)
  }
}
