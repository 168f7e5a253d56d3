"""Every link of a page to a file of the project, or to a heading, leads there."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.M)


def anchors(text):
    """The headings as links name them: lower case, no punctuation, hyphens for spaces."""
    titles = HEADING.findall(re.sub(r"```.*?```", "", text, flags=re.S))
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)).lower().replace(" ", "-") for title in titles}


def dead(page, text):
    """The links of a page that lead nowhere."""
    for link in LINK.findall(CODE.sub("", text)):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        if not target.exists() or anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
            yield link


def main():
    here = ROOT / "README.md"
    assert list(dead(here, "[a](docs/nothing.md) [b](README.md) `[c](d)` [e](#nothing) [f](https://g)")) == ["docs/nothing.md", "#nothing"]
    names = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    wrong = [(name, link) for name in names if name for link in dead(ROOT / name, (ROOT / name).read_text())]
    for name, link in wrong:
        print(f"{name} links to {link}, which is not there", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
