import Foundation
import Testing

/// How long frames may last, as a person says it.
@Suite(.serialized) struct FrameDurationTests {
  private struct Answer: Decodable {
    struct Settings: Decodable {
      struct Interval: Decodable, Equatable {
        var numerator, denominator: Int
      }
      var minimum, maximum: Interval?

      enum CodingKeys: String, CodingKey {
        case minimum = "minimum_frame_duration"
        case maximum = "maximum_frame_duration"
      }
    }
    var settings: Settings
  }

  @Test func bothEndsAreSetShownAndTakenAway() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30")
    func set(_ options: String) async throws -> [Answer.Settings.Interval?] {
      let said = try await node.shell("capturectl --json frame-duration 0 \(options)")
      #expect(said.status == 0, "\(said.error)")
      let settings = try JSONDecoder().decode(Answer.self, from: Data(said.output.utf8)).settings
      return [settings.minimum, settings.maximum]
    }
    let (fast, slow) = (
      Answer.Settings.Interval(numerator: 1, denominator: 20),
      Answer.Settings.Interval(numerator: 1, denominator: 10)
    )
    #expect(try await set("--minimum 1/20 --maximum 1/10") == [fast, slow])
    let shown = try await node.shell("capturectl frame-duration 0 && capturectl reset 0")
    #expect(shown.output.components(separatedBy: "from 1/20 s to 1/10 s").count == 3, "\(shown.output)")
    // The one that is not given stays.
    #expect(try await set("--maximum none") == [fast, nil])
    #expect(try await set("") == [fast, nil])
    #expect(try await set("--minimum none --maximum 1/10") == [nil, slow])
    #expect(try await set("--maximum none") == [nil, nil])
    let free = try await node.shell("capturectl frame-duration 0")
    #expect(free.output.contains("as the format has it"), "\(free.output)")
  }

  @Test func whatTheCameraCannotDoIsRefusedWithWhatItCan() async throws {
    let node = try SpawnedNode(camera: "synthetic:320x240@30")
    for (option, range) in [("--minimum 1/1000", "0.00833333 to 1 s"), ("--maximum 2", "0.00833333 to 1 s")] {
      let said = try await node.shell("capturectl frame-duration 0 \(option)")
      #expect(said.status == 1 && said.error.contains(range), "\(said.error)")
    }
    let clamped = try await node.shell("capturectl frame-duration 0 --maximum 2 --clamp")
    #expect(clamped.output.contains("frame_duration: 2 is out of range, set to 1"), "\(clamped.output)")
    let none = try await node.shell("capturectl frame-duration 0 --minimum 1/10 --maximum 1/20")
    #expect(none.status == 1 && none.error.contains("is longer than the greatest"), "\(none.error)")
  }

  @Test func aStreamThatRunsKeepsToItAndTheFirstFrameIsNamed() async throws {
    let node = try SpawnedNode(camera: "synthetic:320x240@30")
    let said = try await node.shell(
      """
      capturectl stream 0 --duration 100 > /dev/null 2>&1 & stream=$!
      until capturectl status | grep -q '30 fps'; do sleep 0.05; done
      capturectl frame-duration 0 --minimum 1/15 --wait; status=$?
      capturectl status
      capturectl --json status > status
      kill -INT $stream; wait $stream
      exit $status
      """)
    // It is frame 0, unless the machine was so busy that the camera lost that one, and told so.
    let named = try #require(said.output.firstMatch(of: /: from frame ([0-9]+) on/)?.1).description
    let lost = try #require(
      String(decoding: node.bytes("status"), as: UTF8.self).firstMatch(of: /"frames_lost":([0-9]+)/)?.1)
    #expect(said.status == 0 && Int(named)! <= Int(lost)!, "\(said.output) \(said.error)")
    #expect(said.output.contains("15 fps"), "\(said.output)")
  }
}
