"""Runs scikit-learn's own test files, those of its wheel, with `lowland.sklearn` in place of the import, and counts.

    python bindings/python/sklearn_tests.py FOLDER

The files are copied to FOLDER with their imports changed; nothing else in them is. A test counts unless it

- tests what is private: it uses an attribute with a leading underscore, or private functions and nothing public,
- tests printed text: it captures what is printed,
- fails because a message has other words than scikit-learn's, and for nothing else,
- is skipped by scikit-learn itself.

The first two go by the text of the test, whether it passes or not. Tests that fail are listed with the reason, which
`sklearn_tests.json` holds; one that fails without a reason there ends the chore with 1.
"""

from __future__ import annotations

import ast
import fnmatch
import json
import logging
import sys
from collections import Counter
from pathlib import Path

# The installed package, not the sources beside this file: those have no native module.
HERE = Path(__file__).resolve().parent
sys.path = [folder for folder in sys.path if Path(folder or ".").resolve() != HERE]

import pytest  # noqa: E402
import sklearn  # noqa: E402

import lowland.sklearn as ours  # noqa: E402

MODULES = ("cluster", "decomposition", "discriminant_analysis", "manifold", "neighbors", "random_projection")
FILES = [
    "cluster/tests/test_spectral.py",
    "decomposition/tests/test_factor_analysis.py",
    "decomposition/tests/test_fastica.py",
    "decomposition/tests/test_incremental_pca.py",
    "decomposition/tests/test_kernel_pca.py",
    "decomposition/tests/test_pca.py",
    "decomposition/tests/test_truncated_svd.py",
    "manifold/tests/test_classical_mds.py",
    "manifold/tests/test_isomap.py",
    "manifold/tests/test_locally_linear.py",
    "manifold/tests/test_mds.py",
    "manifold/tests/test_spectral_embedding.py",
    "manifold/tests/test_t_sne.py",
    "neighbors/tests/test_nca.py",
    "tests/test_discriminant_analysis.py",
    "tests/test_random_projection.py",
]
# Classes of the same files that Lowland does not offer.
FOREIGN = {"QuadraticDiscriminantAnalysis"}
WORDS = ("Regex pattern did not match", "Pattern did not match", "DID NOT WARN", "no warnings of type", "Regex: ")


class File:
    """A test file with its imports changed, and what of it is private."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tree = ast.parse((Path(sklearn.__file__).parent / name).read_text(encoding="utf-8"))
        self.private: set[str] = set()
        self.public: set[str] = set()
        for body in ast.walk(self.tree):
            if isinstance(body, (ast.Module, ast.FunctionDef)):
                body.body = [new for old in body.body for new in self.changed(old)]
        self.functions = {f.name: f for f in ast.walk(self.tree) if isinstance(f, ast.FunctionDef)}

    def changed(self, node: ast.stmt) -> list[ast.stmt]:
        """An import of scikit-learn's names as one of ours, and the rest of it as it was."""
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("sklearn"):
            return [node]
        parts = (node.module or "").split(".")
        module = parts[1] if len(parts) > 1 else ""
        moved, kept = [], []
        for alias in node.names:
            as_module = alias.name if not module else module if alias.name.startswith("_") else ""
            if not module and alias.name in MODULES:
                moved.append((f"lowland.sklearn.{alias.name}", None, alias.asname or alias.name))
            elif module in MODULES and alias.name.startswith("_") and alias.asname:
                moved.append((f"lowland.sklearn.{as_module}", None, alias.asname))
            elif module in MODULES and alias.name in getattr(ours, module).__all__:
                moved.append((f"lowland.sklearn.{module}", alias.name, alias.asname or alias.name))
            else:
                kept.append(alias)
                if module in MODULES and (alias.name.startswith("_") or any(p.startswith("_") for p in parts)):
                    self.private.add(alias.asname or alias.name)
        new: list[ast.stmt] = []
        for source, name, bound in moved:
            self.public.add(bound)
            text = f"import {source} as {bound}" if name is None else f"from {source} import {name} as {bound}"
            new += ast.parse(text).body
        if kept:
            new.append(ast.ImportFrom(node.module, kept, node.level))
        return new

    def kind(self, test: str) -> str:
        """`private`, `printed`, `foreign`, or `counts`: by the text of the test and of the functions it calls."""
        names, attributes, seen, queue = set(), set(), set(), [test]
        while queue:
            function = self.functions.get(queue.pop())
            if function is None or function.name in seen:
                continue
            seen.add(function.name)
            for node in ast.walk(function):
                if isinstance(node, ast.Name):
                    names.add(node.id)
                    queue.append(node.id)
                elif isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                    attributes.add(node.attr)
        if names & FOREIGN:
            return "foreign"
        if attributes or (names & self.private and not names & self.public):
            return "private"
        text = ast.unparse(self.functions[test])
        if "capsys" in text or "StringIO" in text:
            return "printed"
        return "counts"


class Recorder:
    """What became of every test, and whether scikit-learn computed some of it."""

    def __init__(self) -> None:
        self.results: dict[str, tuple[str, str]] = {}
        self.left: set[str] = set()
        self.test = ""
        handler = logging.Handler()
        handler.emit = lambda record: self.left.add(self.test)  # type: ignore[method-assign]
        log = logging.getLogger("lowland.sklearn")
        log.addHandler(handler)
        log.setLevel(logging.INFO)

    def pytest_runtest_logstart(self, nodeid: str, location: object) -> None:
        self.test = nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            words = "" if report.outcome == "passed" else str(getattr(report.longrepr, "reprcrash", report.longrepr))
            self.results[report.nodeid] = (report.outcome, words)


def main(folder: Path, chosen: list[str]) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    reasons = json.loads((HERE / "sklearn_tests.json").read_text(encoding="utf-8"))
    present = [name for name in FILES if (Path(sklearn.__file__).parent / name).exists()]
    files = {}
    for name in present:
        if chosen and not any(word in name for word in chosen):
            continue
        copy = folder / name.replace("/tests/", "_").replace("tests/", "").replace("/", "_")
        file = files[copy.name] = File(name)
        copy.write_text(ast.unparse(file.tree), encoding="utf-8")
    recorder = Recorder()
    quiet = ["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", "-p", "sklearn.conftest", "--no-summary"]
    pytest.main([*quiet, f"--rootdir={folder}", *(str(folder / name) for name in files)], plugins=[recorder])

    counts, failed, unexplained = {name: Counter() for name in files}, [], []
    for test, (outcome, words) in recorder.results.items():
        name, _, function = test.partition("::")
        name = Path(name).name
        kind = files[name].kind(function.partition("[")[0].split("::")[-1])
        if outcome == "skipped":
            kind = "skipped"
        elif kind == "counts" and outcome == "failed" and any(word in words for word in WORDS):
            kind = "message"
        if kind != "counts":
            counts[name][kind] += 1
            continue
        counts[name][outcome] += 1
        counts[name]["left"] += test in recorder.left and outcome == "passed"
        if outcome == "failed":
            short = f"{files[name].name.split('/')[-1]}::{function}"
            why = next((why for pattern, why in reasons.items() if fnmatch.fnmatch(short.replace("[", "("), pattern)), None)
            failed.append((short, why or f"not explained: {words.splitlines()[-1] if words else ''}"))
            unexplained += [short] if why is None else []

    head = ("passed", "failed", "left", "private", "printed", "message", "foreign", "skipped")
    print(f"\nscikit-learn {sklearn.__version__}\n{'':48}" + "".join(f"{word:>9}" for word in head))
    whole: Counter[str] = Counter()
    for name, found in counts.items():
        whole += found
        print(f"{files[name].name:48}" + "".join(f"{found[word]:9}" for word in head))
    print(f"{'all':48}" + "".join(f"{whole[word]:9}" for word in head))
    asked = whole["passed"] + whole["failed"]
    print(f"\n{whole['passed']} of {asked} tests that count pass: {100 * whole['passed'] / max(asked, 1):.1f} %")
    print(f"in {whole['left']} of those that pass scikit-learn computed a part, which Lowland does not have")
    for short, why in sorted(failed):
        print(f"  {short}: {why}")
    return 1 if unexplained or not asked else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
