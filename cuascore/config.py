"""Toggles: frozen, typed config trees in which an unknown key is an error that names the nearest valid one."""

from collections.abc import Iterator, Mapping
from typing import Any, Self, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from cuascore.errors import UserError, nearest

T = TypeVar("T", bound="Toggles")


class Toggles(BaseModel):
    """Base of every node of a config tree.

    Values are checked strictly (``1`` is no bool, ``"0.1"`` is no float; an int is accepted where a float is meant).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)

    def override(self, changes: Mapping[str, Any]) -> Self:
        """Return a copy with dotted keys replaced, e.g. ``{"loss.margin": 0.2}``.

        Raises:
            UserError: a key is not in the tree, or a value does not fit it.
        """
        tree = self.model_dump()
        for key, value in changes.items():
            _put(type(self), tree, key, value, list(dict(self.flat())))
        return parse(type(self), tree)

    def flat(self) -> Iterator[tuple[str, Any]]:
        """Yield every leaf as (dotted key, JSON-able value)."""
        yield from _flatten(self.model_dump(mode="json"))


def parse(kind: type[T], tree: Mapping[str, Any], where: str = "config") -> T:
    """Build a config tree from nested mappings.

    Raises:
        UserError: one line that names the key, what is wrong, and the nearest valid key where one is unknown.
    """
    try:
        return kind.model_validate(_tuples(tree))
    except ValidationError as error:
        raise UserError(f"{where}: {_one_line(kind, error)}") from None


def difference(config: Toggles, base: Toggles) -> dict[str, tuple[Any, Any]]:
    """Return {dotted key: (value in base, value in config)} for the leaves that differ."""
    mine, theirs = dict(config.flat()), dict(base.flat())
    return {key: (theirs.get(key), mine.get(key)) for key in {**theirs, **mine} if theirs.get(key) != mine.get(key)}


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _put(kind: type[Toggles], tree: dict[str, Any], dotted: str, value: Any, valid: list[str]) -> None:
    node, rest = kind, dotted
    while True:
        part, _, rest = rest.partition(".")
        field = node.model_fields.get(part)
        if field is None:
            raise UserError(f"unknown toggle {dotted!r}: {nearest(dotted, valid)}")
        if get_origin(field.annotation) is dict and rest:
            # A free-form mapping (finetuning overrides) holds dotted keys itself; they are checked where they apply.
            tree[part] = {**tree[part], rest: value}
            return
        if not rest:
            tree[part] = value
            return
        if not (isinstance(field.annotation, type) and issubclass(field.annotation, Toggles)):
            raise UserError(f"unknown toggle {dotted!r}: {nearest(dotted, valid)}")
        node, tree = field.annotation, tree[part]


def _tuples(value: Any) -> Any:
    """YAML and JSON have lists only; the frozen tree holds tuples."""
    if isinstance(value, Mapping):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value


def _one_line(kind: type[Toggles], error: ValidationError) -> str:
    first = error.errors()[0]
    path = [str(part) for part in first["loc"]]
    key = ".".join(path)
    if first["type"] == "extra_forbidden":
        node: Any = kind
        for part in path[:-1]:
            # Inside a mapping or a sequence the value's type stands last or first among the arguments.
            origin = get_origin(node)
            if origin is None:
                node = node.model_fields[part].annotation
            else:
                node = get_args(node)[-1] if origin is dict else get_args(node)[0]
        return f"unknown key {key!r}: {nearest(path[-1], node.model_fields)}"
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    return f"{key}: {first['msg'][0].lower()}{first['msg'][1:]}, got {first['input']!r}"
