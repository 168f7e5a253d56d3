// A program needs this module alone: what its types are made of comes with it.

@_exported public import CaptureModel

@_exported public import class CaptureSystem.Payload
@_exported public import enum CaptureSystem.SocketAddress
