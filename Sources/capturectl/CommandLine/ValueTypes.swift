import CaptureClient
import CaptureOptions
import CaptureSystem

extension ValueType where Value == SocketAddress {
  static let address = ValueType("ADDRESS") { text throws(ValueError) in
    do throws(SocketAddressError) { return try SocketAddress(parsing: text) } catch {
      throw ValueError("is wrong: \(error)")
    }
  }
}

extension ValueType where Value == FrameSize {
  static let frameSize = ValueType("WxH", expectation: "a size like 1280x720, each side from 1 to 65535") {
    FrameSize($0)
  }
}

extension ValueType where Value == Double {
  /// Frames a second: a number, or a fraction as in a format.
  static let rate = ValueType(
    "FPS", expectation: "frames a second above 0 and up to 1000, like 15, 29.97 or 30000/1001"
  ) { text in
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map { Double($0) }
    guard let first = parts[0], let divisor = parts.count == 2 ? parts[1] : 1 else { return nil }
    let rate = first / divisor
    return rate > 0 && rate <= 1000 ? rate : nil
  }
}

extension ValueType where Value == Duration {
  /// How long a photo waits for a camera to settle.
  static let settling = ValueType(
    "SECONDS|none",
    expectation:
      "'none', or a number of seconds from 0 to \(VideoRequest.longestSettling.components.seconds)",
    completion: .words(["none"])
  ) { text in
    if text == "none" { return .zero }
    guard let seconds = Double(text), seconds >= 0 else { return nil }
    return seconds <= VideoRequest.longestSettling / .seconds(1) ? .seconds(seconds) : nil
  }
}

extension ValueType where Value == VideoRequest {
  /// The encoding and the pixel format of a request.
  static let encoding = ValueType(
    "FORMAT",
    expectation: "\(words.joined(separator: ", ")) or a format's four characters",
    completion: .names(.formats, besides: words)
  ) { text in
    switch text.lowercased() {
    case "jpeg": return VideoRequest()
    case "raw": return VideoRequest(encoding: .raw)
    case let word:
      return (PixelTarget(word: word)?.pixelFormat ?? PixelFormat(typed: text)).map {
        VideoRequest(encoding: .raw, pixelFormat: $0)
      }
    }
  }

  private static let words = ["jpeg", "raw"] + PixelTarget.allCases.map(\.word)
}

extension PixelTarget {
  /// The format's name on the command line, which is that of `FrameFormat` in the library.
  var word: String {
    switch self {
    case .bgra: "bgra"
    case .rgb24: "rgb24"
    case .nv12: "nv12"
    case .i420: "i420"
    case .grey: "grey"
    }
  }

  init?(word: String) {
    guard let target = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = target
  }
}

extension PixelFormat {
  /// Reads a pixel format as ``init(_:)`` does, and also in lower case where V4L2 has no such format: "yuyv" is YUYV.
  init?(typed text: String) {
    let isOfV4L2 = ["ip3y", "ip3b", "ip3g", "ip3r", "dvsd", "s920", "c920"].contains(text)
    let isLower = text == text.lowercased() && text != text.uppercased()
    self.init(isLower && !isOfV4L2 ? text.uppercased() : text)
  }
}

extension ValueType where Value == OutputTarget {
  static let streamTarget = ValueType("FILE", completion: .files) { text throws(ValueError) in
    guard !text.isEmpty else { throw ValueError("takes a file's name, or -") }
    do throws(Failure) { return try OutputTarget(parsing: text) } catch {
      throw ValueError("is wrong: \(error)")
    }
  }
}

/// A control's name and the value it shall have.
struct Assignment: Hashable, Sendable {
  var name: String
  var literal: String
}

extension ValueType where Value == Assignment {
  static let assignment = ValueType(
    "NAME=VALUE", expectation: "a control and its new value, like brightness=40",
    completion: .names(.assignments)
  ) { text in
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return nil }
    return Assignment(name: String(text[..<equals]), literal: String(text[text.index(after: equals)...]))
  }
}
