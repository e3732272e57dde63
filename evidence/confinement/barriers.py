"""Barriers: what a child process gives up, for good, before it looks at what strangers wrote.

Everywhere: memory, processor time, the size of files, core files, new files and sockets, new processes. On Linux also
privileges, the file system (Landlock), and all system calls but the few that computing needs (seccomp). A kernel that refuses
one of these leaves the others.
"""

from __future__ import annotations

import ctypes
import math
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

MEBIBYTE: Final = 1 << 20
NOBODY: Final = 65_534
"""Who a child of the superuser becomes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """seconds: of processor time. memory_mb: beyond what the process had before. output_mb: of the result."""

    seconds: float
    memory_mb: int
    output_mb: int


def raise_around(limits: Limits) -> None:
    """Take from this process what the task does not need. There is no way back."""
    memory = _address_space() + limits.memory_mb * MEBIBYTE  # asked before the file system is closed
    _drop_privileges()
    end_with_parent()
    _close_file_system()
    _set_limits(limits.seconds, memory)
    _filter_calls()


def end_with_parent() -> None:
    """Have the kernel kill this process when the one that forked it ends (Linux; elsewhere its limits end it)."""
    _control(_PR_SET_PDEATHSIG, signal.SIGKILL)


_LINUX: Final = sys.platform == "linux"
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_SECCOMP: Final = 22
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_MODE_FILTER: Final = 2


def _control(option: int, first: int, second: object = 0) -> None:
    """prctl, where there is one; a kernel that refuses it leaves the other barriers."""
    if _LINUX:
        rest = (ctypes.c_ulong(0), ctypes.c_ulong(0))
        _LIBC.prctl(option, ctypes.c_ulong(first), second or ctypes.c_ulong(0), *rest)


def _drop_privileges() -> None:
    """Be nobody instead of the superuser, never gain rights again, and let no other process look inside."""
    if os.geteuid() == 0:
        with suppress(OSError):  # a container may know no other user
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
    _control(_PR_SET_NO_NEW_PRIVS, 1)
    _control(_PR_SET_DUMPABLE, 0)


def _set_limits(seconds: float, memory: int) -> None:
    processor = math.ceil(sum(os.times()[:2]) + seconds)
    wanted = (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NPROC, 0, 0),
        (resource.RLIMIT_CPU, processor, processor + 1),
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_NOFILE, 0, 0),
    )
    for what, soft, hard in wanted:
        with suppress(ValueError, OSError):  # a system that knows this limit in another way keeps the rest
            resource.setrlimit(what, (soft, hard))


def _address_space() -> int:
    """Bytes of address space that are taken now; where that is not told, what this program takes with all formats on macOS."""
    try:
        handle = os.open("/proc/self/statm", os.O_RDONLY)  # a Path would cost each child half a millisecond
    except OSError:
        return 1024 * MEBIBYTE
    pages = int(os.read(handle, 64).split()[0])
    os.close(handle)
    return pages * resource.getpagesize()


# Landlock: include/uapi/linux/landlock.h. The numbers of its calls are the same on all machines.

_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_LANDLOCK_VERSION: Final = 1
_FILE_RIGHTS: Final = tuple((1 << count) - 1 for count in (13, 14, 15, 15, 16))
"""All rights on files that versions 1 to 5 of Landlock know."""


def _close_file_system() -> None:
    """Allow no path any more: nothing to open, run, move or remove."""
    if not _LINUX:
        return
    version = _LIBC.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), _LANDLOCK_VERSION)
    if version < 1:
        return
    rights = struct.pack("=Q", _FILE_RIGHTS[min(version, len(_FILE_RIGHTS)) - 1])
    ruleset = _LIBC.syscall(_LANDLOCK_CREATE, rights, ctypes.c_size_t(len(rights)), 0)
    if ruleset >= 0:
        _LIBC.syscall(_LANDLOCK_RESTRICT, ruleset, 0)
        os.close(ruleset)


# seccomp: include/uapi/linux/seccomp.h and filter.h. System calls that computing needs: their numbers on x86_64 and on aarch64.

_NUMBERS: Final[dict[str, tuple[int | None, int | None]]] = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "poll": (7, None),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "pread64": (17, 67),
    "writev": (20, 66),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "nanosleep": (35, 101),
    "getpid": (39, 172),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "exit": (60, 93),
    "uname": (63, 160),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "getppid": (110, 173),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "time": (201, None),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "ppoll": (271, 73),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "rseq": (334, 293),
}
_SIGNALS: Final = {"kill": (62, 129), "tgkill": (234, 131)}
"""Allowed towards oneself: that is how a program aborts."""
_MACHINES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column of the numbers, and AUDIT_ARCH."""
_ENOSYS: Final = 38
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | _ENOSYS, 0x80000000
"""What is refused seems not to exist: the C library then does without, where it can."""
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_INSTRUCTION: Final = 8
"""Bytes."""
_CALL_AT, _MACHINE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def _packed(code: Sequence[tuple[int, int, int, int]]) -> bytes:
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _allowed_to_all(column: int, machine: int) -> bytes:
    """The beginning of the filter, the same for every process of this machine."""
    code = [(_LOAD, 0, 0, _MACHINE_AT), (_IF_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _CALL_AT)]
    for numbers in _NUMBERS.values():
        if (number := numbers[column]) is not None:
            code += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    return _packed(code)


def _allowed_to(pid: int, column: int) -> bytes:
    """The rest of the filter."""
    code = []
    for numbers in _SIGNALS.values():
        code += [
            (_IF_EQUAL, 0, 4, numbers[column]),
            (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
            (_IF_EQUAL, 0, 1, pid),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _REFUSE),
        ]
    return _packed([*code, (_RETURN, 0, 0, _REFUSE)])


_MACHINE: Final = _MACHINES.get(platform.machine()) if _LINUX else None
_BEGINNING: Final = _allowed_to_all(*_MACHINE) if _MACHINE else b""  # once, not in every child


def _filter_calls() -> None:
    """Refuse every system call but those that computing needs, as long as the process lives."""
    if _MACHINE is not None:
        code = _BEGINNING + _allowed_to(os.getpid(), _MACHINE[0])
        program = _Program(len(code) // _INSTRUCTION, code)
        _control(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program))
