#!/usr/bin/env python3
"""Lists the live records of an embedding store as JSON Lines: `read_store.py <directory>`.

Written from Docs/FileFormat.md alone, with nothing but the standard library, to prove that the page
is enough and how little a reader needs. Checks the checksums, which cover every byte of MANIFEST,
main file and journal, and exits with status 1 and a message when one does not hold. Trusts bytes
whose checksum holds; what a robust reader checks besides is in section 10 of the page. Only notes
an unfinished append at the end of the journal, on stderr.
"""

import io
import json
import pathlib
import struct
import sys

NO_TIMESTAMP, NO_DETAILS = -(2**63), 2**32 - 1
CRC_TABLE = range(256)
for _ in range(8):
    CRC_TABLE = [value >> 1 ^ (0x82F63B78 if value & 1 else 0) for value in CRC_TABLE]


def need(condition, message):
    if not condition:
        raise ValueError(message)


def checksum(data):
    """The masked CRC32C, as the four bytes that are stored."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF)


def load_file(load, name, letter, header_size):
    data, at = load(name), header_size - 4
    need(data[:12] == b"\x89ES" + letter + b"\r\n\x1a\n\1\0\0\0", f"{name}: magic or version")
    need(checksum(data[:at]) == data[at:header_size], f"{name}: checksum of the header")
    return data


def items(data, code):
    return struct.unpack(f"<{len(data) // struct.calcsize('<' + code)}{code}", data)


def pieces(offsets, values):
    return [values[start:end] for start, end in zip(offsets, offsets[1:])]


def lz4_block(data):
    source, out = io.BytesIO(data), bytearray()

    def length(total, limit=15):
        while total == limit:
            total, limit = total + source.read(1)[0], limit + 255
        return total

    while token := source.read(1):
        out += source.read(length(token[0] >> 4))
        if distance := int.from_bytes(source.read(2), "little"):
            start, count = len(out) - distance, length(token[0] & 15) + 4
            out += (out[start : start + count] * (count // distance + 1))[:count]
    return bytes(out)


def read_details(sections):
    """Metadata and text of each row."""
    blocks = []
    for start, stored, size in struct.iter_unpack("<QII", sections[13]):
        block = sections[14][start : start + stored]
        blocks.append(block if stored == size else lz4_block(block))
    for index, start, *sizes in struct.iter_unpack("<IIII", sections[12]):
        block = io.BytesIO(blocks[index][start:] if index < len(blocks) else b"")
        metadata, text = (None if size == NO_DETAILS else block.read(size) for size in sizes)
        yield metadata, None if text is None else text.decode()


def read_main(data):
    """The records of a main file whose header was checked, by key and part."""
    section_count, count, dimension, stride, table = struct.unpack_from("<I8xQII24xQ", data, 52)
    need(checksum(data[table:]) == data[116:120], "main file: checksum of the table")
    for at, start in zip(range(table, len(data), 4), range(16384, table, 65536)):
        actual = checksum(data[start : min(start + 65536, table)])
        need(actual == data[at : at + 4], f"main file: checksum of the block at {start}")
    sections = {}
    for at in range(2048, 2048 + 32 * section_count, 32):
        kind, flags, start, size = struct.unpack_from("<IIQQ", data, at)
        need(kind in range(1, 16) or not flags & 1, f"section {kind} is not supported")
        sections[kind] = data[start : start + size]
    labels = [[]] * count
    details = read_details(sections) if 12 in sections else [(None, None)] * count
    if 8 in sections:
        names = [name.decode() for name in pieces(items(sections[8], "I"), sections[9])]
        positions = pieces(items(sections[10], "I"), items(sections[11], "I"))
        labels = [[names[position] for position in row] for row in positions]
    keys, parts = pieces(items(sections[5], "Q"), sections[6]), items(sections[4], "H")
    rows = [struct.unpack_from(f"<{dimension}e", sections[1], stride * i) for i in range(count)]
    revisions = items(sections[15], "Q") if 15 in sections else [0] * count
    columns = items(sections[2], "q"), items(sections[3], "Q"), labels, *zip(*details), revisions
    fields = "timestamp", "changeNumber", "labels", "metadata", "text", "revision", "vector"
    values = zip(*columns, rows)
    return {name: dict(zip(fields, row)) for name, row in zip(zip(keys, parts), values)}


def read_entry(data, at):
    """Number, checksum before, own checksum, type and payload; None if its checksum is wrong."""
    if data[at : at + 2] != b"EJ" or at + 24 > len(data):
        return None
    kind, size, number, before, own = struct.unpack_from("<BxIQ4s4s", data, at + 2)
    payload = data[at + 24 : at + 24 + size]
    covered = data[16:40] + data[56:64] + struct.pack("<Q", at) + data[at : at + 20] + payload
    return (number, before, own, kind, payload) if checksum(covered) == own else None


def replay(data, synced, records):
    """Applies every commit to the records; answers how many bytes of an unfinished one follow."""
    at, end, pending = 128, 128, []
    (expected,), previous = struct.unpack_from("<Q", data, 64), data[124:128]
    while (entry := read_entry(data, at)) and entry[:2] == (expected, previous):
        number, _, previous, kind, payload = entry
        at, expected = at + 24 + len(payload), number + 1
        need(1 <= kind <= 5, f"journal: entries of type {kind} are not supported")
        pending.append((records, number, kind, payload))
        if kind == 5:
            for change in pending[:-1]:
                apply(*change)
            end, synced, pending = at, max(synced, *struct.unpack_from("<Q", payload, 8)), []
    for later in range(at, len(data), 8):
        if data[later : later + 3] == b"EJ\5" and (entry := read_entry(data, later)):
            synced = max(synced, *struct.unpack_from("<Q", entry[4], 8))
    need(synced <= end, f"journal: damaged at {at}, was whole to {synced}")
    return len(data) - end


def apply(records, number, kind, payload):
    if kind == 4:
        return records.clear()
    part, flags, key_size = struct.unpack_from("<HHH", payload)
    if kind == 3:
        key = payload[8 : 8 + key_size]
        for each in [each for each in records if each[0] == key and (flags & 1 or each[1] == part)]:
            del records[each]
        return
    timestamp, *sizes, row_size = struct.unpack_from("<qIIII", payload, 8)
    source = io.BytesIO(payload[32:])
    (revision,) = struct.unpack("<Q", source.read(8)) if flags & 64 else (0,)
    row, key, labels, metadata, text = map(source.read, (row_size, key_size, *sizes))
    record = records[key, part] if kind == 2 else {"vector": items(row, "e"), "revision": revision}
    names, source = [], io.BytesIO(labels)
    while size := source.read(2):
        names.append(source.read(int.from_bytes(size, "little")).decode())
    metadata = metadata if flags & 8 else None
    text = text.decode() if flags & 32 else None
    fields = {"timestamp": timestamp, "labels": names, "metadata": metadata, "text": text}
    changes = {name: fields[name] for flag, name in zip((1, 2, 4, 16), fields) if flags & flag}
    records[key, part] = record | changes | {"changeNumber": number}


def read_store(load):
    """Answers the live records and the bytes of an unfinished append; `load` reads a file."""
    manifest = load_file(load, "MANIFEST", b"M", 128)
    main_generation, journal_generation, synced = struct.unpack_from("<QQ16xQ", manifest, 32)
    main = load_file(load, f"main-{main_generation}", b"G", 16384)
    journal = load_file(load, f"journal-{journal_generation}", b"J", 128)
    need(not any(manifest[80:84] + main[40:44]), "feature bits that are not supported")
    store, named_main = manifest[16:32], manifest[32:40] + manifest[48:52]
    need(main[16:40] + main[16380:16384] == store + named_main, "a main file of another store")
    named_journal = store + manifest[40:48] + named_main + manifest[56:64]
    need(journal[16:52] + journal[56:64] == named_journal, "a journal of another store")
    records = read_main(main)
    return records, replay(journal, synced, records)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        live, unfinished = read_store(lambda name: pathlib.Path(sys.argv[1], name).read_bytes())
    except (ValueError, OSError) as error:
        sys.exit(f"damaged or not a store: {error}")
    if unfinished:
        print(f"note: {unfinished} bytes of an unfinished append were left out", file=sys.stderr)
    for key, part in sorted(live):
        line = {"key": key.decode(), "part": part} | live[key, part]
        line["revision"] = line["revision"] or None
        line["timestamp"] = None if line["timestamp"] == NO_TIMESTAMP else line["timestamp"]
        print(json.dumps(line, default=bytes.hex))
