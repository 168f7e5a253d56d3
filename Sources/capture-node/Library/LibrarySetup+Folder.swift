import CaptureLibrary
import CaptureNode
import CaptureSystem
import Glibc

/// Root works on the open folder. Links of the path are followed, once, as the administrator named it. Links that the node's user could have made are not:
/// those in the folder, and those in the path that lie in a folder of that user.
extension LibrarySetup {
  /// Opens the folder; `nil`: it is missing. `user`: the node's user.
  func openFolder(for user: MachineUser?, makes: Bool = false) throws(ConfigurationError) -> OwnedDescriptor?
  {
    try requireBelowRootFolder()
    if let user, geteuid() == 0 { return try openFolder(avoidingLinksOf: user, makes: makes) }
    let path = rootFolder + folder
    if makes, mkdir(path, 0o750) != 0, errno != EEXIST {
      throw ConfigurationError("'\(path)' cannot become a library: \(Errno.current)")
    }
    do throws(Errno) {
      return try OwnedDescriptor(path: path, flags: O_RDONLY | O_DIRECTORY)
    } catch {
      if error.rawValue == ENOENT { return nil }
      throw ConfigurationError(
        error.rawValue == ENOTDIR ? "'\(folder)' is no folder" : "'\(folder)' cannot be opened: \(error)")
    }
  }

  /// Opens each folder of the path in the one before it, so that nobody exchanges one meanwhile.
  private func openFolder(avoidingLinksOf user: MachineUser, makes: Bool) throws(ConfigurationError)
    -> OwnedDescriptor?
  {
    var place: OwnedDescriptor
    do throws(Errno) {
      place = try OwnedDescriptor(path: rootFolder + "/", flags: O_RDONLY | O_DIRECTORY)
    } catch {
      throw ConfigurationError("'\(rootFolder)' cannot be opened: \(error)")
    }
    var rest = folder.split(separator: "/").map(String.init)[...]
    while let name = rest.popFirst() {
      if makes, rest.isEmpty, mkdirat(place.raw, name, 0o750) != 0, errno != EEXIST {
        throw ConfigurationError("'\(folder)' cannot become a library: \(Errno.current)")
      }
      var status = stat()
      guard fstat(place.raw, &status) == 0 else {
        throw ConfigurationError("'\(folder)' cannot be looked at: \(Errno.current)")
      }
      let isUsers = status.st_uid == user.id
      let next = openat(
        place.raw, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (isUsers ? O_NOFOLLOW : 0))
      if next < 0 {
        let error = Errno.current
        switch error.rawValue {
        case ENOENT: return nil
        case ENOTDIR, ELOOP:
          throw ConfigurationError(
            isUsers
              ? "'\(name)' of '\(folder)' is a link in a folder of \(Self.user), or no folder; name the folder itself"
              : "'\(folder)' is no folder")
        default: throw ConfigurationError("'\(folder)' cannot be opened: \(error)")
        }
      }
      place = OwnedDescriptor(owning: next)
    }
    return place
  }

  /// Throws unless the folder can be given to the user: it is the user's already, or is root's and empty.
  func requireCanGive(_ root: borrowing OwnedDescriptor, to user: MachineUser) throws(ConfigurationError) {
    var status = stat()
    guard fstat(root.raw, &status) == 0 else {
      throw ConfigurationError("'\(folder)' cannot be looked at: \(Errno.current)")
    }
    guard status.st_uid != user.id else { return }
    // A disk that was just formatted has lost+found, and counts as empty. So does a library that has no pictures yet.
    let isEmpty = try names(in: root).allSatisfy { $0 == "lost+found" || $0 == LibraryRoot.own }
    guard status.st_uid == 0, isEmpty else {
      let obstacle = isEmpty ? "belongs to another user" : "has files in it"
      throw ConfigurationError(
        "'\(folder)' cannot be given to \(Self.user), the user of the node: it \(obstacle); "
          + "give it to \(Self.user) yourself (sudo chown -R \(Self.user) \(folder)) and run this again, or choose a new folder"
      )
    }
  }

  /// Makes the folder a library. Gives the user the folder, and the files that the library itself keeps in it. Returns the text for the user.
  func makeLibrary(of user: MachineUser?) throws -> String {
    do {
      guard let root = try openFolder(for: user, makes: true) else { throw Errno.noEntry }
      if let user {
        // The path may lead to another folder than when it was first looked at.
        try requireCanGive(root, to: user)
        // The folder is closed before it has its mark: if that fails, the next run takes it for a new library's again.
        let wasLibrary = try LibraryRoot.isLibrary(root)
        try give(root, folder, to: user, ofNewLibrary: !wasLibrary)
      }
      let (id, isNew) = try LibraryRoot.initialise(root)
      if let user { try giveOwnFolder(in: root, to: user, ofNewLibrary: isNew) }
      return "\(folder) is \(isNew ? "now" : "already") a library: \(id)\n"
    } catch let error as Errno {
      let obstacle =
        error.rawValue == ENOTDIR ? "its \(LibraryRoot.own) is no folder, or a link" : error.description
      throw ConfigurationError("'\(folder)' cannot become a library: \(obstacle)")
    }
  }

  private func giveOwnFolder(
    in root: borrowing OwnedDescriptor, to user: MachineUser, ofNewLibrary isNew: Bool
  ) throws {
    let ownFolder = try LibraryRoot.makeOwnFolder(in: root)
    let path = folder + "/" + LibraryRoot.own
    try give(ownFolder, path, to: user, ofNewLibrary: isNew)
    for name in try names(in: ownFolder) {
      let raw = openat(ownFolder.raw, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      if raw < 0 {
        // A link stays as it is. A file may have gone meanwhile.
        if errno == ELOOP || errno == ENOENT { continue }
        throw Errno.current
      }
      try give(OwnedDescriptor(owning: raw), path + "/" + name, to: user, ofNewLibrary: isNew)
    }
  }

  /// Gives the user an open file or folder. Others cannot enter a folder, and what is made in it gets its group. What is the user's already in a library
  /// that was there before keeps its group and its mode, by which an administrator lets others read.
  private func give(
    _ file: borrowing OwnedDescriptor, _ path: String, to user: MachineUser, ofNewLibrary isNew: Bool
  ) throws(ConfigurationError) {
    var status = stat()
    guard fstat(file.raw, &status) == 0 else {
      throw ConfigurationError("'\(path)' cannot be looked at: \(Errno.current)")
    }
    if status.st_uid == user.id, !isNew { return }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    // A file with a second name may be one of root's that is elsewhere.
    guard isFolder || (status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1) else {
      throw ConfigurationError("'\(path)' is not given to \(Self.user): it is no file with this name alone")
    }
    guard fchown(file.raw, user.id, user.group) == 0, !isFolder || fchmod(file.raw, 0o2750) == 0 else {
      let error = Errno.current
      // FAT and exFAT refuse the setgid bit. They need none: all files of a mount have one group.
      if isFolder, error.rawValue == EPERM, user.hasClosed(status) { return }
      throw ConfigurationError("'\(path)' cannot be given to \(Self.user): \(user.obstacle(error))")
    }
  }

  /// Throws if links lead out of the folder of an image: such a path is one of that machine, and on this one another folder's.
  private func requireBelowRootFolder() throws(ConfigurationError) {
    let path = rootFolder + folder
    guard !rootFolder.isEmpty, let machine = resolved(rootFolder),
      let place = resolved(path) ?? resolved(SmallFile.folder(of: path))
    else { return }
    guard machine == "/" || place.hasPrefix(machine + "/") || place == machine else {
      throw ConfigurationError(
        "'\(folder)' leads by a link out of \(rootFolder), to \(place); name the folder itself")
    }
  }

  /// The path without links; `nil` where it leads nowhere.
  private func resolved(_ path: String) -> String? {
    guard let result = realpath(path, nil) else { return nil }
    defer { free(result) }
    return String(cString: result)
  }

  private func names(in there: borrowing OwnedDescriptor) throws(ConfigurationError) -> [String] {
    do throws(Errno) { return try FolderNames.names(in: there) } catch {
      throw ConfigurationError("'\(folder)' cannot be read: \(error)")
    }
  }
}
