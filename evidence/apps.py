"""The Django app: project and app at once."""

from django.apps import AppConfig
from django.core.checks import Tags, register

from evidence import checks


class EvidenceConfig(AppConfig):
    """Fundstelle."""

    name = "evidence"
    verbose_name = "Fundstelle"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        register(checks.data_folder_is_ours, Tags.files)
        register(checks.data_folder_is_private, Tags.security, deploy=True)
