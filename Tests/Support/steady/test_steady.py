"""Tests of steady: which failures are bad luck, and which never are. Prints a line "ok" or "not ok" for each."""

import json
import os
import re
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../../..")

# Tests that do what a plan says: for each run of a test the next of its words. It has the options of Swift Testing that matter here.
PROGRAM = '''#!/usr/bin/python3
import json, os, re, signal, sys
here = os.path.dirname(os.path.abspath(__file__))
plan = json.load(open(here + "/plan"))
options = sys.argv[1:]
value = lambda name: next((options[i + 1] for i, o in enumerate(options) if o == name), None)
open(here + "/runs", "a").write(json.dumps(options) + "\\n")
events = open(value("--event-stream-output-path"), "w")
def tell(record, **payload):
    events.write(json.dumps({"version": 0, "kind": record, "payload": payload}) + "\\n")
    events.flush()
def event(kind, **payload):
    tell("event", kind=kind, **payload)
chosen = [test for test in plan["tests"] if not value("--filter") or re.search(value("--filter"), test)]
for test in chosen:
    tell("test", kind="function", id=test)
event("runStarted")
status = 0
for test in chosen:
    word = plan["tests"][test].pop(0) if plan["tests"][test] else "pass"
    json.dump(plan, open(here + "/plan", "w"))
    event("testStarted", testID=test)
    if word == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if word == "abort":
        sys.exit(1)
    if word == "exit":
        sys.exit(0)
    if word == "race":
        status = 66
    if word in ("fail", "stray", "known"):
        issue = {"isKnown": word == "known", "sourceLocation": {"fileID": "M/F.swift", "line": 7}}
        where = {} if word == "stray" else {"testID": test}
        event("issueRecorded", issue=issue, messages=[{"text": "first failure of " + test}], **where)
        status = status or (0 if word == "known" else 1)
        print("✘ Test " + test + " failed after 0.1 seconds with 1 issue.")
    event("testEnded", testID=test)
event("runEnded")
print("Test run with %d tests in 1 suite passed." % len(chosen))
sys.exit(status)
'''


def test_id(function, suite="Suite", module="Module"):
    return f"{module}.{suite}/{function}/File.swift:12:4"


class Tests:
    def __init__(self, **plan):
        """By a function's name, or a whole id, what each run of it does."""
        self.directory = tempfile.TemporaryDirectory()
        self.program = os.path.join(self.directory.name, "tests")
        with open(self.program, "w") as file:
            file.write(PROGRAM)
        os.chmod(self.program, stat.S_IRWXU)
        self.plan({test if "/" in test else test_id(test + "()"): words.split() for test, words in plan.items()})

    def plan(self, tests):
        with open(os.path.join(self.directory.name, "plan"), "w") as file:
            json.dump({"tests": tests}, file)

    def run(self, *options):
        """Status, output, and the options of each run."""
        done = subprocess.run([sys.executable, HERE, "run", self.program, *options], capture_output=True, text=True)
        with open(os.path.join(self.directory.name, "runs")) as file:
            return done.returncode, done.stdout + done.stderr, [json.loads(line) for line in file]


def unsteady(output):
    return re.findall(r"^unsteady: (.*)$", output, re.MULTILINE)


def what_passes_is_run_once():
    status, output, runs = Tests(a="pass", b="pass").run()
    assert (status, len(runs), unsteady(output)) == (0, 1, []), output


def what_passes_the_second_time_is_unsteady_with_its_first_failure():
    status, output, runs = Tests(a="fail pass", b="pass").run("--no-parallel", "--skip", "x")
    assert (status, len(runs), unsteady(output)) == (0, 2, ["Module.Suite/a()"]), output
    assert "unsteady|   first failure of Module.Suite/a()" in output and "unsteady|   at M/F.swift:7" in output, output
    assert "--no-parallel" in runs[1] and "--skip" not in runs[1], runs


def it_has_two_times():
    status, output, runs = Tests(a="fail fail pass").run()
    assert (status, len(runs), unsteady(output)) == (0, 3, ["Module.Suite/a()"]), output


def what_fails_three_times_has_failed():
    status, output, runs = Tests(a="fail fail fail pass", b="fail pass").run()
    assert (status, len(runs), unsteady(output)) == (1, 4, ["Module.Suite/b()"]), output


def what_is_printed_again_is_not_counted():
    _, output, _ = Tests(a="fail pass").run()
    assert len(re.findall("^Test run with", output, re.MULTILINE)) == 1, output
    assert len(re.findall("^✘ Test", output, re.MULTILINE)) == 1, output


def of_three_none_is_run_again():
    status, output, runs = Tests(a="fail", b="fail", c="fail").run()
    assert (status, len(runs), unsteady(output)) == (1, 1, []), output


def a_crash_is_never_unsteady():
    for word in ("crash", "abort"):
        status, output, runs = Tests(a="pass", b=word + " pass").run()
        assert status != 0 and len(runs) == 1 and unsteady(output) == [], output


def nor_is_a_failure_before_it():
    status, output, runs = Tests(a="fail pass", b="crash pass").run()
    assert status != 0 and len(runs) == 1 and unsteady(output) == [], output


def nor_is_a_crash_when_it_is_run_again():
    status, output, runs = Tests(a="fail crash pass").run()
    assert status != 0 and len(runs) == 2 and unsteady(output) == [], output


def nor_is_what_a_sanitizer_tells():
    status, output, runs = Tests(a="race pass").run()
    assert status == 66 and len(runs) == 1 and unsteady(output) == [], output
    status, output, runs = Tests(a="fail pass", b="race").run()
    assert status == 66 and len(runs) == 1 and unsteady(output) == [], output


def nor_is_an_issue_of_no_test():
    status, output, runs = Tests(a="stray pass").run()
    assert status == 1 and len(runs) == 1 and unsteady(output) == [], output


def a_status_of_0_before_the_end_is_a_failure():
    status, output, runs = Tests(a="pass", b="exit pass", c="pass").run()
    assert (status, len(runs), unsteady(output)) == (1, 1, []), output
    assert "error: status 0, but the process ended before its tests; 1 were running: Module.Suite/b()\n" in output, output
    status, output, runs = Tests(a="fail pass", b="exit pass").run()
    assert (status, len(runs), unsteady(output)) == (1, 1, []), output
    status, output, runs = Tests(a="fail exit pass").run()
    assert (status, len(runs), unsteady(output)) == (1, 2, []), output


def so_is_one_without_a_test():
    status, output, runs = Tests(a="pass").run("--filter", "^Elsewhere")
    assert (status, len(runs)) == (1, 1) and "error: status 0, but no test was run" in output, output


def a_known_issue_is_none():
    status, output, runs = Tests(a="known").run()
    assert (status, len(runs)) == (0, 1), output


def one_name_in_two_suites_and_targets_is_two_tests():
    ids = [test_id("a()"), test_id("a()", suite="Other"), test_id("a()", module="Elsewhere"), test_id("a()", suite="Suite/a")]
    tests = Tests(**{ids[0]: "fail pass", ids[1]: "pass fail", ids[2]: "pass fail", ids[3]: "pass fail"})
    status, output, _ = tests.run()
    assert (status, unsteady(output)) == (0, ["Module.Suite/a()"]), output


def a_test_with_arguments_is_run_with_all_of_them():
    status, output, runs = Tests(**{test_id("a(_:named:)"): "fail pass"}).run("--filter", "^Module")
    assert (status, unsteady(output)) == (0, ["Module.Suite/a(_:named:)"]), output
    assert runs[1].count("--filter") == 1, runs


def a_test_that_is_not_found_has_not_passed():
    tests = Tests(a="fail")
    program = open(tests.program).read().replace("re.search(value", "False and re.search(value")
    with open(tests.program, "w") as file:
        file.write(program)
    status, output, runs = tests.run()
    assert status == 1 and len(runs) == 2 and unsteady(output) == [], output


def two_in_all_are_let_through_three_are_not():
    with tempfile.TemporaryDirectory() as directory:
        logs = []
        for count in (1, 1, 0, 1):
            logs.append(os.path.join(directory, f"{len(logs)}.log"))
            with open(logs[-1], "w") as log:
                log.write("before\n" + "unsteady: M.S/a()\nunsteady|   why\n" * count + "again| x\n")
        for paths, status in ((logs[:3], 0), (logs, 1), (logs[2:3], 0)):
            done = subprocess.run([sys.executable, HERE, "sum", *paths], capture_output=True, text=True)
            assert done.returncode == status, done
            assert len(unsteady(done.stdout)) == (0 if len(paths) == 1 else len(paths) - 1), done
            assert ("too many" in done.stdout) == (status == 1), done


def python(words):
    """What a test in Python prints that does as `words` say, one for each time; and what scripts/test counts: (passed, failed)."""
    script = f"import sys; sys.path.insert(0, sys.argv[1]); from cases import passes; words = {words!r}.split()\n" \
        "def a():\n  word = words.pop(0)\n  if word == 'exit': sys.exit(0)\n  assert word == 'pass', 'first failure'\n" \
        "sys.exit(not passes(a, evidence=lambda: ['a log']))"
    done = subprocess.run([sys.executable, "-c", script, os.path.join(ROOT, "Tests/Interop")], capture_output=True, text=True)
    return done.stdout, counted(done.stdout, done.returncode)


def counted(output, status, stage="interop"):
    """What scripts/test counts in a stage's output: (passed, failed)."""
    with tempfile.NamedTemporaryFile("w") as log:
        log.write(output)
        log.flush()
        done = subprocess.run(
            ["bash", "-c", f"""eval "$(sed -n '/^counts_nothing=/p; /^count() {{/,/^}}/p' scripts/test)"; count {log.name} {status} {stage}; echo $passed $failed"""],
            cwd=ROOT, capture_output=True, text=True, check=True)
    return tuple(map(int, done.stdout.split()))


def a_test_in_python_is_run_once_more_and_counted_once():
    for words, count in ("pass", (1, 0)), ("fail pass", (1, 0)), ("fail fail", (0, 1)), ("exit pass", (0, 1)):
        output, found = python(words)
        assert found == count, (words, found, output)
        assert unsteady(output) == (["a"] if words == "fail pass" else []), output
        assert ("first failure" in output and "a log" in output) == words.startswith("fail"), output


def a_stage_that_counts_nothing_has_passed_only_where_it_never_does():
    for stage, status, output, count in (
            ("interop", 0, "", (0, 1)), ("interop", 1, "", (0, 1)), ("interop", 0, "ok a\n", (1, 0)), ("unit", 0, "some words\n", (0, 1)),
            ("unit", 0, "✔ Test run with 3 tests in 1 suite passed after 1.0 seconds.\n", (3, 0)), ("builds", 0, "", (1, 0)), ("builds", 1, "", (0, 1))):
        assert counted(output, status, stage) == count, (stage, status, output, counted(output, status, stage))


def main():
    failures = 0
    for test in [value for name, value in list(globals().items()) if callable(value) and value.__module__ == __name__]:
        if test.__name__ in ("main", "test_id", "unsteady", "python", "counted", "Tests"):
            continue
        try:
            test()
            print(f"ok {test.__name__}")
        except AssertionError as error:
            failures += 1
            print(f"not ok {test.__name__}: {error}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
