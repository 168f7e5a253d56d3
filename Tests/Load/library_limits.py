"""The rows of docs/limits.md that bound a library, reached from outside."""

import random
import struct
import zlib

from crowds import configured, library, one_too_many
from node import Node
from wire import INVALID_ARGUMENT, RESOURCE_EXHAUSTED, Wire, pb, require

CAMERA = ("--camera", "synthetic:320x240@30")
# Bytes of a picture that a message may have in one packet.
PIECE = 200_000


def with_library(row, limits="{}"):
    """`row` has a node that keeps pictures."""
    with library(limits) as options, Node(*CAMERA, *options) as node:
        row(node)


def timelapse():
    return pb.StartJobRequest(timelapse=pb.TimelapseSettings(device="0", interval_ms=60_000))


def with_job(row):
    """`row` has a node that keeps pictures, and takes some by itself in a minute's time."""
    def after_its_start(node):
        with Wire(node.address).greet() as wire:
            wire.expect_status(wire.call("capture.v1.Jobs/Start", timelapse()), 0)
        row(node)
    with_library(after_its_start)


def uploads(node, name, bound):
    request = pb.AddAssetRequest(asset=pb.NewAsset())
    with Wire(node.address).greet() as wire, Wire(node.address).greet() as other:
        for _ in range(bound):
            wire.call("capture.v1.Library/Add", request, last=False)
        wire.expect_alive()
        other.expect_status(other.call("capture.v1.Library/Add", request, last=False), RESOURCE_EXHAUSTED, f"({name})")
        # Nor does a first message that has not come whole take memory.
        for _ in range(100):
            part = other.call("capture.v1.Library/Add", request, last=False, payload_length=1 << 20, data=b"part")
            other.expect_status(part, RESOURCE_EXHAUSTED, f"({name})")
        wire.expect_alive()  # none of them has been refused since


def png(width, height):
    """A picture of noise, which takes three bytes a pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    noise = random.Random(1)
    rows = b"".join(b"\0" + noise.randbytes(3 * width) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")


def added(wire, pictures, **described):
    """Adds an asset of these files, no more messages ahead than the node lets a client be; returns the status, and the asset where there is one."""
    messages = [(pb.AddAssetRequest(asset=pb.NewAsset(**described)), b"")]
    for picture in pictures:
        resource = pb.NewResource(media_type="image/png", bytes=len(picture))
        messages.append((pb.AddAssetRequest(resource=resource), picture[:PIECE]))
        messages += [(pb.AddAssetRequest(), picture[at:at + PIECE]) for at in range(PIECE, len(picture), PIECE)]
    call, credit, asset = wire.call("capture.v1.Library/Add", last=False, no_message=True), wire.node.initial_credit, None
    while True:
        while messages and credit:
            request, data = messages.pop(0)
            body = request.SerializeToString()
            wire.send(call_id=call, message=pb.Message(body=body, payload_length=len(data), last=not messages), data=data)
            credit -= 1
        received = wire.receive()
        require(received is not None, "closed while an asset was added")
        envelope, _ = received
        kind = envelope.WhichOneof("kind")
        if kind == "credit":
            credit += envelope.credit.messages
        elif kind == "message":
            asset = pb.Asset.FromString(envelope.message.body)
        elif kind == "status":
            return envelope.status, asset


def refused(status, name):
    require(status.code == RESOURCE_EXHAUSTED and f"({name})" in status.text, f"it ended in {status.code} ({status.text!r}), without {name}")


def resources_of_an_asset(node, name, bound):
    small = png(1, 1)
    with Wire(node.address).greet() as wire:
        status, asset = added(wire, [small] * bound)
        require(status.code == 0 and len(asset.resources) == bound, f"{bound} files: {status.text!r}")
        refused(added(wire, [small] * (bound + 1))[0], name)


def labels_of_an_asset(node, name, bound):
    with Wire(node.address).greet() as wire:
        status, _ = added(wire, [png(1, 1)], labels=[f"l{number}" for number in range(bound)])
        require(status.code == 0, status.text)
        refused(added(wire, [png(1, 1)], labels=[f"l{number}" for number in range(bound + 1)])[0], name)


def bytes_of_a_file(node, name, bound):
    def said(size):
        resource = pb.NewResource(media_type="image/png", bytes=size)
        return pb.AddAssetRequest(asset=pb.NewAsset(), resource=resource)
    with Wire(node.address).greet() as wire:
        # No byte of it comes; but a disk may not have so much room either.
        _, status, _ = wire.outcome(wire.call("capture.v1.Library/Add", said(bound)))
        require(status.code and name not in status.text, f"a file of {bound} bytes ended in {status.code} ({status.text!r})")
        wire.expect_status(wire.call("capture.v1.Library/Add", said(bound + 1), last=False), RESOURCE_EXHAUSTED, f"({name})")


def page(node, name, bound):
    with Wire(node.address).greet() as wire:
        wire.expect_status(wire.call("capture.v1.Library/List", pb.ListAssetsRequest(page_size=bound)), 0)
        past = pb.ListAssetsRequest(page_size=bound + 1)
        wire.expect_status(wire.call("capture.v1.Library/List", past), INVALID_ARGUMENT, f"({name})")


def unread_pieces(node, name, room):
    """As many as have room, and one more, want a picture that they do not read."""
    picture = png(250, 320)
    with Wire(node.address).greet() as wire:
        status, asset = added(wire, [picture])
        require(status.code == 0, status.text)
        request = pb.FetchResourceRequest(id=asset.id)
        one_too_many(wire, [wire.call("capture.v1.Library/Fetch", request, credit=0) for _ in range(room // len(picture) + 1)], name)
        wire.expect_status(wire.call("capture.v1.Library/Fetch", request), 0)


def with_little_room(row):
    """As many bytes as may be configured at least."""
    with_library(lambda node: row(node, 1_000_000), "{ unreadAssetBytes: 1000000 }")
