"""Types that the first columns of docs/glossary.md name are declared in Sources."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "glossary.md"
DECLARATION = re.compile(r"^\s*(?:(?:public|package|private|fileprivate|final|indirect)\s+)*(?:struct|class|actor|enum|protocol)\s+(\w+)", re.M)


def named(page):
    """The names in backticks in the first column of the page's tables; of `Outer.Inner` both."""
    columns = (line.split("|")[1] for line in page.splitlines() if line.startswith("|"))
    return {part for column in columns for name in re.findall(r"`([^`]+)`", column) for part in name.split(".")}


def declared():
    return {name for path in (ROOT / "Sources").rglob("*.swift") for name in DECLARATION.findall(path.read_text())}


def main():
    assert named("| made up (`NoSuchType`) | `Elsewhere` |") - declared() == {"NoSuchType"}, "an unknown type is not found"
    names = named(PAGE.read_text())
    missing = sorted(names - declared())
    for name in missing:
        print(f"{PAGE.relative_to(ROOT)} names {name}, which Sources does not declare", file=sys.stderr)
    return 1 if missing or len(names) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
