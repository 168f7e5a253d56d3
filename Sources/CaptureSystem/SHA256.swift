internal import CLibCrypto

/// A SHA-256 checksum of bytes that come piece by piece.
package final class SHA256 {
  private let context: OpaquePointer

  package init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      fatalError("libcrypto has no SHA-256")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  package func update(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  package func update(_ payload: Payload) {
    for segment in payload.segments { update(segment) }
  }

  /// The checksum's 32 bytes. No bytes can be added afterwards.
  package func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
      count = 32
    }
  }

  package static func of(_ payload: Payload) -> [UInt8] {
    let hash = SHA256()
    hash.update(payload)
    return hash.finish()
  }
}
