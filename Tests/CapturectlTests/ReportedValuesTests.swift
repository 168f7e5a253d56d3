import CaptureClient
import Foundation
import Testing

@testable import capturectl

/// What is told of a camera is so, and known as it says.
@Suite(.serialized) struct ReportedValuesTests {
  /// Waits until a mode of the node is done; of `--json` the last answer is printed.
  private static let ends = """
    ends() {
      for try in $(seq 600); do capturectl $1 0 | grep -q locked && return; sleep 0.05; done
      echo "$1 goes on" >&2; return 1
    }
    """

  private func objects(_ output: String) throws -> [[String: Any]] {
    try output.split(separator: "\n").filter { $0.hasPrefix("{") }.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private func value(_ object: [String: Any]?, _ group: String, _ name: String) -> [String: Any]? {
    ((object?["settings"] as? [String: Any])?[group] as? [String: Any])?[name] as? [String: Any]
  }

  @Test func whatIsRoundedToAStepSaysWhatWasSet() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:160x120@30")
    let result = try await node.shell(
      """
      capturectl expose 0 --gain 1.5; capturectl --json expose 0 --gain 1.4
      capturectl expose 0 --duration 1/4000; capturectl --json expose 0 --duration 1/30
      capturectl --json white-balance 0 --temperature 4000.3; capturectl --json zoom 0 1.333
      """)
    #expect(result.status == 0, "\(result.error)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.contains("exposure.gain: 1.5 is between the camera's steps of 1, set to 2"), "\(result)")
    #expect(
      lines.contains("exposure.duration: 1/4000 s is between the camera's steps of 0.0001, set to 1/3333 s"),
      "\(result.output)")
    let clamped = try objects(result.output).map { $0["clamped"] as? [[String: Any]] ?? [] }
    #expect(clamped.map(\.count) == [1, 0, 0, 0], "\(result.output)")
    let gain = try #require(clamped.first?.first)
    #expect(gain["asked"] as? Double == 1.4 && gain["set"] as? Double == 1 && gain["step"] as? Double == 1)
  }

  @Test func aTemperatureIsThatOfTheGainsOnceThoseWereFound() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30,manual,illuminant=4000")
    let result = try await node.shell(
      """
      \(Self.ends)
      capturectl white-balance 0 --temperature 2500 >&2
      capturectl stream 0 --format YUYV --duration 100 -o - > /dev/null & stream=$!
      capturectl white-balance 0 --grey-world >&2 && ends white-balance &&
      capturectl --json white-balance 0 && capturectl white-balance 0 &&
      capturectl --json white-balance 0 --tint 0 &&
      capturectl white-balance 0 --mode auto >&2 && ends white-balance &&
      capturectl --json white-balance 0 && capturectl --json white-balance 0 --tint 0; status=$?
      kill -INT $stream; wait $stream
      exit $status
      """)
    #expect(result.status == 0, "\(result.error)")
    let answers = try objects(result.output)
    try #require(answers.count == 4, "\(result.output)")
    #expect(result.output.contains("K (derived)"))
    // Found as grey, and found again where there was nothing to correct; each with the same tint afterwards.
    for found in [0, 2] {
      let temperatures = try answers[found...found + 1].map {
        try #require(value($0, "white_balance", "temperature"))
      }
      let kelvins = try temperatures.map { try #require($0["value"] as? Double) }
      #expect(temperatures.allSatisfy { $0["provenance"] as? String == "derived" }, "\(result.output)")
      #expect(kelvins[0] > 3000 && abs(kelvins[1] - kelvins[0]) < 10, "\(result.output)")
    }
    // Nor does the picture, of a tint of 2: a driver's table of temperatures is another than the one by which a temperature is derived.
    let gains = try ["red", "green", "blue"].map { name in
      try answers.map { try #require(value($0, "white_balance", "gains")?[name] as? Double) }
    }
    #expect(
      gains.allSatisfy { gain in gain.allSatisfy { abs($0 / gain[0] - 1) < 0.03 } }, "\(result.output)")
  }

  @Test func anOffsetThatNobodyMeasuresAnyMoreIsAbsent() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30,manual")
    let result = try await node.shell(
      """
      \(Self.ends)
      capturectl stream 0 --format YUYV --duration 100 -o - > /dev/null & stream=$!
      capturectl expose 0 --mode continuous >&2
      until capturectl --json expose 0 | grep -q '"target_offset":{'; do sleep 0.05; done
      capturectl --json expose 0
      capturectl expose 0 --mode auto >&2 && ends expose && capturectl --json expose 0
      capturectl expose 0 --mode continuous >&2; kill -INT $stream; wait $stream
      until capturectl --json status | grep -q '"streaming":false'; do sleep 0.05; done
      capturectl --json expose 0
      """)
    #expect(result.status == 0, "\(result.error)")
    let offsets = try objects(result.output).map { value($0, "exposure", "target_offset") }
    #expect(offsets.map { $0 == nil } == [false, true, true], "\(result.output)")
    #expect(offsets.first??["provenance"] as? String == "observed", "\(result.output)")
  }

  @Test func whatACameraDoesNotTellHasNoNumber() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30,silent")
    let result = try await node.shell(
      """
      capturectl --json expose 0; capturectl --json photo 0 -o p.jpg
      capturectl --json white-balance 0 --temperature 4000; capturectl --json white-balance 0 --gains 2,1,1.5
      """)
    #expect(result.status == 0, "\(result.error)")
    let answers = try objects(result.output)
    try #require(answers.count == 4, "\(result.output)")
    let taken = try #require((answers[1]["info"] as? [String: Any])?["settings"] as? [String: Any])
    for known in [
      value(answers[0], "exposure", "duration"), value(answers[0], "exposure", "gain"),
      value(answers[0], "white_balance", "temperature"), value(answers[0], "focus", "lens_position"),
      taken["exposure_duration"] as? [String: Any], taken["temperature"] as? [String: Any],
    ] {
      #expect(known?["value"] is NSNull && known?["provenance"] as? String == "unknown", "\(result.output)")
    }
    let gains = [value(answers[0], "white_balance", "gains"), taken["white_balance_gains"] as? [String: Any]]
    for known in gains {
      let numbers = ["red", "green", "blue"].map { known?[$0] }
      #expect(numbers.allSatisfy { $0 is NSNull } && known?["provenance"] as? String == "unknown")
    }
    // A tint follows from gains alone, and nobody had derived one.
    #expect(value(answers[2], "white_balance", "temperature")?["value"] as? Double == 4000)
    #expect(value(answers[2], "white_balance", "tint") == nil)
    #expect(
      value(answers[3], "white_balance", "tint")?["provenance"] as? String == "derived", "\(result.output)")
  }

  @Test func whatNobodyKnowsHasNoNumber() throws {
    var settings = CameraSettings()
    settings.exposure = .init(mode: .continuous)
    settings.exposure?.duration = .init(0.01, .unknown)
    settings.exposure?.gain = .init(7, .unknown)
    settings.whiteBalance = .init(mode: .continuous)
    settings.whiteBalance?.gains = .init(WhiteBalanceGains(red: 2, green: 1, blue: 1.5), .unknown)
    settings.whiteBalance?.temperature = .init(2500, .unknown)
    let json = "\(JSON(settings))"
    #expect(json.contains(#""duration":{"value":null,"provenance":"unknown"}"#), "\(json)")
    #expect(
      json.contains(#""gains":{"red":null,"green":null,"blue":null,"provenance":"unknown"}"#), "\(json)")
    #expect(
      text(settings, .all) == """
        exposure       continuous, duration unknown, gain unknown
        white balance  continuous, temperature unknown, gains unknown

        """)
  }
}
