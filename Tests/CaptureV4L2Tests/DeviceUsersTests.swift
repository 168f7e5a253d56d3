import Foundation
import Testing

@testable import CaptureV4L2

@Suite struct DeviceUsersTests {
  @Test func whoHoldsADeviceIsFoundUnderAnotherPath() throws {
    let link = FileManager.default.temporaryDirectory.appending(path: "device-\(UUID())").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")
    defer { try? FileManager.default.removeItem(atPath: link) }
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/bin/cat")
    holder.standardInput = Pipe()
    holder.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
    try holder.run()
    defer {
      kill(holder.processIdentifier, SIGKILL)
      holder.waitUntilExit()
    }
    #expect(DeviceUsers.description(of: link).contains(" (process "))
  }

  @Test func whatIsNoDeviceHasNoUsers() {
    #expect(DeviceUsers.description(of: "/etc/passwd") == "another program")
    #expect(DeviceUsers.description(of: "/nonexistent") == "another program")
  }
}
