import Glibc

/// The names of files by time: "20261231-235959.jpg", and "20261231-235959-2.jpg" for the next one in the same second.
struct TimedName: Hashable, Sendable {
  /// Parts of a time, as in `strftime(3)`.
  enum Part: Character, Hashable, Sendable {
    case year = "Y"
    case month = "m"
    case day = "d"
    case hour = "H"
    case minute = "M"
    case second = "S"
  }

  private var pieces: [FileNamePiece]

  init(_ pieces: [FileNamePiece]) { self.pieces = pieces }

  /// The name with its last piece of text changed.
  func mapLast(_ change: (String) -> String) -> TimedName {
    guard case .text(let text)? = pieces.last else { return self }
    return TimedName(pieces.dropLast() + [.text(change(text))])
  }

  /// The name with all its pieces of text changed.
  func mapTexts(_ change: (String) -> String) -> TimedName {
    TimedName(
      pieces.map { piece in
        if case .text(let text) = piece { .text(change(text)) } else { piece }
      })
  }

  /// `time`: the local time. `number`: which picture of that name it is, from 1.
  func path(at time: tm, number: Int) -> String {
    let path = pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .number: two(time.tm_mday)
      case .time(let part): text(part, time)
      }
    }.joined()
    guard number > 1 else { return path }
    let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let dot = path[name...].lastIndex(of: ".").flatMap { $0 > name ? $0 : nil } ?? path.endIndex
    return "\(path[..<dot])-\(number)\(path[dot...])"
  }

  private func text(_ part: Part, _ time: tm) -> String {
    switch part {
    case .year: "\(time.tm_year + 1900)"
    case .month: two(time.tm_mon + 1)
    case .day: two(time.tm_mday)
    case .hour: two(time.tm_hour)
    case .minute: two(time.tm_min)
    case .second: two(time.tm_sec)
    }
  }

  private func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// The local time for a time of `CLOCK_REALTIME`, in seconds.
  static func local(_ seconds: time_t) -> tm {
    var (seconds, time) = (seconds, tm())
    localtime_r(&seconds, &time)
    return time
  }
}
