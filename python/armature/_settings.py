"""Keyword arguments as the texts that settings are made of."""
from __future__ import annotations

import json
import math
import os
from typing import Any, Dict, Iterable, List, Mapping, Tuple

import numpy as np

from ._library import Error


def yaml_of(value: Any, key: str) -> str:
    """A value as YAML (JSON is YAML): numbers are exact, texts with units stay texts ("2 s")."""
    return json.dumps(_plain(value, key))


def _plain(value: Any, key: str) -> Any:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise Error(f"{key} is {value}", "a finite number is needed", key)
        return float(value)
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(item, f"{key}.{name}") for name, item in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
        return _plain(value, key)
    if isinstance(value, (list, tuple)):
        return [_plain(item, key) for item in value]
    raise Error(f"{key} is of type {type(value).__name__}", "a number, a text, a list or a dict is needed", key)


def name_of(keyword: str) -> str:
    """What a keyword names: from_ is `from`, lambda_ is `lambda`, which Python keeps for itself."""
    return keyword[:-1] if keyword.endswith("_") else keyword


def flattened(settings: Mapping[str, Any], prefix: str = "") -> List[Tuple[str, str]]:
    """run={"duration": "2 s"} as ("run.duration", "2 s"): what is named is replaced, its neighbours stay."""
    pairs: List[Tuple[str, str]] = []
    for keyword, value in settings.items():
        key = name_of(keyword)
        if isinstance(value, Mapping) and value and "kind" not in value:
            pairs += flattened(value, f"{prefix}{key}.")
        else:
            pairs.append((prefix + key, yaml_of(value, prefix + key)))
    return pairs


def options_of(options: Mapping[str, Any]) -> List[str]:
    """torque_limits=True, velocity=[1, 2], window=["0s..2s", "3s..4s"] as the words of a command line."""
    words: List[str] = []
    for key, value in options.items():
        name = "--" + name_of(key).replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(name)
        elif isinstance(value, Mapping):  # lock={"torso": "20 cm"}
            for inner, item in value.items():
                words += [name, f"{inner}={_word(item, key)}"]
        elif isinstance(value, (list, tuple, np.ndarray)):
            items = list(value)
            if items and all(isinstance(item, str) for item in items):
                for item in items:
                    words += [name, item]
            else:
                words += [name, ",".join(_word(item, key) for item in items)]
        else:
            words += [name, _word(value, key)]
    return words


def _word(value: Any, key: str) -> str:
    plain = _plain(value, key)
    return plain if isinstance(plain, str) else json.dumps(plain)


def numbers_text(columns: Dict[str, "np.ndarray[Any, Any]"]) -> Iterable[str]:
    """A table as lines of CSV; every number reads back exactly."""
    yield ",".join(columns)
    for row in zip(*(column.tolist() for column in columns.values())):
        yield ",".join(map(repr, row))
