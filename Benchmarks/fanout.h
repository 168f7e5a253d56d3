// What a frame of the fan-out servers begins with.
#pragma once

enum { header_bytes = 8 + 24 };  // as long as a packet's prefix and a short envelope

typedef struct {
  double sent;  // when the frame was made, seconds of CLOCK_MONOTONIC
  char rest[header_bytes - sizeof(double)];
} Header;
