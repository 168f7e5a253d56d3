import CaptureModel
import CaptureSystem
import Foundation
import Testing

@testable import capturectl

/// All files of a photo have its number, or its time, whatever was there before.
@Suite struct PhotoNamesTests {
  private let folder: PictureFolder

  init() throws { folder = try PictureFolder() }

  private func path(_ name: String) -> String { folder.path(name) }
  private var names: [String] { folder.names }
  private func text(_ name: String) -> String? { folder.text(name) }
  private func put(_ name: String) throws {
    try "other".write(toFile: path(name), atomically: false, encoding: .utf8)
  }
  private func pictures(_ texts: String...) -> [Payload] { texts.map { Payload(copying: Array($0.utf8)) } }

  private func series(_ name: String) throws -> PictureSeries {
    let places = try OutputTarget(parsing: path(name)).places(of: [.jpeg, .raw])
    return try #require(PictureSeries(places, overwrites: false))
  }

  @Test func aPhotoHasTheNumberAfterTheLastOneOfAnyType() throws {
    try put("two-1.jpg")
    try put("two-4.raw")
    try put("two-9.dng")
    var photos = try series("two-%d")
    try photos.open()
    let first = photos.write(pictures("a", "b"), captured: 0)
    // The connection ends before the second file of this one.
    let half = photos.write(pictures("c"), captured: 0)
    let last = photos.write(pictures("d", "e"), captured: 0)
    #expect(first.failure == nil && half.failure == nil && last.failure == nil)
    #expect(half.paths == [path("two-6.jpg")])
    #expect(last.paths == [path("two-7.jpg"), path("two-7.raw")])
    #expect(text("two-5.jpg") == "a" && text("two-5.raw") == "b" && text("two-7.raw") == "e", "\(names)")
  }

  @Test func aNumberThatAnotherProgramTakesMeanwhileIsLeftToIt() throws {
    var photos = try series("two-%d")
    try photos.open()
    try put("two-1.raw")
    let early = photos.write(pictures("a", "b"), captured: 0)
    #expect(early.paths == [path("two-2.jpg"), path("two-2.raw")])
    // Also once the photo's first file is there.
    let slow = pictures("c", "d").enumerated().lazy.map { [self] index, picture in
      if index == 1 { for name in ["two-3.raw", "two-4.jpg"] { try? put(name) } }
      return picture
    }
    let late = photos.write(slow, captured: 0)
    #expect(late.paths == [path("two-5.jpg"), path("two-5.raw")])
    #expect(
      names == ["two-1.raw", "two-2.jpg", "two-2.raw", "two-3.raw", "two-4.jpg", "two-5.jpg", "two-5.raw"])
    #expect(text("two-5.jpg") == "c" && text("two-3.raw") == "other" && text("two-4.jpg") == "other")
  }

  /// Their first files are of different types, so that each finds the other's in the place of its second.
  @Test func photosOfTwoProgramsAtOnceKeepTheirFilesTogether() async throws {
    let orders: [[PhotoFileType]] = [[.jpeg, .raw], [.raw, .jpeg]]
    let writers = try orders.map { PictureWriter(try OutputTarget(parsing: path("two-%d")).places(of: $0)) }
    for writer in writers { try await writer.open() }
    await withTaskGroup(of: Void.self) { group in
      for (index, writer) in writers.enumerated() {
        group.addTask {
          for number in 1...100 {
            let file = Payload(copying: Array("\(index), \(number)".utf8))
            let (paths, failure) = await writer.write([file, file], captured: nil)
            #expect(failure == nil && paths.count == 2)
          }
        }
      }
    }
    let stems = names.filter { $0.hasSuffix(".jpg") }.map { $0.dropLast(4) }
    #expect(names.count == 400 && stems.count == 200)
    for stem in stems { #expect(text("\(stem).jpg") == text("\(stem).raw")) }
    #expect(Set(stems.map { text("\($0).jpg") }).count == 200)
  }

  @Test func theFilesOfAPhotoHaveOneTimeAndOneSuffix() throws {
    let year = TimedName.local(0).tm_year + 1900
    try put("two-\(year).raw")
    var photos = try series("two-%Y")
    try photos.open()
    for (number, word) in [(2, "a"), (3, "b")] {
      let paths = photos.write(pictures(word, word), captured: 0).paths
      #expect(paths == ["jpg", "raw"].map { path("two-\(year)-\(number).\($0)") })
    }
    #expect(text("two-\(year).raw") == "other" && names.count == 5, "\(names)")
  }

  /// Nothing that is there already is looked for again in each second.
  @Test(arguments: [false, true])
  func numbersOfOneTimeGoOnInItsNextSeconds(overwrites: Bool) throws {
    let target = try OutputTarget(parsing: path("%Y.jpg"))
    var frames = try #require(PictureSeries([target], overwrites: overwrites))
    try frames.open()
    let year = TimedName.local(0).tm_year + 1900
    for second in 0..<3 {
      #expect(frames.write(pictures("\(second)"), captured: second).failure == nil)
      // What somebody has taken away leaves no number to later pictures.
      if second == 0 { try FileManager.default.removeItem(atPath: path("\(year).jpg")) }
    }
    #expect(names == ["\(year)-2.jpg", "\(year)-3.jpg"] && text("\(year)-3.jpg") == "2", "\(names)")
    let later = frames.write(pictures("a"), captured: 400 * 86_400)
    #expect(later.paths == [path("\(TimedName.local(400 * 86_400).tm_year + 1900).jpg")])
  }

  @Test func theMomentIsThePhotosAndNotTheWrites() throws {
    var photos = try series("%Y%m%d-%H%M%S")
    try photos.open()
    let slow = pictures("a", "b").lazy.map { picture in
      usleep(1_100_000)
      return picture
    }
    let captured = time(nil) - 60
    let paths = photos.write(slow, captured: captured).paths
    let stem = try OutputTarget(parsing: path("%Y%m%d-%H%M%S"))
    guard case .timed(let name) = stem else { return #expect(Bool(false), "no time") }
    #expect(
      paths == ["jpg", "raw"].map { "\(name.path(at: TimedName.local(captured), number: 1)).\($0)" })
  }

  /// As a person takes them, by number and by time, one after the other and in a burst.
  @Test func photosOfSeveralFormatsPair() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      year=$(date +%Y); touch two-1.jpg three-3.raw by-$year.jpg
      photo() { capturectl photo 0 --settle none --format jpeg,raw "$@" >/dev/null || exit 9; }
      photo -o two-%d; photo -o two-%d --burst 2; photo -o three-%d --count 2; photo -o by-%Y
      ls | grep -v socket | sed s/$year/YEAR/
      """)
    #expect(result.status == 0, "\(result)")
    let pairs = ["by-YEAR-2", "three-4", "three-5", "two-2", "two-3", "two-4"]
    let before = ["by-YEAR.jpg", "three-3.raw", "two-1.jpg"]
    let expected = pairs.flatMap { ["\($0).jpg", "\($0).raw"] } + before
    #expect(result.output.split(separator: "\n").map(String.init).sorted() == expected.sorted())
  }
}
