"""The wire over TLS, against a program in C with OpenSSL at the same work, and against the node without it."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import at_most, at_most_floor_and, ratio_at_most

from .fanout import CAMERA, KB, RATE, picture_bytes

sys.path.append(str(Path(__file__).resolve().parents[2] / "Tests/Interop"))
from capture_client import Connection  # noqa: E402

# At rest, where a connection holds nothing but itself.
RESTING = 200
KIB = 1024


def measure(bench):
    with encrypting_node(bench) as (node, _), identity():
        frame_bytes = picture_bytes(bench, node)
        warm = min(4, 3 * bench.seconds)
        for clients, bound in (1, 1.15), (10, 1.2):
            rounds = bench.interleaved(
                floor=lambda: bench.floor("fanout-floor-tls", clients, frame_bytes, RATE, bench.seconds),
                ours=lambda: bench.floor("node-clients-tls", node.pid, node.port, clients, bench.seconds, warm),
                plain=lambda: bench.floor("node-clients", node.pid, node.port, clients, bench.seconds, warm))
            bench.compare(rounds, f"TLS, MJPEG of {frame_bytes // KB} KB, {clients} clients, CPU per client-frame", "ms", "cpu_ms_per_client_frame",
                          ratio_at_most(bound))
            bench.compare(rounds, "  latency, median", "ms", "latency_p50_ms")

        count = 500 if bench.quick else 5000
        rounds = bench.interleaved(
            floor=lambda: bench.program("capture-bench", "ping", node.address, count),
            ours=lambda: bench.program("capture-bench", "ping", f"tls:{node.address}", count))
        bench.compare(rounds, "TLS, unary call of 64 bytes; the floor: ours in the clear", "µs", "p50_us", ratio_at_most(1.3))
        rounds = bench.interleaved(
            floor=lambda: bench.program("capture-bench", "arrivals", node.address, 50),
            ours=lambda: bench.program("capture-bench", "arrivals", f"tls:{node.address}", 50))
        bench.compare(rounds, "TLS, connecting to the first answer; floor alike", "ms", "p50_ms", at_most(5))
    with identity():
        measure_rest(bench)


def measure_rest(bench):
    """What a connection at rest takes, of a node that had one before."""
    floor = bench.floor("fanout-floor-tls", RESTING, KB, 1, 0.1)["kb_at_rest"]

    def held(is_encrypted):
        with encrypting_node(bench, "synthetic:320x240@5") as (node, certificate), contextlib.ExitStack() as stack:
            def connect():
                stack.enter_context(Connection(node.address, certificate=certificate if is_encrypted else None))

            connect()
            time.sleep(1)
            before = node.own_mb()
            for _ in range(RESTING - 1):
                connect()
            time.sleep(1)
            return (node.own_mb() - before) * KIB / (RESTING - 1)

    bench.report("TLS, memory of a connection at rest", "KiB", held(True), floor=floor, target=at_most_floor_and(1, 16))
    bench.report("  the same in the clear", "KiB", held(False))


@contextlib.contextmanager
def encrypting_node(bench, camera=CAMERA):
    """A node that takes TLS from whoever is on this machine, and the file with its certificate."""
    with tempfile.TemporaryDirectory() as place:
        configuration = Path(place) / "node.json5"
        # The listener that asks for credentials is there for the node to have a key.
        configuration.write_text(f"""{{ state: '{place}/state.json', logLevel: 'error', audit: 'none', cameras: ['{camera}'],
            listen: [{{ address: '127.0.0.1:0', trustLocalUsers: true }}, '127.0.0.1:0'] }}""")
        with bench.node("--config", str(configuration), "--enable-test-service", listen=None) as node:
            text = (Path(place) / "identity.pem").read_text()
            certificate = Path(place) / "node.pem"
            certificate.write_text(text[text.index("-----BEGIN CERTIFICATE"):])
            yield node, str(certificate)


@contextlib.contextmanager
def identity():
    """A key and a certificate as the node's, for the floor."""
    with tempfile.TemporaryDirectory() as place:
        key, certificate = Path(place) / "key", Path(place) / "certificate"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=floor", "-days", "2",
             "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
        whole = Path(place) / "identity"
        whole.write_text(key.read_text() + certificate.read_text())
        os.environ["FLOOR_IDENTITY"] = str(whole)
        try:
            yield
        finally:
            del os.environ["FLOOR_IDENTITY"]
