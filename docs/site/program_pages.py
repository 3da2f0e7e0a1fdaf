"""The pages about the program, made from what `sbdl --man` says: the options are described once, in the program."""

import re
import subprocess

ESCAPED = re.compile(r"([\\`*_{}\[\]<>#$|~])")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-z](?=[\s,]))")
FONTS = re.compile(r"\\f[BIR]")


def plain(text):
    """Text of a manual page without its escapes."""
    return FONTS.sub("", text).replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")


def markdown(text):
    """The same as Markdown that means itself, with options as code."""
    parts = OPTION.split(plain(text))
    return "".join(f"`{part}`" if at % 2 else ESCAPED.sub(r"\\\1", part) for at, part in enumerate(parts))


def sections_of(manual):
    """The sections of a manual page: title and lines."""
    sections = []
    for line in manual.splitlines():
        if line.startswith(".SH "):
            sections.append((line[4:], []))
        elif sections:
            sections[-1][1].append(line)
    return dict(sections)


def entries_of(lines):
    """What .TP, .SS and .PP make of lines: ("heading", title), ("entry", term, text) and ("text", paragraph)."""
    entries, at = [], 0
    while at < len(lines):
        line = lines[at]
        if line.startswith(".SS "):
            entries.append(("heading", plain(line[4:])))
            at += 1
        elif line == ".PP":
            entries.append(("text", lines[at + 1]))
            at += 2
        elif line == ".TP":
            end = at + 2
            while end < len(lines) and lines[end] not in (".TP", ".PP") and not lines[end].startswith(".SS "):
                end += 1
            entries.append(("entry", plain(lines[at + 1].removeprefix(".B ")), " ".join(lines[at + 2 : end])))
            at = end
        else:
            raise ValueError(f"sbdl --man: a line that is not understood: {line}")
    return entries


def option_text(term, text):
    """An option with its help, as a directive: the search finds it by its name, and links can lead to it."""
    fence = "option" if term.startswith("-") else "describe"
    default = re.search(r" \[([^\]]*)\]$", text)
    help_text = markdown(text[: default.start()] if default else text)
    lines = [f"```{{{fence}}} {term}", help_text]
    if default:
        lines += ["", f"*Default:* {markdown(default[1])}"]
    return "\n".join([*lines, "```", ""])


def notes_text(lines):
    """The remarks below the options."""
    pages = []
    for kind, *entry in entries_of(lines):
        if kind == "heading":
            pages += [f"## {entry[0]}", ""]
        elif kind == "text":
            pages += [markdown(entry[0]), ""]
        else:
            pages += [f"`{entry[0]}`", f": {markdown(entry[1])}", ""]
    return pages


def examples_text(lines):
    """The examples as commands."""
    commands = [plain(line) for line in lines if line not in (".nf", ".fi")]
    return ["## Examples" if len(commands) > 1 else "## Example", "", "```sh", *commands, "```", ""]


def verb_page(verb, manual):
    """The page about one verb."""
    sections = sections_of(manual)
    synopsis = " ".join(plain(line.removeprefix(".B ")) for line in sections["SYNOPSIS"]).replace(" .br ", "\n")
    page = [f"# sbdl {verb}", "", "```sh", synopsis, "```", ""]
    page += [
        "\n\n".join(markdown(line) for line in sections["DESCRIPTION"]),
        "",
        f"```{{program}} sbdl {verb}",
        "```",
        "",
    ]
    for section in ("ARGUMENTS", "OPTIONS"):
        if section in sections:
            page += [f"## {section.capitalize()}", ""]
        for kind, *entry in entries_of(sections.get(section, [])):
            page += [f"### {entry[0]}", ""] if kind == "heading" else [option_text(*entry)]
    page += notes_text(sections.get("NOTES", []))
    page += examples_text(sections["EXAMPLES"])
    return "\n".join(page)


def overview_page(verbs, manual):
    """The page about the program: its verbs, exit statuses and environment."""
    sections = sections_of(manual)
    page = ["# The program", "", "```sh", "sbdl VERB [OPTIONS]", "```", ""]
    page += ["\n\n".join(markdown(line) for line in sections["DESCRIPTION"]), ""]
    page += ["These pages are made from the program itself, as its help and its manual pages are.", ""]
    for title, section in (("Verbs", "VERBS"), ("Environment", "ENVIRONMENT"), ("Exit status", "EXIT STATUS")):
        page += [f"## {title}", ""]
        for _, term, text in entries_of(sections[section]):
            text = re.sub(r"; see .*$", "", text)
            page += [f"[`sbdl {term}`]({term}.md)" if term in verbs else f"`{term}`", f": {markdown(text)}", ""]
    return "\n".join([*page, "```{toctree}", ":hidden:", "", *verbs, "```", ""])


def program_pages(program, folder):
    """index.md and a page for each verb."""

    def manual(*verb):
        return subprocess.run([program, "--man", *verb], check=True, stdout=subprocess.PIPE, text=True).stdout

    overview = manual()
    verbs = [term for _, term, _ in entries_of(sections_of(overview)["VERBS"])]
    pages = {"index": overview_page(verbs, overview)} | {verb: verb_page(verb, manual(verb)) for verb in verbs}
    return {folder / f"{name}.md": page for name, page in pages.items()}
