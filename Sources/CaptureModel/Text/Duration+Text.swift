extension Duration {
  /// "12.3 s", "5 min 6 s", "3 h 4 min".
  package var shortText: String {
    let tenths = max(0, Int64((self / .milliseconds(100)).rounded(.up)))
    if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
    let seconds = tenths / 10
    if seconds < 3600 { return "\(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s") }
    return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
  }
}
