// GStreamer at the work of fanout-floor.c: one source of frames, tcpserversink to all clients. Slow clients are resynchronized to the
// newest frame, as ours are. The payload's memory is one and the same for every frame.
//
//   gstreamer-peer BYTES RATE       prints its port, and sends until it is killed
//   gstreamer-peer --pipeline       prints the pipeline
#include "fanout.h"
#include "measure.h"

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

static const char pipeline_text[] =
    "appsrc name=source format=time is-live=true ! "
    "tcpserversink name=sink host=127.0.0.1 port=0 sync=false recover-policy=latest units-soft-max=2 units-max=8";

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], "--pipeline") == 0) {
    puts(pipeline_text);
    return 0;
  }
  if (count != 3) {
    fprintf(stderr, "usage: gstreamer-peer BYTES RATE\n");
    return 2;
  }
  size_t bytes = strtoull(words[1], NULL, 10);
  double period = 1 / atof(words[2]);
  gst_init(NULL, NULL);
  GstElement *pipeline = gst_parse_launch(pipeline_text, NULL);
  require(pipeline != NULL, "the pipeline");
  GstElement *source = gst_bin_get_by_name(GST_BIN(pipeline), "source"), *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  int port = 0;
  while (port == 0) {
    g_object_get(sink, "current-port", &port, NULL);
    g_usleep(1000);
  }
  printf("%d\n", port);
  fflush(stdout);

  void *payload = malloc(bytes);
  require(payload != NULL, "memory");
  memset(payload, 'x', bytes);
  GstMemory *shared = gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY, payload, bytes, 0, bytes, NULL, NULL);
  for (double next = seconds_on(CLOCK_MONOTONIC);; next += period) {
    struct timespec due = {(time_t)next, (long)((next - (time_t)next) * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    GstBuffer *frame = gst_buffer_new_allocate(NULL, header_bytes, NULL);
    Header header = {.sent = next};
    gst_buffer_fill(frame, 0, &header, sizeof header);
    gst_buffer_append_memory(frame, gst_memory_ref(shared));
    if (gst_app_src_push_buffer(GST_APP_SRC(source), frame) != GST_FLOW_OK) return 1;
  }
}
