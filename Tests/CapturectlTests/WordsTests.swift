import CaptureClient
import Foundation
import Testing

@testable import capturectl

/// What is said does what it says, and names what is in the way.
@Suite(.serialized) struct WordsTests {
  @Test func aBoundCameraStreamsAsFastAsItMayAndSaysSo() async throws {
    let node = try SpawnedNode(camera: "synthetic:640x480@60")
    let result = try await node.shell(
      """
      set -e
      capturectl frame-duration 0 --minimum 1/20 >/dev/null
      capturectl --json stream 0 --rate 30 -n 5
      capturectl session configure door --input 0 --preset 640x480 >/dev/null
      capturectl --json stream --session door --rate 30 -n 2 & stream=$!
      sleep 0.3; capturectl session start door >/dev/null
      wait $stream
      capturectl session configure door --rate 30 --start
      capturectl --json session show door
      """)
    #expect(result.status == 0, "\(result.error)")
    let told = "at most 20 frames a second come, not 30, because 'frame-duration' limits the camera"
    #expect(result.error.split(separator: "\n").count { $0.hasSuffix(told) } == 2, "\(result.error)")
    #expect(result.output.contains(#""frames":5"#) && result.output.contains(#""frames":2"#))
    // Programs read it in the document, people beside the rate that the session's camera runs at.
    let bound = #"{"asked_fps":30.000,"highest_fps":20.000,"bound_by":"frame-duration"}"#
    #expect(result.output.components(separatedBy: #""rate_bound":"# + bound).count == 3, "\(result.output)")
    #expect(result.output.contains(#""rate_bounds":["# + bound + "]"), "\(result.output)")
    let runs = "at 20 fps; 'frame-duration' limits the camera to 20 frames a second"
    #expect(result.output.contains(runs), "\(result.output)")
  }

  @Test func aSessionsPhotoThatIsTooLargeIsRefusedNamingTheSession() async throws {
    let node = try SpawnedNode(camera: "synthetic:640x480@30")
    let result = try await node.shell(
      """
      capturectl session configure door --input 0 --size 320x240 --start >/dev/null
      capturectl photo --session door --size 640x480 -o p.jpg
      """)
    #expect(result.status == 1)
    #expect(result.error.contains("for the session 'door'; 640x480 is more than that"), "\(result.error)")
    #expect(result.error.contains("or configure the session 'door' for more"), "\(result.error)")
    #expect(!result.error.contains("for a photo"))
  }

  @Test func aPhotosQualityAndGainsThatAreNoneAreExplained() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:160x120@30,manual")
    let result = try await node.shell(
      """
      capturectl photo --help; capturectl white-balance 0 --gains 0,1,1
      """)
    let help = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      help.contains(
        "does not change a camera's own JPEG; with it the node decodes and encodes that again."),
      "\(result.output)")
    #expect(!result.error.contains("are none"), "\(result.error)")
    #expect(result.status != 0 && result.error.contains("gains"), "\(result.error)")
  }

  @Test func aWatchHasTheGroupsOfWhatWasAskedForAlone() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30")
    let result = try await node.shell(
      """
      capturectl watch 0 zoom > zoom & one=$!
      capturectl --json watch 0 exposure.bias > bias & two=$!
      until [ -s zoom ] && [ -s bias ]; do sleep 0.05; done
      capturectl zoom 0 2 >/dev/null; capturectl expose 0 --mode continuous --bias 1 >/dev/null
      for i in {1..100}; do [ $(wc -l < zoom) -ge 3 ] && [ $(wc -l < bias) -ge 2 ] && break; sleep 0.05; done
      kill $one $two; cat zoom
      """)
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "zoom  factor 1.00 (reported), hardware", "\(result)")
    #expect(lines.contains("zoom  factor 2.00 (reported), hardware"), "\(result)")
    #expect(lines.allSatisfy { $0.hasPrefix("zoom") }, "\(result.output)")
    let bias = String(decoding: node.bytes("bias"), as: UTF8.self)
    #expect(!bias.contains(#""focus""#) && !bias.contains(#""zoom""#), "\(bias)")
    #expect(bias.contains(#""bias":1"#), "\(bias)")
  }

  @Test func aWatchOfAControlBeginsWithItsValue() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl watch 0 brightness > control & one=$!
      until [ -s control ]; do sleep 0.05; done
      capturectl set 0 brightness=9 gain=3 >/dev/null
      for i in {1..100}; do grep -q 'brightness 9' control && break; sleep 0.05; done
      kill $one; cat control
      """)
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("brightness ") == true, "\(result)")
    #expect(lines.contains("brightness 9") && !lines.contains { $0.hasPrefix("gain") }, "\(result)")
  }

  @Test func aBiasIsRefusedWhereItActsOnNothing() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30")
    let result = try await node.shell(
      """
      capturectl expose 0 --duration 1/100 >/dev/null
      capturectl expose 0 --bias 1; capturectl expose 0 --duration 1/50 --bias 1
      capturectl expose 0 --mode locked --bias 1
      capturectl expose 0 --mode locked >/dev/null || exit 9
      capturectl expose 0 --bias 1
      capturectl expose 0 --mode continuous --bias 1 >/dev/null || exit 9
      capturectl expose 0 --bias 0.5 >/dev/null || exit 9
      """)
    #expect(result.status == 0, "\(result.error)")
    let told = "exposure.bias acts in the exposure modes continuous and auto, not in "
    let refusals = result.error.split(separator: "\n")
    #expect(refusals.count == 4 && refusals.allSatisfy { $0.contains(told) }, "\(result.error)")
    #expect(refusals.count { $0.contains(told + "locked: set one of these modes") } == 2, "\(result.error)")
  }

  /// Where the driver has no modes the node adds them; what `auto` found is locked.
  @Test func aBiasIsRefusedWhereTheNodeDoesNotExpose() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30,manual")
    let result = try await node.shell(
      """
      capturectl expose 0 --duration 1/50 >/dev/null || exit 9
      capturectl expose 0 --bias 1
      capturectl expose 0 --mode auto >/dev/null || exit 9
      capturectl photo 0 -o exposed.jpg >/dev/null || exit 9
      capturectl expose 0 --bias 1
      capturectl expose 0 --mode continuous --bias 1 >/dev/null || exit 9
      capturectl expose 0 --bias 0.5 >/dev/null || exit 9
      """)
    #expect(result.status == 0, "\(result.error)")
    let told = "exposure.bias acts in the exposure modes continuous and auto, not in "
    let refusals = result.error.split(separator: "\n")
    #expect(refusals.count == 2, "\(result.error)")
    #expect(refusals.first?.contains(told + "custom: set one of these modes") == true, "\(result.error)")
    #expect(refusals.last?.contains(told + "locked: set one of these modes") == true, "\(result.error)")
  }

  @Test func aWrongValueIsShownCutAndEscaped() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      #"""
      long=$(printf '\033[2J%060000d' 0)
      capturectl photo 0 -o x.jpg --request-id "$long"; capturectl devices "$long"
      capturectl --node "$long" devices
      """#)
    let lines = result.error.split(separator: "\n")
    #expect(lines.count == 6 && lines.allSatisfy { $0.utf8.count < 400 }, "\(result.error)")
    #expect(
      lines.count { $0.contains(#"'\u{1B}[2J000"#) && $0.contains("…' (60004 bytes)") } == 2,
      "\(result.error)")
    #expect(!result.error.contains("\u{1B}"), "\(result.error)")
  }

  /// Before anything is asked of the node, which has no such camera and no library.
  @Test func aNameThatPromisesAnotherTypeIsRefusedAtOnce() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl photo 9 -o x.jpg --preview x.png; capturectl photo 9 --store --preview x.dng
      capturectl library sheet -o x.tiff; capturectl photo 9 -o - --preview - | cat
      """)
    #expect(
      result.error.split(separator: "\n") == [
        "capturectl: 'x.png' would not be a PNG; a preview is a JPEG: name the file .jpg",
        "capturectl: 'x.dng' would not be a DNG; a preview is a JPEG: name the file .jpg",
        "capturectl: 'x.tiff' would not be a TIFF; a contact sheet is a JPEG: name the file .jpg",
        "capturectl: standard output takes one file; name one with --output, or with --preview",
      ], "\(result.error)")
    #expect(node.files.isEmpty)
  }

  @Test func aPreviewGoesToStandardOutput() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl photo 0 --settle none -o whole.jpg --preview - --preview-size 160x120 > small || exit 9
      head -c 2 small | od -An -tx1; tail -c 2 small | od -An -tx1
      """)
    #expect(result.status == 0 && result.output == " ff d8\n ff d9\n", "\(result)")
    // The line about the photo stands where it does not get into the picture.
    #expect(result.error.contains("whole.jpg: 320x240"), "\(result.error)")
    #expect(node.files == ["small", "whole.jpg"], "\(node.files)")
  }

  @Test func aWrongAddressIsExplained() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl --node http://127.0.0.1:7311/ info
      python3 - <<'E' &
      import socket
      server = socket.create_server(("127.0.0.1", 0))
      print(server.getsockname()[1], file=open("port.new", "w"), flush=True)
      import os; os.rename("port.new", "port")
      for answer in (b"HTTP/1.1 400 Bad Request\\r\\n\\r\\n", None):
          client = server.accept()[0]
          if answer: client.sendall(answer)
          client.recv(1000)
          if not answer: client.recv(1000)
      E
      until [ -s port ]; do sleep 0.05; done
      capturectl --node 127.0.0.1:$(cat port) info
      capturectl --timeout 1 --node 127.0.0.1:$(cat port) info
      wait
      """)
    #expect(result.error.contains("has no URL; leave out 'http://'"), "\(result.error)")
    #expect(
      result.error.contains("is not a capture node: this looks like HTTP or text; another"), "\(result.error)"
    )
    #expect(result.error.contains("another program has that port, a web server perhaps"), "\(result.error)")
    #expect(!result.error.contains("--timeout SECONDS waits longer"), "\(result.error)")
  }

  @Test func aFormatMayBeTypedInLowerCase() async throws {
    #expect(PixelFormat(typed: "yuyv") == .yuyv)
    #expect(PixelFormat(typed: "pBAA")?.description == "pBAA")
    #expect(PixelFormat(typed: "ip3y")?.description == "ip3y")
    let node = try SpawnedNode()
    #expect(try await node.shell("capturectl stream 0 --format yuyv -n 1").status == 0)
  }

  @Test func formatsSayWhoMakesTheJPEG() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell("capturectl formats 0; capturectl --json formats 0")
    #expect(result.status == 0, "\(result.error)")
    for (format, maker) in [("YUYV", "by libyuv"), ("MJPG", "as it is"), ("RGGB", "by the node")] {
      let line = try #require(result.output.split(separator: "\n").first { $0.hasPrefix(format) })
      #expect(line.contains(maker), "\(line)")
    }
    for maker in ["libyuv", "as it is", "node"] {
      #expect(result.output.contains("\"jpeg_conversion\":\"\(maker)\""), "\(result.output)")
    }
  }

  /// Edges on odd pixels are rounded. A size that is not possible is refused with one that is.
  @Test func partsAndSizesOfAFormatWithSharedChromaAreEven() async throws {
    let node = try SpawnedNode(camera: "synthetic:160x120@30")
    for (turn, size) in [("", #""width":52,"height":38"#), ("--orientation 90", #""width":38,"height":52"#)] {
      let part = try await node.shell(
        "capturectl stream 0 --format nv12 --crop 0.19375,0.175,0.33125,0.325 \(turn) -n 1 --json-frames -o x.nv12"
      )
      #expect(part.status == 0 && part.output.contains(size), "\(part)")
      let bytes = node.bytes("x.nv12").count
      #expect(bytes == 52 * 38 * 3 / 2)
    }
    for (options, advice) in [
      ("--size 53x39", "offers no 53x39 as NV12; nearest: 160x120"),
      ("--size 53x39 --gravity fill", "53x39 is not possible; ask for 52x38 or 54x40"),
      ("--size 1x1 --gravity resize", "1x1 is not possible; ask for 2x2\n"),
    ] {
      let refused = try await node.shell("capturectl stream 0 --format nv12 \(options) -n 1 -o odd.nv12")
      #expect(refused.status == 1 && refused.error.contains(advice), "\(refused.error)")
      #expect(!node.files.contains { $0.hasPrefix("odd") })
    }
  }

  @Test func aFirstFrameHasATimeOfDayAndItsNumberAClock() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30")
    let result = try await node.shell(
      """
      capturectl stream 0 --duration 100 & stream=$!
      until capturectl --json status | grep -q '"streaming":true'; do sleep 0.05; done
      capturectl zoom 0 2 --wait; capturectl --json zoom 0 3 --wait
      date +%H:%M; kill -INT $stream; wait $stream
      """)
    let line = try #require(
      result.output.split(separator: "\n").first { $0.contains(": from frame ") }, "\(result)")
    #expect(line.firstMatch(of: #/, captured at \d\d:\d\d:\d\d\.\d\d\d \(assumed\)$/#) != nil, "\(line)")
    #expect(result.output.contains(#""next_stream":false,"provenance":"assumed""#), "\(result.output)")
    #expect(result.output.contains(#""clock":"node's CLOCK_MONOTONIC""#))
  }

  @Test func aLogFileHasTimesAndJournaldsHasNone() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      run() {
        capture-node --listen unix:socket2 --state none --camera synthetic >/dev/null & node=$!
        until grep -q 'serves on' $1; do kill -0 $node || break; sleep 0.05; done
        kill $node; wait $node
      }
      run log 2>log; cat log >&2; echo --- >&2
      exec 2>journal; JOURNAL_STREAM=$(stat -L -c %d:%i journal) run journal
      """)
    let time = #/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4} info: /#
    let lines = result.error.split(separator: "---")[0].split(separator: "\n")
    #expect(lines.count > 1 && lines.allSatisfy { $0.firstMatch(of: time) != nil }, "\(result.error)")
    let journal = String(decoding: node.bytes("journal"), as: UTF8.self).split(separator: "\n")
    #expect(journal.count > 1 && journal.allSatisfy { $0.hasPrefix("<6>") }, "\(journal)")
  }

  @Test func aLongMenuWidensNoOtherLine() {
    let menu = (0..<200).map {
      ControlDescription.MenuItem(index: Int64($0), content: .name("an item with a name"))
    }
    let controls = [
      ControlDescription(
        id: ControlID(rawValue: 1), name: "pattern", label: "", type: .menu, maximum: 199, menu: menu),
      ControlDescription(
        id: ControlID(rawValue: 2), name: "gain", label: "", type: .integer, maximum: 9, flags: [.inactive]),
    ].map { CameraControl(description: $0, value: .integer(0)) }
    let lines = tables(controls, width: nil).split(separator: "\n")
    #expect(lines.filter { $0.count > 100 }.count == 1, "\(lines.map(\.count))")
    #expect(tables(controls, width: 80).split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
