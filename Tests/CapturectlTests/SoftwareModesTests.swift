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
      capturectl stream 0 --format YUYV --duration 40 -o - > /dev/null & stream=$!
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

  @Test func whatNeedsAChangeSaysSo() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30,delay=0")
    let waiting = try await node.shell("capturectl focus 0 --wait")
    #expect(waiting.status == 2 && waiting.error.contains("--wait is for a change"), "\(waiting.error)")
    let rate = try await node.shell("capturectl zoom 0 --rate 1")
    #expect(rate.status == 2 && rate.error.contains("FACTOR"), "\(rate.error)")
    let torch = try await node.shell("capturectl torch 0 on --level 0")
    #expect(torch.status == 1 && torch.error.contains("level 0"), "\(torch.error)")
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

  @Test func whatCannotBeBalancedIsRefusedWithTheReason() async throws {
    let node = try SpawnedNode()
    let grey = try await node.shell("capturectl white-balance 0 --grey-world")
    #expect(grey.status == 1 && grey.error.contains("its gains cannot be set"), "\(grey.error)")
    let focus = try await node.shell("capturectl focus 0 --mode auto")
    #expect(focus.status == 1 && focus.error.contains("has none that can be set"), "\(focus.error)")
  }
}
