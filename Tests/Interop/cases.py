"""What the tests in Python print, and what becomes of one that fails.

A test that fails is run once more. One that then passes is unsteady: it is named with its first failure, as Swift tests are
(Tests/Support/steady, whose bound of two for a whole run holds for both). What fails twice is broken.
"""

import signal
import subprocess
import time
import traceback

# A shell that runs this in its background ignores SIGINT, and so would the programs that are started here, some of which it is to end.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def passes(test, *arguments, name=None, before=None, evidence=None, again=True):
    """Runs a test; whether it passes, at the latest at its second time. Prints "ok NAME" or "not ok NAME" and why.

    `before` is called before each time; `evidence` gives lines that are printed with a failure, as a node's log. `again`: False for a test whose failure
    would leave behind what its second time begins with.
    """
    name = name or test.__name__
    began = time.monotonic()
    failure = failed(test, arguments, before, evidence)
    if failure is None:
        print(f"ok {name} ({time.monotonic() - began:.1f} s)", flush=True)
        return True
    first, has_crashed = failure
    if has_crashed or not again:
        print(f"not ok {name} ({time.monotonic() - began:.1f} s)\n{first}", flush=True)
        return False
    print("".join(f"again| {line}\n" for line in first.splitlines()), end="", flush=True)
    second = failed(test, arguments, before, evidence)
    took = time.monotonic() - began
    if second is not None:
        print(f"not ok {name} ({took:.1f} s)\n{first}\nand once more:\n{second[0]}", flush=True)
        return False
    # Counted as scripts/test counts a Swift test that failed and then passed.
    print(f"✘ Test {name} failed after {took:.1f} seconds, and passed then.\nok {name}\nunsteady: {name}")
    print("".join(f"unsteady|   {line}\n" for line in first.splitlines()), end="", flush=True)
    return True


def failed(test, arguments, before, evidence):
    """What went wrong, and whether a program crashed; `None`: nothing."""
    try:
        if before:
            before()
        test(*arguments)
    except (Exception, SystemExit) as error:  # a test that ends the process, with whatever status, would be the last one
        has_crashed = isinstance(error, SystemExit) or isinstance(error, subprocess.CalledProcessError) and error.returncode < 0
        return "\n".join([traceback.format_exc(), *gathered(evidence)]), has_crashed
    return None


def gathered(evidence):
    if evidence is None:
        return []
    try:
        return evidence()
    except Exception as error:
        return [f"# no evidence: {error}"]
