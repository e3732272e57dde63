"""What every test gets: index and originals of its own, and nothing that an earlier one left in the cache."""

import gc
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from django.core.cache import cache
from hypothesis import settings as hypothesis_settings
from pytest_django import Settings

hypothesis_settings.register_profile("untimed", deadline=None)  # on a busy machine an example takes as long as it takes
hypothesis_settings.load_profile("untimed")

MEMORY = Path("/dev/shm")
ROOM = 1 << 30
"""Bytes; what all tests keep at a time is less than half of it."""

# Waiting for the disk, several times for each row, was a third of the time of tests that take documents in.
if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is there before the first test stays to the end: looking through it again and again took a tenth of all time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, settings: Settings) -> Path:
    """An empty data folder for this test alone."""
    cache.clear()
    settings.DATA_DIR = tmp_path / "data"
    settings.INDEX_DIR = settings.DATA_DIR / "index"
    settings.BLOB_DIR = settings.DATA_DIR / "blobs"
    return tmp_path / "data"
