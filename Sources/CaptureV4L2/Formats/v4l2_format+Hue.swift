import CVideo4Linux

extension v4l2_format {
  /// The steps in a turn of hue, where the format has hue. `hsv_enc` and `ycbcr_enc` share a place.
  var hueSteps: Int {
    let encoding =
      type == BufferType.multiPlanar.rawValue ? UInt32(fmt.pix_mp.ycbcr_enc) : fmt.pix.ycbcr_enc
    return encoding == V4L2_HSV_ENC_256.rawValue ? 256 : 180
  }
}
