"""Neighbor lists as graphs, as scikit-learn's transformers give them: a row need not be in the lists of its neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np


def both_ways(graph: Any) -> Any:
    """Neighbor lists, of which a row need not be in those of its neighbors, as a graph: every edge both ways. Edges that
    have two lengths are left to the method, which refuses them."""
    rows, columns = graph.shape
    edges = graph.tocoo()
    if rows != columns:
        return graph
    # That a row is no distance from itself is no edge.
    here = (edges.row != edges.col) | (edges.data != 0)
    i = np.concatenate([edges.row[here], edges.col[here]]).astype(np.int64)
    j = np.concatenate([edges.col[here], edges.row[here]]).astype(np.int64)
    lengths = np.concatenate([edges.data[here]] * 2)
    order = np.lexsort((lengths, j, i))
    i, j, lengths = i[order], j[order], lengths[order]
    again = (i[1:] == i[:-1]) & (j[1:] == j[:-1])
    if not np.allclose(lengths[1:][again], lengths[:-1][again], rtol=1e-6, atol=0.0):
        return graph
    kept = np.concatenate([~again, [True]]) if len(i) else np.zeros(0, dtype=bool)
    if kept.sum() == here.sum():
        return graph
    offsets = np.concatenate([[0], np.cumsum(np.bincount(i[kept], minlength=rows))])
    return type(graph)((lengths[kept], j[kept], offsets), shape=graph.shape)


def _list(lists: Any, i: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns and the lengths of a list, ascending."""
    columns, lengths = (part[lists.indptr[i] : lists.indptr[i + 1]] for part in (lists.indices, lists.data))
    order = np.argsort(columns, kind="stable")
    return columns[order], lengths[order]


def _key(lists: Any, i: int) -> tuple[bytes, bytes]:
    """What a list is known by, in either precision."""
    columns, lengths = _list(lists, i)
    return columns.astype(np.int64).tobytes(), lengths.astype(np.float32).tobytes()


def _keys(lists: Any) -> dict[tuple[bytes, bytes], int]:
    """The vertex of each list; of several with the same list none is known, nor is one without neighbors."""
    known: dict[tuple[bytes, bytes], int] = {}
    twice = set()
    for i in range(lists.shape[0]):
        key = _key(lists, i)
        if key in known or not key[0]:
            twice.add(key)
        known[key] = i
    return {key: i for key, i in known.items() if key not in twice}


class OneWay:
    """The neighbor lists of a fit, and the graph with every edge both ways that was made of them."""

    def __init__(self, lists: Any, graph: Any) -> None:
        self._lists, self._graph = lists.copy(), graph
        self._known: dict[tuple[bytes, bytes], int] | None = None

    def as_fitted(self, rows: Any) -> Any:
        """The rows, where they are those of the lists, with the edges that the graph has both ways."""
        if self._known is None:
            self._known = _keys(self._lists)
        found = [self._known.get(_key(rows, i)) for i in range(rows.shape[0])]
        if rows.shape[1] != self._graph.shape[1] or all(at is None for at in found):
            return rows
        lists = [_list(rows, i) if at is None else _list(self._graph, at) for i, at in enumerate(found)]
        columns = np.concatenate([part[0] for part in lists])
        lengths = np.concatenate([part[1] for part in lists]).astype(rows.dtype, copy=False)
        offsets = np.concatenate([[0], np.cumsum([len(part[0]) for part in lists])]).astype(np.int64)
        return type(rows)((lengths, columns, offsets), shape=rows.shape)
