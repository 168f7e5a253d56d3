import CaptureModel
import CaptureSystem
import CaptureWire
import Glibc

/// Drives a node for `scripts/bench` and prints one JSON object.
@main
struct CaptureBench {
  static let usage = """
    usage: capture-bench ping ADDRESS COUNT [app]
           capture-bench arrivals ADDRESS COUNT
           capture-bench settings ADDRESS CAMERA COUNT
           capture-bench calls ADDRESS PID IN_FLIGHT SECONDS [app]
           capture-bench download ADDRESS PID BYTES SECONDS
           capture-bench frames ADDRESS PID CLIENTS SECONDS YUYV|MJPG|BGRA [WxH FPS 422|420]
           capture-bench client ADDRESS library|transport STREAMS FRAMES
           capture-bench source SPEC FRAMES
           capture-bench metering SPEC YUYV|MJPG FRAMES
           capture-bench encoding WxH PICTURE 601|709|2020|240|constant FRAMES
           capture-bench converting WxH PICTURE AR24|RGB3|NV12|YU12|GREY FRAMES
           capture-bench checking SPEC FRAMES
           capture-bench turning FILE COUNT
           capture-bench photos ADDRESS COUNT
           capture-bench now ADDRESS YUYV|MJPG COUNT
    ADDRESS may begin with "tls:". PID is the node's: its CPU, threads and memory are read from /proc. ping, arrivals, calls, settings and download need
    --enable-test-service. app: the calls are made by tasks like those of an app, and not on the connection's loop.
    """

  static func main() async {
    do {
      let words = Array(CommandLine.arguments.dropFirst())
      switch (words.first, words.count) {
      case ("ping", 3), ("ping", 4):
        try await measureRoundTrips(words[1], count: number(words[2]), by: caller(words.dropFirst(3)))
      case ("arrivals", 3): try await measureArrivals(words[1], count: number(words[2]))
      case ("settings", 4): try await measureSettings(words[1], camera: words[2], count: number(words[3]))
      case ("calls", 5), ("calls", 6):
        try await measureCalls(
          words[1], node: ProcessMeter(number(words[2])), inFlight: number(words[3]),
          seconds: number(words[4]), by: caller(words.dropFirst(5)))
      case ("download", 5):
        try await measureDownload(
          words[1], node: ProcessMeter(number(words[2])), bytes: number(words[3]), seconds: number(words[4]))
      case ("frames", 6), ("frames", 9):
        var request = words[5] == "BGRA" ? bgraRequest : jpegRequest(words[5] == "MJPG" ? .mjpeg : .yuyv)
        if words.count == 9 {
          guard let size = FrameSize(words[6]) else { throw Usage() }
          request.rendition?.size = Size(width: UInt32(size.width), height: UInt32(size.height))
          request.rate = try number(words[7])
          request.rendition?.subsampling = words[8] == "420" ? .subsampling420 : .subsampling422
        }
        try await measureFrames(
          words[1], node: ProcessMeter(number(words[2])), clients: number(words[3]),
          seconds: number(words[4]), request)
      case ("client", 5):
        try await measureClient(
          words[1], throughLibrary: words[2] == "library", streams: number(words[3]), frames: number(words[4])
        )
      case ("metering", 4):
        try await measureMetering(words[1], words[2] == "MJPG" ? .mjpeg : .yuyv, count: number(words[3]))
      case ("encoding", 5): try measureEncoding(words[1], words[2], words[3], count: number(words[4]))
      case ("converting", 5): try measureConverting(words[1], words[2], words[3], count: number(words[4]))
      case ("checking", 3): try await measureChecking(words[1], count: number(words[2]))
      case ("turning", 3): try measureTurning(words[1], count: number(words[2]))
      case ("photos", 3): try await measurePhotos(words[1], count: number(words[2]))
      case ("now", 4):
        try await measureNewestPhotos(words[1], words[2] == "MJPG" ? .mjpeg : .yuyv, count: number(words[3]))
      case ("source", 3): try await measureSource(words[1], count: number(words[2]))
      default: throw Usage()
      }
    } catch is Usage {
      say(usage)
      exit(2)
    } catch {
      say("capture-bench: \(error)")
      exit(1)
    }
  }

  /// The words of the command line are wrong.
  struct Usage: Error {}

  /// The reason why nothing can be measured, for a person.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// `what`: "opened", "read", "written".
    init(_ path: String, cannotBe what: String, _ reason: Errno) {
      description = "'\(path)' cannot be \(what): \(reason)"
    }
  }

  private static func say(_ text: String) {
    let line = text + "\n"
    write(STDERR_FILENO, line, line.utf8.count)
  }

  /// The caller that the last words of the command line name.
  private static func caller(_ words: ArraySlice<String>) throws -> Caller {
    guard let word = words.first else { return .loop }
    guard word == "app" else { throw Usage() }
    return .app
  }

  /// A positive number of the command line.
  static func number<N: LosslessStringConvertible & Numeric & Comparable>(_ word: String) throws -> N {
    guard let value = N(word), value > 0 else { throw Usage() }
    return value
  }

  /// Prints one JSON object.
  static func report(_ values: KeyValuePairs<String, Double>) {
    print("{" + values.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}")
  }
}
