"""The suites say nothing of how fast the machine is."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from sesh.testing.unhurried import unhurried


def test_settings_are_as_before_afterwards() -> None:
    before = settings.get_current_profile_name()
    settings.register_profile("hurried", settings.get_profile(before), max_examples=7, deadline=100)
    settings.load_profile("hurried")
    try:
        with unhurried():
            inside = settings()
            assert (inside.max_examples, inside.deadline) == (7, None)
            assert HealthCheck.too_slow in inside.suppress_health_check
        assert settings.get_current_profile_name() == "hurried"
    finally:
        settings.load_profile(before)
