import Glibc
import Testing

@testable import CaptureSystem

@Suite struct PortOwnerTests {
  /// As /proc/net/tcp of Linux 6.1 has it.
  private static let table = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 00000000:1C8F 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12345 1 0000000000000000 100 0 0 10 0
       1: 0100007F:1C8F 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 23456 1 0000000000000000 20 4 30 10 -1
       2: 0100007F:1C90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 34567 1 0000000000000000 100 0 0 10 0
    """

  @Test func listenersOfThePortAreFound() {
    func found(_ port: UInt16, in table: String = Self.table) -> [[Int]] {
      PortOwner.listening(on: port, in: table).map { [Int($0.inode), $0.isLoopback ? 1 : 0] }
    }
    #expect(found(7311) == [[12345, 0]])
    #expect(found(7312) == [[34567, 1]])
    #expect(found(80).isEmpty)
    #expect(found(7311, in: "").isEmpty)
  }

  @Test func thisProcessIsNamed() throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        #expect(bind(socket, address, size) == 0 && listen(socket, 1) == 0)
        #expect(getsockname(socket, address, &size) == 0)
      }
    }
    let port = UInt16(bigEndian: address.sin_port)
    #expect(PortOwner.name(of: port)?.contains("(process \(getpid()))") == true)
    close(socket)
    #expect(PortOwner.name(of: port) == nil)
  }
}
