#define _GNU_SOURCE  // dl_iterate_phdr
#include "CCaptureShims.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

// The first object is the program itself. What it cannot write is as it is in its file, and comes back from there.
static int let_go(struct dl_phdr_info *program, size_t size, void *unused) {
  (void)size, (void)unused;
  uintptr_t page = sysconf(_SC_PAGESIZE);
  for (int i = 0; i < program->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    uintptr_t start = program->dlpi_addr + segment->p_vaddr;
    uintptr_t first = (start + page - 1) / page * page, end = (start + segment->p_memsz) / page * page;
    if (end > first) madvise((void *)first, end - first, MADV_DONTNEED);
  }
  return 1;
}

void capture_let_go_of_code(void) { dl_iterate_phdr(let_go, NULL); }
