"""Property tests on a slow or busy machine: how long an example takes to make says nothing of what is tested.

Needs the package `hypothesis`. Without this, the suites would need settings in the project of whoever uses them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, settings


@contextmanager
def unhurried() -> Iterator[None]:
    """The settings in force, less deadlines and complaints about slow or large examples; afterwards as before."""
    before = settings.get_current_profile_name()
    settings.register_profile(
        "sesh-unhurried",
        settings.get_profile(before),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    settings.load_profile("sesh-unhurried")
    try:
        yield
    finally:
        settings.load_profile(before)
