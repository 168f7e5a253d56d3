"""Whether what was measured is the machine's doing: `with Witness() as witness: …`, then `witness.excuse`, which says how; `None`: it is not.

A host that runs other machines takes processors away for as long as seconds, and tells nobody: a process that only sleeps sees it. And another
process may have had them: what was used of all processors, and by nobody that this one started."""

import os
import subprocess
import sys
import time

STEP = 0.01
# Seconds without a processor from which on the machine stood still: long enough for a frame to be replaced by the next one. A process
# that sleeps most of the time waits less for one that it shares.
STANDSTILL = 0.03
# The part of all processors that others may use. Some of it is the kernel's work for this test.
OTHERS = 0.1


def used_by_all():
    """Seconds of processors, those that the host kept among them."""
    with open("/proc/stat") as file:
        fields = [int(field) for field in file.readline().split()[1:]]
    user, nice, system, steal = *fields[:3], fields[7]
    return (user + nice + system + steal) / os.sysconf("SC_CLK_TCK")


def used_by_us():
    """By this process, and those that it started and has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Witness:
    def __enter__(self):
        self.began, self.all, self.ours = time.monotonic(), used_by_all(), used_by_us()
        self.processes = [
            subprocess.Popen([sys.executable, __file__, str(cpu)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
            for cpu in os.sched_getaffinity(0)
        ]
        return self

    def __exit__(self, *_):
        answers = [process.communicate()[0] for process in self.processes]
        self.gaps = [float(word) for answer in answers for word in answer.split()]
        self.longest = max(self.gaps, default=0)
        processors = (time.monotonic() - self.began) * len(os.sched_getaffinity(0))
        self.others = (used_by_all() - self.all - (used_by_us() - self.ours)) / processors

    @property
    def excuse(self):
        if self.gaps:
            return f"the machine stood still for {self.longest:.3f} s"
        if self.others > OTHERS:
            return f"others had {self.others:.0%} of the processors"
        return None

    def frames_missed(self, rate):
        """How many frames of a camera fell into the time in which the machine stood still, and the one after each."""
        return sum(int(gap * rate) + 1 for gap in self.gaps)


def main(cpu):
    os.sched_setaffinity(0, {cpu})
    os.set_blocking(0, False)
    gaps, last = [], time.monotonic()
    # Until the input is closed.
    while sys.stdin.buffer.raw.read(1) is None:
        time.sleep(STEP)
        now = time.monotonic()
        gap, last = now - last - STEP, now
        if gap > STANDSTILL:
            gaps.append(gap)
    print(*gaps)


if __name__ == "__main__":
    main(int(sys.argv[1]))
