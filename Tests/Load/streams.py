"""Streams whose readers are slow, far away, or gone."""

import json
import subprocess
import sys
import time
from pathlib import Path

from bad_link import NEAR, BadLink
from node import Grown, LostFrames, Node, killed, require_in_time, wait_until
from open_calls import BULK, subscribe
from wire import Wire, pb, require

RATE = 30
# After SIGTERM, as a node that is told nothing else has it.
GRACE_S = 3.5
FULL_HD = f"synthetic:1920x1080@{RATE}"
FAR_END = Path(__file__).with_name("far_end.py")


def stalled_readers(report, seconds=20):
    """100 clients that stop reading, half of them in the middle of a frame, half of the camera's own buffers; one that reads loses nothing."""
    with Node("--camera", FULL_HD) as node:
        crowd = [Wire(node.address).greet() for _ in range(100)]
        healthy = node.capturectl("--json", "stream", "0", "--format", "YUYV", "--duration", str(seconds + 5), "-o",
                                  "/dev/null", stdout=subprocess.PIPE, text=True)
        wait_until(lambda: node.status().cameras[0].streaming, "the healthy reader's stream")
        for index, wire in enumerate(crowd):
            subscribe(wire, credit=1_000, encoding=pb.ENCODING_RAW if index % 4 < 2 else pb.ENCODING_JPEG)
            if index % 2:
                wire.bytes(50_000, time.monotonic() + 5)
        settle = time.monotonic() + 4
        samples, lent, heard = [], 0, time.monotonic()
        while time.monotonic() < settle + seconds - 4:
            time.sleep(0.25)
            if time.monotonic() > heard + 10:
                # They live, and do not read: without a word the node would give them up.
                heard = time.monotonic()
                for wire in crowd:
                    wire.send()
            if time.monotonic() > settle:
                samples.append((time.monotonic(), node.resident_bytes()))
                lent = max(lent, node.status().cameras[0].buffers_lent)
        clients = node.status().clients
        result = json.loads(healthy.communicate(timeout=60)[0])
        for wire in crowd:
            wire.close()
        is_long = seconds >= 120
        slope = (slope_of(samples) if is_long else steady_slope_of(samples)) * 60 / 2**20
        lost = node.status().cameras[0].frames_lost
        report(f"RSS {samples[-1][1] / 2**20:.1f} MiB, slope {slope:.2f} MiB/min, at most {lent} buffers lent, "
               f"{lost} frames lost by the camera, {node.threads()} threads; the reader had {result['frames']} frames, "
               f"{result['discarded']} discarded")
        require(healthy.returncode == 0, "the healthy reader failed")
        require(clients > 100, f"only {clients} clients were left at the end")
        require(0 < lent <= 3, "the camera lent nothing, or is short of buffers")
        if is_long and slope >= 1:
            raise Grown(slope)
        require(slope < 1 or samples[-1][1] - samples[0][1] < 1 << 20, "memory grows")
        # Frames of `seconds` + 5 seconds; the first ones pass until the camera runs.
        missing = max(result["discarded"] + max(result["sequence_gaps"], lost), RATE * seconds - result["frames"])
        if missing > 0:
            raise LostFrames(missing, RATE)


def steady_slope_of(samples):
    """How fast memory grows in that third of a short time in which it grows least, in bytes a second. What grows with time grows in each third; a
    buffer that is needed for the first time, as after the machine stood still, is made in one of them."""
    size = len(samples) // 3
    return min(slope_of(samples[third * size:(third + 1) * size]) for third in range(3))


def slope_of(samples):
    """Least squares, bytes a second."""
    x0, y0 = samples[0]
    xs, ys = [x - x0 for x, _ in samples], [y - y0 for _, y in samples]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def killed_node(report):
    """kill -9 of the node in the middle of a stream: the client knows within 1 s and says so."""
    with Node("--camera", FULL_HD) as node:
        client = node.capturectl("stream", "0", "-o", "/dev/null", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 text=True)
        wait_until(lambda: node.status().cameras[0].subscribers == 1, "the stream")
        node.process.kill()
        began = time.monotonic()
        text = client.communicate(timeout=5)[1]
        took = time.monotonic() - began
        report(f"{took:.2f} s: {text.strip()!r}, exit {client.returncode}")
        require_in_time(took < 1, "the client did not notice in time")
        require(client.returncode == 1, "the client did not fail")
        require("UNAVAILABLE" in text, "the text does not say what happened")


def terminated_under_load(report):
    """SIGTERM: calls that began finish, streams end, and whatever else clients have open or leave unread, the process is gone within 5 s with
    status 0."""
    with Node("--camera", FULL_HD) as node:
        streams = [node.capturectl("stream", "0", "-o", "/dev/null", stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL) for _ in range(5)]
        wait_until(lambda: node.status().cameras[0].subscribers == 5, "the streams")
        with (Wire(node.address).greet() as wire, Wire(node.address).greet() as late, Wire(node.address).greet() as stalled,
              Wire(node.address).greet() as stuck):
            # Neither ends by itself, nor does its client close.
            stalled.call("Upload", pb.TestRequest(), last=False)
            stalled.expect_alive()
            stuck.first_message(stuck.call("Download", BULK))
            # Half a second is left then.
            late.call("Unary", pb.TestRequest(interval_us=int((GRACE_S - 0.5) * 1e6)))
            late.expect_alive()
            call = wire.call("Download", pb.TestRequest(response_count=10, interval_us=100_000))
            wire.first_message(call)
            began = time.monotonic()
            node.terminate()
            require(answers_to_the_end(wire) == 9, "some of the call's answers did not come")
            require(answers_to_the_end(late) == 1, "the call near the end of the grace period has no answer")
            finished = time.monotonic() - began
            status = node.process.wait(timeout=10)
            took = time.monotonic() - began
        for stream in streams:
            stream.wait(timeout=5)
        report(f"the last call ended after {finished:.2f} s; gone after {took:.2f} s, exit {status}")
        require(status == 0, "the node did not end in order")
        require_in_time(took < 5, "the node did not end in time")


def answers_to_the_end(wire):
    """How many messages come until the connection's only call ends in OK, past the GoAway that says that the node ends."""
    messages = 0
    while True:
        received = wire.receive(within=6)
        require(received is not None, "the connection ended before the call did")
        envelope, kind = received[0], received[0].WhichOneof("kind")
        require_in_time(kind != "go_away" or envelope.go_away.code == 0, "the grace period was over before the call")
        messages += kind == "message"
        if kind == "status":
            require(envelope.status.code == 0, f"the call ended in {envelope.status}")
            return messages


def terminated_at_rest(report):
    """SIGTERM where nobody has anything under way: who closes when told is not waited for, and the process is gone at once."""
    with Node("--camera", "synthetic") as node:
        crowd = [Wire(node.address).greet() for _ in range(50)]
        began = time.monotonic()
        node.terminate()
        for wire in crowd:
            wire.expect_go_away(0, "shutting down")
            wire.close()
        status = node.process.wait(timeout=10)
        took = time.monotonic() - began
        report(f"gone after {took:.2f} s, exit {status}")
        require(status == 0, "the node did not end in order")
        require_in_time(took < 0.4, "the node waited for clients that had closed")


# It takes minutes to calibrate.
SLOW = "synthetic:physics:320x240@2"


def black_hole(report, keepalive=45):
    """A peer whose packets no longer arrive is gone within 45 s, and what it held with it: its stream, the camera's buffers, and the camera that
    a call of it has for itself while it runs."""
    with BadLink(1_000, 2, 0) as link, Node("--camera", FULL_HD, "--camera", SLOW,
                                            listen=f"{NEAR}:0", plaintext=True) as node:
        with killed(link.popen([sys.executable, FAR_END, "sit", node.address], stdout=subprocess.PIPE, text=True, env=node.environment)) as client:
            require(client.stdout.readline() == "connected\n", "the far end did not connect")
            wait_until(lambda: node.status().leases == 1, "the far end's hold of the slow camera")
            link.is_black_hole = True
            require(node.status().cameras[0].streaming, "the far end has no stream")
            began = held = time.monotonic()

            def is_gone():
                nonlocal held
                status = node.status()
                held = time.monotonic() if status.leases else held
                return status.clients == 1

            gone = wait_until(is_gone, "the end of the unreachable client", 2 * keepalive)
            require(began + gone - held < 1, "the call that has the slow camera ended before its client did")
            left = gone + wait_until(lambda: is_free(node.status()), "the end of what it held")
        report(f"gone after {gone:.1f} s, what it held after {left:.1f} s")
        require_in_time(left < keepalive, "it stayed")


def is_free(status):
    camera = status.cameras[0]
    return not camera.streaming and camera.buffers_lent == 0 and status.leases == 0 and status.calls == 1


def lossy_link(report):
    """100 ms of delay each way, up to 20 ms more, and 2 % loss: the stream goes on, and the client says what was discarded."""
    with BadLink(20, 200, 2, 20) as link, Node("--camera", "synthetic:1280x720@30",
                                           listen=f"{NEAR}:0", plaintext=True) as node:
        command = [node.command[0].parent / "capturectl", "--node", node.address, "--json", "stream", "0", "--duration", "10",
                   "-o", "/dev/null"]
        client = link.popen(command, stdout=subprocess.PIPE, text=True, env=node.environment)
        result = json.loads(client.communicate(timeout=30)[0])
        lost = node.status().cameras[0].frames_lost
        report(f"{result['frames']} frames, {result['discarded']} discarded, gaps {result['sequence_gaps']}, "
               f"{lost} lost by the camera")
        require(client.returncode == 0 and result["frames"] >= 10, "the stream starved")
        require(result["discarded"] > 0, "what did not fit was not said")
        require(result["sequence_gaps"] <= lost, "frames are missing that nobody counted")


def fresh_on_a_slow_link(report):
    """20 Mbit/s, 20 ms: 300 KB frames at 30 a second do not fit. A frame's age stays near its own transmission.

    For 7 s: where the kernel's congestion control is BBR it sends 4 packets a round trip for 0.2 s, ten seconds after it began and every ten
    seconds from then on (PROBE_RTT), and the frame of that moment is late whatever the node does (docs/performance.md)."""
    with BadLink(20, 20, 0) as link, Node("--camera", FULL_HD,
                                          listen=f"{NEAR}:0", plaintext=True) as node:
        client = link.popen([sys.executable, FAR_END, "age", node.address, "7"], stdout=subprocess.PIPE, text=True, env=node.environment)
        result = json.loads(client.communicate(timeout=40)[0])
        frame, chunk = (count * 8 / 20e6 for count in (result["frame_bytes"], 262_144))
        age_bound, call_bound = 2 * frame + 0.02, chunk + 0.02
        report(f"{result['frame_bytes'] / 1e3:.0f} KB frames: age p50 {result['age_p50']:.3f} s, p99 {result['age_p99']:.3f} s "
               f"(bound {age_bound:.3f}); a call meanwhile p99 {result['call_p99']:.3f} s (bound {call_bound:.3f})")
        require_in_time(result["age_p99"] <= age_bound, "frames are stale")
        require_in_time(result["call_p99"] <= call_bound, "a call waits behind frames")
