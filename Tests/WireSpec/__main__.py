"""usage: wirespec ADDRESS [--filter WORD] [--list]

Speaks to a running node, right and wrong, and checks that each packet ends as docs/protocol.md says and leaves the
node as it was. Cases of calls need a node that runs with --enable-test-service; elsewhere they are left out, and said so.
"""

import sys
import time

from wire import LIMIT_S, Violation, Wire, pb, require
from registry import CASES
import cases_connection, cases_packets, cases_calls, cases_streams, cases_ends, cases_semantics  # noqa: E401,F401

RSS_ALLOWANCE = 16 << 20  # a case may leave caches behind, never more
DESCRIPTOR_ALLOWANCE = 4  # timers and events that a runtime opens once, when it first needs them


class Monitor:
    """Asks the node how it is, over connections of its own."""

    def __init__(self, address):
        self.address = address

    def unary(self, method, request, answer_type):
        with Wire(self.address).greet() as wire:
            call = wire.call(method, request)
            ((body, _),) = wire.expect_status(call, 0)
            return answer_type.FromString(body)

    def status(self):
        return self.unary("capture.v1.Node/Status", pb.StatusRequest(), pb.StatusResponse)

    def has_test_service(self):
        info = self.unary("capture.v1.Node/Info", pb.InfoRequest(), pb.InfoResponse)
        return "capture.v1.Test/Empty" in info.methods

    def require_unharmed(self, before):
        """Calls, connections, descriptors and memory are back where they were, within LIMIT_S."""
        deadline = time.monotonic() + LIMIT_S
        while True:
            now = self.status()
            worse = [
                f"{name} {had} -> {has}"
                for name, had, has, allowance in (
                    ("calls", before.calls, now.calls, 0),
                    ("clients", before.clients, now.clients, 0),
                    ("descriptors", before.descriptors, now.descriptors, DESCRIPTOR_ALLOWANCE),
                    ("resident bytes", before.resident_bytes, now.resident_bytes, RSS_ALLOWANCE),
                )
                if has > had + allowance
            ]
            if not worse:
                return
            require(time.monotonic() < deadline, "the node is worse off: " + ", ".join(worse))
            time.sleep(0.02)


def main(arguments):
    if "--help" in arguments or not arguments:
        print(__doc__)
        return 0 if arguments else 2
    word = arguments[arguments.index("--filter") + 1] if "--filter" in arguments else ""
    chosen = [case for case in CASES if word in case.name or word in case.section]
    if "--list" in arguments:
        for case in chosen:
            print(f"{case.section:14} {case.name}")
        return 0
    monitor = Monitor(arguments[0])
    test_service = monitor.has_test_service()
    before = monitor.status()
    passed, failed, left_out = 0, 0, 0
    for case in chosen:
        if case.test_service and not test_service:
            left_out += 1
            continue
        began = time.monotonic()
        try:
            case.function(arguments[0])
            took = time.monotonic() - began - case.slow
            require(took < 10 * LIMIT_S, f"took {took:.1f} s")
            monitor.require_unharmed(before)
            passed += 1
            print(f"ok {case.section}: {case.name}")
        except Exception as error:  # whatever a node sends, the other cases are still to be run
            failed += 1
            print(f"not ok {case.section}: {case.name}\n    {error}")
    if left_out:
        print(f"{left_out} cases left out: this node does not run with --enable-test-service")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main(sys.argv[1:]))
