"""Every row of docs/limits.md, reached from outside: what is past it ends as the page says, with the limit's name."""

import contextlib
import re
import time
from pathlib import Path

import camera_limits
import library_limits
import strangers
from crowds import configured, go_away, one_too_many
from library_limits import with_job, with_library
from node import Node
from open_calls import subscribe
from wire import INVALID_ARGUMENT, RESOURCE_EXHAUSTED, Violation, Wire, packet, pb, require

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/limits.md"
# A row of the table: its name, and its bound.
ROW = re.compile(r"^\| `(\w+)`[ *]*\|[^|]*\| (\d+) \|", re.MULTILINE)
# What of an address's cancels is each connection's own: so many at once, and so many a second (docs/protocol.md).
OWN_CANCELS = 16, 4
# So few that some connections reach these limits.
SMALL = """{ limits: { connections: %d, connectionsPerAddress: %d, callsPerAddress: %d } }"""
CAMERA = ("--camera", "synthetic:320x240@30")


def reached(method, requests, name, code=RESOURCE_EXHAUSTED, stays_open=False):
    """On one connection all but the last of the calls are taken, and that one is not. `stays_open`: those before have begun then, and go on."""
    *taken, past = requests

    def row(node):
        with Wire(node.address).greet() as wire:
            for request in taken:
                call = wire.call(method, request, credit=1)
                if stays_open:
                    wire.first_message(call)
                else:
                    wire.expect_status(call, 0)
            wire.expect_status(wire.call(method, past), code, f"({name})")
    return row


def configuration(**fields):
    return pb.ConfigureSessionRequest(configuration=pb.SessionConfiguration(**fields))


def connections(node):
    """Others have taken all that there are: the node takes two."""
    with Wire(node.address).greet(), Wire(node.address, "127.0.0.2").greet():
        refused(Wire(node.address, "127.0.0.3"), "connections")


def connections_of_an_address(node):
    with Wire(node.address).greet(), Wire(node.address).greet():
        refused(Wire(node.address), "connectionsPerAddress")


def refused(wire, name):
    with wire:
        wire.raw(packet(hello=pb.Hello(version=1))).expect_go_away(RESOURCE_EXHAUSTED, f"({name})")


def calls_of_a_connection(node, bound):
    with Wire(node.address).greet() as wire:
        for _ in range(bound):
            wire.call("Upload", pb.TestRequest(), last=False)
        wire.expect_alive()
        wire.expect_status(wire.call("Upload", pb.TestRequest(), last=False), RESOURCE_EXHAUSTED, "callsPerConnection")


def calls_of_an_address(node):
    with Wire(node.address).greet() as wire, Wire(node.address).greet() as other:
        for _ in range(2):
            wire.call("Upload", pb.TestRequest(), last=False)
        wire.expect_alive()
        other.expect_status(other.call("Upload", pb.TestRequest(), last=False), RESOURCE_EXHAUSTED, "(callsPerAddress)")
        wire.expect_alive()  # none of them has been refused since


def requests_of_an_address(node, name, bound):
    """Calls whose answers nobody takes, until their requests are so long together."""
    request = pb.TestRequest(note=bytes(60_000))
    with Wire(node.address).greet() as wire, Wire(node.address).greet() as other:
        for _ in range(bound // request.ByteSize()):
            wire.call("Download", request, credit=0)
        wire.expect_alive()
        other.expect_status(other.call("Unary", request), RESOURCE_EXHAUSTED, f"({name})")
        other.expect_status(other.call("Unary", pb.TestRequest(note=bytes(1_000))), 0)
        wire.expect_alive()


def pairs(count, first):
    """Calls that are opened and cancelled, the first with that id."""
    request = pb.Request(method="capture.v1.Test/Upload", no_message=True)
    calls = range(first, first + 2 * count, 2)
    return b"".join(packet(call_id=call, request=request) + packet(call_id=call, cancel=pb.Cancel()) for call in calls)


class Cancels:
    """Calls that connections of one address open and cancel, each as many; and how many of these the node has taken."""

    def __init__(self, crowd):
        self.crowd, self.taken = crowd, 0

    def take(self, count):
        """So many more, or a few less, at once; the GoAway to one that cancelled too many, or None."""
        share, told = count // len(self.crowd), None
        for one in self.crowd:
            one.raw(pairs(share, one.next_id))
            one.next_id += 2 * share
        for one in self.crowd:
            # An address is asked about its cancels once they are answered, and before the node reads the Ping.
            away = go_away(one, share) or self.pinged(one)
            told, self.taken = told or away, self.taken + (0 if away else share)
        return told

    @staticmethod
    def pinged(wire):
        wire.send(ping=pb.Ping(sent_ns=1))
        envelope, _ = wire.receive(within=10) or (pb.Envelope(), b"")
        kind = envelope.WhichOneof("kind")
        require(kind in ("pong", "go_away"), f"{kind} instead of a Pong")
        return envelope.go_away if kind == "go_away" else None


def cancels(node, name, burst, rate, pause=0, connections=1, own=(0, 0)):
    """As many as may be at once are taken, and after a pause as many as have come back; and then until somebody has to go, no more than can have come
    back in all that time, however long it was. `own`: what each connection has beside the bounds, at once and a second."""
    began = time.monotonic()
    with contextlib.ExitStack() as ends:
        crowd = Cancels([ends.enter_context(Wire(node.address)).greet() for _ in range(connections)])
        require(crowd.take(burst + connections * own[0]) is None, f"{burst} at once are too many")
        emptied = time.monotonic()
        time.sleep(pause)
        if back := min(burst, int(rate * (time.monotonic() - emptied))):
            require(crowd.take(back) is None, f"{back} after {pause} s are too many")
        step, away = connections, None
        while away is None:
            step *= 2  # however slow this is: at last there are more than come back meanwhile
            away = crowd.take(step)
        seconds = time.monotonic() - began
    most = burst + rate * seconds + connections * (own[0] + own[1] * seconds)
    require(crowd.taken <= most, f"{crowd.taken} are taken in {seconds:.2f} s; {burst} at once and {rate} a second are {most:.0f}")
    require(away.code == RESOURCE_EXHAUSTED and f"{burst} at once and {rate} a second" in away.text, f"GoAway says {away}")
    require(re.search(rf"[(, ]{name}[,)]", away.text), f"GoAway says {away.text!r}, without {name}")


def envelopes(node, bound):
    def call(note):
        request = pb.Request(method="capture.v1.Test/Unary", body=pb.TestRequest(note=bytes(note)).SerializeToString(), last=True)
        return pb.Envelope(call_id=1, request=request).SerializeToString()
    around = len(call(bound // 2)) - bound // 2
    longest = call(bound - around)
    require(len(longest) == bound, f"an envelope of {len(longest)} bytes was made")
    with Wire(node.address).greet() as wire:
        wire.raw(packet(longest)).expect_status(1, 0)
    prefix(node, (bound + 1, 0), "max_envelope_bytes")


def chunks(node, bound):
    with Wire(node.address).greet() as wire:
        call = wire.call("Upload", last=False, no_message=True)
        wire.send(call_id=call, message=pb.Message(payload_length=bound, last=True), data=bytes(bound)).expect_status(call, 0)
    prefix(node, (4, bound + 1), "max_chunk_bytes")


def prefix(node, sizes, name):
    with Wire(node.address).greet() as wire:
        wire.raw(b"".join(size.to_bytes(4, "big") for size in sizes)).expect_go_away(RESOURCE_EXHAUSTED, name)


def messages_ahead(node, bound):
    """A handler whose answers have no credit takes none."""
    with Wire(node.address).greet() as wire:
        call = wire.call("Echo", last=False, no_message=True, credit=0)
        message = packet(call_id=call, message=pb.Message(body=pb.TestRequest(response_count=1).SerializeToString()))
        wire.raw(message * bound).expect_alive()
        wire.raw(message).expect_status(call, INVALID_ARGUMENT, "credit")


def lease_waiters(node, bound):
    request = pb.AcquireLeaseRequest(device="0", duration_ms=60_000, wait_ms=60_000)
    crowd = [Wire(node.address).greet() for _ in range(-(-(bound + 1) // 90))]
    crowd[0].expect_status(crowd[0].call("capture.v1.Leases/Acquire", request), 0)
    for number in range(bound):
        crowd[number // 90].call("capture.v1.Leases/Acquire", request)
    for one in crowd:
        one.expect_alive()
    with Wire(node.address).greet() as last:
        last.expect_status(last.call("capture.v1.Leases/Acquire", request), RESOURCE_EXHAUSTED, "leases.waiters")
    for one in crowd:
        one.expect_alive()  # none of them has been refused since
    for one in crowd:
        one.close()


def renditions(node, name, bound, each):
    """Different pictures, so many on each connection."""
    crowd = [Wire(node.address).greet() for _ in range(-(-(bound + 1) // each))]
    for number in range(bound):
        wire = crowd[number // each]
        wire.first_message(subscribe(wire, credit=1, encoding=pb.ENCODING_JPEG, quality=number + 1))
    wire = crowd[bound // each]
    wire.expect_status(subscribe(wire, credit=1, encoding=pb.ENCODING_JPEG, quality=100), RESOURCE_EXHAUSTED, f"({name})")
    # One that there is already.
    wire.first_message(subscribe(wire, credit=1, encoding=pb.ENCODING_JPEG, quality=bound))
    for one in crowd:
        one.close()


def watches(node, method, request, name, bound):
    crowd = [Wire(node.address).greet() for _ in range(bound // 90 + 1)]
    for number in range(bound):
        wire = crowd[number // 90]
        wire.first_message(wire.call(method, request, credit=1))
    crowd[-1].expect_status(crowd[-1].call(method, request), RESOURCE_EXHAUSTED, f"({name})")
    for one in crowd:
        one.close()


def watches_of_a_session(node, name, bound):
    with Wire(node.address).greet() as owner:
        request = configuration(inputs=[pb.SessionInput(device="0")])
        request.session = "door"
        owner.expect_status(owner.call("capture.v1.Sessions/Configure", request), 0)
        watches(node, "capture.v1.Sessions/Events", pb.SessionEventsRequest(session="door"), name, bound)


def unread_photos(node, name, bound):
    """As many photos as have room, and one more, wait for their client, who has read all that comes before them."""
    settings = pb.PhotoSettings(rendition=pb.Rendition(quality=100), settle=pb.SettlingBound())
    request = pb.CapturePhotoRequest(device="0", settings=settings)
    with Wire(node.address).greet() as wire:
        *before, (_, photo) = wire.expect_status(wire.call("capture.v1.Photos/Capture", request), 0)
        count = bound // len(photo) + 1
        one_too_many(wire, [wire.call("capture.v1.Photos/Capture", request, credit=len(before)) for _ in range(count)], name)


def photos(**settings):
    return pb.CapturePhotoRequest(device="0", settings=pb.PhotoSettings(**settings))


# Rows that other tests reach, by the files and the functions: a synthetic camera has no driver's memory, some need so many calls at one moment or so many
# addresses as no process makes, and of some nobody outside sees more than that memory stays.
ELSEWHERE = {
    "bufferBytesPerCamera": "Tests/CaptureV4L2VividTests/SizeTests.swift whatNoMemoryHoldsIsRefusedAndTheDriverStaysAsItWas",
    "lookupsPerCamera": "Tests/CaptureNodeTests/Services/CameraLinesTests.swift aFewLookUpAtOnceOthersWaitAndOneMoreThanMayIsRefused",
    "profileChangesPerCamera": "Tests/CaptureNodeTests/Services/SavingProfilesTests.swift soManySaveOrWaitAndNoMore",
    "lateFrameBytesPerAddress": "Tests/CaptureTransportTests/LateFramesTests.swift clientsOfOneAddressThatStopInTheMiddleKeepAsMuchAsTheLimitSays",
    "keptPhotos": "Tests/CaptureNodeTests/Services/RequestedPhotosTests.swift aNodeTakesAsManyAtOnceAsItsLimitSays",
    "keptPhotoBytes": "Tests/CaptureNodeTests/Services/RequestedPhotosTests.swift aNodeKeepsAsManyBytesAsItsLimitSays",
    "recentFrameBytesPerCamera": "Tests/CaptureEngineTests/Photos/PhotoTimeTests.swift aCameraKeepsAsManyBytesAsItsLimitSays",
    "burstBytesPerCamera": "Tests/CaptureEngineTests/Photos/ManyPhotosTests.swift aHundredBurstsHaveTogetherWhatACameraMayKeep",
    "libraryDeletions": "Tests/CaptureLibraryTests/BoundTests.swift theOldestDeletionsAreForgotten",
    "libraryStatements": "Tests/CaptureLibraryTests/BoundTests.swift preparedStatementsAreLetGoOf",
    "removedJobs": "Tests/CaptureNodeTests/Jobs/NodeJobsTests.swift soManyRemovedJobsAreRememberedAndNoMore",
    "refusedConnections": "Tests/CaptureTransportTests/ListenerTests.swift howeverManyAreTooManyEachIsToldWhyAndFewAreHeld",
    "refusedAddresses": "Tests/CaptureTransportTests/OriginTests.swift asManyRefusedOnesAreRememberedAsTheNodesLimitSays",
    "cancellingAddresses": "Tests/CaptureTransportTests/OriginTests.swift asManyThatCancelAreRememberedAsTheNodesLimitSays",
    "auditedKinds": "Tests/CaptureNodeTests/Audit/AuditTrailTests.swift aFloodOfKindsIsBoundedAndCounted",
    "auditLines": "Tests/CaptureNodeTests/Audit/NodeAuditTests.swift soManyLinesWaitForTheLogAndNoMore",
    "noticeKinds": "Tests/CaptureNodeTests/Process/NoticeLimiterTests.swift furtherKindsOfOneSecondAreOne",
    "logBytes": "Tests/CapturectlTests/LogTests.swift soManyBytesWaitForTheLogAndNoMore",
    "accessRequests": "Tests/Interop/test_access_requests.py so_many_ask_and_no_more",
    "accessWatches": "Tests/CaptureNodeTests/Access/AccessRequestCallsTests.swift asManyCallsWaitForNewsAsMay",
}


def require_tests():
    """The tests that reach rows elsewhere are there."""
    for name, place in ELSEWHERE.items():
        file, function = place.split()
        text = (ROOT / file).read_text() if (ROOT / file).exists() else ""
        require(re.search(rf"\b(func|def) {function}\(", text), f"{name}: no test {function} in {file}")


def every_limit(report):
    """Each row of docs/limits.md."""
    bounds = {name: int(bound) for name, bound in ROW.findall(PAGE.read_text())}

    def usual(row):
        with Node(*CAMERA) as node:
            row(node)

    def many(cameras, row):
        with Node(*["--camera", "synthetic:160x120@1"] * cameras) as node:
            row(node)

    def small(row, *numbers):
        with configured(SMALL % numbers) as options, Node(*CAMERA, *options) as node:
            row(node)

    def large(row):
        with configured("{ limits: { unreadPhotoBytes: 1000000 } }") as options:
            with Node("--camera", "synthetic:1280x720@30", *options) as node:
                row(node, 1_000_000)

    def profiles(count):
        return [pb.SaveProfileRequest(device="0", name=f"p{number}") for number in range(count)]

    def inputs(first, count):
        return [pb.SessionInput(device=f"synthetic-{number}") for number in range(first, first + count)]

    def outputs(count):
        return [pb.SessionOutput(name=f"o{number}", kind=pb.OUTPUT_KIND_VIDEO) for number in range(count)]

    rows = {
        "connections": lambda bound, name: small(connections, 2, 2, 10),
        "connectionsPerAddress": lambda bound, name: small(connections_of_an_address, 10, 2, 10),
        "callsPerConnection": lambda bound, name: usual(lambda node: calls_of_a_connection(node, bound)),
        "callsPerAddress": lambda bound, name: small(calls_of_an_address, 10, 10, 2),
        "requestBytesPerAddress": lambda bound, name: usual(lambda node: requests_of_an_address(node, name, bound)),
        "cancelBurst": lambda bound, name: usual(lambda node: cancels(node, name, bound, bounds["cancelsPerSecond"])),
        "cancelsPerSecond": lambda bound, name: usual(lambda node: cancels(node, name, bounds["cancelBurst"], bound, pause=1)),
        "cancelBurstPerAddress": lambda bound, name: usual(
            lambda node: cancels(node, name, bound, bounds["cancelsPerSecondPerAddress"], connections=8, own=OWN_CANCELS)),
        "cancelsPerSecondPerAddress": lambda bound, name: usual(
            lambda node: cancels(node, name, bounds["cancelBurstPerAddress"], bound, pause=1, connections=8, own=OWN_CANCELS)),
        "envelopeBytes": lambda bound, name: usual(lambda node: envelopes(node, bound)),
        "chunkBytes": lambda bound, name: usual(lambda node: chunks(node, bound)),
        "messagesAhead": lambda bound, name: usual(lambda node: messages_ahead(node, bound)),
        "listEntries": lambda bound, name: usual(reached(
            "capture.v1.Devices/GetControls",
            [pb.GetControlsRequest(device="0", names=["gain"] * count) for count in (bound, bound + 1)], name, INVALID_ARGUMENT)),
        "leaseWaiters": lambda bound, name: usual(lambda node: lease_waiters(node, bound)),
        "renditionsPerConnection": lambda bound, name: usual(lambda node: renditions(node, name, bound, bound + 1)),
        "renditionsPerCamera": lambda bound, name: usual(lambda node: renditions(node, name, bound, 4)),
        "unreadPhotoBytes": lambda bound, name: large(lambda node, room: unread_photos(node, name, room)),
        "burstPhotos": lambda bound, name: usual(reached(
            "capture.v1.Photos/Capture", [photos(burst=count) for count in (bound, bound + 1)], name, stays_open=True)),
        "photosPerCamera": lambda bound, name: usual(lambda node: camera_limits.photos(node, name, bound)),
        "bracketSteps": lambda bound, name: usual(reached(
            "capture.v1.Photos/Capture", [photos(bracket=[pb.BracketStep(bias=0)] * count) for count in (bound, bound + 1)], name, stays_open=True)),
        "deviceWatches": lambda bound, name: usual(
            lambda node: watches(node, "capture.v1.Devices/Watch", pb.WatchDevicesRequest(), name, bound)),
        "settingsWatchesPerCamera": lambda bound, name: usual(
            lambda node: watches(node, "capture.v1.Settings/Watch", pb.WatchSettingsRequest(device="0"), name, bound)),
        "watchesPerSession": lambda bound, name: usual(lambda node: watches_of_a_session(node, name, bound)),
        "profilesPerCamera": lambda bound, name: usual(reached("capture.v1.Settings/SaveProfile", profiles(bound + 1), name)),
        "sessions": lambda bound, name: many(bound + 1, reached(
            "capture.v1.Sessions/Configure", [configuration(inputs=inputs(number, 1)) for number in range(bound + 1)], name)),
        "inputsPerSession": lambda bound, name: many(bound + 1, reached(
            "capture.v1.Sessions/Configure", [configuration(inputs=inputs(0, count)) for count in (bound, bound + 1)], name, INVALID_ARGUMENT)),
        "outputsPerSession": lambda bound, name: usual(reached(
            "capture.v1.Sessions/Configure",
            [configuration(inputs=inputs(0, 1), outputs=outputs(count)) for count in (bound, bound + 1)], name, INVALID_ARGUMENT)),
        "waitingChangesPerCamera": lambda bound, name: usual(lambda node: camera_limits.waiting_changes(node, name, bound)),
        "rememberedChangesPerCamera": lambda bound, name: usual(lambda node: camera_limits.remembered_changes(node, bound)),
        "leaseTokensPerCall": lambda bound, name: usual(lambda node: camera_limits.tokens_of_a_call(node, bound)),
        "endedLeases": lambda bound, name: usual(lambda node: camera_limits.ended_leases(node, bound)),
        "unreadAnswerBytes": lambda bound, name: usual(lambda node: camera_limits.unread_answers(node, bound, bounds["callsPerConnection"])),
        "libraryWatches": lambda bound, name: with_job(
            lambda node: watches(node, "capture.v1.Library/Watch", pb.WatchAssetsRequest(), name, bound)),
        "libraryUploads": lambda bound, name: with_library(lambda node: library_limits.uploads(node, name, bound)),
        "assetBytes": lambda bound, name: with_library(lambda node: library_limits.bytes_of_a_file(node, name, bound)),
        "resourcesPerAsset": lambda bound, name: with_library(lambda node: library_limits.resources_of_an_asset(node, name, bound)),
        "labelsPerAsset": lambda bound, name: with_library(lambda node: library_limits.labels_of_an_asset(node, name, bound)),
        "assetsPerPage": lambda bound, name: with_library(lambda node: library_limits.page(node, name, bound)),
        "unreadAssetBytes": lambda bound, name: library_limits.with_little_room(lambda node, room: library_limits.unread_pieces(node, name, room)),
        "jobs": lambda bound, name: with_library(reached("capture.v1.Jobs/Start", [library_limits.timelapse()] * (bound + 1), name)),
        "jobWatches": lambda bound, name: with_job(lambda node: watches(node, "capture.v1.Jobs/Watch", pb.WatchJobsRequest(), name, bound)),
        "unknownConnections": strangers.silent_connections,
        "unknownConnectionsPerAddress": strangers.silent_connections_of_an_address,
        "bytesWithoutContent": lambda bound, name: strangers.keys_alone(bound),
        "pairingCodes": strangers.codes,
        "accessClients": strangers.clients,
        "grantsPerClient": strangers.grants_of_a_client,
        "patternsPerClient": strangers.patterns_of_a_client,
    }
    require(rows.keys() | ELSEWHERE.keys() == bounds.keys() and not rows.keys() & ELSEWHERE.keys(),
            f"rows without a case, or cases without a row: {(rows.keys() | ELSEWHERE.keys()) ^ bounds.keys()}; twice: {rows.keys() & ELSEWHERE.keys()}")
    require_tests()
    wrong = []
    for name, row in rows.items():
        try:
            row(bounds[name], name)
        except (Violation, OSError, strangers.NodeError) as error:
            wrong.append(f"{name}: {error}")
    report(f"{len(rows)} limits")
    require(not wrong, "; ".join(wrong))
