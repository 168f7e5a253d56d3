"""Limits for connections that have not said who they are, and for clients that a node knows."""

import contextlib
import hashlib
import json
import select
import subprocess
import sys
import tempfile
from pathlib import Path

from node import PRODUCTS
from wire import RESOURCE_EXHAUSTED, UNAUTHENTICATED, Wire, packet, pb, require

sys.path.append(str(Path(__file__).resolve().parents[1] / "Interop"))
from capture_client import Connection, NodeError  # noqa: E402


@contextlib.contextmanager
def asking_node(clients=0):
    """A node that asks by TCP for a credential, and knows so many clients already; the addresses of its socket and of that listener, and its folder."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        known = [
            {"name": f"c{number}", "secretSHA256": hashlib.sha256(bytes([number % 256, number // 256])).hexdigest(), "role": "view", "created": 1}
            for number in range(clients)]
        (folder / "access.json").write_text(json.dumps({"clients": known}))
        (folder / "access.json").chmod(0o600)
        (folder / "node.json5").write_text(json.dumps({
            "listen": [f"unix:{folder}/socket", "127.0.0.1:0"], "state": f"{folder}/state.json", "cameras": ["synthetic:160x120@1"]}))
        node = subprocess.Popen(
            [PRODUCTS / "capture-node", "--config", str(folder / "node.json5")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            addresses = [node.stdout.readline().removeprefix("listening on ").strip() for _ in range(2)]
            yield *addresses, folder
        finally:
            node.kill()
            node.wait()
            node.stdout.close()


def silent_connections_of_an_address(bound, name):
    with asking_node() as (_, address, _):
        crowd = [Wire(address) for _ in range(bound)]
        with Wire(address) as past:
            past.raw(packet(hello=pb.Hello(version=1))).expect_go_away(RESOURCE_EXHAUSTED, f"({name})")
        # Another address's are another matter, and those that were taken stay.
        with Wire(address, "127.0.0.2") as other:
            other.raw(packet(hello=pb.Hello(version=1))).expect_go_away(UNAUTHENTICATED, "credential")
        require(not readable(crowd), "one that was taken was told something")
        for one in crowd:
            one.socket.close()


def silent_connections(bound, name):
    """One more is taken; the oldest of the address that has the most is told to go."""
    with asking_node() as (_, address, _):
        own = [Wire(address) for _ in range(8)]
        crowd = [Wire(address, f"127.0.1.{1 + number // 7}") for number in range(bound - len(own))]
        with Wire(address, "127.0.0.2") as last:
            own[0].expect_go_away(RESOURCE_EXHAUSTED, f"({name})")
            require(not readable([*own[1:], *crowd, last]), "others were told something")
        for one in [*own, *crowd]:
            one.socket.close()


def readable(wires):
    return select.select([wire.socket for wire in wires], [], [], 0.1)[0]


def clients(bound, name):
    """Whoever pairs with a code past the bound is told, and the code stays unused."""
    with asking_node(bound - 1) as (socket, address, folder):
        identity = (folder / "identity.pem").read_text()
        (folder / "node.pem").write_text(identity[identity.index("-----BEGIN CERTIFICATE"):])
        with Connection(socket) as admin:
            def pair(number):
                request = pb.NewPairingRequest(role=pb.ROLE_VIEW, port=int(address.rsplit(":", 1)[1]))
                code = admin.unary("capture.v1.Access/NewPairing", request, pb.NewPairingResponse).code
                with Connection(address, certificate=str(folder / "node.pem")) as stranger:
                    request = pb.PairRequest(code=code, secret_sha256=bytes([number]) * 32, name=f"new{number}")
                    return stranger.unary("capture.v1.Access/Pair", request, pb.PairResponse)

            require(pair(1).client == "new1", "the last that has room")
            try:
                pair(2)
            except NodeError as error:
                require(error.code == RESOURCE_EXHAUSTED and f"({name})" in error.text, f"it was told {error}")
            else:
                require(False, f"more than {bound} clients")
            listed = admin.unary("capture.v1.Access/Clients", pb.ListClientsRequest(), pb.ListClientsResponse).clients
            require(len(listed) == bound, f"{len(listed)} clients")
