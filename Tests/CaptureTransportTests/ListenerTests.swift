import CaptureModel
import CaptureSystem
import CaptureWire
import Glibc
import Synchronization
import Testing

@testable import CaptureTransport

@Suite struct ListenerTests {
  @Test func theExcessOfConnectionsIsToldWhichCap() async throws {
    var configuration = NodeConfiguration()
    configuration.limits[.connectionsPerAddress] = 2
    let node = try Node(configuration: configuration)
    let kept = [try await node.client(), try await node.client()]
    let error = await #expect(throws: RPCError.self) { try await node.client() }
    #expect(error?.code == .resourceExhausted)
    #expect(error?.text.contains("2 connections of one address") == true)
    let (details, bound) = (error?.details, error?.details?.bound)
    #expect(details?.reason == .limitReached && details?.limit == "connectionsPerAddress" && bound == 2)
    #expect(node.server.statistics.clientsRefused == 1)
    _ = try await TestClient(kept[0]).empty(TestEmpty())
    await node.stop()
  }

  /// Those whose turn to be held is over before they read have it in their sockets all the same.
  @Test func howeverManyAreTooManyEachIsToldWhyAndFewAreHeld() async throws {
    var configuration = NodeConfiguration()
    configuration.limits[.connectionsPerAddress] = 1
    let node = try Node(configuration: configuration)
    let served = try await node.client()
    let before = try Self.descriptors()
    let crowd = try (0..<300).map { _ in try RawClient(node.address) }
    try await eventually { node.server.statistics.clientsRefused == 300 }
    for client in crowd { client.send(Envelope(kind: .hello(Hello(version: 1)))) }
    #expect(
      try Self.descriptors() <= before + 300 + NodeLimit.refusedConnections.usual + 6,
      "the node holds few of them")
    let told = try await within(.seconds(10)) {
      crowd.count { Self.names($0.readToEnd(), "1 connections of one address") }
    }
    #expect(told == 300)
    try await eventually { (try? Self.descriptors()).map { $0 <= before + 300 + 4 } == true }
    _ = try await TestClient(served).empty(TestEmpty())
    #expect(node.server.statistics.clients == 1)
    await node.stop()
  }

  private static func names(_ packet: [UInt8], _ cap: String) -> Bool {
    guard packet.count > 8,
      let envelope = packet.withUnsafeBytes({ try? Envelope(decoding: .init(rebasing: $0[8...])) }),
      case .goAway(let goAway) = envelope.kind
    else { return false }
    return goAway.code == StatusCode.resourceExhausted.rawValue && goAway.text.contains(cap)
  }

  private static func descriptors() throws -> Int {
    guard let directory = opendir("/proc/self/fd") else { throw Errno.current }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
  }

  @Test func usersOfAUnixSocketAreCountedByThemselves() async throws {
    let path = "/tmp/capture-transport-test-origin-\(getpid()).sock"
    var configuration = NodeConfiguration()
    configuration.limits[.connectionsPerAddress] = 1
    let node = try Node(on: .unix(path: path), configuration: configuration)
    let served = try await node.client()
    let error = await #expect(throws: RPCError.self) { try await node.client() }
    #expect(error?.text.contains("has so many of Unix user \(getuid())") == true)
    _ = try await TestClient(served).empty(TestEmpty())
    await node.stop()
  }

  @Test func aStaleUnixPathIsTakenOverAndALiveOneIsNot() async throws {
    let path = "/tmp/capture-transport-test-stale-\(getpid()).sock"
    let address = SocketAddress.unix(path: path)
    let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    _ = try address.withNative { (pointer, size) throws(Errno) in
      if bind(stale, pointer, size) != 0 { throw Errno.current }
    }
    close(stale)
    let node = try Node(on: address)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(throws: ListenError.self) { try Node(on: address) }
    _ = try await TestClient(try await node.client()).empty(TestEmpty())
    await node.stop()
    #expect(stat(path, &status) != 0, "its own path goes with it")
  }

  @Test func whatOthersHavePutAtItsPathMeanwhileIsLeftThere() async throws {
    let path = "/tmp/capture-transport-test-own-\(getpid()).sock"
    defer { unlink(path) }
    let first = try Node(on: .unix(path: path))
    unlink(path)
    let second = try Node(on: .unix(path: path))
    await first.stop()
    _ = try await TestClient(try await second.client()).empty(TestEmpty())
    unlink(path)
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    await second.stop()
    #expect(access(path, F_OK) == 0, "another program's file")
  }

  /// As where a signal comes while the node starts.
  @Test func aNodeThatDrainsListensNowhereAnyMore() async throws {
    let path = "/tmp/capture-transport-test-drained-\(getpid()).sock"
    let node = try Node()
    await node.stop()
    let error = #expect(throws: RPCError.self) { try node.server.listen(on: .unix(path: path)) }
    #expect(error?.details?.reason == .nodeDraining)
    #expect(access(path, F_OK) != 0 && node.server.addresses == [])
  }

  @Test func aPathThatIsNoSocketIsLeftAloneAndNamed() throws {
    let path = "/tmp/capture-transport-test-plain-\(getpid())"
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    defer { unlink(path) }
    let error = #expect(throws: ListenError.self) { try Node(on: .unix(path: path)) }
    #expect(error?.description.hasSuffix("the path exists and is not a socket") == true)
    #expect(access(path, F_OK) == 0)
  }

  @Test func aPathInAFolderThatIsMissingSaysWhatToMake() throws {
    let error = #expect(throws: ListenError.self) { try Node(on: .unix(path: "/nonexistent/capture/socket")) }
    #expect(
      error?.description
        == "cannot listen on unix:/nonexistent/capture/socket: there is no folder '/nonexistent/capture'; make it, or name another path"
    )
  }

  @Test func whoIsRefusedIsReported() async throws {
    let notices = Mutex<[ServerNotice]>([])
    var configuration = NodeConfiguration()
    configuration.reportsCalls = true
    configuration.report = { notice in notices.withLock { $0.append(notice) } }
    let node = try Node(configuration: configuration)
    _ = try await TestClient(try await node.client()).empty(TestEmpty())
    _ = try await within(.seconds(3)) { [address = node.address] in
      try Self.exchange(address, "GET / HTTP/1.1\r\n\r\n")
    }
    try await eventually { notices.withLock { $0.contains { $0.kind == .refused } } }
    #expect(node.server.statistics.clientsRefused == 1)
    let told = notices.withLock { $0 }
    #expect(
      told.contains {
        $0.kind == .call && $0.text.contains("capture.v1.Test/Empty") && $0.text.contains("OK")
      })
    #expect(told.contains { $0.kind == .refused && $0.text.contains("not the capture protocol") })
    await node.stop()
  }

  @Test func anotherProtocolGetsOneLineAndTheEnd() async throws {
    let node = try Node()
    let line = try await within(.seconds(3)) { [address = node.address] in
      try Self.exchange(address, "GET / HTTP/1.1\r\n\r\n")
    }
    #expect(line.contains("not the capture protocol") && line.hasSuffix("\r\n"))
    try await eventually { node.server.statistics.clients == 0 }
    await node.stop()
  }

  @Test func whereNothingListensTheErrorSaysSo() async throws {
    let node = try Node()
    let address = node.address
    await node.stop()
    let error = await #expect(throws: RPCError.self) { try await ClientConnection.connect(to: address) }
    #expect(error?.code == .unavailable && error?.text.contains("nothing listens there") == true)
  }

  /// They wait in the kernel's queue.
  @Test func connectionsThatAreHeldAreAnsweredLater() async throws {
    var configuration = NodeConfiguration()
    configuration.holdsConnections = true
    let node = try Node(configuration: configuration)
    let waiting = try RawClient(node.address)
    // Turns of the loops, in which they would accept it.
    for _ in 0..<10 {
      await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        node.server.inTurnOfEachLoop { done.resume() }
      }
    }
    #expect(node.server.statistics.clientsTotal == 0)
    node.server.acceptConnections()
    try await eventually { node.server.statistics.clientsTotal == 1 }
    waiting.leave()
    _ = try await TestClient(try await node.client()).empty(TestEmpty())
    await node.stop()
  }

  @Test func aNodeThatEndsBeforeLetsThoseThatAreHeldGo() async throws {
    var configuration = NodeConfiguration()
    configuration.holdsConnections = true
    let node = try Node(configuration: configuration)
    let waiting = try RawClient(node.address)
    await node.stop()
    node.server.acceptConnections()
    let said = try await within(.seconds(10)) { waiting.readToEnd() }
    #expect(said.isEmpty)
  }

  /// A node that runs may be closed to the network. On its own machine that is no reason.
  @Test(arguments: [("192.0.2.2", true), ("127.0.0.1", false)])
  func whereNothingListensInTheNetworkTheErrorSaysThatANodeMayBeClosed(host: String, isSaid: Bool) {
    let text = Connector.explain(
      Errno(rawValue: ECONNREFUSED), .internet(host: host, port: 7311, family: .v4))
    #expect(text.hasPrefix("nothing listens there"))
    #expect(text.contains("'sudo capture-node pair' on its machine opens it") == isSaid)
  }

  @Test func nobodyIsAdvisedToJoinRootsGroup() throws {
    let advice = Connector.permissionAdvice(mode: 0o140660, group: 0)
    #expect(advice.contains("use sudo") && !advice.contains("usermod"))
    #expect(Connector.permissionAdvice(mode: 0o140600, group: 1).contains("use sudo"))
    let daemon = try #require(getgrgid(1)).pointee.gr_name
    let name = String(cString: try #require(daemon))
    #expect(Connector.permissionAdvice(mode: 0o140660, group: 1).contains("sudo usermod -aG \(name) $USER"))
  }

  @Test func aSilentConnectionIsClosedAndHeardNothing() async throws {
    var configuration = NodeConfiguration()
    configuration.helloTimeout = .milliseconds(50)
    let node = try Node(configuration: configuration)
    let said = try await within(.seconds(3)) { [address = node.address] in try Self.exchange(address, "") }
    #expect(said.isEmpty)
    await node.stop()
  }

  /// Sends `text`, and reads until the node closes.
  static func exchange(_ address: SocketAddress, _ text: String) throws -> String {
    let client = OwnedDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    _ = try address.withNative { (pointer, size) throws(Errno) in
      if connect(client.raw, pointer, size) != 0 { throw Errno.current }
    }
    _ = write(client.raw, text, text.utf8.count)
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 512)
    while true {
      let count = read(client.raw, &buffer, buffer.count)
      guard count > 0 else { break }
      answer += buffer[..<count]
    }
    return String(decoding: answer, as: UTF8.self)
  }
}
