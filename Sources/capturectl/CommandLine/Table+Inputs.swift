import CaptureOptions

extension Options {
  static let inputName = Positional(
    .text("INPUT", completion: .names(.inputs)), help: "An input's name, as 'inputs' shows it, or its index.")
  static let allowNoSignal = Flag(
    "allow-no-signal",
    help:
      "Take the photo even if the camera's input has no signal, no power, or an unstable signal. Without this option that is an error."
  )
}

/// The commands for a capture card's inputs.
let inputCommands = [
  Command(
    "inputs", summary: "List a camera's inputs and the status of the one in use.",
    discussion: [
      "SIGNAL is the signal that the camera is set to receive, from which its formats follow. If another signal is at the input, that is shown too. A "
        + "driver reports the status only of the input in use."
    ],
    positionals: [Options.camera.declaration],
    examples: [.init("capturectl inputs 0", "What 'input' can choose, and whether there is a signal.")]),
  Command(
    "input", summary: "Take a camera's picture from another input.",
    discussion: [
      "The node keeps this choice, also when it or the camera restarts. Running streams continue with the new input."
    ],
    positionals: [Options.camera.declaration, Options.inputName.declaration],
    examples: [.init("capturectl input 0 1", "The second one in the list.")]),
]
