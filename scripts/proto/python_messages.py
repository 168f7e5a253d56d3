"""Makes what `remote_capture.messages` has of proto/: the contract's descriptors, and stubs for type checkers.

usage: python_messages.py DIRECTORY

One stub has all of the contract, as the module does: protoc's own stubs are one a file, and import each other as `capture.v1`.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROTO = Path(__file__).resolve().parents[2] / "proto"


def main():
    directory = Path(sys.argv[1])
    files = sorted(str(path.relative_to(PROTO)) for path in PROTO.glob("capture/v1/*.proto"))
    with tempfile.TemporaryDirectory() as temporary:
        contract = directory / "contract.bin"
        subprocess.run(
            ["protoc", f"-I{PROTO}", "--include_imports", f"--descriptor_set_out={contract}", f"--pyi_out={temporary}", *files], check=True)
        (directory / "__init__.pyi").write_text(stub(Path(temporary)))


def stub(directory):
    imports, bodies = set(), []
    for path in sorted(directory.glob("capture/v1/*_pb2.pyi")):
        body = []
        for line in path.read_text().splitlines():
            if line.startswith(("from ", "import ")):
                if "capture.v1" not in line:
                    imports.add(line)
            elif not line.startswith("DESCRIPTOR:"):
                body.append(line)
        bodies.append(re.sub(r"\b_\w+_pb2\.", "", "\n".join(body).strip()))
    text = "\n\n".join(bodies)
    # What strict checkers want to be told.
    text = text.replace("__slots__ = ", "__slots__: list[str] = ")
    text = re.sub(r"\b_Mapping\b(?!\[)", "_Mapping[str, _Any]", text)
    # A field may be called as the type is.
    text = re.sub(r"(: |\[)bytes\b(?!:)", r"\1_bytes", text)
    return "\n".join(sorted(imports | {"from builtins import bytes as _bytes", "from typing import Any as _Any"})) + "\n\n" + text + "\n"


if __name__ == "__main__":
    main()
