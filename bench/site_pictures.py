"""Puts pictures into the built site where a page has a note.

The note reads `picture: NAME | caption`. The script needs the standard library alone. If a picture
was not taken, its note stays; readers do not see it.
"""

import html
import re
import shutil
import sys
from pathlib import Path

NOTE = re.compile(r"<!-- picture: ([a-z_]+) \| ([^>]+?) -->")


def place(pictures: Path, site: Path) -> int:
    """Copy pictures into a site, show them in its pages, and return how many are shown."""
    known = {path.stem: path for path in sorted(pictures.glob("*.png"))}
    places = 0
    for page in sorted(site.rglob("*.html")):
        before = page.read_text("utf-8")
        up = "../" * (len(page.relative_to(site).parts) - 1)

        def figure(found: re.Match[str], up: str = up) -> str:
            if found[1] not in known:
                return found[0]
            words = html.escape(found[2])
            source = f"{up}pictures/{found[1]}.png"
            shown = f'<img src="{source}" alt="{words}" width="100%" loading="lazy">'
            if f"{found[1]}_dark" in known:
                dark = f"{up}pictures/{found[1]}_dark.png"
                media = "(prefers-color-scheme: dark)"
                shown = f'<picture><source media="{media}" srcset="{dark}">{shown}</picture>'
            return f"<p>{shown}</p>"

        after = NOTE.sub(figure, before)
        if after != before:
            page.write_text(after, "utf-8")
            places += len(NOTE.findall(before)) - len(NOTE.findall(after))
    if places:
        (site / "pictures").mkdir(exist_ok=True)
        for path in known.values():
            shutil.copy(path, site / "pictures" / path.name)
    return places


if __name__ == "__main__":
    shown = place(Path(sys.argv[1]), Path(sys.argv[2]))
    sys.stdout.write(f"make docs: {shown} pictures are shown; make screenshots renews them\n")
