"""Imported once by the process from which workers are forked: what a worker needs, so that none imports it itself."""

from __future__ import annotations

from tests.integration_tests.worker import warm_up

warm_up()
