"""Settings of the tests: the project's own, with a data folder that ends with the run, and static files as they lie there."""

import os
import tempfile

DATA_FOLDER = tempfile.TemporaryDirectory(prefix="fundstelle-tests-")
os.environ["FUNDSTELLE_DATA"] = DATA_FOLDER.name

from evidence.settings import *  # noqa: E402, F403
from evidence.settings import DATA_DIR, STORAGES  # noqa: E402

STATIC_ROOT = DATA_DIR / "static"  # empty: WhiteNoise asks the finders instead
STATIC_ROOT.mkdir()
WHITENOISE_USE_FINDERS = True
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # fast, and only here
