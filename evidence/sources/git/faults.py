"""What can be wrong with a repository or on the way to it, in words. Nothing of an address is repeated: it may hold a secret."""

from __future__ import annotations

from evidence.errors import Refused, gettext_noop


def no_branch(branch: str) -> Refused:
    """There is no branch of this name."""
    return Refused("git_no_branch", gettext_noop("The repository has no branch “%(branch)s”."), branch=branch[:100])


def no_commits() -> Refused:
    """Nothing was committed yet."""
    return Refused("git_no_commits", gettext_noop("The repository has no commits yet, or names no branch as its own."))


def shallow() -> Refused:
    """The beginning of the history is missing."""
    message = gettext_noop(
        "The repository is a shallow clone: the beginning of its history is missing, and so are the ids and states of "
        "documents that it tells. Fetch all of it (git fetch --unshallow)."
    )
    return Refused("git_shallow", message)


def no_repository() -> Refused:
    """There is nothing that git made."""
    return Refused("git_not_a_repository", gettext_noop("There is no git repository here that can be read."))


def denied() -> Refused:
    """Credentials are missing, wrong or not enough."""
    message = gettext_noop(
        "The server of the repository lets us in no further. Look at the operator's credentials for this source."
    )
    return Refused("git_denied", message)


def unreached() -> Refused:
    """No connection."""
    return Refused("git_unreachable", gettext_noop("The server of the repository can't be reached."))


def slow() -> Refused:
    """The time is over."""
    return Refused("git_slow", gettext_noop("The repository did not answer in time."))


def unspoken() -> Refused:
    """It is not git that speaks there, or not as it should."""
    message = gettext_noop("What the server of the repository sends is not what git servers send.")
    return Refused("git_protocol", message)


def malformed() -> Refused:
    """The address is none."""
    message = gettext_noop("This is no place of a repository, such as /path, https://host/path.git or ssh://git@host/path.git.")
    return Refused("git_address", message)
