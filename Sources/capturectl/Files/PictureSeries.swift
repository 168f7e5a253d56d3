import CaptureSystem
import Glibc

/// The files of one picture after another, by numbers or by times. All files of a picture have its number, or its time.
struct PictureSeries {
  private enum Name {
    case numbered(NumberedName)
    case timed(TimedName)
  }
  /// A name for each file of a picture.
  private let names: [Name]
  private let overwrites: Bool
  /// The next picture's number. In names by time: its place among the pictures with the same time, from 1.
  private var number: UInt64 = 1
  /// In names by time: the second in which the last picture was captured.
  private var second: time_t = 0

  /// `places`: one for each file of a picture. Returns `nil` where pictures have no files of their own at these places. `overwrites`: numbers begin
  /// at 1, and new files replace existing ones.
  init?(_ places: [OutputTarget], overwrites: Bool) {
    names = places.compactMap { place -> Name? in
      switch place {
      case .numbered(let name): .numbered(name)
      case .timed(let name): .timed(name)
      case .file, .standardOutput: nil
      }
    }
    self.overwrites = overwrites
    guard !names.isEmpty else { return nil }
  }

  /// Finds the next number, and tries the files, so that an error is known before the first picture.
  mutating func open() throws(Failure) {
    if !overwrites { number = names.map(Self.next).max() ?? 1 }
    second = time(nil)
    for index in names.indices { _ = try OutputFile(path: path(index)) }
  }

  /// Writes the files of a picture. `captured`: when it was captured, in seconds since 1970. Returns the paths of the files that are complete, and
  /// why the next one is not.
  mutating func write(
    _ pictures: some Sequence<Payload>, captured: time_t
  ) -> (paths: [String], failure: Failure?) {
    var paths: [String] = []
    do throws(Failure) {
      begin(captured)
      for (_, picture) in zip(names, pictures) { try write(picture, behind: &paths) }
    } catch {
      if !paths.isEmpty { number += 1 }
      return (paths, error)
    }
    number += 1
    return (paths, nil)
  }

  private mutating func begin(_ captured: time_t) {
    if isTimed, captured != second {
      let last = path(0, number: 1)
      second = captured
      // Numbers begin at 1 again only where the new time makes another name: a name may lack the seconds.
      if path(0, number: 1) != last { number = 1 }
    }
    if !overwrites { while isUsed { number += 1 } }
  }

  /// Writes the picture's next file. `paths`: the picture's files that are there.
  private mutating func write(_ picture: Payload, behind paths: inout [String]) throws(Failure) {
    var file = try OutputFile(path: path(paths.count))
    try file.write(picture)
    if overwrites {
      try file.finish(durably: false)
    } else {
      while try !file.take(name: path(paths.count)) { try moveOn(&paths) }
    }
    paths.append(path(paths.count))
  }

  /// Gives the picture's files the next number that no file has, since another program has made a file of the present number meanwhile.
  private mutating func moveOn(_ paths: inout [String]) throws(Failure) {
    while true {
      number += 1
      if !isUsed, try move(&paths) { return }
    }
  }

  /// Moves the picture's files to the names of the present number. Returns `false` where a file has such a name already.
  private func move(_ paths: inout [String]) throws(Failure) -> Bool {
    for (index, old) in paths.enumerated() {
      do throws(Errno) {
        try renameReplacingNothing(old, to: path(index))
      } catch {
        if error.rawValue == EEXIST { return false }
        throw Failure("cannot write '\(path(index))': \(error)")
      }
      paths[index] = path(index)
    }
    return true
  }

  /// Whether any of the present names has a file already.
  private var isUsed: Bool {
    var status = stat()
    return names.indices.contains { lstat(path($0), &status) == 0 }
  }

  private var isTimed: Bool { if case .timed = names[0] { true } else { false } }

  private func path(_ index: Int) -> String { path(index, number: number) }

  private func path(_ index: Int, number: UInt64) -> String {
    switch names[index] {
    case .numbered(let name): name.path(number)
    case .timed(let name): name.path(at: TimedName.local(second), number: Int(number))
    }
  }

  private static func next(_ name: Name) -> UInt64 {
    if case .numbered(let name) = name { name.next() } else { 1 }
  }
}
