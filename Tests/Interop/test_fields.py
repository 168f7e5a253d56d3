"""Sends every field of every request with a value that means nothing: nothing is ignored, so each is refused, and the refusal's details name it. Then what means
something and could have no effect beside the rest of its request, and every list of every request with more entries than a list has.

usage: test_fields.py CAPTURE-NODE-BINARY

A field whose every value means something is in SHOWN, with the test that shows what it does. Prints "ok NAME" or "not ok NAME".
"""

import json
import math
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cases import passes
from capture_client import Connection, NodeError, pb

PROJECT = Path(__file__).resolve().parents[2]
CAMERA = "synthetic:physics:320x240@30,manual"

SESSION = dict(inputs=[dict(device="0")], outputs=[dict(name="live", kind=pb.OUTPUT_KIND_VIDEO)],
               connections=[dict(device="0", output="live")])

# What makes a request whole, so that only the field in question is wrong.
WHOLE = {
    "AcquireLeaseRequest": dict(device="0", duration_ms=1000),
    "AddAssetRequest": dict(asset=dict(), resource=dict(media_type="image/jpeg", bytes=1)),
    "ConfigureSessionRequest": dict(session="door", configuration=SESSION, dry_run=True),
    "ControlJobRequest": dict(action=pb.ControlJobRequest.STOP),
    "ConvertPointsRequest": dict(picture=dict(width=640, height=480), view_width=100, view_height=100,
                                 region=dict(width=1, height=1)),
    "ConvertWhiteBalanceRequest": dict(device="0", temperature=dict(temperature=5000)),
    "GetControlsRequest": dict(device="0", names=["gain"]),
    "PairRequest": dict(code=bytes(16), secret_sha256=bytes(32)),
    "SetControlsRequest": dict(device="0", assignments=[dict(name="gain")]),
    "SetSettingsRequest": dict(device="0", change=dict(zoom=dict(factor=1))),
    "StartJobRequest": dict(timelapse=dict(device="0", interval_ms=1000)),
}
# What is whole with an asset of the library, whose name is not known before.
WITH_ASSET = {"FetchResourceRequest": lambda name: dict(id=name), "LabelAssetsRequest": lambda name: dict(ids=[name])}

# Any value of these means something; the test says what.
NODE, ENGINE = "CaptureNodeTests/Services", "CaptureEngineTests"
SHOWN = {
    "PairRequest.name": "CaptureAccessTests/AccessBookTests.swift:twoOfOneNameAreToldApart",
    "AssetFilter.device": "CaptureLibraryTests/LibraryTests.swift:pagesAndFiltersFindWhatIsThere",
    "AssetFilter.from_utc_ns": "CaptureLibraryTests/LibraryTests.swift:pagesAndFiltersFindWhatIsThere",
    "AssetFilter.until_utc_ns": "CaptureLibraryTests/LibraryTests.swift:pagesAndFiltersFindWhatIsThere",
    "AssetFilter.sequence": "Interop/test_fields.py:an_upload_is_as_it_was_described",
    "LabelAssetsRequest.remove": "CaptureLibraryTests/LibraryTests.swift:labelsChangeAllOrNone",
    "FetchResourceRequest.length": "Interop/test_library.py:fetch(id=name, length=100)",
    "Delete AssetIds.ids": "CaptureLibraryTests/LibraryTests.swift:aDeletedAssetLeavesNothing",
    "NewAsset.created_utc_ns": "Interop/test_fields.py:an_upload_is_as_it_was_described",
    "NewAsset.device": "Interop/test_fields.py:an_upload_is_as_it_was_described",
    "NewAsset.sequence": "Interop/test_fields.py:an_upload_is_as_it_was_described",
    "NewAsset.shot": "Interop/test_fields.py:an_upload_is_as_it_was_described",
    "NewPairingRequest.role": "Interop/test_pairing.py:roles_hold",
    "NewPairingRequest.name": "Interop/test_pairing.py:two_commands_and_a_paste_to_the_first_frame",
    "NewPairingRequest.client_seconds": "Interop/test_pairing.py:roles_hold",
    "NewPairingRequest.port": "Interop/test_pairing.py:two_commands_and_a_paste_to_the_first_frame",
    "NewPairingRequest.cameras": "Interop/test_pairing.py:a_client_sees_the_cameras_that_its_patterns_name",
    "Grant.role": "CaptureNodeTests/Access/GrantCallsTests.swift:badGrantsAreRefused",
    "Grant.cameras": "CaptureNodeTests/Access/GrantCallsTests.swift:badGrantsAreRefused",
    "Grant.media": "CaptureNodeTests/Access/GrantCallsTests.swift:badGrantsAreRefused",
    "RevokeRequest.client": "Interop/test_pairing.py:a_revoked_client_sees_nothing_more",
    "RevokeRequest.keep_jobs": "Interop/test_visibility.py:a_client_that_is_revoked_leaves_what_it_shall",
    "AccessRequest.withdraw": "Interop/test_access_requests.py:a_request_is_taken_back",
    "DecideAccessRequest.client": "Interop/test_access_requests.py:an_operator_is_told_whom_he_cannot_approve",
    "DecideAccessRequest.approve": "Interop/test_access_requests.py:a_denial_is_told_and_lasts",
    "DecideAccessRequest.number": "Interop/test_access_requests.py:what_nobody_has_seen_is_not_approved",
    "ListenRequest.close": "Interop/test_pairing.py:closing_ends_what_the_network_has",
    "PhotoOrientation.mirrored": "Interop/test_photo_formats.py:a_photo_is_turned_as_asked",
    "CapturePhotoRequest.dry_run": "Interop/test_page.py:a_photo_is_as_its_settings_say",
    "SetControlsRequest.clamp": f"{NODE}/DevicesEndpointTests.swift:controlsAreReadSetAndRefused",
    "SetSettingsRequest.clamp": f"{NODE}/SettingsEndpointTests.swift:whatTheCameraCannotDoIsRefusedWithWhatItCan",
    "AcquireLeaseRequest.wait_ms": f"{NODE}/LeasesEndpointTests.swift:aLeaseKeepsOthersOutUntilItIsGivenBack",
    "AcquireLeaseRequest.outlives_connection": f"{NODE}/LeasesEndpointTests.swift:aLeaseEndsWithItsConnectionUnlessItWasAskedToOutliveIt",
    "RenewLeaseRequest.outlives_connection": f"CaptureNodeTests/Leases/LeaseBookTests.swift:aLeaseThatOutlivesItsConnectionStaysSoForALimitedTime",
    "ReleaseLeaseRequest.force": f"{NODE}/LeasesEndpointTests.swift:aLeaseThatIsEndedByForceTellsItsHolderByWhom",
    "Rendition.mirrored": f"{NODE}/PhotosEndpointTests.swift:aPhotoIsCutTurnedAndMirrored",
    "PhotoSettings.unchecked": f"{ENGINE}/Photos/DamagedPhotoTests.swift:uncheckedItIsTakenAsItIs",
    "PhotoSettings.allow_no_signal": f"{ENGINE}/Inputs/SourceChangeTests.swift:aPhotoWithoutSignalIsUnavailableUnlessItIsAllowed",
    "PhotoSettings.without_metadata": f"{NODE}/PhotosEndpointTests.swift:aPhotoHasMetadataUnlessNobodyWantsIt",
    "PhotoSettings.shot": "Interop/test_photos.py:the_tags_are_what_the_node_tells",
    "When.next": "CaptureWireTests/Mapping/PhotoTimeTests.swift:whatIsTrueIsLeftOutOrTrue",
    "When.now": f"{ENGINE}/Photos/PhotoTimeTests.swift:nowIsTheNewestFrame",
    "SessionConnection.mirrored": f"{ENGINE}/Sessions/SwitchingTests.swift:aPictureIsTurnedWhileItRuns",
    "SessionConnection.disabled": f"{ENGINE}/Sessions/SwitchingTests.swift:aConnectionIsDisabledAndEnabledWhileItRuns",
    "ConfigureSessionRequest.start": f"{NODE}/SessionsEndpointTests.swift:aSessionWithoutANameEndsWithItsConnection",
    "ConfigureSessionRequest.dry_run": f"{NODE}/SessionsEndpointTests.swift:aDryRunSaysWhatWouldBeAndChangesNothing",
    "ConfigureSessionRequest.create": f"{NODE}/SessionsEndpointTests.swift:aSessionThatHasToBeNewIsNotMadeOfAnother",
    "WhiteBalanceChange.grey_world": f"{ENGINE}/Software/SoftwareModesTests.swift:whatIsNotFoundIsAsItWasAndSaid",
    "SaveProfileRequest.replace": f"{ENGINE}/Profiles/ProfileTests.swift:namesAreCheckedAndProfilesNotWrittenOverUnasked",
    "ConvertPointsRequest.mirrored": f"{NODE}/VideoEndpointTests.swift:aTapIsConvertedToAPointOfInterestAndBack",
}

# Where the refusal names another field, and which: by the method and the request's field, by the request's field, or by its message's.
NAMED_OTHERWISE = {
    # A control is looked up by its name in the camera, and the details' `asked` has the name.
    "GetControlsRequest.names": "", "WatchSettingsRequest.names": "", "CalibrateRequest.controls": "",
    "SetSettingsRequest.change.controls.value.integer": "", "SetSettingsRequest.change.controls.value.text": "",
    "SetSettingsRequest.change.controls.value.integers.values": "", "SetSettingsRequest.change.controls.value.raw": "",
    "SetSettingsRequest.change.controls.literal": "",
    # A value is refused by the control's name.
    "SetControlsRequest.assignments.value.integer": "gain", "SetControlsRequest.assignments.value.text": "gain",
    "SetControlsRequest.assignments.value.integers.values": "gain", "SetControlsRequest.assignments.value.raw": "gain",
    "SetControlsRequest.assignments.literal": "gain",
    # A name needs its value, a value its name, an output a session, and data a resource of their size.
    "SetControlsRequest.assignments.name": "assignments.value", "SetSettingsRequest.change.controls.name": "change.controls.value",
    "CapturePhotoRequest.output": "session", "SubscribeRequest.output": "session", "AddAssetRequest.data": "resource.bytes",
    # A time of the node's clock needs its boot id, and a step of a bracket a duration.
    "CapturePhotoRequest.settings.when.node_ns": "settings.when.boot_id",
    "CapturePhotoRequest.settings.bracket.change.exposure.iso": "settings.bracket.change.exposure.duration",
    "CapturePhotoRequest.settings.bracket.change.exposure.gain": "settings.bracket.change.exposure.duration",
    # A token is a secret.
    "RenewLeaseRequest.token": "", "ReleaseLeaseRequest.token": "",
    "SetSettingsRequest.change.white_balance.temperature.tint": "change.white_balance.tint",
}
# Where it names the field beside: a tag without a name is none, and the camera's format and that of the picture are one question to the camera.
NEIGHBOURS = {"PhotoTag.value": "name", "Rendition.source_pixel_format": "pixel_format"}

# Values that mean something and could have no effect beside the others: the field that the refusal names, and whether another file, a JPEG, can have it.
RAW, PNG, DNG = (dict(type=getattr(pb, f"PHOTO_FILE_TYPE_{name}")) for name in ("RAW", "PNG", "DNG"))
TURNED = dict(degrees=90)
USELESS = [
    *((dict(formats=[RAW], rendition={field: value}), f"rendition.{field}", True) for field, value in [
        ("size", dict(width=320, height=240)), ("crop", dict(width=0.5, height=0.5)), ("orientation", 90), ("mirrored", True), ("quality", 20),
        ("subsampling", pb.SUBSAMPLING_420), ("source_pixel_format", 0x56595559)]),
    (dict(formats=[RAW], tags=[dict(name="Artist", value="Ada")]), "tags", True), (dict(formats=[RAW], shot="7"), "shot", True),
    (dict(formats=[RAW], thumbnail=dict(width=160, height=120)), "thumbnail", True), (dict(formats=[RAW], orientation=TURNED), "orientation", True),
    (dict(formats=[RAW], orientation_method=pb.ORIENTATION_METHOD_ENCODED), "orientation_method", True),
    (dict(formats=[DNG], orientation_method=pb.ORIENTATION_METHOD_FLAG), "orientation_method", False),
    (dict(formats=[DNG], rendition=dict(quality=20)), "rendition.quality", False),
    (dict(formats=[PNG], rendition=dict(quality=20)), "rendition.quality", True),
    (dict(formats=[PNG], rendition=dict(subsampling=pb.SUBSAMPLING_422)), "rendition.subsampling", True),
    (dict(formats=[dict(type=pb.PHOTO_FILE_TYPE_JPEG, rendition=dict(quality=30))], rendition=dict(quality=20)), "rendition.quality", False),
    (dict(rendition=dict(gravity=pb.VIDEO_GRAVITY_RESIZE_ASPECT)), "rendition.size", False),  # which is missing
    (dict(settle=dict(longest_ms=30_000), when=dict(now=True)), "settle", False),
    (dict(settle=dict(longest_ms=1), when=dict(ago_ns=10**9)), "settle", False),
    (dict(without_metadata=True, thumbnail=dict(width=16, height=16)), "thumbnail", False),
    (dict(burst=2, preview=dict(width=16, height=16)), "preview", False),
]
# The same of a timelapse's photos: the field that the refusal names has the value.
USELESS_IN_TIMELAPSES = dict(
    request_id="x", preview=dict(width=64, height=64), burst=2, when=dict(now=True), store=pb.STORE_MODE_ALSO,
    bracket=[dict(change=dict(exposure=dict(bias=1)))])

# The most entries of a list (docs/limits.md).
MOST = 256
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


def lists(message, prefix=()):
    """The paths to every list of texts or messages, through whatever messages. Lists of numbers are no longer than their bytes."""
    for field in message.fields:
        path, kind = (*prefix, field), KINDS[field.type]
        if field.label == field.LABEL_REPEATED and kind in ("string", "bytes", "message"):
            yield path
        if kind == "message":
            assert field.message_type not in [one.containing_type for one in path], f"{name(path)} is within itself"
            yield from lists(field.message_type, path)


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


def of_field(table, method, path):
    """What a table has of a field: by its method, its place in the request, or its own message. The key too."""
    place = f"{method.input_type.name}.{name(path)}"
    for key in f"{method.name} {place}", place, f"{path[-1].containing_type.name}.{path[-1].name}":
        if key in table:
            return key, table[key]
    return None, None


def names(error, method, path):
    """Whether the refusal's details name the field, or a message that has it; or the node's limit that it is beyond."""
    if error.code == 8:
        return bool(error.details and error.details.limit)
    given = re.sub(r"\[\d+\]", "", error.details.field if error.details else "")
    key, expected = of_field(NAMED_OTHERWISE, method, path)
    if key:
        return given == expected
    _, neighbour = of_field(NEIGHBOURS, method, path)
    if neighbour:
        return given.endswith(f".{neighbour}")
    return given != "" and f"{name(path)}.".startswith(f"{given}.")


def every_field_is_taken_or_refused(address, asset):
    WHOLE.update({request: whole_with(asset) for request, whole_with in WITH_ASSET.items()})
    left, met = [], set()
    for method in methods():
        for path in fields(method.input_type):
            place = f"{method.input_type.name}.{name(path)}"
            key, shown = of_field(SHOWN, method, path)
            if shown:
                met.add(key)
                if not is_shown(shown):
                    left.append(f"{place}: no {shown}")
                continue
            if KINDS[path[-1].type] == "bool":
                left.append(f"{place}: no test is named for it")
                continue
            error = refusal(address, method, with_wrong(whole(method.input_type), path))
            if error is None:
                left.append(f"{place} is ignored")
            elif error.code not in (3, 5, 8, 9, 10, 11):
                left.append(f"{place}: {error}")
            elif not names(error, method, path):
                left.append(f"{place}: the refusal names {error.details.field if error.details else None!r}: {error}")
    assert not left, "\n".join(left)
    assert met == set(SHOWN), set(SHOWN) - met


def moments_that_have_passed(node):
    """0.3 s ago, by each clock that can say so."""
    boot = node.unary("capture.v1.Node/Info", pb.InfoRequest(), pb.InfoResponse).boot_id
    ago = 300_000_000
    return dict(ago_ns=ago), dict(utc_ns=time.time_ns() - ago), dict(node_ns=time.monotonic_ns() - ago, boot_id=boot)


def every_list_has_a_bound(address, _):
    """Before it is decoded, wherever in a request it is: the refusal is the same for all methods."""
    left, walked = [], set()
    for method in methods():
        for path in lists(method.input_type):
            request = getattr(pb, method.input_type.name)()
            at = request
            for field in path[:-1]:
                at = getattr(at, field.name)
                if field.label == field.LABEL_REPEATED:
                    at = at.add()
            at, kind = getattr(at, path[-1].name), KINDS[path[-1].type]
            for _ in range(MOST + 1):
                at.add() if kind == "message" else at.append("" if kind == "string" else b"")
            error = refusal(address, method, request)
            if not (error and error.code == 3 and error.details and error.details.limit == "listEntries" and f"({name(path)})" in str(error)):
                left.append(f"{method.full_name} {name(path)}: {error}")
            walked.add(f"{method.input_type.name}.{name(path)}")
    assert not left, "\n".join(left)
    # It does reach what lies further in.
    assert {"CapturePhotoRequest.settings.tags", "StartJobRequest.timelapse.photo.tags", "WatchAssetsRequest.filter.labels", "NewPairingRequest.grants.cameras",
            "AddAssetRequest.asset.labels", "GetControlsRequest.names"} <= walked, walked


def what_could_have_no_effect_is_refused(address, _):
    """Nothing is taken: a photo would be long, and what is refused is so before that."""
    left = []
    with Connection(address) as node:
        late = [(dict(settle=dict(longest_ms=30_000), when=when), "settle", False) for when in moments_that_have_passed(node)]
        for settings, field, helps in USELESS + late:
            for formats in (None, [*settings.get("formats", []), dict(type=pb.PHOTO_FILE_TYPE_JPEG)])[: 1 + helps]:
                request = pb.CapturePhotoRequest(device="0", settings=pb.PhotoSettings(**{**settings, **(dict(formats=formats) if formats else {})}))
                request.dry_run = not request.settings.HasField("when") and not request.settings.burst
                try:
                    for _ in node.server_stream("capture.v1.Photos/Capture", request, pb.PhotoEvent):
                        pass
                    told = None
                except NodeError as error:
                    told = f"{error.code} {error.details.field}" if error.code == 3 else None
                if told != (None if formats else f"3 settings.{field}"):
                    left.append(f"{settings} with {formats}: {told}")
        for field, value in USELESS_IN_TIMELAPSES.items():
            request = pb.StartJobRequest(timelapse=dict(device="0", interval_ms=60_000, photo={field: value}))
            try:
                told = node.unary("capture.v1.Jobs/Start", request, pb.Job).id
            except NodeError as error:
                told = f"{error.code} {error.details.field}"
            if told != f"3 timelapse.photo.{field}":
                left.append(f"a timelapse with {field}: {told}")
    assert not left, "\n".join(left)


def stored_photo(address):
    """A photo that the node keeps."""
    request = pb.CapturePhotoRequest(device="1", settings=pb.PhotoSettings(store=pb.STORE_MODE_ALSO))
    with Connection(address) as node:
        *_, photo = node.server_stream("capture.v1.Photos/Capture", request, pb.PhotoEvent)
    return photo


def an_upload_is_as_it_was_described(address, photo):
    described = dict(created_utc_ns=10**18, device="attic", sequence="walk-1", shot="7")
    request = pb.AddAssetRequest(asset=described, resource=dict(media_type="image/jpeg", bytes=len(photo.data)), data=photo.data)
    with Connection(address) as node:
        added = node.unary("capture.v1.Library/Add", request, pb.Asset)
        assert {field: getattr(added, field) for field in described} == described, added
        for sequence, found in ("walk-1", [added.id]), ("walk-2", []):
            page = node.unary("capture.v1.Library/List", pb.ListAssetsRequest(filter=dict(sequence=sequence)), pb.AssetPage)
            assert [asset.id for asset in page.assets] == found, page


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = tempfile.TemporaryDirectory(prefix="capture-fields-")
    subprocess.run([sys.argv[1], "library", "init", "--mark-only", folder.name], stdout=subprocess.DEVNULL, check=True)
    configuration = Path(folder.name) / "node.json5"
    configuration.write_text(json.dumps({"library": {"root": folder.name}}))
    node = subprocess.Popen(
        [sys.argv[1], "--config", configuration, "--state", "none", "--trust-local-users", "--listen", "127.0.0.1:0", "--camera", CAMERA, "--camera", CAMERA],
        stdout=subprocess.PIPE, text=True)
    failures = 0
    try:
        address = node.stdout.readline().removeprefix("listening on ").strip()
        photo = stored_photo(address)
        tests = [(an_upload_is_as_it_was_described, photo), (every_field_is_taken_or_refused, photo.asset_id), (what_could_have_no_effect_is_refused, None),
                 (every_list_has_a_bound, None)]
        for test, given in tests:
            failures += not passes(test, address, given)
    finally:
        node.terminate()
        node.wait(10)
        folder.cleanup()
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
