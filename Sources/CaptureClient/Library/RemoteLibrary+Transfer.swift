public import CaptureModel
public import CaptureSystem
internal import CaptureWire

extension RemoteLibrary {
  /// Hands out the bytes of a resource from an offset on, in pieces of at most 1 MiB, and returns the resource, whose checksum is always known. After
  /// a lost connection the call goes on where it was. The bytes are not compared with the checksum: ``download(_:resource:to:progress:)`` does so.
  ///
  /// `expected`: the checksum of the resource from which the bytes before `offset` came; empty: any. Throws `aborted` where the node's resource has
  /// another checksum, and `outOfRange` for an offset beyond the resource's end.
  @discardableResult
  public func read(
    _ id: String, resource place: Int = 0, from offset: UInt64 = 0, expecting expected: [UInt8] = [],
    receive: (Payload) throws(CaptureError) -> Void
  ) async throws(CaptureError) -> LibraryResource {
    var (offset, sum, found) = (offset, expected, LibraryResource?.none)
    do throws(RPCError) {
      var call = ResumableCall(node.connection)
      var options = node.callOptions
      (options.timeout, options.window) = (nil, 4)
      func request() -> FetchResourceRequest {
        FetchResourceRequest(id: id, resource: UInt32(clamping: place), offset: offset, sha256: sum)
      }
      func opening(
        _ request: FetchResourceRequest, _ options: CallOptions
      ) -> (any NodeConnection) async throws(RPCError) -> ResponseStream<ResourceChunk> {
        { connection throws(RPCError) in
          try await LibraryClient(connection).fetch(request, options: options)
        }
      }
      var chunks = try await call.open(opening(request(), options)).makeAsyncIterator()
      while true {
        do throws(RPCError) {
          guard let chunk = try await chunks.next(isolation: nil) else { break }
          if let resource = chunk.resource {
            found = resource.model
            sum = resource.sha256
          }
          guard chunk.offset == offset else {
            throw RPCError(.dataLoss, "the node sent bytes at \(chunk.offset) in place of \(offset)")
          }
          guard let data = chunk.data else { continue }
          do throws(CaptureError) { try receive(data) } catch { throw RPCError(error) }
          offset += UInt64(data.count)
        } catch {
          chunks = try await call.reopen(after: error, opening(request(), options)).makeAsyncIterator()
        }
      }
      guard let found else { throw RPCError(.dataLoss, "the node ended the call without a resource") }
      return found
    } catch {
      throw CaptureError(error)
    }
  }

  /// A file to add to a library: a JPEG, a PNG or a DNG. The node refuses files of other types.
  public struct Upload: Sendable {
    /// "image/jpeg", "image/png", "image/x-adobe-dng"
    public var mediaType: String
    /// The whole file.
    public var bytes: Payload

    public init(_ mediaType: String, _ bytes: Payload) { (self.mediaType, self.bytes) = (mediaType, bytes) }
  }

  /// Adds an asset of one or several files (`PHAssetCreationRequest`). Once the call has returned, the asset survives a crash and a power cut of the
  /// node.
  ///
  /// `created`: nanoseconds since 1970 in UTC, up to the beginning of 2262; `nil` or 0: now. Throws `invalidArgument` for bytes that are not of their
  /// media type and for another time, `resourceExhausted` where there is no room, and `dataLoss` where the bytes came damaged.
  public func add(
    _ uploads: [Upload], created: Int64? = nil, camera: CameraID? = nil, sequence: String = "",
    shot: String = "", labels: [String] = [], progress: (UInt64) -> Void = { _ in }
  ) async throws(CaptureError) -> LibraryAsset {
    do throws(RPCError) {
      var options = node.callOptions
      options.timeout = nil
      let call = try await LibraryClient(node.connection).add(options: options)
      do throws(RPCError) {
        try await call.requests.send(
          AddAssetRequest(
            asset: NewAsset(
              NewLibraryAsset(
                created: created, camera: camera, sequence: sequence, shot: shot, labels: labels))))
        var sent: UInt64 = 0
        for upload in uploads {
          try await call.requests.send(
            AddAssetRequest(
              resource: NewResource(
                LibraryResource(
                  mediaType: upload.mediaType, bytes: UInt64(upload.bytes.count),
                  sha256: SHA256.of(upload.bytes), file: ""))))
          var offset = 0
          while offset < upload.bytes.count {
            let piece = upload.bytes.copy(
              offset: offset, count: min(Self.piece, upload.bytes.count - offset))
            try await call.requests.send(AddAssetRequest(data: piece))
            offset += piece.count
            sent += UInt64(piece.count)
            progress(sent)
          }
        }
      } catch {
        // The node has ended the call already: its answer says why.
        _ = try await call.response()
        throw error
      }
      return try await call.response().model
    } catch {
      throw CaptureError(error)
    }
  }

  private static let piece = 1 << 20
}
