import CaptureModel
import CaptureWire

/// A camera of a node.
public struct RemoteCamera: Hashable, Sendable {
  /// The index stays while the node runs, also across unplug and replug. Calls can name the camera by it or by its identity.
  public var index: Int
  public var description: CameraDescription
  /// `false`: the camera is unplugged.
  public var isPresent: Bool
  /// How its driver answers.
  public var response: Responsiveness

  public init(
    index: Int, description: CameraDescription, isPresent: Bool, response: Responsiveness = .responding
  ) {
    self.response = response
    self.index = index
    self.description = description
    self.isPresent = isPresent
  }

  init(_ message: Device) {
    self.init(
      index: Int(message.index), description: CameraDescription(message), isPresent: message.present,
      response: Responsiveness(message.response))
  }
}

/// A change of a node's cameras.
public enum RemoteCameraEvent: Hashable, Sendable {
  /// The camera was there when the watch began.
  case present(RemoteCamera)
  /// All cameras that were there have been reported.
  case listed
  case appeared(RemoteCamera)
  /// The camera was unplugged; it keeps its index and identity.
  case vanished(RemoteCamera)
  case changed(RemoteCamera)
}

/// The changes of a node's cameras, until the reading task is cancelled or the connection ends. If a lost connection is made again, they continue: all
/// cameras are `present` once more, and then `listed`.
public struct RemoteCameraEvents: AsyncSequence, Sendable {
  public typealias Element = RemoteCameraEvent
  public typealias Failure = RPCError
  let connection: any NodeConnection
  let events: ResponseStream<DeviceEvent>
  /// The number of the connection from which they come, or of one before it.
  let epoch: UInt64

  static func open(_ connection: any NodeConnection) async throws(RPCError) -> RemoteCameraEvents {
    let epoch = await connection.epoch
    let events = try await DevicesClient(connection).watch(
      WatchDevicesRequest(), options: CallOptions(window: 64))
    return RemoteCameraEvents(connection: connection, events: events, epoch: epoch)
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let connection: any NodeConnection
    private var events: ResponseStream<DeviceEvent>.AsyncIterator
    private var epoch: UInt64

    init(_ changes: RemoteCameraEvents) {
      connection = changes.connection
      events = changes.events.makeAsyncIterator()
      epoch = changes.epoch
    }

    public mutating func next() async throws -> RemoteCameraEvent? { try await next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(RPCError)
      -> RemoteCameraEvent?
    {
      while true {
        do throws(RPCError) {
          guard let event = try await events.next(isolation: actor) else { return nil }
          if let change = RemoteCameraEvent(event) { return change }
        } catch {
          try await resume(after: error, isolation: actor)
        }
      }
    }

    private mutating func resume(
      after failure: RPCError, isolation actor: isolated (any Actor)?
    ) async throws(RPCError) {
      var failure = failure
      while true {
        try await connection.recover(from: failure, epoch: epoch)
        do throws(RPCError) {
          self = AsyncIterator(try await RemoteCameraEvents.open(connection))
          return
        } catch {
          failure = error
        }
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension RemoteCameraEvent {
  /// `nil` for a kind that only newer nodes know.
  init?(_ event: DeviceEvent) {
    if event.kind == .listed {
      self = .listed
      return
    }
    guard let camera = event.device.map({ RemoteCamera($0) }) else { return nil }
    switch event.kind {
    case .present: self = .present(camera)
    case .appeared: self = .appeared(camera)
    case .vanished: self = .vanished(camera)
    case .changed: self = .changed(camera)
    default: return nil
    }
  }
}
