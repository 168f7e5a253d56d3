"""Whether the machine itself stood still: `with Witness() as witness: …; witness.longest` seconds that a process which only sleeps
waited for each processor. A host that runs other machines takes processors away for as long as seconds, and tells nobody."""

import os
import subprocess
import sys
import time

STEP = 0.01


class Witness:
    def __enter__(self):
        self.processes = [
            subprocess.Popen([sys.executable, __file__, str(cpu)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
            for cpu in os.sched_getaffinity(0)
        ]
        return self

    def __exit__(self, *_):
        answers = [process.communicate()[0] for process in self.processes]
        self.longest = max(float(answer) for answer in answers)


def main(cpu):
    os.sched_setaffinity(0, {cpu})
    os.set_blocking(0, False)
    longest, last = 0.0, time.monotonic()
    # Until the input is closed.
    while sys.stdin.buffer.raw.read(1) is None:
        time.sleep(STEP)
        now = time.monotonic()
        longest, last = max(longest, now - last - STEP), now
    print(longest)


if __name__ == "__main__":
    main(int(sys.argv[1]))
