"""What Doxygen reads instead of a public header: the same lines, with the help of each option beside its member.

An options struct describes its options once, in fields(). Doxygen does not read that, so the help that stands there
becomes the comment of the member that has none. Comments are plain text: neither a backslash nor two dashes have a
meaning there.
"""

import re
import sys
from pathlib import Path

FIELD = re.compile(r'\(\s*"\w+",\s*&O::(?P<member>\w+),[^"]*(?P<help>(?:"(?:[^"\\]|\\.)*"\s*)+)')
MEMBER = re.compile(r"^    [\w:<>]+ (?P<member>\w+)( = [^;]+)?;")


def help_of_members(text):
    """The help in the fields() of a struct, by member."""
    return {
        field["member"]: "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', field["help"])) for field in FIELD.finditer(text)
    }


def with_help(text):
    """The header, line by line, with the comments added."""
    texts = help_of_members(text)
    lines = []
    for line in text.splitlines():
        member = MEMBER.match(line)
        if member and member["member"] in texts and "//" not in line.replace("// ", ""):
            line = f"{line.split('//')[0].rstrip()}  ///< {texts[member['member']]}"
        code, mark, comment = line.partition("///")
        lines.append(code + mark + comment.replace("\\", "\\\\").replace("--", "\\--"))
    return "\n".join(lines)


if __name__ == "__main__":
    print(with_help(Path(sys.argv[1]).read_text()))
