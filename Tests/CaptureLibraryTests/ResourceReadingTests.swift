import CaptureModel
import CaptureSystem
import Glibc
import Testing

@testable import CaptureLibrary

@Suite struct ResourceReadingTests {
  /// The first page of this process's memory stands for a bad sector: nothing is mapped there, so that to read it is an input/output error.
  @Test func whatTheDiskCannotReadIsADamagedPicture() async throws {
    let memory = SharedDescriptor(try OwnedDescriptor(path: "/proc/self/mem", flags: O_RDONLY))
    let resource = StoredResource(.jpeg, bytes: 7, sha256: nil)
    let reading = ResourceReading(memory, resource, on: WorkQueue(label: "reads"))
    let error = await failure { _ = try await reading.whole() }
    #expect(error?.code == .dataLoss && error?.details?.reason == .damagedPicture)
  }
}
