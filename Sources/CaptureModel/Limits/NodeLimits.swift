/// A quantity that clients can make grow on a node, and its bound. Each has a row in `docs/limits.md`, which says what it costs at its bound. The
/// code that makes such a quantity grow enforces its limit. A client that exceeds one gets `resourceExhausted` with the limit's name.
public enum NodeLimit: String, CaseIterable, Sendable {
  case connections, connectionsPerAddress
  case callsPerConnection, callsPerAddress
  /// The total size of the requests of one address's running calls, without their payloads.
  case requestBytesPerAddress
  /// Cancelled calls: how many at once, and how many a second.
  case cancelBurst, cancelsPerSecond, cancelBurstPerAddress, cancelsPerSecondPerAddress
  /// The size of a packet's parts towards the node: the envelope, and the chunk of a payload.
  case envelopeBytes, chunkBytes
  /// Messages of a client stream that wait for the call's handler.
  case messagesAhead
  /// Entries of a list in a request: names, assignments, inputs.
  case listEntries
  /// Calls that change one camera and requests for its lease, running or waiting at once.
  case leaseWaiters
  /// Calls that read one camera's controls by name, running or waiting at once. Calls that begin to watch controls by name count apart, with the same
  /// bound.
  case lookupsPerCamera
  /// Different pictures that are made of one camera's frames at once: sizes, qualities, turns.
  case renditionsPerConnection, renditionsPerCamera
  /// The total size of the frames that the clients of one address are late to read.
  case lateFrameBytesPerAddress
  /// The total size of photos that wait until clients read them.
  case unreadPhotoBytes
  /// Photos that are kept for a client that asks again with the same id: their number, with those that are being taken, and their total size.
  case keptPhotos, keptPhotoBytes
  /// Photos of one bracket.
  case bracketSteps
  /// Photos of one burst, and the total size of one camera's frames that wait to be made into photos, in bursts or not.
  case burstPhotos, burstBytesPerCamera
  /// Photos that are being taken with one camera at once; a bracket or a burst counts as one.
  case photosPerCamera
  /// Changes of one camera that wait for their first frame, and those that have it and are remembered.
  case waitingChangesPerCamera, rememberedChangesPerCamera
  case deviceWatches, settingsWatchesPerCamera, watchesPerSession
  /// Profiles of one camera, and calls that save one of them, running or waiting at once. Calls that delete one count apart, with the same bound.
  case profilesPerCamera, profileChangesPerCamera
  case sessions, inputsPerSession, outputsPerSession
  /// The total size of the buffers that the camera's driver fills.
  case bufferBytesPerCamera
  /// Watches of the library, pictures that clients add to it at once, the size of a file, and the files and labels of one picture.
  case libraryWatches, libraryUploads, assetBytes, resourcesPerAsset, labelsPerAsset
  /// Pictures in one answer of a list, and the total size of the pieces of pictures that wait until clients read them.
  case assetsPerPage, unreadAssetBytes
  /// Deleted pictures that are remembered for watches that go on later, and statements that a connection to the index keeps prepared.
  case libraryDeletions, libraryStatements
  /// Timelapses, watches of them, and removed timelapses that are remembered for watches.
  case jobs, jobWatches, removedJobs
  /// Connections that have not said who they are.
  case unknownConnections, unknownConnectionsPerAddress
  /// Connections that are not served, and are held until they have read why.
  case refusedConnections
  /// Kinds of calls that the audit counts at a time, and lines of it that wait for the log.
  case auditedKinds, auditLines
  /// Kinds of lines of the log that are written at most once a second.
  case noticeKinds
  /// The total size of the log's lines that wait for whoever reads standard error.
  case logBytes
  /// Bytes of answers without payload that wait for a client that does not read them.
  case unreadAnswerBytes
  /// Encrypted bytes in a row without content: empty records, and new keys.
  case bytesWithoutContent
  /// Addresses that are remembered because a connection of theirs was refused lately, or because they have cancelled calls.
  case refusedAddresses, cancellingAddresses
  /// Leases' tokens of one call, and leases that are over and are remembered, so that whoever has their tokens is told why they are invalid.
  case leaseTokensPerCall, endedLeases
  /// Pairing codes that are valid at once, and clients that the node knows.
  case pairingCodes, accessClients
  /// Grants of one client, and the patterns of cameras in all of them.
  case grantsPerClient, patternsPerClient
  /// Clients whose requests for access nobody has decided, and calls that wait for news of access.
  case accessRequests, accessWatches
  /// The total size of a streaming camera's newest frames, which are kept for photos of a moment that has passed.
  case recentFrameBytesPerCamera

  /// The bound where the configuration sets none.
  public var usual: Int {
    switch self {
    case .connections: 1_024
    case .connectionsPerAddress: 256
    case .callsPerConnection: 100
    case .callsPerAddress: 2_560
    case .requestBytesPerAddress: 2_000_000
    case .cancelBurst: 500
    case .cancelsPerSecond: 100
    case .cancelBurstPerAddress: 2_000
    case .cancelsPerSecondPerAddress: 400
    case .envelopeBytes, .bytesWithoutContent: 65_536
    case .chunkBytes, .unreadAnswerBytes, .logBytes: 262_144
    case .messagesAhead: 4
    case .listEntries, .leaseWaiters, .leaseTokensPerCall, .lookupsPerCamera, .rememberedChangesPerCamera,
      .removedJobs:
      256
    case .waitingChangesPerCamera: 4_096
    case .renditionsPerConnection: 8
    case .renditionsPerCamera, .photosPerCamera: 16
    case .deviceWatches, .settingsWatchesPerCamera, .watchesPerSession: 1_024
    case .profilesPerCamera, .bracketSteps: 100
    case .sessions, .keptPhotos, .refusedConnections, .endedLeases, .profileChangesPerCamera: 64
    case .keptPhotoBytes, .burstBytesPerCamera, .unreadAssetBytes: 64_000_000
    case .lateFrameBytesPerAddress: 32_000_000
    case .inputsPerSession: 8
    case .outputsPerSession: 16
    case .bufferBytesPerCamera, .unreadPhotoBytes: 256_000_000
    case .recentFrameBytesPerCamera: 20_000_000
    case .burstPhotos: 10_000
    case .libraryWatches, .jobWatches, .accessWatches: 1_024
    case .jobs: 64
    case .libraryUploads: 16
    case .assetBytes: 1_000_000_000
    case .labelsPerAsset: 32
    case .assetsPerPage: 500
    case .libraryDeletions: 100_000
    case .libraryStatements: 128
    case .unknownConnections: 128
    case .unknownConnectionsPerAddress, .pairingCodes, .grantsPerClient, .resourcesPerAsset: 8
    case .accessClients, .auditedKinds, .noticeKinds, .refusedAddresses, .cancellingAddresses: 1_024
    case .auditLines: 1_000
    case .accessRequests, .patternsPerClient: 32
    }
  }

  /// The values that a node's configuration may set; `nil`: the bound is always the usual one.
  public var configurable: ClosedRange<Int>? {
    switch self {
    case .connections, .connectionsPerAddress: 1...1_000_000
    case .callsPerConnection: 1...10_000
    case .callsPerAddress: 1...10_000_000
    case .envelopeBytes: 4_096...1_048_576
    case .chunkBytes: 4_096...262_144
    case .renditionsPerConnection, .renditionsPerCamera, .photosPerCamera: 1...1_000
    case .bufferBytesPerCamera, .unreadPhotoBytes, .unreadAssetBytes, .keptPhotoBytes, .burstBytesPerCamera,
      .assetBytes, .requestBytesPerAddress, .lateFrameBytesPerAddress:
      1_000_000...1_000_000_000_000
    case .recentFrameBytesPerCamera: 0...1_000_000_000_000
    case .libraryUploads: 1...1_000
    default: nil
    }
  }

  /// The error for a client that exceeds the limit. `problem`: how much there is already, and what to do.
  /// `bound`: this node's; `nil`: the usual one.
  public func exceeded(bound: Int? = nil, _ problem: String) -> CaptureError {
    CaptureError(.resourceExhausted, "\(problem) (\(rawValue))", details(bound: bound))
  }

  public func details(bound: Int? = nil) -> CaptureError.Details {
    CaptureError.Details(.limitReached, limit: rawValue, bound: UInt64(bound ?? usual))
  }
}

/// The bounds of one node.
public struct NodeLimits: Hashable, Sendable {
  private var changed: [NodeLimit: Int] = [:]

  public init() {}

  public subscript(limit: NodeLimit) -> Int {
    get { changed[limit] ?? limit.usual }
    set { changed[limit] = newValue }
  }
}
