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
    help: "Listen on ADDRESS: 127.0.0.1:7311, [::1]:0, unix:/path. Port 0 lets the kernel choose.",
    defaultText: "\(SocketAddress.standard)", isRepeatable: true)
  static let camera = Option(
    "camera", .text("SPEC"),
    help:
      "Serve this camera: a device path, an identity or a unique part of one, synthetic, synthetic:1920x1080@60, synthetic:physics. "
      + "Without it: every V4L2 capture device, or one synthetic camera if there is none.",
    isRepeatable: true)
  static let config = Option(
    "config", .file(), help: "Read the configuration (JSON5). The command line has priority over it.")
  static let logLevel = Option(
    "log-level", .choice("LEVEL", LogLevel.allCases.map(\.rawValue)),
    help: "The level of messages on standard error: error, warning, info or debug. Without it: info.")
  static let allowRemote = Flag(
    "allow-unauthenticated-remote",
    help: "Allow addresses that other machines can reach. Anybody who reaches them may use the cameras.")
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
      options: [listen, camera, config, state, logLevel, allowRemote, testService],
      examples: [
        .init("capture-node", "Serves every camera, on 127.0.0.1:7311."),
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
