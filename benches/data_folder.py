"""Where the data sets are: the folder that LOWLAND_DATA names; without it, ../shared/data beside the repository."""

import os
from pathlib import Path

DATA = Path(os.environ.get("LOWLAND_DATA") or Path(__file__).resolve().parents[2] / "shared/data")
