import CaptureModel
import CaptureOptions

extension Options {
  static let lease = Option(
    "lease", .leaseToken,
    help: "Change cameras under this lease, which 'lock' printed.", environment: "CAPTURE_LEASE")
  static let leaseDuration = Option(
    "for", .seconds, help: "The lease ends after this time.", defaultText: "30")
  static let leaseHolder = Option(
    "holder", .text("NAME"), help: "Who holds it, for the messages that others get. Without it: user@host.")
  static let leasePatience = Option(
    "within", .seconds, help: "Wait so long while another client has it.")
  static let leased = Positional(
    .text("CAMERA|TOKEN", completion: .program(["devices", "--names"])), .optional,
    help: "A camera, whose token --lease or $CAPTURE_LEASE says, or the token itself.")
}

extension ValueType where Value == LeaseToken {
  static let leaseToken = ValueType("TOKEN", expectation: "a token, 32 characters, that 'lock' printed") {
    LeaseToken(parsing: $0)
  }
}

extension LeaseToken {
  /// `nil` for what cannot be one.
  init?(parsing text: String) {
    guard text.utf8.count == 32, text.allSatisfy(\.isHexDigit) else { return nil }
    self.init(rawValue: text.lowercased())
  }
}

/// Keeping other clients from changing a camera.
let leaseCommands = [
  Command(
    "lock", summary: "Keep other clients from changing a camera for a while, and print the token.",
    discussion: [
      "Every command that changes the camera needs the token from then on, as --lease TOKEN or in $CAPTURE_LEASE; "
        + "those of others are refused, naming the holder and the time left. Frames and photos need none.",
      "Under a lease (--lease) it starts that lease's time anew.",
    ],
    positionals: [Options.camera.declaration],
    options: [Options.leaseDuration, Options.leaseHolder, Options.leasePatience],
    examples: [
      .init(
        "export CAPTURE_LEASE=$(capturectl lock 0 --for 600)", "This shell has the camera for ten minutes."),
      .init("capturectl lock 0 --holder studio-a --within 60", "Wait a minute for it."),
    ]),
  Command(
    "unlock", summary: "Give a lease back.",
    positionals: [Options.leased.declaration],
    examples: [
      .init("capturectl unlock", "The one in $CAPTURE_LEASE."),
      .init("capturectl unlock 0", "The same, if it is of this camera."),
    ]),
  Command(
    "leases", summary: "List the cameras that are leased, by whom and for how long.",
    examples: [.init("capturectl leases", "Who has which camera?")]),
]
