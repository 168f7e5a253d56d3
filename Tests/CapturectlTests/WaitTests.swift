import Foundation
import Testing

/// `--wait` returns when the change has done its work, and names the frame from which that holds.
@Suite(.serialized) struct WaitTests {
  private struct Answer: Decodable {
    struct Applied: Decodable { var frame: Frame? }
    struct Frame: Decodable { var sequence: UInt64 }
    struct Settings: Decodable {
      var focus, exposure, whiteBalance: Mode?
      var zoom: Zoom?
    }
    struct Mode: Decodable {
      var mode: String
      var adjusting: Bool
      var failure: String?
    }
    struct Zoom: Decodable {
      var factor: Value
      var ramping: Bool
    }
    struct Value: Decodable { var value: Double? }
    var applied: Applied?
    var settings: Settings
  }

  private static let slow = "synthetic:physics:160x120@15,manual,delay=3"

  /// Runs `commands` while somebody looks at the camera. The answers are the lines of --json.
  private func looking(
    at camera: String, _ commands: String
  ) async throws -> (result: Programs.Result, answers: [Answer]) {
    let node = try SpawnedNode(camera: camera)
    let result = try await node.shell(
      """
      set -m
      capturectl stream 0 --format raw --duration 100 -o - > /dev/null & stream=$!
      timeout 20 sh -c "until capturectl --json status | grep -q streaming.:true; do sleep 0.05; done"
      \(commands)
      kill -INT $stream; wait $stream
      """)
    let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("{") }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return (result, try lines.map { try decoder.decode(Answer.self, from: Data($0.utf8)) })
  }

  @Test func aWhiteBalanceIsFound() async throws {
    let (result, answers) = try await looking(
      at: "synthetic:physics:320x240@30,manual,delay=0,illuminant=3200",
      """
      capturectl white-balance 0 --grey-world | grep 'not done yet: --wait waits for that'
      capturectl --json white-balance 0 --grey-world --wait
      capturectl --json white-balance 0 --mode auto --wait
      """)
    #expect(result.output.contains("white balance is not done yet"), "\(result)")
    try #require(answers.count == 2, "\(result)")
    for answer in answers {
      let balance = try #require(answer.settings.whiteBalance)
      #expect(balance.mode == "locked" && !balance.adjusting && balance.failure == nil, "\(result)")
      #expect(answer.applied?.frame != nil, "\(result)")
    }
  }

  @Test func aZoomHasArrived() async throws {
    let (result, answers) = try await looking(
      at: "synthetic:physics:320x240@30",
      """
      capturectl zoom 0 2 --rate 0.1 | grep 'not done yet: --wait waits for that'
      capturectl zoom 0 stop > /dev/null; capturectl zoom 0 1 > /dev/null
      date +%s%N; capturectl --json zoom 0 2 --rate 2 --wait; date +%s%N
      """)
    #expect(result.output.contains("zoom is not done yet"), "\(result)")
    let answer = try #require(answers.first, "\(result)")
    #expect(answer.settings.zoom?.factor.value == 2 && answer.settings.zoom?.ramping == false, "\(result)")
    #expect(answer.applied?.frame != nil, "\(result)")
    // A doubling at two a second.
    let times = result.output.split(separator: "\n").compactMap { UInt64($0) }
    try #require(times.count == 2, "\(result)")
    #expect(times[1] - times[0] > 450_000_000, "\(result)")
  }

  @Test func whatAResetSetsGoingIsDone() async throws {
    let (result, answers) = try await looking(
      at: "synthetic:physics:320x240@30,manual,delay=0",
      """
      capturectl expose 0 --duration 1/1000 > /dev/null; capturectl focus 0 --lens 0.1 > /dev/null
      capturectl --json reset 0 --wait --timeout 60
      """)
    let answer = try #require(answers.first, "\(result)")
    #expect(answer.settings.exposure?.adjusting == false && answer.settings.focus?.adjusting == false)
    #expect(answer.settings.exposure?.mode == "continuous")
    #expect(answer.applied?.frame != nil, "\(result)")
  }

  @Test func ctrlCStopsWaitingAndNothingElse() async throws {
    let (result, answers) = try await looking(
      at: Self.slow,
      """
      capturectl focus 0 --mode auto --at 0.515,0.27 --wait --timeout 100 > found & wait=$!
      for try in {1..400}; do capturectl focus 0 | grep -q '^focus *auto' && break; sleep 0.02; done
      kill -INT $wait; wait $wait; echo "status $?"; cat found
      capturectl --json focus 0
      for try in {1..600}; do capturectl focus 0 | grep -q locked && break; sleep 0.1; done
      capturectl --json focus 0
      """)
    #expect(result.output.contains("status 130\n"), "\(result)")
    try #require(answers.count == 2, "\(result)")
    // The node went on searching, and found it.
    #expect(answers[0].settings.focus?.mode == "auto" && answers[0].settings.focus?.adjusting == true)
    #expect(answers[1].settings.focus?.mode == "locked" && answers[1].settings.focus?.failure == nil)
  }
}
