"""Patches and edits as lines of a diff."""

from __future__ import annotations

from sesh.present.patch import of_call, of_patch

PATCH = """*** Begin Patch
*** Update File: a.py
*** Move to: b.py
@@ def f
 same
-old
+new
*** Add File: c.txt
+one
+
*** Delete File: d.txt
*** End Patch"""


def test_a_patch_over_several_files() -> None:
    update, add, delete = of_patch(PATCH)
    assert (update.path, update.moved_to, update.operation) == ("a.py", "b.py", "update")
    assert update.lines == [("@", "@@ def f"), (" ", "same"), ("-", "old"), ("+", "new")]
    assert (update.added, update.removed) == (1, 1)
    assert (add.path, add.operation, add.lines) == ("c.txt", "add", [("+", "one"), ("+", "")])
    assert (delete.path, delete.operation, delete.lines) == ("d.txt", "delete", [])


def test_what_is_no_patch_has_no_files() -> None:
    assert of_patch("") == []
    assert of_patch("+just\n-lines") == []


def test_an_edit_shows_only_what_changed() -> None:
    (diff,) = of_call("Edit", {"file_path": "/x", "old_string": "a\nb\nc", "new_string": "a\nB\nc"})
    assert diff.lines == [(" ", "a"), ("-", "b"), ("+", "B"), (" ", "c")]


def test_a_write_is_all_new_and_several_edits_are_parted() -> None:
    (written,) = of_call("Write", {"file_path": "/x", "content": "a\nb\n"})
    assert (written.operation, written.lines) == ("add", [("+", "a"), ("+", "b")])
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]
    (diff,) = of_call("MultiEdit", {"file_path": "/x", "edits": edits})
    assert ("@", "@@") in diff.lines


def test_other_calls_and_odd_arguments_are_no_edit() -> None:
    for name, arguments in [
        ("Bash", {"file_path": "/x", "content": "y"}),
        ("Edit", {"file_path": "/x"}),
        ("Edit", "text"),
        ("MultiEdit", {"file_path": "/x", "edits": [3]}),
        ("Write", {"file_path": 3, "content": "y"}),
    ]:
        assert of_call(name, arguments) == []


def test_a_huge_edit_is_not_compared_line_by_line() -> None:
    old, new = "\n".join(map(str, range(2000))), "\n".join(map(str, range(1, 2001)))
    (diff,) = of_call("Edit", {"file_path": "/x", "old_string": old, "new_string": new})
    assert (diff.added, diff.removed) == (2000, 2000)
