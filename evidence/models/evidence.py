"""Every table. Fields, constraints and methods about one row; questions about many rows are QuerySet methods.

Precious: Revision, Representation and Passage, rights, AuditEvent. The index beside this database can be rebuilt from it.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final, Self

from django.conf import settings
from django.db import connections, models
from django.db.models.expressions import RawSQL
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from evidence.access import Access
from evidence.anchoring import Anchor, Parser, TextState
from evidence.content import PassageKind, Searched, searched
from evidence.profile import normalise

DEFAULT_REVOCATION_SLA = timedelta(hours=24)
"""How long confirmed rights count when a source names nothing else: one missed nightly run closes it."""
DEFAULT_PURGE_AFTER = timedelta(days=7)
"""How long what left its source can come back as it was: a folder that was moved by mistake is put back within a week."""
DEFAULT_MISSING_SHARE = 0.5
"""A run that misses more than this share of what was known is taken for a fault of the source, not for a removal."""
LONGEST_TITLE_KEY = 600
"""Characters, which an index of PostgreSQL still takes (2,704 bytes)."""


class Tenant(models.Model):
    """The outer wall ("Bereich"): nothing crosses it."""

    slug = models.SlugField(_("short name"), unique=True)
    name = models.CharField(_("name"), max_length=200)
    contact = models.CharField(_("contact"), max_length=200, blank=True, help_text=_("Whom people ask when they find nothing."))
    trace_searches = models.BooleanField(
        _("trace searches"),
        default=False,
        help_text=_("Keep which classes were searched and which passages were shown: ids only."),
    )
    diagnosis_until = models.DateTimeField(null=True, blank=True, help_text="until then, traces keep the words of questions too")

    class Meta:
        verbose_name = _("tenant")
        verbose_name_plural = _("tenants")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


DRILL: Final = "revocation-drill-"
"""What the names of the person, the group and the document of a revocation drill begin with; they are there for seconds."""


class GroupQuerySet(models.QuerySet["Group"]):
    """Questions about many groups."""

    def lasting(self) -> Self:
        """Those that rights can be given to: not the one that a revocation drill has just made for itself."""
        return self.exclude(name__startswith=DRILL)


class Group(models.Model):
    """Who people are, inside one tenant.

    issuer, external_id: the identity provider that says who is in it, and its id there; both empty for a group that is kept here.
    """

    tenant = models.ForeignKey(Tenant, models.CASCADE, verbose_name=_("tenant"), related_name="groups")
    name = models.CharField(_("name"), max_length=100)
    issuer = models.CharField(_("issuer"), max_length=300, blank=True)
    external_id = models.CharField(_("id at the issuer"), max_length=300, blank=True)

    objects = GroupQuerySet.as_manager()

    class Meta:
        verbose_name = _("group")
        verbose_name_plural = _("groups")
        ordering = ["tenant", "name"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "name"], name="group_once_per_tenant"),
            models.UniqueConstraint(
                fields=["tenant", "issuer", "external_id"], condition=~models.Q(issuer=""), name="group_once_per_issuer"
            ),
            models.CheckConstraint(
                condition=models.Q(issuer="", external_id="") | (~models.Q(issuer="") & ~models.Q(external_id="")),
                name="group_issuer_with_id",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tenant.slug}/{self.name}"


class Role(models.TextChoices):
    """What a person may do beside reading."""

    READER = "reader", _("reader")
    EDITOR = "editor", _("editor")
    CURATOR = "curator", _("curator")
    REVIEWER = "reviewer", _("reviewer")
    ADMINISTRATOR = "administrator", _("administrator")


class Membership(models.Model):
    """A user in a tenant, with groups and a role. An inactive one reads nothing."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, verbose_name=_("person"), related_name="memberships")
    tenant = models.ForeignKey(Tenant, models.CASCADE, verbose_name=_("tenant"), related_name="memberships")
    role = models.CharField(_("role"), max_length=20, choices=Role.choices, default=Role.READER)
    active = models.BooleanField(_("active"), default=True)
    groups = models.ManyToManyField(Group, verbose_name=_("groups"), blank=True, related_name="memberships")

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        ordering = ["tenant", "user"]
        constraints = [
            models.UniqueConstraint(fields=["user", "tenant"], name="membership_once_per_tenant"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} @ {self.tenant.slug}"


class Identity(models.Model):
    """Who a person is at an identity provider: known by issuer and subject, never by a name that is shown.

    groups_at: when the provider last said in which groups the person is; older than allowed, they do not count. groups_problem:
    why it did not say it at the last sign-in. signed_out_at: sessions that began before have ended.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, verbose_name=_("person"), related_name="identities")
    issuer = models.CharField(_("issuer"), max_length=300)
    subject = models.CharField(_("id at the issuer"), max_length=300)
    groups_at = models.DateTimeField(_("groups confirmed"), null=True, blank=True)
    groups_problem = models.CharField(_("why groups are unknown"), max_length=20, blank=True)
    signed_out_at = models.DateTimeField(_("signed out"), null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("identity")
        verbose_name_plural = _("identities")
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="identity_once")]

    def __str__(self) -> str:
        return f"identity {self.pk}"


class Provider(models.Model):
    """An identity provider that pushes people and groups by SCIM, and when it was last heard: what it pushed counts so long."""

    issuer = models.CharField(_("issuer"), max_length=300, unique=True)
    heard_at = models.DateTimeField(_("last heard"))

    class Meta:
        verbose_name = _("identity provider")
        verbose_name_plural = _("identity providers")

    def __str__(self) -> str:
        return f"provider {self.pk}"


class Provisioned(models.Model):
    """A person or a group as an identity provider pushes it by SCIM: what it is to be called, and what it is here.

    name: userName or displayName; key: a person's name as it is compared, for no two may have the same. details: further names,
    to be shown only. refused_at: since when a change of it has been refused, so that what is known of it may be out of date.
    """

    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="provisioned")
    issuer = models.CharField(max_length=300)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="provisioned")
    group = models.OneToOneField(Group, models.CASCADE, null=True, related_name="provisioned")
    external_id = models.CharField(max_length=300, blank=True)
    name = models.CharField(max_length=300)
    key = models.CharField(max_length=600, blank=True)
    active = models.BooleanField(default=True)
    details = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    refused_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) ^ models.Q(group__isnull=True), name="provisioned_person_or_group"
            ),
            models.UniqueConstraint(fields=["tenant", "issuer", "user"], name="provisioned_person_once"),
            models.UniqueConstraint(
                fields=["tenant", "issuer", "key"], condition=models.Q(group=None), name="provisioned_name_once"
            ),
            models.UniqueConstraint(
                fields=["tenant", "issuer", "external_id"],
                condition=models.Q(group=None) & ~models.Q(external_id=""),
                name="provisioned_external_id_once",
            ),
        ]

    def __str__(self) -> str:
        return str(self.public_id)


class SourceKind(models.TextChoices):
    """Where documents come from, and so where their rights are kept."""

    LOCAL = "local", _("kept here")
    FOLDER = "folder", _("folder")
    GIT = "git", _("git repository")
    PUSH = "push", _("pushed by another system")


class Closed(models.TextChoices):
    """Why a source is closed until somebody opens it again."""

    ADMINISTRATOR = "administrator", _("closed by an administrator")
    RESTORED = "restored", _("restored from a backup; its rights have not been confirmed since")
    BOTH = "both", _("closed by an administrator, and restored from a backup since")


RESTORED: Final = (Closed.RESTORED, Closed.BOTH)
"""Whether somebody has closed it or not: what it holds is as old as a backup."""


class Source(models.Model):
    """Where documents come from, with its own revocation SLA."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, verbose_name=_("tenant"), related_name="sources")
    name = models.SlugField(_("short name"))
    title = models.CharField(_("title"), max_length=200)
    kind = models.CharField(_("kind"), max_length=20, choices=SourceKind.choices, default=SourceKind.FOLDER)
    location = models.CharField(
        _("location"), max_length=1000, blank=True, help_text=_("A folder or an address. Without any password: see the README.")
    )
    rules_location = models.CharField(
        _("rules file"), max_length=1000, blank=True, help_text=_("Empty: fundstelle.toml beside the documents.")
    )
    contact = models.CharField(_("contact"), max_length=200, blank=True)
    sensitive = models.BooleanField(
        _("sensitive"), default=False, help_text=_("The source is asked again whenever somebody searches or reads.")
    )
    ask_url = models.CharField(
        _("address to ask"), max_length=1000, blank=True, help_text=_("Of a sensitive source that is pushed: who answers.")
    )
    sync_every = models.DurationField(
        _("synchronised every"), null=True, blank=True, help_text=_("Empty: only when somebody asks for it.")
    )
    next_sync_at = models.DateTimeField(_("next synchronisation"), null=True, blank=True)
    watched = models.BooleanField(_("watched"), default=False, help_text=_("A changed file of a local folder starts a run."))
    max_missing_share = models.FloatField(
        _("largest missing share"),
        default=DEFAULT_MISSING_SHARE,
        help_text=_("A listing that misses more of what was known withdraws nothing and closes the source. 0 to 1."),
    )
    purge_after = models.DurationField(
        _("removed after"),
        default=DEFAULT_PURGE_AFTER,
        help_text=_("How long what left the source is kept, invisible, in case that it comes back."),
    )
    revocation_sla = models.DurationField(
        _("revocation SLA"),
        default=DEFAULT_REVOCATION_SLA,
        help_text=_("How old confirmed rights may be before the source closes."),
    )
    rights_confirmed_at = models.DateTimeField(_("rights confirmed"), null=True, blank=True)
    rights_stamp = models.CharField(max_length=200, blank=True, help_text="names what stated the rights that were confirmed last")
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True)
    closed_because = models.CharField(_("closed because"), max_length=20, blank=True, choices=Closed.choices)
    announced_to = models.ManyToManyField(
        Group,
        verbose_name=_("announced to"),
        blank=True,
        related_name="announced_sources",
        help_text=_("Members of these groups are told while the source is withheld."),
    )

    class Meta:
        verbose_name = _("source")
        verbose_name_plural = _("sources")
        ordering = ["tenant", "name"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "name"], name="source_once_per_tenant"),
            models.CheckConstraint(condition=models.Q(kind__in=SourceKind.values), name="source_kind_known"),
            models.CheckConstraint(condition=models.Q(closed_because__in=["", *Closed.values]), name="source_closed_known"),
            models.CheckConstraint(
                condition=models.Q(max_missing_share__gte=0, max_missing_share__lte=1), name="source_missing_share_is_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tenant.slug}/{self.name}"

    def once_believed(self) -> dict[str, Any]:
        """How it is closed when what a backup says of it is confirmed: not any more, unless somebody had closed it by hand."""
        if self.closed_because == Closed.BOTH:
            return {"closed_because": Closed.ADMINISTRATOR}
        return {"closed_at": None, "closed_because": ""}


class AccessClass(models.Model):
    """A distinct effective right in one source. One without rules is read by nobody."""

    source = models.ForeignKey(Source, models.CASCADE, related_name="access_classes")
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "digest"], name="access_class_once_per_source")]

    def __str__(self) -> str:
        return f"class {self.pk}"


class Effect(models.TextChoices):
    """What a rule does for its principal; a denial wins."""

    ALLOW = "allow", _("may read")
    DENY = "deny", _("may not read")


class AccessRule(models.Model):
    """One principal (a group or a user) in an access class.

    A principal that rights name can't be deleted: a denial that vanished with its group would open what it closed.
    """

    access_class = models.ForeignKey(AccessClass, models.CASCADE, related_name="rules")
    effect = models.CharField(max_length=5, choices=Effect.choices)
    group = models.ForeignKey(Group, models.PROTECT, null=True, related_name="access_rules")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="access_rules")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(effect__in=Effect.values), name="access_rule_effect_known"),
            models.CheckConstraint(
                condition=models.Q(group__isnull=True) ^ models.Q(user__isnull=True), name="access_rule_one_principal"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.effect} {self.group or self.user}"


class Status(models.TextChoices):
    """Editorial status, as the source states it."""

    DRAFT = "draft", _("draft")
    VALID = "valid", _("in force")
    EXPIRED = "expired", _("expired")


class DocumentQuerySet(models.QuerySet["Document"]):
    """Questions about many documents."""

    def readable(self, access: Access) -> Self:
        """Documents that this Access may read now, withdrawn and empty ones left out."""
        return self.filter(access_class__in=id_list(access.classes, using=self.db), withdrawn_at=None, current__isnull=False)


class Document(models.Model):
    """One thing with a stable id inside its source."""

    source = models.ForeignKey(Source, models.CASCADE, related_name="documents")
    access_class = models.ForeignKey(AccessClass, models.PROTECT, related_name="documents")
    external_id = models.CharField(max_length=200)
    public_id = models.UUIDField(unique=True, editable=False)
    title = models.CharField(max_length=500)
    title_key = models.CharField(max_length=LONGEST_TITLE_KEY, help_text="title_key_for(title): what a search by title compares")
    owner = models.CharField(max_length=200, blank=True)
    origin = models.CharField(max_length=1000, blank=True)
    language = models.CharField(max_length=20, blank=True)
    kind = models.CharField(max_length=50, blank=True)
    status = models.CharField(max_length=20, choices=Status.choices, default=Status.VALID)
    valid_from = models.DateField(null=True)
    valid_until = models.DateField(null=True)
    sensitivity = models.CharField(max_length=50, blank=True)
    rights_problem = models.CharField(max_length=300, blank=True)
    rights_as_of = models.DateTimeField(null=True, help_text="when a pushing system read these rights, where it said so")
    current = models.ForeignKey("Representation", models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "external_id"], name="document_once_per_source"),
            models.CheckConstraint(condition=models.Q(status__in=Status.values), name="document_status_known"),
        ]
        indexes = [
            models.Index(fields=["title_key"], name="document_title_key"),
            models.Index(fields=["kind"], name="document_kind"),
        ]

    def __str__(self) -> str:
        return str(self.public_id)

    @staticmethod
    def title_key_for(title: str) -> str:
        """NFC and lower case: SQLite itself knows upper and lower case of ASCII only. Both can make a text longer."""
        return normalise(title).lower()[:LONGEST_TITLE_KEY]

    def is_expired(self) -> bool:
        """Whether its own status or the end of its validity says that it no longer holds today."""
        ended = self.valid_until is not None and self.valid_until < timezone.localdate()
        return self.status == Status.EXPIRED or ended

    def is_upcoming(self) -> bool:
        """Whether its validity has not begun today."""
        return self.valid_from is not None and self.valid_from > timezone.localdate()


class Revision(models.Model):
    """One state of a document: a version label and the exact source bytes. Immutable."""

    document = models.ForeignKey(Document, models.CASCADE, related_name="revisions")
    label = models.CharField(max_length=100)
    dated = models.DateField(null=True)
    source_sha256 = models.CharField(max_length=64)
    stamp = models.CharField(max_length=200, blank=True, help_text="sources.Item.stamp: the same one means the same bytes")
    size = models.BigIntegerField()
    media_type = models.CharField(max_length=100)
    path = models.CharField(max_length=1000, blank=True)
    origin_state = models.CharField(
        max_length=100, blank=True, help_text="what the source calls this state: a commit, for example"
    )
    password = models.CharField(max_length=200, blank=True, help_text="what opens the file; pictures of its pages need it")
    imported_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["document", "id"]
        constraints = [models.UniqueConstraint(fields=["document", "label", "source_sha256"], name="revision_once_per_document")]

    def __str__(self) -> str:
        return self.label


class Retired(models.Model):
    """A state of a document that was removed because it got too old: what its source lists of it is not taken in again."""

    document = models.ForeignKey(Document, models.CASCADE, related_name="retired")
    label = models.CharField(max_length=100)
    stamp = models.CharField(max_length=200, blank=True)
    source_sha256 = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "label", "source_sha256"], name="retired_once_per_document")]

    def __str__(self) -> str:
        return f"retired state {self.pk}"


class Representation(models.Model):
    """Text extracted from one revision by one parser under one profile. Immutable; its text is its passages, joined."""

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="representations")
    public_id = models.UUIDField(unique=True, editable=False)
    parser_name = models.CharField(max_length=50)
    parser_version = models.CharField(max_length=200)
    parser_configuration = models.CharField(max_length=400, blank=True)
    profile = models.CharField(max_length=100)
    text_sha256 = models.CharField(max_length=64)
    title = models.CharField(max_length=500, blank=True, help_text="the title that the file gives itself")
    length = models.PositiveIntegerField()
    passage_count = models.PositiveIntegerField()
    notes = models.JSONField(default=list, help_text="values of content.Note")
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return str(self.public_id)


class Passage(models.Model):
    """A numbered range of a representation with its text.

    `text` runs to the start of the next passage: the passage's own words (`quote`) and the line feeds after them.
    `spans` holds [kind, start, end, value] with code points of the representation; `headings` and `columns` are numbers of
    other passages of the same representation.
    """

    representation = models.ForeignKey(Representation, models.CASCADE, related_name="passages")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=[(kind.value, kind.value) for kind in PassageKind])
    level = models.PositiveSmallIntegerField(default=0)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.TextField()
    headings = models.JSONField(default=list)
    columns = models.PositiveIntegerField(null=True)
    spans = models.JSONField(default=list)

    class Meta:
        ordering = ["representation", "number"]
        constraints = [models.UniqueConstraint(fields=["representation", "number"], name="passage_number_once")]

    def __str__(self) -> str:
        return f"{self.representation_id}:{self.number}"

    @property
    def quote(self) -> str:
        """The passage, word for word, without the separator after it."""
        return self.text[: self.end - self.start]

    @property
    def searched(self) -> Searched:
        """The passage as searching sees it."""
        return searched(self.quote, self.spans, self.start)


class Page(models.Model):
    """One page of a representation: number (from 1), printed label, its range of code points, and where each of them stands.

    width and height in points as the page is looked at, 0 without a picture of it. boxes: evidence.boxes.
    """

    representation = models.ForeignKey(Representation, models.CASCADE, related_name="pages")
    number = models.PositiveIntegerField()
    label = models.CharField(max_length=50, blank=True)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    width = models.FloatField()
    height = models.FloatField()
    boxes = models.BinaryField()

    class Meta:
        ordering = ["representation", "number"]
        constraints = [models.UniqueConstraint(fields=["representation", "number"], name="page_number_once")]

    def __str__(self) -> str:
        return f"{self.representation_id} page {self.number}"


class Citation(models.Model):
    """A stored anchor. Immutable but for `purge`: with its document go quote and context, and the id stays as a tombstone.

    document_id_public and the fields after it are the anchor as it was made; the row it points to may change or go.
    """

    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="citations")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="citations")
    created_at = models.DateTimeField(default=timezone.now)
    document = models.ForeignKey(Document, models.SET_NULL, null=True, related_name="citations")
    document_public_id = models.UUIDField()
    revision = models.CharField(max_length=100)
    representation = models.UUIDField()
    source_sha256 = models.CharField(max_length=64)
    parser_name = models.CharField(max_length=50)
    parser_version = models.CharField(max_length=200)
    parser_configuration = models.CharField(max_length=400, blank=True)
    profile = models.CharField(max_length=100)
    text_sha256 = models.CharField(max_length=64)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    exact = models.TextField()
    prefix = models.CharField(max_length=200, blank=True)
    suffix = models.CharField(max_length=200, blank=True)
    supersedes = models.OneToOneField("self", models.PROTECT, null=True, related_name="superseded_by")

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["author", "tenant", "-created_at"], name="citation_author")]

    def __str__(self) -> str:
        return str(self.public_id)

    @classmethod
    def of(cls, anchor: Anchor, **fields: Any) -> Self:
        """A new row that holds this anchor."""
        cited = anchor.state
        return cls(
            document_public_id=uuid.UUID(cited.document),
            revision=cited.revision,
            representation=uuid.UUID(cited.representation),
            source_sha256=cited.source_sha256,
            parser_name=cited.parser.name,
            parser_version=cited.parser.version,
            parser_configuration=cited.parser.configuration,
            profile=cited.profile,
            text_sha256=cited.text_sha256,
            start=anchor.start,
            end=anchor.end,
            exact=anchor.exact,
            prefix=anchor.prefix,
            suffix=anchor.suffix,
            **fields,
        )

    @property
    def anchor(self) -> Anchor:
        """The anchor as it was made; without words after a purge."""
        return Anchor(
            state=TextState(
                document=str(self.document_public_id),
                revision=self.revision,
                representation=str(self.representation),
                source_sha256=self.source_sha256,
                parser=Parser(self.parser_name, self.parser_version, self.parser_configuration),
                profile=self.profile,
                text_sha256=self.text_sha256,
            ),
            start=self.start,
            end=self.end,
            exact=self.exact,
            prefix=self.prefix,
            suffix=self.suffix,
        )


class UploadQuerySet(models.QuerySet["Upload"]):
    """Questions about many uploads."""

    def waiting(self) -> Self:
        """Not published yet: only the person who brought them knows of them."""
        return self.filter(document=None)

    def digests(self) -> set[str]:
        """Of the bytes and texts that are kept for these."""
        return {digest for pair in self.values_list("sha256", "content") for digest in pair if digest}


class Upload(models.Model):
    """A file that a person brought; with `document`, what it was published as.

    content: digest of what was read from it (see evidence.uploads), empty until that is done and after publishing.
    problem: code, message and values of what was refused when it was read. replaces: the document that the person wants to
    give a new version. publishing_at: when somebody began to publish it, who owns it then. user: None once that person's account
    is deleted; the file then goes when its time is over.
    """

    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, models.CASCADE, verbose_name=_("tenant"), related_name="uploads")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, verbose_name=_("person"), related_name="uploads"
    )
    name = models.CharField(max_length=255, help_text="the file's name: shown, never a path")
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField(_("bytes"))
    encoding = models.CharField(max_length=40, blank=True)
    password = models.CharField(max_length=200, blank=True)
    content = models.CharField(max_length=64, blank=True)
    parser = models.CharField(max_length=660, blank=True, help_text="what read it")
    title = models.CharField(max_length=500, blank=True, help_text="the title that the file gives itself")
    length = models.PositiveIntegerField(default=0)
    passage_count = models.PositiveIntegerField(default=0)
    page_count = models.PositiveIntegerField(default=0)
    notes = models.JSONField(default=list, help_text="values of content.Note")
    problem = models.JSONField(default=dict)
    replaces = models.ForeignKey(Document, models.SET_NULL, null=True, related_name="+")
    document = models.ForeignKey(Document, models.CASCADE, null=True, related_name="uploads")
    created_at = models.DateTimeField(_("brought"), default=timezone.now)
    kept_until = models.DateTimeField(_("kept until"))
    publishing_at = models.DateTimeField(null=True)
    published_at = models.DateTimeField(_("published"), null=True)

    objects = UploadQuerySet.as_manager()

    class Meta:
        verbose_name = _("upload")
        verbose_name_plural = _("uploads")
        ordering = ["created_at", "id"]
        indexes = [models.Index(fields=["user", "tenant", "document"], name="upload_owner")]

    def __str__(self) -> str:
        return str(self.public_id)


class Scope(models.TextChoices):
    """What a token lets a program do. The person's rights bound all of it."""

    READ = "read", _("search, read and check")
    CITE = "cite", _("make citations")
    PUSH = "push", _("bring the documents and rights of one source")


PERSONAL_SCOPES = (Scope.READ, Scope.CITE)
"""What people let programs do for them."""


class TokenQuerySet(models.QuerySet["Token"]):
    """Questions about many tokens."""

    def valid(self, now: datetime) -> Self:
        """Neither revoked nor expired."""
        return self.filter(revoked_at=None, expires_at__gt=now)


class Token(models.Model):
    """What lets a program act for one person in one tenant, or (`push`) for one source, whoever made it. Of the secret only
    SHA-256 and the first characters are kept.

    The secret is 256 random bits, so that nobody finds it by trying, and a fast hash is enough.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, verbose_name=_("person"), related_name="tokens")
    tenant = models.ForeignKey(Tenant, models.CASCADE, verbose_name=_("tenant"), related_name="tokens")
    name = models.CharField(_("name"), max_length=100)
    prefix = models.CharField(_("begins with"), max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.CharField(_("may"), max_length=20, help_text="values of Scope with a blank between them")
    source = models.ForeignKey(Source, models.CASCADE, verbose_name=_("source"), null=True, related_name="tokens")
    created_at = models.DateTimeField(_("made"), default=timezone.now)
    expires_at = models.DateTimeField(_("valid until"))
    last_used_at = models.DateTimeField(_("last used"), null=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        verbose_name = _("token")
        verbose_name_plural = _("tokens")
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(scopes__in=["read", "cite", "read cite", "push"]), name="token_scopes_known"
            ),
            models.CheckConstraint(
                condition=models.Q(scopes="push", source__isnull=False) | (~models.Q(scopes="push") & models.Q(source=None)),
                name="token_pushes_to_one_source",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.prefix}…"

    @staticmethod
    def digest_of(secret: str) -> str:
        """What is kept of a secret, and looked up by: equal digests tell nothing about how far two secrets agree."""
        return hashlib.sha256(secret.encode()).hexdigest()

    def scope_set(self) -> frozenset[str]:
        """The values of Scope that it has."""
        return frozenset(self.scopes.split())

    def scope_labels(self) -> list[str]:
        """What it may do, in words."""
        return [str(Scope(value).label) for value in self.scopes.split()]

    def is_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires_at <= timezone.now()


class Job(models.Model):
    """One piece of work that must still happen. Several may wait for one key; doing it once more changes nothing."""

    kind = models.CharField(max_length=20)
    key = models.BigIntegerField()
    created_at = models.DateTimeField(default=timezone.now)
    not_before = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=200, blank=True)

    class Meta:
        indexes = [models.Index(fields=["kind", "id"], name="job_kind")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class Run(models.Model):
    """One run of a source: what it saw and did. Paths and codes, no text.

    total, done: items, while it goes on. error: code of what ended it. sample: what was read back afterwards (see
    evidence.sampling).
    """

    class Outcome(models.TextChoices):
        """How a run ended; one that was killed stays `running`."""

        RUNNING = "running", _("running")
        COMPLETE = "complete", _("complete")
        INCOMPLETE = "incomplete", _("incomplete")
        FAILED = "failed", _("failed")

    source = models.ForeignKey(Source, models.CASCADE, related_name="runs")
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.RUNNING)
    counts = models.JSONField(default=dict)
    problems = models.JSONField(default=list)
    total = models.PositiveIntegerField(null=True)
    done = models.PositiveIntegerField(default=0)
    seen_at = models.DateTimeField(default=timezone.now, help_text="when it last said how far it is")
    error = models.CharField(max_length=100, blank=True)
    sample = models.JSONField(default=dict)

    class Meta:
        ordering = ["-started_at"]
        indexes = [models.Index(fields=["source", "outcome", "-started_at"], name="run_latest")]

    def __str__(self) -> str:
        return f"{self.source} {self.started_at:%Y-%m-%d %H:%M}"


class Revocation(models.Model):
    """Rights that were taken away, and how long that took: one row for each run, push or drill that did it.

    at_origin: when it happened there, where the origin says so. documents: how many it concerned.
    """

    source = models.ForeignKey(Source, models.CASCADE, related_name="revocations")
    at_origin = models.DateTimeField(null=True)
    in_effect_at = models.DateTimeField(default=timezone.now)
    documents = models.PositiveIntegerField()
    drill = models.BooleanField(default=False)

    class Meta:
        ordering = ["-in_effect_at", "-id"]

    def __str__(self) -> str:
        return f"revocation {self.pk}"


class Receipt(models.Model):
    """What shows that a document was removed: times, counts, and a search for what is left of it. Ids and numbers, no content.

    invisible_at: the withdrawal that it belongs to; a document that comes back takes its open receipt away. due_at: when removing
    begins. counts: kind of thing -> how many were removed. traces: place -> how many were found there afterwards, null where it
    can't be searched.
    """

    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="receipts")
    source = models.ForeignKey(Source, models.SET_NULL, null=True, related_name="receipts")
    document = models.UUIDField(db_index=True, help_text="public id of the document that was removed")
    requested_at = models.DateTimeField(default=timezone.now)
    invisible_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(default=timezone.now)
    purged_at = models.DateTimeField(null=True, help_text="when its rows were removed")
    finished_at = models.DateTimeField(null=True, help_text="when nothing was left in any file")
    counts = models.JSONField(default=dict)
    traces = models.JSONField(default=dict)

    class Meta:
        ordering = ["-requested_at", "-id"]

    def __str__(self) -> str:
        return str(self.public_id)


class SearchTrace(models.Model):
    """What one search asked and showed, in ids: written only while the tenant wants it.

    classes: ids of access classes. passages: [representation, number] of each hit, in their order. query: the words, kept only
    while a diagnosis goes on.
    """

    at = models.DateTimeField(default=timezone.now, db_index=True)
    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="search_traces")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    classes = models.JSONField(default=list)
    passages = models.JSONField(default=list)
    total = models.PositiveIntegerField(default=0)
    milliseconds = models.PositiveIntegerField(default=0)
    query = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"search {self.pk}"


class SearchReport(models.Model):
    """A search that did not find what somebody needed, as that person sent it. Its words go after a set time.

    query: the words, empty once they are gone. wish: what the person was looking for, in words of their own. mode: how it was
    searched. seen: how many passages it found. cause, answer: what a curator says of it; the person sees it.
    """

    class State(models.TextChoices):
        """How far a curator is with it."""

        OPEN = "open", _("open")
        DONE = "done", _("done")
        DECLINED = "declined", _("declined")

    class Cause(models.TextChoices):
        """Why it was not found."""

        DOCUMENT_MISSING = "document_missing", _("document missing")
        BADLY_NAMED = "badly_named", _("badly named")
        SYNONYM_MISSING = "synonym_missing", _("synonym missing")
        RIGHT_MISSING = "right_missing", _("right missing")
        OTHER = "other", _("something else")

    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="search_reports")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now, db_index=True)
    query = models.CharField(max_length=500, blank=True)
    wish = models.CharField(max_length=1000, blank=True)
    mode = models.CharField(max_length=10)
    seen = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    cause = models.CharField(max_length=20, choices=Cause.choices, blank=True)
    answer = models.CharField(max_length=1000, blank=True)
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    closed_at = models.DateTimeField(null=True)
    words_gone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["tenant", "state", "-at"], name="search_report_list")]
        constraints = [
            models.CheckConstraint(condition=models.Q(state__in=["open", "done", "declined"]), name="search_report_state_known")
        ]

    def __str__(self) -> str:
        return str(self.public_id)


class Evaluation(models.Model):
    """What one run over a set of questions gave: numbers and ids, none of its words.

    name, digest: the set's name and the SHA-256 of its file. settings: mode, limit, thresholds. figures: name -> number, as
    `evidence.evaluation` defines them. results: for each question its id, states and ranks. passed: null without thresholds.
    """

    at = models.DateTimeField(default=timezone.now)
    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="evaluations")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64)
    version = models.CharField(max_length=50, help_text="of this software")
    settings = models.JSONField(default=dict)
    figures = models.JSONField(default=dict)
    results = models.JSONField(default=list)
    forbidden = models.PositiveIntegerField(default=0)
    passed = models.BooleanField(null=True)
    seconds = models.FloatField(default=0)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["tenant", "name", "-at"], name="evaluation_line")]

    def __str__(self) -> str:
        return f"{self.name} {self.at:%Y-%m-%d %H:%M}"


class Alarm(models.Model):
    """Something that an administrator must know: raised once, told by every way that is set up, and cleared when it is over."""

    source = models.ForeignKey(Source, models.CASCADE, null=True, related_name="alarms")
    code = models.CharField(max_length=50)
    raised_at = models.DateTimeField(default=timezone.now)
    cleared_at = models.DateTimeField(null=True)
    told = models.JSONField(default=dict, help_text="way -> when it was told that it was raised and cleared")

    class Meta:
        ordering = ["-raised_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["source", "code"], condition=models.Q(cleared_at=None), name="alarm_once_of_source"),
            models.UniqueConstraint(fields=["code"], condition=models.Q(cleared_at=None, source=None), name="alarm_once_of_all"),
        ]

    def __str__(self) -> str:
        return self.code


class AuditEvent(models.Model):
    """Who did what to which ids, when. Ids and codes only, never text."""

    at = models.DateTimeField(default=timezone.now, db_index=True)
    tenant = models.ForeignKey(Tenant, models.SET_NULL, null=True, related_name="+")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    code = models.CharField(max_length=50)
    document = models.UUIDField(null=True, db_index=True, help_text="public id of the document it is about")
    ids = models.JSONField(default=dict)

    class Meta:
        ordering = ["-at", "-id"]
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.code}"


def id_list(ids: Iterable[int], *, using: str) -> RawSQL:
    """A subquery of these ids as one parameter: an IN list of 20,000 ids would hit the database's limit of parameters."""
    if connections[using].vendor == "postgresql":
        return RawSQL("SELECT unnest(%s::bigint[])", [sorted(ids)])
    return RawSQL("SELECT value FROM json_each(%s)", [json.dumps(sorted(ids))])
