import CaptureOptions

extension Options {
  static let inputName = Positional(
    .text("INPUT"), help: "An input's name, as 'inputs' shows it, or its index.")
  static let allowNoSignal = Flag(
    "allow-no-signal",
    help:
      "Take the photo also where the camera's input has no signal, no power, or an unstable signal. Else that is an error."
  )
}

/// The commands for a capture card's inputs.
let inputCommands = [
  Command(
    "inputs", summary: "List a camera's inputs and the status of the one in use.",
    discussion: [
      "SIGNAL is what the camera is set to receive, from which its formats follow; where something else is at the input, that is told too. A "
        + "driver tells the status of the input in use only."
    ],
    positionals: [Options.camera.declaration],
    examples: [.init("capturectl inputs 0", "What 'input' can choose, and whether there is a signal.")]),
  Command(
    "input", summary: "Take a camera's picture from another input.",
    discussion: [
      "The node keeps to it, also when it or the camera is started anew. Streams that run go on with the new input."
    ],
    positionals: [Options.camera.declaration, Options.inputName.declaration],
    examples: [.init("capturectl input 0 1", "The second one in the list.")]),
]
