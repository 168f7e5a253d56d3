import CaptureOptions

extension Options {
  static let interval = Option(
    "interval", .timelapseInterval, help: "The time between two photos, from 1 to 604800. Needed.")
  static let ticks = Option(
    "count", short: "n", .integer("N", in: 1...1_000_000_000),
    help: "End after this many photos, missed and failed ones included. Without it: until it is stopped.")
  static let lockExposure = Option(
    "lock-exposure", .choice("WHEN", ["first", "never"]),
    help:
      "'first': exposure and white balance stay as they are after the first photo; their modes come back at the end. 'never': each photo is exposed anew.",
    defaultText: "never")
  static let job = Positional(
    .text("JOB", completion: .names(.jobs)), help: "The job's name, as 'timelapse list' shows it.")
  static let optionalJob = Positional(
    .text("JOB", completion: .names(.jobs)), .optional, help: "Only this job. Without it: all.")
  static let remove = Flag("remove", help: "Also take it out of the list. Its photos stay.")
}

extension ValueType where Value == Duration {
  /// Seconds with or without a fraction: from a second to a week.
  static let timelapseInterval = ValueType(
    "SECONDS", expectation: "a number of seconds from 1 to 604800"
  ) { text in
    Double(text).flatMap { $0 >= 1 && $0 <= 604_800 ? .seconds($0) : nil }
  }
}

/// The commands for photos at intervals.
let timelapseCommand = Command(
  "timelapse", summary: "Take photos at intervals, on the node alone.",
  discussion: [
    "The node takes the photos, and keeps them in its library under the job's name (library list --sequence JOB). This machine may leave. Photos are due at the start and at "
      + "each whole interval after it: a late photo delays no other. After a restart of the node the job goes on with the same times, and counts the missed ones."
  ],
  commands: [
    Command(
      "start", summary: "Begin a timelapse.", positionals: [Options.camera.declaration],
      options: [
        Options.interval, Options.ticks, Options.lockExposure, Options.newLabel, Options.keptFormat,
        Options.size, Options.photoQuality, Options.gravity, Options.crop, Options.orientation,
        Options.mirror,
        Options.settle, Options.photoFlash, Options.tag,
      ],
      examples: [
        .init("capturectl timelapse start 0 --interval 60", "A photo a minute, until it is stopped."),
        .init(
          "capturectl timelapse start 0 --interval 5 --count 720 --lock-exposure first",
          "An hour that does not flicker."),
      ]),
    Command(
      "list", summary: "List timelapses, those too that have ended.",
      examples: [.init("capturectl timelapse list", "The running timelapses, and their missed photos.")]),
    Command(
      "stop", summary: "End a timelapse. Its photos stay.", positionals: [Options.job.declaration],
      options: [Options.remove],
      examples: [.init("capturectl timelapse stop timelapse-1a2b3c4d", "No more photos.")]),
    Command(
      "watch", summary: "Print what timelapses do, as they do it.",
      discussion: ["A lost connection is made again. With --json each line is an object."],
      positionals: [Options.optionalJob.declaration],
      examples: [.init("capturectl timelapse watch", "Each photo, and each missed one.")]),
  ])
