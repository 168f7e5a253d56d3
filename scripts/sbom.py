"""Prints an SBOM in SPDX 2.3 of a release: its packages, what they contain by debian/copyright, and what they need of Debian.

usage: sbom.py VERSION DIRECTORY    with the .debs of the release in DIRECTORY
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
LICENSES = {"Expat": "MIT", "Apache-2.0-with-runtime-exception": "Apache-2.0 WITH Swift-exception", "Unicode": "Unicode-DFS-2016"}

# What has the version of the compiler that it comes with. The others are in Foundation, which does not tell theirs.
WITH_SWIFT = {"swift", "foundation", "libdispatch", "blocksruntime"}


def linked():
    """What is linked statically: name and licence, from the paragraphs of debian/copyright."""
    text = (PROJECT / "deploy/debian/copyright").read_text()
    return re.findall(r"^Files: linked/(\w+)/\*\nCopyright: .*\nLicense: (\S+)$", text, re.M)


def field(deb, name):
    return subprocess.run(["dpkg-deb", "-f", deb, name], check=True, capture_output=True, text=True).stdout.strip()


def package(name, version, license, **more):
    return {"SPDXID": f"SPDXRef-{re.sub('[^A-Za-z0-9.]', '-', name)}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": license, "licenseDeclared": license, "copyrightText": "NOASSERTION", **more}


def main():
    version, directory = sys.argv[1], Path(sys.argv[2])
    moment = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", datetime.now().timestamp())), timezone.utc)
    packages, relations = [], []

    def relate(one, kind, other):
        relation = {"spdxElementId": one["SPDXID"] if isinstance(one, dict) else one, "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]}
        if relation not in relations:
            relations.append(relation)

    swift = re.search(r"Swift version (\S+)", subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout)
    contained = [package(f"swift-{name}" if name != "swift" else name, swift[1] if swift and name in WITH_SWIFT else "NOASSERTION", LICENSES[license])
                 for name, license in linked()]
    assert contained, "debian/copyright names nothing that is linked"
    needed = {}
    for deb in sorted(directory.glob("*.deb")):
        if "-dbgsym_" in deb.name:
            continue
        own = package(field(deb, "Package"), field(deb, "Version"), "MIT", packageFileName=deb.name,
                      checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(deb.read_bytes()).hexdigest()}])
        packages.append(own)
        relate("SPDXRef-DOCUMENT", "DESCRIBES", own)
        for part in contained:
            relate(own, "CONTAINS", part)
        for dependency in filter(None, re.split(r",\s*", field(deb, "Depends"))):
            name = dependency.split(" ")[0].split(":")[0]
            needed.setdefault(name, package(name, "NOASSERTION", "NOASSERTION", comment=f"Debian: {dependency}"))
            relate(own, "DEPENDS_ON", needed[name])
    wheel = [path for path in directory.glob("*.whl")]
    for path in wheel:
        own = package("remote-capture", version, "MIT", packageFileName=path.name,
                      checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}])
        packages.append(own)
        relate("SPDXRef-DOCUMENT", "DESCRIBES", own)
    print(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"remote-capture-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/remote-capture-{version}-{moment:%Y%m%dT%H%M%SZ}",
        "creationInfo": {"created": f"{moment:%Y-%m-%dT%H:%M:%SZ}", "creators": ["Tool: scripts/sbom.py"]},
        "packages": packages + contained + list(needed.values()), "relationships": relations}, indent=1))


if __name__ == "__main__":
    main()
