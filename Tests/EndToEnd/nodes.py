"""Nodes beside the usual one: one that may not open the cameras, and one whose disk is full."""

import contextlib
import json

from cameras import MULTI, SINGLE
from control import until
from usb import CAMERA

PLACE = "/tmp/beside"
STATE = f"{PLACE}/disk/state.json"
NOBODY = 65534


@contextlib.contextmanager
def node(machine, options, user=0):
    """Such a node in the machine, run by a user; runs `capturectl` there, and says what it printed."""
    machine.guest(f"""
        mkdir -p {PLACE}; chmod 777 {PLACE}; rm -f {PLACE}/socket
        setpriv --reuid={user} --regid={user} --clear-groups {machine.programs}/capture-node --listen unix:{PLACE}/socket {options} \\
          > {PLACE}/out 2> {PLACE}/log & echo $! > {PLACE}/pid
        for n in $(seq 100); do grep -q listening {PLACE}/out && exit 0; sleep 0.1; done; cat {PLACE}/log; exit 1""")

    def control(words, fails=False):
        return machine.guest(f"{'! ' if fails else ''}COLUMNS=200 {machine.programs}/capturectl --node unix:{PLACE}/socket {words}")
    try:
        yield control
    finally:
        machine.guest(f"kill $(cat {PLACE}/pid); while kill -0 $(cat {PLACE}/pid) 2> /dev/null; do sleep 0.1; done")


def cameras_that_may_not_be_opened_are_told_with_the_reason(machine, control):
    paths = machine.guest("ls /dev/video*").split()
    modes = machine.guest("stat -c '%a %n' /dev/video*").splitlines()
    machine.guest("chmod 000 /dev/video*")
    try:
        with node(machine, "--state none", user=NOBODY) as local:
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


def a_full_disk_leaves_what_was_kept_and_is_told(machine, control):
    """Full to the last page, and with room for a part of the file alone."""
    machine.guest(f"mkdir -p {PLACE}/disk && mount -t tmpfs -o size=256k tmpfs {PLACE}/disk")
    refused = f"the node's state file, {STATE}, cannot be written: No space left on device"
    try:
        with node(machine, f"--camera synthetic:320x240@30 --state {STATE}") as local:
            local("set 0 brightness=7")
            # More than a page.
            names = [f"kept-{number}" for number in range(6)]
            local("profile save 0 " + f" && {machine.programs}/capturectl --node unix:{PLACE}/socket profile save 0 ".join(names))
            kept = machine.guest(f"cat {STATE}")
            assert len(kept) > 4096, len(kept)
            local("set 0 brightness=9")
            until(5, "9 in the state file", lambda: brightness(machine) == 9)
            kept = machine.guest(f"cat {STATE}")
            machine.guest(f"""
                cd {PLACE}/disk; n=0; while head -c 4096 /dev/zero > fill.$n 2> /dev/null; do n=$((n + 1)); done; rm fill.$n; test $n -gt 1""")
            for freed in None, "fill.0":
                if freed:
                    machine.guest(f"rm {PLACE}/disk/{freed}")
                for words, text in (
                    ("profile save 0 new", "the profile 'new' was not saved"), ("profile save 0 kept-0 --replace", "the profile 'kept-0' was not saved"),
                    ("profile delete 0 kept-0", "the profile 'kept-0' was not deleted"),
                ):
                    said = local(words + " 2>&1", fails=True)
                    assert said == f"capturectl: UNAVAILABLE: {text}: {refused}\n", said
                assert machine.guest(f"cat {STATE}") == kept
                assert "state.json.new" not in machine.guest(f"ls -A {PLACE}/disk")
                listed = [profile["name"] for profile in json.loads(local("--json profile list 0"))["profiles"]]
                assert listed == sorted(names), listed
            # Settings are for now, and need no disk.
            local("set 0 brightness=11")
            local("profile load 0 kept-0")
            assert local("get 0 brightness") == "brightness 7\n"
            assert machine.guest(f"grep -c 'cannot be written: No space left on device' {PLACE}/log") == "1\n"
            machine.guest(f"rm {PLACE}/disk/fill.*")
            local("profile save 0 new")
            profiles = json.loads(machine.guest(f"cat {STATE}"))["cameras"]["synthetic-0"]["profiles"]
            assert profiles.keys() == {*names, "new"} and brightness(machine) == 7, profiles.keys()
    finally:
        machine.guest(f"umount {PLACE}/disk")


def brightness(machine):
    """As the state file has it."""
    controls = json.loads(machine.guest(f"cat {STATE}"))["cameras"]["synthetic-0"]["controls"]
    return next(item["value"] for item in controls if item["name"] == "brightness")


TESTS = (cameras_that_may_not_be_opened_are_told_with_the_reason, a_full_disk_leaves_what_was_kept_and_is_told)
