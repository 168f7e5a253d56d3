"""Runs Swift tests, and what failed once more by itself: a test that then passes is unsteady, not broken.

usage: steady run TESTS [OPTION…]    runs the built tests with Swift Testing's options
       steady sum LOG…               what of it was unsteady in all; the status is 1 where that is too much

`run` says `unsteady: NAME`, with the first failure behind it, of a test that fails and passes when it is run again alone, at most twice. The
status is 0 when nothing else is wrong. More than two unsteady tests are too many, for a run and for all of them together (scripts/test).

Only failed expectations are tried again. A process that crashed, was killed, or of which a sanitizer told, is broken: its memory was, or
two of its threads met, and that another run has more luck says nothing. So is a run that ends wrong and no test has failed, and one whose
process ends with status 0 before its tests do, as where what is tested calls `exit`.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

ATTEMPTS = 2
MOST_UNSTEADY = 2
FAILED = 1  # the status of Swift Testing for tests that failed; sanitizers and signals have others


class Run:
    """What came of a process that ran tests: its status, whether it came to its end, and of each test that failed, by id, what was said."""

    def __init__(self, status, lines):
        self.status, self.is_complete, self.started, self.failures, self.is_unclear = status, False, 0, {}, False
        self.running, suites = {}, set()  # by id, in the order in which they began
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue  # the last line of a process that was cut short
            payload = record.get("payload", {})
            kind = payload.get("kind")
            if record.get("kind") == "test":
                if kind == "suite":
                    suites.add(payload["id"])
            elif kind == "runEnded":
                self.is_complete = True
            elif kind == "testStarted":
                if payload.get("testID") not in suites:
                    self.started += 1
                    self.running[payload.get("testID")] = None
            elif kind == "testEnded":
                self.running.pop(payload.get("testID"), None)
            elif kind == "issueRecorded" and is_failure(payload.get("issue", {})):
                said = [message["text"] for message in payload.get("messages", [])]
                if "testID" in payload:
                    self.failures.setdefault(payload["testID"], []).extend(said + [place(payload.get("issue", {}))])
                else:
                    self.is_unclear = True  # something outside of every test

    @property
    def has_passed(self):
        return self.status == 0 and self.is_complete and self.started > 0 and not self.failures and not self.is_unclear

    @property
    def shortcoming(self):
        """Why a status of 0 does not say that the tests have passed."""
        if not self.is_complete:
            running = [name(test) for test in self.running]
            return f"the process ended before its tests; {len(running)} were running: {', '.join(running[:5])}"
        return "no test was run" if self.started == 0 else "tests failed"

    @property
    def only_failed(self):
        """It came to its end, and tests that are known failed: nothing else is wrong."""
        return self.status == FAILED and self.is_complete and bool(self.failures) and not self.is_unclear


def is_failure(issue):
    return not issue.get("isKnown", False) and issue.get("isFailure", True) and issue.get("_severity", "error") == "error"


def place(issue):
    location = issue.get("sourceLocation") or {}
    return f"at {location.get('fileID', '?')}:{location.get('line', '?')}"


def name(test):
    """The id "Module.Suite/test()/File.swift:12:3" without its place."""
    return re.sub(r"/[^/]*\.swift:\d+:\d+$", "", test)


def run(command, output=None):
    """Runs tests; what they print goes where ours does, or to `output`."""
    with tempfile.TemporaryDirectory(prefix="steady-") as directory:
        events = os.path.join(directory, "events")
        open(events, "w").close()
        options = ["--event-stream-output-path", events, "--event-stream-version", "0"]
        status = subprocess.run([*command, *options], stdout=output, stderr=output and subprocess.STDOUT).returncode
        with open(events, encoding="utf-8", errors="replace") as lines:
            return Run(status, lines)


def again(program, options, test, attempt):
    """Whether a test passes by itself. What it prints is not counted with the others' (scripts/test)."""
    only = ["--filter", f"^{re.escape(name(test))}(/|$)"]
    say(f"again| {name(test)}, by itself, time {attempt} of {ATTEMPTS}")
    with tempfile.TemporaryFile() as output:
        result = run([program, *without_filters(options), *only], output)
        output.seek(0)
        for line in output.read().decode(errors="replace").splitlines():
            say(f"again| {line}")
    return result


def without_filters(options):
    """What chose the tests; a filter of ours would only add to it."""
    kept, rest = [], iter(options)
    for option in rest:
        if option in ("--filter", "--skip"):
            next(rest, None)
        elif not option.startswith(("--filter=", "--skip=")):
            kept.append(option)
    return kept


def say(text):
    print(text, flush=True)


def run_steadily(program, options):
    first = run([program, *options])
    if first.has_passed:
        return 0
    if first.status == 0:
        say(f"steady: error: status 0, but {first.shortcoming}")
        return FAILED
    if not first.only_failed:
        say(f"steady: status {first.status}, and not only tests failed: nothing is run again")
        return exit_status(first.status)
    if len(first.failures) > MOST_UNSTEADY:
        say(f"steady: {len(first.failures)} tests failed, too many for bad luck: none is run again")
        return first.status
    unsteady, broken = [], False
    for test, said in first.failures.items():
        for attempt in range(1, ATTEMPTS + 1):
            result = again(program, options, test, attempt)
            if result.has_passed:
                unsteady.append((test, said))
                break
            if not result.only_failed:
                broken = True
                break  # it crashed, or there is no such test
        else:
            broken = True
    for test, said in unsteady:
        say(f"unsteady: {name(test)}")
        for text in said:
            for line in text.splitlines():
                say(f"unsteady|   {line}")
    return FAILED if broken else 0


def exit_status(status):
    return status if status >= 0 else 128 - status


def sum_up(paths):
    found = []
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as log:
            found += [line.rstrip("\n") for line in log if line.startswith(("unsteady: ", "unsteady| "))]
    for line in found:
        say(line)
    count = sum(line.startswith("unsteady: ") for line in found)
    if count > MOST_UNSTEADY:
        say(f"{count} unsteady tests are too many: {MOST_UNSTEADY} are let through, and are a debt")
    return 1 if count > MOST_UNSTEADY else 0


def main(arguments):
    match arguments:
        case ["run", program, *options]:
            return run_steadily(program, options)
        case ["sum", *paths]:
            return sum_up(paths)
    print(__doc__.split("\n\n")[1], file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
