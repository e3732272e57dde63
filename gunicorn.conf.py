"""How gunicorn serves Fundstelle: `gunicorn` in this folder; the environment and options override (`--bind`, `--workers`)."""

import logging

from evidence.logs import CONFIGURATION

wsgi_app = "evidence.wsgi:application"
bind = "127.0.0.1:8000"
worker_class = "gthread"
workers = 2
threads = 4
control_socket_disable = True  # signals are enough; the socket would lie in somebody's home folder
logconfig_dict = CONFIGURATION
access_log_format = "%(h)s %(m)s %(U)s %(s)s %(B)s %(M)sms"


def on_starting(server: object) -> None:
    """Let `--log-level warning` silence requests too."""
    logging.getLogger("gunicorn.access").setLevel(logging.getLogger("gunicorn.error").level)
