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

/// `EPOLLET`, which does not fit the type that Swift gives it.
extern const uint32_t capture_EPOLLET;
