"""Markdown of the repository as pages of the site: the guide in parts, links between files as links between pages."""

from __future__ import annotations

import posixpath
import re

# Where a file of the repository is on the site. Files of `docs` are where they are in that folder.
PLACES = {
    "README.md": "index.md",
    "GUIDE.md": "guide/index.md",
    "CHANGELOG.md": "about/changelog.md",
    "ARCHITECTURE.md": "about/architecture.md",
    "CONTRIBUTING.md": "about/contributing.md",
    "SECURITY.md": "about/security.md",
}

# The sections of the guide, by topic; what is not listed comes at the end.
TOPICS = {
    "First steps": [
        "at-a-terminal", "a-table-as-it-is", "in-python", "fit-embed-new-points-go-back", "choose-a-method-by-its-name",
        "know-what-it-costs-watch-it-stop-it", "data-larger-than-memory", "save-and-load",
    ],
    "Kinds of methods": [
        "which-linear-method", "which-pca-solver", "labels-classes-and-signals-with-distorted-versions", "unroll-a-curved-sheet",
        "local-geometry-lle-and-its-relatives", "graph-methods-and-clusters", "clusters-on-a-map-t-sne-umap-pacmap",
        "distances-on-a-map-sammon-mapping-metric-and-non-metric-mds", "local-planes-mixtures-llc-charting",
        "clean-data-with-kernel-pca", "autoencoders", "boltzmann-machines",
    ],
    "Kinds of data": [
        "many-points-landmarks", "a-kernel-distances-or-a-graph-instead-of-points", "missing-values-likelihoods-samples",
    ],
    "Judging": [
        "judge-an-embedding", "how-many-dimensions", "which-method-compare-them", "how-stable-is-an-embedding",
        "the-papers-tables-and-figures-again",
    ],
}  # fmt: skip

FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def slug(title: str) -> str:
    """The anchor that GitHub gives to a heading, and the site too."""
    kept = (c for c in title.strip().lower() if c.isalnum() or c in " -_")
    return "".join(kept).replace(" ", "-")


def lines_of(text: str):
    """Every line, with whether it is inside a block of code, and the words behind the opening fence."""
    fence, info = "", ""
    for line in text.splitlines():
        match = FENCE.match(line)
        if match and not fence:
            fence, info = match[2], match[3].strip()
            yield line, True, ""
        elif match and match[2].startswith(fence) and not match[3].strip():
            fence = ""
            yield line, True, ""
        else:
            yield line, bool(fence), info if fence else ""


def guide(text: str) -> tuple[str, dict[str, tuple[str, str]], dict[str, str]]:
    """What stands before the first section; the sections by their anchors, with title and text; and for every heading the
    section that it is in. Lines of Rust code that only the tests need are left out."""
    before: list[str] = []
    sections: dict[str, tuple[str, list[str]]] = {}
    homes: dict[str, str] = {}
    into = before
    for line, is_code, info in lines_of(text):
        if info.startswith("rust") and (line == "#" or line.startswith("# ")):
            continue
        heading = None if is_code else re.match(r"(#+) (.*)", line)
        if heading and len(heading[1]) == 2:
            home, into = slug(heading[2]), []
            sections[home] = (heading[2], into)
        if heading:
            homes[slug(heading[2])] = home if sections else ""
            line = line if len(heading[1]) == 1 else line[1:]
        into.append(line)
    return "\n".join(before), {name: (title, "\n".join(body)) for name, (title, body) in sections.items()}, homes


def links(text: str, source: str, page: str, pages: set[str], homes: dict[str, str]) -> str:
    """The text of a file of the repository with its links as the page needs them. A link to a file that is no page
    becomes its text."""

    def one(match: re.Match[str]) -> str:
        mark, words, target = match.groups()
        if re.match(r"[a-z+.-]+:|//", target):
            return match[0]
        file, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), file)) if file else source
        if path == "GUIDE.md" and homes.get(anchor):
            home = homes[anchor]
            path, anchor = f"guide/{home}.md", "" if anchor == home else anchor
        elif path in PLACES:
            path = PLACES[path]
        elif path.startswith("docs/"):
            path = path.removeprefix("docs/")
        if path not in pages and not mark:
            if path.endswith(".md"):
                raise SystemExit(f"{source}: the page {path} that it links to is not there")
            return words
        target = posixpath.relpath(path, posixpath.dirname(page) or ".")
        return f"{mark}[{words}]({target}{'#' + anchor if anchor else ''})"

    def prose(line: str) -> str:
        # Links in spans of code are none; a link may have code in its words.
        held: list[str] = []

        def hold(match: re.Match[str]) -> str:
            held.append(match[0])
            return f"\0{len(held) - 1}\0"

        line = LINK.sub(one, re.sub(r"`[^`]*`", hold, line))
        return re.sub(r"\0(\d+)\0", lambda match: held[int(match[1])], line)

    return "\n".join(line if is_code else prose(line) for line, is_code, _ in lines_of(text)) + "\n"
