"""A client for capture-node on nothing but Python's standard library, the protobuf package and proto/.

docs/integration.md walks through this file. It is blocking and runs one call at a time; the wire allows many.
"""

import importlib
import itertools
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROTOCOL_VERSION = 1
PREFIX = struct.Struct(">II")  # envelope length, chunk length
MAX_ENVELOPE_BYTES = 4 << 20
MAX_CHUNK_BYTES = 256 << 10


def load_contract(proto=Path(__file__).resolve().parents[2] / "proto"):
    """Generates Python from the contract and returns a module-like object that holds every message."""
    output = tempfile.TemporaryDirectory(prefix="capture-proto-")
    files = sorted(str(path.relative_to(proto)) for path in proto.glob("capture/v1/*.proto"))
    subprocess.run(["protoc", f"-I{proto}", f"--python_out={output.name}", *files], check=True)
    sys.path.insert(0, output.name)
    contract = type("Contract", (), {"directory": output})  # the directory goes when the contract does
    for file in files:
        module = importlib.import_module(file.removesuffix(".proto").replace("/", ".") + "_pb2")
        for name, value in vars(module).items():
            if not name.startswith("_"):
                setattr(contract, name, value)
    return contract


pb = load_contract()


class NodeError(Exception):
    """A call that did not end in OK, or a connection that the node ended. `code` is gRPC's number; `details` may be None."""

    def __init__(self, code, text, metadata=()):
        super().__init__(f"status {code}: {text}")
        self.code, self.text = code, text
        found = [item.value for item in metadata if item.key == "capture-error-bin"]
        self.details = pb.ErrorDetails.FromString(found[0]) if found else None


class Connection:
    """A connection with its handshake done."""

    def __init__(self, address, timeout=40.0, certificate=None, credential=b""):
        """`address` is "HOST:PORT", "unix:/PATH" or a socket that is connected. When no byte has come for `timeout` seconds the connection is
        dead: a node pings after 30 s. With `certificate`, a file that has the node's in PEM, the connection is encrypted; `credential` is what the
        node knows the client by."""
        if isinstance(address, socket.socket):
            self.socket = address
        elif address.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(timeout)
            self.socket.connect(address.removeprefix("unix:"))
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.create_connection((host.strip("[]"), int(port)), timeout)
        self.socket.settimeout(timeout)
        if self.socket.family != socket.AF_UNIX:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if certificate:
            context = ssl.create_default_context(cafile=certificate)
            self.socket = context.wrap_socket(self.socket, server_hostname="node.remote-capture.invalid")
        self.stream = self.socket.makefile("rb")
        self.call_ids = itertools.count(1, 2)  # a client's calls are odd and rise
        self.send(pb.Envelope(hello=pb.Hello(version=PROTOCOL_VERSION, agent="capture_client.py", credential=credential)))
        self.node, _ = self.receive()
        self.hello = self.node.hello

    def close(self):
        self.stream.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Packets

    def send(self, envelope, chunk=b""):
        body = envelope.SerializeToString()
        self.socket.sendall(PREFIX.pack(len(body), len(chunk)) + body + chunk)

    def receive(self):
        """The next packet that is a call's business, or a Hello. Answers pings by itself."""
        while True:
            envelope_length, chunk_length = PREFIX.unpack(self.exactly(PREFIX.size))
            if envelope_length > MAX_ENVELOPE_BYTES or chunk_length > MAX_CHUNK_BYTES:
                raise NodeError(15, f"a packet past the limits: {envelope_length} and {chunk_length} bytes")
            received_ns = time.monotonic_ns()
            envelope = pb.Envelope.FromString(self.exactly(envelope_length))
            chunk = self.exactly(chunk_length)
            kind = envelope.WhichOneof("kind")
            if kind == "ping":
                pong = pb.Pong(ping_sent_ns=envelope.ping.sent_ns, received_ns=received_ns)
                pong.sent_ns = time.monotonic_ns()
                self.send(pb.Envelope(pong=pong))
            elif kind == "go_away" and envelope.go_away.code != 0:
                raise NodeError(envelope.go_away.code, envelope.go_away.text, envelope.go_away.metadata)
            elif kind in ("hello", "message", "chunk", "status", "pong"):
                return envelope, chunk
            # An empty envelope, an orderly GoAway, and kinds that a newer node may send, change nothing here.

    def exactly(self, count):
        data = self.stream.read(count)
        if len(data) < count:
            raise NodeError(14, "the node closed the connection")
        return data

    # Calls

    def unary(self, method, request, answer_type, **options):
        """One message each way."""
        (answer,) = self.server_stream(method, request, answer_type, **options)
        return answer

    def server_stream(self, method, request, answer_type, window=2, timeout=None, lease=None):
        """Yields the answers. Each is taken back into credit when the next is asked for, so that a slow reader
        gets the newest frame, not a backlog. Leaving the loop early cancels the call. `lease` is a token."""
        call_id = next(self.call_ids)
        opening = pb.Request(method=method, body=request.SerializeToString(), last=True, credit=window)
        opening.timeout_ms = int((timeout or 0) * 1000)
        if lease:
            opening.metadata.add(key="lease", value=lease.encode())
        self.send(pb.Envelope(call_id=call_id, request=opening))
        try:
            message, payload, missing = None, bytearray(), 0
            while True:
                envelope, chunk = self.receive()
                if envelope.call_id != call_id:
                    continue  # what was still under way of a call that this client left
                kind = envelope.WhichOneof("kind")
                if kind == "status":
                    status = envelope.status
                    if status.code != 0:
                        raise NodeError(status.code, status.text, status.metadata)
                    return
                if kind == "message":
                    message = answer_type.FromString(envelope.message.body)
                    payload, missing = bytearray(), envelope.message.payload_length
                elif kind == "chunk" and envelope.chunk.abort:
                    message = None  # a newer frame comes instead; the node took its credit back
                if message is None:
                    continue
                payload += chunk
                missing -= len(chunk)
                if missing == 0:
                    if payload:
                        message.data = bytes(payload)
                    yield message
                    message = None
                    self.send(pb.Envelope(call_id=call_id, credit=pb.Credit(messages=1)))
        except GeneratorExit:  # the reader left the loop
            self.send(pb.Envelope(call_id=call_id, cancel=pb.Cancel()))
            raise

    # What a node offers

    def devices(self):
        return self.unary("capture.v1.Devices/List", pb.ListDevicesRequest(), pb.ListDevicesResponse).devices

    def photo(self, camera, width=0, height=0, quality=0):
        """Takes a photo; returns its JPEG bytes and what is known about it."""
        rendition = pb.Rendition(size=pb.Size(width=width, height=height), quality=quality)
        request = pb.CapturePhotoRequest(device=camera, settings=pb.PhotoSettings(rendition=rendition))
        for event in self.server_stream("capture.v1.Photos/Capture", request, pb.PhotoEvent):
            if event.stage == pb.PhotoEvent.PHOTO:
                photo = event
        return photo.data, photo.info

    def change(self, camera, lease=None, **parts):
        """Changes settings, all or none: `node.change("0", zoom=pb.ZoomChange(factor=2))`."""
        request = pb.SetSettingsRequest(device=camera, change=pb.SettingsChange(**parts))
        return self.unary("capture.v1.Settings/Set", request, pb.SetSettingsResponse, lease=lease)

    def frames(self, camera, window=2, rate=0, session="", output="", **rendition):
        """Yields VideoFrame messages; those without data announce that the camera pauses."""
        request = pb.SubscribeRequest(device=camera, rate=rate, session=session, output=output, rendition=pb.Rendition(**rendition))
        return self.server_stream("capture.v1.Video/Subscribe", request, pb.VideoFrame, window)


def main():
    """usage: capture_client.py ADDRESS — lists the cameras and saves a photo of the first."""
    if len(sys.argv) != 2:
        sys.exit(main.__doc__)
    with Connection(sys.argv[1]) as node:
        print(f"{node.hello.agent}, protocol {node.hello.version}")
        for device in node.devices():
            print(f"{device.index}  {device.name}  {device.id}")
        picture, info = node.photo("0")
        Path("photo.jpg").write_bytes(picture)
        print(f"photo.jpg: {info.size.width}x{info.size.height}, {len(picture)} bytes")


if __name__ == "__main__":
    main()
