// The kernel's tcp_info, which is longer than the C library's.
#include "CCaptureShims.h"

#include <linux/tcp.h>

uint64_t capture_delivery_rate(int descriptor) {
  struct tcp_info info;
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  if (size < offsetof(struct tcp_info, tcpi_delivery_rate) + sizeof info.tcpi_delivery_rate) return 0;
  return info.tcpi_delivery_rate;
}
