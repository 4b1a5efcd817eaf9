"""Writes the two tables of the tokenizer's sources from Python's copies of the standards.

    python3 tables.py Sources/EmbeddingIndexing/Tokenizer/Cleaning
"""

import html.entities
import pathlib
import sys
import unicodedata

# Canonical pairs that Unicode 16 added, for a Python that does not know them yet.
LATER_PAIRS = """
    105c9:105d2+307 105e4:105da+307
    11383:11382+113c9 11385:11384+113bb 1138e:1138b+113c2 11391:11390+113c9
    113c5:113c2+113c2 113c7:113c2+113b8 113c8:113c2+113c9
    16121:1611e+1611e 16122:1611e+16129 16123:1611e+1611f 16124:16129+1611f
    16125:1611e+16120 16126:16121+1611f 16127:16122+1611f 16128:16121+16120
    16d68:16d67+16d67 16d69:16d63+16d67 16d6a:16d69+16d67
""".split()


def named_characters():
    names = html.entities.html5
    for name in sorted(n[:-1] for n in names if n.endswith(";")):
        mark = "!" if name in names else ":"
        yield name + mark + "+".join(f"{ord(c):x}" for c in names[name + ";"])


def canonical_mappings():
    entries = {}
    for number in range(sys.maxunicode + 1):
        parts = unicodedata.decomposition(chr(number)).lower().split()
        if not parts or parts[0].startswith("<"):
            continue
        mark = ":" if unicodedata.normalize("NFC", chr(number)) == chr(number) else "!"
        entries[number] = f"{number:x}{mark}" + "+".join(p.lstrip("0") for p in parts)
    for entry in LATER_PAIRS:
        entries.setdefault(int(entry.split(":")[0], 16), entry)
    return [entries[number] for number in sorted(entries)]


def write(path, head, entries):
    lines = [""]
    for entry in entries:
        if len(lines[-1]) + 1 + len(entry) > 96:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + entry
    body = "".join(f"    {line}\n" for line in lines)
    path.write_text(head + '  static let table = """\n' + body + '    """\n}\n', encoding="utf-8")


folder = pathlib.Path(sys.argv[1])
write(
    folder / "NamedCharacters+Table.swift",
    """extension NamedCharacters {
  /// The HTML standard's list of named character references, written by `tables.py` beside the
  /// tests: each name, "!" if it needs no semicolon and ":" if it does, and its characters'
  /// numbers in hexadecimal.
""",
    named_characters(),
)
write(
    folder / "CanonicalMappings+Table.swift",
    """extension CanonicalMappings {
  /// The canonical mappings of Unicode 17 except for Hangul's, written by `tables.py` beside the
  /// tests: each scalar, "!" if it is never composed and ":" if it is, and what it decomposes
  /// into, in hexadecimal.
""",
    canonical_mappings(),
)
