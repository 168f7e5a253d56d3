import Foundation
import Testing

/// A node's addresses where something else is there.
@Suite struct SocketPathTests {
  @Test func aFileInItsPlaceOutlivesTheNode() async throws {
    let node = try SpawnedNode()
    #expect(try await node.shell("rm socket; echo mine > socket").status == 0)
    node.terminate()
    #expect(node.process.terminationStatus == 0)
    #expect(String(decoding: node.bytes("socket"), as: UTF8.self) == "mine\n")
  }

  @Test func anotherNodesSocketInItsPlaceOutlivesTheNode() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      rm socket
      capture-node --listen unix:$PWD/socket --camera synthetic:160x120@30 --state none > said 2> log & second=$!
      until grep -q listening said; do kill -0 $second || exit; sleep 0.05; done
      kill -TERM \(node.process.processIdentifier)
      while kill -0 \(node.process.processIdentifier) 2> /dev/null; do sleep 0.05; done
      capturectl formats 0; echo status $?
      kill -TERM $second; wait $second
      [ ! -e socket ] && echo removed by its own
      """)
    #expect(result.output.contains("160x120"), "\(result)")
    #expect(result.output.hasSuffix("status 0\nremoved by its own\n"), "\(result)")
  }

  @Test func aPortThatIsTakenIsNamed() async throws {
    let node = try SpawnedNode()
    let result = try await node.shell(
      """
      options='--camera synthetic:160x120@30 --state none'
      capture-node --listen 127.0.0.1:0 $options > said 2> log & first=$!
      until grep -q listening said; do kill -0 $first || exit; sleep 0.05; done
      address=$(sed 's/listening on //' said)
      capture-node --listen $address $options; echo status $?, $address
      kill -TERM $first; wait $first
      """)
    let address = result.output.split(separator: " ").last.map { $0.dropLast() } ?? ""
    #expect(result.output.hasPrefix("status 1, 127.0.0.1:"), "\(result)")
    #expect(
      result.error.contains("cannot listen on \(address): another program listens there already"),
      "\(result)")
  }
}
