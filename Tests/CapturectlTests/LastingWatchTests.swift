import Testing

/// `capturectl library watch` and `timelapse watch`, which go on without --reconnect.
@Suite struct LastingWatchTests {
  /// `first` and `second` have something told, before and after the node runs again.
  @Test(
    arguments: [
      ("library", ":", ":"),
      (
        "timelapse", "capturectl timelapse start 0 --interval 3600",
        "capturectl timelapse start 0 --interval 1800"
      ),
    ])
  func aWatchGoesOnWithANodeThatWasKilledAndRunsAgain(
    what: String, first: String, second: String
  ) async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      export CAPTURE_NODE=unix:$PWD/again
      capture-node library init --mark-only $PWD/pictures > /dev/null
      echo "{library: {root: '$PWD/pictures', freeBytes: 0}}" > again.json5
      run() { exec capture-node --config again.json5 --listen $CAPTURE_NODE --state none --camera synthetic:320x240@30; }
      run > ready & node=$!
      until grep -q listening ready; do sleep 0.02; done
      capturectl --json \(what) watch > told 2> errors & watch=$!
      lasts() { kill -0 $watch 2>/dev/null; }
      \(first) > /dev/null
      until [ -s told ] || ! lasts; do sleep 0.02; done
      kill -9 $node; wait $node
      run > /dev/null & node=$!
      until grep -q 'connected again' errors || ! lasts; do sleep 0.02; done
      \(second) > /dev/null
      until grep -q '"resumption":{' told || ! lasts; do sleep 0.02; done
      kill $watch; wait $watch
      kill $node; wait $node
      cat told errors
      """)
    #expect(result.output.contains("\"resumption\":{\"cause\":\"connection_lost\""), "\(result)")
    #expect(result.output.contains("\"new_node\":true"), "\(result)")
  }
}
