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

const uint32_t capture_EPOLLET = EPOLLET;
