import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureWire

/// What a node makes of its state is the same at the client: rights, jobs, the library, photos.
@Suite struct AnswerMappingTests {
  private func throughTheWire<Message: WireMessage>(_ message: Message) throws -> Message {
    try message.encoded().withUnsafeBytes { try Message(decoding: $0) }
  }

  private static let grants = [
    AccessGrant(.control, cameras: CameraScope(["usb-*"]), media: [.video]), AccessGrant(.view),
  ]
  private static let wanted = CaptureModel.WantedAccess(
    role: .control, cameras: ["usb-1"], media: [.library], asked: 7)

  /// The model's order is the contract's: a case that moved would be another one to everybody else.
  @Test func everyCaseHasTheNumberOfTheContract() {
    #expect(AccessRole.allCases.map { Role($0) } == [.view, .control, .admin])
    #expect(AccessMedium.allCases.map { Medium($0) } == [.video, .library])
    #expect(PhotoStoring.allCases.map { StoreMode($0) } == [.also, .only])
    #expect(NodeJob.State.allCases.prefix(3).map { JobState($0) } == [.running, .done, .stopped])
    #expect(NodeJobEvent.Kind.allCases.map { JobEvent.Kind($0) } == [.present, .changed, .removed])
    #expect(
      LibraryAsset.MediaKind.allCases.prefix(3).map { AssetMediaType($0) } == [.image, .video, .audio])
    #expect(
      LibraryAsset.Origin.allCases.prefix(3).map { AssetOrigin($0) } == [.captured, .uploaded, .recovered])
    #expect(
      LibraryChange.Kind.allCases.map { AssetEvent.Kind($0) }
        == [.added, .changed, .deleted, .reset, .current])
    #expect(
      CaptureModel.LibraryStatus.State.allCases.prefix(3).map { CaptureWire.LibraryStatus.State($0) }
        == [.notConfigured, .unavailable, .open])
    #expect(
      LibraryAuthorization.Status.allCases.prefix(3).map { LibraryPermission($0) }
        == [.authorized, .limited, .denied])
    #expect(
      CaptureModel.AuthorizationStatus.allCases.map { CaptureWire.AuthorizationStatus($0) }
        == [.notDetermined, .restricted, .denied, .authorized])
  }

  @Test(arguments: CaptureModel.AuthorizationStatus.allCases)
  func rightsAreTheSame(status: CaptureModel.AuthorizationStatus) throws {
    var authorization = Authorization(status, "why")
    (authorization.client, authorization.role, authorization.cameras) = ("desk", .control, ["usb-*"])
    (authorization.grants, authorization.wanted) = (Self.grants, Self.wanted)
    (authorization.denied, authorization.untilNextRequest) = (9, .seconds(3600))
    let message = try throughTheWire(AccessStatusResponse(authorization, for: 60))
    #expect(message.model == authorization && message.wanted?.seconds == 60)
  }

  @Test func clientsAndTheirRequestsAreTheSame() throws {
    let pending = CaptureModel.PendingAccess(
      client: "desk", number: 3, fingerprint: "00ff1a", role: .view, cameras: ["a"], grants: Self.grants,
      approved: Self.grants, wanted: Self.wanted, devices: [CameraID(rawValue: "usb-1")], peer: "10.0.0.2")
    #expect(try throughTheWire(CaptureWire.PendingAccess(pending, for: 5)).model == pending)
    let client = PairedClient(
      name: "desk", fingerprint: "00ff1a", role: "admin", expires: 11, cameras: [], grants: Self.grants,
      peers: ["10.0.0.2", "10.0.0.3"])
    let message = try throughTheWire(ClientInfo(client, created: 5))
    #expect(message.model == client && message.createdS == 5 && message.connections == 2)
  }

  @Test(arguments: [NodeJob.State.running, .done, .stopped])
  func jobsAreTheSame(state: NodeJob.State) throws {
    let settings = TimelapseSettings(
      PhotoSettings(shot: "7"), device: "a", every: .milliseconds(1500.4), count: 9,
      locksExposure: true, labels: ["roof"])
    #expect(settings.intervalMs == 1500 && settings.photo?.shot == "7")
    var job = NodeJob("timelapse-1", state, of: settings, started: 5)
    #expect(job.locksExposure && job.labels == ["roof"] && job.count == 9)
    (job.done, job.missed, job.failed, job.missedLast) = (1, 2, 3, 4)
    (job.lastAsset, job.lastError, job.next) = ("asset", "why", 6)
    let message = try throughTheWire(Job(job, timelapse: settings, tick: 8))
    #expect(message.model == job && message.tick == 8)
    for kind in NodeJobEvent.Kind.allCases {
      #expect(try throughTheWire(JobEvent(kind, message)).model == NodeJobEvent(kind, job))
    }
    #expect(JobEvent(removed: "a").model?.job.id == "a" && JobEvent(removed: "a").model?.kind == .removed)
  }

  @Test func theLibraryIsTheSame() throws {
    let resource = LibraryResource(mediaType: "image/png", bytes: 7, sha256: [1, 2], file: "2026/a.png")
    for media in LibraryAsset.MediaKind.allCases where media != .unknown {
      for origin in LibraryAsset.Origin.allCases where origin != .unknown {
        var asset = LibraryAsset(
          id: "a", media: media, origin: origin, resources: [resource], created: 1, added: 2)
        (asset.camera, asset.sequence, asset.shot) = (CameraID(rawValue: "usb-1"), "s", "left")
        (asset.labels, asset.addedBy, asset.revision) = (["keep"], "desk", 3)
        asset.size = FrameSize(width: 640, height: 480)
        let message = try throughTheWire(Asset(asset, metadata: [], info: []))
        #expect(message.model == asset)
        for kind in LibraryChange.Kind.allCases {
          let change = try throughTheWire(AssetEvent(kind, message, token: "t")).model
          #expect(change?.kind == kind && change?.asset == asset && change?.token == "t")
        }
      }
    }
    let gone = AssetEvent(deleted: "a", token: "t").model
    #expect(gone?.kind == .deleted && gone?.asset?.id == "a")
    var status = CaptureModel.LibraryStatus(.open)
    (status.reason, status.id, status.root, status.token) = ("r", "i", "/p", "t")
    (status.assets, status.bytes, status.quota, status.maximumAge) = (1, 2, 3, 4)
    (status.free, status.freeFloor, status.removesOldest, status.isReconciling) = (5, 6, true, true)
    (status.recovered, status.lost, status.setAside) = (7, 8, 9)
    (status.oldest, status.newest) = (10, 11)
    #expect(try throughTheWire(CaptureWire.LibraryStatus(status)).model == status)
    let may = CaptureModel.LibraryAuthorization(add: .authorized, read: .limited, delete: .denied)
    #expect(try throughTheWire(CaptureWire.LibraryAuthorization(may)).model == may)
  }

  @Test func whatIsAddedAndAskedForIsTheSame() throws {
    let new = NewLibraryAsset(
      created: 3, camera: CameraID(rawValue: "a"), sequence: "s", shot: "left", labels: ["x"])
    #expect(try throughTheWire(NewAsset(new)).model == new)
    let resource = LibraryResource(mediaType: "image/png", bytes: 7, sha256: [1], file: "")
    #expect(try throughTheWire(NewResource(resource)).model == resource)
    var filter = LibraryFilter()
    (filter.camera, filter.from, filter.until) = (CameraID(rawValue: "a"), 1, 2)
    (filter.labels, filter.media, filter.sequence) = (["x"], .video, "s")
    #expect(try throughTheWire(AssetFilter(filter)).model() == filter)
    filter.media = .unknown
    #expect(AssetFilter(filter).media == .unspecified)
    let assignments = [
      NamedAssignment(name: "gain", value: .literal("1")),
      NamedAssignment(name: "7", value: .value(.integer(2))),
    ]
    #expect(try assignments.map { try throughTheWire(ControlAssignment($0)) }.model("a") == assignments)
  }

  @Test func aPhotoIsTheSame() throws {
    let resource = PhotoResource(.png, isReencoded: true, method: .lossless)
    var event = PhotoEvent(stage: .photo, info: FrameInfo(sequence: 7), resource: resource, assetID: "a")
    (event.settled, event.settlingMs, event.settlingFrames) = (.observed, 20, 3)
    guard case .photo(let photo)? = try throughTheWire(event).model else {
      Issue.record("it is no photo")
      return
    }
    #expect(photo.fileType == .png && photo.isReencoded && photo.orientationMethod == .lossless)
    #expect(photo.info.sequence == 7 && photo.asset == "a" && photo.payload.count == 0)
    #expect(photo.settling == PhotoSettling(.observed, waited: .milliseconds(20), frames: 3))
    event.assetID = ""
    #expect(event.model == nil, "a file without data that is kept nowhere")
    guard case .willCapture? = PhotoEvent.willCapture.model else {
      Issue.record("it is another stage")
      return
    }
  }
}
