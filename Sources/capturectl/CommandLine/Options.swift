import CaptureModel
import CaptureOptions
import CaptureSystem

/// The keys of the table of options.
enum Options {
  static let node = Option(
    "node", .address, help: "The node to talk to: HOST:PORT, [IPV6]:PORT or unix:PATH.",
    defaultText: SocketAddress.standard.description, environment: "CAPTURE_NODE")
  static let json = Flag("json", help: "Print one JSON document instead of text for people.")
  static let timeout = Option(
    "timeout", .seconds,
    help:
      "Give up on a call that is not answered in this time, or on a stream that gives no frame for so long.",
    defaultText: "10")

  static let camera = Positional(
    .text("CAMERA", completion: .program(["devices", "--names"])),
    help: "A camera's identity, a part of it that no other has, or its index, as 'devices' shows them.")
  static let controlNames = Positional(
    .text("NAME"), .oneOrMore, help: "A control's name, as 'controls' shows it, or its V4L2 number.")
  static let assignments = Positional(
    .assignment, .oneOrMore,
    help: "A control and its new value: a number, on or off, a menu's item by name, a text.")
  static let shell = Positional(
    .choice("SHELL", Page.shells.map(\.rawValue)), help: "The shell: bash, zsh or fish.")

  static let reconnect = Flag(
    "reconnect",
    help: "When the connection is lost, try again with growing pauses until Ctrl-C, and go on.")

  static let count = Option(
    "count", short: "n", .integer("N", in: 1...1_000_000_000), help: "End after this many.")
  static let watch = Flag(
    "watch", help: "Go on and show cameras as they come and go, until Ctrl-C. With --json one object a line.")
  static let names = Flag("names", help: "Print identities only, one a line.")

  static let size = Option("size", .frameSize, help: "Width and height in pixels, exactly: 1280x720.")
  static let rate = Option(
    "rate", .rate,
    help: "Frames a second, at most: 15, 29.97 or 30000/1001. A camera that is faster is thinned out.")
  static let format = Option(
    "format", .encoding,
    help: "'jpeg', or a raw format by its four characters, as 'formats' shows them. (default: jpeg)")
  static let quality = Option(
    "quality", .integer("1..100", in: 1...100),
    help:
      "Quality of the JPEGs, \(JPEGSettings.videoQuality) without it. A camera's own JPEG comes as it is without it; with it the node decodes "
      + "and encodes that again.")
  static let photoQuality = Option(
    "quality", .integer("1..100", in: 1...100),
    help:
      "Quality of the JPEG, \(JPEGSettings.photoQuality) without it. A camera's own JPEG comes as it is without it; with it the node decodes "
      + "and encodes that again.")
  static let subsampling = Option(
    "subsampling", .choice("422|420", ["422", "420"]),
    help:
      "Colour resolution of the JPEGs. A camera's own are decoded and encoded again for it, as for --quality."
  )
  static let duration = Option("duration", .seconds, help: "End so long after the first frame.")
  static let streamOutput = Option(
    "output", short: "o", .streamTarget,
    help:
      "Where frames go: a file, device or FIFO takes them one behind the other; with %d or %06d in its name "
      + "each gets a file of its own, numbered on from the last that is there, and with %Y, %m, %d, %H, %M and %S one by the time of its capture; "
      + "- is standard output. Without it they are only counted."
  )
  static let unchecked = Flag(
    "unchecked",
    help:
      "Save the camera's own JPEG without decoding it first: some milliseconds sooner, and perhaps damaged inside. Else the next frame is taken instead of a damaged one."
  )
  static let overwrite = Flag(
    "overwrite", help: "Number files from 1, and write over those that are there.")
  static let settle = Option(
    "settle", .settling,
    help:
      "How long the photo waits at most until automatic exposure, focus and white balance are at rest; none takes the first frame. What has settled costs no wait, "
      + "and without the option the node's own modes have longer. (default: 2)")
  static let photoOutput = Option(
    "output", short: "o", .photoTarget,
    help:
      "Where the photo goes: a file, whose name may have %Y, %m, %d, %H, %M and %S in it; - is standard output.",
    defaultText: "photo.jpg")
}
