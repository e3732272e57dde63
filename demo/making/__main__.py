"""Write every document that is made here to its place: `python -m demo.making`."""

from __future__ import annotations

from demo.making.documents import DOCUMENTS, FOLDER


def main() -> None:
    """Replace what is there."""
    for path, make in DOCUMENTS.items():
        (FOLDER / path).write_bytes(make())


if __name__ == "__main__":
    main()
