"""The exceptions. Each has the facts of its case as attributes, for example `row` and `column` of a bad value."""

from __future__ import annotations

from typing import Any


class LowlandError(ValueError):
    """Something was refused or did not work."""

    def __init__(self, message: str = "", **fields: Any) -> None:
        super().__init__(message)
        self.__dict__.update(fields)

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt, (type(self), self.args, self.__dict__.copy()))


def _rebuilt(cls: type[LowlandError], args: tuple[Any, ...], fields: dict[str, Any]) -> LowlandError:
    return cls(*args, **fields)


class ParameterError(LowlandError):
    """A parameter is unknown or out of its range."""


class InputError(LowlandError):
    """The data are not what the method can take."""


class MemoryBudgetError(LowlandError, MemoryError):
    """The forecast is over the memory budget; nothing was allocated."""


class NotConvergedError(LowlandError):
    """A solver gave up."""


class UnsupportedError(LowlandError):
    """The method cannot do this."""


class ModelFileError(LowlandError):
    """A model file that cannot be trusted."""


class FileError(LowlandError, OSError):
    """The operating system refused a file."""


def _counted(number: int, what: str) -> str:
    """`1 column`, `2 columns`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
