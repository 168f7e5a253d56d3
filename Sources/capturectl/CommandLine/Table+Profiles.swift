import CaptureOptions

extension Options {
  static let profile = Positional(
    .text("PROFILE", completion: .names(.profiles)), help: "The profile's name, as 'profile list' shows it.")
  static let newProfile = Positional(
    .text("PROFILE"),
    help: "A name: 1 to 64 letters without accents, digits, '-', '_' and '.', not '.' or '..'.")
  static let replace = Flag("replace", help: "Replace an existing profile of this name.")
  static let measuredControls = Positional(
    .text("CONTROL", completion: .names(.controls)), .zeroOrMore,
    help: "The name or number of a control to measure. Without any: all that usually show in pictures.")
}

/// The commands for named sets of settings.
let profileCommand = Command(
  "profile", summary: "Save a camera's settings under a name, and load them again.",
  discussion: [
    "A profile holds the driver's controls that can be set and keep what is set, and what is the node's own: modes that follow the scene, zoom, lights, and bounds of the frame duration. The node keeps profiles in its state file."
  ],
  commands: [
    Command(
      "save", summary: "Save the camera's settings as they are.",
      positionals: [Options.camera.declaration, Options.newProfile.declaration], options: [Options.replace],
      examples: [.init("capturectl profile save 0 night", "As it is set now.")]),
    Command(
      "load", summary: "Set everything in a profile, or nothing.",
      positionals: [Options.camera.declaration, Options.profile.declaration], options: [Options.wait],
      examples: [.init("capturectl profile load 0 night --wait", "And say which frame has it first.")]),
    Command(
      "list", summary: "List a camera's profiles.", positionals: [Options.camera.declaration],
      examples: [.init("capturectl profile list 0", "What can be loaded.")]),
    Command(
      "delete", summary: "Delete a profile.",
      positionals: [Options.camera.declaration, Options.profile.declaration],
      examples: [.init("capturectl profile delete 0 night", "The camera stays as it is.")]),
  ])

/// The command that measures which frame has a setting.
let calibrateCommand = Command(
  "calibrate", summary: "Measure how soon a camera's settings show in its frames.",
  discussion: [
    "Sets each control to and fro while the camera streams, and finds the first frame that differs. The node keeps the results, "
      + "and uses them to name the first frame with a change (--wait, watch). It takes some seconds for each control, and needs a scene that does not move and is "
      + "light enough. It sets everything back, also after Ctrl-C. For a lens or a zoom the delay ends with the first frame that begins to change.",
    "With --json, each line is one object.",
  ],
  positionals: [Options.camera.declaration, Options.measuredControls.declaration],
  examples: [
    .init("capturectl calibrate 0", "Everything that usually shows."),
    .init("capturectl calibrate 0 gain exposure_time_absolute", "These two."),
  ])
