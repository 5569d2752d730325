"""Embeddings of the cells of an AnnData."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ._errors import InputError
from ._functions import estimator

__all__ = ["embed"]


def embed(
    adata: Any,
    method: str = "umap",
    *,
    use_rep: str | None = None,
    layer: str | None = None,
    labels: str | None = None,
    key_added: str | None = None,
    copy: bool = False,
    **parameters: Any,
) -> Any:
    """Embeds the cells of `adata` and writes the coordinates to `adata.obsm[key_added]` (`X_` and the name of the method,
    unless it is given) and what the fit said about itself to `adata.uns[key_added]`: the method, its parameters, the
    report, the warnings.

    The rows are those of `adata.obsm[use_rep]`, of `adata.layers[layer]`, or of `adata.X`. `labels` names a column of
    `adata.obs` for the methods that learn from labels. Returns the fitted estimator, or with `copy` a changed copy of
    `adata`, which itself is left alone.
    """
    if not hasattr(adata, "obsm") or not hasattr(adata, "uns"):
        raise InputError(f"adata is a {type(adata).__name__}, not an AnnData; for a matrix use the estimators of lowland")
    adata = adata.copy() if copy else adata
    model = estimator(method, **parameters)
    rows = _rows(adata, use_rep, layer)
    classes = None
    if labels is not None:
        if labels not in adata.obs:
            raise InputError(f"labels = {labels!r} is not a column of obs; choose one of {', '.join(map(str, adata.obs))}")
        classes = np.asarray(adata.obs[labels]).astype(str)
    key = key_added or f"X_{model._method.replace('-', '_')}"
    adata.obsm[key] = np.asarray(model.fit_transform(rows, classes))
    said = model.report_
    adata.uns[key] = {
        "method": model._method,
        "params": _plain(model._parameters()),
        "report": _plain({name: value for name, value in said.items() if name != "warnings"}),
        "warnings": _plain(list(said["warnings"])),
    }
    return adata if copy else model


def _plain(value: Any) -> Any:
    """What a file of an AnnData can hold: numbers, words, arrays of them, and dictionaries; what is left open is left out,
    and a list of anything else is its text as JSON."""
    if isinstance(value, dict):
        return {str(name).replace("/", " per "): _plain(inner) for name, inner in value.items() if inner is not None}
    if isinstance(value, (list, tuple)):
        if all(isinstance(inner, str) for inner in value):
            return np.asarray(value, dtype=str)
        if all(isinstance(inner, (bool, int, float)) for inner in value):
            return np.asarray(value)
        return json.dumps(value, default=str)
    return value if isinstance(value, (bool, int, float, str, np.ndarray, np.generic)) else repr(value)


def _rows(adata: Any, use_rep: str | None, layer: str | None) -> Any:
    if use_rep is not None and layer is not None:
        raise InputError("use_rep and layer are both given; give one of them")
    if use_rep is not None and use_rep != "X":
        if use_rep not in adata.obsm:
            known = ", ".join(map(str, adata.obsm.keys())) or "none"
            raise InputError(f"use_rep = {use_rep!r} is not in obsm; choose one of {known}")
        return np.asarray(adata.obsm[use_rep])
    if layer is not None:
        if layer not in adata.layers:
            known = ", ".join(map(str, adata.layers.keys())) or "none"
            raise InputError(f"layer = {layer!r} is not in layers; choose one of {known}")
        rows = adata.layers[layer]
    else:
        rows = adata.X
    if rows is None:
        raise InputError("this AnnData has no X; give use_rep or layer")
    return rows if hasattr(rows, "tocsr") else np.asarray(rows)
