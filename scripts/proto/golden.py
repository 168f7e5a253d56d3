"""Golden messages: bytes that every implementation of the contract has to read and write alike.

    golden.py --check PYTHON_OUTPUT GOLDEN   fails where the stock protobuf package reads or writes other bytes
    golden.py --write PYTHON_OUTPUT GOLDEN   writes the bytes of every description

PYTHON_OUTPUT is what `protoc --python_out` made of proto/. Each `NAME.txtpb` in GOLDEN describes, in protobuf's text
format, the bytes of `NAME.bin` beside it. Its first lines say `# proto-message: TYPE`. With `# chunk: HEX` too, and in the
folder `packets`, the bytes are a whole packet: prefix, envelope, chunk.
"""

import importlib
import pathlib
import struct
import sys

from google.protobuf import symbol_database, text_format


def header(text, key):
    prefix = f"# {key}:"
    return next((line.removeprefix(prefix).strip() for line in text.splitlines() if line.startswith(prefix)), None)


class Golden:
    def __init__(self, path):
        text = path.read_text()
        self.path = path
        self.message = symbol_database.Default().GetSymbol(header(text, "proto-message"))()
        text_format.Parse(text, self.message)
        self.is_packet = path.parent.name == "packets"
        self.chunk = bytes.fromhex(header(text, "chunk") or "")

    def encoded(self):
        body = self.message.SerializeToString(deterministic=True)
        return struct.pack(">II", len(body), len(self.chunk)) + body + self.chunk if self.is_packet else body

    def decodes(self, data):
        """Whether `data` reads as what the description says."""
        body, chunk = data, b""
        if self.is_packet:
            envelope_length, chunk_length = struct.unpack_from(">II", data)
            body, chunk = data[8:8 + envelope_length], data[8 + envelope_length:]
            if len(chunk) != chunk_length:
                return False
        return type(self.message).FromString(body) == self.message and chunk == self.chunk


def main(mode, python_output, folder):
    sys.path.insert(0, python_output)
    for module in pathlib.Path(python_output).glob("capture/v1/*_pb2.py"):
        importlib.import_module(f"capture.v1.{module.stem}")
    descriptions = sorted(pathlib.Path(folder).glob("*/*.txtpb"))
    wrong = []
    for golden in map(Golden, descriptions):
        binary = golden.path.with_suffix(".bin")
        if mode == "--write":
            binary.write_bytes(golden.encoded())
        elif not binary.exists() or binary.read_bytes() != golden.encoded() or not golden.decodes(binary.read_bytes()):
            wrong.append(binary)
    wrong += [binary for binary in pathlib.Path(folder).glob("*/*.bin") if not binary.with_suffix(".txtpb").exists()]
    for binary in wrong:
        print(f"{binary} is not what its description says", file=sys.stderr)
    return 1 if wrong or not descriptions else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
