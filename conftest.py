"""What every test gets: index and originals of its own."""

from pathlib import Path

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, settings: Settings) -> Path:
    """An empty data folder for this test alone."""
    settings.DATA_DIR = tmp_path / "data"
    settings.INDEX_DIR = settings.DATA_DIR / "index"
    settings.BLOB_DIR = settings.DATA_DIR / "blobs"
    return tmp_path / "data"
