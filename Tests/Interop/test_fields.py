"""Sends every field of every request with a value that means nothing: nothing is ignored, so each is refused.

usage: test_fields.py CAPTURE-NODE-BINARY

A field whose every value means something is in SHOWN, with the test that shows what it does. Prints "ok NAME" or "not ok NAME".
"""

import math
import subprocess
import sys
from pathlib import Path

from capture_client import Connection, NodeError, pb

PROJECT = Path(__file__).resolve().parents[2]
CAMERA = "synthetic:physics:320x240@30,manual"

SESSION = dict(inputs=[dict(device="0")], outputs=[dict(name="live", kind=pb.OUTPUT_KIND_VIDEO)],
               connections=[dict(device="0", output="live")])

# What makes a request whole, so that only the field in question is wrong.
WHOLE = {
    "AcquireLeaseRequest": dict(device="0", duration_ms=1000),
    "ConfigureSessionRequest": dict(session="door", configuration=SESSION, dry_run=True),
    "ConvertPointsRequest": dict(picture=dict(width=640, height=480), view_width=100, view_height=100,
                                 region=dict(width=1, height=1)),
    "ConvertWhiteBalanceRequest": dict(device="0", temperature=dict(temperature=5000)),
    "GetControlsRequest": dict(device="0", names=["gain"]),
    "SetControlsRequest": dict(device="0", assignments=[dict(name="gain")]),
    "SetSettingsRequest": dict(device="0"),
}

# Any value of these means something; the test says what.
NODE, ENGINE = "CaptureNodeTests/Services", "CaptureEngineTests"
SHOWN = {
    "SetControlsRequest.clamp": f"{NODE}/DevicesEndpointTests.swift:controlsAreReadSetAndRefused",
    "SetSettingsRequest.clamp": f"{NODE}/SettingsEndpointTests.swift:whatTheCameraCannotDoIsRefusedWithWhatItCan",
    "AcquireLeaseRequest.wait_ms": f"{NODE}/LeasesEndpointTests.swift:aLeaseKeepsOthersOutUntilItIsGivenBack",
    "AcquireLeaseRequest.outlives_connection": f"{NODE}/LeasesEndpointTests.swift:aLeaseEndsWithItsConnectionUnlessItWasAskedToOutliveIt",
    "RenewLeaseRequest.outlives_connection": f"{ENGINE}/Leases/LeaseBookTests.swift:aLeaseThatOutlivesItsConnectionStaysSoForALimitedTime",
    "ReleaseLeaseRequest.force": f"{NODE}/LeasesEndpointTests.swift:aLeaseThatIsEndedByForceTellsItsHolderByWhom",
    "Rendition.mirrored": f"{NODE}/PhotosEndpointTests.swift:aPhotoIsCutTurnedAndMirrored",
    "PhotoSettings.unchecked": f"{ENGINE}/Photos/DamagedPhotoTests.swift:uncheckedItIsTakenAsItIs",
    "PhotoSettings.allow_no_signal": f"{ENGINE}/Inputs/SourceChangeTests.swift:aPhotoWithoutSignalIsUnavailableUnlessItIsAllowed",
    "PhotoSettings.without_metadata": f"{NODE}/PhotosEndpointTests.swift:aPhotoHasMetadataUnlessNobodyWantsIt",
    "SessionConnection.mirrored": f"{ENGINE}/Sessions/SwitchingTests.swift:aPictureIsTurnedWhileItRuns",
    "SessionConnection.disabled": f"{ENGINE}/Sessions/SwitchingTests.swift:aConnectionIsDisabledAndEnabledWhileItRuns",
    "ConfigureSessionRequest.start": f"{NODE}/SessionsEndpointTests.swift:aSessionWithoutANameEndsWithItsConnection",
    "ConfigureSessionRequest.dry_run": f"{NODE}/SessionsEndpointTests.swift:aDryRunSaysWhatWouldBeAndChangesNothing",
    "ConfigureSessionRequest.create": f"{NODE}/SessionsEndpointTests.swift:aSessionThatHasToBeNewIsNotMadeOfAnother",
    "WhiteBalanceChange.grey_world": f"{ENGINE}/Software/SoftwareModesTests.swift:whatIsNotFoundIsAsItWasAndSaid",
    "SaveProfileRequest.replace": f"{ENGINE}/Profiles/ProfileTests.swift:namesAreCheckedAndProfilesNotWrittenOverUnasked",
    "ConvertPointsRequest.mirrored": f"{NODE}/VideoEndpointTests.swift:aTapIsConvertedToAPointOfInterestAndBack",
}

WRONG_NUMBER = {"double": math.nan, "fixed32": 0x21212121, "uint64": 2**62, "int64": 2**62, "uint32": 4_000_000_000, "enum": 99}
KINDS = {1: "double", 3: "int64", 4: "uint64", 7: "fixed32", 8: "bool", 9: "string", 11: "message", 12: "bytes", 13: "uint32", 14: "enum"}


def methods():
    """Every method but those of the test service and the envelope."""
    files = {value.DESCRIPTOR.file for value in vars(pb).values() if hasattr(value, "DESCRIPTOR") and hasattr(value, "FromString")}
    for file in sorted(files, key=lambda file: file.name):
        for service in file.services_by_name.values():
            if service.name != "Test":
                yield from service.methods


def fields(message, prefix=()):
    """The paths to every field that is no message, through those that are."""
    for field in message.fields:
        path = (*prefix, field)
        if KINDS[field.type] == "message":
            yield from fields(field.message_type, path)
        else:
            yield path


def name(path):
    return ".".join(field.name for field in path)


def whole(descriptor):
    request = getattr(pb, descriptor.name)(**WHOLE.get(descriptor.name, {}))
    if "device" in descriptor.fields_by_name:
        request.device = "0"
    return request


def with_wrong(request, path):
    """The request with a value in that field that means nothing."""
    at = request
    for field in path[:-1]:
        at = getattr(at, field.name)
        if field.label == field.LABEL_REPEATED:
            at = at[0] if len(at) else at.add()
    field = path[-1]
    kind = KINDS[field.type]
    value = {"string": "nothing has this name" * 9, "bytes": b"\x01\x02\x03"}.get(kind, WRONG_NUMBER.get(kind))
    if field.label == field.LABEL_REPEATED:
        getattr(at, field.name).append(value)
    else:
        setattr(at, field.name, value)
    return request


def refusal(address, method, request):
    """How the node refuses the request; None: it does not."""
    answer = getattr(pb, method.output_type.name)
    with Connection(address) as node:
        try:
            for _ in node.server_stream(f"capture.v1.{method.containing_service.name}/{method.name}", request, answer):
                return None
        except NodeError as error:
            return error


def is_shown(place):
    """Whether the test that is named for a field is there."""
    file, _, test = place.partition(":")
    return test in (PROJECT / "Tests" / file).read_text()


def every_field_is_taken_or_refused(address):
    left, met = [], set()
    for method in methods():
        for path in fields(method.input_type):
            place = f"{method.input_type.name}.{name(path)}"
            shown = SHOWN.get(place) or SHOWN.get(f"{path[-1].containing_type.name}.{path[-1].name}")
            if shown:
                met.add(place if place in SHOWN else f"{path[-1].containing_type.name}.{path[-1].name}")
                if not is_shown(shown):
                    left.append(f"{place}: no {shown}")
                continue
            if KINDS[path[-1].type] == "bool":
                left.append(f"{place}: no test is named for it")
                continue
            error = refusal(address, method, with_wrong(whole(method.input_type), path))
            if error is None:
                left.append(f"{place} is ignored")
            elif error.code not in (3, 5, 9, 10, 11):
                left.append(f"{place}: {error}")
    assert not left, "\n".join(left)
    assert met == set(SHOWN), set(SHOWN) - met


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    node = subprocess.Popen(
        [sys.argv[1], "--state", "none", "--listen", "127.0.0.1:0", "--camera", CAMERA, "--camera", CAMERA], stdout=subprocess.PIPE, text=True)
    try:
        address = node.stdout.readline().removeprefix("listening on ").strip()
        every_field_is_taken_or_refused(address)
    except AssertionError as error:
        print(f"not ok every_field_is_taken_or_refused\n{error}", flush=True)
        sys.exit(1)
    finally:
        node.terminate()
        node.wait(10)
    print("ok every_field_is_taken_or_refused", flush=True)


if __name__ == "__main__":
    main()
