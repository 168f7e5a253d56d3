import Foundation
import Testing

/// What clients set outlives the node, however it ends.
@Suite(.serialized) struct StateTests {
  @Test func settingsOutliveARestart() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "state.json").path
    do {
      let node = try SpawnedNode(state: path)
      #expect(try await node.shell("capturectl set 0 brightness=7").status == 0)
      node.terminate()
    }
    let node = try SpawnedNode(state: path)
    let result = try await node.shell(
      "for i in {1..100}; do [ \"$(capturectl get 0 brightness)\" = 'brightness 7' ] && exit 0; sleep 0.05; done; exit 1"
    )
    #expect(result.status == 0)
  }

  /// The file is written at most once a second. What was set since is written at the node's end.
  @Test func whatWasSetAMomentBeforeTheEndIsWritten() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "state.json").path
    let node = try SpawnedNode(state: path, camera: "synthetic:640x480@30")
    // Saving writes; what comes behind it is due a second later.
    let told = try await node.shell(
      """
      set -e
      capturectl profile save 0 first
      capturectl set 0 brightness=7; capturectl input 0 'Synthetic 1'
      """)
    node.terminate()
    #expect(told.status == 0, "\(told)")
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    for part in [#""name" : "brightness""#, #""Synthetic 1""#, #""first""#] {
      #expect(kept.contains(part), "\(kept)")
    }
  }

  @Test func lightsOutliveARestart() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "state.json").path
    let camera = "synthetic:physics:160x120@30"
    do {
      let node = try SpawnedNode(state: path, camera: camera)
      #expect(try await node.shell("capturectl torch 0 auto && capturectl flash 0 auto").status == 0)
      node.terminate()
    }
    do {
      let node = try SpawnedNode(state: path, camera: camera)
      let kept = try await node.shell("capturectl flash 0; capturectl torch 0")
      #expect(kept.output.contains("auto, by the node") && kept.output.contains("off"), "\(kept)")
      #expect(try await node.shell("capturectl torch 0 auto").status == 0)
      node.terminate()
    }
    let node = try SpawnedNode(state: path, camera: camera)
    let result = try await node.shell(
      "for i in {1..100}; do capturectl torch 0 | grep -q 'auto.*by the node' && exit 0; sleep 0.05; done; exit 1"
    )
    #expect(result.status == 0)
    #expect(try await node.shell("capturectl flash 0 | grep off").status == 0)
  }

  @Test(.timeLimit(.minutes(2))) func aKillAtAnyMomentLeavesAWholeFile() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "state.json")
    var files = 0
    for round in 1...8 {
      let node = try SpawnedNode(state: url.path)
      // Settings go on until the node is gone, at a moment that nobody chose.
      async let setting = node.shell(
        "for i in {1..100}; do capturectl set 0 brightness=$((i % 64)) contrast=$i || exit 0; done")
      // The first time it has written something; later it may not have begun.
      while round == 1, !FileManager.default.fileExists(atPath: url.path) {
        try await Task.sleep(for: .milliseconds(5))
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 20...400)))
      node.kill()
      _ = try await setting
      guard let data = try? Data(contentsOf: url) else { continue }
      files += 1
      let object = try #require(
        try? JSONSerialization.jsonObject(with: data) as? [String: Any], "round \(round): the file is torn")
      #expect(object["version"] as? Int == 1)
    }
    #expect(files > 0)
    #expect(!FileManager.default.fileExists(atPath: url.path + ".unreadable"))
  }

  @Test func aCameraIsLockedUsedAndUnlocked() async throws {
    let node = try SpawnedNode()
    let script = """
      set -e
      export CAPTURE_LEASE=$(capturectl lock 0 --for 60 --holder studio-a)
      capturectl set 0 brightness=3
      capturectl leases
      capturectl --json lock 0 --for 120 | grep -q '"holder":"studio-a"'
      env -u CAPTURE_LEASE capturectl set 0 brightness=4 2>&1 || true
      capturectl unlock synthetic
      env -u CAPTURE_LEASE capturectl set 0 brightness=5
      capturectl set 0 brightness=6 2>&1 || true
      """
    let result = try await node.shell(script)
    #expect(result.status == 0, "\(result.error)")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "brightness 3")
    #expect(lines.contains { $0.hasPrefix("synthetic-0  studio-a") })
    #expect(
      lines.contains {
        $0.hasPrefix(
          "capturectl: FAILED_PRECONDITION: camera 'synthetic-0' is leased by studio-a for another ")
      })
    #expect(lines.contains("brightness 5"))
    #expect(lines.last?.contains("was given back") == true)
  }

  @Test func aSessionOfLockedCamerasIsMadeUnderAllOfTheirLeases() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      export CAPTURE_NODE=unix:$PWD/two
      capture-node --listen $CAPTURE_NODE --state none --camera synthetic --camera synthetic > ready & node=$!
      until grep -q listening ready; do sleep 0.02; done
      one=$(capturectl lock 0 --for 60); two=$(capturectl lock 1 --for 60)
      make() { capturectl --json session configure both --input 0 --input 1 "$@" 2>&1; }
      make --lease $two | grep -q 'FAILED_PRECONDITION' && echo refused
      make --lease $one --lease $two | grep -q '"session":"both"' && echo made
      capturectl unlock --lease $one --lease $two 2>&1
      kill $node; wait $node
      """)
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.prefix(2) == ["refused", "made"], "\(result)")
    #expect(lines.dropFirst(2).first?.contains("--lease names 2") == true, "\(result)")
  }

  @Test func anothersLockIsEndedByForceAndItsHolderTold() async throws {
    let node = try SpawnedNode()
    let script = """
      set -e
      export CAPTURE_LEASE=$(capturectl lock 0 --for 600 --holder studio-a)
      env -u CAPTURE_LEASE capturectl unlock 0 --force --holder anna
      capturectl set 0 brightness=6 2>&1 || true
      capturectl lock 0 2>&1 || true
      capturectl unlock 2>&1 || true
      unset CAPTURE_LEASE
      capturectl set 0 brightness=5
      capturectl unlock 0 --force 2>&1 || true
      capturectl lock 0 --for 601 2>&1 || true
      capturectl lock 0 --for 60 --holder studio-b >/dev/null
      capturectl --json unlock 0 --force
      capturectl unlock --force 2>&1 || true
      """
    let result = try await node.shell(script)
    #expect(result.status == 0, "\(result.error)")
    let lines = result.output.split(separator: "\n").map(String.init)
    try #require(lines.count >= 9, "\(result.output)")
    #expect(lines[0].hasPrefix("camera 'synthetic-0' is free: studio-a had it for another "))
    for line in lines[1...3] {
      #expect(
        line.hasPrefix("capturectl: ABORTED: the lease of camera 'synthetic-0' was ended by force by anna "))
    }
    #expect(lines[4] == "brightness 5")
    #expect(lines[5].contains("NOT_FOUND: camera 'synthetic-0' is not leased"))
    #expect(lines[6].contains("INVALID_ARGUMENT") && lines[6].contains("leases.maximum"))
    #expect(lines[7].contains(#""freed":{"#) && lines[7].contains(#""holder":"studio-b""#))
    #expect(lines[8].contains("--force needs a camera"))
  }

  /// With the token of a lease that is over `lock` fails, too.
  @Test func theAdviceAboutALeaseThatIsOverLeadsToANewOne() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      export CAPTURE_LEASE=$(capturectl lock 0 --for 60)
      token=$CAPTURE_LEASE
      capturectl unlock
      capturectl set 0 brightness=3 2>&1
      capturectl lock 0 2>&1
      unset CAPTURE_LEASE
      capturectl --lease $token lock 0 2>&1
      capturectl unlock $token 2>&1
      capturectl unlock 0 --force 2>&1
      CAPTURE_LEASE=$(capturectl lock 0) && echo locked
      export CAPTURE_LEASE
      capturectl unlock $token 2>&1
      capturectl --lease $CAPTURE_LEASE unlock $token 2>&1
      CAPTURE_LEASE=$token capturectl unlock $token 2>&1
      """)
    let lines = result.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 9, "\(result)")
    for line in lines[0...1] + [lines[8]] {
      #expect(line.hasSuffix("acquire a new one ('unset CAPTURE_LEASE', then 'capturectl lock')"))
    }
    #expect(lines[2].hasSuffix("acquire a new one ('capturectl lock' without --lease)"))
    #expect(lines[3].hasSuffix("acquire a new one ('capturectl lock')"))
    #expect(lines[4].hasSuffix("is not leased: there is nothing to free"))
    #expect(lines[5] == "locked")
    // The lease in $CAPTURE_LEASE is not over.
    for line in lines[6...7] { #expect(line.hasSuffix("acquire a new one")) }
  }

  @Test func theConfigurationsLimitsForLeasesHold() async throws {
    let node = try SpawnedNode(configuration: "{ leases: { maximum: 5, waiters: 1 } }")
    let result = try await node.shell(
      """
      capturectl lock 0 --for 6 2>&1; echo $?
      token=$(capturectl lock 0 --for 5 --holder studio-a)
      # Whichever comes second is refused at once; the other has the camera once it is free.
      for waiter in 1 2; do capturectl lock 0 --for 1 --within 60 > /dev/null 2> said-$waiter || echo refused & done
      wait -n; cat said-1 said-2
      capturectl --lease $token unlock
      wait; cat said-1 said-2
      """)
    let lines = result.output.split(separator: "\n").map(String.init)
    try #require(lines.count >= 4, "\(result)")
    #expect(
      lines[0].contains("INVALID_ARGUMENT")
        && lines[0].contains("at most 5.0 s on this node (leases.maximum), not 6.0 s"))
    #expect(lines[1] == "1" && lines[2] == "refused", "\(lines)")
    let told =
      "capturectl: RESOURCE_EXHAUSTED: 1 calls wait for camera 'synthetic-0' or for a lease of it, and no more may (leaseWaiters; leases.waiters)"
    #expect(lines.filter { $0.hasPrefix(told) }.count == 2, "\(lines)")
    #expect(lines.filter { $0 == "refused" }.count == 1, "\(lines)")
  }

  @Test func profilesAndWhatWasMeasuredOutliveTheNode() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "state.json").path
    let spec = "synthetic:physics:320x240@60,delay=3"
    do {
      let node = try SpawnedNode(state: path, camera: spec)
      let result = try await node.shell(
        "set -e; capturectl zoom 0 2; capturectl profile save 0 near; capturectl zoom 0 1; "
          + "capturectl --json calibrate 0 zoom_absolute")
      #expect(result.status == 0, "\(result.error)")
      let line = try #require(result.output.split(separator: "\n").last)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(object["delay_frames"] as? Int == 3)
      // What it was told is on the disk.
      node.kill()
    }
    let node = try SpawnedNode(state: path, camera: spec)
    let result = try await node.shell(
      "set -e; capturectl profile load 0 near; capturectl get 0 zoom_absolute; capturectl profile list 0; "
        + "capturectl --json describe 0")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("zoom_absolute 200\n"))
    #expect(result.output.contains("near"))
    #expect(result.output.contains("calibrated"))
  }

  @Test func aFolderThatANameSaysIsNotMade() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID())")
    let node = try SpawnedNode()
    let result = try await node.shell(
      "timeout 5 capture-node --listen unix:socket2 --camera synthetic --state \(folder.path)/s.json >/dev/null"
    )
    #expect(result.error.contains("make the folder '\(folder.path)'"), "\(result.error)")
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  /// Another node has the file: this one serves without, and says so.
  @Test func statusWarnsOfANodeThatKeepsNothing() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "none/state.json").path
    let node = try SpawnedNode(state: path)
    let result = try await node.shell("capturectl status")
    #expect(
      result.output.contains("nothing can be kept there")
        && result.output.contains("holds until the node ends."),
      "\(result)")
  }

  /// Its folder is missing, or a newer node has written it.
  @Test(arguments: [false, true]) func aNodeThatCannotOpenItsStateRefusesWhatIsToBeKept(isNewer: Bool)
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: isNewer ? "state.json" : "none/state.json").path
    let newer = #"{"version": 99, "cameras": {}}"#
    if isNewer { try newer.write(toFile: path, atomically: false, encoding: .utf8) }
    let node = try SpawnedNode(state: path, camera: "synthetic:physics:320x240@60,delay=3")
    let result = try await node.shell(
      """
      export COLUMNS=1000
      for words in 'profile save 0 new' 'session configure door --input 0' 'calibrate 0 zoom_absolute'
      do capturectl $words > /dev/null && exit 9; done
      set -e
      capturectl --json profile list 0; capturectl --json session list; capturectl --json describe 0
      capturectl zoom 0 2; capturectl get 0 zoom_absolute
      capturectl status
      """)
    #expect(result.status == 0, "\(result)")
    for told in [
      "the profile 'new' was not saved", "the session 'door' was not configured",
      "the measured delays were not kept",
    ] {
      #expect(
        result.error.contains(
          "UNAVAILABLE: \(told): the node keeps nothing until this is put right and it is started again: \(path): "
        ), "\(result.error)")
    }
    #expect(result.error.contains(isNewer ? "install that node again" : "make the folder"), "\(result.error)")
    #expect(!result.output.contains(#""new""#) && !result.output.contains(#""door""#), "\(result.output)")
    #expect(result.output.contains(#""calibrated":false"#), "\(result.output)")
    // Settings are for now, and need no disk.
    #expect(result.output.contains("zoom_absolute 200\n"), "\(result.output)")
    #expect(result.output.contains("Warning: for "), "\(result.output)")
    node.terminate()
    #expect(node.process.terminationStatus == 0)
    if isNewer { #expect(try String(contentsOfFile: path, encoding: .utf8) == newer) }
  }

  @Test func aProfileThatCannotBeWrittenIsNotThereAndAnOldOneStays() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "state.json").path
    let node = try SpawnedNode(state: path)
    let result = try await node.shell(
      """
      set -e
      capturectl set 0 brightness=7; capturectl profile save 0 old
      mkdir \(path).new
      capturectl set 0 brightness=9
      ! capturectl profile save 0 new; ! capturectl profile save 0 old --replace
      ! capturectl profile delete 0 old
      capturectl --json profile list 0
      capturectl profile load 0 old; capturectl get 0 brightness
      rmdir \(path).new; capturectl profile save 0 new
      """)
    #expect(result.status == 0, "\(result.error)")
    #expect(
      result.error.contains("the profile 'new' was not saved: the node's state file, "), "\(result.error)")
    #expect(result.output.contains(#""name":"old""#) && !result.output.contains(#""name":"new""#))
    #expect(result.output.contains("brightness 7\n"))
    node.kill()
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    #expect(kept.contains(#""old""#) && kept.contains(#""new""#))
  }

  /// The file is replaced by one of that name, which is a folder here.
  @Test func statusWarnsAsLongAsTheStateCannotBeWritten() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "state.json").path
    let node = try SpawnedNode(state: path)
    let result = try await node.shell(
      """
      set -e
      capturectl profile save 0 one; capturectl --json status
      mkdir \(path).new; ! capturectl profile save 0 two 2>/dev/null
      sleep 0.05; capturectl --json status; capturectl status
      rmdir \(path).new; capturectl profile save 0 three; capturectl --json status
      """)
    #expect(result.status == 0, "\(result.error)")
    let documents = try result.output.split(separator: "\n").filter { $0.hasPrefix("{\"uptime") }.map {
      line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
    try #require(documents.count == 3, "\(result.output)")
    #expect(documents[0]?["state_failure"] is NSNull && documents[2]?["state_failure"] is NSNull)
    let failure = try #require(documents[1]?["state_failure"] as? [String: Any])
    #expect((failure["message"] as? String)?.hasPrefix("\(path) cannot be written: ") == true, "\(failure)")
    #expect((40..<60_000).contains(failure["age_ms"] as? Int ?? 0), "\(failure)")
    #expect(
      result.output.contains("Warning: for ") && result.output.contains("holds until the node ends."),
      "\(result.output)")
  }

  @Test func aSessionIsKeptOrIsAsItWas() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "state.json").path
    let node = try SpawnedNode(state: path, camera: "synthetic:640x480@30")
    let result = try await node.shell(
      """
      set -e
      mkdir \(path).new; ! capturectl session configure new --input 0; rmdir \(path).new
      capturectl session configure old --input 0 --size 320x240
      grep -q '"old"' \(path)
      mkdir \(path).new
      ! capturectl session configure old --input 0 --size 640x480
      ! capturectl session close old
      capturectl --json session list
      capturectl session start old; capturectl session stop old
      capturectl set 0 brightness=9
      rmdir \(path).new; capturectl session close old
      """)
    #expect(result.status == 0, "\(result.error)")
    for told in ["'new' was not configured", "'old' was not configured", "'old' was not closed"] {
      #expect(result.error.contains("the session \(told): the node's state file, "), "\(result.error)")
    }
    let line = try #require(result.output.split(separator: "\n").first { $0.hasPrefix("{") })
    #expect(line.contains(#""old""#) && !line.contains(#""new""#), "\(line)")
    #expect(line.contains(#""width":320"#) && !line.contains(#""width":640"#), "\(line)")
    // What it was told is on the disk.
    node.kill()
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    #expect(!kept.contains(#""old""#) && !kept.contains(#""new""#), "\(kept)")
  }

  @Test func aCalibrationThatCannotBeWrittenIsNotKept() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "state.json").path
    let node = try SpawnedNode(state: path, camera: "synthetic:physics:320x240@60,delay=3")
    let result = try await node.shell(
      """
      mkdir \(path).new
      capturectl calibrate 0 zoom_absolute >/dev/null && exit 9
      capturectl --json describe 0
      """)
    #expect(
      result.error.contains("the measured delays were not kept: the node's state file, "), "\(result.error)")
    #expect(result.output.contains(#""calibrated":false"#), "\(result.output)")
  }
}
