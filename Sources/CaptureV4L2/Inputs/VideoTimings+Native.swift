import CCaptureShims
import CVideo4Linux
import CaptureModel

extension VideoTimings {
  init(_ native: v4l2_dv_timings) {
    let read = withUnsafePointer(to: native) { capture_read_dv_timings($0) }
    var interval: FrameInterval?
    if read.pixel_clock > 0, read.total > 0 {
      // The rate is rounded to millihertz, since the fraction of clock and pixels has meaningless factors. The total of an interlaced signal covers
      // both fields of a frame.
      let rate = Double(read.pixel_clock) / Double(read.total)
      interval = FrameInterval(rate: (rate * 1000).rounded() / 1000)
    }
    self.init(
      size: FrameSize(width: Int(read.width), height: Int(read.height)), interval: interval,
      isInterlaced: read.is_interlaced != 0)
  }
}

extension v4l2_dv_timings {
  func isSame(as other: v4l2_dv_timings) -> Bool {
    withUnsafePointer(to: self) { one in
      withUnsafePointer(to: other) { other in capture_match_dv_timings(one, other) != 0 }
    }
  }
}
