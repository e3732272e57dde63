"""The ASGI application for a production server."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evidence.settings")
application = get_asgi_application()
