"""The ASGI application for a production server."""

import os

from django.core.asgi import get_asgi_application
from django.db import connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evidence.settings")
application = get_asgi_application()
for alias in connections:  # each request has a thread of its own here: nobody else could use a connection that outlives it
    connections.settings[alias]["CONN_MAX_AGE"] = 0
