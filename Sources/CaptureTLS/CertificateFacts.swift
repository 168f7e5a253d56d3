internal import COpenSSL
import Glibc

/// A certificate's names and dates.
public struct CertificateFacts: Hashable, Sendable {
  /// Host names and IP addresses (subjectAltName), in order.
  public let names: [String]
  /// When the certificate is valid, in seconds of UTC since 1970.
  public let validity: ClosedRange<Int64>

  init(of certificate: OpaquePointer) {
    names = Self.names(of: certificate)
    let start = Self.seconds(X509_get0_notBefore(certificate))
    validity = start...max(start, Self.seconds(X509_get0_notAfter(certificate)))
  }

  /// Reads the first certificate of a text in PEM; `nil`: there is none.
  public init?(pem: String) {
    let certificates = TLSIdentity.certificates(in: Array(pem.utf8))
    defer { for certificate in certificates { X509_free(certificate) } }
    guard let first = certificates.first else { return nil }
    self.init(of: first)
  }

  /// Why the certificate is not valid at the time `now`, in seconds of UTC since 1970; `nil`: it is valid. The text is for a person, and names a date
  /// of the certificate and `now` as this machine's clock.
  public func invalidity(at now: Int64) -> String? {
    guard !validity.contains(now) else { return nil }
    let clock = "this machine's clock says \(Self.date(now))"
    return now < validity.lowerBound
      ? "the certificate is not valid before \(Self.date(validity.lowerBound)), and \(clock)"
      : "the certificate was valid until \(Self.date(validity.upperBound)), and \(clock)"
  }

  /// The names and dates, for a person: "studio.example.org, valid from 2026-03-01 12:00:00 UTC to 2026-06-01 12:00:00 UTC".
  public var text: String {
    "\(names.isEmpty ? "without a name" : names.joined(separator: ", ")), valid from \(Self.date(validity.lowerBound)) to \(Self.date(validity.upperBound))"
  }

  /// "2026-03-01 12:00:00 UTC"
  public static func date(_ seconds: Int64) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    var text = [CChar](repeating: 0, count: 64)
    strftime(&text, text.count, "%Y-%m-%d %H:%M:%S UTC", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
    var parts = tm()
    guard ASN1_TIME_to_tm(time, &parts) == 1 else { return 0 }
    return Int64(timegm(&parts))
  }

  private static func names(of certificate: OpaquePointer) -> [String] {
    guard let found = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return [] }
    let all = OpaquePointer(found)
    defer { GENERAL_NAMES_free(all) }
    return (0..<OPENSSL_sk_num(all)).compactMap { place in
      guard let name = OPENSSL_sk_value(all, place) else { return nil }
      var type: Int32 = 0
      let value = GENERAL_NAME_get0_value(name.assumingMemoryBound(to: GENERAL_NAME.self), &type)
      guard let value else { return nil }
      let text = value.assumingMemoryBound(to: ASN1_STRING.self)
      let bytes = UnsafeBufferPointer(
        start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text)))
      switch type {
      case GEN_DNS: return String(decoding: bytes, as: UTF8.self)
      case GEN_IPADD: return address(bytes)
      default: return nil
      }
    }
  }

  private static func address(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard let family = [4: AF_INET, 16: AF_INET6][bytes.count] else { return nil }
    var text = [CChar](repeating: 0, count: 64)
    guard inet_ntop(family, bytes.baseAddress, &text, socklen_t(text.count)) != nil else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
