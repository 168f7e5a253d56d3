"""Every text of every answer is either for programs, or one that Tests/Support/silent_proxy.py hides: so capturectl's test with it hides all that is for people.

usage: test_texts.py

Prints "ok NAME" or "not ok NAME"; the status is 0 when all are ok. It needs no node.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "Support"))

import silent_proxy  # noqa: E402
from cases import passes  # noqa: E402
from capture_client import pb  # noqa: E402

STRING = 9

# Names, identities, numbers as texts and what else a program may decide by, or hand back. A text for a person does not belong here.
FOR_PROGRAMS = {
    "AccessStatusResponse": "cameras client",
    "Asset": "added_by device id labels sequence shot",
    "AssetEvent": "token",
    "AssetPage": "next_page_token token",
    "AssetResource": "file media_type",
    "CameraInput": "name",
    "CameraSettings": "device",
    "CameraStatus": "id",
    "ClampedValue": "name",
    "ClientInfo": "cameras name peers",
    "ConnectionLimits": "output",
    "ControlAssignment": "literal name",
    "ControlDelay": "control",
    "ControlDescription": "name",
    "ControlReading": "menu_name name",
    "ControlUse": "control setting",
    "ControlValue": "text",
    "DecideAccessResponse": "cameras",
    "DeletedAssets": "ids",
    "Device": "bus driver id model path serial",
    "ErrorDetails": "device field limit possible",
    "Grant": "cameras",
    "InfoResponse": "boot_id kernel listeners machine methods name version",
    "InputSignal": "standard",
    "Job": "id last_asset",
    "LeaseInfo": "device token",
    "Lens": "make model",
    "LibraryStatus": "library root token",
    "ListDevicesResponse": "default_device",
    "ListenResponse": "addresses",
    "MenuItem": "name",
    "NewIdentityResponse": "clients configured",
    "NewPairingResponse": "host unmatched",
    "PairResponse": "client node",
    "PendingAccess": "cameras client devices peer",
    "PhotoEvent": "asset_id",
    "PhotoMetadata": "body_serial_number device image_unique_id make model node sequence shot",
    "PhotoResource": "media_type",
    "PhotoSettings": "request_id shot",
    "PhotoTag": "name value",
    "ReloadResponse": "ended next_start",
    "RevokeResponse": "jobs sessions used_sessions",
    "SessionConnection": "device output",
    "SessionInput": "device",
    "SessionOutput": "name",
    "SessionState": "session",
    "SettingsDescription": "device",
    "SettingsEvent": "changed",
    "SettingsProfile": "device name",
    "Thumbnail": "id",
    "TimelapseSettings": "device labels",
    "Viewer": "address client device user",
    "WantedAccess": "cameras",
    "When": "boot_id",
}


def answers():
    """What each method answers, by its name."""
    files = {value.DESCRIPTOR.file for value in vars(pb).values() if hasattr(value, "DESCRIPTOR") and hasattr(value, "FromString")}
    return {f"{service.name}/{method.name}": method.output_type
            for file in files for service in file.services_by_name.values() for method in service.methods}


def texts(message, hidden, place, around=()):
    """The texts in a message as (field with its message, whether it is hidden, place), and what is hidden of what is no text as wrong."""
    for number in hidden:
        assert number in message.fields_by_number, f"{place}: {message.name} has no field {number}"
    for field in message.fields:
        own = hidden.get(field.number)
        if field.message_type is not None:
            assert own is None or isinstance(own, dict), f"{place}.{field.name} is hidden as a text, and is a message"
            if field.message_type not in around:
                yield from texts(field.message_type, own or {}, f"{place}.{field.name}", (*around, message))
        elif field.type == STRING:
            yield f"{message.name}.{field.name}", own is not None, f"{place}.{field.name}"
        else:
            assert own is None, f"{place}.{field.name} is hidden, and is no text"


def all_texts():
    for method, answer in answers().items():
        yield from texts(answer, silent_proxy.ANSWERS.get(method, {}), method)


def every_text_is_for_programs_or_hidden():
    known = {f"{message}.{field}" for message, fields in FOR_PROGRAMS.items() for field in fields.split()}
    shown = [place for name, is_hidden, place in all_texts() if not is_hidden and name not in known]
    assert not shown, "a text for people, which silent_proxy.py does not hide? " + ", ".join(shown)


def what_is_hidden_or_named_is_there():
    unknown = silent_proxy.ANSWERS.keys() - answers().keys()
    assert not unknown, f"the proxy knows methods that there are not: {unknown}"
    there = {name for name, _, _ in all_texts()}
    gone = [f"{message}.{field}" for message, fields in FOR_PROGRAMS.items() for field in fields.split() if f"{message}.{field}" not in there]
    assert not gone, f"no answer has {gone}"


def errors_keep_only_what_programs_read():
    for name, is_hidden, place in texts(pb.ErrorDetails.DESCRIPTOR, silent_proxy.DETAILS, "capture-error-bin"):
        assert is_hidden != (name.split(".")[1] in FOR_PROGRAMS["ErrorDetails"].split()), place


def main():
    tests = [every_text_is_for_programs_or_hidden, what_is_hidden_or_named_is_there, errors_keep_only_what_programs_read]
    sys.exit(any([not passes(test) for test in tests]))


if __name__ == "__main__":
    main()
