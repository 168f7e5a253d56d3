"""Those whom a node does not know: the limits for them, and what they can do to whom it knows."""

import contextlib
import hashlib
import itertools
import json
import math
import os
import re
import select
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from hostile import AGE_S, HERE, LOST, TRIP_S, p99, results, started
from node import PRODUCTS, require_in_time
from stranger import expanded, opened, sealer
from wire import RESOURCE_EXHAUSTED, UNAUTHENTICATED, Wire, packet, pb, require

sys.path += [str(Path(__file__).resolve().parents[1] / folder) for folder in ("Interop", "Support")]
from capture_client import Connection, NodeError  # noqa: E402
from ports import unused_port  # noqa: E402


# For each attack: what of it is counted, and how many of these there are at least in a run, and in a long one. Attacks by secrets and codes go on until the
# node's log says that it has judged so many; half-done handshakes until so many can be gone, for each keeps its place.
LEAST = {"secret": ("judged", 100, 5_000), "code": ("judged", 100, 5_000), "handshake": ("closed", 100, 1_000), "hello": ("signed", 100, 1_000),
         "bytewise": ("records", 1_000, 10_000), "empty": ("records", 1_000, 10_000), "keys": ("keys", 50, 1_000)}
LONGEST_S, LONG_S = 600, 30
# Once a second the node says so, with how many there were before.
JUDGED = {
    attack: re.compile(text + r"(?: \(and (\d+) before it\))?$", re.MULTILINE)
    for attack, text in {
        "secret": r"refused a connection from \S+: the credential is unknown or revoked",
        "code": "has tried a pairing code that is unknown or has expired"}.items()}
# How many connections of strangers a node takes, and for how long.
PLACES, GONE_S = 128, 5


class Elsewhere:
    """A network namespace with fifty addresses, and the one at which it reaches this machine."""

    def __init__(self):
        self.name, network = f"ca{os.getpid() % 100000}", f"10.78.{os.getpid() % 250}"
        self.here, self.sources = f"{network}.1", [f"{network}.{number}" for number in range(101, 151)]
        self.ip("netns", "add", self.name)
        self.ip("link", "add", self.name, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        self.ip("addr", "add", f"{self.here}/24", "dev", self.name)
        self.ip("link", "set", self.name, "up")
        self.ip("-n", self.name, "link", "set", "eth0", "up")
        for source in self.sources:
            self.ip("-n", self.name, "addr", "add", f"{source}/24", "dev", "eth0")

    @staticmethod
    def ip(*words):
        subprocess.run(["ip", *words], check=True, capture_output=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ip("netns", "del", self.name)  # and with it the link


@contextlib.contextmanager
def asking_node(clients=0, host="127.0.0.1", others=()):
    """A node that asks by TCP for a credential, and knows so many clients already, and others as its file has them; the addresses of its socket and of
    that listener, and its folder."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        known = [
            {"name": f"c{number}", "secretSHA256": hashlib.sha256(bytes([number % 256, number // 256])).hexdigest(), "role": "view", "created": 1}
            for number in range(clients)]
        (folder / "access.json").write_text(json.dumps({"clients": [*known, *others]}))
        (folder / "access.json").chmod(0o600)
        (folder / "node.json5").write_text(json.dumps({
            "listen": [f"unix:{folder}/socket", f"{host}:{unused_port()}"], "state": f"{folder}/state.json", "cameras": ["synthetic:640x480@30"]}))
        command = [PRODUCTS / "capture-node", "--config", str(folder / "node.json5"), "--enable-test-service"]
        with (folder / "node.log").open("w") as log:
            node = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
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
    """One more is taken; the oldest of the address that has the most is told to go. Who would have as many then is not taken."""
    with asking_node() as (_, address, _):
        own = [Wire(address) for _ in range(8)]
        crowd = [Wire(address, f"127.0.1.{1 + number // 7}") for number in range(bound - len(own))]
        with Wire(address, "127.0.0.2") as last:
            own[0].expect_go_away(RESOURCE_EXHAUSTED, f"({name})")
            with Wire(address, "127.0.1.1") as past:
                past.raw(packet(hello=pb.Hello(version=1))).expect_go_away(RESOURCE_EXHAUSTED, f"({name})")
            require(not readable([*own[1:], *crowd, last]), "others were told something")
        for one in [*own, *crowd]:
            one.socket.close()


def readable(wires):
    return select.select([wire.socket for wire in wires], [], [], 0.1)[0]


def clients(bound, name):
    """Whoever pairs with a code past the bound is told, and the code stays unused."""
    with asking_node(bound - 1) as (socket, address, folder):
        with Connection(socket) as admin:
            require(pair(admin, address, folder, 1).client == "new1", "the last that has room")
            try:
                pair(admin, address, folder, 2)
            except NodeError as error:
                require(error.code == RESOURCE_EXHAUSTED and f"({name})" in error.text, f"it was told {error}")
            else:
                require(False, f"more than {bound} clients")
            listed = admin.unary("capture.v1.Access/Clients", pb.ListClientsRequest(), pb.ListClientsResponse).clients
            require(len(listed) == bound, f"{len(listed)} clients")


def codes(bound, name):
    with asking_node() as (socket, address, _), Connection(socket) as admin:
        request = pb.NewPairingRequest(role=pb.ROLE_VIEW, port=int(address.rsplit(":", 1)[1]))
        for _ in range(bound):
            admin.unary("capture.v1.Access/NewPairing", request, pb.NewPairingResponse)
        require_refusal(name, lambda: admin.unary("capture.v1.Access/NewPairing", request, pb.NewPairingResponse))


def require_refusal(name, call):
    try:
        call()
    except NodeError as error:
        require(error.code == RESOURCE_EXHAUSTED and f"({name})" in error.text and error.details.limit == name, f"it was told {error}")
    else:
        require(False, f"a call past {name} was taken")


def known_client(**rights):
    """A client as the node's file has it."""
    return {"name": "laptop", "secretSHA256": hashlib.sha256(secret_of(1)).hexdigest(), "created": 1, **rights}


def ask(client, **wanted):
    return client.unary("capture.v1.Access/Request", pb.AccessRequest(**wanted), pb.AccessStatusResponse)


def grants_of_a_client(bound, name):
    """Grants of one role and medium become one, so that only a file has as many as a client may have."""
    for count in (bound - 1, bound):
        grants = [{"role": "view", "cameras": [f"c{number}"], "media": ["video"]} for number in range(count)]
        with asking_node(others=[known_client(grants=grants)]) as (_, address, folder):
            with Connection(address, certificate=certificate(folder), credential=secret_of(1)) as client:
                def one_more():
                    ask(client, cameras=["d"], role=pb.ROLE_CONTROL, media=[pb.MEDIUM_VIDEO])
                one_more() if count < bound else require_refusal(name, one_more)


def patterns_of_a_client(bound, name):
    """By a request and by a code, and also where the client has some already."""
    patterns = [f"c{number}" for number in range(bound + 1)]
    with asking_node(others=[known_client(role="view", cameras=["own"])]) as (socket, address, folder):
        with Connection(address, certificate=certificate(folder), credential=secret_of(1)) as client:
            ask(client, cameras=patterns[:bound - 1])
            require_refusal(name, lambda: ask(client, cameras=patterns[:bound]))
            require_refusal(name, lambda: ask(client, cameras=patterns))
        with Connection(socket) as admin:
            request = pb.NewPairingRequest(role=pb.ROLE_VIEW, cameras=patterns, port=int(address.rsplit(":", 1)[1]))
            require_refusal(name, lambda: admin.unary("capture.v1.Access/NewPairing", request, pb.NewPairingResponse))


# KeyUpdate that asks for none (RFC 8446, 4.6.3), and the bytes of its record.
NEW_KEY, NEW_KEY_BYTES = b"\x18\0\0\1\0", 27


def keys_alone(bound):
    """A client that the node knows sends nothing but new keys: as many as may be, and it is served; more, and it is cut off."""
    with asking_node(others=[known_client(role="view")]) as (_, address, _), opened(address, "127.0.0.1") as (bare, suite, secret):
        number = 0

        def send(content, kind=b"\x17"):
            nonlocal number
            bare.sendall(sealer(suite, secret)(number, content, kind))
            number += 1

        def new_keys(room):
            nonlocal secret, number
            for _ in range(room // NEW_KEY_BYTES):
                send(NEW_KEY, b"\x16")
                secret, number = expanded(secret, b"traffic upd", 32), 0

        send(packet(hello=pb.Hello(version=1, credential=secret_of(1))))
        require(bare.recv(65_536), "closed without a Hello")
        new_keys(bound - 256)  # what follows counts with them until it is decrypted
        send(packet(ping=pb.Ping(sent_ns=1)))
        require(bare.recv(65_536), "cut off before the bound")
        with contextlib.suppress(ConnectionError):
            new_keys(bound + bound // 4)
            try:
                while bare.recv(65_536):  # it waits for no more than ten seconds
                    pass
            except TimeoutError:
                require(False, "not cut off past the bound")


def certificate(folder):
    """Writes the node's certificate into a file of its own; returns its path."""
    identity = (folder / "identity.pem").read_text()
    (folder / "node.pem").write_text(identity[identity.index("-----BEGIN CERTIFICATE"):])
    return str(folder / "node.pem")


def secret_of(number):
    return number.to_bytes(4, "big") * 8


def pair(admin, address, folder, number):
    """Makes a client of somebody, by a code."""
    request = pb.NewPairingRequest(role=pb.ROLE_VIEW, port=int(address.rsplit(":", 1)[1]))
    code = admin.unary("capture.v1.Access/NewPairing", request, pb.NewPairingResponse).code
    with Connection(address, certificate=certificate(folder)) as stranger:
        request = pb.PairRequest(code=code, secret_sha256=hashlib.sha256(secret_of(number)).digest(), name=f"new{number}")
        return stranger.unary("capture.v1.Access/Pair", request, pb.PairResponse)


class Comers:
    """Comes in by a right code and then by its right credential, again and again, and is revoked, for a node knows so many clients; how long coming in took
    each time, in seconds."""

    def __init__(self, socket, address, folder, numbers):
        self.socket, self.address, self.folder, self.numbers = socket, address, folder, numbers
        self.times, self.error = [], None
        self.over, self.thread = threading.Event(), threading.Thread(target=self.work)

    def work(self):
        try:
            with Connection(self.socket) as admin:
                while not self.over.wait(0.2):
                    began, number = time.monotonic(), next(self.numbers)
                    pair(admin, self.address, self.folder, number)
                    with Connection(self.address, certificate=certificate(self.folder), credential=secret_of(number)) as client:
                        require(len(client.devices()) == 1, "it sees the camera")
                    self.times.append(time.monotonic() - began)
                    admin.unary("capture.v1.Access/Revoke", pb.RevokeRequest(client=f"new{number}"), pb.RevokeResponse)
        except Exception as error:  # told in the case's own thread
            self.error = error

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def judged(folder, attack):
    """How many wrong secrets, or codes, the node has told its log of."""
    if attack not in JUDGED:
        return 0
    return sum(1 + int(line[1] or 0) for line in JUDGED[attack].finditer((folder / "node.log").read_text()))


def lasts(attack, seconds, least):
    """For how long an attack goes on at least."""
    return max(seconds, GONE_S * (math.ceil(least / PLACES) + 0.5)) if attack == "handshake" else seconds


def fifty_addresses(report, seconds=3):
    """Strangers of fifty addresses of another network namespace do what they can, one thing after the other, with eight connections each. Whom the node knows
    sees frames, and whoever has a right code or credential gets in."""
    wrong, idle, numbers = [], [], itertools.count(1)
    with Elsewhere() as elsewhere, asking_node(host=elsewhere.here) as (socket, address, folder):
        with Connection(socket) as admin:
            pair(admin, address, folder, next(numbers))
        (folder / "credential").write_text(secret_of(1).hex())
        os.environ.update(CAPTURE_CERTIFICATE=certificate(folder), CAPTURE_CREDENTIAL_FILE=str(folder / "credential"))
        try:
            for attack, (what, in_a_run, in_a_long_one) in LEAST.items():
                least = in_a_long_one if seconds >= LONG_S else in_a_run
                began, before = time.monotonic(), judged(folder, attack)
                strangers = [HERE / "stranger.py", attack, address, *elsewhere.sources]
                with started([HERE / "viewer.py", address]) as viewer, started(strangers, inside=elsewhere.name) as strangers:
                    with Comers(socket, address, folder, numbers) as comers:
                        time.sleep(lasts(attack, seconds, least))
                        while attack in JUDGED and judged(folder, attack) - before < least and time.monotonic() - began < LONGEST_S:
                            time.sleep(0.2)
                    (seen,) = results(viewer)
                    (ends,) = results(strangers)
                if attack in JUDGED:
                    ends["judged"] = judged(folder, attack) - before
                age, trip = p99(seen["ages"]), p99(seen["trips"])
                slowest = max(comers.times, default=0)
                report(f"{attack} {ends}: age p99 {age * 1e3:.1f} ms of {len(seen['ages'])}, {seen['lost']} lost, round trips p99 {trip * 1e3:.1f} ms, "
                       f"{len(comers.times)} came in, in at most {slowest * 1e3:.0f} ms")
                require(comers.error is None, f"{attack}: one with a right code and credential did not come in: {comers.error}")
                if age > AGE_S or trip > TRIP_S or seen["lost"] > LOST * len(seen["ages"]) or slowest > 2 or len(comers.times) < seconds / 2:
                    wrong.append(attack)
                if ends.get(what, 0) < least:
                    idle.append(f"{attack}: {ends.get(what, 0)} {what}")
        finally:
            del os.environ["CAPTURE_CERTIFICATE"], os.environ["CAPTURE_CREDENTIAL_FILE"]
    require_in_time(not idle, f"an attack was none: {', '.join(idle)}")
    require_in_time(not wrong, f"others waited under: {', '.join(wrong)}")
