"""The Django app: project and app at once."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.db.models.signals import post_migrate, pre_migrate

from evidence import checks
from evidence.management.command import CHECKED


class EvidenceConfig(AppConfig):
    """Fundstelle."""

    name = "evidence"
    verbose_name = "Fundstelle"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks, and what migrations need."""
        register(checks.data_folder_is_ours, Tags.files, CHECKED)
        register(checks.data_folder_is_private, Tags.security, deploy=True)
        register(checks.database_is_usable, Tags.database)
        register(checks.restore_is_finished, Tags.files, CHECKED)
        register(checks.alarm_webhook_can_be_called, CHECKED)
        register(checks.answering_can_be_asked, CHECKED)
        pre_migrate.connect(checks.lift_limits, sender=self)
        post_migrate.connect(checks.restore_limits, sender=self)
