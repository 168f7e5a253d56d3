import CaptureModel
import Testing

@testable import CaptureImaging

struct XMPPacketTests {
  @Test func itTellsHowThingsAreKnown() {
    var settings = FrameSettings()
    settings.exposureDuration = Observed(0.02, .assumed)
    settings.iso = Observed(100, .unknown)
    settings.temperature = Observed(5000, .derived)
    var metadata = PhotoMetadata.sample
    metadata.taken = UTCTime(nanoseconds: 1_000_000_007, uncertainty: 900, isSynchronised: true)
    let packet = XMPPacket(metadata, .sample(settings), bootID: "boot")
    let texts = Dictionary(uniqueKeysWithValues: packet.properties.map { ($0.name, $0.text) })
    #expect(
      texts["Node"] == "a<b" && texts["Camera"] == "usb-1"
        && texts["BodySerialNumberProvenance"] == "reported")
    #expect(texts["ExposureStart"] == "5000000000" && texts["ExposureEnd"] == "5020000000")
    #expect(texts["ExposureUncertainty"] == "20000000" && texts["ExposureProvenance"] == "assumed")
    #expect(texts["TakenUTC"] == "1970-01-01T00:00:01.000000007Z" && texts["ClockUncertainty"] == "900")
    #expect(texts["ExposureDuration"] == "0.02" && texts["ExposureDurationProvenance"] == "assumed")
    #expect(texts["WhiteBalanceTemperatureProvenance"] == "derived")
    #expect(texts["ExposureIso"] == nil && texts["ExposureIsoProvenance"] == nil)
    #expect(String(decoding: packet.bytes, as: UTF8.self).contains("<capture:Node>a&lt;b</capture:Node>"))
  }

  @Test func itTellsTheSequenceAndHowABracketsStepIsKnown() {
    var metadata = PhotoMetadata.sample
    metadata.sequence = SequenceMember(
      "bracket-1a2b3c4d", SequencePlace(2, of: 3),
      bracket: BracketOutcome(.assumed, waitedFrames: 6, bias: -1.25))
    let texts = { (metadata: PhotoMetadata) in
      let packet = XMPPacket(metadata, .sample(FrameSettings()), bootID: "boot")
      return Dictionary(uniqueKeysWithValues: packet.properties.map { ($0.name, $0.text) })
    }
    let bracket = texts(metadata)
    #expect(bracket["FrameNumber"] == "\(PictureDescription.sample(FrameSettings()).sequence)")
    #expect(
      bracket["Sequence"] == "bracket-1a2b3c4d" && bracket["SequenceNumber"] == "2"
        && bracket["SequenceCount"] == "3" && bracket["SequenceLost"] == nil)
    #expect(
      bracket["BracketProvenance"] == "assumed" && bracket["BracketWaitedFrames"] == "6"
        && bracket["BracketBias"] == "-1.25")
    metadata.sequence = SequenceMember("timelapse-1", SequencePlace(7, of: 0, lost: 2))
    let timelapse = texts(metadata)
    #expect(timelapse["SequenceNumber"] == "7" && timelapse["SequenceCount"] == nil)
    #expect(timelapse["SequenceLost"] == "2" && timelapse["BracketProvenance"] == nil)
    metadata.sequence = nil
    #expect(texts(metadata)["Sequence"] == nil)
  }

  @Test(arguments: [
    (Int64(1_769_878_800_999_999_999), 3600, "2026:01:31 18:00:00", "999999", "+01:00"),
    (1_769_878_800_000_000_000, -12_600, "2026:01:31 13:30:00", "000000", "-03:30"),
    (-1, 0, "1969:12:31 23:59:59", "999999", "+00:00"),
  ])
  func localTimeIsBesideItsOffset(time: Int64, offset: Int, date: String, part: String, zone: String) {
    let text = DateText(UTCTime(nanoseconds: time, uncertainty: 0, isSynchronised: false), offset: offset)
    #expect(text.exif == date && text.microseconds == part && text.offset == zone)
  }
}
