"""Makes the pages of the site and builds it.

    python docs/site/pages.py PROGRAM WORK OUT [RUSTDOC]

PROGRAM is the built `lowland`, WORK a folder for what is made on the way (pages, pictures that are kept for the next build),
OUT the site. RUSTDOC is the folder of `cargo doc`, where there is one. A method without a page of its own in `docs/methods`,
or a page without a method, ends it.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import gallery
import text

ROOT = Path(__file__).resolve().parents[2]
HEADINGS = ["The equation", "When to use it", "When it fails", "Cost", "What to look at"]
FAMILIES = {
    "Linear": "pca ppca factor-analysis truncated-svd simple-pca random-projection fast-ica projection-pursuit",
    "Linear, from labels": "lda nca oriented-pca distortion-discriminant-analysis",
    "Linear, from neighbors": "lpp npe onpp lltsa",
    "Kernels and distances": "kernel-pca classical-mds landmark-mds fastmap isomap landmark-isomap c-isomap mvu landmark-mvu fast-mvu",
    "Local geometry": "lle modified-lle hessian-lle ltsa",
    "Graphs": "laplacian-eigenmaps spectral-clustering diffusion-maps commute-time heat-kernel",
    "Layouts by stress": "sammon mds nonmetric-mds",
    "Neighbor embeddings": "t-sne umap pacmap",
    "Mixtures of local planes": "mixture-ppca mixture-of-factor-analyzers manifold-parzen-windows llc charting",
    "Networks": "autoencoder rbm",
}
ABILITIES = {
    "inverse": "goes back to the data",
    "chunks": "takes rows in chunks",
    "density": "is a density: likelihoods, samples",
    "energy": "free energies, samples",
    "missing": "takes missing values",
    "missing_pairs": "takes missing pairs",
    "labels": "needs labels",
    "optional_labels": "can learn from labels",
    "mixture": "responsibilities",
    "start": "begins with given coordinates",
    "resume": "goes on from a checkpoint",
    "directed": "takes lists of neighbors",
    "any_units": "the units of the columns do not matter",
}


class Site:
    """The pages so far, by their places, and in which section of the guide a heading is. Links of a page that is made here,
    without a source, are relative to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.homes: dict[str, str] = {}
        self.pages: dict[str, tuple[str, str]] = {}  # page: source, text

    def add(self, page: str, source: str, words: str) -> str:
        self.pages[page] = (source or f"docs/{page}", words)
        return page

    def write(self) -> None:
        places = set(self.pages)
        for page, (source, words) in self.pages.items():
            file = self.folder / page
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.links(words, source, page, places, self.homes), encoding="utf-8")


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def python_names() -> dict[str, str]:
    """The Python class of every method, read from the list at the end of the generated file."""
    found, is_list = {}, False
    for line in read("bindings/python/lowland/_estimators.py").splitlines():
        is_list = is_list or line.startswith("CLASSES")
        if is_list and line.startswith("    ") and ":" in line:
            name, _, cls = line.strip().rstrip(",").partition(":")
            found[name.strip("\"'")] = cls.strip()
    return found


def check(methods: list[dict]) -> None:
    """Every method has its page, with every heading, and every page its method."""
    names = {method["name"] for method in methods}
    pages = {file.stem for file in (ROOT / "docs/methods").glob("*.md")}
    wrong = [f"docs/methods/{name}.md is missing: write it, as the others are" for name in sorted(names - pages)]
    wrong += [f"docs/methods/{name}.md: no such method is registered" for name in sorted(pages - names)]
    for name in sorted(names & pages):
        words = read(f"docs/methods/{name}.md")
        wrong += [f"docs/methods/{name}.md: no heading `{h}`" for h in HEADINGS if f"\n## {h}\n" not in words]
        wrong += [f"docs/methods/{name}.md: no equation"] * ("$$" not in words)
    if wrong:
        sys.exit("\n".join(wrong))


def families(methods: dict[str, dict]) -> dict[str, list[str]]:
    """The names of the methods by family; what is in none comes last."""
    found = {family: [name for name in names.split() if name in methods] for family, names in FAMILIES.items()}
    grouped = {name for names in found.values() for name in names}
    found["Others"] = [name for name in methods if name not in grouped]
    return {family: names for family, names in found.items() if names}


def cell(words: str) -> str:
    return words.replace("|", "\\|").replace("\n", " ")


def formula(words: str) -> str:
    return re.sub(r"\^(\d+)", r"<sup>\1</sup>", cell(words))


def value(default: object) -> str:
    if default is None:
        return "auto"
    return str(default).lower() if isinstance(default, bool) else str(default).replace(" ", "")


def figures(drawings: list[gallery.Drawing], up: str, columns: str) -> str:
    """Pictures side by side; in place of a missing one the message of the program."""
    parts = []
    for drawing in drawings:
        warned = "".join(f'<br><span class="warned">{html.escape(w)}</span>' for w in drawing.warnings if columns)
        caption = f"<figcaption>{drawing.data}{warned}</figcaption>"
        if drawing.picture:
            words = html.escape(f"{drawing.method} on {drawing.data}")
            shown = f'<img loading="lazy" src="{up}gallery/{drawing.picture.name}" alt="{words}">'
        else:
            shown = f'<div class="why">{html.escape(drawing.message)}</div>'
        parts.append(f"<figure>{shown}{caption}</figure>")
    return f'<div class="pictures {columns}">{"".join(parts)}</div>\n'


def parameters(method: dict) -> str:
    rows = ["| parameter | default | range | meaning |", "|---|---|---|---|"]
    for parameter in method["parameters"]:
        meaning = parameter["meaning"]
        kinds = [parameter["kind"], *parameter["kind"].get("kinds", [])]
        options = [option for kind in kinds for option in kind.get("options", [])]
        # The metrics are the same everywhere.
        if parameter["name"] != "metric":
            meaning += "".join(f"<br>`{word}`: {about}" for word, about in options)
        known = "one of the words at the right" if len(options) > 4 and parameter["name"] != "metric" else parameter["range"]
        rows.append(f"| `{parameter['name']}` | `{value(parameter['default'])}` | {cell(known)} | {cell(meaning)} |")
    return "\n".join(rows) + "\n"


def method_page(method: dict, cls: str, family: str, drawings: list[gallery.Drawing]) -> str:
    name = method["name"]
    can = method["capabilities"]
    facts = [
        ("name", ", ".join(f"`{word}`" for word in [name, *method["aliases"]])),
        ("Python", f"[`lowland.{cls}`](../api/python/{cls}.md)"),
        ("family", f"[{family}](index.md#{text.slug(family)})"),
        ("input", ", ".join(can["inputs"])),
        ("also", "; ".join(words for key, words in ABILITIES.items() if can.get(key)) or "new points by `transform`"),
    ]
    if method["properties"]:
        properties = method["properties"]
        convex = properties["convex"] and not can["local_optimum"]
        kind = "one eigenproblem or a convex function" if convex else "may end in a local optimum"
        facts += [("time grows as", formula(properties["cost"])), ("memory", formula(properties["memory"])), ("optimum", kind)]
    own = read(f"docs/methods/{name}.md").partition("\n")[2].strip()
    labels = ", labels" if can["labels"] else ""
    classes = ", cut into five classes, which are the labels" if can["labels"] else ""
    # The last set has labels.
    example = drawings[-1 if can["labels"] else 0].command + " -o y.csv --plot y.png"
    parts = [
        f"# {method['title']}\n",
        f"{method['summary']}\n",
        '<div class="facts" markdown>\n',
        "| | |\n|---|---|",
        *(f"| {key} | {cell(words)} |" for key, words in facts),
        "\n</div>\n",
        own + "\n",
        "## Pictures\n",
        f"Drawn with the defaults, {gallery.ROWS:,} points each, colored by the first true parameter{classes}. "
        "What the program warned about stands below a picture.\n",
        figures(drawings, "../", "three"),
        "## Try it\n",
        f"```sh\n{example}\n```\n",
        f"```python\nlowland.{cls}(n_components=2).fit_transform(x{labels})\n```\n",
        "## Parameters\n",
        "At the terminal `--set NAME=VALUE`, in Python keywords of the class.\n",
        parameters(method),
        "## How to cite it\n",
        f"{method['citation']}.\n",
        f"```bibtex\n{method['bibtex']}\n```\n",
    ]
    return "\n".join(parts)


def method_index(methods: dict[str, dict], classes: dict[str, str]) -> str:
    parts = [
        f"# Methods\n\n{len(methods)} methods; the [gallery](../gallery.md) shows all of them on the same data, and "
        "[which method?](../tasks/which-method.md) helps to choose. In the column of costs, `n` points have `D` columns, `d` "
        "components, `k` neighbors; there are `i` iterations, `m` landmarks or local models, `w` weights of a network, and `q` "
        "versions of a signal.\n"
    ]
    for family, names in families(methods).items():
        parts.append(f"## {family}\n\n| method | what it does | time grows as |\n|---|---|---|")
        for name in names:
            method = methods[name]
            cost = (method["properties"] or {}).get("cost", "see its page")
            parts.append(f"| [{method['title']}]({name}.md) (`{name}`) | {cell(method['summary'])} | {formula(cost)} |")
        parts.append("")
    return "\n".join(parts)


def gallery_page(methods: dict[str, dict], drawings: dict[str, list[gallery.Drawing]]) -> str:
    parts = [read("docs/gallery.md")]
    for family, names in families(methods).items():
        parts.append(f"## {family}\n")
        for name in names:
            parts.append(f"### [{methods[name]['title']}](methods/{name}.md)\n\n{figures(drawings[name], '', '')}")
    return "\n".join(parts)


def api_pages(site: Site, methods: dict[str, dict], classes: dict[str, str], rustdoc: bool) -> list:
    """The API of both languages; the part of the navigation."""
    functions = "data methods estimator load plot neighbors kernel evaluate trustworthiness continuity intrinsic_dimension compare stability"
    words = "# Functions\n\n" + "\n".join(f"::: lowland.{name}\n" for name in functions.split())
    words += "\n" + "\n".join(f"::: lowland.{name}\n" for name in "Sample Neighbors Picture IntrinsicDimension anndata.embed".split())
    site.add("api/python/functions.md", "", words)
    errors = "LowlandError ParameterError InputError MemoryBudgetError FileError ModelFileError NotConvergedError UnsupportedError"
    errors = "\n".join(f"::: lowland.{name}\n    options:\n      inherited_members: false\n" for name in errors.split())
    warns = "\n".join(f"::: lowland.{name}\n    options:\n      inherited_members: false\n" for name in "FitWarning ConvergenceWarning".split())
    site.add("api/python/errors.md", "", f"# Errors and warnings\n\n{errors}\n{warns}")
    rows = "\n".join(f"| [`{classes[name]}`]({classes[name]}.md) | [{m['title']}](../../methods/{name}.md) |" for name, m in methods.items())
    site.add("api/python/index.md", "", f"# Python\n\nOne class a method, with scikit-learn's interface; "
             "[functions](functions.md) beside them; [errors and warnings](errors.md); [scikit-learn's names](sklearn.md).\n\n"
             f"| class | method |\n|---|---|\n{rows}\n")  # fmt: skip
    for name, method in methods.items():
        cls = classes[name]
        site.add(f"api/python/{cls}.md", "", f"# {cls}\n\nWhen to use it, and when it fails: [its page](../../methods/{name}.md).\n\n"
                 f"::: lowland.{cls}\n    options:\n      show_root_heading: false\n      show_root_toc_entry: false\n")  # fmt: skip
    modules = {
        "decomposition": "PCA IncrementalPCA TruncatedSVD FactorAnalysis KernelPCA FastICA",
        "manifold": "Isomap MDS ClassicalMDS TSNE LocallyLinearEmbedding SpectralEmbedding",
        "cluster": "SpectralClustering",
        "discriminant_analysis": "LinearDiscriminantAnalysis",
        "neighbors": "NeighborhoodComponentsAnalysis",
        "random_projection": "GaussianRandomProjection SparseRandomProjection",
    }
    theirs = ["# scikit-learn's names\n\nIn `lowland.sklearn`, with scikit-learn's parameters, defaults and attributes: see its own "
              "documentation for these, and [coming from another library](../../migration.md) for what differs.\n"]  # fmt: skip
    for module, names in modules.items():
        options = "    options:\n      inherited_members: false\n      members: false\n"
        theirs += [f"::: lowland.sklearn.{module}.{name}\n{options}" for name in names.split()]
    theirs.append(f"::: lowland.sklearn.UMAP\n{options}")
    site.add("api/python/sklearn.md", "", "\n".join(theirs))
    made = '<a href="rust/lowland/index.html">The documentation of the crates</a>, made by `cargo doc`.' if rustdoc else (
        "This site was built without it. It is made from the sources by\n\n```text\ncargo doc --workspace --no-deps --open\n```\n\n"
        "and becomes a part of the site if it is there when `cargo xtask site` runs.")  # fmt: skip
    site.add("api/rust.md", "", f"# Rust\n\n{made}\n\nThe crate to use is `lowland`; "
             "[the guide](../guide/index.md) has an example for each task, and [the architecture](../about/architecture.md) "
             "says what the other crates are.\n")  # fmt: skip
    estimators = [f"api/python/{classes[name]}.md" for name in sorted(methods, key=lambda name: classes[name].lower())]
    python = ["api/python/index.md", "api/python/functions.md", "api/python/errors.md", "api/python/sklearn.md", *estimators]
    return [{"Python": python}, {"Rust": "api/rust.md"}]


def guide_pages(site: Site) -> list:
    before, sections, site.homes = text.guide(read("GUIDE.md"))
    listed = {name for names in text.TOPICS.values() for name in names}
    topics = {**text.TOPICS, "More": [name for name in sections if name not in listed]}
    contents = [before.replace("All Rust code here is run by the tests.", "All code here is run by the tests.")]
    nav: list = ["guide/index.md"]
    for topic, names in topics.items():
        names = [name for name in names if name in sections]
        contents.append(f"\n## {topic}\n\n" + "\n".join(f"- [{sections[name][0]}]({name}.md)" for name in names))
        nav.append({topic: [site.add(f"guide/{name}.md", "GUIDE.md", sections[name][1]) for name in names]})
    site.add("guide/index.md", "", "\n".join(contents))
    return nav


def main() -> None:
    program, work, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    rustdoc = Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else None
    listed = json.loads(subprocess.run([program, "methods", "--json"], check=True, capture_output=True).stdout)
    check(listed)
    methods = {method["name"]: method for method in listed}
    classes = python_names()
    begun = time.monotonic()
    drawings: dict[str, list[gallery.Drawing]] = {}
    for drawing in gallery.draw(str(program), listed, work / "gallery"):
        drawings.setdefault(drawing.method, []).append(drawing)
    drawn = sum(1 for each in drawings.values() for drawing in each if drawing.picture)
    print(f"{drawn} pictures of {sum(map(len, drawings.values()))}, {time.monotonic() - begun:.0f} s")

    folder = work / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    site = Site(folder)
    for file in sorted((ROOT / "docs").rglob("*.md")):
        page = file.relative_to(ROOT / "docs").as_posix()
        if not page.startswith("methods/"):
            site.add(page, f"docs/{page}", file.read_text(encoding="utf-8"))
    about = [site.add(page, source, read(source)) for source, page in text.PLACES.items() if page.startswith("about/")]
    guide = guide_pages(site)
    nav_methods: list = [site.add("methods/index.md", "", method_index(methods, classes))]
    for family, names in families(methods).items():
        pages = [(f"methods/{n}.md", method_page(methods[n], classes[n], family, drawings[n])) for n in names]
        nav_methods.append({family: [site.add(page, f"docs/{page}", words) for page, words in pages]})
    site.add("gallery.md", "docs/gallery.md", gallery_page(methods, drawings))
    api = api_pages(site, methods, classes, rustdoc is not None)
    tasks = ["a-csv", "which-method", "a-million-rows", "distances-only", "missing-values", "new-points-every-day"]
    tasks += sorted(Path(page).stem for page in site.pages if page.startswith("tasks/") and Path(page).stem not in [*tasks, "index"])
    figures_of = [page for page in ("benchmarks.md", "plans.md", "reproduction.md") if page in site.pages]
    nav = [
        {"Start here": "index.md"},
        {"By task": ["tasks/index.md", *(f"tasks/{task}.md" for task in tasks)]},
        {"Guide": guide},
        {"Methods": nav_methods},
        {"Gallery": "gallery.md"},
        {"Coming from": "migration.md"},
        {"API": api},
        {"About": [*figures_of, "bibliography.md", *about]},
    ]
    site.write()
    for picture in (ROOT / "docs").glob("*.png"):
        shutil.copy(picture, folder)
    (folder / "gallery").mkdir()
    for drawing in (drawing for each in drawings.values() for drawing in each if drawing.picture):
        shutil.copy(drawing.picture, folder / "gallery")
    (folder / "assets").mkdir()
    for asset in ("style.css", "iframe-worker.js"):
        shutil.copy(ROOT / "docs/site" / asset, folder / "assets")

    settings = {"INHERIT": str(ROOT / "docs/site/mkdocs.yml"), "docs_dir": str(folder), "site_dir": str(out), "nav": nav}
    settings["hooks"] = [str(ROOT / "docs/site/hooks.py")]
    (work / "mkdocs.yml").write_text(json.dumps(settings, indent=1), encoding="utf-8")
    begun = time.monotonic()
    mkdocs = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "--quiet", "-f", str(work / "mkdocs.yml")]
    environment = {**os.environ, "LOWLAND_SITE_PACKAGE": str(ROOT / "bindings/python"), "NO_MKDOCS_2_WARNING": "1"}
    if subprocess.run(mkdocs, env=environment).returncode:
        sys.exit("mkdocs refused the pages")
    if rustdoc:
        shutil.copytree(rustdoc, out / "api/rust", dirs_exist_ok=True)
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    print(f"{len(site.pages)} pages, {time.monotonic() - begun:.0f} s, {size / 1e6:.1f} MB: {out / 'index.html'}")


if __name__ == "__main__":
    main()
