"""What a verb's --help-all says about its options, and random values for them."""

import re
from dataclasses import dataclass

LINE = re.compile(r"^  (?:-\w,)?--([a-z-]+)(?:,--[a-z-]+)*(?: (\S+))?(?:  +|$)(.*)")
INDENT = " " * 34  # of what help says of an option
HEADING = re.compile(r"^(?:Methods?|Coders?) (.*):$")
NAMES = re.compile(r"(?:^|\. )([a-z]+(?:, [a-z]+)*(?: and [a-z]+)?): ")

# Values that keep a run short, whatever the default is: a run of the soak test is to take a second.
SHORT = {
    "sweeps": (1, 30),
    "burn-in": (0, 30),
    "draws": (1, 30),
    "start-sweeps": (0, 30),
    "chains": (1, 3),
    "steps": (1, 20),
    "passes": (1, 3),
    "batch": (1, 64),
    "thin": (1, 2),
    "max-patches": (20, 400),
    "refresh-every": (0, 5),
    "least-users": (0, 6),
    "nonzeros": (1, 4),
    "stride": (0, 3),
}


@dataclass(frozen=True)
class Option:
    """One option: its name, what it takes, for whom, and the default of each of them."""

    name: str
    takes: str  # empty: a switch
    owners: tuple  # methods or coders; empty: all
    default: str
    can_be_off: bool

    def default_for(self, owner):
        """The default of a method; an empty text if help does not tell."""
        parts = dict(part.rsplit(" ", 1) for part in self.default.split(", ") if " " in part)
        return parts.get(owner, "" if parts else self.default)


def owners_in(text, known):
    """The methods that a help text begins its sentences with: those of an option that has no group of its own."""
    names = [name for listed in NAMES.findall(text) for name in re.split(r", | and ", listed)]
    return tuple(names) if set(names) <= known else ()


def whole_lines(help_text):
    """The lines, each with what follows of it: help is wrapped."""
    lines = []
    for line in help_text.splitlines():
        if lines and line.startswith(INDENT):
            option = LINE.match(lines[-1])
            lines[-1] += ("  " if option and not option[3] else " ") + line.strip()
        elif lines and lines[-1].startswith("Method") and not lines[-1].endswith(":"):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return lines


def options_of(help_text):
    """All options in the text."""
    lines = whole_lines(help_text)
    owners, found = (), []
    known = {name for line in lines if (heading := HEADING.match(line)) for name in re.split(r", | and ", heading[1])}
    for line in lines:
        if heading := HEADING.match(line):
            owners = tuple(re.split(r", | and ", heading[1]))
        elif line and not line.startswith(" "):
            owners = ()
        match = LINE.match(line)
        if not match:
            continue
        text = match[3]
        takes = re.sub(r"=.*", "", match[2] or "")
        default = re.search(r"\[([^\]]*)\]$", text)
        listed = re.search(r"=(\S+)", match[2] or "")
        found.append(
            Option(
                match[1],
                takes,
                owners or owners_in(text, known),
                default[1] if default else listed[1] if listed else "",
                f",--no-{match[1]}" in line,
            )
        )
    return found


def random_value(option, owner, chance):
    """A value of the right kind, near the default."""
    kind = chance.choice(option.takes.split("|"))
    if kind in ("N", "K"):
        if option.name in SHORT:
            return str(chance.randint(*SHORT[option.name]))
        default = option.default_for(owner)
        middle = int(default) if default.isdigit() else 8
        return str(chance.randint(middle // 2, 2 * middle + 1))
    if kind in ("X", "E"):
        try:
            middle = float(option.default_for(owner))
        except ValueError:
            middle = 1.0
        return f"{(middle or 1.0) * 10 ** chance.uniform(-0.5, 0.5):.6g}"
    return kind


def random_options(options, owner, chance, leave_out, share=0.25):
    """Some of the options of this method or coder, with random values: a list of words for each."""
    chosen = []
    for option in options:
        if option.name in leave_out or (option.owners and owner not in option.owners) or chance.random() > share:
            continue
        if not option.takes:
            chosen.append([f"--{'no-' if option.can_be_off and chance.random() < 0.5 else ''}{option.name}"])
        elif not re.search(r"FILE|NAME|MODEL|PAGE|TIME|SECONDS|\.npy|TEXT|DIR|TRUTH", option.takes):
            chosen.append([f"--{option.name}", random_value(option, owner, chance)])
    return chosen


def without_refused(chosen, message):
    """The options without the one that a message is about; nothing if it is about none of them."""
    for option in chosen:
        name = re.sub(r"^--(no-)?", "", option[0])
        if re.search(rf"(?<![\w-])(?:--)?{re.sub('-', '[-_]', name)}(?![\w-])", message):
            return [other for other in chosen if other is not option]
    return None
