// A program imports this module alone: the types of other modules that its API uses come with it.

@_exported public import CaptureModel

@_exported public import struct CaptureAccess.Credential
@_exported public import enum CaptureAccess.CredentialFile
@_exported public import struct CaptureAccess.FingerprintLine
@_exported public import struct CaptureAccess.KnownNode
@_exported public import struct CaptureAccess.KnownNodes
@_exported public import struct CaptureAccess.PairingLine
@_exported public import struct CaptureAccess.Secret
@_exported public import class CaptureSystem.Payload
@_exported public import enum CaptureSystem.SocketAddress
@_exported public import struct CaptureTLS.CertificateAuthority
@_exported public import struct CaptureTLS.Digest
