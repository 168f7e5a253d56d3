import CVideo4Linux

extension v4l2_format {
  /// Steps in a turn of hue, where the format has one. `hsv_enc` shares its place with `ycbcr_enc`.
  var hueSteps: Int {
    let encoding =
      type == BufferType.multiPlanar.rawValue ? UInt32(fmt.pix_mp.ycbcr_enc) : fmt.pix.ycbcr_enc
    return encoding == V4L2_HSV_ENC_256.rawValue ? 256 : 180
  }
}
