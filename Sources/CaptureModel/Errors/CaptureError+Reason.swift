extension CaptureError {
  /// Why something was refused, for programs. The numbers are those of the wire (`ErrorReason`), which says more of each.
  public enum Reason: UInt32, Sendable, CaseIterable {
    /// None, or one that only newer nodes know.
    case unspecified = 0
    case valueOutOfRange = 1
    case valueNotPossible = 2
    case valueMissing = 3
    case fieldsExclusive = 4
    case notSupported = 5
    case unknownName = 6
    case ambiguousName = 7
    case unknownMethod = 8
    case limitReached = 9
    case nameTaken = 10
    case leaseHeld = 16
    case leaseUnknown = 17
    case leaseExpired = 18
    case leaseLost = 19
    case leaseMismatch = 20
    case occupied = 21
    case heldByStream = 22
    case heldBySession = 23
    case noBandwidth = 24
    case cameraUnplugged = 32
    case cameraBusy = 33
    case cameraUnusable = 34
    case notResponding = 35
    case noSignal = 36
    case controlInactive = 37
    case notWritable = 38
    case notReadable = 39
    case notStreaming = 40
    case sceneUnsuitable = 41
    case damagedPicture = 42
    case streamEnded = 43
    case driverFailed = 44
    case revisionChanged = 48
    case changeReplaced = 49
    case sessionClosed = 50
    case profileOutdated = 51
    case outputDisconnected = 52
    case sessionWaiting = 53
    case nodeDraining = 64
    case diskFull = 65
    case stateNotWritable = 66
    case noMemory = 67
    case noPermission = 68
    case cancelled = 69
    case deadlineExceeded = 70
    case nodeUnreachable = 71
  }
}

extension CaptureError.Reason {
  /// The name on the wire, without its prefix: "VALUE_OUT_OF_RANGE".
  public var name: String {
    "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
  }
}
