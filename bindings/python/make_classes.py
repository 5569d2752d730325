"""Writes `lowland/_estimators.py` from the registry: one class a method.

Run it with a Python in which the package is installed, after a change of the registry:

    python bindings/python/make_classes.py

A test compares the file with what the registry gives.
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path

# The installed package, not the sources beside this file: those have no native module.
sys.path = [folder for folder in sys.path if Path(folder or ".").resolve() != Path(__file__).resolve().parent]

import numpy as np  # noqa: E402

from lowland import _native  # noqa: E402

FILE = Path(__file__).parent / "lowland" / "_estimators.py"

HEADER = '''\
"""The estimators, one a method of the registry. Written by `make_classes.py`: change the registry, not this file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from ._abilities import (
    WithCheckpoint,
    WithChunks,
    WithClasses,
    WithClusters,
    WithDensity,
    WithEnergy,
    WithInverse,
    WithLabels,
    WithMissing,
    WithMixture,
    WithOptionalLabels,
    WithStart,
)
from ._base import Estimator
'''

ACRONYMS = set("hlle ica lda lle llc lltsa lpp ltsa mds mlle mvu nca npe onpp pca ppca rbm sne svd umap".split())


# Spelled as their authors do.
SPELLED = {"pacmap": "PaCMAP", "sammon": "SammonMapping"}


def class_name(method: str) -> str:
    """`kernel-pca` is KernelPCA, `t-sne` TSNE."""
    if method in SPELLED:
        return SPELLED[method]
    words = method.split("-")
    return "".join(w.upper() if w in ACRONYMS or len(w) == 1 else w.capitalize() for w in words)


def hint(kind: dict) -> str:
    """The type of a parameter."""
    match kind["type"]:
        case "bool":
            return "bool"
        case "integer":
            return "int"
        case "real":
            return "float"
        case "choice":
            return f"Literal[{', '.join(json.dumps(word) for word, _ in kind['options'])}]"
        case "call":
            return "str"
        case "list":
            return f"Sequence[{hint(kind['of'])}]"
        case "auto":
            return "None"
        case "any_of":
            # None last, as one writes it.
            hints = sorted((hint(inner) for inner in kind["kinds"]), key=lambda h: h == "None")
            return " | ".join(dict.fromkeys(hints))
    raise ValueError(f"a kind of parameter that this script does not know: {kind['type']}")


def default_of(parameter: dict) -> str:
    """What is left to the method is None."""
    default = None if parameter["left_open"] else parameter["default"]
    # A default that could be changed would be changed for all.
    return repr(tuple(default) if isinstance(default, list) else default).replace("'", '"')


def words_of(kind: dict) -> list[tuple[str, str]]:
    """The words that a parameter can be, with their meanings."""
    match kind["type"]:
        case "choice":
            return [tuple(option) for option in kind["options"]]
        case "call":
            return [(f"{kind['word']}({kind['argument']})", kind["meaning"])]
        case "list":
            return words_of(kind["of"])
    return [word for inner in kind.get("kinds", []) for word in words_of(inner)]


def paragraph(text: str, indent: int, hanging: int = 0) -> str:
    first = " " * indent
    return textwrap.fill(text, 100, initial_indent=first, subsequent_indent=first + " " * hanging)


def common(inputs: list[str], random: bool, start: bool, resume: bool) -> list[tuple[str, str, str, str]]:
    """The parameters that all methods have: name, type, default, meaning."""
    found = []
    if len(inputs) > 1:
        choices = ", ".join(json.dumps(i) for i in inputs)
        found.append(("input", f"Literal[{choices}]", '"points"', "What the rows of `X` are."))
    meaning = "The seed of every random choice. None is 0: results repeat."
    if not random:
        meaning = "Accepted, as by every method: this one makes no random choice."
    found.append(("random_state", "int | np.random.Generator | np.random.RandomState | None", "None", meaning))
    if start or resume:
        meaning = (
            "Called with the iteration, the loss and the layout so far. What it returns, if true, ends the fit: the "
            "layout so far is the result."
        )
        found.append(("callback", "Callable[[int, float, np.ndarray], object] | None", "None", meaning))
        found.append(("callback_every", "int", "50", "After how many iterations it is called each time."))
    if resume:
        meaning = "A file in which the fit under way is kept: `resume` goes on from it."
        found.append(("checkpoint", "str | os.PathLike[str] | None", "None", meaning))
        meaning = "After how many seconds it is written each time; also when the callback ends the fit."
        found.append(("checkpoint_seconds", "float", "30.0", meaning))
    return found + [
        (
            "n_jobs",
            "int | None",
            "None",
            "How many threads compute; the results do not depend on it. None and -1 are all processors, -2 all "
            "but one.",
        ),
        (
            "memory",
            "int | str | None",
            "None",
            "The most that a fit may take beyond its input: bytes, or words such as '8GiB' (powers of 1024, as '8g') "
            "or '8GB' (powers of 1000). More is refused before anything is allocated.",
        ),
        (
            "verbose",
            "bool | Callable[[str, int, float | None], object]",
            "False",
            "Whether each stage is printed with its time; in a notebook, one text that changes. A function is called with "
            "the stage, the steps done, and the seconds once it has ended.",
        ),
    ]


def attributes(entry: dict) -> list[tuple[str, str, str]]:
    """What a fit of the method finds: name, type, meaning. A small fit shows them."""
    points = np.random.default_rng(0).normal(size=(60, 5)) * [5, 4, 3, 2, 1]
    labels = [row // 10 for row in range(60)] if entry["capabilities"]["labels"] else None
    model = _native.fit(entry["name"], {}, points, "points", _native.Settings(), labels)
    values = model.attributes()
    kinds = {int: "int", float: "float"}
    return [(f"{name}_", kinds.get(type(values[name]), "np.ndarray"), meaning) for name, meaning in model.meanings()]


def example(entry: dict) -> list[str]:
    """A call that runs: the tests run it."""
    name = class_name(entry["name"])
    labels = ", sample.labels" if entry["capabilities"]["labels"] else ""
    call = f"lowland.{name}(n_components=2).fit_transform(sample.X{labels})"
    if not any(p["name"] == "n_components" for p in entry["parameters"]):
        call = f"lowland.{name}().fit_transform(sample.X{labels})"
    return [
        "    >>> import lowland",
        '    >>> sample = lowland.data("blobs", 120)',
        f"    >>> {call}.shape",
        "    (120, 2)",
    ]


def more(name: str, can: dict) -> tuple[str, str]:
    """What Python takes beside what the registry does: a hint, and words."""
    if name == "init" and can["start"]:
        return " | np.ndarray", " An array is where it starts."
    given = {"metric": "distances", "kernel": "kernel", "affinity": "kernel"}.get(name)
    if given in can["inputs"]:
        # A literal may be among the hints already; together they stay one type.
        hint = ' | Literal["precomputed"]' + (" | Callable[[np.ndarray, np.ndarray], float]" if name != "affinity" else "")
        function = ", a function of two rows is called for every pair" if name != "affinity" else ""
        return hint, f" With `precomputed`, `X` holds the {given}{function}."
    if name == "shrinkage":
        return ' | Literal["auto"]', " None is 0."
    if name == "rotation":
        return " | None", " None is `none`."
    return "", ""


def class_of(entry: dict) -> str:
    can = entry["capabilities"]
    inputs = [kind for kind in can["inputs"] if kind != "sparse"]
    abilities = (
        "Labels",
        "OptionalLabels",
        "Start",
        "Checkpoint",
        "Inverse",
        "Chunks",
        "Density",
        "Energy",
        "Mixture",
        "Missing",
    )
    named = {"OptionalLabels": "optional_labels", "Checkpoint": "resume"}
    bases = [f"With{base}" for base in abilities if can[named.get(base, base.lower())]]
    found = attributes(entry)
    clusters = any(name == "labels_" for name, *_ in found)
    bases = (["WithClusters"] if clusters else []) + bases or ["Estimator"]
    if {"scalings_", "means_", "xbar_"} <= {name for name, *_ in found}:
        bases = ["WithClasses" if base == "WithLabels" else base for base in bases]
    own = [
        (
            p["name"],
            hint(p["kind"]) + more(p["name"], can)[0],
            default_of(p),
            p["meaning"] + more(p["name"], can)[1],
            p["range"],
            words_of(p["kind"]),
        )
        for p in entry["parameters"]
    ]
    parameters = own + [(*p, "", []) for p in common(inputs, can["random"], can["start"], can["resume"])]

    lines = [f"class {class_name(entry['name'])}({', '.join(bases)}):"]
    lines += [f'    """{entry["title"]}.', "", paragraph(entry["summary"], 4), ""]
    lines += ["    Parameters", "    ----------"]
    for name, kind, default, meaning, bounds, words in parameters:
        lines.append(f"    {name} : {kind}, default {default}")
        lines.append(paragraph(meaning, 8))
        if bounds and not words and bounds != "true or false":
            # Where None is said to be something else, `auto` is a word.
            bounds = bounds if "None is" in meaning else bounds.replace("auto", "None")
            lines.append(paragraph(f"It is {bounds}.", 8))
        if words:
            lines.append("")
            lines += [paragraph(f"- `{word}`: {means}", 8, 2) for word, means in words]
            lines.append("")
    lines += ["" if lines[-1] else None, "    Attributes", "    ----------"]
    shared = [
        ("n_features_in_", "int", "The width of the data."),
        ("feature_names_in_", "np.ndarray", "The names of the columns, where the data had any."),
        ("n_components_", "int", "The width of the embedding."),
        ("embedding_", "np.ndarray", "The embedding of the training rows, where the model holds it."),
        ("report_", "dict", "What was optimized, eigenvalues with their residuals, warnings."),
    ]
    for name, kind, meaning in found + shared:
        lines += [f"    {name} : {kind}", paragraph(meaning, 8)]
    lines += ["", "    Examples", "    --------", *example(entry)]
    lines += ["", "    References", "    ----------", paragraph(f"{entry['citation']}.", 4), '    """', ""]
    lines += [f"    _method = {json.dumps(entry['name'])}", f"    _inputs = {tuple(can['inputs'])!r}".replace("'", '"')]
    lines += ["    _lists = True", ""] if can["directed"] else [""]
    # The number of components by position, as everybody writes it.
    first = 1 if parameters[0][0] == "n_components" else 0
    listed = [f"        {name}: {kind} = {default}," for name, kind, default, *_ in parameters]
    lines += ["    def __init__(", "        self,", *listed[:first], "        *,", *listed[first:]]
    lines += ["    ) -> None:"]
    lines += [f"        self.{name} = {name}" for name, *_ in parameters]
    for name, kind, meaning in found:
        if clusters and name == "labels_":
            continue  # WithClusters has it, as whole numbers
        lines += ["", "    @property", f"    def {name}(self) -> {kind}:", f'        """{meaning}"""']
        lines += [f'        return self._attribute("{name[:-1]}")']
    return "\n".join(line for line in lines if line is not None)


def text() -> str:
    entries = json.loads(_native.methods())
    names = {entry["name"]: class_name(entry["name"]) for entry in entries}
    classes = "\n\n\n".join(class_of(entry) for entry in entries)
    table = "".join(f'    "{method}": {name},\n' for method, name in names.items())
    listed = "".join(f'    "{name}",\n' for name in sorted(names.values()))
    return (
        f"{HEADER}\n__all__ = [\n{listed}]\n\n\n{classes}\n\n\n"
        f"CLASSES: dict[str, type[Estimator]] = {{\n{table}}}\n"
    )


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
