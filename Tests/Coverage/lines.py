"""Prints the share of lines that ran, by folder, from the export of llvm-cov, and ends with code 1
when a folder has less than the least share.

usage: lines.py PERCENT EXPORT.json FOLDER ...
"""

import json
import pathlib
import sys


def lines_not_run(file):
    """The numbers of the lines of which no region ran, from the file's segments."""
    missed = set()
    for (line, _, count, has_count, *_), (next_line, *_) in zip(file["segments"], file["segments"][1:]):
        if has_count and count == 0:
            missed.update(range(line, next_line + 1))
    ran = {line for line, _, count, has_count, *_ in file["segments"] if has_count and count > 0}
    return sorted(missed - ran)


def main():
    least = float(sys.argv[1])
    export = json.loads(pathlib.Path(sys.argv[2]).read_text())
    is_enough = True
    for folder in sys.argv[3:]:
        files = [
            file
            for file in export["data"][0]["files"]
            if f"/{folder}/" in file["filename"]
        ]
        total = sum(file["summary"]["lines"]["count"] for file in files)
        covered = sum(file["summary"]["lines"]["covered"] for file in files)
        share = 100 * covered / max(total, 1)
        print(f"{folder}: {covered} of {total} lines, {share:.1f} %")
        if total == 0 or share < least:
            is_enough = False
        for file in files:
            missed = lines_not_run(file)
            if missed:
                print(f"  {pathlib.Path(file['filename']).name}: {missed}")
    return 0 if is_enough else 1


sys.exit(main())
