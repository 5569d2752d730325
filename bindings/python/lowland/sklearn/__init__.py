"""scikit-learn's names, defaults, attributes and meanings over Lowland: replacing the import is enough.

    from lowland.sklearn import PCA, TSNE                 # in place of sklearn.decomposition and sklearn.manifold
    from lowland.sklearn.manifold import Isomap           # or module by module

Every class is a subclass of scikit-learn's class of the same name: parameters, their checks and what only reads fitted
attributes are scikit-learn's; what fits is Lowland's. What little is left to scikit-learn (a contrast that is a function,
some solvers) is said in the docstring of the class, and in the log `lowland.sklearn` when it happens. Results repeat:
`random_state=None` is a seed of 0.
"""

from __future__ import annotations

try:
    import sklearn  # noqa: F401
except ImportError as missing:
    raise ImportError("lowland.sklearn needs scikit-learn: pip install scikit-learn; lowland itself does not") from missing

from . import cluster, decomposition, discriminant_analysis, manifold, neighbors, random_projection
from ._umap import UMAP
from .cluster import *
from .decomposition import *
from .discriminant_analysis import *
from .manifold import *
from .neighbors import *
from .random_projection import *

# In a form that type checkers read.
__all__ = ["UMAP"]
__all__ += cluster.__all__
__all__ += decomposition.__all__
__all__ += discriminant_analysis.__all__
__all__ += manifold.__all__
__all__ += neighbors.__all__
__all__ += random_projection.__all__
