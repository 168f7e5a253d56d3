#pragma once
// V4L2's ioctl numbers: macros with casts that Swift cannot import. The structs come from CVideo4Linux.

#include <sys/epoll.h>

extern const unsigned long capture_VIDIOC_QUERYCAP;
extern const unsigned long capture_VIDIOC_ENUM_FMT;
extern const unsigned long capture_VIDIOC_ENUM_FRAMESIZES;
extern const unsigned long capture_VIDIOC_ENUM_FRAMEINTERVALS;
extern const unsigned long capture_VIDIOC_G_FMT;
extern const unsigned long capture_VIDIOC_S_FMT;
extern const unsigned long capture_VIDIOC_TRY_FMT;
extern const unsigned long capture_VIDIOC_G_SELECTION;
extern const unsigned long capture_VIDIOC_S_SELECTION;
extern const unsigned long capture_VIDIOC_G_PARM;
extern const unsigned long capture_VIDIOC_S_PARM;
extern const unsigned long capture_VIDIOC_REQBUFS;
extern const unsigned long capture_VIDIOC_QUERYBUF;
extern const unsigned long capture_VIDIOC_QBUF;
extern const unsigned long capture_VIDIOC_DQBUF;
extern const unsigned long capture_VIDIOC_STREAMON;
extern const unsigned long capture_VIDIOC_STREAMOFF;
extern const unsigned long capture_VIDIOC_QUERY_EXT_CTRL;
extern const unsigned long capture_VIDIOC_QUERYMENU;
extern const unsigned long capture_VIDIOC_G_EXT_CTRLS;
extern const unsigned long capture_VIDIOC_S_EXT_CTRLS;
extern const unsigned long capture_VIDIOC_SUBSCRIBE_EVENT;
extern const unsigned long capture_VIDIOC_UNSUBSCRIBE_EVENT;
extern const unsigned long capture_VIDIOC_DQEVENT;
extern const unsigned long capture_VIDIOC_ENUMINPUT;
extern const unsigned long capture_VIDIOC_G_INPUT;
extern const unsigned long capture_VIDIOC_S_INPUT;
extern const unsigned long capture_VIDIOC_QUERY_DV_TIMINGS;
extern const unsigned long capture_VIDIOC_G_DV_TIMINGS;
extern const unsigned long capture_VIDIOC_S_DV_TIMINGS;
extern const unsigned long capture_VIDIOC_QUERYSTD;
extern const unsigned long capture_VIDIOC_G_STD;
extern const unsigned long capture_VIDIOC_S_STD;
extern const unsigned long capture_VIDIOC_G_EDID;
extern const unsigned long capture_VIDIOC_S_EDID;

/// `EPOLLET`, which does not fit the type that Swift gives it.
extern const uint32_t capture_EPOLLET;

/// `V4L2_MAP_YCBCR_ENC_DEFAULT`: the `enum v4l2_ycbcr_encoding` for an `enum v4l2_colorspace`.
unsigned capture_default_encoding(unsigned colorspace);

/// `V4L2_MAP_XFER_FUNC_DEFAULT`: the `enum v4l2_xfer_func` for an `enum v4l2_colorspace`.
unsigned capture_default_transfer_function(unsigned colorspace);

/// `V4L2_MAP_QUANTIZATION_DEFAULT`: the `enum v4l2_quantization`.
unsigned capture_default_quantization(int is_rgb_or_hsv, unsigned colorspace, unsigned encoding);

/// The members of a `struct v4l2_dv_timings` that are read; its own are packed and in a union.
struct capture_dv_timings {
  uint32_t width, height;
  int is_interlaced;
  uint64_t pixel_clock;
  /// The pixels of a whole frame, with blanking.
  uint64_t total;
};
struct capture_dv_timings capture_read_dv_timings(const void *timings);

/// `v4l2_match_dv_timings()`, as strict as a card has to be: the same picture at the same rate.
int capture_match_dv_timings(const void *one, const void *other);
