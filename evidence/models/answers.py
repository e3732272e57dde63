"""Answers of other systems that somebody had checked here: sentences and what they cite, as they were given."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from evidence.models.evidence import Document, Tenant


class Answer(models.Model):
    """An answer as it was given. Only the person who had it checked reads it, with that person's rights of now, until it expires.

    question, model: as they were told, may be empty. sentences: values of evidence.answers.Sentence. states: state of each
    sentence when it was last checked on purpose, so that a later reading can say what has changed since. documents: whose words
    it may hold; with the first of them that is purged it goes as a whole.
    """

    class Origin(models.TextChoices):
        """Where its words come from."""

        SUBMITTED = "submitted", _("submitted by a program or a person")
        GENERATED = "generated", _("written by the configured model")

    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="answers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    checked_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.SUBMITTED)
    question = models.CharField(max_length=500, blank=True)
    model = models.CharField(max_length=100, blank=True)
    sentences = models.JSONField(default=list)
    states = models.JSONField(default=list)
    documents = models.ManyToManyField(Document, related_name="answers")

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["user", "tenant", "-at"], name="answer_own")]
        constraints = [
            models.CheckConstraint(condition=models.Q(origin__in=["submitted", "generated"]), name="answer_origin_known")
        ]

    def __str__(self) -> str:
        return str(self.public_id)
