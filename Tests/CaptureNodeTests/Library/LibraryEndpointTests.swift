import CaptureEngine
import CaptureLibrary
import CaptureModel
import CaptureNode
import CaptureSynthetic
import CaptureSystem
import CaptureTransport
import CaptureWire
import Glibc
import Testing

@Suite struct LibraryEndpointTests {
  /// A node with a synthetic camera and a library in a folder of its own.
  private final class Rig: Sendable {
    let folder: String
    let library: PhotoLibrary?
    let node: CameraNode
    let client: ClientConnection

    init(
      _ policy: any LibraryPolicy = LibraryRoles(), hasLibrary: Bool = true, quota: Int64? = nil,
      limits: NodeLimits = NodeLimits(), camera: String = "synthetic:320x240@100"
    ) async throws {
      var template = Array("/tmp/capture-node-library-XXXXXX".utf8CString)
      folder = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
      if hasLibrary {
        _ = try LibraryRoot.initialise(folder)
        var configuration = LibraryConfiguration(root: folder)
        (configuration.freeFloor, configuration.quota) = (0, quota)
        let imaging = LibraryImaging { _, _ throws(CaptureError) in
          LibraryImaging.Examination(
            size: nil, thumbnail: PictureThumbnail(size: FrameSize(width: 1, height: 1), jpeg: [1]))
        }
        library = PhotoLibrary(configuration, imaging: imaging)
        await library?.start()
      } else {
        library = nil
      }
      let engine = CaptureEngine(imaging: .standard)
      await engine.attach(SyntheticProvider(cameras: [try SyntheticSpec.parse(camera)!]))
      var nodeConfiguration = NodeConfiguration()
      nodeConfiguration.limits = limits
      node = CameraNode(
        engine, configuration: nodeConfiguration, library: NodeLibrary(library, policy: policy))
      let address = try node.listen(on: .internet(host: "127.0.0.1", port: 0, family: .v4))
      client = try await ClientConnection.connect(to: address)
    }

    var calls: LibraryClient { LibraryClient(client) }

    /// Takes a photo, or with a number of them a burst, and returns its last event.
    func photo(_ mode: StoreMode, id: String = "", burst: UInt32 = 0) async throws -> PhotoEvent? {
      var settings = PhotoSettings(settle: SettlingBound(longestMs: 0))
      (settings.store, settings.requestID, settings.burst) = (mode, id, burst)
      var last: PhotoEvent?
      for try await event in try await PhotosClient(client).capture(
        CapturePhotoRequest(device: "0", settings: settings), options: bounded)
      { last = event }
      return last
    }

    func stop() async {
      await client.close()
      await node.drain(grace: .milliseconds(10))
      Self.remove(folder)
    }

    private static func remove(_ path: String) {
      guard let names = try? FolderNames.names(in: path) else {
        unlink(path)
        return
      }
      for name in names { remove(path + "/" + name) }
      rmdir(path)
    }
  }

  /// Says the same of each use.
  private struct Fixed: LibraryPolicy {
    var access: [LibraryUse: LibraryAccess]
    func permission(to use: LibraryUse, for context: CallContext) -> LibraryAccess {
      access[use] ?? .authorized
    }
  }

  @Test func aPhotoIsKeptAndFound() async throws {
    let rig = try await Rig()
    let also = try #require(await rig.photo(.also))
    let only = try #require(await rig.photo(.only))
    #expect(also.data != nil && only.data == nil)
    let page = try await rig.calls.list(ListAssetsRequest(), options: bounded)
    #expect(page.assets.map(\.id) == [only.assetID, also.assetID])
    let asset = page.assets[1]
    #expect(asset.device == "synthetic-0" && asset.metadata == also.metadata)
    // The time of day is reckoned anew for each of both.
    var info = also.info
    info?.utc = asset.info?.utc
    #expect(info != nil && asset.info == info)
    #expect(asset.origin == .captured && asset.createdUtcNs == also.metadata?.taken?.ns)
    var bytes: [UInt8] = []
    for try await chunk in try await rig.calls.fetch(
      FetchResourceRequest(id: asset.id), options: bounded)
    { bytes += chunk.data?.bytes ?? [] }
    #expect(bytes == also.data?.bytes)
    await rig.stop()
  }

  @Test(arguments: [StoreMode.only, .also])
  func whatIsToldOfStoredPhotosHasABoundAndEachIsToldOf(_ mode: StoreMode) async throws {
    var limits = NodeLimits()
    limits[.unreadPhotoBytes] = 100_000
    let rig = try await Rig(limits: limits)
    var settings = PhotoSettings(settle: SettlingBound(longestMs: 0))
    (settings.burst, settings.store) = (10_000, mode)
    let burst = try await PhotosClient(rig.client).capture(
      CapturePhotoRequest(device: "0", settings: settings),
      options: CallOptions(timeout: .seconds(20), window: 1))
    var events = burst.makeAsyncIterator()
    #expect(try await events.next()?.stage == .willBegin)
    await eventually("the burst has ended, since its client does not read") {
      (try? await NodeClient(rig.client).status(StatusRequest(), options: bounded))?.cameras.first?.streaming
        == false
    }
    var told: [String] = []
    let error = await status {
      while let event = try await events.next() {
        guard event.stage == .photo else { continue }
        #expect((event.data != nil) == (mode == .also))
        told.append(event.assetID)
      }
    }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "unreadPhotoBytes")
    #expect(error?.text.contains("the burst ended with \(told.count) of 10000 photos") == true)
    let kept = try await rig.calls.list(ListAssetsRequest(), options: bounded).assets.map(\.id)
    #expect(!told.isEmpty && told.count <= 60 && Set(told) == Set(kept))
    await rig.stop()
  }

  /// Whether the next photo has room depends on whether the client has read the one before.
  @Test func ofPhotosLargerThanTheBoundEachThatIsStoredIsDelivered() async throws {
    var limits = NodeLimits()
    limits[.unreadPhotoBytes] = 2_500
    let rig = try await Rig(limits: limits, camera: "synthetic:physics:160x120@60")
    var settings = PhotoSettings(settle: SettlingBound(longestMs: 0))
    settings.formats = [PhotoFormat(type: .jpeg), PhotoFormat(type: .png)]
    settings.bracket = [BracketStep(compensation: .bias(0)), BracketStep(compensation: .bias(0))]
    settings.store = .also
    var told: [String: Int] = [:]
    let error = await status {
      for try await event in try await PhotosClient(rig.client).capture(
        CapturePhotoRequest(device: "0", settings: settings), options: bounded) where event.stage == .photo
      {
        #expect((event.data?.count ?? 0) > 500)
        told[event.assetID, default: 0] += 1
      }
    }
    #expect(error == nil || error?.details?.limit == "unreadPhotoBytes", "\(String(describing: error))")
    let kept = try await rig.calls.list(ListAssetsRequest(), options: bounded).assets.map(\.id)
    #expect(!told.isEmpty && Set(told.keys) == Set(kept) && told.values.allSatisfy { $0 == 2 })
    await rig.stop()
  }

  /// Each event counts 1,000 bytes among those that are kept, so with some of these bounds it is a photo's that has no room, and with others one that comes before a
  /// photo, which is left out.
  @Test(arguments: [20_000, 21_000, 22_000, 23_000])
  func ofABurstWithAnIDEachPhotoThatIsStoredIsToldOf(_ bound: Int) async throws {
    var limits = NodeLimits()
    limits[.keptPhotoBytes] = bound
    let rig = try await Rig(limits: limits)
    var settings = PhotoSettings(settle: SettlingBound(longestMs: 0))
    (settings.burst, settings.store, settings.requestID) = (100, .only, "a")
    var told: [String] = []
    let error = await status {
      for try await event in try await PhotosClient(rig.client).capture(
        CapturePhotoRequest(device: "0", settings: settings), options: bounded) where event.stage == .photo
      { told.append(event.assetID) }
    }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "keptPhotoBytes")
    #expect(error?.text.contains("the burst ended with \(told.count) of 100 photos") == true)
    let kept = try await rig.calls.list(ListAssetsRequest(), options: bounded).assets.map(\.id)
    #expect(!told.isEmpty && Set(told) == Set(kept))
    await rig.stop()
  }

  @Test(arguments: [StoreMode.only, .also])
  func aRequestThatComesAgainNeedsNoRoomInTheLibrary(_ mode: StoreMode) async throws {
    let quota: Int64 = 1_000_000
    let rig = try await Rig(quota: quota)
    let photo = try #require(await rig.photo(mode, id: "a"))
    let taken = try await rig.library?.assets([photo.assetID])[0].bytes ?? 0
    let rest = Payload(copying: [UInt8](repeating: 0, count: Int(quota - taken)))
    _ = try await rig.library?.add(CaptureLibrary.NewAsset(.captured), [(type: .jpeg, bytes: rest)])
    let again = try #require(await rig.photo(mode, id: "a"))
    #expect(again.assetID == photo.assetID && again.data == photo.data)
    let refusal = await status { _ = try await rig.photo(mode, id: "b") }
    #expect(refusal?.details?.reason == .quotaReached)
    await rig.stop()
  }

  /// A photo alone is kept with its data, and one of a burst is read back from the library.
  @Test(arguments: [0, 1] as [UInt32])
  func aStoredPhotoThatCannotBeSentAgainIsToBeFoundInTheLibrary(_ burst: UInt32) async throws {
    var limits = NodeLimits()
    limits[.unreadPhotoBytes] = 2_500
    let rig = try await Rig(limits: limits)
    let photo = try #require(await rig.photo(.also, id: "a", burst: burst))
    #expect(photo.data != nil)
    // The first photo of a client that does not read takes the room, so that its burst ends.
    let unread = try await PhotosClient(rig.client).capture(
      CapturePhotoRequest(
        device: "0", settings: PhotoSettings(settle: SettlingBound(longestMs: 0), burst: 10_000)),
      options: CallOptions(timeout: .seconds(20), window: 1))
    var events = unread.makeAsyncIterator()
    #expect(try await events.next()?.stage == .willBegin)
    await eventually("the burst has ended, since its client does not read") {
      (try? await NodeClient(rig.client).status(StatusRequest(), options: bounded))?.cameras.first?.streaming
        == false
    }
    let refusal = await status { _ = try await rig.photo(.also, id: "a", burst: burst) }
    #expect(refusal?.code == .resourceExhausted && refusal?.details?.limit == "unreadPhotoBytes")
    #expect(refusal?.text.contains("the library has the photo as \(photo.assetID)") == true)
    unread.call.cancel()
    await rig.stop()
  }

  @Test func aNodeWithoutALibrarySaysSo() async throws {
    let rig = try await Rig(hasLibrary: false)
    #expect(try await rig.calls.status(options: bounded).state == .notConfigured)
    let refusal = await status { _ = try await rig.calls.list(ListAssetsRequest(), options: bounded) }
    #expect(refusal?.code == .failedPrecondition)
    #expect(refusal?.details?.reason == .libraryNotConfigured)
    let photo = await status { _ = try await rig.photo(.only) }
    #expect(photo?.details?.reason == .libraryNotConfigured)
    await rig.stop()
  }

  @Test func whatIsNotPermittedIsDenied() async throws {
    let rig = try await Rig(Fixed(access: [.add: .denied, .delete: .denied]))
    let permissions = try await rig.calls.authorization(options: bounded)
    #expect(permissions.add == .denied && permissions.read == .authorized && permissions.remove == .denied)
    let calls: [() async throws -> Void] = [
      { _ = try await rig.photo(.also) },
      { _ = try await rig.calls.delete(AssetIds(ids: ["x"]), options: bounded) },
      { _ = try await rig.calls.label(LabelAssetsRequest(ids: ["x"]), options: bounded) },
      { _ = try await rig.calls.add(options: bounded).response() },
    ]
    for call in calls {
      let refusal = await status(call)
      #expect(refusal?.code == .permissionDenied)
      #expect(refusal?.details?.reason == .notAuthorized)
    }
    #expect(try await rig.calls.list(ListAssetsRequest(), options: bounded).assets.isEmpty)
    await rig.stop()
  }

  @Test func aLimitedClientSeesOnlyItsOwn() async throws {
    let rig = try await Rig(Fixed(access: [.read: .limited, .delete: .limited]))
    var others = CaptureLibrary.NewAsset(.captured)
    others.addedBy = "desk"
    let asset = try #require(
      await rig.library?.add(others, [(type: .jpeg, bytes: Payload(copying: [1, 2, 3]))])
    ).id.text
    #expect(try await rig.calls.list(ListAssetsRequest(), options: bounded).assets.isEmpty)
    let refusal = await status { _ = try await rig.calls.get(AssetIds(ids: [asset]), options: bounded) }
    #expect(refusal?.code == .notFound)
    #expect(try await rig.calls.delete(AssetIds(ids: [asset]), options: bounded).ids.isEmpty)
    #expect(try await rig.library?.assets([asset]).count == 1)
    await rig.stop()
  }

  @Test func whatOthersHaveAddedIsSeenAndStays() async throws {
    let rig = try await Rig(Fixed(access: [.delete: .limited]))
    var others = CaptureLibrary.NewAsset(.captured)
    others.addedBy = "desk"
    let theirs = try #require(
      await rig.library?.add(others, [(type: .jpeg, bytes: Payload(copying: [1, 2, 3]))])
    ).id.text
    let own = try #require(await rig.photo(.only)).assetID
    #expect(try await rig.calls.list(ListAssetsRequest(), options: bounded).assets.count == 2)
    let refusals = [
      await status { _ = try await rig.calls.delete(AssetIds(ids: [own, theirs]), options: bounded) },
      await status {
        _ = try await rig.calls.label(LabelAssetsRequest(ids: [own, theirs], add: ["x"]), options: bounded)
      },
    ]
    for refusal in refusals {
      #expect(
        refusal?.code == .permissionDenied && refusal?.text.contains("an admin, may label and delete") == true
      )
      #expect(refusal?.details?.asked == .text(theirs))
    }
    // Nothing half done, and one's own goes.
    let assets = try await rig.calls.get(AssetIds(ids: [own, theirs]), options: bounded).assets
    #expect(assets.allSatisfy { $0.labels.isEmpty })
    #expect(try await rig.calls.delete(AssetIds(ids: [own, "none"]), options: bounded).ids == [own])
    await rig.stop()
  }

  /// What no asset can have is refused before the index is asked, and a watch keeps no more of its request than that.
  @Test func aFilterIsNoLargerThanAnAsset() async throws {
    let rig = try await Rig()
    func labels(_ count: Int) -> CaptureWire.AssetFilter { .init(labels: (0..<count).map { "l\($0)" }) }
    let filters: [(CaptureWire.AssetFilter, String?)] = [
      (labels(32), nil), (labels(33), "filter.labels"), (labels(256), "filter.labels"),
      (.init(labels: Array(repeating: "x", count: 200)), nil),
      (.init(labels: [String(repeating: "x", count: 65)]), "filter.labels"),
      (.init(device: String(repeating: "x", count: 257)), "filter.device"),
      (.init(sequence: String(repeating: "x", count: 257)), "filter.sequence"),
    ]
    for (filter, field) in filters {
      let listed = await status {
        _ = try await rig.calls.list(ListAssetsRequest(filter: filter), options: bounded)
      }
      #expect(listed?.details?.field == field && listed?.code == (field == nil ? nil : .invalidArgument))
      let watched = await status {
        let events = try await rig.calls.watch(WatchAssetsRequest(filter: filter), options: bounded)
        for try await event in events where event.kind == .current { break }
      }
      #expect(watched?.details?.field == field && watched?.code == (field == nil ? nil : .invalidArgument))
    }
    // More than a list takes.
    let refusal = await status {
      _ = try await rig.calls.list(ListAssetsRequest(filter: labels(1_100)), options: bounded)
    }
    #expect(refusal?.code == .invalidArgument && refusal?.details?.limit == "listEntries")
    #expect(refusal?.text.contains("(filter.labels)") == true)
    await rig.stop()
  }

  @Test func anUploadIsBeganByItsDescription() async throws {
    let rig = try await Rig()
    func send(_ requests: [AddAssetRequest]) async -> RPCError? {
      await status {
        let call = try await rig.calls.add(options: bounded)
        for request in requests { try await call.requests.send(request) }
        _ = try await call.response()
      }
    }
    let described = AddAssetRequest(asset: NewAsset(labels: ["x"]))
    func resource(_ type: String = "image/jpeg", _ bytes: UInt64 = 3) -> AddAssetRequest {
      AddAssetRequest(
        resource: NewResource(mediaType: type, bytes: bytes), data: Payload(copying: [1, 2, 3]))
    }
    #expect(await send([])?.details?.field == "asset")
    #expect(await send([resource()])?.details?.field == "asset")
    #expect(await send([described])?.details?.field == "resource")
    #expect(await send([described, described])?.details?.field == "asset")
    #expect(await send([described, resource("text/html")])?.details?.field == "resource.media_type")
    #expect(await send([described, resource("image/jpeg", 4)])?.details?.reason == .contentMismatch)
    #expect(
      await send([AddAssetRequest(asset: NewAsset(labels: [""])), resource()])?.details?.field
        == "asset.labels")
    #expect(await send([described, resource("image/jpeg", 1 << 40)])?.details?.limit == "assetBytes")
    let beginningOf2262: Int64 = 9_214_646_400_000_000_000
    for time in [-1, beginningOf2262 + 1] {
      let refusal = await send([AddAssetRequest(asset: NewAsset(createdUtcNs: time)), resource()])
      #expect(refusal?.details?.field == "asset.created_utc_ns")
      #expect(refusal?.text.contains("from 1 to \(beginningOf2262), which is the beginning of 2262") == true)
    }
    #expect(await send([described, resource(), resource("image/x-adobe-dng")]) == nil)
    let assets = try await rig.calls.list(ListAssetsRequest(), options: bounded).assets
    #expect(assets.count == 1 && assets[0].resources.count == 2 && assets[0].origin == .uploaded)
    for time in [1, beginningOf2262] {
      #expect(await send([AddAssetRequest(asset: NewAsset(createdUtcNs: time)), resource()]) == nil)
    }
    await rig.stop()
  }
}
