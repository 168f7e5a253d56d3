"""What the tests in Python print, and what becomes of one that fails.

A test that fails is run once more. One that then passes is unsteady: it is named with its first failure, as Swift tests are
(Tests/Support/steady, whose bound of two for a whole run holds for both). What fails twice is broken.
"""

import time
import traceback


def passes(test, *arguments, name=None, before=None, evidence=None):
    """Runs a test; whether it passes, at the latest at its second time. Prints "ok NAME" or "not ok NAME" and why.

    `before` is called before each time; `evidence` gives lines that are printed with a failure, as a node's log.
    """
    name = name or test.__name__
    began = time.monotonic()
    failure = failed(test, arguments, before, evidence)
    if failure is None:
        print(f"ok {name} ({time.monotonic() - began:.1f} s)", flush=True)
        return True
    again = failed(test, arguments, before, evidence)
    took = time.monotonic() - began
    if again is not None:
        print(f"not ok {name} ({took:.1f} s)\n{failure}\nand once more:\n{again}", flush=True)
        return False
    # Counted as scripts/test counts a Swift test that failed and then passed.
    print(f"✘ Test {name} failed after {took:.1f} seconds, and passed then.\nok {name}\nunsteady: {name}")
    print("".join(f"unsteady|   {line}\n" for line in failure.splitlines()), end="", flush=True)
    return True


def failed(test, arguments, before, evidence):
    """What went wrong; `None`: nothing."""
    try:
        if before:
            before()
        test(*arguments)
    except Exception:
        return "\n".join([traceback.format_exc(), *gathered(evidence)])
    return None


def gathered(evidence):
    if evidence is None:
        return []
    try:
        return evidence()
    except Exception as error:
        return [f"# no evidence: {error}"]
