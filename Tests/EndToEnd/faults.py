"""Every fault that vivid can inject, while capturectl streams from it."""

import contextlib
import time

from cameras import MULTI, PATHS, SINGLE, SMALL, SMALL_BYTES, capture_client, on, reset

ANNOUNCED = 1.0  # seconds until a client hears of a fault
RECOVERED = 2.0  # seconds until frames come again after it has cleared


def injected(machine, control, camera, *assignments):
    """Streams, injects, and hands back the camera's counters before and after, once frames come again."""
    def inject():
        with control.stream(camera, SMALL_BYTES, *SMALL) as stream:
            stream.more(5)
            before, descriptors = control.camera(camera), control.descriptors()
            control("set", camera, *assignments)
            took = stream.more(15, within=RECOVERED)
            control.settle(descriptors)
            return before, control.camera(camera), stream.errors, took
    return machine.measure(inject)


def a_flagged_buffer_is_dropped_and_counted(machine, control, camera):
    before, after, errors, _ = injected(machine, control, camera, "inject_v4l2_buf_flag_error=1")
    assert after["frames_flagged"] == before["frames_flagged"] + 1, (before, after)
    assert errors == [], errors


def a_restart_is_announced(machine, control, camera, *faults):
    before, after, errors, _ = injected(machine, control, camera, *(f"{fault}=1" for fault in faults))
    assert after["restarts"] > before["restarts"], (before, after)
    assert any("no frames for now" in error for error in errors), errors


def nothing_comes_of(machine, control, camera, fault):
    """It is about media requests, which a node does not make."""
    before, after, errors, _ = injected(machine, control, camera, f"{fault}=1")
    assert all(after[field] == before[field] for field in ("frames_flagged", "restarts", "last_error")), (before, after)
    assert errors == [], errors


def silence_is_announced_and_ends_with_the_fault(machine, control, camera):
    """All buffers dropped: a stall is one after a second, of which the client hears within another."""
    def silence():
        control("set", camera, "percentage_of_dropped_buffers=0")
        with control.stream(camera, SMALL_BYTES, *SMALL) as stream:
            stream.more(5)
            descriptors = control.descriptors()
            control("set", camera, "percentage_of_dropped_buffers=100")
            heard = stream.said("no frames for now", within=5) - stream.last
            assert heard < 1 + ANNOUNCED, f"heard after {heard:.2f} s: {stream.errors}"
            control("set", camera, "percentage_of_dropped_buffers=0")
            stream.more(3, within=RECOVERED)
            control.settle(descriptors)
    machine.measure(silence)


def some_dropped_buffers_are_counted(machine, control, camera):
    """In mid-stream; the stream goes on with what is left."""
    def dropped():
        control("set", camera, "percentage_of_dropped_buffers=0")
        with control.stream(camera, SMALL_BYTES, *SMALL) as stream:
            stream.more(5)
            before, descriptors = control.camera(camera), control.descriptors()
            control("set", camera, "percentage_of_dropped_buffers=50")
            stream.more(60)
            control("set", camera, "percentage_of_dropped_buffers=0")
            stream.more(15, within=RECOVERED)
            after = control.camera(camera)
            control.settle(descriptors)
        assert after["frames_lost"] > before["frames_lost"] + 20, (before, after)
        assert all(after[field] == before[field] for field in ("frames_flagged", "restarts", "last_error")), (before, after)
        assert stream.errors == [], stream.errors
    machine.measure(dropped)


def a_client_is_told_of_dropped_buffers(machine, control, camera):
    control("set", camera, "percentage_of_dropped_buffers=30")
    before = control.camera(camera)["frames_lost"]
    report = control.json("stream", camera, *SMALL, "--count", "60")
    assert report["sequence_gaps"] > 0, report
    assert control.camera(camera)["frames_lost"] >= before + report["sequence_gaps"]
    control("set", camera, "percentage_of_dropped_buffers=0")


def wrapped_numbers_go_unnoticed(machine, control, camera):
    """Vivid's sequence numbers wrap some seconds after streaming starts. A wrap taken for a loss would be one of
    billions; what vivid's own thread had no processor for shows in the rate."""
    control("set", camera, "wrap_sequence_number=1")
    before, descriptors = control.camera(camera), control.descriptors()
    report = control.json("stream", camera, *SMALL, "--count", "200")
    after = control.camera(camera)
    due = report["frames"] / report["fps"] * 30
    assert report["sequence_gaps"] <= due - report["frames"] + 20, (report, due)
    assert after["restarts"] == before["restarts"]
    control.settle(descriptors)
    control("set", camera, "wrap_sequence_number=0")


# Vivid's wrap_timestamp: where its time wraps in nanoseconds, 16 s after a stream's start; as a signed number of 64 bits, and as seconds of 32.
WRAPS = {1: 1 << 63, 2: (1 << 31) * 1_000_000_000}
# Frames a second until the wrap.
RATE = 10
INTERVAL = 1e9 / RATE


def wrapped_times_go_unnoticed(machine, control):
    """In mid-stream, each in its way on a camera, both at once: times go on with the numbers."""
    wraps = {SINGLE: WRAPS[1], MULTI: WRAPS[2]}

    def wrapped():
        before = {camera: control.camera(camera) for camera in PATHS}
        with contextlib.ExitStack() as stack:
            streams = {camera: stack.enter_context(raw_frames(machine, camera)) for camera in PATHS}
            seen = {camera: [] for camera in PATHS}
            descriptors = None
            while not all(infos and infos[-1].timestamp_ns > wraps[camera] + 1e9 for camera, infos in seen.items()):
                for camera, stream in streams.items():
                    frame = next(stream)
                    assert frame.data, f"{camera} paused: {frame}"
                    seen[camera].append(frame.info)
                assert len(seen[SINGLE]) < 30 * RATE, "no wrap in 30 s of frames"
                descriptors = descriptors or control.descriptors()
            control.settle(descriptors)
        for camera, infos in seen.items():
            taken = [(info.sequence, info.timestamp_ns) for info in infos]
            assert taken[0][1] < wraps[camera] - 10e9, (camera, taken[0])
            for one, other in zip(taken, taken[1:]):
                assert one[0] < other[0] and one[1] < other[1], (camera, one, other)
                # Late by less than what is a stall; what is wrong about a wrap is wrong by decades.
                assert abs(other[1] - one[1] - (other[0] - one[0]) * INTERVAL) < 1e9, (camera, one, other)
            assert control.camera(camera)["restarts"] == before[camera]["restarts"], camera

    # Not by the node: it would do so again at each stream's start.
    for camera, wrap in (SINGLE, 1), (MULTI, 2):
        machine.guest(f"v4l2-ctl -d {PATHS[camera]} --set-ctrl wrap_timestamp={wrap}")
    machine.measure(wrapped)
    reset(machine)


@contextlib.contextmanager
def raw_frames(machine, camera):
    """Small ones, one after the other."""
    pb = capture_client.pb
    with capture_client.Connection(machine.address, timeout=20, credential=machine.credential.secret) as node, contextlib.closing(node.frames(
            camera, encoding=pb.ENCODING_RAW, pixel_format=int.from_bytes(b"YUYV", "little"),
            size=pb.Size(width=320, height=180), rate=RATE)) as frames:
        yield frames


def a_time_that_jumps_is_a_restart_as_any(machine, control, camera):
    """There by centuries and back, where the stream is restarted; also for a client that takes fewer frames than there are, by their times."""
    def jumped():
        with control.stream(camera, SMALL_BYTES, *SMALL) as every:
            every.more(5)
            with control.stream(camera, SMALL_BYTES, *SMALL, "--rate", "10") as few:
                few.more(1)
                before, descriptors = control.camera(camera), control.descriptors()
                for wrap in (*WRAPS, 0):
                    machine.guest(f"v4l2-ctl -d {PATHS[camera]} --set-ctrl wrap_timestamp={wrap} && "
                                  f"v4l2-ctl -d {PATHS[camera]} --set-ctrl {FATAL}=1")
                    every.more(15, within=RECOVERED)
                    few.more(5, within=RECOVERED)
                assert control.camera(camera)["restarts"] >= before["restarts"] + 3
                control.settle(descriptors)
    machine.measure(jumped)


def a_refused_start_is_an_error_and_the_next_one_works(machine, control, camera):
    for fault in "inject_vidioc_reqbufs_error", "inject_vidioc_streamon_error":
        descriptors = control.descriptors()
        control("set", camera, f"{fault}=1")
        error = control.refused("stream", camera, *SMALL, "--count", "1")
        assert PATHS[camera] in error, error
        control.settle(descriptors)
        assert control.json("stream", camera, *SMALL, "--count", "2")["frames"] == 2


def unplugged_it_comes_back_as_itself(machine, control, camera):
    def unplugged():
        known = control.device(camera)
        with control.watch() as watch:
            watch.event("listed")
            with control.stream(camera, SMALL_BYTES, *SMALL) as stream:
                stream.more(5)
                descriptors = control.descriptors()
                pulled = time.monotonic()
                machine.guest(f"v4l2-ctl -d {PATHS[camera]} --set-ctrl disconnect=1")
                heard = stream.said("UNAVAILABLE", within=5) - pulled
                # Back within milliseconds, before the watch has told that it was gone: changes of one camera coalesce.
                device = watch.event("appeared", camera)
                back = time.monotonic() - pulled
            assert heard < ANNOUNCED, f"heard after {heard:.2f} s"
            assert back < RECOVERED, f"back after {back:.2f} s"
            assert (device["index"], device["id"]) == (known["index"], known["id"]), device
            with control.stream(camera, SMALL_BYTES, *SMALL) as stream:
                stream.more(5)
                control.settle(descriptors)
        return heard, back
    heard, back = machine.measure(unplugged)
    print(f"# heard after {heard:.2f} s, back after {back:.2f} s", flush=True)


def idle_and_unplugged_by_another_program_it_comes_back(machine, control, camera):
    def unplugged():
        known = control.device(camera)
        with control.watch() as watch:
            watch.event("listed")
            machine.guest(f"v4l2-ctl -d {PATHS[camera]} --set-ctrl disconnect=1")
            device = watch.event("appeared", camera, within=2 + RECOVERED)
            assert device["index"] == known["index"], device
        assert control.json("stream", camera, *SMALL, "--count", "2")["frames"] == 2
    machine.measure(unplugged)


FATAL = "inject_fatal_streaming_error"
TESTS = (
    *(on(camera, a_flagged_buffer_is_dropped_and_counted) for camera in PATHS),
    *(on(camera, a_restart_is_announced, FATAL) for camera in PATHS),
    *(on(camera, a_restart_is_announced, "inject_vidioc_qbuf_error") for camera in PATHS),
    on(SINGLE, a_restart_is_announced, "inject_vidioc_reqbufs_error", FATAL),
    on(MULTI, a_restart_is_announced, "inject_vidioc_streamon_error", FATAL),
    *(on(camera, nothing_comes_of, "inject_req_validate_error") for camera in PATHS),
    on(SINGLE, silence_is_announced_and_ends_with_the_fault),
    *(on(camera, some_dropped_buffers_are_counted) for camera in PATHS),
    on(MULTI, a_client_is_told_of_dropped_buffers),
    *(on(camera, wrapped_numbers_go_unnoticed) for camera in PATHS),
    wrapped_times_go_unnoticed,
    *(on(camera, a_time_that_jumps_is_a_restart_as_any) for camera in PATHS),
    on(SINGLE, a_refused_start_is_an_error_and_the_next_one_works),
    *(on(camera, unplugged_it_comes_back_as_itself) for camera in PATHS),
    on(SINGLE, idle_and_unplugged_by_another_program_it_comes_back),
)
