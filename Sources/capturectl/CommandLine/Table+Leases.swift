import CaptureClient
import CaptureOptions

extension Options {
  static let lease = Option(
    "lease", .leaseToken,
    help:
      "Change cameras under this lease, which 'lock' printed. A session of several cameras needs that of each.",
    environment: "CAPTURE_LEASE", isRepeatable: true)
  static let leaseDuration = Option(
    "for", .seconds, help: "The lease ends after this time.", defaultText: "30")
  static let leaseHolder = Option(
    "holder", .text("NAME"), help: "Your name, for the messages that others get. Without it: user@host.")
  static let leasePatience = Option(
    "within", .seconds, help: "Wait this long while another client has the lease.")
  static let leaseForce = Flag(
    "force", help: "End the lease of CAMERA without its token: your own, or as an admin anybody's.")
  static let leased = Positional(
    .text("CAMERA|TOKEN", completion: .names(.cameras)), .optional,
    help:
      "A camera, whose token is in --lease or $CAPTURE_LEASE, or the token itself. With --force: a camera.")
}

extension ValueType where Value == LeaseToken {
  static let leaseToken = ValueType("TOKEN", expectation: "a token, 32 characters, that 'lock' printed") {
    LeaseToken(parsing: $0)
  }
}

extension LeaseToken {
  /// `nil` for text that cannot be one.
  init?(parsing text: String) {
    guard text.utf8.count == 32, text.allSatisfy(\.isHexDigit) else { return nil }
    self.init(rawValue: text.lowercased())
  }
}

/// The commands that keep other clients from changing a camera.
let leaseCommands = [
  Command(
    "lock", summary: "Keep other clients from changing a camera for a while, and print the token.",
    discussion: [
      "Every command that changes the camera needs the token from then on, as --lease TOKEN or in $CAPTURE_LEASE; "
        + "other clients' commands are refused, with the holder and the time left. Frames and photos need no lease, but for brackets and photos with --full-size switch or big.",
      "With --lease or $CAPTURE_LEASE it renews that lease: its time begins anew. If that lease is over, leave out --lease, or 'unset CAPTURE_LEASE' first.",
      "Such a lease ends with its time, even while it is used. The node gives at most 10 minutes, or what its configuration "
        + "says (leases.maximum): to keep the camera for longer, lock it again with --lease before that.",
    ],
    positionals: [Options.camera.declaration],
    options: [Options.leaseDuration, Options.leaseHolder, Options.leasePatience],
    examples: [
      .init(
        "export CAPTURE_LEASE=$(capturectl lock 0 --for 600)", "This shell has the camera for ten minutes."),
      .init("capturectl lock 0 --holder studio-a --within 60", "Wait a minute for it."),
    ]),
  Command(
    "unlock", summary: "Give a lease back, or end another client's.",
    discussion: [
      "With --force it needs no token, and names the former holder. Calls with the former holder's token are then refused (ABORTED), and "
        + "the error names who ended the lease. A change that is being applied is completed."
    ],
    positionals: [Options.leased.declaration],
    options: [Options.leaseForce, Options.leaseHolder],
    examples: [
      .init("capturectl unlock", "The one in $CAPTURE_LEASE."),
      .init("capturectl unlock 0", "The same, if it is of this camera."),
      .init("capturectl unlock 0 --force", "Without its token: it was left behind."),
    ]),
  Command(
    "leases", summary: "List the leased cameras, their holders and for how long.",
    examples: [.init("capturectl leases", "Who has which camera?")]),
]
