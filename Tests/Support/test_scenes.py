"""What scenes.py prints of the tests' output: the table, and all that failed.

usage: test_scenes.py
"""

import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).with_name("scenes.py")
TALLY = "delay 5, focus first: 99 right, off by 0.029 at most, 1 failed, 0 wrong; 139 frames in the middle, 186 of 95 %, 231 at most\n"
FAILED = "  focus first, delay 5, scene 3: failed after 91 frames: nothing around the point gets sharper at any position of the lens\n"
ISSUE = (
    "✘ Test focusIsTheFirst(delay:) recorded an issue at NeverCalibratedTests.swift:83:7: Expectation failed: seen.allSatisfy { abs($0 - delay) <= 1 }\n"
    "↳ delay 5, scene 37: [0x9a090a: 2]\n")
REST = "◇ Test run started.\n↳ Target Platform: x86_64\n✔ Test passed after 1.0 seconds.\n↳ a comment\n"


def printed(text):
    return subprocess.run([sys.executable, PROGRAM], input=text, capture_output=True, text=True, check=True).stdout


def main():
    said = printed(REST + FAILED + ISSUE + TALLY + REST)
    assert said.startswith(FAILED + ISSUE + "\n| delay |"), said
    assert "| 5 | - | - | - | - | 2.9 %; 139, 186 | - |\n" in said, said
    assert said.endswith("focus first: 100, 1 failed, 0 wrong, 231 frames at most\n"), said
    print("ok scenes: what failed is printed, with its lines")


if __name__ == "__main__":
    main()
