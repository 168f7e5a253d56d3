import Glibc

/// Keeps a device node open, as a program does that has not noticed the device's end.
struct Holder {
  private let descriptor: Int32

  init(of path: String) throws {
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw USBCamera.Failure(description: "\(path) cannot be opened") }
  }

  func close() { Glibc.close(descriptor) }
}
