"""Clients that come, misbehave and go, for a while; then the node has to be as it was.

usage: churn.py CAPTURE-NODE-BINARY SECONDS

Prints "ok NAME" or "not ok NAME: why" for what is checked at the end.
"""

import random
import subprocess
import sys
import threading
import time

from capture_client import Connection, NodeError, pb

CLIENTS = 8


def reads_some_frames(node):
    frames = node.frames("0")
    for _ in range(random.randrange(1, 10)):
        next(frames)
    frames.close()


def leaves_in_the_middle_of_a_frame(node):
    next(node.frames("0", encoding=pb.ENCODING_RAW))
    node.receive()


def stops_reading(node):
    next(node.frames("0", encoding=pb.ENCODING_RAW, window=100))
    time.sleep(random.random())


def cancels_at_once(node):
    for _ in range(5):
        frames = node.frames("0")
        next(frames)
        frames.close()


def takes_a_photo(node):
    node.photo("0", quality=random.randrange(1, 101))


def sends_rubbish(node):
    node.socket.sendall(random.randbytes(random.randrange(1, 4000)))


def cuts_a_packet_short(node):
    node.socket.sendall(bytes([0, 0, 0, 100, 0, 0, 0, 0, 8]))


def asks_for_what_is_not(node):
    node.unary("capture.v1.Devices/Formats", pb.FormatsRequest(device="nothing"), pb.FormatsResponse)


HABITS = [reads_some_frames, leaves_in_the_middle_of_a_frame, stops_reading, cancels_at_once, takes_a_photo,
          sends_rubbish, cuts_a_packet_short, asks_for_what_is_not]


def come_and_go(address, until, failures, counts):
    while time.monotonic() < until:
        habit = random.choice(HABITS)
        try:
            with Connection(address) as node:
                habit(node)
        except (NodeError, BrokenPipeError, ConnectionResetError):
            pass  # what some habits earn
        except Exception as error:  # a hang ends in TimeoutError, by the socket's timeout
            failures.append(f"{habit.__name__}: {error!r}")
        counts[habit.__name__] = counts.get(habit.__name__, 0) + 1


def churn(address, seconds, failures, counts):
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=come_and_go, args=(address, until, failures, counts)) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def status(address):
    with Connection(address) as node:
        return node.unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse)


def settled(address, threads=None):
    """Status once nobody but the asker is there, and no more than so many threads, or after 10 s: Dispatch keeps a thread that has no work for 5 s."""
    until = time.monotonic() + 10
    while True:
        now = status(address)
        quiet = now.clients == 1 and now.calls == 1 and not any(camera.buffers_lent for camera in now.cameras)
        quiet = quiet and (threads is None or now.threads <= threads)
        if quiet or time.monotonic() > until:
            return now
        time.sleep(0.1)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    seconds = float(sys.argv[2])
    random.seed(7)
    node = subprocess.Popen(
        [sys.argv[1], "--trust-local-users", "--listen", "127.0.0.1:0", "--state", "none", "--log-level", "error", "--camera", "synthetic:640x480@60"],
        stdout=subprocess.PIPE, text=True)
    failures, counts, wrong = [], {}, 0

    def check(name, good, why=""):
        nonlocal wrong
        wrong += not good
        print(f"ok {name}" if good else f"not ok {name}: {why}", flush=True)

    try:
        address = node.stdout.readline().removeprefix("listening on ").strip()
        churn(address, seconds / 4, failures, counts)  # what is allocated once is allocated now
        before = settled(address)
        churn(address, seconds * 3 / 4, failures, counts)
        after = settled(address, before.threads + 4)
        print("visits:", counts)
        check("no_client_hangs_or_gets_nonsense", not failures, "; ".join(failures[:5]))
        check("no_connection_stays", after.clients == 1, after.clients)
        check("no_handler_stays", after.calls == 1, after.calls)
        check("no_buffer_stays_lent", not any(camera.buffers_lent for camera in after.cameras), after.cameras)
        check("no_descriptor_stays", after.descriptors <= before.descriptors, (before.descriptors, after.descriptors))
        check("memory_does_not_grow", after.resident_bytes < before.resident_bytes * 1.15 + 4e6,
              (before.resident_bytes, after.resident_bytes))
        check("threads_do_not_grow", after.threads <= before.threads + 4, (before.threads, after.threads))
    finally:
        node.terminate()
    check("the_node_ends_in_order", node.wait(15) == 0, node.returncode)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
