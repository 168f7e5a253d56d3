import CaptureModel

/// The XMP of a photo: what EXIF has no tags for. Its properties are in a namespace of our own, with the prefix "capture".
package struct XMPPacket: Sendable {
  /// Names and texts, in order.
  package private(set) var properties: [(name: String, text: String)] = []

  package static let namespace = "urn:remote-capture:photo:1:"

  /// Unknown values are left out. `bootID`: the boot that the times of `CLOCK_MONOTONIC` belong to.
  package init(_ metadata: PhotoMetadata, _ picture: PictureDescription, bootID: String) {
    add("Node", metadata.node)
    add("Camera", metadata.camera.rawValue)
    add("Shot", metadata.shot ?? "")
    add("FrameNumber", "\(picture.sequence)")
    if let member = metadata.sequence { addSequence(member) }
    add("BodySerialNumberProvenance", metadata.serialProvenance.text)
    if let exposure = picture.exposure {
      add("BootID", bootID)
      add("ExposureStart", "\(exposure.start)")
      add("ExposureEnd", "\(exposure.end)")
      add("ExposureUncertainty", "\(exposure.uncertainty)")
      add("ExposureProvenance", exposure.provenance.text)
    }
    if let taken = metadata.taken {
      add("TakenUTC", DateText(taken, offset: 0).iso)
      add("ClockSynchronised", taken.isSynchronised ? "true" : "false")
      if taken.isSynchronised { add("ClockUncertainty", "\(taken.uncertainty)") }
    }
    if let settings = picture.settings { addSettings(settings) }
    if let settling = picture.settling { add("SettledProvenance", settling.provenance.text) }
  }

  private mutating func addSequence(_ member: SequenceMember) {
    add("Sequence", member.name)
    add("SequenceNumber", "\(member.place.number)")
    if member.place.count > 0 { add("SequenceCount", "\(member.place.count)") }
    if member.place.lost > 0 { add("SequenceLost", "\(member.place.lost)") }
    guard let bracket = member.bracket else { return }
    add("BracketProvenance", bracket.provenance.text)
    add("BracketWaitedFrames", "\(bracket.waitedFrames)")
    if let bias = bracket.bias { add("BracketBias", "\(bias)") }
  }

  private mutating func addSettings(_ settings: FrameSettings) {
    for setting in FrameSettings.settings {
      guard let observed = settings[setting], let value = observed.known else { continue }
      add(setting.propertyName, "\(value)")
      add("\(setting.propertyName)Provenance", observed.provenance.text)
    }
    guard let gains = settings.whiteBalanceGains, gains.provenance != .unknown else { return }
    let name = Setting.whiteBalanceGains.propertyName
    add(name, "\(gains.value.red) \(gains.value.green) \(gains.value.blue)")
    add("\(name)Provenance", gains.provenance.text)
  }

  private mutating func add(_ name: String, _ text: String) {
    if !text.isEmpty { properties.append((name, text)) }
  }

  /// The packet in UTF-8.
  package var bytes: [UInt8] {
    var text = "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
    text += "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
    text += "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
    text += "<rdf:Description rdf:about=\"\" xmlns:capture=\"\(Self.namespace)\">\n"
    for (name, value) in properties { text += "<capture:\(name)>\(value.inXML)</capture:\(name)>\n" }
    text += "</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"r\"?>"
    return Array(text.utf8)
  }
}

extension Setting {
  /// The name of the setting's property, such as "WhiteBalanceTemperature".
  fileprivate var propertyName: String {
    name.split { $0 == "." || $0 == "_" }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

extension Provenance {
  /// The contract's word for the provenance, such as "reported".
  fileprivate var text: String { "\(self)" }
}

extension String {
  /// The text as it stands between two tags of XML. Characters that XML cannot have become spaces.
  fileprivate var inXML: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case _ where scalar.properties.generalCategory == .control || scalar.value & 0xFFFE == 0xFFFE:
        result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
