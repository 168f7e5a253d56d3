import CaptureOptions

/// The commands for focus, exposure, white balance, zoom and light.
let settingsCommands = [
  Command(
    "describe", summary: "Show a camera's formats, settings and controls.",
    discussion: [
      "Shows formats with their sizes and rates, the size for each session preset, modes and ranges in physical units, the driver's other controls, "
        + "and the driver's control for each setting. DELAY is the number of frames between a change and the first frame that has it."
    ],
    positionals: [Options.camera.declaration],
    examples: [.init("capturectl describe 0", "What can be asked of it, by any command.")]),
  Command(
    "focus", summary: "Show or change the focus.",
    discussion: [
      "If the camera's driver has no automatic mode, no point of interest or no range, the node focuses, from the pictures "
        + "of a running stream.",
      "--at without a mode focuses on that point. If the focus is locked, the camera focuses once and locks it again. With the mode 'continuous' the focus follows the scene "
        + "at that point from then on.",
    ],
    positionals: [Options.camera.declaration],
    options: [
      Options.focusMode, Options.point, Options.lens, Options.focusRange, Options.clamp, Options.wait,
    ],
    examples: [
      .init("capturectl focus 0 --mode auto --at 0.3,0.6", "Focus once on something left of the middle."),
      .init("capturectl focus 0 --lens 0.25 --wait", "Set the lens; say which frame has it first."),
    ]),
  Command(
    "expose", summary: "Show or change the exposure.",
    discussion: [
      "--duration or --iso without a mode selects 'custom'. The one that is not given stays as it is."
    ],
    positionals: [Options.camera.declaration],
    options: [
      Options.exposureMode, Options.point,
    ] + Options.exposureNumbers.map(\.option) + [Options.clamp, Options.wait],
    examples: [
      .init("capturectl expose 0 --duration 1/100", "A hundredth of a second, from now on."),
      .init("capturectl expose 0 --mode auto --at 0.5,0.2", "Meter once at a point, then stay."),
      .init("capturectl expose 0 --mode continuous --bias 1", "Automatic, a stop brighter."),
    ]),
  Command(
    "white-balance", summary: "Show or change the white balance.",
    positionals: [Options.camera.declaration],
    options: [
      Options.whiteBalanceMode, Options.temperature, Options.tint, Options.gains, Options.greyWorld,
      Options.clamp, Options.wait,
    ],
    examples: [
      .init("capturectl white-balance 0 --temperature 3200", "Balanced for halogen light."),
      .init("capturectl white-balance 0 --tint 20", "More magenta, at the temperature as it is."),
      .init("capturectl white-balance 0 --mode continuous", "Follow the light."),
      .init("capturectl white-balance 0 --grey-world", "Make the picture as a whole grey, once."),
    ]),
  Command(
    "zoom", summary: "Show or change the zoom.",
    discussion: [
      "If the camera's driver has no zoom, the node cuts the middle out of its frames. 'describe' says which of them zooms."
    ],
    positionals: [Options.camera.declaration, Options.zoomFactor.declaration],
    options: [Options.zoomRate, Options.clamp, Options.wait],
    examples: [
      .init("capturectl zoom 0 2", "Twice as large, at once."),
      .init("capturectl zoom 0 4 --rate 0.5", "Slowly: one doubling in two seconds."),
      .init("capturectl zoom 0 stop", "End that where it is."),
    ]),
  Command(
    "frame-duration", summary: "Show or change the bounds of the frame duration, and so of the rate.",
    discussion: [
      "A running stream keeps to the bounds at once, and its viewers stay. A bound that is not given stays as it is. 'describe' shows the camera's range."
    ],
    positionals: [Options.camera.declaration],
    options: [Options.minimumFrameDuration, Options.maximumFrameDuration, Options.clamp, Options.wait],
    examples: [
      .init("capturectl frame-duration 0 --minimum 1/15", "At most 15 frames a second."),
      .init("capturectl frame-duration 0 --minimum 1/30 --maximum 1/24", "From 24 to 30 of them."),
      .init("capturectl frame-duration 0 --minimum none --maximum none", "Whatever is asked for, again."),
    ]),
  Command(
    "torch", summary: "Show or change the torch, a light that stays on.",
    discussion: [
      "With auto it is on while the scene is dark and a stream runs. Torch and flash exclude each other: the one that is switched on "
        + "last ends the other."
    ],
    positionals: [Options.camera.declaration, Options.lightMode.declaration],
    options: [Options.level, Options.clamp, Options.wait],
    examples: [
      .init("capturectl torch 0 on --level 0.5", "Half its brightness."),
      .init("capturectl torch 0 auto", "On while the scene is dark."),
    ]),
  Command(
    "flash", summary: "Show or change for which photos the flash fires.",
    discussion: [
      "If the camera's driver has no flash, the torch is lit for the photo. 'photo' says whether the light fired."
    ],
    positionals: [Options.camera.declaration, Options.lightMode.declaration],
    options: [Options.level, Options.clamp, Options.wait],
    examples: [.init("capturectl flash 0 auto", "It fires with photos of a dark scene.")]),
  Command(
    "reset", summary: "Set focus and exposure to continuous at the centre, without bias.",
    discussion: ["All else stays: white balance, zoom and light are not reset."],
    positionals: [Options.camera.declaration], options: [Options.wait],
    examples: [.init("capturectl reset 0", "No longer at the point that a viewer tapped.")]),
  Command(
    "watch", summary: "Show settings as they change, until Ctrl-C.",
    discussion: [
      "With --json one object a line; the first has all settings and an empty 'changed'.",
      "With --reconnect it goes on with the same camera, whatever index that has in a node that has started anew.",
    ],
    positionals: [Options.camera.declaration, Options.settingNames.declaration],
    options: [Options.reconnect],
    examples: [.init("capturectl watch 0 focus exposure", "Follow what automatic modes do.")]),
]
