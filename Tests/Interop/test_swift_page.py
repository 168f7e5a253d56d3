"""Builds every block of docs/swift.md, and of the library's own page in DocC, as a package beside this one, and runs it against a real node.

usage: test_swift_page.py CAPTURE-NODE-BINARY [--cold] | --build

--build: only builds, for a run behind it. --cold: from an empty folder, by the page's very commands, and tells how long that takes up to the first photo. Without it modules are built whole,
which takes half as long.

A Swift block whose first line is a comment with a path is that file of the package; the one that names the tools' version is Package.swift. Every
other block is the body of a function that has what the page says: node, camera, session, frame. Blocks in sh are run as they stand, in the
package's folder. In all of them the page's address is replaced by the node's own, and in those about a node across the network the lines and the address of
a node that is open to the network over TLS, with a home of their own for what is known of it.

Prints a line "ok NAME" or "not ok NAME" for each test; the status is 0 when all are ok.
"""

import collections
import itertools
import re
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.append(str(PROJECT / "Tests/Support"))

from cases import passes  # noqa: E402
from far_node import FarNode  # noqa: E402

PAGE = PROJECT / "docs/swift.md"
LIBRARY_PAGE = PROJECT / "Sources/CaptureClient/CaptureClient.docc/CaptureClient.md"
PACKAGE = PROJECT / ".cache/swift-page"
PATH_ON_THE_PAGE = "../RemoteCapture"
ADDRESS_ON_THE_PAGE = "unix:/run/capture-node/socket"
# What the page has of a node across the network, by the variable that has it in truth.
FAR_ON_THE_PAGE = {
    "PAIRING_LINE": r'"capture-pair/[^"]*"', "FINGERPRINT_LINE": r'"capture-node/[^"]*"', "FAR_ADDRESS": r'"192\.168\.1\.20:7311"',
    "CREDENTIAL_FILE": r'"viewer\.credential"',
}
COLD_LIMIT_S = 120
WHOLE = "-Xswiftc -whole-module-optimization -Xswiftc -no-emit-module-separately-wmo -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -gnone".split()
IS_COLD = sys.argv[2:] == ["--cold"]
BUILD_OPTIONS = [] if IS_COLD else WHOLE
RUN_LIMIT_S = 120  # most of it for a machine that is busy

Block = collections.namedtuple("Block", "page section language line text")


def read_blocks(page):
    found, section = [], ""
    lines = enumerate(page.read_text().splitlines(), 1)
    for number, line in lines:
        if line.startswith("#"):
            section = line.lstrip("# ")
        elif line.startswith("```"):
            text = [text for _, text in itertools.takewhile(lambda pair: pair[1] != "```", lines)]
            found.append(Block(page, section, line.removeprefix("```"), number + 1, "\n".join(text) + "\n"))
    return found


BLOCKS = read_blocks(PAGE)
SWIFT = [block for block in BLOCKS if block.language == "swift"]
LIBRARY = read_blocks(LIBRARY_PAGE)
COMMANDS = [block for block in BLOCKS if block.language == "sh"]


def path_of(block):
    """The file that a block is; None for a fragment."""
    if block.text.startswith("// swift-tools-version"):
        return "Package.swift"
    match = re.match(r"// (Sources/\S+\.swift)\n", block.text)
    return match and match[1]


FRAGMENTS = [block for block in SWIFT if not path_of(block)]
# The library's page says what is imported; a fragment is the rest.
FRAGMENTS += [block._replace(text=block.text.removeprefix("import CaptureClient\n"), line=block.line + 1) for block in LIBRARY]

# Runs all fragments, one after another; a loop over events is ended after a second. Or only that of a line, and for as long as nobody ends it; it tells when
# the camera's frames come.
RUNNER = """\
import CaptureClient
import Glibc

let arguments = CommandLine.arguments
let node = try await RemoteNode(configuration: .init(arguments[1]))
let camera = try await node.defaultCamera()
if arguments.count > 2, let fragment = fragments.first(where: { "\\($0.line)" == arguments[2] }) {
  let running = Task { try await fragment.body(node, camera, node.session("none"), nil) }
  try await waitForStream(true)
  try await Task.sleep(for: .milliseconds(500))
  print("frames come")
  try await running.value
}
var failures = 0
for fragment in fragments {
  do {
    try await run(fragment)
    print("ok line \\(fragment.line): \\(fragment.section)")
  } catch {
    failures += 1
    print("not ok line \\(fragment.line): \\(fragment.section): \\(error)")
  }
}
print("ran \\(fragments.count), \\(failures) failed")

func environment(_ name: String) -> String { String(cString: getenv(name)) }

func run(_ fragment: Fragment) async throws {
  let session = fragment.needsSession ? try await makeSession() : node.session("none")
  let viewer = fragment.hasViewer ? Task { for try await _ in camera.videoOutput.frames() {} } : nil
  defer { viewer?.cancel() }
  if fragment.hasViewer { try await waitForStream(true) }
  var frames = fragment.needsFrame ? session.videoOutput.frames().makeAsyncIterator() : nil
  let frame = try await frames?.next()
  let isOver = try await withThrowingTaskGroup { group in
    group.addTask {
      try await fragment.body(node, camera, session, frame)
      return true
    }
    group.addTask {
      try await Task.sleep(for: fragment.isEndless ? .seconds(1) : .seconds(30))
      return false
    }
    let isOver = try await group.next()!
    group.cancelAll()
    while let _ = try? await group.next() {}
    return isOver
  }
  if fragment.needsSession { try await session.close() }
  for left in try await node.sessions() where left.isNamed { try await node.session(left.name).close() }
  viewer?.cancel()
  try await waitForStream(false)
  if !isOver, !fragment.isEndless { throw CaptureError(.deadlineExceeded, "not within 30 s") }
}

func waitForStream(_ isStreaming: Bool) async throws {
  while try await node.status().cameras[0].isStreaming != isStreaming { try await Task.sleep(for: .milliseconds(50)) }
}

func makeSession() async throws -> Session {
  try await node.makeSession(start: true) {
    $0.setPreset(.vga640x480)
    $0.addInput(camera)
    $0.addOutput(.video)
    $0.addOutput(.photo)
  }
}

struct Fragment: Sendable {
  var line: Int
  var section: String
  var needsSession: Bool
  var needsFrame: Bool
  var hasViewer: Bool
  var isEndless: Bool
  var body: @Sendable (RemoteNode, Camera, Session, ReceivedFrame?) async throws -> Void
}
"""


def fragments_file():
    functions, entries = ["import CaptureClient\n"], []
    for block in FRAGMENTS:
        body = textwrap.indent(block.text.replace(f'"{ADDRESS_ON_THE_PAGE}"', "CommandLine.arguments[1]"), "  ")
        for variable, literal in FAR_ON_THE_PAGE.items():
            body = re.sub(literal, f'environment("{variable}")', body)
        needs_frame = bool(re.search(r"(?<!\.)\bframe\.", block.text)) and not re.search(r"\bframe in\b|let frame\b", block.text)
        needs_session = needs_frame or bool(re.search(r"\bsession\.", block.text))
        endless = "for try await" in block.text
        unwrapped = "  let frame = frame!\n" if needs_frame else ""
        name = f"{block.page.stem}_{block.line}"
        functions.append(
            f"func {name}(_ node: RemoteNode, _ camera: Camera, _ session: Session, _ frame: ReceivedFrame?) async throws {{\n"
            f'{unwrapped}#sourceLocation(file: "{block.page}", line: {block.line})\n{body}#sourceLocation()\n}}\n')
        has_viewer = not needs_session and "makeSession" not in block.text
        flags = [str(flag).lower() for flag in (needs_session, needs_frame, has_viewer, endless)]
        entries.append(
            f'  Fragment(line: {block.line}, section: "{block.section}", needsSession: {flags[0]}, needsFrame: {flags[1]}, '
            f"hasViewer: {flags[2]}, isEndless: {flags[3]}, body: {name}),\n")
    return "\n".join(functions) + "\nlet fragments = [\n" + "".join(entries) + "]\n"


def package_files():
    """What the page's package is made of, and besides it a program that runs the fragments. Warnings are errors."""
    files = {path_of(block): block.text for block in SWIFT if path_of(block)}
    manifest = files["Package.swift"]
    assert manifest.count(PATH_ON_THE_PAGE) == 1, manifest
    files["Package.swift"] = manifest.replace(PATH_ON_THE_PAGE, str(PROJECT)) + textwrap.dedent("""
        package.targets.append(
          .executableTarget(name: "Fragments", dependencies: [.product(name: "CaptureClient", package: "RemoteCapture")]))
        for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
        """)
    files["Sources/Fragments/main.swift"] = RUNNER
    files["Sources/Fragments/Fragments.swift"] = fragments_file()
    return files


def write_package():
    """Writes what has changed: what has not is not built again."""
    files = package_files()
    for path in PACKAGE.glob("Sources/*/*.swift"):
        if str(path.relative_to(PACKAGE)) not in files:
            path.unlink()
    for name, text in files.items():
        path = PACKAGE / name
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    # SwiftPM looks for new files of the package that this one depends on only where this one's manifest is newer.
    (PACKAGE / "Package.swift").touch()


def run(command, seconds=RUN_LIMIT_S):
    def attempt():
        return subprocess.run(command, cwd=PACKAGE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds)

    done = attempt()
    if done.returncode and "because of missing inputs" in done.stdout:
        # Files of the project were renamed, and what was built before still asks for them.
        shutil.rmtree(PACKAGE / ".build")
        done = attempt()
    assert done.returncode == 0, f"{command} ended with {done.returncode}; the end of what it said:\n{done.stdout[-4000:]}"
    return done.stdout


def command_for(program):
    (block,) = [block for block in COMMANDS if program in block.text]
    assert ADDRESS_ON_THE_PAGE in block.text, block
    return block.text


def as_on_the_page(program, address):
    command = command_for(program).replace(ADDRESS_ON_THE_PAGE, address)
    return run(["sh", "-eu", "-c", command.replace("swift run", " ".join(["swift run", *BUILD_OPTIONS]))], seconds=600)


def start_node(address="127.0.0.1:0"):
    node = subprocess.Popen(
        [sys.argv[1], "--state", "none", "--trust-local-users", "--listen", address, "--camera", "synthetic:physics:640x480@30"], stdout=subprocess.PIPE, text=True)
    return node, node.stdout.readline().removeprefix("listening on ").strip()


# Tests


def the_first_program_takes_a_photo(address):
    photo = PACKAGE / "photo.jpg"
    photo.unlink(missing_ok=True)
    said = as_on_the_page("FirstPhoto", address)
    assert re.search(r"^photo.jpg: \d+x\d+, \d+ bytes$", said, re.M), said
    assert photo.read_bytes()[:3] == b"\xff\xd8\xff", "it is no JPEG"
    run(["djpeg", "-outfile", "/dev/null", str(photo)])


def the_first_program_is_as_short_as_it_is_said_to_be(_):
    (program,) = [block.text for block in SWIFT if path_of(block) == "Sources/FirstPhoto/main.swift"]
    assert len(program.strip().splitlines()) <= 16, program
    imports = re.findall(r"^import (\w+)$", program, re.M)
    assert [name for name in imports if name != "Foundation"] == ["CaptureClient"], imports


def all_blocks_compile(_):
    build(seconds=600)


def build(seconds):
    for program in "FirstPhoto", "TapToFocus", "Fragments":
        run(["swift", "build", *BUILD_OPTIONS, "--product", program], seconds)


def a_tap_focuses(address):
    said = as_on_the_page("TapToFocus", address)
    assert re.search(r"^focus at 0\.\d+,0\.\d+: lens at 0\.\d+", said, re.M), said


def every_fragment_runs(address):
    with FarNode(sys.argv[1]) as far:
        environment = dict(
            far.environment, PAIRING_LINE=far.line(), FINGERPRINT_LINE=far.told("fingerprint"), FAR_ADDRESS=far.address,
            CREDENTIAL_FILE=str(far.folder / "viewer.credential"))
        done = subprocess.run(
            [".build/debug/Fragments", address], cwd=PACKAGE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=RUN_LIMIT_S)
    print(textwrap.indent(done.stdout, "    "), end="")
    assert done.returncode == 0 and f"ran {len(FRAGMENTS)}, 0 failed" in done.stdout, "see above"
    for line in r"studio calls this machine \S+, which may control", r'\["synthetic[^"]*"\]', r'not paired; there are \["studio"\]':
        assert re.search(f"^{line}$", done.stdout, re.M), f"of the node across the network nothing says: {line}"


def said_after_the_node_was_killed(block, lines):
    """What a fragment prints, on a node of its own that ends without a word and comes back."""
    node, address = start_node()
    viewer = subprocess.Popen(
        ["stdbuf", "-oL", ".build/debug/Fragments", address, str(block.line)], cwd=PACKAGE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    guard = threading.Timer(60, viewer.kill)
    guard.start()
    try:
        assert any("frames come" in line for line in iter(viewer.stdout.readline, "")), "no frames came"
        node.kill()
        node.wait()
        node, _ = start_node(address)
        return "".join(viewer.stdout.readline() for _ in range(lines))
    finally:
        guard.cancel()
        for process in viewer, node:
            process.kill()
            process.wait()


def frames_go_on_after_the_node_was_killed(_):
    (block,) = [block for block in FRAGMENTS if "frame.resumption" in block.text]
    said = said_after_the_node_was_killed(block, lines=3)
    assert "connection" in said and "locks are gone" in said and "began anew" in said, said


def a_session_that_is_gone_is_made_again(_):
    (block,) = [block for block in FRAGMENTS if '"tap"' in block.text]
    said = said_after_the_node_was_killed(block, lines=1)
    assert said == "showing tap\n", said


def nothing_is_left_out(_):
    assert {block.language for block in BLOCKS} == {"swift", "sh"}, BLOCKS
    assert LIBRARY and {block.language for block in LIBRARY} == {"swift"}, LIBRARY
    assert len(COMMANDS) == 2 and len(FRAGMENTS) > 15


TESTS = [
    the_first_program_takes_a_photo,
    the_first_program_is_as_short_as_it_is_said_to_be,
    all_blocks_compile,
    a_tap_focuses,
    every_fragment_runs,
    frames_go_on_after_the_node_was_killed,
    a_session_that_is_gone_is_made_again,
    nothing_is_left_out,
]


def main():
    if len(sys.argv) < 2 or sys.argv[2:] and not IS_COLD:
        sys.exit(__doc__)
    if sys.argv[1] == "--build":
        write_package()
        build(seconds=3600)  # on what other work leaves of the processors
        return
    node, address = start_node()
    try:
        if IS_COLD:
            shutil.rmtree(PACKAGE, ignore_errors=True)
        start = time.monotonic()
        write_package()
        failures = 0
        for test in TESTS:
            failures += not passes(test, address)
            if IS_COLD and test is TESTS[0]:
                seconds = time.monotonic() - start
                print(f"{'ok' if seconds <= COLD_LIMIT_S else 'not ok'} from nothing to a photo in {seconds:.0f} s", flush=True)
                failures += seconds > COLD_LIMIT_S
    finally:
        node.terminate()
        node.wait()
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
