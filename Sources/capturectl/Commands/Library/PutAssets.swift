import CaptureClient
import CaptureOptions
import CaptureSystem
import Glibc

@Sendable func putAssets(_ context: CommandContext) async throws {
  let arguments = context.arguments
  var assets: [LibraryAsset] = []
  var camera: CameraID?
  if let name = arguments[Options.uploadCamera] { camera = try await context.identity(of: name) }
  do {
    for path in arguments.all(Options.uploads) {
      let asset = try await put(path, of: camera, context)
      assets.append(asset)
      if !arguments[Options.json] { try Terminal.print("\(path): \(asset.id)\n".printableLines) }
    }
  } catch {
    if !assets.isEmpty { context.printDone(["assets": assets], before: error) }
    throw error
  }
  try context.print(["assets": assets], text: "")
}

private func put(
  _ path: String, of camera: CameraID?, _ context: CommandContext
) async throws -> LibraryAsset {
  let arguments = context.arguments
  let bytes = try contents(of: path)
  var bar = TransferLine(UInt64(bytes.count))
  defer { bar.clear() }
  do {
    return try await context.library.add(
      [.init(try mediaType(of: path, bytes), bytes)], created: arguments[Options.created], camera: camera,
      sequence: arguments[Options.newSequence] ?? "", labels: arguments.all(Options.newLabel)
    ) { bar.update($0) }
  } catch let error as CaptureError {
    throw error.prefixed("'\(path)'")
  }
}

/// The file's media type, from its first bytes.
private func mediaType(of path: String, _ bytes: Payload) throws(Failure) -> String {
  let first = bytes.segments.first.map { Array($0.prefix(4)) } ?? []
  if first.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
  switch first {
  case [0x89, 0x50, 0x4E, 0x47]: return "image/png"
  case [0x49, 0x49, 0x2A, 0x00], [0x4D, 0x4D, 0x00, 0x2A]: return "image/x-adobe-dng"
  default: throw Failure("'\(path)' is no JPEG, PNG or DNG; the library keeps nothing else")
  }
}

/// The file's bytes, which are not copied.
private func contents(of path: String) throws(Failure) -> Payload {
  do throws(Errno) {
    let file = try OwnedDescriptor(path: path, flags: O_RDONLY)
    var status = stat()
    guard fstat(file.raw, &status) == 0 else { throw Errno.current }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .invalid }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, Int(status.st_size)), alignment: 64)
    nonisolated(unsafe) let base = memory
    var count = 0
    while count < Int(status.st_size) {
      let some = try retryingInterrupts {
        read(file.raw, memory.baseAddress! + count, Int(status.st_size) - count)
      }
      if some == 0 { break }
      count += some
    }
    return Payload(lending: UnsafeRawBufferPointer(rebasing: memory[..<count])) { base.deallocate() }
  } catch {
    throw Failure("cannot read '\(path)': \(error)")
  }
}
