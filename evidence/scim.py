"""SCIM resources as they are pushed here (RFC 7643): no more of a person and a group than is needed to know and to name them.

Whatever else a provider sends of a person is accepted and dropped unread: addresses, telephone numbers, passwords. Values only;
`provisioning` keeps them in rows.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

from pydantic import Field
from scim2_models import (
    URN,
    AuthenticationScheme,
    Bulk,
    CaseExact,
    ChangePassword,
    ComplexAttribute,
    ETag,
    Filter,
    Mutability,
    Patch,
    Reference,
    Required,
    Resource,
    ScimPolicy,
    ScimProvider,
    ServiceProviderConfig,
    Sort,
    Uniqueness,
)

MAX_RESULTS: Final = 200
"""Resources of one answer."""
USER: Final = "User"
GROUP: Final = "Group"


class Name(ComplexAttribute):
    """What a person is called, to be shown to administrators."""

    given_name: str | None = None
    family_name: str | None = None


class User(Resource[Any]):
    """A person. No right follows from any name here: `externalId` says who it is."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:User")

    user_name: Annotated[str | None, Uniqueness.server, Required.true] = None
    name: Name | None = None
    display_name: str | None = None
    active: bool | None = None

    Name: ClassVar[type[ComplexAttribute]] = Name


class Member(ComplexAttribute):
    """A person in a group; groups in groups are not taken."""

    value: Annotated[str | None, Mutability.immutable, CaseExact.true, Required.true] = None
    ref: Annotated[Reference[User] | None, Mutability.immutable] = Field(
        None, serialization_alias="$ref", validation_alias="$ref"
    )
    type: Annotated[str | None, Mutability.immutable] = Field(None, examples=[USER])


class Group(Resource[Any]):
    """A group. What rules call it is its name here, which an administrator gives; this one is only shown."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:Group")

    display_name: Annotated[str | None, Required.true] = None
    members: list[Member] | None = None

    Members: ClassVar[type[ComplexAttribute]] = Member


def provider() -> ScimProvider:
    """The service as it describes itself."""
    return ScimProvider(
        models=[User, Group],
        config=ServiceProviderConfig(
            patch=Patch(supported=True),
            bulk=Bulk(supported=False, max_operations=0, max_payload_size=0),
            filter=Filter(supported=True, max_results=MAX_RESULTS),
            change_password=ChangePassword(supported=False),
            sort=Sort(supported=True),
            etag=ETag(supported=True),
            authentication_schemes=[
                AuthenticationScheme(
                    type=AuthenticationScheme.Type.oauthbearertoken,
                    name="Bearer token",
                    description="The operator gives the token.",
                    primary=True,
                )
            ],
        ),
        policy=ScimPolicy(unknown=ScimPolicy.Unknown.ignore),
    )
