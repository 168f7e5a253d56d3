import CaptureModel
import CaptureWire

/// What the audit records of a call. Calls of one kind are equal.
struct AuditedCall: Hashable, Sendable {
  /// "client:laptop", "user:1000", "local", "unknown". A client cannot choose a name that looks like a caller of another kind.
  var caller: String
  /// The peer's address without its port; "unix".
  var origin: String
  /// "Settings/Set"
  var method: String
  var cameras: [CameraID]
  /// "begun", or how the call ended: "OK", "PERMISSION_DENIED".
  var outcome: String

  static let begun = "begun"
  /// The most cameras that a line names.
  static let mostCameras = 16

  init(_ context: CallContext, _ cameras: [CameraID], outcome: String) {
    caller =
      switch context.caller.kind {
      case .client: "client:\(context.caller.name)"
      case .user(let user): "user:\(user)"
      case .trusted: "local"
      case .unknown: "unknown"
      }
    let peer = context.peer.utf8
    let colon = peer.last == UInt8(ascii: "]") ? nil : peer.lastIndex(of: UInt8(ascii: ":"))
    origin = String(colon.map { context.peer[..<$0] } ?? context.peer[...])
    method = String(context.method.name.dropFirst(Self.package.count))
    self.cameras = cameras
    self.outcome = outcome
  }

  private static let package = "capture.v1."

  /// "by=client:laptop from=192.0.2.7 call=Settings/Set camera=usb-1 outcome=OK"
  var text: String {
    var words = ["by=\(Self.word(caller))", "from=\(Self.word(origin))", "call=\(method)"]
    words += cameras.prefix(Self.mostCameras).map { "camera=\(Self.word($0.rawValue))" }
    if cameras.count > Self.mostCameras { words.append("cameras=\(cameras.count)") }
    return (words + ["outcome=\(outcome)"]).joined(separator: " ")
  }

  /// The text as one word. It is quoted if it is long, or has spaces, quotation marks or characters other than printable ASCII.
  private static func word(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\"") }
    guard !isPlain || text.utf8.count > mostQuoted else { return text }
    return "\"" + text.abridged().replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
