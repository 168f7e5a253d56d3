import CaptureSystem

/// One message as the transport carries it: the protobuf body and the bulk bytes beside it.
public struct RawMessage: Sendable {
  public var body: [UInt8]
  public var payload: Payload?

  public init(body: [UInt8], payload: Payload? = nil) {
    self.body = body
    self.payload = payload
  }
}
