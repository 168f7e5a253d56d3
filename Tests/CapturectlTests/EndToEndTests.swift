import Foundation
import Testing

/// capturectl and capture-node as processes.
@Suite(.serialized) struct EndToEndTests {
  /// Shell that waits until a recording has written into its file "clip".
  private static let untilClipIsWritten = "until [ -s clip.part ]; do sleep 0.02; done"

  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// The lost frames of all cameras, in the output of `capturectl --json status`.
  private func lostFrames(_ status: [UInt8]) throws -> Int {
    let status = try object(String(decoding: status, as: UTF8.self))
    let cameras = try #require(status["cameras"] as? [[String: Any]])
    return cameras.compactMap { $0["frames_lost"] as? Int }.reduce(0, +)
  }

  @Test func aCameraIsListedSetAndRead() async throws {
    let node = try SpawnedNode()
    let listed = try await node.shell("capturectl --json devices")
    let devices = try #require(try object(listed.output)["devices"] as? [[String: Any]])
    #expect(devices.count == 1 && devices[0]["index"] as? Int == 0 && devices[0]["present"] as? Bool == true)
    #expect(try await node.shell("capturectl set 0 brightness=7 gain=3").output == "brightness 7\ngain 3\n")
    #expect(
      try await node.shell("capturectl --json devices --names").output == "{\"names\":[\"synthetic-0\"]}\n")
    #expect(try await node.shell("capturectl get synth brightness").output == "brightness 7\n")
    for command in ["info", "status", "ping --count 3", "formats 0", "controls 0"] {
      let result = try await node.shell("capturectl --json \(command)")
      #expect(result.status == 0, "\(command): \(result.error)")
      _ = try object(result.output)
    }
  }

  @Test func streamsAndPhotosArriveWhole() async throws {
    let node = try SpawnedNode()
    let stream = try await node.shell("capturectl --json stream 0 --count 10 -o 'f%02d.jpg'")
    #expect(stream.status == 0, "\(stream.error)")
    let report = try object(stream.output)
    #expect(report["frames"] as? Int == 10)
    #expect((report["latency_ms"] as? [String: Any])?["p50"] is Double)
    #expect(node.files.count == 10)
    for name in node.files {
      #expect(node.bytes(name).prefix(2) == [0xFF, 0xD8] && node.bytes(name).suffix(2) == [0xFF, 0xD9])
    }
    let raw = try await node.shell("capturectl stream 0 --format YUYV --size 320x240 -n 2 -o - | wc -c")
    #expect(
      Int(raw.output.trimmingCharacters(in: .whitespacesAndNewlines)) == 2 * 320 * 240 * 2, "\(raw.error)")
    let photo = try await node.shell("capturectl --timeout 60 photo 0 --size 320x240 -o p.jpg")
    #expect(photo.status == 0, "\(photo.error)")
    #expect(node.bytes("p.jpg").prefix(2) == [0xFF, 0xD8])
  }

  @Test func aPhotoTellsHowItsCameraHadSettled() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:160x120@30,light=-4")
    let told = try await node.shell("capturectl photo 0 -o p.jpg; capturectl --json photo 0 -o p.jpg")
    #expect(told.status == 0 && told.output.contains(", settled after "), "\(told)")
    let line = try #require(told.output.split(separator: "\n").last)
    let settled = try #require(try object(String(line))["settled"] as? [String: Any])
    #expect(["observed", "assumed"].contains(settled["provenance"] as? String), "\(settled)")
    #expect(try #require(settled["frames"] as? Int) >= 5 && settled["seconds"] is Double, "\(settled)")
    let first = try await node.shell(
      "capturectl photo 0 --settle none -o p.jpg; capturectl --json photo 0 --settle none -o p.jpg")
    #expect(first.status == 0 && !first.output.contains(", settled"), "\(first)")
    #expect(first.output.contains("\"settled\":null"), "\(first.output)")
    let manual = try SpawnedNode(camera: "synthetic:physics:160x120@30,manual")
    let none = try await manual.shell("capturectl --json photo 0 -o p.jpg")
    #expect(
      none.output.contains("\"settled\":{\"provenance\":\"reported\",\"seconds\":0.000,\"frames\":0}"),
      "\(none)")
  }

  @Test func aPlayerReadsAStream() async throws {
    let node = try SpawnedNode()
    let seen = try await node.shell(
      """
      capturectl stream 0 --size 320x240 --format jpeg --count 30 -o - |
        ffprobe -v error -count_frames -show_entries stream=codec_name,width,height,nb_read_frames -of csv=p=0 -
      """)
    #expect(seen.output == "mjpeg,320,240,30\n", "\(seen.error)")
  }

  @Test func aSessionIsMadeLookedAtChangedAndClosed() async throws {
    let node = try SpawnedNode()
    let made = try await node.shell(
      "capturectl --json session configure door --input 0 --size 320x240 --rate 30 --start")
    #expect(made.status == 0, "\(made.error)")
    let session = try object(made.output)
    #expect(session["running"] as? Bool == true && session["session"] as? String == "door")
    let stream = try await node.shell("capturectl --json stream --session door --count 3 -o 'f%02d.jpg'")
    #expect(stream.status == 0, "\(stream.error)")
    #expect(try object(stream.output)["frames"] as? Int == 3)
    let photo = try await node.shell("capturectl --timeout 60 photo --session door/photo -o p.jpg")
    #expect(photo.status == 0, "\(photo.error)")
    #expect(node.bytes("p.jpg").prefix(2) == [0xFF, 0xD8])
    let taken = try await node.shell("capturectl stream 0 --count 1")
    #expect(taken.status == 1 && taken.error.contains("in the session 'door'"))
    let both = try await node.shell("capturectl session configure door --preset high --rate 15")
    #expect(both.status == 2 && both.error.contains("--preset sets format, size and rate"), "\(both.error)")
    let changed = try await node.shell(
      """
      capturectl --json session events door > events & events=$!
      until [ -s events ]; do sleep 0.02; done
      capturectl session configure door --preset 352x288
      capturectl session stop door >/dev/null && capturectl session show door
      capturectl --json session close door >/dev/null; wait $events; cat events; capturectl session list
      """)
    #expect(changed.error.contains("no format for the preset 352x288"))
    for text in [
      "\"event\":\"session\"", "\"event\":\"stopped\"", "\"event\":\"closed\"", "OUTPUT", "no sessions",
    ] {
      #expect(changed.output.contains(text), "\(text): \(changed.output)")
    }
    #expect(
      try await node.shell("capturectl session start door").error.contains("NOT_FOUND: no session 'door'"))
  }

  @Test(arguments: ["INT", "TERM"])
  func aSignalEndsAStreamProperly(signal: String) async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl stream 0 -o clip & stream=$!
      \(Self.untilClipIsWritten)
      [ ! -e clip ] || exit 9
      kill -\(signal) $stream; wait $stream
      """)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.hasPrefix("Frames"))
    #expect(node.files == ["clip"])
    #expect(node.bytes("clip").suffix(2) == [0xFF, 0xD9])
  }

  @Test func aStreamGoesOnWithANodeThatWasKilledAndRunsAgain() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      export CAPTURE_NODE=unix:$PWD/again
      run() { exec capture-node --listen $CAPTURE_NODE --state none --camera synthetic:320x240@30; }
      run > ready & node=$!
      until grep -q listening ready; do sleep 0.02; done
      capturectl --json stream 0 --reconnect --count 60 -o clip & stream=$!
      \(Self.untilClipIsWritten)
      # It stands still, so that it has not come to its end before the node has.
      kill -STOP $stream
      capturectl --json status > first
      kill -9 $node; wait $node
      run > /dev/null & node=$!
      kill -CONT $stream
      wait $stream; status=$?
      capturectl --json status > second
      kill $node; wait $node
      exit $status
      """)
    #expect(result.status == 0, "\(result.error)")
    let report = try object(result.output)
    #expect(report["frames"] as? Int == 60)
    // The new node's numbers begin anew, which is no gap; only what a camera lost, since it got no processor, is.
    let lost = try lostFrames(node.bytes("first")) + lostFrames(node.bytes("second"))
    #expect(try #require(report["sequence_gaps"] as? Int) <= lost)
    // The kernel resets the connection of a process that has not read everything.
    #expect(result.error.contains(/(closed the connection|Connection reset by peer); trying again in 0\./))
    #expect(result.error.contains("connected again"))
  }

  @Test func anInterruptedStreamThatWasToBeLongerKeepsWhatCameAndFails() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      capturectl --json stream 0 --count 100000 -o clip & stream=$!
      \(Self.untilClipIsWritten)
      kill -INT $stream; wait $stream
      """)
    #expect(result.status == 1)
    let failure = try #require(try object(result.error)["error"] as? [String: Any])
    let message = try #require(failure["message"] as? String)
    #expect(message.hasPrefix("interrupted after ") && message.contains(" of 100000 frames\n'clip' has the "))
    #expect((try object(result.output)["error"] as? String)?.hasPrefix("interrupted after") == true)
    #expect(node.bytes("clip").suffix(2) == [0xFF, 0xD9])
  }

  @Test func closedStandardStreamsAreNoPlaceForText() async throws {
    let node = try SpawnedNode()
    let closed = try await node.shell("capturectl devices <&- >&-")
    #expect(closed.status == 1)
    #expect(closed.error == "capturectl: cannot write to standard output: Bad file descriptor\n")
    #expect(try await node.shell("capturectl get 5 gain <&- >&- 2>&-").status == 1)
    for output in ["/dev/full", "&-"] {
      let mute = try await node.shell(
        "capture-node --listen unix:socket2 --state none --camera synthetic >\(output)")
      #expect(mute.status == 1)
      #expect(mute.error.contains("cannot say on standard output where it listens"))
    }
  }

  @Test func aCallThatTakesTooLongSaysHowLongAndWhatHelps() async throws {
    let node = try SpawnedNode()
    let slow = try await node.shell(
      "capturectl --timeout 60 set 0 fault_control_delay_ms=3000; capturectl --timeout 1.5 get 0 gain")
    #expect(slow.status == 1)
    // Whoever notices first, the client or the node.
    #expect(slow.error.contains("within 1.5 s") || slow.error.contains("passed on the node"))
    #expect(slow.error.hasSuffix("--timeout SECONDS waits longer.\n"))
  }

  @Test func aReaderThatHasEnoughEndsItQuietly() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      "capturectl stream 0 -o - | head -c 100000 | wc -c; exit ${PIPESTATUS[0]}")
    #expect(result.status == 0)
    #expect(result.output.contains("100000"))
    #expect(result.error.isEmpty)
  }

  @Test func aFIFOWhoseReaderLeavesIsAFailure() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell("mkfifo f; head -c 1000 f >/dev/null & capturectl stream 0 -o f")
    #expect(result.status == 1)
    #expect(result.error == "capturectl: cannot write 'f': Broken pipe\n")
  }

  @Test func mistakesAreExplained() async throws {
    let node = try SpawnedNode()
    for (line, status, text) in [
      ("get 5 brightness", 1, "NOT_FOUND: "), ("set 0 brightness=999", 1, "INVALID_ARGUMENT: "),
      ("set 0 exposure_time_absolute=5", 1, "FAILED_PRECONDITION: "),
      ("stream 0 --size 123x45 -n 1", 1, "123x45"), ("stream 0 --rate 5 --fps 5", 2, "no option '--fps'"),
      ("stream 0 -n 1 -o /dev/full", 1, "'/dev/full': No space left on device"),
      ("stream 0 -n 1 -o missing/file", 1, "'missing/file': No such file"),
      ("--node unix:/nowhere info", 1, "--node ADDRESS or $CAPTURE_NODE"),
    ] {
      let result = try await node.shell("capturectl \(line)")
      #expect(result.status == status, "\(line)")
      #expect(result.error.contains(text), "\(line): \(result.error)")
      #expect(result.output.isEmpty)
    }
    #expect(
      try await node.shell("capturectl info >/dev/full").error.contains("standard output: No space left"))
    #expect(node.files.isEmpty)
  }
}
