import Foundation
import Testing

@testable import capturectl

/// What is left of `stream -o` when something ends it: all that came, in whole frames.
@Suite(.serialized) struct CutRecordingTests {
  /// Bytes of a raw frame of 320x240 YUYV.
  private static let frame = 320 * 240 * 2
  private static let untilClipIsWritten = "until [ -s clip.part ]; do sleep 0.02; done"
  /// The process that outlives the client, and puts its file in order, is its only child.
  private static let untilItHasAChild =
    "until cat /proc/$stream/task/*/children | grep --quiet .; do sleep 0.02; done"

  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test(arguments: ["TERM", "KILL"], ["jpeg", "YUYV"])
  func theNodesEndLeavesWhatCame(signal: String, format: String) async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl --json stream 0 --format \(format) -o clip & stream=$!
      \(Self.untilClipIsWritten)
      kill -\(signal) \(node.process.processIdentifier); wait $stream
      """)
    #expect(result.status == 1)
    #expect(node.files == ["clip"], "\(result.error)")
    let report = try object(result.output)
    let frames = try #require(report["frames"] as? Int)
    #expect(report["file"] as? String == "clip")
    let (end, after) = (try #require(report["error"] as? String), " (after \(framesText(UInt64(frames))))")
    let address = node.address
    // A killed node's kernel closes the connection, or resets it where something had not been read yet.
    let ends =
      signal == "TERM"
      ? ["the node is shutting down"]
      : [
        "the node at \(address) closed the connection",
        "the connection to \(address) is lost: Connection reset by peer",
        "the connection to \(address) is lost: Broken pipe",
      ]
    #expect(ends.contains { end == "UNAVAILABLE: \($0)\(after)" }, "\(end)")
    let told = try #require(try object(result.error)["error"] as? [String: Any])
    #expect(
      (told["details"] as? [String: Any])?["reason"] as? String
        == (signal == "TERM" ? "NODE_DRAINING" : "NODE_UNREACHABLE"), "\(told)")
    let has = frames == 1 ? "the frame" : "the \(frames) frames"
    let message = "\(end.dropFirst("UNAVAILABLE: ".count))\n'clip' has \(has) that came."
    #expect(told["message"] as? String == message, "\(told)")
    try await requireWholeFrames("clip", of: node, format, count: frames)
  }

  @Test(arguments: ["jpeg", "YUYV"]) func aKilledClientLeavesAPartOfWholeFrames(format: String) async throws {
    let node = try SpawnedNode(camera: "synthetic:320x240@120")
    for round in 1...4 {
      let result = try await node.shell(
        """
        rm -f clip.part
        capturectl stream 0 --format \(format) -o clip & stream=$!
        \(Self.untilClipIsWritten)
        sleep 0.0\(round)\(round * 2 % 10); kill -KILL $stream; wait $stream
        flock clip.part true
        """)
      #expect(result.status == 0, "\(result.error)")
      #expect(node.files == ["clip.part"])
      try await requireWholeFrames("clip.part", of: node, format, count: nil)
    }
  }

  @Test func aTornFrameIsCutOffAfterAKill() async throws {
    let node = try SpawnedNode()
    // What the kernel had of a frame when the process was killed in the middle of a write.
    let result = try await node.shell(
      """
      capturectl stream 0 --format YUYV -o clip & stream=$!
      \(Self.untilClipIsWritten)
      kill -STOP $stream
      # A thread that writes stops only after its write.
      until ! grep --quiet --invert-match ') T ' /proc/$stream/task/*/stat; do sleep 0.02; done
      head -c 1000 /dev/zero >> clip.part
      [ $(( $(stat -c %s clip.part) % \(Self.frame) )) = 1000 ] || exit 9
      kill -KILL $stream; wait $stream
      flock clip.part stat -c %s clip.part
      """)
    let size = try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(result)")
    #expect(size > 0 && size % Self.frame == 0)
  }

  /// The camera gives no frame in the time that this takes.
  @Test(arguments: ["", "-n 5"]) func aKillBeforeTheFirstFrameLeavesNothing(options: String) async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl set 0 fault_stall_ms=60000 > /dev/null
      capturectl stream 0 \(options) -o clip & stream=$!
      \(Self.untilItHasAChild)
      kill -KILL $stream; wait $stream
      for try in $(seq 500); do [ -e clip.part ] || exit 0; sleep 0.02; done
      """)
    #expect(node.files.isEmpty, "\(result)")
  }

  /// A file of another program that has the name by now stays.
  @Test func aKillBeforeTheFirstFrameLeavesWhatAnotherMade() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl set 0 fault_stall_ms=60000 > /dev/null
      capturectl stream 0 -o clip & stream=$!
      \(Self.untilItHasAChild)
      exec 9< clip.part; rm clip.part; : > clip.part
      kill -KILL $stream; wait $stream
      flock --timeout 10 9
      """)
    #expect(result.status == 0 && node.files == ["clip.part"], "\(result)")
  }

  @Test(arguments: ["", "before"]) func aFullDiskLeavesWholeFrames(before: String) async throws {
    let node = try SpawnedNode()
    if !before.isEmpty {
      try before.write(to: node.directory.appending(path: "clip"), atomically: false, encoding: .utf8)
    }
    // A file that cannot grow beyond a part of the third frame.
    let result = try await node.shell(
      """
      trap '' XFSZ; ulimit -f 400
      exec capturectl stream 0 --format YUYV -o clip
      """)
    #expect(result.status == 1)
    let place = before.isEmpty ? "clip" : "clip.part"
    #expect(result.error.contains("cannot write 'clip': File too large"), "\(result.error)")
    #expect(result.error.contains("'\(place)' has the 2 frames that came."), "\(result.error)")
    #expect(node.bytes(place).count == 2 * Self.frame)
    #expect(node.files == (before.isEmpty ? ["clip"] : ["clip", "clip.part"]))
    if !before.isEmpty { #expect(node.bytes("clip") == Array(before.utf8)) }
  }

  @Test func aFullDiskLeavesJPEGsThatPlay() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      trap '' XFSZ; ulimit -f 400
      exec capturectl stream 0 --format jpeg -o clip
      """)
    #expect(result.status == 1)
    #expect(result.error.contains("cannot write 'clip': File too large"), "\(result.error)")
    #expect(node.files == ["clip"])
    try await requireWholeFrames("clip", of: node, "JPEG", count: nil)
  }

  @Test func anUnpluggedCameraLeavesWhatCame() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl stream 0 --format YUYV -o clip & stream=$!
      \(Self.untilClipIsWritten)
      capturectl set 0 fault_unplug_ms=500 >/dev/null; wait $stream
      """)
    #expect(result.status == 1)
    #expect(result.error.contains("was unplugged (after "), "\(result.error)")
    #expect(result.error.contains("\n'clip' has the "), "\(result.error)")
    #expect(node.files == ["clip"])
    try await requireWholeFrames("clip", of: node, "YUYV", count: nil)
  }

  @Test func anInterruptedRecordingLeavesAFileThatWasThere() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      echo before > clip
      capturectl stream 0 --count 100000 -o clip & stream=$!
      \(Self.untilClipIsWritten)
      kill -TERM $stream; wait $stream
      """)
    #expect(result.status == 1)
    #expect(result.error.contains("interrupted after"), "\(result.error)")
    #expect(
      result.error.contains("The file that was there before stays; 'clip.part' has the"), "\(result.error)")
    #expect(node.bytes("clip") == Array("before\n".utf8))
    try await requireWholeFrames("clip.part", of: node, "jpeg", count: nil)
  }

  @Test func aSessionThatIsStoppedAndClosedLeavesWhatCame() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl session configure door --input 0 --preset high --start >/dev/null || exit 9
      capturectl stream --session door -o clip & stream=$!
      \(Self.untilClipIsWritten)
      capturectl session stop door >/dev/null && capturectl session close door >/dev/null; wait $stream
      """)
    #expect(result.status == 1)
    #expect(
      result.error.contains("UNAVAILABLE: the session 'door' was closed (after "), "\(result.error)")
    #expect(result.error.contains(")\n'clip' has the "), "\(result.error)")
    #expect(node.files == ["clip"])
    try await requireWholeFrames("clip", of: node, "jpeg", count: nil)
  }

  /// Its stream stays open, for it may be started again: who records gives up after `--timeout`. The session is there afterwards.
  @Test func aSessionThatIsOnlyStoppedLeavesWhatCame() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl session configure door --input 0 --preset high --start >/dev/null || exit 9
      capturectl --timeout 3 stream --session door -o clip & stream=$!
      \(Self.untilClipIsWritten)
      capturectl session stop door >/dev/null || exit 8
      wait $stream; status=$?
      capturectl --json session show door; exit $status
      """)
    #expect(result.status == 1, "\(result.error)")
    let said = try #require(
      result.error.wholeMatch(
        of:
          /capturectl: no frames for now: (.*)\ncapturectl: (.*) \(after (\d+) frames?\)\n(.*)\n--timeout SECONDS waits longer\.\n/
      ),
      "\(result.error)")
    #expect(said.1 == "the session 'door' was stopped")
    #expect(said.2 == "DEADLINE_EXCEEDED: no frame came within 3.0 seconds")
    let frames = try #require(Int(said.3))
    #expect(said.4 == "'clip' has the \(frames == 1 ? "frame" : "\(frames) frames") that came.")
    #expect(try object(result.output)["running"] as? Bool == false, "\(result.output)")
    #expect(node.files == ["clip"])
    try await requireWholeFrames("clip", of: node, "jpeg", count: frames)
  }

  @Test(arguments: ["jpeg", "YUYV"]) func anInterruptedRecordingHasWholeFrames(format: String) async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl stream 0 --format \(format) --count 100000 -o clip & stream=$!
      \(Self.untilClipIsWritten)
      kill -TERM $stream; wait $stream
      """)
    #expect(result.status == 1 && node.files == ["clip"], "\(result.error)")
    try await requireWholeFrames("clip", of: node, format, count: nil)
  }

  @Test func aRefusedStreamLeavesNothing() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell("capturectl stream 0 --size 123x45 -o clip")
    #expect(result.status == 1 && node.files.isEmpty)
  }

  @Test func numbersGoOnAndNamesOfOtherFormatsAreRefused() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      set -e
      capturectl stream 0 -n 2 -o f%03d.jpg; capturectl --json stream 0 -n 2 -o f%03d.jpg
      capturectl stream 0 -n 1 -o %Y-x.jpg; capturectl photo 0 -o %Y-x.jpg
      ! capturectl stream 0 -n 1 -o clip --overwrite
      ! capturectl photo 0 -o x.tiff
      ! capturectl stream 0 --format YUYV -n 1 -o y.jpg
      capturectl stream 0 --format MJPG -n 1 -o m.jpg
      """)
    #expect(result.status == 0, "\(result.error)")
    #expect(node.bytes("m.jpg").prefix(2) == [0xFF, 0xD8])
    #expect(result.error.contains("'y.jpg' would not be a JPEG; raw frames are bare"), "\(result.error)")
    #expect(node.files.count == 7 && node.files.contains("f004.jpg"), "\(node.files)")
    #expect(result.output.contains(#""first_file":"f003.jpg","last_file":"f004.jpg""#), "\(result.output)")
    #expect(result.error.contains("'x.tiff' would not be a TIFF; a photo is .jpg"), "\(result.error)")
  }

  @Test func numbersFromTheFirstReplaceWhatIsThere() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      echo old > f001.jpg; echo other > f002.jpg
      capturectl stream 0 -n 1 -o f%03d.jpg --overwrite
      """)
    #expect(result.status == 0, "\(result.error)")
    #expect(node.files == ["f001.jpg", "f002.jpg"])
    #expect(node.bytes("f001.jpg").prefix(2) == [0xFF, 0xD8])
    #expect(node.bytes("f002.jpg") == Array("other\n".utf8))
  }

  @Test func framesOfOneSecondAreFilesOfTheirOwn() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell("capturectl stream 0 -n 10 -o %Y%m%d-%H%M%S.jpg")
    #expect(result.status == 0, "\(result.error)")
    #expect(node.files.count == 10 && node.files.allSatisfy { node.bytes($0).prefix(2) == [0xFF, 0xD8] })
    // Ten frames take a third of a second, or a little longer on a busy machine: some second has several of them.
    let names = node.files.map { $0.dropLast(4) }
    #expect(names.contains { $0.hasSuffix("-2") && names.contains($0.dropLast(2)) }, "\(node.files)")
  }

  private func requireWholeFrames(
    _ name: String, of node: SpawnedNode, _ format: String, count: Int?
  ) async throws {
    let bytes = node.bytes(name)
    #expect(!bytes.isEmpty)
    if format == "YUYV" {
      #expect(bytes.count % Self.frame == 0)
      if let count { #expect(bytes.count == count * Self.frame) }
      return
    }
    #expect(bytes.prefix(2) == [0xFF, 0xD8] && bytes.suffix(2) == [0xFF, 0xD9])
    let seen = try await node.shell(
      "ffprobe -v error -f mjpeg -count_frames -show_entries stream=nb_read_frames -of csv=p=0 \(name)")
    #expect(seen.error.isEmpty, "\(seen.error)")
    let played = try #require(Int(seen.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    if let count { #expect(played == count) } else { #expect(played > 0) }
  }
}
