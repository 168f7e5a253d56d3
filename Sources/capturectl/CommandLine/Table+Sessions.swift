import CaptureOptions

/// The commands for cameras that run together, with formats that the user chooses.
let sessionCommand = Command(
  "session", summary: "Make, change and watch sessions: cameras that run, and their outputs.",
  discussion: [
    "A session reserves its cameras and runs them in the configured format, also without viewers, and any "
      + "client can take frames and photos of its outputs ('stream --session', 'photo --session'). Sessions that "
      + "capturectl makes live until they are closed."
  ],
  commands: [
    Command(
      "list", summary: "List the node's sessions.", options: [Options.sessionNames],
      examples: [.init("capturectl session list", "What can be named as SESSION.")]),
    Command(
      "show", summary: "Show a session: cameras, formats, outputs.",
      positionals: [Options.session.declaration],
      examples: [.init("capturectl session show door", "How it is set up, and how it is.")]),
    Command(
      "configure", summary: "Make or change a session: the whole change, or nothing.",
      discussion: [
        "Everything that is not named stays as it is. A new session needs an --input, and has the preset 'high', an output 'video' "
          + "and an output 'photo'.",
        "While a session runs, its viewers keep their streams: they are told of the change, and then get the new camera, "
          + "format or orientation.",
      ],
      positionals: [Options.session.declaration],
      options: [
        Options.input, Options.preset, Options.sessionFormat, Options.sessionSize, Options.sessionRate,
        Options.video, Options.stills, Options.orientation, Options.mirror, Options.noMirror,
        Options.cropFactor, Options.disable, Options.enable, Options.only, Options.start,
        Options.dryRun,
      ],
      examples: [
        .init("capturectl session configure door --input 0 --preset 1280x720 --start", "A camera that runs."),
        .init(
          "capturectl session configure door --input 0 --input 1 --dry-run",
          "Whether that is possible, and with which formats; nothing changes."),
        .init("capturectl session configure door --input 1", "Another camera; viewers stay connected."),
        .init("capturectl session configure door --orientation 90 --mirror", "Turn the picture as it runs."),
        .init(
          "capturectl session configure two --input 0 --input 1 --video a --video b=1",
          "Two cameras, each with an output."),
      ]),
    Command(
      "start", summary: "Start a session's cameras.", positionals: [Options.session.declaration],
      examples: [.init("capturectl session start door", "From now on there are frames.")]),
    Command(
      "stop", summary: "Stop a session's cameras. Its viewers wait for its next start.",
      positionals: [Options.session.declaration],
      examples: [.init("capturectl session stop door", "The camera's light goes out.")]),
    Command(
      "close", summary: "Stop a session and remove it. Its cameras are free then.",
      positionals: [Options.session.declaration],
      examples: [.init("capturectl session close door", "Others may have its camera.")]),
    Command(
      "events", summary: "Show a session's events, until it is closed or Ctrl-C.",
      discussion: [
        "Events are: started, stopped, configured; interrupted, when a camera is unplugged, used by another program or silent, "
          + "and the end of that; a runtime error, when it stopped by itself, with the reason. 'session show' shows this reason "
          + "too, until the session is started again. With --json, each line is one object."
      ],
      positionals: [Options.session.declaration], options: [Options.reconnect],
      examples: [.init("capturectl session events door", "Follow it.")]),
  ],
  examples: [
    .init("capturectl session configure door --input 0 --start", "Make a session and start it."),
    .init("capturectl stream --session door -o - | ffplay -", "Look at it."),
  ])
