import Testing

/// SIGHUP, for programs that were begun so that they outlive their terminal.
@Suite struct HangUpTests {
  @Test func whatWasBegunWithNohupGoesOn() async throws {
    let node = try SpawnedNode()
    let said = try await node.shell(
      """
      trap '' HUP
      capture-node --listen unix:$PWD/socket2 --camera synthetic:320x240@30 --state none > out2 2> log &
      node=$!
      until grep -q listening out2; do sleep 0.05; done
      capturectl --node unix:$PWD/socket2 stream 0 -n 90 -o clip > /dev/null &
      client=$!
      until [ -s clip.part ]; do sleep 0.02; done
      kill -HUP $node $client
      wait $client; echo client $?
      capturectl --node unix:$PWD/socket2 devices > /dev/null; echo node $?
      kill $node; wait $node
      """)
    #expect(said.output == "client 0\nnode 0\n", "\(said)")
    #expect(node.files.contains("clip"))
  }
}
