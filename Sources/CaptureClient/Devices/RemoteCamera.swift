import CaptureModel
import CaptureWire

/// A camera of a node.
public struct RemoteCamera: Hashable, Sendable {
  /// Kept while the node lives, also across unplug and replug. Names the camera in calls, as its identity does.
  public var index: Int
  public var description: CameraDescription
  /// `false`: unplugged.
  public var isPresent: Bool

  public init(index: Int, description: CameraDescription, isPresent: Bool) {
    self.index = index
    self.description = description
    self.isPresent = isPresent
  }

  init(_ message: Device) {
    self.init(
      index: Int(message.index), description: CameraDescription(message), isPresent: message.present)
  }
}

/// A change in what cameras a node has.
public enum CameraChange: Hashable, Sendable {
  /// Was there when the watch began.
  case present(RemoteCamera)
  /// All that were there have been reported.
  case listed
  case appeared(RemoteCamera)
  /// Unplugged; its index and identity are kept.
  case vanished(RemoteCamera)
  case changed(RemoteCamera)
}

/// The changes of a node's cameras, until the reading task is cancelled or the connection ends.
public struct CameraChanges: AsyncSequence, Sendable {
  public typealias Element = CameraChange
  public typealias Failure = RPCError
  let events: ResponseStream<DeviceEvent>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var events: ResponseStream<DeviceEvent>.AsyncIterator

    public mutating func next() async throws -> CameraChange? { try await next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(RPCError) -> CameraChange?
    {
      while let event = try await events.next(isolation: actor) {
        if let change = CameraChange(event) { return change }
      }
      return nil
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events: events.makeAsyncIterator()) }
}

extension CameraChange {
  /// `nil` for a kind that a newer node may know.
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
