"""Build the README, and all that can be reached from it, as a site: a broken link is a failure, another host too.

`python docs/build_site.py` leaves build/site; its exit code is 1 with a reason where it cannot be built.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCE: Final = ROOT / "build" / "site-source"
PAGES: Final = SOURCE / "pages"
HERE: Final = ROOT / "docs" / "site"
SITE: Final = ROOT / "build" / "site"
OWN: Final = ("styles/site.css", "styles/mark.svg", "scripts/site.js")
"""What the pages get of ours, by its place in the site."""
SECTIONS: Final = (
    ("Tutorial", "tutorial"),
    ("How-to guides", "how-to"),
    ("Reference", "reference"),
    ("Explanation", "explanation"),
    ("Decisions", "decisions"),
)
"""The folders in the order in which somebody who is new reads them."""
LISTED: Final = re.compile(r"\]\((?P<path>[\w-]+\.md)\)")
TO: Final = re.compile(r"\]\((?!https?:)(?P<path>[^)#]+)")
LEFT: Final = re.compile(r"(^|/)(\.|__pycache__/|node_modules/|target/)")
PICTURE: Final = re.compile(r"^```mermaid\n(?P<text>.*?)^```\n", re.MULTILINE | re.DOTALL)
ANCHOR: Final = re.compile(r"^(#+ )(<a id=\"[^\"]+\"></a>)", re.MULTILINE)
"""One in a heading, which the generator would put into the link to the heading, and thereby end that."""
HEAD: Final = re.compile(r"^# (.+)$", re.MULTILINE)
LOADED: Final = re.compile(
    r"""<(?:script|img|iframe|source|link(?![^>]*rel="(?:canonical|prev|next)"))\b[^>]*?\s(?:src|href)=["']?(?://|https?://)[^>]*>""",
    re.IGNORECASE,
)
"""What a page of the site would fetch from another host."""
LED: Final = re.compile(r"""\s(?:src|href)=["']?(?P<path>[^"'#?>\s]+)""")
"""Where a page of the site leads, or what it shows."""


class CannotBuild(Exception):
    """Why there is no site."""


def gather() -> None:
    """Put the pages, and whatever they link to, where the generator finds them: each at its place in the checkout."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    found = linked()
    for path in found:
        page = path / "README.md" if path.is_dir() else path
        target = PAGES / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix == ".md":
            target.write_text(_page(page, with_files=page.parent in found), "utf-8")
        else:
            shutil.copy(page, target)
    shutil.copy(ROOT / "llms.txt", PAGES / "llms.txt")
    dress(PAGES)
    (SOURCE / "zensical.toml").write_text(configuration(), "utf-8")


def dress(pages: Path) -> None:
    """Put our style and script beside the pages."""
    for place in OWN:
        target = pages / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / target.name, target)


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder, without what tools leave behind."""
    return sorted(
        path for path in folder.rglob("*") if path.is_file() and not LEFT.search(str(path.relative_to(folder)))
    )


def _page(page: Path, *, with_files: bool) -> str:
    """Return a page as the generator gets it; that of a folder of programs names its files."""
    folder = page.parent
    text = page.read_text("utf-8") if page.exists() else f"# {folder.relative_to(ROOT)}\n"
    if with_files:
        names = (path.relative_to(folder) for path in files_in(folder) if path != page)
        text += "\nThe files:\n\n" + "".join(f"- [{name}]({name})\n" for name in names)
    return PICTURE.sub(_folded, ANCHOR.sub(r"\2\n\n\1", text))


def _folded(picture: re.Match[str]) -> str:
    """Return a picture as its text, folded up: drawing it would fetch a script from another host."""
    lines = "".join(f"    {line}\n" for line in picture["text"].splitlines())
    return f'??? note "As a picture, in Mermaid\'s words"\n\n    ```text\n{lines}    ```\n'


def linked() -> set[Path]:
    """Return every file that can be reached from the README, and the folders outside docs/ with all their files."""
    found, ahead = set[Path](), [ROOT / "README.md"]
    while ahead:
        path = ahead.pop()
        if path in found or not path.exists() or not path.is_relative_to(ROOT):
            continue
        found.add(path)
        if path.is_dir():
            ahead += files_in(path)
        if path.suffix == ".md":
            ahead += [(path.parent / link["path"]).resolve() for link in TO.finditer(path.read_text("utf-8"))]
    return found


def configuration() -> str:
    """Return what the generator is told; JSON's strings and lists are TOML's too."""
    menu = ",\n".join(navigation())
    return (HERE / "zensical.toml").read_text("utf-8").replace("nav = []", f"nav = [\n{menu},\n]")


def navigation() -> Iterator[str]:
    """Yield the entries of the menu: the README, each folder, and what stands beside them."""
    yield _entry("Overview", "README.md")
    for title, folder in SECTIONS:
        yield section(title, ROOT / "docs" / folder)
    yield _listed("More", (_entry(title_of(page), str(page.relative_to(ROOT))) for page in beside()))


def beside() -> list[Path]:
    """Return the pages in none of the folders that a page links to: performance, the examples, the changelog."""
    docs = ROOT / "docs"
    pages = {path for path in linked() if path.suffix == ".md"}
    outside = {path for path in pages if path.parent == docs or not path.is_relative_to(docs)}
    return sorted(outside - {ROOT / "README.md", docs / "README.md"})


def section(title: str, folder: Path) -> str:
    """Return a folder's entry: its index, its pages in the order in which the index names them, folders inside it."""
    inside = sorted(page.parent for page in folder.glob("*/README.md"))
    pages = [_entry(title_of(page), str(page.relative_to(ROOT))) for page in pages_of(folder)]
    return _listed(title, [*pages, *(section(title_of(one / "README.md"), one) for one in inside)])


def pages_of(folder: Path) -> Iterator[Path]:
    """Yield a folder's pages."""
    index = folder / "README.md"
    if not index.exists():
        yield from sorted(folder.glob("*.md"))
        return
    yield index
    for found in LISTED.finditer(index.read_text("utf-8")):
        yield folder / found["path"]


def _listed(title: str, entries: Iterable[str]) -> str:
    return f"{{ {json.dumps(title)} = [{', '.join(entries)}] }}"


def _entry(title: str, path: str) -> str:
    return f"{{ {json.dumps(title)} = {json.dumps(path)} }}"


def title_of(page: Path) -> str:
    """Return the title of a page, as it stands over it."""
    found = HEAD.search(page.read_text("utf-8"))
    return (found[1] if found else page.stem).replace("`", "")


def generate(source: Path, site: Path) -> None:
    """Run the generator; a broken link or anchor is a failure."""
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", str(source / "zensical.toml")]
    ran = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise CannotBuild(re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout + ran.stderr.partition("Traceback")[0]))
    shutil.rmtree(site, ignore_errors=True)
    shutil.move(source / "site", site)


def foreign(site: Path = SITE) -> list[str]:
    """Return what pages would fetch from other hosts; an example that is shown as a file is no page of ours."""
    return [
        f"{page.relative_to(site)}: {found[0]}"
        for page in sorted(site.rglob("*.html"))
        if not (ROOT / page.relative_to(site)).exists()
        for found in LOADED.finditer(page.read_text("utf-8"))
    ]


def broken(site: Path = SITE) -> list[str]:
    """Return what pages lead to or show that is not there; the generator looks at links between pages alone."""
    return [
        f"{page.relative_to(site)}: {found['path']}"
        for page in sorted(site.rglob("*.html"))
        if page.name != "404.html"
        for found in LED.finditer(page.read_text("utf-8"))
        if ":" not in found["path"] and not (page.parent / unquote(found["path"])).exists()
    ]


def main() -> int:
    """Build the site; return the exit code."""
    try:
        gather()
        generate(SOURCE, SITE)
    except (CannotBuild, OSError) as why:
        sys.stderr.write(f"the site cannot be built: {why}\n")
        return 1
    wrong = [f"from another host: {line}" for line in foreign()] + [f"leads nowhere: {line}" for line in broken()]
    for line in wrong:
        sys.stderr.write(f"{line}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
