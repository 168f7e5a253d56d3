import CaptureAccess
import CaptureClient
import CaptureOptions
import CaptureSystem
import Glibc

/// Makes a second secret for a client, and names it in the client's file for the nodes, beside the first. With `--finish` the file names the second
/// secret alone. If the command was cut short, it goes on when it is run again.
@Sendable func renewCredential(_ arguments: Arguments) async throws {
  let path = arguments[Options.clientFile]!
  let paths = CredentialPaths(of: path)
  let file: ClientFile
  do throws(CaptureError) { file = try ClientFile(clientFile(path)) } catch { throw error.prefixed(path) }
  let isFinishing = arguments[Options.finish]
  let changed = try isFinishing ? finish(file, paths) : addSecret(to: file, paths)
  let place = isFinishing ? paths.own : paths.next
  let isThere = (try? CredentialFile.credential(at: place))?.secret.digest == changed.next ?? changed.secret
  let own = isThere ? place : nil
  try Terminal.print(
    arguments[Options.json]
      ? "\(["client": changed.name, "credential": own, "access": path, "finished": isFinishing] as JSON)\n"
      : isFinishing ? finished(paths, own) : begun(paths))
}

/// The files of one client, which `credential new` and `credential renew` make.
private struct CredentialPaths {
  /// The client's file for the nodes.
  let access: String
  /// `own`: the file with the client's secret. `next`: the file with the secret that replaces it.
  let own, next: String

  init(of access: String) {
    self.access = access
    let base = access.hasSuffix(".json5") ? String(access.dropLast(6)) : access
    (own, next) = ("\(base).credential", "\(base).next.credential")
  }
}

private func addSecret(to file: ClientFile, _ paths: CredentialPaths) throws -> ClientFile {
  let credential: Credential
  if access(paths.next, F_OK) == 0 {
    credential = try CredentialFile.credential(at: paths.next)
  } else {
    guard file.next == nil else {
      throw CaptureError(
        .failedPrecondition,
        "\(paths.access) names a second secret already, and \(paths.next) is not here. If all nodes know that secret and the client uses it: "
          + "capturectl credential renew \(paths.access) --finish")
    }
    credential = Credential(.make(), isForPlaintext: file.isForPlaintext)
    try createFile(paths.next, credential.text + "\n", mode: 0o600)
  }
  let digest = credential.secret.digest
  if file.next == nil, digest == file.secret {
    throw CaptureError(
      .failedPrecondition,
      "\(paths.access) names the secret of \(paths.next) alone: 'credential renew --finish' was cut short. Run it again: "
        + "capturectl credential renew \(paths.access) --finish")
  }
  guard credential.isForPlaintext == file.isForPlaintext, digest != file.secret,
    file.next == nil || file.next == digest
  else { throw wrongSecret(paths) }
  guard file.next == nil else { return file }
  return try replace(file, paths) { file throws(CaptureError) in try file.adding(digest) }
}

private func finish(_ file: ClientFile, _ paths: CredentialPaths) throws -> ClientFile {
  let kept = access(paths.next, F_OK) == 0 ? try CredentialFile.credential(at: paths.next) : nil
  guard file.next != nil || kept?.secret.digest == file.secret else {
    throw CaptureError(
      .failedPrecondition, "\(paths.access) names one secret alone: there is nothing to finish")
  }
  if let kept, kept.secret.digest != file.next ?? file.secret { throw wrongSecret(paths) }
  let changed =
    file.next == nil
    ? file : try replace(file, paths) { file throws(CaptureError) in try file.finished() }
  if kept != nil, rename(paths.next, paths.own) != 0 {
    throw CaptureError(.failedPrecondition, "\(paths.next) cannot be renamed: \(Errno.current)")
  }
  return changed
}

private func wrongSecret(_ paths: CredentialPaths) -> CaptureError {
  CaptureError(
    .failedPrecondition,
    "\(paths.next) does not have the second secret of \(paths.access): move it away")
}

private func replace(
  _ file: ClientFile, _ paths: CredentialPaths,
  _ change: (ClientFile) throws(CaptureError) -> ClientFile
) throws -> ClientFile {
  let changed: ClientFile
  do throws(CaptureError) { changed = try change(file) } catch { throw error.prefixed(paths.access) }
  do throws(Errno) {
    var status = stat()
    guard stat(paths.access, &status) == 0 else { throw Errno.current }
    // The file keeps its owner, its group and its mode: it may lie in access.d itself, where the node has to be able to read it.
    let temporary = paths.access + ".new"
    try SmallFile.replace(paths.access, through: temporary, flags: O_TRUNC, mode: 0o600) {
      descriptor throws(Errno) in
      guard fchown(descriptor.raw, status.st_uid, status.st_gid) == 0,
        fchmod(descriptor.raw, status.st_mode & 0o7777) == 0
      else { throw Errno.current }
      try descriptor.write(Payload(copying: Array(changed.text.utf8)))
    }
  } catch {
    throw CaptureError(.failedPrecondition, "\(paths.access) cannot be written: \(error)")
  }
  return changed
}

private func clientFile(_ path: String) throws(CaptureError) -> [UInt8] {
  do throws(Errno) { return try SmallFile.bytes(of: path, upTo: 65_536) } catch {
    throw CaptureError(.failedPrecondition, "cannot be read: \(error)")
  }
}

private func begun(_ paths: CredentialPaths) -> String {
  """
  \(paths.next) has the new secret, and \(paths.access) names it beside the old one.
  1. Put \(paths.access) into /etc/capture-node/access.d of each node, and run 'capture-node reload' there. Both secrets are valid then.
  2. Use \(paths.next) at the client. At each node the old secret is invalid once the new one has been used there.
  3. When it has been used at each node: capturectl credential renew \(paths.access) --finish

  """
}

private func finished(_ paths: CredentialPaths, _ own: String?) -> String {
  """
  \(paths.access) names the new secret alone\(own.map { ", and \($0) has it" } ?? ""). Put it into /etc/capture-node/access.d of each node, and into
  images; 'capture-node reload' makes a running node read it.

  """
}
