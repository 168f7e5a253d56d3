"""The Swift library's documentation: DocC builds it without a warning, and whatever is public has a comment.

usage: test_symbols.py BUILD-DIRECTORY

BUILD-DIRECTORY is where Swift's build put its modules. The documentation is left in .cache/swift-docs.

The library is what `import CaptureClient` shows: the module's own symbols, the types that it exports again one by one, and of the modules that it exports
again those types that its own symbols name, and the types that these name. What the compiler makes needs no comment, nor does an initializer that takes its type's properties: they have theirs.

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import collections
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
RESULT = PROJECT / ".cache/swift-docs"
MODULE = "CaptureClient"
EXPORTED = ["CaptureAccess", "CaptureModel", "CaptureSystem", "CaptureTLS"]
ONE_BY_ONE = set(re.findall(r"@_exported public import (?:class|enum|struct) (\w+\.\w+)", (PROJECT / "Sources/CaptureClient/CaptureClient.swift").read_text()))
SYNTHESIZED = "::SYNTHESIZED::"  # members that a type has from a protocol's extension


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{command[0]} {command[1]} ended with {done.returncode}; the end of what it said:\n{done.stdout[-4000:]}"
    return done.stdout


def extract(build, folder):
    """Writes symbol graphs of the module, with what it exports again."""
    maps = [*PROJECT.glob("Sources/*/module.modulemap"), *PROJECT.glob("Sources/*/include/module.modulemap"), *build.glob("*.build/module.modulemap")]
    target = json.loads(run(["swift", "-print-target-info"]))["target"]["unversionedTriple"]
    run([
        "swift", "symbolgraph-extract", "-module-name", MODULE, f"-experimental-allowed-reexported-modules={','.join(EXPORTED)}",
        "-I", str(build / "Modules"), "-target", target, "-minimum-access-level", "public", "-output-dir", str(folder),
        *(word for path in maps for word in ("-Xcc", f"-fmodule-map-file={path}")),
    ])


class Graph:
    """A symbol graph, reduced to what the module shows."""

    def __init__(self, path):
        self.all = json.loads(path.read_text())
        self.symbols = {symbol["identifier"]["precise"]: symbol for symbol in self.all["symbols"]}
        self.members, self.owner = collections.defaultdict(list), {}
        self.conformances = collections.defaultdict(list)
        for relation in self.all["relationships"]:
            if relation["kind"] in ("memberOf", "requirementOf", "optionalRequirementOf"):
                self.members[relation["target"]].append(relation["source"])
                self.owner[relation["source"]] = relation["target"]
            elif relation["kind"] == "conformsTo":
                self.conformances[relation["source"]].append(relation["target"])
        self.shown = self.closure([identity for identity, symbol in self.symbols.items() if module_of(symbol) == MODULE or name_of(symbol) in ONE_BY_ONE])

    def closure(self, start):
        found, left = set(), list(start)
        while left:
            identity = left.pop()
            if identity in found or identity not in self.symbols:
                continue
            found.add(identity)
            left += self.members[identity] + self.conformances[identity]
            left += [piece["preciseIdentifier"] for piece in self.symbols[identity]["declarationFragments"] if "preciseIdentifier" in piece]
            if identity in self.owner:
                left.append(self.owner[identity])
        return found

    def reduced(self):
        graph = dict(self.all)
        graph["symbols"] = [self.symbols[identity] for identity in self.symbols if identity in self.shown]
        graph["relationships"] = [
            relation for relation in self.all["relationships"]
            if relation["source"] in self.shown and (relation["target"] in self.shown or relation["target"] not in self.symbols)
        ]
        return graph

    def without_comment(self):
        return [symbol for identity, symbol in self.symbols.items() if identity in self.shown and self.needs_comment(identity, symbol)]

    def needs_comment(self, identity, symbol):
        if "docComment" in symbol or SYNTHESIZED in identity or "location" not in symbol:
            return False
        if symbol["kind"]["identifier"] == "swift.init" and self.is_of_properties(identity, symbol):
            return False
        return bool(module_of(symbol))

    def is_of_properties(self, identity, symbol):
        """Whether an initializer takes its type's properties alone, by their names or without one."""
        names = {self.symbols[member]["names"]["title"] for member in self.members[self.owner[identity]]}
        labels = re.findall(r"(\w+):", symbol["names"]["title"])
        return all(label in names or label == "_" for label in labels)


def module_of(symbol):
    """The module that declares a symbol; "" for what the compiler made."""
    match = re.search(r"/Sources/(\w+)/", symbol.get("location", {}).get("uri", ""))
    return match[1] if match else ""


def name_of(symbol):
    """"Module.Name" of what is within nothing else."""
    return f"{module_of(symbol)}.{'.'.join(symbol['pathComponents'])}"


def place_of(symbol):
    path = symbol["location"]["uri"].split("/Sources/")[-1]
    return f"Sources/{path}:{symbol['location']['position']['line'] + 1}"


# Tests


def all_that_is_public_has_a_comment(graph):
    lacking = sorted(f"{place_of(symbol)}: {'.'.join(symbol['pathComponents'])}" for symbol in graph.without_comment())
    assert len(graph.shown) > 500, f"only {len(graph.shown)} symbols were found"
    left = ONE_BY_ONE - {name_of(graph.symbols[identity]) for identity in graph.shown}
    assert ONE_BY_ONE and not left, f"exported, and not found: {left}"
    assert not lacking, f"{len(lacking)} without a comment:\n" + "\n".join(lacking)


def the_documentation_is_built_without_a_warning(graph):
    folder = RESULT / "shown"
    folder.mkdir()
    (folder / f"{MODULE}.symbols.json").write_text(json.dumps(graph.reduced()))
    run([
        "docc", "convert", str(PROJECT / f"Sources/{MODULE}/{MODULE}.docc"), "--additional-symbol-graph-dir", str(folder), "--fallback-display-name", MODULE,
        "--fallback-bundle-identifier", MODULE, "--warnings-as-errors", "--output-path", str(RESULT / f"{MODULE}.doccarchive"),
    ])
    pages = list((RESULT / f"{MODULE}.doccarchive/data/documentation").rglob("*.json"))
    assert len(pages) > 500, f"only {len(pages)} pages"


TESTS = [all_that_is_public_has_a_comment, the_documentation_is_built_without_a_warning]


def failed(test, graph):
    try:
        test(graph)
    except AssertionError as error:
        print(f"not ok {test.__name__}\n{error}", flush=True)
        return True
    print(f"ok {test.__name__}", flush=True)
    return False


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    shutil.rmtree(RESULT, ignore_errors=True)
    (RESULT / "graphs").mkdir(parents=True)
    extract(Path(sys.argv[1]).resolve(), RESULT / "graphs")
    graph = Graph(RESULT / "graphs" / f"{MODULE}.symbols.json")
    sys.exit(sum([failed(test, graph) for test in TESTS]) > 0)


if __name__ == "__main__":
    main()
