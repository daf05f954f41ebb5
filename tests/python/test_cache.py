# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The store of compiled nodes, syntheses and proofs."""

from pathlib import Path

import pytest

from tidings.build import cache
from tidings.errors import UserError


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path / "store"))
    return tmp_path / "store"


def test_a_file_is_made_once(store: Path) -> None:
    made: list[Path] = []

    def make(scratch: Path) -> Path:
        made.append(scratch)
        (scratch / "file").write_text("text", encoding="utf-8")
        return scratch / "file"

    assert cache.kept("a-1.txt", make) == cache.kept("a-1.txt", make) == store / "a-1.txt"
    assert (store / "a-1.txt").read_text(encoding="utf-8") == "text"
    assert len(made) == 1
    assert not made[0].exists()


def test_a_key_covers_values_names_and_contents(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    (sources / "sub").mkdir(parents=True)
    (sources / "sub" / "a.sv").write_text("a", encoding="utf-8")
    (sources / "other.txt").write_text("not a source", encoding="utf-8")
    keys = [cache.key(["1", "2"]), cache.key(["12"]), cache.key(["1", "2"], sources, ["**/*.sv"])]
    (sources / "other.txt").write_text("changed", encoding="utf-8")
    assert cache.key(["1", "2"], sources, ["**/*.sv"]) == keys[-1]
    (sources / "sub" / "a.sv").write_text("b", encoding="utf-8")
    keys.append(cache.key(["1", "2"], sources, ["**/*.sv"]))
    (sources / "sub" / "a.sv").rename(sources / "sub" / "b.sv")
    keys.append(cache.key(["1", "2"], sources, ["**/*.sv"]))
    assert len(set(keys)) == len(keys)


def test_a_text_is_kept_in_a_folder_of_its_own(store: Path) -> None:
    cache.keep("proofs/x.json", "{}")
    assert [path.relative_to(store) for path in store.rglob("*") if path.is_file()] == [Path("proofs/x.json")]


def test_a_folder_that_cannot_be_made_is_an_error_with_a_remedy(store: Path) -> None:
    store.write_text("a file, not a folder", encoding="utf-8")
    with pytest.raises(UserError, match=r"cache folder .*store cannot be used: .*TIDINGS_CACHE names another one"):
        cache.kept("a-1.txt", lambda scratch: scratch)
