"""Pictures of embeddings: ours, in a notebook or a file, or onto an axis of matplotlib."""

from __future__ import annotations

from os import PathLike, fspath
from os.path import splitext
from typing import Any

import numpy as np

from . import _native
from ._compat import check_array
from ._errors import InputError, ParameterError, _counted

_PAPER = {"width": 960, "height": 720}


class Picture:
    """A drawing of an embedding. A notebook shows it; `save` writes it as SVG or PNG."""

    def __init__(self, coordinates: np.ndarray, drawing: dict[str, Any]) -> None:
        self._coordinates, self._drawing = coordinates, drawing

    def svg(self) -> str:
        """The drawing as SVG."""
        return _native.picture(self._coordinates, **self._drawing, png=False).decode()

    def png(self) -> bytes:
        """The drawing as PNG."""
        return _native.picture(self._coordinates, **self._drawing, png=True)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the drawing, whole or not at all; the ending of the name, `.svg` or `.png`, says how."""
        ending = splitext(fspath(path))[1].lower()
        if ending not in (".svg", ".png"):
            raise ParameterError(
                f"path = {fspath(path)!r} ends in neither .svg nor .png; choose one of them", name="path", value=path
            )
        drawing = self.png() if ending == ".png" else self.svg().encode()
        _native.write(path, drawing)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        rows, columns = self._coordinates.shape
        return f"Picture of {_counted(rows, 'point')} in {_counted(columns, 'dimension')}"


def plot(
    embedding: Any,
    labels: Any = None,
    *,
    title: str = "",
    subtitle: str = "",
    color_title: str = "",
    size: tuple[int, int] = (_PAPER["width"], _PAPER["height"]),
    dark: bool = False,
    ax: Any = None,
) -> Any:
    """Draws an embedding: an array of one to three columns, or a fitted estimator that holds one. `labels` color the
    points: words and few whole numbers as classes, other numbers as values, called `color_title` in the legend.

    Without `ax` a `Picture` is returned, which a notebook shows and `save` writes; with an axis of matplotlib the points
    are drawn onto it and it is returned.

    Examples
    --------
    >>> import lowland
    >>> sample = lowland.data("swiss-roll", 200)
    >>> lowland.plot(lowland.PCA(2).fit(sample.X), sample.labels)
    Picture of 200 points in 2 dimensions
    """
    coordinates = getattr(embedding, "embedding_", embedding)
    title = title or ("" if coordinates is embedding else type(embedding).__name__)
    coordinates = np.ascontiguousarray(check_array(coordinates), dtype=np.float64)
    if not np.isfinite(coordinates).all():
        raise InputError("the embedding contains NaN or infinity; leave those rows out")
    names, values = _colors(labels, len(coordinates))
    if ax is not None:
        return _onto(ax, coordinates, names, values, title, color_title)
    paper = f"{int(size[0])}x{int(size[1])}"
    drawing = {
        "names": names,
        "values": values,
        "meaning": color_title,
        "title": title,
        "subtitle": subtitle,
        "size": paper,
        "dark": dark,
    }
    return Picture(coordinates, drawing)


def _colors(labels: Any, rows: int) -> tuple[list[str] | None, list[float] | None]:
    """Labels as the names of classes, or as values."""
    if labels is None:
        return None, None
    labels = np.asarray(labels)
    if labels.shape != (rows,):
        raise InputError(f"labels of the shape {labels.shape} for {_counted(rows, 'point')}; give one for each point")
    if labels.dtype.kind in "iuf":
        values = labels.astype(float)
        if not np.isfinite(values).all():
            raise InputError("the labels contain NaN or infinity; leave those rows out")
        if not _native.are_classes(values):
            return None, values.tolist()
        return [f"{value:.0f}" for value in values], None
    return [str(label) for label in labels], None


def _onto(
    ax: Any, coordinates: np.ndarray, names: list[str] | None, values: list[float] | None, title: str, meaning: str
) -> Any:
    width = coordinates.shape[1]
    if width == 1:
        coordinates = np.column_stack([coordinates, np.zeros(len(coordinates))])
    axes = coordinates[:, : 3 if hasattr(ax, "get_zlim") and width > 2 else 2].T
    if names is not None:
        classes = np.asarray(names)
        for name in dict.fromkeys(names):
            ax.scatter(*(axis[classes == name] for axis in axes), s=8, label=name)
        ax.legend(markerscale=2)
    elif values is not None:
        points = ax.scatter(*axes, s=8, c=values)
        ax.figure.colorbar(points, ax=ax, label=meaning)
    else:
        ax.scatter(*axes, s=8)
    if title:
        ax.set_title(title)
    return ax
