import CaptureModel
import CaptureSystem
import CaptureWire
import Glibc

/// Drives a node for `scripts/bench` and prints one JSON object.
@main
struct CaptureBench {
  static let usage = """
    usage: capture-bench ping ADDRESS COUNT
           capture-bench settings ADDRESS CAMERA COUNT
           capture-bench download ADDRESS PID BYTES SECONDS
           capture-bench frames ADDRESS PID CLIENTS SECONDS YUYV|MJPG
           capture-bench source SPEC FRAMES
    PID is the node's: its CPU, threads and memory are read from /proc. ping, settings and download need --enable-test-service.
    """

  static func main() async {
    do {
      let words = Array(CommandLine.arguments.dropFirst())
      switch (words.first, words.count) {
      case ("ping", 3): try await ping(words[1], count: number(words[2]))
      case ("settings", 4): try await settings(words[1], camera: words[2], count: number(words[3]))
      case ("download", 5):
        try await download(
          words[1], node: ProcessMeter(number(words[2])), bytes: number(words[3]), seconds: number(words[4]))
      case ("frames", 6):
        try await frames(
          words[1], node: ProcessMeter(number(words[2])), clients: number(words[3]),
          seconds: number(words[4]),
          format: words[5] == "MJPG" ? .mjpeg : .yuyv)
      case ("source", 3): try await source(words[1], count: number(words[2]))
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

  struct Usage: Error {}

  private static func say(_ text: String) {
    let line = text + "\n"
    write(STDERR_FILENO, line, line.utf8.count)
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
