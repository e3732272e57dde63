"""Django's admin for the operator: tenants, groups, memberships, sources, people, and what was done to them.

Who signs in here sees every tenant, in ids, counts and codes: no title and no text of a document. Nothing that holds
documents is deleted here: removing them for good is the purge's work, which leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from axes.models import AccessFailureLog, AccessLog
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group as UnusedGroup
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from evidence import audit, outbound, removal, tokens, watching
from evidence.content import Note
from evidence.errors import Refused
from evidence.models import (
    AccessRule,
    AuditEvent,
    Group,
    Identity,
    Membership,
    Provider,
    Source,
    SourceKind,
    Space,
    Tenant,
    Token,
    Upload,
)
from evidence.sources.kinds import KINDS

admin.site.site_header = admin.site.site_title = "Fundstelle"
admin.site.index_title = _("Administration")
for unused in (UnusedGroup, AccessFailureLog, AccessLog):
    admin.site.unregister(unused)
admin.site.unregister(User)  # registered again below

if TYPE_CHECKING:  # the stubs know a parameter that Django's own classes do not take
    ModelAdmin = admin.ModelAdmin[Any]
    ModelForm = forms.ModelForm[Any]
    UserAdmin = DjangoUserAdmin[User]
else:
    ModelAdmin = admin.ModelAdmin
    ModelForm = forms.ModelForm
    UserAdmin = DjangoUserAdmin


class Audited(ModelAdmin):
    """Writes down who created, changed or deleted which row."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Called last, when the row's groups are stored too."""
        super().save_related(request, form, formsets, change)
        audit.record(form.instance, "changed" if change else "created", actor=cast(User, request.user))

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """The event comes first: afterwards the row has no id."""
        audit.record(obj, "deleted", actor=self._actor_after_deletion(request, obj))
        super().delete_model(request, obj)

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """One event for each row."""
        for row in queryset:
            self.delete_model(request, row)

    @staticmethod
    def _actor_after_deletion(request: HttpRequest, row: Model) -> User | None:
        """Nobody, when people delete themselves."""
        actor = cast(User, request.user)
        return None if row == actor else actor


class FixedTenant(Audited):
    """Rows that stay in the tenant where they were made: moving one would carry rights through the wall."""

    fixed: Sequence[str] = ("tenant",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Fixed fields can be chosen only for a new row."""
        readonly = tuple(super().get_readonly_fields(request, obj))
        return readonly if obj is None else (*readonly, *self.fixed)


class Protected(Audited):
    """Principals: not deleted while rights name them, which the page says in one line and not once for each rule."""

    def rules_about(self, rows: Sequence[Any]) -> QuerySet[AccessRule]:
        """Rights that name one of these rows."""
        raise NotImplementedError

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, Any, Any, Any]:
        """What would go, and what forbids it."""
        to_delete, counts, permissions, protected = super().get_deleted_objects(objs, request)
        count = self.rules_about(list(objs)).count() if protected else 0
        if count:
            protected = [
                ngettext(
                    "%(count)d access right names it. Change the right at its source first, or make the membership inactive.",
                    "%(count)d access rights name it. Change the rights at their source first, or make the membership inactive.",
                    count,
                )
                % {"count": count}
            ]
        return to_delete, counts, permissions, protected


class SameTenantForm(ModelForm):
    """A form whose groups must belong to its tenant."""

    groups_field = "groups"

    def clean(self) -> dict[str, Any]:
        """Refuse groups from elsewhere."""
        cleaned = super().clean() or self.cleaned_data
        tenant = self.instance.tenant if self.instance.pk else cleaned.get("tenant")
        foreign = [group.name for group in cleaned.get(self.groups_field, ()) if group.tenant != tenant]
        if tenant and foreign:
            self.add_error(self.groups_field, _("Not a group of this tenant: %(names)s") % {"names": ", ".join(foreign)})
        return cleaned


class MembershipForm(SameTenantForm):
    """Who is in a group of an identity provider, that one says: by hand nobody gets in or out."""

    def clean(self) -> dict[str, Any]:
        """Refuse to give or take them."""
        cleaned = super().clean()
        before = set(self.instance.groups.exclude(issuer="")) if self.instance.pk else set()
        changed = before ^ {group for group in cleaned.get("groups", ()) if group.issuer}
        if changed:
            names = ", ".join(sorted(group.name for group in changed))
            self.add_error("groups", _("The identity provider says who is in it: %(names)s") % {"names": names})
        return cleaned


class SourceForm(SameTenantForm):
    """A source is announced to groups of its own tenant, and has only what its kind can have."""

    groups_field = "announced_to"
    max_missing_share = forms.FloatField(
        label=_("largest missing share"),
        min_value=0,
        max_value=1,
        step_size=0.01,
        help_text=_("A listing that misses more of what was known withdraws nothing and closes the source. 0 to 1."),
    )

    def clean(self) -> dict[str, Any]:
        """Refuse times that are none, and what does not fit the kind."""
        cleaned = super().clean()
        for name, words in (
            ("revocation_sla", _("Longer than nothing: rights would be too old at once.")),
            ("sync_every", _("Longer than nothing; empty for never.")),
        ):
            if cleaned.get(name) is not None and cleaned[name] <= timedelta():
                self.add_error(name, words)
        if cleaned.get("purge_after") is not None and cleaned["purge_after"] < timedelta():
            self.add_error("purge_after", _("Not before it left the source."))
        self._refuse_what_does_not_fit(self.instance.kind if self.instance.pk else cleaned.get("kind", ""), cleaned)
        return cleaned

    def _refuse_what_does_not_fit(self, kind: str, cleaned: Mapping[str, Any]) -> None:
        if cleaned.get("sensitive") and kind == SourceKind.LOCAL:
            self.add_error("sensitive", _("Its rights are kept here: there is nobody to ask."))
        if cleaned.get("ask_url") and kind != SourceKind.PUSH:
            self.add_error("ask_url", _("Only for sources that are pushed: of others the origin itself is asked."))
        if cleaned.get("ask_url"):
            try:
                outbound.check(cleaned["ask_url"])
            except Refused as error:
                self.add_error("ask_url", gettext(error.template) % error.values)
        if cleaned.get("sensitive") and kind == SourceKind.PUSH and not cleaned.get("ask_url"):
            self.add_error("ask_url", _("A sensitive source that is pushed needs somebody who answers."))
        if cleaned.get("sync_every") and kind not in KINDS:
            self.add_error("sync_every", _("Sources of this kind only receive: there is nothing to synchronise with."))
        if cleaned.get("watched") and watching.folder_of(self.instance) is None:
            self.add_error("watched", _("Only a folder on this machine can be watched."))


class SpaceForm(SameTenantForm):
    """A space is open to groups of its own tenant."""

    groups_field = "allowed"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "allowed" in self.fields:
            self.fields["allowed"].help_text = _("None chosen: every member of the tenant reads it.")


@admin.register(Tenant)
class TenantAdmin(FixedTenant):
    """Tenants."""

    list_display = ["slug", "name", "contact", "trace_searches"]
    search_fields = ["slug", "name"]
    readonly_fields = ["diagnosis_until"]
    fixed = ("slug",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """It holds documents."""
        return False


@admin.register(Group)
class GroupAdmin(Protected, FixedTenant):
    """Groups."""

    list_display = ["name", "tenant", "issuer", "external_id", "name_there"]
    list_filter = ["tenant"]
    list_select_related = ["tenant", "provisioned"]
    search_fields = ["name", "external_id", "provisioned__name"]
    readonly_fields = ["issuer", "external_id", "name_there"]

    @admin.display(description=_("name at the issuer"))
    def name_there(self, group: Group) -> str:
        """What the provider that pushes it calls it. Rules know it by its name here alone."""
        return str(group.provisioned.name) if hasattr(group, "provisioned") else ""

    def rules_about(self, rows: Sequence[Any]) -> QuerySet[AccessRule]:
        """Rights that name one of these groups."""
        return AccessRule.objects.filter(group__in=rows)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, Any, Any, Any]:
        """A space of knowledge that loses its last group would be open to all members."""
        to_delete, counts, permissions, protected = super().get_deleted_objects(objs, request)
        named = sorted(Space.objects.filter(allowed__in=list(objs)).distinct().values_list("slug", flat=True))
        if named:
            words = _("Spaces of knowledge are open to it: %(names)s. Take it out of them first.")
            protected = [*protected, words % {"names": ", ".join(named)}]
        return to_delete, counts, permissions, protected


@admin.register(Space)
class SpaceAdmin(FixedTenant):
    """Spaces of knowledge: made here, and who reads them. What stands in one comes in on its pages."""

    form = SpaceForm
    list_display = ["slug", "tenant", "title"]
    list_filter = ["tenant"]
    list_select_related = ["tenant"]
    filter_horizontal = ["allowed"]
    fields = ["tenant", "slug", "title", "text", "allowed"]
    fixed = ("tenant", "slug")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """It holds what people agreed on, and the history of that."""
        return False


@admin.register(Membership)
class MembershipAdmin(FixedTenant):
    """Memberships: taking one away, or a group out of it, holds for the person's next request."""

    form = MembershipForm
    list_display = ["user", "tenant", "role", "active"]
    list_filter = ["tenant", "role", "active"]
    search_fields = ["user__username"]
    autocomplete_fields = ["user"]
    filter_horizontal = ["groups"]
    fixed = ("user", "tenant")


@admin.register(Source)
class SourceAdmin(FixedTenant):
    """Sources: how long confirmed rights count, whom to ask, who is told, how often they are brought in line.

    Where one is, manage.py createsource says, which tries the place; closing and opening have buttons on the source's own page.
    """

    form = SourceForm
    fieldsets = [
        (None, {"fields": ["tenant", "name", "title", "kind", "contact", "announced_to"]}),
        (_("Origin"), {"fields": ["location", "rules_location", "sync_every", "next_sync_at", "watched"]}),
        (
            _("Rights"),
            {
                "fields": [
                    "revocation_sla",
                    "sensitive",
                    "ask_url",
                    "rights_confirmed_at",
                    "closed_at",
                    "closed_because",
                ],
                "description": _("Times are days hours:minutes:seconds, as in 1 00:00:00."),
            },
        ),
        (_("Removal"), {"fields": ["max_missing_share", "purge_after"]}),
        (_("Documents"), {"fields": ["number_of_documents", "number_without_text", "number_of_letter_soup"]}),
    ]
    readonly_fields = [
        "location",
        "rules_location",
        "next_sync_at",
        "rights_confirmed_at",
        "closed_at",
        "closed_because",
        "number_of_documents",
        "number_without_text",
        "number_of_letter_soup",
    ]
    list_display = ["name", "tenant", "title", "kind", "rights_confirmed_at"]
    list_filter = ["tenant", "kind"]
    filter_horizontal = ["announced_to"]
    fixed = ("tenant", "name", "kind")

    @admin.display(description=_("documents"))
    def number_of_documents(self, source: Source) -> int:
        """How many, whoever may read them."""
        return source.documents.count() if source.pk else 0

    @admin.display(description=_("documents without text (scans)"))
    def number_without_text(self, source: Source) -> int:
        """How many of them hold nothing that could be searched now."""
        return self._noted(source, Note.NO_TEXT)

    @admin.display(description=_("documents that are letter soup"))
    def number_of_letter_soup(self, source: Source) -> int:
        """How many of them have no character map, so that they are not found by their words."""
        return self._noted(source, Note.LETTER_SOUP)

    def _noted(self, source: Source, note: Note) -> int:
        current = source.documents.filter(withdrawn_at=None).values_list("current__notes", flat=True) if source.pk else []
        return sum(note in (notes or ()) for notes in current)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """It holds documents."""
        return False


@admin.register(User)
class PersonAdmin(Protected, UserAdmin):
    """People. Django's own groups and single permissions are not used here."""

    list_display = ["username", "first_name", "last_name", "is_active", "is_staff"]
    list_filter = ["is_active", "is_staff"]
    filter_horizontal = []
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        (_("Personal info"), {"fields": ["first_name", "last_name", "email"]}),
        (_("Permissions"), {"fields": ["is_active", "is_staff", "is_superuser"]}),
        (_("Important dates"), {"fields": ["last_login", "date_joined"]}),
    ]

    def rules_about(self, rows: Sequence[Any]) -> QuerySet[AccessRule]:
        """Rights that name one of these people."""
        return AccessRule.objects.filter(user__in=rows)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """With the words of this person's reports and questions, of which the database's log has copies."""
        super().delete_model(request, obj)
        removal.wipe_soon()


@admin.register(Identity)
class IdentityAdmin(ModelAdmin):
    """Who people are at an identity provider: to be read only. The provider says it when they sign in, or pushes it."""

    list_display = ["id", "user", "issuer", "groups_at", "groups_problem", "signed_out_at"]
    list_filter = ["groups_problem"]
    list_select_related = ["user"]
    search_fields = ["user__username", "subject"]
    fields = ["user", "issuer", "subject", "groups_at", "groups_problem", "signed_out_at", "created_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever could make one could be anybody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for adding one."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only together with the account."""
        place = request.resolver_match
        return place is not None and str(place.url_name).startswith("auth_user_")


@admin.register(Provider)
class ProviderAdmin(ModelAdmin):
    """Identity providers that push people, and when each was last heard: what it pushed counts for a while from then on."""

    list_display = ["issuer", "heard_at"]
    fields = ["issuer", "heard_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """It makes itself known."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A time written here would confirm what nobody confirmed."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for changing it."""
        return False


@admin.register(Token)
class TokenAdmin(Audited):
    """Tokens of everybody: to be seen, and revoked when one got into wrong hands. People make their own."""

    list_display = ["prefix", "user", "tenant", "scopes", "expires_at", "last_used_at", "revoked_at"]
    list_filter = ["tenant"]
    list_select_related = ["user", "tenant"]
    search_fields = ["prefix", "user__username"]
    actions = ["revoke"]
    exclude = ["digest", "name"]

    @admin.action(description=_("Revoke"), permissions=["view"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Token]) -> None:
        """From the next request on."""
        for token in queryset:
            tokens.end(token, actor=cast(User, request.user))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody acts for somebody else."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What a token may do is settled when it is made."""
        return False


@admin.register(Upload)
class UploadAdmin(ModelAdmin):
    """Files that people brought: who, how large, until when. No name, for it can say as much as a title."""

    list_display = ["public_id", "tenant", "user", "size", "created_at", "kept_until", "published_at"]
    list_filter = ["tenant"]
    list_select_related = ["tenant", "user"]
    fields = ["public_id", "tenant", "user", "size", "notes", "created_at", "kept_until", "published_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Files are brought on the page for it."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """It belongs to the person."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """The person discards it, or its time ends: both remove the bytes too."""
        return False


@admin.register(AuditEvent)
class AuditEventAdmin(ModelAdmin):
    """What happened: to be read only."""

    list_display = ["at", "code", "tenant", "actor", "ids"]
    list_filter = ["tenant", "code"]
    list_select_related = ["tenant", "actor"]
    date_hierarchy = "at"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Events are written where things happen."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """An event that can be changed proves nothing."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """The retention job deletes, nobody else."""
        return False
