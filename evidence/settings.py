"""Django settings. The only module that reads the environment (names begin with FUNDSTELLE_).

Without any of them it is safe to run on one's own machine: only this machine is answered, nothing of an error is shown, and
the secret key is random. FUNDSTELLE_ENV=production adds what a public address needs and starts only when it is complete.
"""

from __future__ import annotations

import os
import socket
import tempfile
import tomllib
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

from evidence import logs

SHORTEST_METRICS_TOKEN = 20
"""Characters: whoever has it reads numbers, no text."""
SHORTEST_SECRET_KEY = 50
"""Characters; what Django's own deployment check asks for."""
MOST_DAYS = 36_500
"""A hundred years; whoever wants more wants to keep it for ever."""
LONGEST_WORDS = 30
"""Days that words of questions can be kept: a diagnosis is over by then."""
SHORTEST_SCIM_TOKEN = 32
"""Characters of the secret that may change everybody's groups."""
POSTGRES_OPTIONS = frozenset(
    {
        "host",  # also the folder of a socket
        "passfile",
        "sslmode",
        "sslrootcert",
        "sslcert",
        "sslkey",
        "sslcrl",
        "channel_binding",
        "connect_timeout",
        "application_name",
    }
)
"""What the address of a PostgreSQL server may say after its "?". Anything else could undo what is set for it below."""
POSTGRES_SESSION = {
    "default_transaction_isolation": r"read\ committed",  # whatever the server's own default is
    "statement_timeout": "5min",  # one that takes longer hangs; migrations, VACUUM and backups lift it
    "lock_timeout": "30s",  # as SQLite waits for its one writer
    "idle_in_transaction_session_timeout": "5min",  # who is stuck in a transaction keeps its locks
}
"""What holds for each connection."""


def _flag(name: str, default: str = "0") -> bool:
    value = os.environ.get(name, default)
    if value not in {"0", "1"}:
        raise ImproperlyConfigured(f"{name} is 0 or 1.")
    return value == "1"


def _names(name: str, default: str) -> list[str]:
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


def _whole_number(name: str, default: int) -> int:
    value = os.environ.get(name, str(default))
    if not value.isascii() or not value.isdigit() or int(value) < 1:
        raise ImproperlyConfigured(f"{name} is a whole number from 1.")
    return int(value)


def _duration(name: str, default: str) -> timedelta:
    value = os.environ.get(name, default)
    units = {"m": "minutes", "h": "hours", "d": "days"}
    number, unit = value[:-1], value[-1:]
    if not number.isascii() or not number.isdigit() or len(number) > 4 or int(number) < 1 or unit not in units:
        raise ImproperlyConfigured(f"{name} is a whole number from 1 with m, h or d after it: {default}.")
    return timedelta(**{units[unit]: int(number)})


def _kept(name: str, default: int | None, *, most: int | None = None) -> timedelta | None:
    """How long something is kept: whole days, or None for ever. most: days, of what is never kept for ever."""
    value = os.environ.get(name, "forever" if default is None else str(default))
    if value == "forever" and most is None:
        return None
    if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= (most or MOST_DAYS):
        or_forever = "" if most else ", or forever"
        raise ImproperlyConfigured(f"{name} is a whole number of days from 1 to {most or MOST_DAYS}{or_forever}.")
    return timedelta(days=int(value))


def _secret(name: str) -> str:
    """A secret, or the first line of the file that NAME_FILE names."""
    value, path = os.environ.get(name, ""), os.environ.get(f"{name}_FILE", "")
    if value and path:
        raise ImproperlyConfigured(f"Set {name} or {name}_FILE, not both.")
    if not path:
        return value
    try:
        value = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(f"{name}_FILE can't be read: {type(error).__name__}.") from None
    if not value:
        raise ImproperlyConfigured(f"{name}_FILE is empty.")
    return value


def _metrics_token() -> str:
    token = _secret("FUNDSTELLE_METRICS_TOKEN")
    if token and (len(token) < SHORTEST_METRICS_TOKEN or not token.isascii() or not token.isprintable() or " " in token):
        raise ImproperlyConfigured(f"FUNDSTELLE_METRICS_TOKEN has at least {SHORTEST_METRICS_TOKEN} letters, digits and signs.")
    return token


def _addresses(name: str) -> list[str]:
    found = _names(name, "")
    for address in found:
        try:
            validate_email(address)
        except ValidationError:
            raise ImproperlyConfigured(f"{name} holds addresses of mail, with commas between them.") from None
    return found


def _mail(url: str) -> dict[str, Any]:
    """How mail is sent. smtp://user:password@host:port, smtps (TLS from the start), smtp+starttls; file:///folder for trying."""
    ports = {"smtp": 25, "smtps": 465, "smtp+starttls": 587, "file": None, "": None}
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit("wrong:"), None
    if parts.scheme not in ports or bool(parts.hostname) == (parts.scheme in {"file", ""}) or parts.query or parts.fragment:
        raise ImproperlyConfigured("FUNDSTELLE_MAIL_URL is as in smtp+starttls://user:password@host:587, smtps://, or smtp://.")
    kind = {"file": "filebased", "": "dummy"}.get(parts.scheme, "smtp")
    return {
        "backend": f"django.core.mail.backends.{kind}.EmailBackend",
        "scheme": parts.scheme,
        "host": parts.hostname or "localhost",
        "port": port or ports[parts.scheme] or 25,
        "user": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "folder": parts.path if parts.scheme == "file" else None,
    }


def _credentials(path: str) -> dict[str, dict[str, str]]:
    """What reading origins takes, by "tenant/source": from a TOML file of the operator, never from the database."""
    if not path:
        return {}
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(f"FUNDSTELLE_CREDENTIALS can't be read: {type(error).__name__}.") from None
    if not all(isinstance(one, dict) and all(isinstance(text, str) for text in one.values()) for one in table.values()):
        raise ImproperlyConfigured('FUNDSTELLE_CREDENTIALS holds tables of texts, each as ["tenant/source"].')
    return table


def _sqlite(folder: Path) -> dict[str, Any]:
    """The embedded database: a file that one process at a time writes, each change whole before the next begins."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": folder / "fundstelle.sqlite3",
        "TEST": {"NAME": folder / "test.sqlite3"},  # a file, so that tests can look for what must be gone from it
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA foreign_keys=ON;"
            ),
        },
    }


def _postgresql(address: str) -> dict[str, Any]:
    """A PostgreSQL server. What is wrong with its address is said without repeating it: it can hold a password.

    Every statement sees what was committed before it began, and only a server that takes writes is asked: a copy of it would go
    on granting rights that have been taken away.
    """
    name = "FUNDSTELLE_DATABASE_URL"
    if address.partition(":")[0] not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(f"{name} begins with postgresql:// (without it, SQLite is used).")
    try:
        described: dict[str, Any] = {**dj_database_url.parse(address, conn_max_age=60, conn_health_checks=True)}
    except ValueError:
        raise ImproperlyConfigured(f"{name} is no address; signs like @ / # in a password are written as %40 %2F %23.") from None
    options: dict[str, Any] = described.pop("OPTIONS", {})
    if options.keys() - POSTGRES_OPTIONS:  # without naming it: a password with a "?" ends up here
        raise ImproperlyConfigured(f"After its ?, {name} can say: {', '.join(sorted(POSTGRES_OPTIONS))}; nothing else.")
    if not described["NAME"] or "/" in described["NAME"]:
        raise ImproperlyConfigured(f"{name} ends with the name of one database: postgresql://PERSON@HOST/DATABASE.")
    session = " ".join(f"-c {setting}={value}" for setting, value in POSTGRES_SESSION.items())
    defaults = {"connect_timeout": 10, "application_name": "fundstelle"}
    fixed = {"target_session_attrs": "read-write", "options": session}
    return {**described, "OPTIONS": {**defaults, **options, **fixed}}


def _database(address: str) -> dict[str, Any]:
    return _postgresql(address) if address else _sqlite(DATA_DIR)


def _is_production() -> bool:
    environment = os.environ.get("FUNDSTELLE_ENV", "local")
    if environment not in {"local", "production"}:
        raise ImproperlyConfigured("FUNDSTELLE_ENV is local or production.")
    return environment == "production"


def _kept_key(path: Path) -> str:
    """A random key for local use, made once. A constant here would let anybody forge a session."""
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent) as fresh:  # mode 600
            fresh.write(os.urandom(SHORTEST_SECRET_KEY).hex())
            fresh.flush()
            with suppress(FileExistsError):
                os.link(fresh.name, path)  # complete, or not there: two processes may start at once
    return path.read_text()


BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("FUNDSTELLE_DATA", BASE_DIR / "data"))
DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
INDEX_DIR = DATA_DIR / "index"
BLOB_DIR = DATA_DIR / "blobs"

PRODUCTION = _is_production()
DEBUG = _flag("FUNDSTELLE_DEBUG")
SECRET_KEY = os.environ.get("FUNDSTELLE_SECRET_KEY") or ("" if PRODUCTION else _kept_key(DATA_DIR / "secret_key"))
ALLOWED_HOSTS = _names("FUNDSTELLE_HOSTS", "" if PRODUCTION else "localhost,127.0.0.1,[::1]")
BEHIND_PROXY = _flag("FUNDSTELLE_PROXY")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "axes",
    "evidence",
]
MIDDLEWARE = [
    *(["evidence.web.middleware.ProxyAddress"] if BEHIND_PROXY else []),
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "evidence.web.middleware.PrivateResponses",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "evidence.web.middleware.OriginOfForms",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "evidence.web.confirming.SessionsOfProvider",
    "evidence.web.errors.PagesForFragments",
    "evidence.web.person.AccessOfRequest",
    "evidence.web.errors.ErrorPages",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "evidence.urls"
WSGI_APPLICATION = "evidence.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "evidence.web.person.place",
            ],
        },
    },
]
DATABASES = {"default": _database(os.environ.get("FUNDSTELLE_DATABASE_URL", ""))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Reading files: what one of them may take
PARSE_SECONDS = _whole_number("FUNDSTELLE_PARSE_SECONDS", 60)  # thousands of PDF pages
PARSE_MEMORY_MB = _whole_number("FUNDSTELLE_PARSE_MEMORY_MB", 1_024)

# How long things are kept; evidence.retention removes what is older
KEEP = {
    "revisions": _kept("FUNDSTELLE_KEEP_REVISIONS", None),  # after another one took its place
    "citations": _kept("FUNDSTELLE_KEEP_CITATIONS", None),
    "events": _kept("FUNDSTELLE_KEEP_EVENTS", None),
    "receipts": _kept("FUNDSTELLE_KEEP_RECEIPTS", None),
    "runs": _kept("FUNDSTELLE_KEEP_RUNS", 365),  # revocation times and alarms too
    "traces": _kept("FUNDSTELLE_KEEP_TRACES", 30),
    "diagnosis": _kept("FUNDSTELLE_KEEP_DIAGNOSIS", 7, most=LONGEST_WORDS),
    "answers": _kept("FUNDSTELLE_KEEP_ANSWERS", 30),  # that somebody had checked
    "reports": _kept("FUNDSTELLE_KEEP_REPORTS", 90),  # the words of unsuccessful searches
}

# Alarms: whom they are told, and how mail is sent
ALARM_MAIL = _addresses("FUNDSTELLE_ALARM_MAIL")
ALARM_WEBHOOK = os.environ.get("FUNDSTELLE_ALARM_WEBHOOK", "")
ALARM_WEBHOOK_SECRET = _secret("FUNDSTELLE_ALARM_WEBHOOK_SECRET")
MAIL = _mail(_secret("FUNDSTELLE_MAIL_URL"))
EMAIL_BACKEND = MAIL["backend"]
EMAIL_HOST, EMAIL_PORT = MAIL["host"], MAIL["port"]
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL["user"], MAIL["password"]
EMAIL_USE_SSL, EMAIL_USE_TLS = MAIL["scheme"] == "smtps", MAIL["scheme"] == "smtp+starttls"
EMAIL_FILE_PATH = MAIL["folder"]
EMAIL_TIMEOUT = 10  # seconds: a server that does not answer is tried again
DEFAULT_FROM_EMAIL = os.environ.get("FUNDSTELLE_MAIL_FROM") or f"fundstelle@{socket.getfqdn()}"
if ALARM_MAIL and not MAIL["scheme"]:
    raise ImproperlyConfigured("FUNDSTELLE_ALARM_MAIL needs FUNDSTELLE_MAIL_URL, which says how mail is sent.")

# Watching: /metrics answers to this token, and to nobody without one
METRICS_TOKEN = _metrics_token()
VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

# Origins: passwords and keys are kept apart from the database and its backups
CREDENTIALS = _credentials(os.environ.get("FUNDSTELLE_CREDENTIALS", ""))

# Addresses elsewhere that are called: hosts that may be of the own network, at any port, by http too
PRIVATE_HOSTS = [name.lower() for name in _names("FUNDSTELLE_PRIVATE_HOSTS", "")]

# Written answers: a model elsewhere that speaks as OpenAI's does, asked when a person wants that. Without address: none
ANSWERING_URL = os.environ.get("FUNDSTELLE_ANSWERING_URL", "").rstrip("/")  # its base, such as http://localhost:11434/v1
ANSWERING_MODEL = os.environ.get("FUNDSTELLE_ANSWERING_MODEL", "")
ANSWERING_KEY = _secret("FUNDSTELLE_ANSWERING_KEY")
ANSWERING_SECONDS = _whole_number("FUNDSTELLE_ANSWERING_SECONDS", 30)  # for all of an answer
ANSWERING_PASSAGES = _whole_number("FUNDSTELLE_ANSWERING_PASSAGES", 8)  # that are sent, the best first

# The REST API and MCP
MCP_TOKEN = _secret("FUNDSTELLE_MCP_TOKEN")  # of the person for whom `manage.py mcp` answers, and for nothing else
API_CALLS_PER_MINUTE = _whole_number("FUNDSTELLE_API_CALLS_PER_MINUTE", 6_000)  # 100 a second, with one token and process
DATA_UPLOAD_MAX_MEMORY_SIZE = 4_000_000  # bytes of a request: as many anchors as are resolved at once, each with a long quote
FILE_UPLOAD_HANDLERS: list[str] = []  # no page takes files, but the one that brings a handler of its own
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},  # counters of calls, one for each token and minute
    }
}

# Languages: the browser's decides, a cookie from the switch overrides
LANGUAGE_CODE = "en"
LANGUAGES = [("de", "Deutsch"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "evidence.web.dates"
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = PRODUCTION
USE_TZ = True
TIME_ZONE = os.environ.get("FUNDSTELLE_TIME_ZONE", "Europe/Berlin")

# Static files: names carry the hash of their content, so that a browser may keep them for ever
STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_ALLOW_ALL_ORIGINS = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

# Sign-in
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "evidence.web.backends.OnlyAdministrators",
    "django.contrib.auth.backends.ModelBackend",
    "evidence.web.backends.FromProvider",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
AXES_FAILURE_LIMIT = 6  # a person who tries three old passwords twice still gets in
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # the name alone would let anybody lock a colleague out
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_VERBOSE = False
AXES_DISABLE_ACCESS_LOG = True
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "csrfmiddlewaretoken", "next"]  # `next` can hold a query

# People from an identity provider: OpenID Connect lets them sign in, SCIM lets it push people and groups. Without issuer: none
OIDC_ISSUER = os.environ.get("FUNDSTELLE_OIDC_ISSUER", "")
OIDC_CLIENT_ID = os.environ.get("FUNDSTELLE_OIDC_CLIENT_ID", "")
OIDC_CLIENT_SECRET = _secret("FUNDSTELLE_OIDC_CLIENT_SECRET")
OIDC_TENANT = os.environ.get("FUNDSTELLE_OIDC_TENANT", "")
OIDC_SCOPES = os.environ.get("FUNDSTELLE_OIDC_SCOPES", "openid profile").split()
OIDC_GROUPS_CLAIM = os.environ.get("FUNDSTELLE_OIDC_GROUPS_CLAIM", "groups")
OIDC_SUBJECT_CLAIM = os.environ.get("FUNDSTELLE_OIDC_SUBJECT_CLAIM", "sub")
OIDC_GROUPS_SLA = _duration("FUNDSTELLE_OIDC_GROUPS_SLA", "12h")
OIDC_CREATE_GROUPS = _flag("FUNDSTELLE_OIDC_CREATE_GROUPS")
OIDC_ONLY = _flag("FUNDSTELLE_OIDC_ONLY")
SCIM_TOKEN = _secret("FUNDSTELLE_SCIM_TOKEN")
SCIM_SUBJECT = os.environ.get("FUNDSTELLE_SCIM_SUBJECT", "externalId")
MCP_RESOURCE = os.environ.get("FUNDSTELLE_MCP_RESOURCE", "")  # for what the provider's tokens for assistants must be made
OIDC_CREATE_PEOPLE = _flag("FUNDSTELLE_OIDC_CREATE_PEOPLE", "0" if SCIM_TOKEN else "1")  # who pushes people knows them all

# Browser: nothing from elsewhere, nothing inline but the import map, nothing kept, no address given away
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "object-src": [NONE],
    }
}
SECURE_REFERRER_POLICY = "no-referrer"
X_FRAME_OPTIONS = "DENY"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"  # a cookie would keep messages in the browser
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "evidence.web.errors.forbidden"
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$"]  # asked from beside the process, without TLS; they say nothing of anybody
SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds()) if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = PRODUCTION
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SILENCED_SYSTEM_CHECKS = ["security.W021"]  # entering browsers' preload lists is for the owner of the domain to decide

LOGGING = logs.CONFIGURATION
if not DEBUG:
    DEFAULT_EXCEPTION_REPORTER = "evidence.logs.PrivateReporter"


def _refuse_unsafe_production() -> None:
    problems = []
    if DEBUG:
        problems.append("FUNDSTELLE_DEBUG must be off")
    if len(SECRET_KEY) < SHORTEST_SECRET_KEY or len(set(SECRET_KEY)) < 5 or "insecure" in SECRET_KEY:
        problems.append(f"FUNDSTELLE_SECRET_KEY must be a random text of at least {SHORTEST_SECRET_KEY} characters")
    if not ALLOWED_HOSTS or "*" in ALLOWED_HOSTS:
        problems.append("FUNDSTELLE_HOSTS must name the hosts to answer for, with commas between them")
    if problems:
        raise ImproperlyConfigured(f"Not started in production: {'; '.join(problems)}.")


def _may_be_an_issuer(address: str) -> bool:
    """https, as OpenID Connect Discovery 1.0 has it; http only to this machine, to try it out."""
    try:
        parts = urlsplit(address)
        loopback = parts.hostname in {"localhost", "127.0.0.1", "::1"} and not PRODUCTION
    except ValueError:
        return False
    whole = bool(parts.hostname) and "@" not in parts.netloc and not set("?#\\ ") & set(address) and address.isprintable()
    return whole and len(address) <= 300 and (parts.scheme == "https" or (parts.scheme == "http" and loopback))


def _refuse_half_an_identity_provider() -> None:
    needed = {
        "FUNDSTELLE_OIDC_ISSUER": OIDC_ISSUER,
        "FUNDSTELLE_OIDC_CLIENT_ID": OIDC_CLIENT_ID,
        "FUNDSTELLE_OIDC_CLIENT_SECRET": OIDC_CLIENT_SECRET,
        "FUNDSTELLE_OIDC_TENANT": OIDC_TENANT,
    }
    missing = [name for name, value in needed.items() if not value]
    problems = []
    if missing and (len(missing) < len(needed) or OIDC_ONLY or SCIM_TOKEN):
        problems.append(f"{' and '.join(missing)} must be set too")
    if OIDC_ISSUER and not _may_be_an_issuer(OIDC_ISSUER):
        problems.append("FUNDSTELLE_OIDC_ISSUER is an https address without a query")
    if "openid" not in OIDC_SCOPES:
        problems.append("FUNDSTELLE_OIDC_SCOPES must hold openid")
    if OIDC_SUBJECT_CLAIM not in {"sub", "oid"}:
        problems.append("FUNDSTELLE_OIDC_SUBJECT_CLAIM is sub or oid: others can be given to somebody else")
    if MCP_RESOURCE and not (OIDC_ISSUER and _may_be_an_issuer(MCP_RESOURCE) and urlsplit(MCP_RESOURCE).path == "/mcp"):
        problems.append("FUNDSTELLE_MCP_RESOURCE is the https address of /mcp here, and needs an identity provider")
    if not OIDC_GROUPS_CLAIM:
        problems.append("FUNDSTELLE_OIDC_GROUPS_CLAIM is the name of a claim")
    if SCIM_SUBJECT not in {"externalId", "userName"}:
        problems.append("FUNDSTELLE_SCIM_SUBJECT is externalId or userName")
    if SCIM_TOKEN and (len(SCIM_TOKEN) < SHORTEST_SCIM_TOKEN or not SCIM_TOKEN.isascii() or len(set(SCIM_TOKEN)) < 5):
        problems.append(f"FUNDSTELLE_SCIM_TOKEN must be a random text of at least {SHORTEST_SCIM_TOKEN} characters")
    if problems:
        raise ImproperlyConfigured(f"Not started with this identity provider: {'; '.join(problems)}.")


_refuse_half_an_identity_provider()
if PRODUCTION:
    _refuse_unsafe_production()
