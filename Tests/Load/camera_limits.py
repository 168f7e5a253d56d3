"""The rows of docs/limits.md that bound what a node remembers of a camera and of calls, reached from outside."""

import socket
import struct
import time
from pathlib import Path

from node import wait_until
from open_calls import subscribe
from wire import FAILED_PRECONDITION, NOT_FOUND, RESOURCE_EXHAUSTED, Wire, packet, pb, require

# For how long nothing is read of a client that is not read any more: what is read moves in far less.
STUCK_S = 2


def brightness(value, name="brightness"):
    return pb.SetControlsRequest(device="0", assignments=[pb.ControlAssignment(name=name, literal=str(value))])


def set_often(wire, count):
    """Makes so many changes."""
    for number in range(count):
        wire.expect_status(wire.call("capture.v1.Devices/SetControls", brightness(number % 2)), 0)


def waiting_changes(node, name, bound):
    """Changes a camera that streams and gives no frames. The first change makes it give none."""
    with Wire(node.address).greet() as viewer, Wire(node.address).greet() as wire:
        viewer.first_message(subscribe(viewer, credit=1))
        wire.expect_status(wire.call("capture.v1.Devices/SetControls", brightness(60_000, "fault_stall_ms")), 0)
        set_often(wire, bound - 1)
        wire.expect_status(wire.call("capture.v1.Devices/SetControls", brightness(7)), RESOURCE_EXHAUSTED, f"({name})")


def photos(node, name, bound):
    """Takes photos of a camera that gives no frames. They wait for one, a burst among them, and so are being taken."""
    settle = pb.SettlingBound()
    request = pb.CapturePhotoRequest(device="0", settings=pb.PhotoSettings(settle=settle))
    burst = pb.CapturePhotoRequest(device="0", settings=pb.PhotoSettings(settle=settle, burst=2))
    with Wire(node.address).greet() as viewer, Wire(node.address).greet() as wire:
        viewer.first_message(subscribe(viewer, credit=1))
        wire.expect_status(wire.call("capture.v1.Devices/SetControls", brightness(60_000, "fault_stall_ms")), 0)
        wire.first_message(wire.call("capture.v1.Photos/Capture", burst, credit=1))
        for _ in range(bound - 1):
            wire.first_message(wire.call("capture.v1.Photos/Capture", request, credit=1))
        for one in (request, burst):
            wire.expect_status(wire.call("capture.v1.Photos/Capture", one), RESOURCE_EXHAUSTED, f"({name})")
        # What would become of one more can be asked all the same.
        wire.expect_status(wire.call("capture.v1.Photos/Capture", pb.CapturePhotoRequest(device="0", dry_run=True)), 0)


def remembered_changes(node, bound):
    """Without a stream a change waits for no frame."""
    def applied(change):
        return wire.call("capture.v1.Settings/AwaitChange", pb.AwaitChangeRequest(device="0", change=change))
    with Wire(node.address).greet() as wire:
        set_often(wire, bound + 2)
        wire.expect_status(applied(1), NOT_FOUND, f"{bound} are remembered")
        wire.expect_status(applied(3), 0)


def ended_leases(node, bound):
    def use(token):
        return wire.call("capture.v1.Leases/Release", pb.ReleaseLeaseRequest(token=token))
    with Wire(node.address).greet() as wire:
        tokens = []
        for _ in range(bound + 1):
            ((body, _),) = wire.expect_status(wire.call("capture.v1.Leases/Acquire", pb.AcquireLeaseRequest(device="0")), 0)
            tokens.append(pb.LeaseInfo.FromString(body).token)
            wire.expect_status(use(tokens[-1]), 0)
        wire.expect_status(use(tokens[0]), NOT_FOUND, "no such lease")
        wire.expect_status(use(tokens[1]), NOT_FOUND, "was given back")


def tokens_of_a_call(node, bound):
    """What comes after so many is not looked at."""
    def change(tokens):
        metadata = [pb.Metadata(key="lease", value=token.encode()) for token in tokens]
        return wire.call("capture.v1.Devices/SetControls", brightness(1), metadata=metadata)
    with Wire(node.address).greet() as wire:
        ((body, _),) = wire.expect_status(wire.call("capture.v1.Leases/Acquire", pb.AcquireLeaseRequest(device="0")), 0)
        token = pb.LeaseInfo.FromString(body).token
        wire.expect_status(change([token] * (bound - 1) + ["none"]), FAILED_PRECONDITION, "no such lease")
        wire.expect_status(change([token] * bound + ["none"]), 0)


def unread_answers(node, bound, calls):
    """A client that takes no answers is not read any more, once so many bytes of them wait in the node. What the kernel has of both directions is in its table."""
    with Wire(node.address).greet() as wire:
        for _ in range(calls):  # as many as may run, so that each further one is refused at once
            wire.call("Upload", last=False, no_message=True)
        request = pb.Request(method="capture.v1.Test/Unary", body=pb.TestRequest(note=bytes(1_000)).SerializeToString(), last=True)
        next_id = 2 * calls + 1

        def send(count):
            nonlocal next_id
            wire.raw(b"".join(packet(call_id=call, request=request) for call in range(next_id, next_id + 2 * count, 2)))
            next_id += 2 * count

        before, sent = node.resident_bytes(), 0
        send(1)
        answer = 8 + wire.receive()[0].ByteSize()
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        while is_read(node, wire):
            send(16)
            sent += 16
            require(sent * answer < 100 * bound, f"it takes {sent} requests of a client that reads nothing")
        unread, unsent = in_the_kernel(wire)
        waiting = (sent - -(-unread // len(packet(call_id=next_id, request=request)))) * answer - unsent
        grown = node.resident_bytes() - before
        require(bound <= waiting < 1.25 * bound, f"{waiting} bytes of answers wait before nothing more is read")
        require(grown < 32 * bound, f"{grown} bytes for answers that nobody reads")
    wait_until(lambda: node.status().clients == 1, "the end of the client")


def is_read(node, wire):
    """Whether the node comes to have read everything."""
    last = time.monotonic() + STUCK_S
    while in_the_kernel(wire)[0]:
        if time.monotonic() > last:
            node.status()  # it is not the whole process that stands still
            return not in_the_kernel(wire)[0]
        time.sleep(0.001)
    return True


def in_the_kernel(wire):
    """How many bytes of what a connection over IPv4 sends to its node, and of what comes back, are on their way."""
    def name(end):
        return "%08X:%04X" % (struct.unpack("=I", socket.inet_aton(end[0]))[0], end[1])
    client, node = name(wire.socket.getsockname()), name(wire.socket.getpeername())
    queues = {tuple(line.split()[1:3]): [int(bytes, 16) for bytes in line.split()[4].split(":")]
              for line in Path("/proc/net/tcp").read_text().splitlines()[1:]}
    (sent, received), (sent_back, received_there) = queues[client, node], queues[node, client]
    return sent + received_there, received + sent_back
