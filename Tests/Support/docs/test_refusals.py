"""Every refusal that Sources makes has details for programs (docs/adr/0039), but for those in WITHOUT."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MODULES = ["CaptureModel", "CaptureControls", "CaptureV4L2", "CaptureSynthetic", "CaptureEngine", "CaptureNode", "CaptureTransport", "CaptureTestService",
           "CaptureWire/Mapping"]
MAKES = re.compile(r"\b(?:CaptureError|RPCError)\(")

# By file, how many of its refusals have none, and why.
WITHOUT = {
    "CaptureEngine/Devices/CurrentStream.swift": (1, "it only ends a wait, and nobody gets it"),
    "CaptureNode/Access/NodeAccess+Clients.swift": (1, "the call before it has to end, which no limit of the configuration bounds"),
    "CaptureNode/Configuration/EDIDFile.swift": (4, "a file is read before the node listens"),
    "CaptureNode/Lights/LEDLight.swift": (2, "a light is looked for before the node listens"),
    "CaptureSynthetic/Camera/SyntheticSpec.swift": (1, "an option is read before the node listens"),
    "CaptureTransport/Client/ClientConnection.swift": (1, "the program itself closed its connection"),
    "CaptureTransport/Client/UnaryCall.swift": (1, "the node broke the protocol, for which there is no reason"),
    "CaptureTestService/WireTestService.swift": (1, "the request says which status it wants"),
}


def arguments(text, start):
    """The arguments of the call whose parenthesis opens before `start`."""
    found, depth, begin, place, nested = [], 0, start, start, []
    in_string = False
    while place < len(text):
        character = text[place]
        if in_string:
            if text.startswith("\\(", place):
                nested.append(depth)
                in_string, depth, place = False, depth + 1, place + 2
                continue
            if character == "\\":
                place += 1
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            if depth == 0:
                return [*found, text[begin:place].strip()]
            depth -= 1
            if nested and nested[-1] == depth:
                nested.pop()
                in_string = True
        elif character == "," and depth == 0:
            found.append(text[begin:place].strip())
            begin = place + 1
        place += 1
    raise ValueError("a call does not end")


def bare(text):
    """The lines of those refusals in a file's text that have a code and a text alone."""
    for match in MAKES.finditer(text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        given = [argument for argument in arguments(text, match.end()) if argument and not argument.startswith("cause:")]
        # With one argument it is made of another error. OK is none.
        if not line.lstrip().startswith("//") and len(given) == 2 and given[0] != ".ok":
            yield text.count("\n", 0, match.start()) + 1


def selftest():
    made = [
        (r'CaptureError(.internal, "a \(b("c", d)), e")', 1),
        (r'CaptureError(.internal, "a\", b", cause: error)', 1),
        (r'CaptureError(.internal, "a", cause: error, .init(.diskFull))', 0),
        (r'CaptureError(.internal, "(", .init(.diskFull, possible: ["a", "b"]))', 0),
        ('RPCError(\n.ok, "")', 0),
        ("RPCError(any: error)", 0),
        ('// CaptureError(.internal, "a")', 0),
    ]
    for text, count in made:
        assert len(list(bare(text))) == count, text


def main():
    selftest()
    wrong, looked_at = [], 0
    for path in sorted(path for module in MODULES for path in (ROOT / "Sources" / module).rglob("*.swift")):
        text, name = path.read_text(), str(path.relative_to(ROOT / "Sources"))
        looked_at += len(MAKES.findall(text))
        lines, (allowed, _) = list(bare(text)), WITHOUT.get(name, (0, ""))
        if len(lines) > allowed:
            places = ", ".join(map(str, lines))
            wrong.append(f"Sources/{name}: {len(lines)} refusals without details (lines {places}), {allowed} are meant to be")
        elif len(lines) < allowed:
            wrong.append(f"Sources/{name}: {allowed} refusals without details are meant to be, and {len(lines)} are")
    wrong += [f"{name} is not there" for name in WITHOUT if not (ROOT / "Sources" / name).exists()]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong or looked_at < 150 else 0


if __name__ == "__main__":
    sys.exit(main())
