"""A node beside the usual one, which may not open the cameras."""

import contextlib
import json

from cameras import MULTI, SINGLE
from usb import CAMERA

PLACE = "/tmp/beside"
NOBODY = 65534


@contextlib.contextmanager
def node(machine):
    """Such a node in the machine; runs `capturectl` there, and says what it printed."""
    machine.guest(f"""
        mkdir -p {PLACE}; chmod 777 {PLACE}; rm -f {PLACE}/socket
        setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups {machine.programs}/capture-node --listen unix:{PLACE}/socket --state none \\
          > {PLACE}/out 2> {PLACE}/log & echo $! > {PLACE}/pid
        for n in $(seq 100); do grep -q listening {PLACE}/out && exit 0; sleep 0.1; done; cat {PLACE}/log; exit 1""")

    def control(words):
        return machine.guest(f"COLUMNS=200 {machine.programs}/capturectl --node unix:{PLACE}/socket {words}")
    try:
        yield control
    finally:
        machine.guest(f"kill $(cat {PLACE}/pid); while kill -0 $(cat {PLACE}/pid) 2> /dev/null; do sleep 0.1; done")


def cameras_that_may_not_be_opened_are_told_with_the_reason(machine, control):
    paths = machine.guest("ls /dev/video*").split()
    modes = machine.guest("stat -c '%a %n' /dev/video*").splitlines()
    machine.guest("chmod 000 /dev/video*")
    try:
        with node(machine) as local:
            text = "no permission for opening it; members of its group (\"video\") have it"
            told = local("devices")
            assert told == "The node has no cameras.\n" + "".join(f"\nNot served: {path}: {text}\n" for path in paths), told
            document = json.loads(local("--json devices"))
            assert document["devices"] == [] and document["not_served"] == [f"{path}: {text}" for path in paths], document
            log = machine.guest(f"cat {PLACE}/log")
            assert all(f"warning: {path}: {text}" in log for path in paths), log
            # Once they may be opened they are served, as what they are.
            machine.guest("chmod 666 /dev/video*")
            machine.guest(f"""
                for n in $(seq 100); do
                  {machine.programs}/capturectl --node unix:{PLACE}/socket devices | grep -q 'Not served' || exit 0; sleep 0.1
                done; exit 1""")
            found = {device["id"] for device in json.loads(local("--json devices"))["devices"]}
            assert found == {SINGLE, MULTI, CAMERA}, found
    finally:
        machine.guest("; ".join(f"chmod {mode}" for mode in modes))


TESTS = (cameras_that_may_not_be_opened_are_told_with_the_reason,)
