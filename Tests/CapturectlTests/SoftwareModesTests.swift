import CaptureSynthetic
import Foundation
import Testing

/// The node's own automatic modes, as a person meets them.
@Suite(.serialized) struct SoftwareModesTests {
  @Test func aCameraWithoutModesFocusesExposesAndBalances() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30,manual,delay=0")
    let about = try await node.shell("capturectl describe 0")
    #expect(about.output.contains("auto (by the node), continuous (by the node)"), "\(about.output)")
    #expect(about.output.contains("point of interest") && about.output.contains("grey world"))
    let found = try await node.shell(
      """
      capturectl stream 0 --format YUYV --duration 100 -o - > /dev/null & stream=$!
      ends() {
        for try in $(seq 600); do capturectl $1 0 | grep -q locked && return; sleep 0.05; done
        echo "$1 goes on" >&2; return 1
      }
      capturectl expose 0 --mode auto --at 0.25,0.25 && ends expose &&
      capturectl focus 0 --mode auto --at 0.25,0.25 && ends focus &&
      capturectl white-balance 0 --grey-world && ends white-balance &&
      capturectl --json focus 0; status=$?
      kill -INT $stream; wait $stream
      exit $status
      """)
    #expect(found.status == 0, "\(found.error)")
    #expect(found.output.contains("adjusting") && found.output.contains("by the node"))
    let last = try #require(found.output.split(separator: "\n").last { $0.hasPrefix("{") })
    let object = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
    let settings = object?["settings"] as? [String: Any]
    let focus = try #require(settings?["focus"] as? [String: Any])
    #expect(focus["mode"] as? String == "locked" && focus["adjusting"] as? Bool == false)
    let reset = try await node.shell("capturectl reset 0")
    #expect(reset.output.contains("continuous") && reset.output.contains("by the node"), "\(reset.output)")
  }

  /// Without a stream the modes wait.
  @Test func aPointWithoutAModeFocusesOnceOrIsFollowed() async throws {
    for (options, wanted) in [("manual", "auto, adjusting"), ("delay=0", "continuous, adjusting")] {
      let node = try SpawnedNode(camera: "synthetic:physics:320x240@30,\(options)")
      let there = try await node.shell("capturectl focus 0 --at 0.2,0.3")
      #expect(there.output.contains("\(wanted), lens"), "\(options): \(there)")
      #expect(there.output.contains("at 0.200,0.300, by the node"), "\(there.output)")
      let kept = try await node.shell(
        "capturectl focus 0 --mode continuous --at 0.5,0.3 >&2 && capturectl focus 0 --at 0.2,0.3")
      #expect(kept.output.contains("continuous, adjusting, lens"), "\(kept.output)")
      let once = try await node.shell(
        "capturectl focus 0 --mode locked >&2 && capturectl focus 0 --at 0.2,0.3")
      #expect(once.output.contains("auto, adjusting, lens"), "\(once.output)")
    }
  }

  @Test func whatNeedsAChangeSaysSo() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30,delay=0")
    let waiting = try await node.shell("capturectl focus 0 --wait")
    #expect(waiting.status == 2 && waiting.error.contains("--wait is for a change"), "\(waiting.error)")
    let rate = try await node.shell("capturectl zoom 0 --rate 1")
    #expect(rate.status == 2 && rate.error.contains("FACTOR"), "\(rate.error)")
    let torch = try await node.shell("capturectl torch 0 on --level 0")
    #expect(torch.status == 1 && torch.error.contains("level 0"), "\(torch.error)")
  }

  /// At one frame a second no search for the focus ends in three seconds.
  @Test func aWaitThatReachesItsLimitPrintsWhatStandsAndThenTheError() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:160x120@1,manual,delay=3")
    let waits = try await node.shell(
      """
      capturectl stream 0 --format raw --duration 100 -o - > /dev/null & stream=$!
      timeout 20 sh -c "until capturectl --json status | grep -q streaming.:true; do sleep 0.05; done"
      capturectl focus 0 --mode auto --wait --timeout 3; echo "status $?"
      capturectl --json focus 0 --mode auto --wait --timeout 3; echo "status $?"
      kill -INT $stream; wait $stream
      """)
    let lines = waits.output.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0 == "status 1" }.count == 2, "\(waits)")
    #expect(lines.first { $0.contains("auto") }?.contains("by the node") == true, "\(lines)")
    #expect(!waits.output.contains("not done yet"), "\(lines)")
    let text = try #require(lines.first { $0.hasPrefix("{") })
    let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(document?["applied"] is NSNull, "\(text)")
    let focus = (document?["settings"] as? [String: Any])?["focus"] as? [String: Any]
    #expect(focus?["mode"] as? String == "auto", "\(text)")
    let errors = waits.error.split(separator: "\n")
    #expect(
      errors.contains { $0.hasPrefix("capturectl: DEADLINE_EXCEEDED: the focus is still adjusting") }
        && errors.contains { $0.hasPrefix("{\"error\":") && $0.contains("DEADLINE_EXCEEDED") }, "\(errors)")
  }

  /// A temperature sets the balances of red and blue too.
  @Test func aStreamBeginsWithTheBalanceThatWasSetLast() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30,delay=0")
    let balances = try await node.shell(
      """
      balances() { capturectl --json get 0 red_balance blue_balance; }
      capturectl white-balance 0 --gains 2,1,1.5 >&2 && capturectl white-balance 0 --temperature 3500 >&2 &&
      balances && capturectl stream 0 --count 3 >&2 && balances &&
      capturectl white-balance 0 --gains 2,1,1.5 >&2 && balances && capturectl stream 0 --count 3 >&2 && balances
      """)
    #expect(balances.status == 0, "\(balances.error)")
    let lines = balances.output.split(separator: "\n")
    #expect(
      lines.count == 4 && lines[0] == lines[1] && lines[2] == lines[3] && lines[1] != lines[2], "\(lines)")
  }

  @Test func anIrisThatIsNotThereIsRefusedNamingWhatCanBeSet() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:160x120@30")
    let iris = try await node.shell("capturectl expose 0 --iris 3")
    #expect(iris.status == 1 && iris.error.contains("exposure.iris cannot be set"), "\(iris.error)")
    #expect(iris.error.contains("it can set exposure.bias, exposure.duration, exposure.gain"))
  }

  @Test func whatCannotBeBalancedIsRefusedWithTheReason() async throws {
    let node = try SpawnedNode()
    let grey = try await node.shell("capturectl white-balance 0 --grey-world")
    #expect(grey.status == 1 && grey.error.contains("its gains cannot be set"), "\(grey.error)")
    let focus = try await node.shell("capturectl focus 0 --mode auto")
    #expect(focus.status == 1 && focus.error.contains("has none that can be set"), "\(focus.error)")
  }
}

/// Commands back to back, as a photographer gives them, to a camera of which nobody measured anything.
@Suite(.serialized) struct NeverCalibratedModesTests {
  @Test func commandsBackToBackEndRight() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@60,manual,delay=3,illuminant=3200")
    let found = try await node.shell(
      """
      capturectl stream 0 --format YUYV --duration 100 -o - > /dev/null & stream=$!
      ends() {
        for try in $(seq 600); do capturectl $1 0 | grep -q locked && return; sleep 0.05; done
        echo "$1 goes on" >&2; return 1
      }
      for way in --grey-world '--mode auto' --grey-world; do
        capturectl expose 0 --duration 1/2000 >&2 && capturectl expose 0 --mode auto >&2 && ends expose &&
        capturectl white-balance 0 --temperature 2500 >&2 && capturectl white-balance 0 $way >&2 &&
        ends white-balance && capturectl --json expose 0 && capturectl --json white-balance 0 || exit 1
      done
      capturectl focus 0 --mode auto --at 0.515,0.27 >&2 && ends focus && capturectl --json focus 0 &&
      capturectl describe 0 | grep -q observed && capturectl photo 0 -o photo.jpg >&2; status=$?
      kill -INT $stream; wait $stream
      exit $status
      """)
    #expect(found.status == 0, "\(found.error)")
    #expect(node.bytes("photo.jpg").count > 1000)
    let answers = try found.output.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(object?["settings"] as? [String: Any])
    }
    try #require(answers.count == 7)
    for run in 0..<3 {
      let exposure = try #require(answers[2 * run]["exposure"] as? [String: Any])
      // 18 % of white, of things that send back 36 % of the light in the middle: half of the 10 ms that make white.
      #expect(exposure["failure"] is NSNull)
      let duration = try number(exposure, "duration")
      let amount = try duration * (1 + number(exposure, "gain") / 16)
      #expect((0.0043...0.0058).contains(amount), "\(exposure)")
      let balance = try #require(answers[2 * run + 1]["white_balance"] as? [String: Any])
      let gains = try #require(balance["gains"] as? [String: Any])
      let (red, blue) = (gains["red"] as? Double ?? 0, gains["blue"] as? Double ?? 0)
      // The light has 3200 K.
      #expect(balance["failure"] is NSNull && abs(red / blue / Self.redOverBlue - 1) < 0.05, "\(gains)")
    }
    let focus = try #require(answers[6]["focus"] as? [String: Any])
    let position = try number(focus, "lens_position")
    #expect(focus["failure"] is NSNull && abs(position - lens(at: 0.515, 0.27)) < 0.04, "\(focus)")
  }

  /// The same without a stream, and the picture is looked at: neither black nor white, and what is grey is grey. Without `manual` the camera has automatic
  /// modes of its own.
  @Test(arguments: [0, 3], [true, false])
  func aPhotoAfterThemIsGood(delay: Int, isManual: Bool) async throws {
    let node = try SpawnedNode(
      camera: "synthetic:physics:320x240@60\(isManual ? ",manual" : ""),delay=\(delay),illuminant=3200")
    let found = try await node.shell(
      """
      set -e
      capturectl expose 0 --duration 1/2000 >&2; capturectl expose 0 --mode auto >&2
      \(isManual ? "capturectl focus 0 --lens 0.1 >&2" : "")
      capturectl white-balance 0 --grey-world >&2; capturectl focus 0 --at 0.3,0.3 >&2
      capturectl photo 0 \(isManual ? "" : "--settle 20") -o photo.jpg >&2; capturectl white-balance 0 >&2
      capturectl --json focus 0
      djpeg -pnm photo.jpg > photo.pnm
      """)
    #expect(found.status == 0, "\(found.error)")
    let answer = try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [String: Any]
    let focus = try #require((answer?["settings"] as? [String: Any])?["focus"] as? [String: Any])
    // A camera that focuses by itself goes on.
    #expect(focus["mode"] as? String == (isManual ? "locked" : "continuous"), "\(focus)")
    #expect(focus["failure"] is NSNull, "\(focus)")
    // What is at that place takes two thirds of what is looked at. Something nearer and something farther take the rest.
    let there = 1 - PhysicsStage().truth.lensPosition(inFocusAt: PhysicsPoint(x: 0.3, y: 0.3))
    #expect(abs(try number(focus, "lens_position") - there) < 0.04, "\(focus)")
    // "P6 320 240 255" and a byte of red, green and blue a pixel.
    let count = 320 * 240 * 3
    let pixels = node.bytes("photo.pnm").suffix(count)
    try #require(pixels.count == count)
    var sums = [0.0, 0.0, 0.0]
    for (place, value) in pixels.enumerated() { sums[place % 3] += Double(value) }
    let (red, green, blue) = (sums[0] / 76_800, sums[1] / 76_800, sums[2] / 76_800)
    print("photo, delay \(delay), manual \(isManual): red \(red), green \(green), blue \(blue)")
    #expect((90...140).contains(green), "\(red), \(green), \(blue): \(found.error)")
    #expect(
      abs(red / green - 1) < 0.05 && abs(blue / green - 1) < 0.05, "\(red), \(green), \(blue): \(found.error)"
    )
  }

  private static let redOverBlue = 0.337

  /// The lens position that has that place in focus; all around is at one distance. 0 is near, as in AVFoundation.
  private func lens(at x: Double, _ y: Double) -> Double {
    let truth = PhysicsStage().truth
    #expect(truth.isFlat(PhysicsArea(x: x - 0.11, y: y - 0.145, width: 0.22, height: 0.29)))
    return 1 - truth.lensPosition(inFocusAt: PhysicsPoint(x: x, y: y))
  }

  private func number(_ settings: [String: Any], _ name: String) throws -> Double {
    let value = try #require(settings[name] as? [String: Any])
    return try #require(value["value"] as? Double)
  }

  @Test func whatIsNotFoundSaysSoAndIsAsItWas() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:160x120@60,manual,delay=3,light=-16")
    let failed = try await node.shell(
      """
      capturectl stream 0 --format YUYV --duration 100 -o - > /dev/null & stream=$!
      ends() {
        for try in $(seq 600); do capturectl $1 0 | grep -q failed && return; sleep 0.05; done
        echo "$1 goes on" >&2; return 1
      }
      capturectl expose 0 --duration 1/100 --gain 16 >&2 && capturectl expose 0 --mode auto >&2 && ends expose &&
      capturectl white-balance 0 --temperature 4000 >&2 && capturectl white-balance 0 --grey-world >&2 &&
      ends white-balance && capturectl focus 0 --lens 0.25 >&2 && capturectl focus 0 --mode auto >&2 && ends focus &&
      capturectl expose 0 && capturectl white-balance 0 && capturectl focus 0 && capturectl --json focus 0; status=$?
      kill -INT $stream; wait $stream
      exit $status
      """)
    #expect(failed.status == 0, "\(failed.error)")
    let lines = failed.output.split(separator: "\n")
    try #require(lines.count == 4, "\(failed.output)")
    #expect(
      lines[0].contains("locked") && lines[0].contains("failed: too dark") && lines[0].contains("1/100 s"))
    #expect(lines[1].contains("locked") && lines[1].contains("failed: nothing in the picture"), "\(lines[1])")
    // Grey was searched with other gains.
    #expect(lines[1].contains("4000 K (reported), gains 1.000, 1.388, 1.976"), "\(lines[1])")
    #expect(
      lines[2].contains("lens 0.25") && lines[2].contains("failed: nothing around the point"), "\(lines[2])")
    #expect(lines[3].contains("\"failure\":\"nothing around the point"), "\(lines[3])")
  }
  /// It was calibrated in the light, and is in the dark now.
  @Test func whatACalibratedCameraDoesNotFindIsSaidToo() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = folder.appending(path: "state.json").path
    let camera = "synthetic:physics:160x120@60,manual,delay=3"
    do {
      let node = try SpawnedNode(state: state, camera: camera)
      let measured = try await node.shell("capturectl --json calibrate 0 gain exposure_time_absolute")
      #expect(measured.status == 0, "\(measured.error)")
      let delays = measured.output.split(separator: "\n").filter { $0.contains("\"delay_frames\":3") }
      #expect(delays.count == 2, "\(measured.output)")
      node.terminate()
    }
    let node = try SpawnedNode(state: state, camera: "\(camera),light=-16")
    let failed = try await node.shell(
      """
      capturectl stream 0 --format YUYV --duration 100 -o - > /dev/null & stream=$!
      ends() {
        for try in $(seq 600); do capturectl expose 0 | grep locked | grep -q 1/100 && return; sleep 0.05; done
        capturectl expose 0 >&2; return 1
      }
      capturectl --json describe 0 && capturectl expose 0 --duration 1/100 --gain 16 >&2 && capturectl expose 0 --mode auto >&2 && ends &&
      capturectl expose 0 && capturectl get 0 exposure_time_absolute gain; status=$?
      kill -INT $stream; wait $stream
      exit $status
      """)
    #expect(failed.status == 0, "\(failed.error)")
    let lines = failed.output.split(separator: "\n")
    try #require(lines.count == 4, "\(failed.output)")
    // What was measured is known.
    #expect(lines[0].components(separatedBy: #""delay_provenance":"calibrated""#).count >= 3, "\(lines[0])")
    #expect(lines[1].contains("failed: too dark") && lines[1].contains("1/100 s"), "\(lines[1])")
    #expect(lines[2] == "exposure_time_absolute 100" && lines[3] == "gain 16", "\(lines)")
  }
}
