/// "12.50": rounded to that many decimals, in every locale.
func fixed(_ value: Double, _ decimals: Int) -> String {
  var scale = 1.0
  for _ in 0..<decimals { scale *= 10 }
  let scaled = (abs(value) * scale).rounded()
  guard scaled < 9e18 else { return "\(value)" }
  let sign = value < 0 && scaled > 0 ? "-" : ""
  let whole = UInt64(scaled) / UInt64(scale)
  guard decimals > 0 else { return "\(sign)\(whole)" }
  let fraction = String(UInt64(scaled) % UInt64(scale))
  return "\(sign)\(whole).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
}

/// "5", "0.0005": with as many decimals as it needs, at most nine.
func plain(_ value: Double) -> String {
  var text = fixed(value, 9)
  guard text.contains("."), !text.contains("e") else { return text }
  while text.last == "0" { text.removeLast() }
  if text.last == "." { text.removeLast() }
  return text
}

/// "1.5 MB": bytes for a person, powers of 1000.
func bytesText(_ bytes: UInt64) -> String {
  if bytes < 1000 { return "\(bytes) B" }
  var value = Double(bytes)
  var unit = 0
  while value >= 999.95, unit < 4 {
    value /= 1000
    unit += 1
  }
  return "\(fixed(value, 1)) \(["B", "kB", "MB", "GB", "TB"][unit])"
}

/// "1 frame", "5 frames".
func framesText(_ count: UInt64) -> String { count == 1 ? "1 frame" : "\(count) frames" }

/// "3 d 4 h", "5 min 6 s", "0.7 s": how long, for a person.
func durationText(milliseconds: UInt64) -> String {
  let seconds = milliseconds / 1000
  switch seconds {
  case ..<10: return "\(fixed(Double(milliseconds) / 1000, 1)) s"
  case ..<60: return "\(seconds) s"
  case ..<3600: return "\(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s")
  case ..<86_400: return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
  default: return "\(seconds / 86_400) d \(seconds % 86_400 / 3600) h"
  }
}
