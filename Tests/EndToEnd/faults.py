"""Every fault that vivid can inject, while capturectl streams from it."""

import time

from cameras import MULTI, PATHS, SINGLE, SMALL, SMALL_BYTES

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
    control("set", camera, "percentage_of_dropped_buffers=30")
    before = control.camera(camera)["frames_lost"]
    report = control.json("stream", camera, *SMALL, "--count", "60")
    assert report["sequence_gaps"] > 0, report
    assert control.camera(camera)["frames_lost"] >= before + report["sequence_gaps"]


def wrapped_numbers_and_times_go_unnoticed(machine, control, camera):
    """Vivid's sequence numbers and 64-bit times wrap some seconds after streaming starts. A wrap taken for a loss would be one of
    billions; what vivid's own thread had no processor for shows in the rate."""
    control("set", camera, "wrap_sequence_number=1", "wrap_timestamp=1")
    before, descriptors = control.camera(camera), control.descriptors()
    report = control.json("stream", camera, *SMALL, "--count", "200")
    after = control.camera(camera)
    due = report["frames"] / report["fps"] * 30
    assert report["sequence_gaps"] <= due - report["frames"] + 20, (report, due)
    assert after["restarts"] == before["restarts"]
    control.settle(descriptors)


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


def on(camera, test, *arguments):
    """A test with its camera, by its name, what it injects, and the kind of camera."""
    def run(machine, control):
        test(machine, control, camera, *arguments)
    kind = {SINGLE: "single_planar", MULTI: "multi_planar"}[camera]
    run.__name__ = "_".join((test.__name__, *(f"after_{argument}" for argument in arguments), kind))
    return run


FATAL = "inject_fatal_streaming_error"
TESTS = (
    *(on(camera, a_flagged_buffer_is_dropped_and_counted) for camera in PATHS),
    *(on(camera, a_restart_is_announced, FATAL) for camera in PATHS),
    *(on(camera, a_restart_is_announced, "inject_vidioc_qbuf_error") for camera in PATHS),
    on(SINGLE, a_restart_is_announced, "inject_vidioc_reqbufs_error", FATAL),
    on(MULTI, a_restart_is_announced, "inject_vidioc_streamon_error", FATAL),
    *(on(camera, nothing_comes_of, "inject_req_validate_error") for camera in PATHS),
    on(SINGLE, silence_is_announced_and_ends_with_the_fault),
    on(MULTI, some_dropped_buffers_are_counted),
    on(MULTI, wrapped_numbers_and_times_go_unnoticed),
    on(SINGLE, a_refused_start_is_an_error_and_the_next_one_works),
    *(on(camera, unplugged_it_comes_back_as_itself) for camera in PATHS),
    on(SINGLE, idle_and_unplugged_by_another_program_it_comes_back),
)
