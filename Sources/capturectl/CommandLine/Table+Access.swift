import CaptureAccess
import CaptureModel
import CaptureOptions

extension Options {
  static let pairingLine = Positional(
    .text("LINE"), .optional,
    help:
      "The line. Better leave it out: it is then read from the terminal or standard input. Other users can see arguments."
  )
  static let knownAs = Option(
    "name",
    .accessName, help: "What the node is called from now on, as in --node NAME. Without it: its host name.")
  static let credentialName = Positional(
    .accessName, help: "The name of the credential's holder at the nodes.")
  static let clientRole = Option(
    "role", .choice("ROLE", AccessRole.allCases.map(\.rawValue)),
    help: "What it may: view, control or admin.", defaultText: "control")
  static let clientCameras = Option(
    "cameras", .cameraPattern,
    help:
      "The cameras that the client sees, by a pattern of their identities ('usb-*', '*C920*'); others are not there for it. May be given several times. Without it: every camera.",
    isRepeatable: true)
  static let clientGrants = Option(
    "grant",
    ValueType<AccessGrant>("ROLE[/MEDIUM][:PATTERN]") { text throws(ValueError) in
      do throws(AccessGrant.TextError) { return try AccessGrant(parsing: text) } catch {
        throw ValueError("takes \(error.expectation)\(error.namesAdmin ? ": --role admin" : "")")
      }
    },
    help:
      "A right of the client, in place of --role and --cameras: the role view or control. With /video it is only for cameras, with /library only for pictures that the node keeps; with :PATTERN only for the cameras whose identities match. Several rights add up.",
    isRepeatable: true)
  static let folder = Option(
    "folder", .text("FOLDER", completion: .files), help: "Where the two files are made. Without it: here.")
  static let plaintext = Flag(
    "plaintext",
    help:
      "Make a credential that goes in the clear, to listeners with 'plaintext', such as in a VPN. It is never accepted over TLS, and others on the way can read it."
  )
  static let clientFile = Positional(
    .text("FILE", completion: .files),
    help: "The client's file for access.d, as 'credential new' has made it: NAME.json5.")
  static let finish = Flag(
    "finish",
    help:
      "Once the new secret has been used at each node: name only that one in FILE, and rename NAME.next.credential to NAME.credential."
  )
  static let credentialFile = Option(
    "credential-file", .text("FILE", completion: .files),
    help:
      "Identify this client by the secret in FILE, which 'credential new' has made, to a node whose key ('node add') or CA (--ca) is known. Others must not be able to read FILE.",
    environment: "CAPTURE_CREDENTIAL_FILE")
  static let authority = Option(
    "ca", .text("FILE", completion: .files),
    help:
      "Accept the node if a CA in FILE (PEM) has issued its certificate for the name of --node. Nothing is sent to any other."
  )
  static let nodeAddresses = Positional(
    .text("ADDRESS"), .zeroOrMore,
    help: "HOST, HOST:PORT or [IPV6]:PORT, or a line that 'sudo capture-node fingerprint' has printed.")
  static let nodeFile = Option(
    "from", .text("FILE", completion: .files),
    help:
      "Take addresses and lines from FILE, one each line; -: from standard input. The second field of a line that 'capture-node fingerprint' has printed is the node's name."
  )
  static let trustFirstUse = Flag(
    "trust-first-use",
    help:
      "Accept the key that a node shows now, and list it. An attacker on the way could show another key."
  )
  static let knownNode = Positional(.text("NAME"), help: "A node's name, as 'node list' shows it.")
  static let keepJobs = Flag("keep-jobs", help: "Let the client's timelapses go on.")
  static let accessCamera = Positional(
    .text("CAMERA", completion: .names(.cameras)), .optional,
    help: "A camera, or a pattern of identities. Without it: those that this machine sees.")
  static let askedRole = Option(
    "role", .choice("ROLE", AccessRole.allCases.map(\.rawValue)), help: "Ask about what this role may.",
    defaultText: "view")
  static let wantedRole = Option(
    "role", .choice("ROLE", [AccessRole.view, .control].map(\.rawValue)),
    help: "Ask for this role, view or control. Without it: this machine's present role.")
  static let wantedCameras = Option(
    "cameras", .cameraPattern,
    help:
      "Ask for the cameras whose identities a pattern matches ('usb-*', '*C920*'), besides those that this machine sees. May be given several times.",
    isRepeatable: true)
  static let medium = Option(
    "medium", .choice("MEDIUM", AccessMedium.allCases.map(\.rawValue)),
    help:
      "Ask about video (the cameras themselves) or the library (pictures that the node keeps). Without it: video for a camera, and otherwise either."
  )
  static let wantedMedia = Option(
    "medium", .choice("MEDIUM", AccessMedium.allCases.map(\.rawValue)),
    help:
      "Ask for video (the cameras themselves) or the library (pictures that the node keeps). May be given several times. Without it: this machine's present media.",
    isRepeatable: true)
  static let awaitDecision = Flag(
    "wait",
    help: "Wait until somebody has decided. Ctrl-C ends the wait, and the request stays.")
  static let withdraw = Flag("withdraw", help: "Take this machine's request back.")
  static let requestNumber = Option(
    "number", .integer("NUMBER", in: 1...Int(Int32.max)),
    help: "Decide only if the client's request still has this number, which 'access pending' shows.")
  static let client = Positional(.text("CLIENT"), help: "A client's name, as 'access list' shows it.")
}

extension ValueType where Value == String {
  fileprivate static let cameraPattern = ValueType(
    "PATTERN", expectation: CameraScope.expectation
  ) { CameraScope.isPattern($0) ? $0 : nil }

  /// A name that a node or a client may have.
  fileprivate static let accessName = ValueType(
    "NAME", expectation: KnownClient.namePattern
  ) { KnownClient.isName($0) ? $0 : nil }
}

extension Program {
  static let pairCommand = Command(
    "pair", summary: "Make this machine a client of a node.",
    discussion: [
      "It takes the line that 'sudo capture-node pair' has printed on the node's machine, and sends its code only to a node that has the key which the line names. "
        + "If that was cut short, run it again with the same line.",
      "From then on --node NAME reaches the node, encrypted, from wherever its addresses are reached. What is known of it is in ~/.config/remote-capture/nodes.",
    ],
    positionals: [Options.pairingLine.declaration], options: [Options.knownAs],
    examples: [
      .init("capturectl pair", "Paste the line when asked."),
      .init("capturectl --node studio devices", "From then on."),
    ])

  static let credentialCommand = Command(
    "credential", summary: "Make the secret by which many nodes know a client.",
    commands: [
      Command(
        "new", summary: "Make a secret, and the file that names it to nodes.",
        discussion: [
          "NAME.credential has the secret, for the client's machine: use it with --credential-file; others must not be able to read it. NAME.json5 has its SHA-256, the role and the cameras or the grants, for /etc/capture-node/access.d "
            + "of each node, for example in its disk image; 'capture-node reload' makes a running node read it. Files that exist are not overwritten."
        ],
        positionals: [Options.credentialName.declaration],
        options: [
          Options.clientRole, Options.clientCameras, Options.clientGrants, Options.plaintext, Options.folder,
        ],
        examples: [
          .init("capturectl credential new controller", "controller.credential and controller.json5"),
          .init(
            "capturectl credential new desk --grant 'control/video:usb-*' --grant view",
            "It controls the USB cameras, sees all cameras, and reads kept pictures."),
        ]),
      Command(
        "renew", summary: "Replace the secret by which many nodes know a client.",
        discussion: [
          "NAME.next.credential gets a new secret, and FILE its SHA-256 beside the old one's. A node that has read FILE accepts both secrets until the new one is used there; from then on it refuses the old one, "
            + "also after a restart. If the command was cut short, run it again."
        ],
        positionals: [Options.clientFile.declaration], options: [Options.finish],
        examples: [
          .init(
            "capturectl credential renew controller.json5",
            "Then controller.json5 to the nodes, and controller.next.credential to the client."),
          .init("capturectl credential renew controller.json5 --finish", "Once each node has seen it."),
        ]),
      Command(
        "rotate", summary: "Give this machine another secret at a node that it was paired with.",
        discussion: [
          "The new secret is used at once; from then on only it is valid. If that was cut short, run it again."
        ],
        positionals: [Options.knownNode.declaration],
        examples: [
          .init("capturectl credential rotate studio", "The old secret is worth nothing from then on.")
        ]),
    ])

  static let knownNodesCommand = Command(
    "node", summary: "Record, list and forget nodes' keys.",
    commands: [
      Command(
        "add", summary: "Record nodes' keys, for a client that they know already.",
        discussion: [
          "A key comes from a line that 'sudo capture-node fingerprint' has printed on the node, or from the node itself at first contact (--trust-first-use). "
            + "Nodes with one key, as of a cloned image, are reported. With --ca a node is known by its certificate; its key may change. "
            + "One that this machine was paired with keeps its secret."
        ],
        positionals: [Options.nodeAddresses.declaration],
        options: [Options.nodeFile, Options.trustFirstUse, Options.knownAs],
        examples: [
          .init("capturectl node add --from fleet.txt", "Lines of many nodes."),
          .init("capturectl node add 10.0.0.7 10.0.0.8 --trust-first-use", "Whatever keys they show now."),
          .init("capturectl node add studio.example.org --ca ca.pem", "By its certificate."),
        ]),
      Command(
        "list", summary: "List the nodes whose keys are known.",
        examples: [.init("capturectl node list", "Names, addresses and keys.")]),
      Command(
        "remove", summary: "Forget a node.", positionals: [Options.knownNode.declaration],
        examples: [.init("capturectl node remove studio", "It was set up anew.")]),
      Command(
        "certificate", summary: "Print a node's certificate (PEM), if it shows the key that is known.",
        positionals: [Options.knownNode.declaration],
        examples: [
          .init(
            "capturectl node certificate studio",
            "In a file, for Python's ssl.create_default_context(cafile=…).")
        ]),
    ])

  static let accessCommand = Command(
    "access", summary: "Show or ask for access, and manage the node's clients.",
    commands: [
      Command(
        "status", summary: "Show what this machine may at the node.",
        discussion: [
          "The answer is the same for a camera that this machine may not see and for one that does not exist."
        ],
        positionals: [Options.accessCamera.declaration], options: [Options.askedRole, Options.medium],
        examples: [
          .init("capturectl --node studio access status", "This machine's name and rights there."),
          .init("capturectl --node studio access status 0 --role control", "May it control this camera?"),
        ]),
      Command(
        "request", summary: "Ask for cameras, a medium or the role control.",
        discussion: [
          "For a day an administrator can approve or deny the request ('access pending'). A new request takes its place. It is lost when the node ends. "
            + "A subscription to a camera that was asked for by its identity waits for the decision."
        ],
        options: [
          Options.wantedRole, Options.wantedCameras, Options.wantedMedia, Options.awaitDecision,
          Options.withdraw,
        ],
        examples: [
          .init("capturectl --node studio access request --role control --wait", "Ask, and wait."),
          .init("capturectl --node studio access request --cameras 'usb-*'", "Ask for more cameras."),
          .init("capturectl --node studio access request --withdraw", "Take the request back."),
        ]),
      Command(
        "pending", summary: "List what clients have asked for. For an admin.",
        examples: [.init("sudo capturectl access pending", "On the node's machine.")]),
      Command(
        "approve", summary: "Give a client the access that it asked for. For an admin.",
        discussion: [
          "It is added to the access that the client has, and holds from the client's next call on. 'access pending' shows beforehand what the client may do then. 'access revoke' ends it."
        ],
        positionals: [Options.client.declaration], options: [Options.requestNumber],
        examples: [
          .init("sudo capturectl access approve laptop", "Whatever it asks for now."),
          .init("sudo capturectl access approve laptop --number 4711", "That request, and no later one."),
        ]),
      Command(
        "deny", summary: "Deny a client the access that it asked for. For an admin.",
        discussion: ["The client is told, and may ask again after an hour. It keeps the access that it has."],
        positionals: [Options.client.declaration], options: [Options.requestNumber],
        examples: [.init("sudo capturectl access deny laptop", "It has lost nothing.")]),
      Command(
        "list", summary: "List the node's clients and viewers. For an admin.",
        examples: [
          .init("sudo capturectl --node unix:/run/capture-node/socket access list", "On the node's machine.")
        ]),
      Command(
        "revoke", summary: "Revoke a client, and end its leases and jobs. For an admin.",
        discussion: [
          "Its connections, leases and timelapses end, and those of its sessions that nobody else watches. Its photos in the library stay. If a session or a timelapse was left, revoke the client again."
        ],
        positionals: [Options.client.declaration], options: [Options.keepJobs],
        examples: [
          .init(
            "sudo capturectl --node unix:/run/capture-node/socket access revoke laptop",
            "Its credential is worth nothing from now on."),
          .init(
            "sudo capturectl access revoke laptop --keep-jobs",
            "Its timelapses go on."),
        ]),
    ])
}
