// Gives libv4lconvert damaged frames of every format that CaptureConvert has it convert, in memory that ends where nothing is mapped: a decoder that
// reads or writes beyond what Sources/CaptureConvert/LibraryConverter.swift gives it ends the program. Its own memory ends so too, by `--wrap=malloc`.
//
//   convert-fuzz SECONDS [SEED]
//
// Prints how many frames each format had; on a crash the format, the size and the seed.
#include <errno.h>
#include <libv4l-plugin.h>
#include <libv4lconvert.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

void *__real_malloc(size_t);
void __real_free(void *);

enum { PAGE = 4096, SLACK = 1 << 16, GUARDED = 256 };
static struct { void *user, *base; size_t bytes; } guarded[GUARDED];

// Ends at a page that nobody may touch, and begins behind one.
static void *guard(size_t count) {
  size_t pages = (count + PAGE - 1) / PAGE + 2;
  for (size_t i = 0; i < GUARDED; i++) {
    if (guarded[i].user) continue;
    uint8_t *base = mmap(NULL, pages * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    mprotect(base + PAGE, (pages - 2) * PAGE, PROT_READ | PROT_WRITE);
    guarded[i].base = base, guarded[i].bytes = pages * PAGE;
    return guarded[i].user = base + (pages - 1) * PAGE - count;
  }
  return NULL;
}

void *__wrap_malloc(size_t count) { return count >= PAGE ? guard(count) : __real_malloc(count); }

void __wrap_free(void *user) {
  for (size_t i = 0; user && i < GUARDED; i++) {
    if (guarded[i].user != user) continue;
    munmap(guarded[i].base, guarded[i].bytes);
    guarded[i].user = NULL;
    return;
  }
  __real_free(user);
}

static uint64_t state;
static uint32_t chance(uint32_t below) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t)(state >> 32) % below;
}

static char now_at[160];
static void crashed(int number) {
  (void)!write(2, now_at, strlen(now_at));
  signal(number, SIG_DFL);
  raise(number);
}

static void *init(int fd) { return (void)fd, NULL; }
static void closed(void *data) { (void)data; }
static ssize_t moved(void *data, int fd, void *bytes, size_t count) {
  return (void)data, (void)fd, (void)bytes, (void)count, -1;
}
static ssize_t written(void *data, int fd, const void *bytes, size_t count) {
  return (void)data, (void)fd, (void)bytes, (void)count, -1;
}
static int answer(void *data, int fd, unsigned long request, void *argument) {
  (void)data, (void)fd;
  struct v4l2_fmtdesc *entry = argument;
  if (request == VIDIOC_ENUM_FMT && entry->index == 0) return entry->pixelformat = V4L2_PIX_FMT_RGB24, 0;
  if (request == VIDIOC_S_CTRL || request == VIDIOC_S_EXT_CTRLS || request == VIDIOC_S_FMT) abort();
  return errno = EINVAL, -1;
}
static const struct libv4l_dev_ops operations = {
    .init = init, .close = closed, .ioctl = answer, .read = moved, .write = written};

// As LibraryFormat.swift has them, which LibraryFormatTests compares.
static const struct format { char code[5]; unsigned bits; int rgb; } formats[] = {
    {"HM12", 12, 0}, {"S501", 12, 0}, {"S505", 12, 0}, {"S508", 12, 0}, {"CITV", 12, 0}, {"KONI", 12, 0},
    {"S920", 12, 0}, {"M420", 12, 0}, {"Y10B", 10, 0}, {"Y04 ", 8, 0},  {"Y06 ", 8, 0},  {"PJPG", 0, 0},
    {"S680", 8, 1},  {"S561", 0, 1},  {"S910", 0, 1},  {"SONX", 0, 1},  {"P207", 0, 1},
    {"M310", 0, 1},  {"JL20", 0, 1},  {"905C", 0, 1},  {"S401", 0, 1},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static struct v4l2_format described(const char *code, unsigned width, unsigned height) {
  struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  format.fmt.pix.width = width, format.fmt.pix.height = height, format.fmt.pix.bytesperline = width;
  format.fmt.pix.pixelformat = v4l2_fourcc(code[0], code[1], code[2], code[3]);
  return format;
}

static int convert(struct v4lconvert_data *data, const struct format *format, unsigned width, unsigned height) {
  size_t area = (size_t)width * height, least = (area * format->bits + 7) / 8;
  size_t count = format->bits ? least + chance(64) : 1 + chance((uint32_t)area * 2);
  size_t room = (count > area * 4 ? count : area * 4) + SLACK, out = area * (format->rgb ? 6 : 3) / 2;
  uint8_t *source = guard(room), *target = guard(out + SLACK);
  memset(source, 0, room);
  // Noise, runs of one value, and headers that decoders look for.
  unsigned kind = chance(4);
  uint8_t run = (uint8_t)chance(256);
  for (size_t i = 0; i < count; i++) source[i] = kind == 0 || (kind == 1 && chance(20) == 0) ? (uint8_t)chance(256) : run;
  static const uint8_t heads[][6] = {{0xFF, 0xFF, 0x00, 0xFF, 0x96, 0x64}, {0xFF, 0xD8, 0xFF, 0xDB}, {0x1E, 0xE1}, {0xF0}, {0xD2}};
  if (kind > 1) {
    for (unsigned n = chance(40); n-- > 0;) source[chance((uint32_t)count)] = (uint8_t)chance(256);
    for (size_t at = 0; at + 6 < count; at += kind == 2 ? count : 1 + chance(400)) memcpy(source + at, heads[chance(5)], 6);
  }
  struct v4l2_format from = described(format->code, width, height);
  struct v4l2_format to = described(format->rgb ? "RGB3" : "YU12", width, height);
  v4lconvert_fixup_fmt(&to);
  int result = v4lconvert_convert(data, &from, &to, source, (int)count, target, (int)out);
  __wrap_free(source);
  __wrap_free(target);
  return result;
}

int main(int count, char **arguments) {
  double seconds = count > 1 ? atof(arguments[1]) : 10;
  uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
  signal(SIGSEGV, crashed), signal(SIGBUS, crashed), signal(SIGABRT, crashed), signal(SIGFPE, crashed);
  unsigned long frames[FORMATS] = {0}, good[FORMATS] = {0};
  static const unsigned sides[][2] = {{16, 16}, {18, 22}, {160, 120}, {176, 144}, {320, 240}, {352, 288}, {640, 480}};
  clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  for (uint64_t round = 0; clock() < end; round++) {
    struct v4lconvert_data *data = v4lconvert_create_with_dev_ops(-1, NULL, &operations);
    for (size_t i = 0; i < FORMATS; i++) {
      unsigned n = (unsigned)(round % (round % 50 ? 4 : 7));
      const unsigned *side = sides[n];
      state = (seed + round * FORMATS + i) * 0x9E3779B97F4A7C15u | 1;
      const char *only = getenv("ONLY");
      if (only && !strstr(only, formats[i].code)) continue;
      snprintf(now_at, sizeof now_at, "not ok convert_fuzz: a %.4s frame of %ux%u; seed %llu, round %llu\n", formats[i].code,
               side[0], side[1], (unsigned long long)seed, (unsigned long long)round);
      for (unsigned again = 0; again < 3; again++) {
        frames[i]++;
        good[i] += convert(data, &formats[i], side[0], side[1]) >= 0;
      }
    }
    v4lconvert_destroy(data);
  }
  printf("ok convert_fuzz: nothing found; seed %llu; frames (converted):", (unsigned long long)seed);
  for (size_t i = 0; i < FORMATS; i++) printf(" %.4s %lu (%lu)", formats[i].code, frames[i], good[i]);
  printf("\n");
  return 0;
}
