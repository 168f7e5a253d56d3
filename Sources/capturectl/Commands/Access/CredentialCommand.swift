import CaptureAccess
import CaptureClient
import CaptureOptions
import CaptureSystem
import Glibc

/// Makes a secret for a client, and the file with which nodes know it. Neither takes the place of a file that is there.
@Sendable func makeCredential(_ arguments: Arguments) async throws {
  let (name, role) = (arguments[Options.credentialName]!, arguments[Options.clientRole] ?? "control")
  let folder = arguments[Options.folder].map { "\($0)/" } ?? ""
  let (own, nodes) = ("\(folder)\(name).credential", "\(folder)\(name).json5")
  let isForPlaintext = arguments[Options.plaintext]
  guard !isForPlaintext || role != "admin" else {
    throw CaptureError(
      .invalidArgument, "a credential that goes in the clear is for view or control, not for admin")
  }
  let cameras = arguments.all(Options.clientCameras)
  guard cameras.isEmpty || role != "admin" else {
    throw CaptureError(
      .invalidArgument, "an admin has every camera: leave out --cameras, or give another --role")
  }
  guard cameras.count <= CameraScope.most else {
    throw CaptureError(.invalidArgument, "--cameras can be given \(CameraScope.most) times at most")
  }
  // Of printable ASCII, in which JSON5 has to escape the quotation mark alone.
  let list = cameras.map { "\"\($0.replacing("\"", with: "\\\""))\"" }.joined(separator: ", ")
  let credential = Credential(.make(), isForPlaintext: isForPlaintext)
  let entry = """
    // For /etc/capture-node/access.d of each node. It has no secret.
    {
      clients: {
        "\(name)": { secretSHA256: "\(credential.secret.digest)", role: "\(role)"\(cameras.isEmpty ? "" : ", cameras: [\(list)]")\(isForPlaintext ? ", plaintext: true" : "") },
      },
    }

    """
  try create(nodes, entry, mode: 0o640)
  do { try create(own, credential.text + "\n", mode: 0o600) } catch {
    unlink(nodes)
    throw error
  }
  try Terminal.print(
    arguments[Options.json]
      ? "\(["client": .string(name), "role": .string(role), "cameras": .array(cameras.map(JSON.string)), "credential": .string(own), "access": .string(nodes)] as JSON)\n"
      : """
      \(own) has the secret: keep it on the client's machine, and give it with --credential-file.
      \(nodes) is for /etc/capture-node/access.d of each node; 'capture-node reload' makes a running one read it.

      """)
}

private func create(_ path: String, _ text: String, mode: UInt32) throws {
  do throws(Errno) {
    let file = try OwnedDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode)
    // Whatever the umask is.
    fchmod(file.raw, mode)
    try file.write(Payload(copying: Array(text.utf8)))
    _ = try retryingInterrupts { fsync(file.raw) }
  } catch {
    if error.rawValue != EEXIST { unlink(path) }
    throw CaptureError(
      error.rawValue == EEXIST ? .alreadyExists : .failedPrecondition,
      "\(path) cannot be made: \(error)\(error.rawValue == EEXIST ? "; move it away, or choose another name" : "")"
    )
  }
}
