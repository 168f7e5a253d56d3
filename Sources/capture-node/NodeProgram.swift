import CaptureNode
import CaptureOptions
import CaptureSystem

/// The command line.
enum NodeProgram {
  static let listen = Option(
    "listen",
    ValueType<SocketAddress>("ADDRESS") { text throws(ValueError) in
      do throws(SocketAddressError) {
        return try SocketAddress(parsing: text)
      } catch {
        throw ValueError("takes an address: \(error)")
      }
    },
    help:
      "Listen on ADDRESS: unix:/path, 0.0.0.0:7311, [::1]:0. Port 0 lets the kernel choose. Without it: "
      + "unix:\(SocketAddress.packagedSocket), or capture-node/socket in $XDG_RUNTIME_DIR.",
    isRepeatable: true)
  static let camera = Option(
    "camera", .text("SPEC"),
    help:
      "Serve this camera: a device path, an identity or a unique part of one, synthetic, synthetic:1920x1080@60, synthetic:physics. "
      + "Without it: every V4L2 capture device, or one synthetic camera if there is none.",
    isRepeatable: true)
  static let config = Option(
    "config", .file(),
    help:
      "Read the configuration: a file (JSON5), or a folder that has node.json5, conf.d/*.json5 and access.d/*.json5. FOLDER/node.json5 stands for the whole folder. The command line has priority over it."
  )
  static let logLevel = Option(
    "log-level", .choice("LEVEL", LogLevel.allCases.map(\.rawValue)),
    help: "The level of messages on standard error: error, warning, info or debug. Without it: info.")
  static let trustLocalUsers = Flag(
    "trust-local-users",
    help:
      "Serve every program of this machine without a credential, if it comes by loopback (127.0.0.1, [::1]) to a TCP address of --listen, also to 0.0.0.0. At a Unix socket the kernel tells who the caller is."
  )
  static let allowPlaintext = Flag(
    "allow-plaintext",
    help:
      "Take connections without TLS too, at the addresses of --listen that other machines reach, as in a VPN. Their clients need credentials made for that ('capturectl credential new --plaintext')."
  )
  static let testService = Flag(
    "enable-test-service", help: "Serve capture.v1.Test too, which exercises the wire.")

  static let state = Option(
    "state",
    ValueType("FILE", expectation: "a file, or none", completion: .files) { StateLocation($0) },
    help:
      "Keep clients' settings in FILE for the next start; none: keep nothing. Without it: state.json in "
      + "$STATE_DIRECTORY, in $XDG_STATE_HOME/remote-capture or in ~/.local/state/remote-capture.")

  static let table = Program(
    Command(
      "capture-node", summary: "Serve the cameras of this machine over sockets.",
      discussion: [
        "When it serves, it prints a line 'listening on ADDRESS' for each listener, with the real port, and tells systemd. "
          + "SIGTERM, SIGINT and SIGHUP end it: it writes its state, ends streams, and gives other calls \(NodeSettings().drainGrace) to finish, or the time in the configuration."
      ],
      options: [
        listen, camera, config, state, logLevel, trustLocalUsers, allowPlaintext, testService,
      ],
      commands: [pair, network, fingerprint, reload, identity, library], runsAlone: true,
      examples: [
        .init("capture-node", "Serves every camera, to this machine and to those that were paired."),
        .init(
          "capture-node --listen unix:/run/user/1000/cameras --camera /dev/video0",
          "Serves one camera to programs of the same user."),
        .init(
          "capture-node --listen '[::1]:0' --camera synthetic:1920x1080@60",
          "Serves a camera made of arithmetic on a free port."),
      ]),
    version: CameraNode.version,
    exitStatuses: [
      (0, "It was told to end, and did."), (1, "It could not serve, or no longer; standard error says why."),
      (2, "The command line or the configuration is wrong."),
    ],
    environment: [
      ("NOTIFY_SOCKET", "Where systemd hears that the node serves."),
      ("STATE_DIRECTORY", "Where systemd wants the state to be kept."),
      ("XDG_STATE_HOME", "Where programs of this user keep their state."),
    ],
    seeAlso: ["capturectl(1)"])
}
