"""Equations become MathML when the pages are made: browsers show it by themselves, without a script or a font from elsewhere."""

from __future__ import annotations

import re

from latex2mathml.converter import convert

CODE = re.compile(r"^( *)(```+|~~~+).*?^\1\2 *$|`[^`\n]+`", re.M | re.S)
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.S)
INLINE = re.compile(r"(?<![\\$\w])\$(?![\s$])((?:[^$\n]|\n(?!\n))+?)(?<![\s\\])\$(?![\w$])")
# What the converter does not do as TeX does: spaces around a function, bars that belong together, limits below.
SPACES = re.compile(r"\s*(\\log|\\ln) (?=[a-z\\])")
BARS = re.compile(r"(?<!\\left)(?<!\\right)(?<!\\Big)\\([lr])Vert")
LIMITS = re.compile(r"\\(min|max)_(\w|\{(?:[^{}]|\{[^{}]*\})*\})")

equations: dict[str, list[str]] = {}


def on_page_markdown(markdown: str, page, config, files) -> str:
    found = equations[page.file.src_uri] = []

    def keep(latex: str, display: str) -> str:
        latex = SPACES.sub(r"\\, \1\\, ", latex.strip())
        latex = BARS.sub(lambda match: {"l": r"\left\lVert", "r": r"\right\rVert"}[match[1]], latex)
        if display == "block":
            latex = LIMITS.sub(r"\\underset{\2}{\\\1}", latex)
        found.append(convert(latex, display=display))
        return f"xEQUATION{len(found) - 1}x"

    def prose(text: str) -> str:
        text = DISPLAY.sub(lambda match: keep(match[1], "block"), text)
        return INLINE.sub(lambda match: keep(match[1], "inline"), text)

    parts, last = [], 0
    for code in CODE.finditer(markdown):
        parts += [prose(markdown[last : code.start()]), code[0]]
        last = code.end()
    return "".join([*parts, prose(markdown[last:])])


def on_page_content(html: str, page, config, files) -> str:
    found = equations.pop(page.file.src_uri, [])
    return re.sub(r"xEQUATION(\d+)x", lambda match: found[int(match[1])], html)
