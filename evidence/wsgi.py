"""The WSGI application for a production server."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evidence.settings")
application = get_wsgi_application()
