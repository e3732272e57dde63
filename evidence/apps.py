"""The Django app: project and app at once."""

from django.apps import AppConfig


class EvidenceConfig(AppConfig):
    """Fundstelle."""

    name = "evidence"
    verbose_name = "Fundstelle"
    default_auto_field = "django.db.models.BigAutoField"
