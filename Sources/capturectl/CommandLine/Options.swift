import CaptureClient
import CaptureOptions
import CaptureSystem

/// The keys of the table of options.
enum Options {
  static let node = Option(
    "node", .address,
    help:
      "The node to talk to: the name of one that is known ('node list'), HOST:PORT, [IPV6]:PORT or unix:PATH. Without it: "
      + "unix:\(SocketAddress.packagedSocket), or capture-node/socket in $XDG_RUNTIME_DIR if only that is there.",
    environment: "CAPTURE_NODE")
  static let json = Flag("json", help: "Print one JSON document instead of text for people.")
  static let timeout = Option(
    "timeout", .seconds,
    help:
      "Give up on a call without an answer, and on a stream without a frame, after this many seconds. A photo has 30 if this is not given.",
    defaultText: "10")

  static let camera = Positional(
    .text("CAMERA", completion: .names(.cameras)),
    help: "A camera's identity, a part of it that no other has, or its index, as 'devices' shows them.")
  static let controlNames = Positional(
    .text("NAME", completion: .names(.controls)), .oneOrMore,
    help: "A control's name, as 'controls' shows it, or its V4L2 number.")
  static let assignments = Positional(
    .assignment, .oneOrMore,
    help: "A control and its new value: a number, on or off, the name of a menu's item, or a text.")
  static let shell = Positional(
    .choice("SHELL", Page.shells.map(\.rawValue)), help: "The shell: bash, zsh or fish.")

  static let reconnect = Flag(
    "reconnect",
    help:
      "When the connection is lost, connect again, with growing pauses, and go on, until Ctrl-C; a stream also waits for its "
      + "unplugged camera.")
  static let jsonFrames = Flag(
    "json-frames",
    help:
      "Print an object for each frame, one a line: number, times, size, settings in force. With pictures on standard output they are on standard error."
  )

  static let count = Option(
    "count", short: "n", .integer("N", in: 1...1_000_000_000),
    help: "End after this many frames or round trips.")
  static let watch = Flag(
    "watch",
    help:
      "Keep running, and show cameras as they come and go, until Ctrl-C. With --json, print one object on each line."
  )
  static let names = Flag("names", help: "Print identities only, one a line.")

  static let size = Option("size", .frameSize, help: "The exact width and height in pixels: 1280x720.")
  static let rate = Option(
    "rate", .rate,
    help: "The most frames a second: 15, 29.97 or 30000/1001. Frames of a faster camera are left out.")
  static let format = Option(
    "format", .encoding,
    help:
      "'jpeg'; 'raw', the camera's own bytes; or the four characters of a raw format, as 'formats' shows them. 'bgra', 'rgb24', 'nv12', 'i420' and 'grey' come from any camera: "
      + "the node converts. (default: jpeg)"
  )
  static let quality = Option(
    "quality", .integer("1..100", in: 1...100),
    help:
      "Quality of the JPEGs. Without it the node encodes with \(JPEGSettings.videoQuality), and does not change a camera's own JPEG; with it the node decodes "
      + "and encodes that again.")
  static let photoQuality = Option(
    "quality", .integer("1..100", in: 1...100),
    help:
      "Quality of the JPEG. Without it the node encodes with \(JPEGSettings.photoQuality), and does not change a camera's own JPEG; with it the node decodes "
      + "and encodes that again.")
  static let subsampling = Option(
    "subsampling", .choice("422|420", ["422", "420"]),
    help:
      "Colour resolution of the JPEGs. The node decodes a camera's own JPEG and encodes it again for this, as for --quality."
  )
  static let duration = Option("duration", .seconds, help: "End this long after the first frame.")
  static let streamOutput = Option(
    "output", short: "o", .streamTarget,
    help:
      "Where frames go. A file, device or FIFO gets them one after the other. With %d or %06d in the file's name "
      + "each frame gets its own file, with numbers that continue after the last existing one; with %Y, %m, %d, %H, %M and %S its name has the time of capture. "
      + "- is standard output. Without --output frames are only counted."
  )
  static let unchecked = Flag(
    "unchecked",
    help:
      "Save the camera's own JPEG without decoding it first. It comes some milliseconds sooner, but may be damaged inside. Without this option a damaged frame is replaced by the next one."
  )
  static let overwrite = Flag(
    "overwrite", help: "Number files from 1, and replace existing ones.")
  static let settle = Option(
    "settle", .settling,
    help:
      "Wait this long at most until automatic exposure, focus and white balance are at rest; 'none' takes the first frame. A camera that is at rest "
      + "costs no wait. (default: 2, and up to 20 for the node's own modes)")
  static let photoOutput = Option(
    "output", short: "o", .streamTarget,
    help:
      "Where the photo goes: a file, whose name may contain %Y, %m, %d, %H, %M and %S, {camera}, the camera's identity, and {sequence}, the frame's number; - is standard output. Of several formats each file has its own ending; several "
      + "photos need a name for each: shot-%d.jpg, which numbers them.",
    defaultText: "photo.jpg")
}
