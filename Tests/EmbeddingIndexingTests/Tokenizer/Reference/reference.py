"""Encodes strings of all kinds with CLIP's reference tokenizer, to compare with.

    python3 reference.py FOLDER SEED

writes `strings.jsonl` to the folder, and the reference's vocabulary in the three forms that
vocabularies come in. Each line has the text, the ids of its tokens without start and end, the
kind of string, and two marks: `misread`, when the reference would take the text for wrongly
decoded (the ids are then those without that repair), and `newer`, the characters that only one of
the reference's two copies of Unicode has.
"""

import gzip
import html.entities
import importlib.util
import json
import pathlib
import random
import sys
import types
import unicodedata

import ftfy
import regex


def load_reference():
    """The tokenizer's module alone: the package itself imports torch."""
    package = pathlib.Path(importlib.util.find_spec("clip").origin).parent
    spec = importlib.util.spec_from_file_location("reference", package / "simple_tokenizer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Strings


ASSIGNED = regex.compile(r"[^\p{Cn}\p{Cs}]")
ENDINGS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'LL", "'x", "’s", "'ſ", "'"]
SPACES = [" ", "  ", "\t", "\n", "\r\n", "\r", "\u00a0", "\u2003", "\u2028", "\u3000", "\u0085"]
ODDITIES = (
    ["\ufb00", "\ufb03", "\ufb05", "\u0133", "\u0149", "\u01c4", "\u01f2", "\ufb13"]
    + ["Ｌ", "ｏ", "！", "￥", "￣", "ｶ", "ﾞ", "ﾟ", "ﾊ", "ﾡ", "ￂ", "｟", "￨", "\uffa0"]
    + ["“", "”", "‘", "’", "‚", "‛", "\u02bc", "„", "‟", "«"]
    + ["\x00", "\x07", "\x0b", "\x0c", "\x1b", "\x1b[0m", "\x1b[31;1m", "\x1b[", "\x1b[٣m", "\x7f"]
    + ["\x80", "\x85", "\x91", "\x9d", "\x9f", "\ufeff", "\ufffc", "\u206a", "\u200b", "\u200d"]
    + ["Σ", "ΑΣ", "Σ.", "Σ\u0301", "İ", "I\u0307", "ı", "ſ", "ß", "ẞ", "K", "Å", "Ω", "\u0345"]
    + ["e\u0301", "a\u0323\u0302", "\u0301", "\u0308\u0301", "\u1100\u1161\u11a8", "\uac00\u11a8"]
    + ["\u0958", "\u09c7\u09be", "\uf900", "\u2126", "\u0344", "\u1fbe", "\U0001d15e", "\u0f73"]
    + ["<", "<b>", "&", "&amp;", "&amp;amp;", "&lt;", "&#60;", "&eacute", ";", "#", "&#x"]
    + ["<|startoftext|>", "<|endoftext|>", "<|STARTOFTEXT|>", "<|ſtartoftext|>", "<|", "|>"]
    + ["½", "²", "Ⅷ", "٣", "⓪", "①", "Ⓐ", "_", "__", "-", "...", "…", "€", "№", "™"]
)


class Strings:
    def __init__(self, seed, vocabulary):
        self.random = random.Random(seed)
        self.words = [w for w in vocabulary if w.isascii() and w.isalpha()]

    def all(self):
        yield from (("every character", s) for s in self.every_character())
        yield from self.scripts()
        yield from (("emoji", s) for s in self.emoji(2000))
        yield from (("punctuation", s) for s in self.punctuation(3000))
        yield from (("references", s) for s in self.references(2500))
        yield from (("queries", self.query()) for _ in range(4000))
        yield from (("oddities", s) for s in self.oddities(6000))
        yield from (("soup", s) for s in self.soup(3000))
        yield from (("long", s) for s in self.long(500))
        yield from (("short", s) for s in ["", " ", "\n", "a", "&", "'", "\u0345", "\x00", "<", "é"])

    def every_character(self):
        """Each that has a name, and of the large regular blocks a part."""
        characters = []
        for number in range(sys.maxunicode + 1):
            character = chr(number)
            if not ASSIGNED.match(character):
                continue
            name = unicodedata.name(character, "")
            regular = "CJK UNIFIED" in name or "HANGUL SYLLABLE" in name or not name
            regular = regular or 0xE000 <= number < 0xF900 or number >= 0xF0000
            if regular and number > 0xFF and self.random.random() > 0.03:
                continue
            characters.append(character)
        joints = ["", " ", "a", "A", "1", "!"]
        for start in range(0, len(characters), 10):
            joint = joints[start // 10 % len(joints)]
            yield joint.join(characters[start : start + 10])

    def scripts(self):
        """Words in the letters and marks of each script, alone and beside Latin."""
        marks = [chr(n) for n in range(0x300, 0x345)] + ["\u200d", "\u3099", "\u3099", "\u20e3"]
        everything = "".join(map(chr, range(sys.maxunicode + 1)))
        for script in script_names():
            letters = regex.findall(r"\p{Script=%s}" % script, everything)
            letters = [c for c in letters if ASSIGNED.match(c)]
            if not letters:
                continue
            for index in range(20):
                words = []
                for _ in range(self.random.randint(1, 6)):
                    length = self.random.randint(1, 8)
                    word = "".join(self.random.choice(letters) for _ in range(length))
                    if self.random.random() < 0.2:
                        word += self.random.choice(marks)
                    words.append(word)
                if index % 4 == 3:
                    words.insert(1, self.random.choice(self.words).title())
                yield f"script {script}", " ".join(words)

    def emoji(self, count):
        emoji = [chr(n) for n in range(0x2190, 0x1FB00) if regex.match(r"\p{Emoji}", chr(n))]
        people = ["👨", "👩", "🧑", "👧", "👦"]
        tones = [chr(n) for n in range(0x1F3FB, 0x1F400)]
        flags = [chr(n) for n in range(0x1F1E6, 0x1F200)]
        tags = [chr(n) for n in range(0xE0061, 0xE007B)]
        choose = self.random.choice
        kinds = [
            lambda: choose(emoji),
            lambda: choose(emoji) + "\ufe0f",
            lambda: choose(emoji) + choose(tones),
            lambda: choose(flags) + choose(flags),
            lambda: choose("0123456789#*") + "\ufe0f\u20e3",
            lambda: "\u200d".join(choose(people) + choose(["", choose(tones)]) for _ in range(3)),
            lambda: choose(people) + "\u200d❤\ufe0f\u200d" + choose(people),
            lambda: "🏴" + "".join(choose(tags) for _ in range(5)) + "\U000e007f",
            lambda: choose(["", " ", choose(self.words)]),
        ]
        for _ in range(count):
            yield "".join(choose(kinds)() for _ in range(self.random.randint(1, 12)))

    def punctuation(self, count):
        printable = [chr(n) for n in range(0x20, 0x7F)]
        for _ in range(count):
            parts = []
            for _ in range(self.random.randint(1, 14)):
                kind = self.random.randrange(4)
                if kind == 0:
                    parts.append(self.random.choice(self.words) + self.random.choice(ENDINGS))
                elif kind == 1:
                    parts.append(str(self.random.randrange(10 ** self.random.randint(1, 8))))
                else:
                    parts += [self.random.choice(printable) for _ in range(kind)]
            yield self.random.choice(["", " "]).join(parts)

    def references(self, count):
        names = sorted(html.entities.html5)
        for name in names:
            yield self.random.choice(["a &%s b", "x&%sy", "<p>&%s", "&amp;%s", "é&%s\n&%s"]).replace(
                "%s", name
            )
            if name == name.lower():
                yield f"P&{name.upper()}REZ &{name.title()}"
        for _ in range(count):
            parts = []
            for _ in range(self.random.randint(1, 6)):
                number = self.random.choice([0x100, 0x3000, 0x110000, 0x200000, 10**12])
                number = self.random.randrange(number)
                name = self.random.choice(names)
                forms = [f"&#{number};", f"&#{number}", f"&#x{number:x};", f"&#X{number:X} "]
                forms += [f"&{name}", f"&{name[:-1]}", f"&{name[: self.random.randint(1, 9)]}"]
                forms += ["&#", "&#x;", "&;", "&&", f"&{name.upper()}", "tom&jerry", "<", "\n"]
                parts.append(self.random.choice(forms))
            yield self.random.choice(["", " ", "x"]).join(parts)

    def query(self):
        words = []
        for _ in range(self.random.randint(1, 9)):
            word = self.random.choice(self.words)
            word = self.random.choice([word, word, word.title(), word.upper()])
            if self.random.random() < 0.1:
                word += self.random.choice(ENDINGS)
            if self.random.random() < 0.1:
                word += self.random.choice([",", ".", "!", "?", " 2019", "1st"])
            words.append(word)
        return " ".join(words)

    def oddities(self, count):
        for _ in range(count):
            parts = []
            for _ in range(self.random.randint(1, 8)):
                kind = self.random.randrange(8)
                if kind == 0:
                    parts.append(self.random.choice(SPACES))
                elif kind == 1:
                    parts.append(self.random.choice(self.words))
                else:
                    parts.append(self.random.choice(ODDITIES))
            yield "".join(parts)

    def soup(self, count):
        planes = [0x250, 0x600, 0x3000, 0x10000, 0x20000]
        for _ in range(count):
            end = self.random.choice(planes)
            characters = [chr(self.random.randrange(end)) for _ in range(self.random.randint(1, 30))]
            yield "".join(c for c in characters if ASSIGNED.match(c))

    def long(self, count):
        for _ in range(count):
            parts = [self.query() for _ in range(self.random.randint(5, 60))]
            parts += [self.random.choice(ODDITIES) for _ in range(5)]
            parts += [chr(self.random.randrange(0x4E00, 0x9FA5)) * 3 for _ in range(5)]
            self.random.shuffle(parts)
            yield self.random.choice([" ", "", "\n"]).join(parts)


def script_names():
    """All that the regex module knows, by their long names."""
    from regex import _regex_core

    properties = _regex_core.PROPERTIES
    values = properties["SCRIPT"][1]
    names = {}
    for name, value in values.items():
        names[value] = max(names.get(value, ""), name, key=len)
    return [n for n in sorted(names.values()) if n not in ("UNKNOWN",)]


# Ids


def main():
    folder, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    reference = load_reference()
    tokenizer = reference.SimpleTokenizer()
    write_vocabulary(folder, reference, tokenizer)
    vocabulary = [t[:-4] for t in tokenizer.encoder if t.endswith("</w>")]
    trusting = types.SimpleNamespace(fix_text=lambda text: ftfy.fix_text(text, fix_encoding=False))
    with open(folder / "strings.jsonl", "w", encoding="utf-8") as output:
        for kind, text in Strings(seed, sorted(vocabulary)).all():
            misread = ftfy.fix_text(text) != trusting.fix_text(text)
            reference.ftfy = trusting if misread else ftfy
            line = {
                "text": text,
                "ids": tokenizer.encode(text),
                "kind": kind,
                "misread": misread,
                "newer": newer_characters(text + reference.basic_clean(text)),
            }
            output.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(
        f"Python {sys.version.split()[0]}, Unicode {unicodedata.unidata_version}, "
        f"ftfy {ftfy.__version__}, regex {regex.__version__}, {len(script_names())} scripts"
    )


def newer_characters(text):
    """Cases and composition are Python's own, and letters and numbers the regex module's."""
    unknown = [c for c in text if unicodedata.category(c) == "Cn"]
    return "".join(sorted(set(c for c in unknown if ASSIGNED.match(c))))


def write_vocabulary(folder, reference, tokenizer):
    content = gzip.open(reference.default_bpe()).read()
    (folder / "vocabulary.txt").write_bytes(content)
    (folder / "vocabulary.txt.gz").write_bytes(pathlib.Path(reference.default_bpe()).read_bytes())
    (folder / "vocab.json").write_text(json.dumps(tokenizer.encoder), encoding="utf-8")
    merges = content.decode("utf-8").split("\n")[1 : 49152 - 256 - 2 + 1]
    text = "\n".join(["#version: 0.2"] + merges) + "\n"
    (folder / "merges.txt").write_text(text, encoding="utf-8")


main()
