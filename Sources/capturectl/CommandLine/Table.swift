import CaptureOptions
import CaptureSystem

extension Program {
  /// The complete command line of capturectl.
  static let capturectl = Program(
    Command(
      "capturectl", summary: "Drive the cameras of a capture node.",
      discussion: [
        "capture-node serves the cameras of a Linux machine over a socket. capturectl, on that machine or another, "
          + "lists them, sets their controls, takes photos and receives live frames.",
        "CAMERA is a camera's identity, a part of it that no other camera has, or the index that "
          + "'capturectl devices' shows.",
      ],
      options: [
        Options.node, Options.json, Options.timeout, Options.lease, Options.credentialFile, Options.authority,
      ],
      commands: nodeCommands + cameraCommands + inputCommands + settingsCommands + pictureCommands
        + leaseCommands + [
          profileCommand, calibrateCommand, sessionCommand, libraryCommand, timelapseCommand, pairCommand,
          knownNodesCommand,
          credentialCommand, accessCommand, completions,
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
        "The node or this machine could not do it. Standard error has the status code and the possible values."
      ),
      (2, "The command line was wrong."),
    ],
    seeAlso: ["capture-node(1)"])

  private static let nodeCommands = [
    Command(
      "info", summary: "Show the node's name, version and services.",
      examples: [.init("capturectl info", "Name, version and addresses of the node on this machine.")]),
    Command(
      "status", summary: "Show the node's state: clients, calls, streams, errors, memory.",
      discussion: [
        "For each camera (CAM): its stream, the measured rate, its clients, frames captured, LOST by the driver, BAD (flagged or "
          + "corrupt), discarded (DISC) for slow clients, restarts of the stream, frames encoded (ENC), and how many of the "
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
        "With --watch and --json each line is an object. Its 'event' is present (for each camera at first), listed (these "
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
        "AS JPEG says what converts the format to JPEG: nothing where it is one already ('as it is'), otherwise libyuv, the node's "
          + "own loops or libv4lconvert, in the order of cost. 'no, raw alone' means that only --format can ask for it.",
        "A range of sizes is shown with its step, and with the size to which the driver was set ('now').",
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
      "set", summary: "Set controls, all of them or none, and print the driver's values.",
      discussion: [
        "They are set in the given order. If one is refused, those before it are set back."
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
        "Frames are sent as they are captured. When this machine or the network is too slow, newer ones replace older "
          + "ones, which are counted as discarded.",
        "Ctrl-C ends a stream properly. If --count or --duration asked for more, the stream was cut, and the exit status is 1.",
        "A file FILE is called FILE.part from the first frame on, and gets its name at the end. If the stream is cut, by "
          + "the node's end, an unplugged camera or a full disk, the complete frames that came are kept: the exit status is 1, and the message says how many there are. "
          + "Only a complete recording replaces a FILE that existed before. If the recording was cut, that file stays, and the frames are in "
          + "FILE.part. Devices, FIFOs and standard output are written as frames come.",
        "With --reconnect a stream whose connection is lost, or whose camera is unplugged, waits and continues with the same camera, and says how many frames "
          + "were missed, if that can be known. The next frame counts as an interruption. The first connection has to succeed.",
        "With --json the document is printed even if the stream fails after its first frame. It then has the reason "
          + "as 'error'.",
      ],
      positionals: [Options.cameraOrSession.declaration],
      options: [
        Options.sessionSource, Options.size, Options.rate, Options.format, Options.quality,
        Options.subsampling, Options.count, Options.duration, Options.reconnect, Options.jsonFrames,
        Options.streamOutput,
        Options.overwrite, Options.gravity, Options.crop, Options.orientation, Options.mirror,
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
        .init(
          "capturectl stream 0 --format bgra --size 640x360 -o - | ./detect",
          "Pixels for another program."),
        .init(
          "capturectl stream 0 --crop 0.25,0.25,0.5,0.5 --orientation 90 -o - | ffplay -",
          "The middle of the picture, turned."),
        .init("capturectl stream --session door -o - | ffplay -", "Look at whatever camera a session has."),
        .init("capturectl --json stream 0 --duration 5", "Measure rate, losses and latency."),
        .init("capturectl stream 0 --json-frames -n 100", "What is known of a hundred frames."),
      ]),
    Command(
      "photo", summary: "Take a photo.",
      discussion: [
        "The photo is exposed after the request has arrived. Without --size it has the size that the camera streams now. For a camera that does "
          + "not stream it is the largest size or, if its sizes are a range, the one to which its driver is set.",
        "The photo waits until the camera's automatic modes have settled: the node's mode or the driver says so, or the pictures no longer change. The command "
          + "prints how long it waited, and how it knows.",
        "A bracket is several photos that differ in their exposure or in where the lens is. Each is of a frame that has its settings. The command says how "
          + "that is known: 'calibrated' from 'capturectl calibrate', 'observed' from earlier pictures, 'assumed' from how cameras usually behave. A bracket needs the camera's lease if another "
          + "client holds one.",
        "With --full-size switch a photo can be larger than the stream that others watch. The camera is switched to the photo's format and back; exposure, white "
          + "balance and focus are held, and viewers miss some frames. It needs the camera's lease if another client holds one.",
      ],
      positionals: [Options.cameraOrSession.declaration],
      options: [
        Options.sessionSource, Options.photoFormat, Options.size, Options.photoQuality, Options.unchecked,
        Options.allowNoSignal,
        Options.settle, Options.photoFlash, Options.tag, Options.shot, Options.noMetadata, Options.gravity,
        Options.crop,
        Options.orientation, Options.mirror, Options.orientationMethod, Options.thumbnail, Options.preview,
        Options.previewSize, Options.fullSize, Options.photoTime, Options.bracketBias,
        Options.bracketExposure, Options.bracketLens, Options.fuse, Options.burst, Options.photoCount,
        Options.store, Options.requestID,
        Options.photoDryRun,
        Options.photoOutput,
      ],
      examples: [
        .init("capturectl photo 0 -o desk.jpg", "A photo into a file."),
        .init("capturectl photo --session door/photo -o door.jpg", "A photo of a session that runs."),
        .init("capturectl photo 0 -o - | display", "A photo into another program."),
        .init(
          "capturectl photo 0 --format jpeg,dng -o rose",
          "Two files of one frame of a Bayer sensor: rose.jpg and rose.dng."),
        .init(
          "capturectl photo 0 --size 600x600 --gravity fill --flash auto -o face.jpg",
          "A square, lit where it is dark."),
        .init(
          "capturectl photo 0 --tag Artist=Ada --tag Copyright=Ada -o desk.jpg",
          "A photo that names its author in its EXIF."),
        .init("capturectl photo 0 --store", "A photo that the node keeps, and that is not sent here."),
        .init(
          "capturectl photo 0 --settle none -o now.jpg", "The first frame there is, however it is exposed."),
        .init(
          "capturectl photo 0 --full-size switch -o large.jpg",
          "The camera's largest size, also while a small stream is watched."),
        .init(
          "capturectl photo 0 --time -1.5 -o missed.jpg",
          "What a camera that streams saw one and a half seconds ago."),
        .init(
          "capturectl photo 0 --bracket-bias -2,0,2 --fuse -o window.jpg",
          "One picture of three exposures: bright and dark parts both show."),
        .init(
          "capturectl photo 0 --bracket-exposure 1/500,1/125,1/30 -o shot-%d.jpg",
          "A photo with each exposure."),
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
