"""Runs what docs/integration.md and the package's README show of the Python client, each block as a program of its own.

usage: test_page.py PROGRAMS

Prints a line "ok NAME" or "not ok NAME" for each block; the status is 0 when all are ok.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.append(str(PROJECT / "Tests/Support"))

from far_node import FarNode  # noqa: E402

LIMIT_S = 60


def blocks(path, section=None):
    text = (PROJECT / path).read_text()
    if section:
        text = re.split(r"(?m)^## ", text.split(f"## {section}\n", 1)[1])[0]
    return re.findall(r"```python\n(.*?)```", text, re.S)


def main():
    programs = Path(sys.argv[1])
    shown = [("integration", block) for block in blocks("docs/integration.md", "In Python")] + [("readme", block) for block in blocks("deploy/python/README.md")]
    assert len(shown) >= 8, "the pages show less than they did"
    failed = 0
    with tempfile.TemporaryDirectory() as directory, FarNode(programs / "capture-node") as far:
        library = Path(directory, "library")
        subprocess.run([programs / "capture-node", "library", "init", "--mark-only", library], check=True, stdout=subprocess.DEVNULL)
        configuration = Path(directory, "node.json5")
        configuration.write_text(json.dumps({
            "listen": [{"address": "127.0.0.1:0", "trustLocalUsers": True}], "state": "none", "logLevel": "warning", "cameras": ["synthetic:physics"],
            "library": {"root": str(library), "freeBytes": 0}}))
        node = subprocess.Popen([programs / "capture-node", "--config", configuration], stdout=subprocess.PIPE, text=True)
        try:
            address = node.stdout.readline().split()[-1]
            for number, (page, block) in enumerate(shown, 1):
                program = Path(directory, f"{page}{number}.py")
                program.write_text(re.sub('"capture-pair/[^"]*"', f'"{far.line()}"', block.replace('"unix:/run/capture-node/socket"', f'"{address}"')))
                done = subprocess.run([sys.executable, program], cwd=directory, timeout=LIMIT_S, text=True, capture_output=True,
                                      env={**far.environment, "CAPTURE_NODE": address})
                failed += done.returncode != 0
                print(f"{'not ok' if done.returncode else 'ok'} {page}_block_{number}", flush=True)
                if done.returncode:
                    print(block, done.stdout, done.stderr, sep="\n")
            for name in "photo", "far":
                picture = Path(directory, f"{name}.jpg").read_bytes()
                failed += picture[:2] != b"\xff\xd8"
                print("ok" if picture[:2] == b"\xff\xd8" else "not ok", f"{name}_jpg_is_a_photo")
        finally:
            node.terminate()
            node.wait()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
