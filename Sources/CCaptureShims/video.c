#include "CCaptureShims.h"

#include <linux/videodev2.h>

const unsigned long capture_VIDIOC_QUERYCAP = VIDIOC_QUERYCAP;
const unsigned long capture_VIDIOC_ENUM_FMT = VIDIOC_ENUM_FMT;
const unsigned long capture_VIDIOC_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
const unsigned long capture_VIDIOC_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
const unsigned long capture_VIDIOC_G_FMT = VIDIOC_G_FMT;
const unsigned long capture_VIDIOC_S_FMT = VIDIOC_S_FMT;
const unsigned long capture_VIDIOC_TRY_FMT = VIDIOC_TRY_FMT;
const unsigned long capture_VIDIOC_G_SELECTION = VIDIOC_G_SELECTION;
const unsigned long capture_VIDIOC_S_SELECTION = VIDIOC_S_SELECTION;
const unsigned long capture_VIDIOC_G_PARM = VIDIOC_G_PARM;
const unsigned long capture_VIDIOC_S_PARM = VIDIOC_S_PARM;
const unsigned long capture_VIDIOC_REQBUFS = VIDIOC_REQBUFS;
const unsigned long capture_VIDIOC_QUERYBUF = VIDIOC_QUERYBUF;
const unsigned long capture_VIDIOC_QBUF = VIDIOC_QBUF;
const unsigned long capture_VIDIOC_DQBUF = VIDIOC_DQBUF;
const unsigned long capture_VIDIOC_STREAMON = VIDIOC_STREAMON;
const unsigned long capture_VIDIOC_STREAMOFF = VIDIOC_STREAMOFF;
const unsigned long capture_VIDIOC_QUERY_EXT_CTRL = VIDIOC_QUERY_EXT_CTRL;
const unsigned long capture_VIDIOC_QUERYMENU = VIDIOC_QUERYMENU;
const unsigned long capture_VIDIOC_G_EXT_CTRLS = VIDIOC_G_EXT_CTRLS;
const unsigned long capture_VIDIOC_S_EXT_CTRLS = VIDIOC_S_EXT_CTRLS;
const unsigned long capture_VIDIOC_SUBSCRIBE_EVENT = VIDIOC_SUBSCRIBE_EVENT;
const unsigned long capture_VIDIOC_UNSUBSCRIBE_EVENT = VIDIOC_UNSUBSCRIBE_EVENT;
const unsigned long capture_VIDIOC_DQEVENT = VIDIOC_DQEVENT;
const unsigned long capture_VIDIOC_ENUMINPUT = VIDIOC_ENUMINPUT;
const unsigned long capture_VIDIOC_G_INPUT = VIDIOC_G_INPUT;
const unsigned long capture_VIDIOC_S_INPUT = VIDIOC_S_INPUT;
const unsigned long capture_VIDIOC_QUERY_DV_TIMINGS = VIDIOC_QUERY_DV_TIMINGS;
const unsigned long capture_VIDIOC_G_DV_TIMINGS = VIDIOC_G_DV_TIMINGS;
const unsigned long capture_VIDIOC_S_DV_TIMINGS = VIDIOC_S_DV_TIMINGS;
const unsigned long capture_VIDIOC_QUERYSTD = VIDIOC_QUERYSTD;
const unsigned long capture_VIDIOC_G_STD = VIDIOC_G_STD;
const unsigned long capture_VIDIOC_S_STD = VIDIOC_S_STD;
const unsigned long capture_VIDIOC_G_EDID = VIDIOC_G_EDID;
const unsigned long capture_VIDIOC_S_EDID = VIDIOC_S_EDID;

const uint32_t capture_EPOLLET = EPOLLET;

unsigned capture_default_encoding(unsigned colorspace) { return V4L2_MAP_YCBCR_ENC_DEFAULT(colorspace); }

unsigned capture_default_transfer_function(unsigned colorspace) { return V4L2_MAP_XFER_FUNC_DEFAULT(colorspace); }

unsigned capture_default_quantization(int is_rgb_or_hsv, unsigned colorspace, unsigned encoding) {
  (void)encoding;  // the kernel's macro has it, and no use for it
  return V4L2_MAP_QUANTIZATION_DEFAULT(is_rgb_or_hsv, colorspace, encoding);
}

struct capture_dv_timings capture_read_dv_timings(const void *timings) {
  const struct v4l2_bt_timings *bt = &((const struct v4l2_dv_timings *)timings)->bt;
  struct capture_dv_timings read = {
      .width = bt->width,
      .height = bt->height,
      .is_interlaced = bt->interlaced != 0,
      .pixel_clock = bt->pixelclock,
      .total = (uint64_t)V4L2_DV_BT_FRAME_WIDTH(bt) * V4L2_DV_BT_FRAME_HEIGHT(bt),
  };
  return read;
}

int capture_match_dv_timings(const void *one, const void *other) {
  struct capture_dv_timings a = capture_read_dv_timings(one), b = capture_read_dv_timings(other);
  if (a.width != b.width || a.height != b.height || a.is_interlaced != b.is_interlaced || a.total != b.total) return 0;
  // What is measured of a clock differs a little each time: v4l2_match_dv_timings() lets drivers say by how much, here it is 0.25 %.
  uint64_t distance = a.pixel_clock > b.pixel_clock ? a.pixel_clock - b.pixel_clock : b.pixel_clock - a.pixel_clock;
  return distance <= b.pixel_clock / 400;
}
