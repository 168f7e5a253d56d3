import CaptureOptions
import CaptureSystem

extension Program {
  /// capturectl's command line, whole.
  static let capturectl = Program(
    Command(
      "capturectl", summary: "Drive the cameras of a capture node.",
      discussion: [
        "capture-node serves the cameras of a Linux machine over a socket. capturectl, on that machine or another, "
          + "lists them, sets their controls, takes photos and receives live frames.",
        "CAMERA is a camera's identity, a part of it that no other camera has, or the index that "
          + "'capturectl devices' shows.",
      ],
      options: [Options.node, Options.json, Options.timeout, Options.lease],
      commands: nodeCommands + cameraCommands + inputCommands + settingsCommands + pictureCommands
        + leaseCommands + [
          profileCommand, calibrateCommand, sessionCommand, completions,
        ],
      examples: [
        .init("capturectl --node studio:7311 devices", "Which cameras has the machine 'studio'?"),
        .init("capturectl photo 0 -o desk.jpg", "Take a photo with the first camera."),
        .init("capturectl stream 0 -o - | ffplay -", "Look at a camera live."),
      ]),
    version: Release.version,
    exitStatuses: [
      (0, "It was done."),
      (
        1,
        "The node, or this machine, could not do it: the status code and what is possible are on standard error."
      ),
      (2, "The command line was wrong."),
    ],
    seeAlso: ["capture-node(1)"])

  private static let nodeCommands = [
    Command(
      "info", summary: "Show who the node is.",
      examples: [.init("capturectl info", "Name, version and addresses of the node on this machine.")]),
    Command(
      "status", summary: "Show how the node is: clients, calls, streams, errors, memory.",
      discussion: [
        "Of a camera (CAM): its stream, the rate measured, its clients, frames captured, LOST by the driver, BAD (flagged or "
          + "corrupt), discarded (DISC) for clients too slow, restarts of the stream, frames encoded (ENC), and how many of the "
          + "driver's buffers are LENT."
      ],
      examples: [
        .init("watch capturectl status", "Keep an eye on a node."),
        .init("capturectl --json status | jq .cameras", "The same for a program."),
      ]),
    Command(
      "ping", summary: "Measure round trips to the node.", options: [Options.count],
      examples: [.init("capturectl ping --count 100", "A hundred round trips and their median.")]),
  ]

  private static let cameraCommands = [
    Command(
      "devices", summary: "List the node's cameras.",
      discussion: [
        "A camera keeps its index as long as the node runs, also when it is unplugged and plugged in again.",
        "With --watch and --json each line is an object: 'event' is present (for each camera at first), listed (these "
          + "were all, 'device' is null), appeared, changed or vanished.",
        "With --watch and --reconnect a lost connection is made again; all cameras are then listed once more.",
      ],
      options: [Options.watch, Options.reconnect, Options.names],
      examples: [
        .init("capturectl devices", "What can be named as CAMERA."),
        .init("capturectl devices --watch", "See cameras come and go."),
      ]),
    Command(
      "formats", summary: "List a camera's pixel formats, sizes and rates.",
      discussion: [
        "AS JPEG tells who makes a JPEG of that format: nobody has to where it is one already ('as it is'); else libyuv, the node's "
          + "own loops or libv4lconvert, the cheaper ones named first. 'no, raw alone': it can be had with --format only.",
        "A size that is a range is shown with its step, and with what the driver was set to ('now').",
      ],
      positionals: [Options.camera.declaration],
      examples: [
        .init("capturectl formats 0", "What 'stream' can ask for with --format, --size and --rate.")
      ]),
    Command(
      "controls", summary: "List a camera's controls with their ranges and values.",
      positionals: [Options.camera.declaration],
      examples: [.init("capturectl controls 0", "What 'get' and 'set' can name.")]),
    Command(
      "get", summary: "Print the values of controls.",
      positionals: [Options.camera.declaration, Options.controlNames.declaration],
      examples: [.init("capturectl get 0 brightness gain", "Two values, one a line.")]),
    Command(
      "set", summary: "Set controls, all of them or none, and print what the driver made of it.",
      discussion: [
        "They are set in the order given. If one is refused, those before it are set back."
      ],
      positionals: [Options.camera.declaration, Options.assignments.declaration],
      options: [Options.clamp, Options.wait],
      examples: [
        .init("capturectl set 0 brightness=140", "One control."),
        .init("capturectl set 0 brightness=999 --clamp --wait", "The most there is, and its first frame."),
        .init(
          "capturectl set 0 auto_exposure='Manual Mode' exposure_time_absolute=156",
          "The automatic off first, then the value."),
      ]),
  ]

  private static let pictureCommands = [
    Command(
      "stream", summary: "Receive live frames.",
      discussion: [
        "Frames are sent as they are captured. When this end or the network is too slow, newer ones replace older "
          + "ones, which are counted as discarded.",
        "Ctrl-C ends a stream properly. Where --count or --duration asked for more, the stream was cut, and the exit status is 1.",
        "A file FILE is FILE.part from the first frame on and gets its name at the end. What came is kept also when the stream is cut, by "
          + "the node's end, an unplugged camera or a full disk, in whole frames: the exit status is 1, and the message says how many frames there are. "
          + "A FILE that was there before is replaced by a whole recording only; beside one that was cut it stays, and the frames are in "
          + "FILE.part. Devices, FIFOs and standard output are written as frames come.",
        "With --reconnect a stream whose connection is lost waits for the node and goes on; its next frame counts as an "
          + "interruption. The first connection has to succeed.",
        "With --json the document is printed also when the stream fails after its first frame; it has then the reason "
          + "as 'error'.",
      ],
      positionals: [Options.cameraOrSession.declaration],
      options: [
        Options.sessionSource, Options.size, Options.rate, Options.format, Options.quality,
        Options.subsampling, Options.count, Options.duration, Options.reconnect, Options.streamOutput,
        Options.overwrite,
      ],
      examples: [
        .init("capturectl stream 0 -o - | ffplay -", "Look at a camera live."),
        .init("capturectl stream 0 --duration 10 -o clip.mjpeg", "Ten seconds of JPEGs in one file."),
        .init(
          "capturectl stream 0 --count 30 -o frames/%06d.jpg", "Thirty files, behind those that are there."),
        .init("capturectl stream 0 --rate 1 -o %Y%m%d-%H%M%S.jpg", "A file a second, by the time of day."),
        .init(
          "capturectl stream 0 --format YUYV --size 640x480 -n 1 -o raw.yuv",
          "One frame as the sensor gave it."),
        .init("capturectl stream --session door -o - | ffplay -", "Look at whatever camera a session has."),
        .init("capturectl --json stream 0 --duration 5", "Measure rate, losses and latency."),
      ]),
    Command(
      "photo", summary: "Take a photo.",
      discussion: [
        "The photo is exposed after the request has arrived. Without --size it has the size that the camera streams now. Of a camera at "
          + "rest it is the largest, or, where its sizes are a range, what its driver is set to.",
        "What is automatic comes to rest first: the node's mode or the driver says so, or the pictures no longer change. 'photo' tells how long it waited, and how it knows.",
      ],
      positionals: [Options.cameraOrSession.declaration],
      options: [
        Options.sessionSource, Options.size, Options.photoQuality, Options.unchecked, Options.allowNoSignal,
        Options.settle, Options.photoOutput,
      ],
      examples: [
        .init("capturectl photo 0 -o desk.jpg", "A photo into a file."),
        .init("capturectl photo --session door/photo -o door.jpg", "A photo of a session that runs."),
        .init("capturectl photo 0 -o - | display", "A photo into another program."),
        .init(
          "capturectl photo 0 --settle none -o now.jpg", "The first frame there is, however it is exposed."),
      ]),
  ]

  private static let completions = Command(
    "completions", summary: "Print the completions for a shell.",
    positionals: [Options.shell.declaration],
    examples: [
      .init("source <(capturectl completions bash)", "Complete commands, options and cameras with Tab."),
      .init("source <(capturectl completions zsh)", "The same for zsh."),
      .init("capturectl completions fish | source", "The same for fish."),
    ])
}
