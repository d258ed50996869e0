"""format/rewrite.py: one value changes, every other byte stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesh.format import rewrite

OLD, NEW = "11111111-aaaa", "22222222-bbbb"


@pytest.mark.parametrize(
    ("line", "path", "expected"),
    [
        ('{"sessionId":"OLD","x":1}', ["sessionId"], '{"sessionId":"NEW","x":1}'),
        ('{ "sessionId" : "OLD" }', ["sessionId"], '{ "sessionId" : "NEW" }'),
        ('{"payload":{"id":"OLD"}}', ["payload", "id"], '{"payload":{"id":"NEW"}}'),
        (
            '{"payload":{"id":"OLD","other":{"id":"OLD"}}}',
            ["payload", "id"],
            '{"payload":{"id":"NEW","other":{"id":"OLD"}}}',
        ),
        (
            '{"input":{"sessionId":"OLD"},"sessionId":"OLD"}',
            ["sessionId"],
            '{"input":{"sessionId":"OLD"},"sessionId":"NEW"}',
        ),
        (
            '{"a":[{"sessionId":"OLD"}],"sessionId":"OLD"}',
            ["sessionId"],
            '{"a":[{"sessionId":"OLD"}],"sessionId":"NEW"}',
        ),
        ('{"input":{"sessionId":"OLD"}}', ["sessionId"], None),
        ('{"input":[{"sessionId":"OLD"},{"sessionId":"OLD"}]}', ["sessionId"], None),
        (
            '{"text":"\\"sessionId\\":\\"OLD\\"","sessionId":"OLD"}',
            ["sessionId"],
            '{"text":"\\"sessionId\\":\\"OLD\\"","sessionId":"NEW"}',
        ),
        ('{"text":"sessionId OLD"}', ["sessionId"], None),
        ('{"sessionId":"other"}', ["sessionId"], None),
        ('{"sessionId":"OLD"', ["sessionId"], None),
        ('["sessionId","OLD"]', ["sessionId"], None),
        ("", ["sessionId"], None),
        ('{"text":"OLD"}', ["text"], '{"text":"NEW"}'),
    ],
)
def test_only_the_value_at_the_path_changes(line: str, path: list[str], expected: str | None) -> None:
    got = rewrite.replace(line.replace("OLD", OLD).encode(), path, OLD, NEW)
    assert got == (None if expected is None else expected.replace("OLD", OLD).replace("NEW", NEW).encode())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just(OLD),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["sessionId", "id", "x", "payload"]), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(
    value=st.dictionaries(st.sampled_from(["sessionId", "payload", "x", "y"]), json_values), ascii_only=st.booleans()
)
def test_the_rest_of_the_object_is_the_same(value: dict[str, object], ascii_only: bool) -> None:
    line = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    got = rewrite.replace(line, ["sessionId"], OLD, NEW)
    if value.get("sessionId") == OLD:
        assert got is not None
        assert json.loads(got.decode("utf-8", "surrogatepass")) == {**value, "sessionId": NEW}
    else:
        assert got is None


def test_values_that_need_escapes() -> None:
    line = json.dumps({"payload": {"cwd": 'C:\\a "b"', "other": 'C:\\a "b"'}}).encode()
    got = rewrite.replace(line, ["payload", "cwd"], 'C:\\a "b"', "/new/ü")
    assert got is not None
    assert json.loads(got) == {"payload": {"cwd": "/new/ü", "other": 'C:\\a "b"'}}
