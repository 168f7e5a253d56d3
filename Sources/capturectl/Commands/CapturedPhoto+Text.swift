import CaptureClient

extension CapturedPhoto {
  /// ", 0.02 s, -1.0 EV (assumed, waited 6 frames)"; nothing for a photo of no bracket.
  var bracketText: String {
    guard let bracket else { return "" }
    var parts: [String] = []
    if let duration = info.settings?.exposureDuration?.value { parts.append(exposureText(duration)) }
    if let bias = bracket.bias { parts.append("\((bias * 100).rounded() / 100) EV") }
    if bracket.bias == nil, let lens = info.settings?.lensPosition?.value {
      parts.append("lens at \((lens * 1000).rounded() / 1000)")
    }
    let frames = bracket.waitedFrames == 1 ? "1 frame" : "\(bracket.waitedFrames) frames"
    return ", \(parts.joined(separator: ", ")) (\(bracket.provenance.word), waited \(frames))"
  }

  /// ", 12.5 ms before (assumed)"; nothing where no moment was asked for.
  var nearnessText: String {
    guard let nearness else { return "" }
    let tenths = (abs(nearness.distance / .milliseconds(1)) * 10).rounded() / 10
    return ", \(tenths) ms \(nearness.distance < .zero ? "before" : "after") (\(nearness.provenance.word))"
  }
}

extension PhotoNearness: JSONValue {
  var json: JSON {
    ["seconds": JSON.number(distance / .seconds(1), decimals: 6), "provenance": provenance.word]
  }
}

extension BracketOutcome: JSONValue {
  var json: JSON {
    [
      "provenance": provenance.word, "waited_frames": waitedFrames,
      "bias": bias.map { JSON.number($0, decimals: 3) },
    ]
  }
}
