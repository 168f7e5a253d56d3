extension CaptureError {
  /// Why something was refused, for programs. The numbers are those of the wire (`ErrorReason`), which says more of each.
  public enum Reason: UInt32, Sendable, CaseIterable {
    /// There is no reason, or one that only newer nodes know.
    case unspecified = 0
    /// A number that is not possible. `range` has its bounds, or `possible` has the values of a menu.
    case valueOutOfRange = 1
    /// A mode, format or name that is not possible. `possible` has those that are.
    case valueNotPossible = 2
    /// The `field` is missing.
    case valueMissing = 3
    /// Two fields that cannot be together.
    case fieldsExclusive = 4
    /// The camera, or the node, has no such ability.
    case notSupported = 5
    /// There is nothing of that name. `possible` has the names that there are, or the closest.
    case unknownName = 6
    /// The name could mean several. `possible` has them.
    case ambiguousName = 7
    /// The node is older than the method.
    case unknownMethod = 8
    /// A limit of the node is reached: `limit` and `bound`.
    case limitReached = 9
    /// Something else has the name.
    case nameTaken = 10
    /// Another client has locked the camera: `holder` and `remaining`.
    case leaseHeld = 16
    /// There is no such lease, or none to free.
    case leaseUnknown = 17
    /// The lease expired, was given back, or ended with its connection.
    case leaseExpired = 18
    /// The `holder` ended the lease by force.
    case leaseLost = 19
    /// The lease is of another camera: `device`.
    case leaseMismatch = 20
    /// A call of `holder` has the camera to itself, such as a calibration.
    case occupied = 21
    /// The `holder` has fixed the format. `possible` has what can be had beside that.
    case heldByStream = 22
    /// The session `holder` has the camera, or has fixed its format.
    case heldBySession = 23
    /// The bus has no bandwidth left.
    case noBandwidth = 24
    /// The camera is not there now.
    case cameraUnplugged = 32
    /// Another program has the camera, or its driver cannot do this now.
    case cameraBusy = 33
    /// The camera is there, but cannot be used on that machine.
    case cameraUnusable = 34
    /// The camera's driver does not answer.
    case notResponding = 35
    /// There is no signal at the camera's input.
    case noSignal = 36
    /// A mode has taken the control over, or the driver keeps it from being set now.
    case controlInactive = 37
    /// A control that can only be read.
    case notWritable = 38
    /// A control that can only be written.
    case notReadable = 39
    /// The session has to be started first.
    case notStreaming = 40
    /// The scene is black or white, or nothing in it shows what was set.
    case sceneUnsuitable = 41
    /// The camera gave a picture that cannot be decoded.
    case damagedPicture = 42
    /// The camera's stream ended before there was a picture.
    case streamEnded = 43
    /// The driver answered with an error.
    case driverFailed = 44
    /// Somebody else made a change meanwhile. `asked` has the request's revision, `bound` the present one.
    case revisionChanged = 48
    /// Another change came before this one was done.
    case changeReplaced = 49
    /// The session was closed.
    case sessionClosed = 50
    /// The camera no longer has what the profile sets.
    case profileOutdated = 51
    /// The session's output gets no frames.
    case outputDisconnected = 52
    /// The node was started again, and the session still waits for its cameras.
    case sessionWaiting = 53
    /// The node is ending.
    case nodeDraining = 64
    /// The node's disk is full.
    case diskFull = 65
    /// The node cannot write its state file.
    case stateNotWritable = 66
    /// The node has no memory left, or no descriptors.
    case noMemory = 67
    /// The user as whom the node runs has no permission.
    case noPermission = 68
    /// The call was cancelled.
    case cancelled = 69
    /// The node did not answer in time.
    case deadlineExceeded = 70
    /// There is no connection to the node. Only this library gives this reason, never a node.
    case nodeUnreachable = 71
    /// The node keeps no pictures.
    case libraryNotConfigured = 80
    /// The folder of the node's library is not mounted, or cannot be used.
    case libraryUnavailable = 81
    /// The library has reached its quota: `bound` has the quota in bytes.
    case quotaReached = 82
    /// The bytes that came do not have the checksum that they should have.
    case checksumMismatch = 83
    /// The bytes are not what they were said to be.
    case contentMismatch = 84
    /// This client has no right to do this.
    case notAuthorized = 85
    /// The call needs a credential, and the connection gave none.
    case notIdentified = 90
    /// The credential is unknown, expired or revoked.
    case credentialRefused = 91
    /// The client may not make the call. The message names the role that the call needs.
    case notPermitted = 92
    /// The pairing code is unknown, expired, or was used with another secret.
    case codeRefused = 93
    /// The node has another key than this client knows. Only this library gives this reason, never a node.
    case nodeChanged = 94
    /// The address accepts only TLS.
    case notEncrypted = 95
  }
}

extension CaptureError.Reason {
  /// The name on the wire, without its prefix: "VALUE_OUT_OF_RANGE".
  public var name: String { "\(self)".inCapitals }
}

extension String {
  /// "failedPrecondition" as "FAILED_PRECONDITION".
  var inCapitals: String { reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() } }
}
