"""Every link within the built site leads to a file of the site, and to a place in it that exists."""

import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page can be linked to by, and what it links to."""

    def __init__(self, text):
        super().__init__()
        self.places, self.links = set(), set()
        self.viewport = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        """Takes the identifiers and the links of an element."""
        attributes = dict(attributes)
        self.places |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        self.links |= {attributes[name] for name in ("href", "src") if attributes.get(name)}
        self.viewport |= tag == "meta" and attributes.get("name") == "viewport"


def problems_of(site):
    """One line for each link that leads nowhere, and for what a page must not have."""
    pages = {path.resolve(): Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        if not page.viewport:
            yield f"{name}: no viewport for small screens"
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme in ("http", "https") and link.endswith((".js", ".css")):
                yield f"{name}: needs the network for {link}"
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{name}: {link}: there is no such file"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{name}: {link}: there is no such place on the page"


def check(site):
    """Prints what is wrong, and how many pages there are."""
    problems = list(problems_of(site))
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(list(site.rglob('*.html')))} pages, {len(problems)} broken links")
    return not problems
