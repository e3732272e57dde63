"""The curated layer: spaces of knowledge, what stands in them, every state it has had, what is proposed, and what contradicts.

Nothing here is changed in place but for the head of an entry: a proposal that a reviewer approves makes a new revision.
"""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from evidence.access import Access
from evidence.models.evidence import Citation, Document, Group, Tenant


class SpaceQuerySet(models.QuerySet["Space"]):
    """Questions about many spaces."""

    def readable(self, access: Access) -> SpaceQuerySet:
        """Those of the tenant that are open to all its members, or to a group that this person is in."""
        through = Space.allowed.through.objects.filter(space=models.OuterRef("pk"))
        mine = through.filter(group__in=access.groups)
        return self.filter(~models.Exists(through) | models.Exists(mine), tenant=access.tenant)


class Space(models.Model):
    """A part of the curated layer that people look after together, such as an engineering handbook.

    allowed: groups whose members may read it; none: every member of the tenant. What stands in it and cites a document is read
    only by those who may read that document too.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE, verbose_name=_("tenant"), related_name="spaces")
    slug = models.SlugField(_("short name"), max_length=60)
    title = models.CharField(_("title"), max_length=200)
    text = models.TextField(_("what it is for"), max_length=2000, blank=True)
    allowed = models.ManyToManyField(Group, verbose_name=_("readable by"), blank=True, related_name="spaces")
    created_at = models.DateTimeField(default=timezone.now)

    RESERVED: ClassVar = frozenset({"affected", "entries", "proposals", "review", "use"})
    """Short names that no space can have: addresses of other pages below /knowledge/ begin with them."""

    objects = SpaceQuerySet.as_manager()

    class Meta:
        verbose_name = _("space of knowledge")
        verbose_name_plural = _("spaces of knowledge")
        ordering = ["title", "id"]
        constraints = [models.UniqueConstraint(fields=["tenant", "slug"], name="space_once_per_tenant")]

    def __str__(self) -> str:
        return self.slug

    def clean(self) -> None:
        """Refuse a short name that other pages have."""
        if self.slug in self.RESERVED:
            raise ValidationError({"slug": _("Another page has this address. Choose another short name.")})


class Entry(models.Model):
    """The head of a concept, claim, decision or translation: which revision counts, and what it is looked up by.

    slug: of concepts and decisions, once per space and kind, else empty. concept: what a claim is about. number: of the revision
    that counts, 0 before the first is approved. subject, property, value: keys of a claim as evidence.knowledge compares them,
    empty where it says none. title: of a concept or decision; terms: what people search for a concept by, as keys.
    "Disputed" is no state of a row: whether something contradicts depends on what the reader may read.
    """

    class Kind(models.TextChoices):
        """What it is."""

        CONCEPT = "concept", _("concept")
        CLAIM = "claim", _("claim")
        DECISION = "decision", _("decision")
        TRANSLATION = "translation", _("translation")

    class State(models.TextChoices):
        """How far it is. One that was rejected or removed is listed nowhere."""

        PROPOSED = "proposed", _("proposed")
        ACCEPTED = "accepted", _("accepted")
        DEPRECATED = "deprecated", _("deprecated")
        REJECTED = "rejected", _("rejected")

    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="entries")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PROPOSED)
    slug = models.SlugField(max_length=100, blank=True)
    concept = models.ForeignKey("self", models.CASCADE, null=True, related_name="claims")
    number = models.PositiveIntegerField(default=0)
    title = models.CharField(max_length=300, blank=True)
    terms = models.JSONField(default=list)
    subject = models.CharField(max_length=200, blank=True)
    property = models.CharField(max_length=200, blank=True)
    value = models.CharField(max_length=300, blank=True)
    valid_from = models.DateField(null=True)
    valid_until = models.DateField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["title", "id"]
        indexes = [
            models.Index(fields=["space", "kind", "state"], name="entry_list"),
            models.Index(fields=["space", "subject", "property"], name="entry_matter"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["space", "kind", "slug"],
                condition=~models.Q(slug="") & ~models.Q(state="rejected"),
                name="entry_slug_once",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=["concept", "claim", "decision", "translation"]), name="entry_kind_known"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["proposed", "accepted", "deprecated", "rejected"]), name="entry_state_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"


class Proposal(models.Model):
    """What somebody wants an entry to be, and why; a reviewer decides. Nothing comes into an entry but through one.

    content: the whole of what it shall be, as evidence.knowledge writes it. base: revision that it was written against; when
    another one counts by then, it can't be approved. origin: by which way it came.
    """

    class Action(models.TextChoices):
        """What becomes of the entry."""

        CREATE = "create", _("new")
        CHANGE = "change", _("change")
        DEPRECATE = "deprecate", _("no longer valid")
        RESTORE = "restore", _("valid again")

    class State(models.TextChoices):
        """How far a reviewer is with it."""

        OPEN = "open", _("open")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")
        WITHDRAWN = "withdrawn", _("withdrawn")

    class Origin(models.TextChoices):
        """By which way it came."""

        WEB = "web", _("on a page")
        IMPORT = "import", _("from a folder")

    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="proposals")
    action = models.CharField(max_length=10, choices=Action.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    content = models.JSONField(default=dict)
    citations = models.ManyToManyField(Citation, related_name="+")
    base = models.PositiveIntegerField(default=0)
    why = models.CharField(max_length=1000, blank=True)
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.WEB)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    note = models.CharField(max_length=1000, blank=True, help_text="what the reviewer says of it")

    class Meta:
        ordering = ["at", "id"]
        indexes = [models.Index(fields=["entry", "state"], name="proposal_open")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=["open", "approved", "rejected", "withdrawn"]), name="proposal_state_known"
            )
        ]

    def __str__(self) -> str:
        return str(self.public_id)


class EntryRevision(models.Model):
    """One state that an entry has had: who wrote it, who approved it, when, why, and from which proposal. Immutable, but that the
    words of a claim or translation go with a document that it cites.

    content: as in a proposal. Citations are in `content` in their order, and here for looking them up.
    """

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=Entry.State.choices)
    content = models.JSONField(default=dict)
    citations = models.ManyToManyField(Citation, related_name="entry_revisions")
    proposal = models.OneToOneField(Proposal, models.PROTECT, related_name="revision")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    why = models.CharField(max_length=1000, blank=True)

    class Meta:
        ordering = ["entry", "-number"]
        constraints = [models.UniqueConstraint(fields=["entry", "number"], name="entry_revision_once")]

    def __str__(self) -> str:
        return f"{self.entry_id} revision {self.number}"


class Conflict(models.Model):
    """Two documents that a person marked as contradicting each other, each with the passage that does, where one was named.

    Shown to those who may read both. matter: what they contradict each other about. settlement: how that ended; nothing decides
    it by itself.
    """

    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="conflicts")
    left_document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    right_document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    left = models.ForeignKey(Citation, models.SET_NULL, null=True, related_name="+")
    right = models.ForeignKey(Citation, models.SET_NULL, null=True, related_name="+")
    matter = models.CharField(max_length=200)
    note = models.CharField(max_length=1000, blank=True)
    marked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    marked_at = models.DateTimeField(default=timezone.now)
    settled_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    settled_at = models.DateTimeField(null=True)
    settlement = models.CharField(max_length=1000, blank=True)

    class Meta:
        ordering = ["-marked_at", "-id"]
        indexes = [models.Index(fields=["tenant", "settled_at"], name="conflict_list")]

    def __str__(self) -> str:
        return str(self.public_id)
