import CaptureAccess
import CaptureClient
import CaptureOptions
import CaptureSystem
import Glibc

/// Makes a secret for a client, and the file by which nodes know the client. Files that exist are not overwritten.
@Sendable func makeCredential(_ arguments: Arguments) async throws {
  let name = arguments[Options.credentialName]!
  let grants = try grants(arguments)
  let folder = arguments[Options.folder].map { "\($0)/" } ?? ""
  let (own, nodes) = ("\(folder)\(name).credential", "\(folder)\(name).json5")
  let isForPlaintext = arguments[Options.plaintext]
  guard !isForPlaintext || grants.role != .admin else {
    throw CaptureError(
      .invalidArgument, "a credential that goes in the clear is for view or control, not for admin")
  }
  let credential = Credential(.make(), isForPlaintext: isForPlaintext)
  let file = """
    // For /etc/capture-node/access.d of each node. It has no secret.
    {
      clients: {
        "\(name)": { secretSHA256: "\(credential.secret.digest)", \(entry(grants))\(isForPlaintext ? ", plaintext: true" : "") },
      },
    }

    """
  try createFile(nodes, file, mode: 0o640)
  do { try createFile(own, credential.text + "\n", mode: 0o600) } catch {
    unlink(nodes)
    throw error
  }
  try Terminal.print(
    arguments[Options.json]
      ? "\(["client": name, "role": grants.role!.rawValue, "cameras": grants.cameras!.patterns, "grants": grants, "credential": own, "access": nodes] as JSON)\n"
      : """
      \(own) has the secret: keep it on the client's machine, and give it with --credential-file.
      \(nodes) is for /etc/capture-node/access.d of each node; 'capture-node reload' makes a running one read it.

      """)
}

/// What the client may do, from `--role` and `--cameras` or from `--grant`.
private func grants(_ arguments: Arguments) throws(CaptureError) -> [AccessGrant] {
  let cameras = arguments.all(Options.clientCameras)
  let given = arguments.all(Options.clientGrants)
  guard given.isEmpty || cameras.isEmpty && !arguments.isGiven(Options.clientRole) else {
    throw CaptureError(
      .invalidArgument, "--grant takes the place of --role and --cameras: leave out those, or --grant")
  }
  let role = arguments[Options.clientRole].flatMap(AccessRole.init(rawValue:)) ?? .control
  guard cameras.isEmpty || role != .admin else {
    throw CaptureError(
      .invalidArgument, "an admin has every camera: leave out --cameras, or give another --role")
  }
  let all = given.isEmpty ? [AccessGrant(role, cameras: CameraScope(cameras))] : [].adding(given)
  guard all.count <= AccessGrant.most, all.patternCount <= CameraScope.most else {
    throw CaptureError(
      .invalidArgument,
      "a client has up to \(AccessGrant.most) grants with \(CameraScope.most) patterns in all, not \(all.count) with \(all.patternCount)"
    )
  }
  return all
}

/// The rights of a client in the form of a file of access.d.
private func entry(_ grants: [AccessGrant]) -> String {
  if grants.areOneRole { return entry(grants[0]) }
  return "grants: [\(grants.map { "{ \(entry($0)) }" }.joined(separator: ", "))]"
}

private func entry(_ grant: AccessGrant) -> String {
  // The texts are printable ASCII, in which JSON5 has to escape the quotation mark alone.
  func list(_ texts: [String]) -> String {
    texts.map { "\"\($0.replacing("\"", with: "\\\""))\"" }.joined(separator: ", ")
  }
  return "role: \"\(grant.role.rawValue)\""
    + (grant.cameras.isEvery ? "" : ", cameras: [\(list(grant.cameras.patterns))]")
    + (grant.media.count == AccessMedium.allCases.count ? "" : ", media: [\(list(grant.mediaNames))]")
}

/// Makes a file that does not exist yet, and returns when its bytes are on the disk. Whenever the process dies, the whole file is there or none.
func createFile(_ path: String, _ text: String, mode: UInt32) throws {
  let temporary = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16)).new"
  do throws(Errno) {
    let file = try OwnedDescriptor(path: temporary, flags: O_WRONLY | O_CREAT | O_EXCL, mode: mode)
    // The file's mode does not depend on the umask.
    fchmod(file.raw, mode)
    try file.write(Payload(copying: Array(text.utf8)))
    _ = try retryingInterrupts { fsync(file.raw) }
    try renameReplacingNothing(temporary, to: path)
    // A folder that may be written to, and not read, cannot be synchronized. The file is made all the same.
    if let folder = try? OwnedDescriptor(path: SmallFile.folder(of: path), flags: O_RDONLY | O_DIRECTORY) {
      fsync(folder.raw)
    }
  } catch {
    unlink(temporary)
    throw CaptureError(
      error.rawValue == EEXIST ? .alreadyExists : .failedPrecondition,
      "\(path) cannot be made: \(error)\(error.rawValue == EEXIST ? "; move it away, or choose another name" : "")"
    )
  }
}
