"""capturectl on this machine against a node in the virtual machine, with vivid's cameras and a USB camera.

usage: EndToEnd [--unplug TIMES | --change TIMES | --only PATTERN] PROGRAMS

PROGRAMS is the directory of capture-node and capturectl. --only runs the tests in whose names PATTERN is found; --unplug pulls the USB
camera's cable so often, --change changes settings of all cameras at random so often, and that is all. Prints a line "ok NAME" or
"not ok NAME" for each test; the status is 0 when all are ok.
"""

import argparse
import re
import sys

import automation
import cameras
import cases
import dngs
import faults
import inputs
import nodes
import photos
import settings
import sizes
import usb
from control import Control, until
from machine import Machine


def nothing_is_left_over(machine, control):
    """After all of it: no client, no call, no buffer lent, no stream."""
    def nothing():
        status = control.json("status")
        return status["clients"] == 1 and status["calls"] == 1 and status["leases"] == 0 and not any(
            camera["streaming"] or camera["buffers_lent"] for camera in status["cameras"])
    until(5, "nothing left", nothing)  # the node sees a client's end a moment after it


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unplug", type=int, metavar="TIMES")
    parser.add_argument("--change", type=int, metavar="TIMES")
    parser.add_argument("--only", default="", metavar="PATTERN")
    parser.add_argument("programs", metavar="PROGRAMS")
    options = parser.parse_args()
    of_a_card = ()
    if options.unplug:
        def unplugged_so_often(machine, control):
            settings.unplugged_it_has_its_settings_again(machine, control, options.unplug)

        def with_a_newcomer_each_time(machine, control):
            usb.who_had_its_stream_has_it_again_whoever_else_asks(machine, control, options.unplug)
        tests = (unplugged_so_often, with_a_newcomer_each_time, nothing_is_left_over)
    elif options.change:
        def changed_so_often(machine, control):
            settings.what_is_set_at_random_v4l2_reads(machine, control, options.change, (usb.CAMERA, *cameras.PATHS))
        tests = (changed_so_often, nothing_is_left_over)
    else:
        tests = (*cameras.TESTS, *photos.TESTS, *dngs.TESTS, *faults.TESTS, *usb.TESTS, *settings.TESTS, *automation.TESTS, *nodes.TESTS, nothing_is_left_over)
        tests, of_a_card = (
            [test for test in some if re.search(options.only, test.__name__)] for some in (tests, (*sizes.TESTS, *inputs.TESTS)))
    failed = 0
    if tests:
        with Machine(options.programs, 3600 if options.unplug or options.change else 900) as machine:
            control = Control(machine)
            until(20, "the USB camera", lambda: any(device["id"] == usb.CAMERA for device in control.json("devices")["devices"]))
            failed += failures(tests, machine, control)
    if of_a_card:
        with Machine(options.programs, vivid=inputs.VIVID) as machine:
            failed += failures(of_a_card, machine, Control(machine))
    print(f"{len(tests) + len(of_a_card) - failed} passed, {failed} failed")
    return 1 if failed else 0


def failures(tests, machine, control):
    """How many of the tests fail. Each leaves vivid's cameras without faults, but for one that fails."""
    failed, is_clean = 0, True

    def reset():
        nonlocal is_clean
        if not is_clean:
            cameras.reset(machine)
        machine.usb("reset")
        is_clean = False

    for test in tests:
        is_clean = cases.passes(
            test, machine, control, before=reset, evidence=lambda: [f"# node: {line.rstrip()}" for line in machine.log[-20:]])
        failed += not is_clean
    return failed


if __name__ == "__main__":
    sys.exit(main())
