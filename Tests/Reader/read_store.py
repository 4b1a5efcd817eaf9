#!/usr/bin/env python3
"""Lists the live records of an embedding store as JSON Lines: `read_store.py <directory>`.

Written from Docs/FileFormat.md alone, with nothing but the standard library, to prove that the page
is enough. Checks every byte of MANIFEST, main file and journal, also those that have to be zero;
exits with status 1 and a message when one is damaged. An unfinished append at the end of the
journal is only noted on stderr.
"""

import array
import json
import os
import struct
import sys

NONE32, NO_TIMESTAMP, MIB = 2**32 - 1, -(2**63), 1 << 20


class Damage(Exception):
    pass


def need(condition, message):
    if not condition:
        raise Damage(message)


def crc_step(value, bits):
    for _ in range(bits):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


# What the lower and the upper half of a word of 32 bits do to the register.
CRC_UPPER = [crc_step(value, 16) for value in range(1 << 16)]
CRC_LOWER = [CRC_UPPER[value & 0xFFFF] ^ value >> 16 for value in CRC_UPPER]


def crc32c(data):
    crc, whole = 0xFFFFFFFF, len(data) & ~3
    words = array.array("I", data[:whole])
    if sys.byteorder == "big":
        words.byteswap()
    for word in words:
        word ^= crc
        crc = CRC_LOWER[word & 0xFFFF] ^ CRC_UPPER[word >> 16]
    for byte in data[whole:]:
        crc = crc_step(crc ^ byte, 8)
    return crc ^ 0xFFFFFFFF


def masked_crc(data):
    crc = crc32c(data)
    return (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF


def key_hash(key):
    value = 0xCBF29CE484222325
    for byte in key:
        value = (value ^ byte) * 0x100000001B3 & 2**64 - 1
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor & 2**64 - 1
    return value ^ value >> 33


def lz4_block(data, size):
    out, at = bytearray(), 0

    def length(nibble):
        nonlocal at
        total, byte = nibble, 255
        while (nibble == 15) and byte == 255:
            byte = data[at]
            at += 1
            total += byte
        return total

    try:
        while at < len(data):
            token = data[at]
            at += 1
            count = length(token >> 4)
            need(at + count <= len(data), "literals beyond the end of a block")
            out += data[at : at + count]
            at += count
            if at == len(data):
                break
            distance = data[at] | data[at + 1] << 8
            at += 2
            need(0 < distance <= len(out), "a match before the start of a block")
            count = length(token & 15) + 4
            need(len(out) + count <= size, "a block that is too long")
            while count > 0:
                piece = out[-distance:][:count]
                out += piece
                count -= len(piece)
    except IndexError:
        raise Damage("a compressed block that ends early") from None
    need(len(out) == size, "a compressed block of another size")
    return bytes(out)


def head(data, name, magic, size, incompatible_at=None):
    """Checks what MANIFEST, main file and journal begin with; answers the masked checksum."""
    need(data[:8] == b"\x89" + magic + b"\r\n\x1a\n", f"{name}: another magic")
    need(len(data) >= size, f"{name}: {len(data)} bytes")
    version, byte_count = struct.unpack_from("<II", data, 8)
    need(version == 1, f"{name}: format version {version} is not supported")
    (stored,) = struct.unpack_from("<I", data, size - 4)
    need(masked_crc(data[: size - 4]) == stored, f"{name}: checksum of the header")
    need(byte_count == size, f"{name}: size of the header")
    if incompatible_at is not None:
        (bits,) = struct.unpack_from("<I", data, incompatible_at)
        need(bits == 0, f"{name}: feature bits {bits:#x} are not supported")
    return stored


def zero(data, start, end, name):
    need(not data[start:end].strip(b"\0"), f"{name}: bytes {start} to {end} are not zero")


def row_values(data, dimension):
    row = struct.unpack_from(f"<{dimension}e", data)
    need(all(abs(value) < float("inf") for value in row), "a row that is not finite")
    return row


def read_manifest(data):
    name = "MANIFEST"
    head(data, name, b"ESM", 128, 80)
    need(len(data) == 128, "MANIFEST: length")
    zero(data, 52, 56, name)
    zero(data, 92, 124, name)
    fields = ("main", "journal", "main_checksum", "salt", "synced", "last")
    manifest = dict(zip(fields, struct.unpack_from("<QQI4xQQQ", data, 32)))
    manifest["id"] = data[16:32]
    need(manifest["last"] >= max(manifest["main"], manifest["journal"]), "MANIFEST: generations")
    return manifest


class MainFile:
    def __init__(self, data, manifest):
        need(len(data) >= 16384, "main file: too short")
        checksum = head(data, "main file", b"ESG", 16384, 40)
        (generation,) = struct.unpack_from("<Q", data, 32)
        need(
            (data[16:32], generation, checksum)
            == (manifest["id"], manifest["main"], manifest["main_checksum"]),
            "main file: not the one that MANIFEST names",
        )
        self.data = data
        section_count, size, self.rows, self.dimension, self.stride = struct.unpack_from(
            "<IQQII", data, 52
        )
        element, normalisation, hashing, block = struct.unpack_from("<BBHI", data, 80)
        self.last_sequence, length, flags, table, count, table_checksum = struct.unpack_from(
            "<QfIQII", data, 88
        )
        model_size, revision_size = struct.unpack_from("<HH", data, 120)
        need(size == len(data), "main file: length")
        need(1 <= self.dimension <= 4096, "main file: dimension")
        need(self.stride == (2 * self.dimension + 63) // 64 * 64, "main file: stride")
        need((element, hashing, block) == (1, 1, 65536) and normalisation <= 1, "main file: kinds")
        need(0 <= length < float("inf") and flags <= 1, "main file: length of rows or flags")
        need(1 <= model_size <= 1024 and revision_size <= 256, "main file: model or revision")
        data[128 : 128 + model_size].decode(), data[1152 : 1152 + revision_size].decode()
        for start, end in ((124, 128), (128 + model_size, 1152), (1152 + revision_size, 2048)):
            zero(data, start, end, "main file")
        zero(data, 2048 + 32 * section_count, 16380, "main file")
        need(section_count <= 64 and 16384 <= table <= size, "main file: sections or table")
        need((table - 16384 + 65535) // 65536 == count, "main file: number of blocks")
        need(size - table == 4 * count, "main file: size of the checksum table")
        need(masked_crc(data[table:]) == table_checksum, "main file: checksum of the table")
        for index, expected in enumerate(struct.unpack_from(f"<{count}I", data, table)):
            start = 16384 + 65536 * index
            actual = masked_crc(data[start : min(start + 65536, table)])
            need(actual == expected, f"main file: checksum of the block at {start}")
        self.read_sections(section_count, table)

    def read_sections(self, section_count, table):
        rows, sizes, end = self.rows, {}, 16384
        self.sections = {}
        for index in range(section_count):
            kind, flags, offset, size, items = struct.unpack_from(
                "<IIQQQ", self.data, 2048 + 32 * index
            )
            need(offset >= end and offset % 64 == 0, f"section {kind}: offset")
            need(offset + size <= table and kind not in self.sections, f"section {kind}: size")
            need(1 <= kind <= 14 or not flags & 1, f"section {kind} is not supported")
            zero(self.data, end, offset, "main file")
            end = offset + size
            self.sections[kind] = self.data[offset:end]
            sizes[kind] = (items, size)
            need(kind != 1 or offset % 16384 == 0, "rows do not begin at a page")
        zero(self.data, end, table, "main file")
        counts = {1: rows, 2: rows, 3: rows, 4: rows, 5: rows + 1, 10: rows + 1, 12: rows}
        widths = dict(zip(range(1, 15), (self.stride, 8, 8, 2, 8, 1, 8, 4, 1, 4, 4, 16, 16, 1)))
        for kind, (items, size) in sizes.items():
            need(items == counts.get(kind, items), f"section {kind}: number of items")
            width = widths.get(kind)
            need(width is None or size == items * width, f"section {kind}: size of items")
        for group in ((1, 2, 3, 4, 5, 6, 7), (8, 9, 10, 11), (12, 13, 14)):
            there = [kind in sizes for kind in group]
            need(all(there) or not any(there) and group[0] > 1, f"sections {group}: some missing")

    def items(self, kind, code):
        width = struct.calcsize("<" + code)
        return struct.unpack(f"<{len(self.sections[kind]) // width}{code}", self.sections[kind])

    def pieces(self, offsets_kind, code, values):
        """The runs of `values` that a section of offsets cuts it into."""
        offsets = self.items(offsets_kind, code)
        ends = offsets[:1] + offsets[-1:]
        need(ends == (0, len(values)), f"section {offsets_kind}: ends")
        pairs = list(zip(offsets, offsets[1:]))
        need(all(start <= end for start, end in pairs), f"section {offsets_kind}: order")
        return [values[start:end] for start, end in pairs]

    def records(self):
        keys = self.pieces(5, "Q", self.sections[6])
        self.check_index(keys)
        labels = [[]] * self.rows
        if 8 in self.sections:
            names = [label.decode() for label in self.pieces(8, "I", self.sections[9])]
            need(names == sorted(set(names), key=str.encode), "labels: order")
            positions = self.pieces(10, "I", self.items(11, "I"))
            for row in positions:
                need(list(row) == sorted(set(row)) and max(row, default=-1) < len(names), "labels")
            labels = [[names[position] for position in row] for row in positions]
        columns = (self.items(2, "q"), self.items(3, "Q"), self.items(4, "H"))
        records = {}
        for row, (key, timestamp, change, part) in enumerate(zip(keys, *columns)):
            need(0 < change <= self.last_sequence, f"row {row}: change number")
            need(1 <= len(key) <= 65535 and (key, part) not in records, f"row {row}: key")
            vector = self.sections[1][row * self.stride :][: self.stride]
            zero(vector, 2 * self.dimension, self.stride, f"row {row}")
            metadata, text = self.details(row)
            records[key, part] = {
                "timestamp": timestamp, "changeNumber": change, "labels": labels[row],
                "metadata": metadata, "text": text, "vector": row_values(vector, self.dimension),
            }  # fmt: skip
        return records

    def check_index(self, keys):
        slots = list(struct.iter_unpack("<II", self.sections[7]))
        mask = len(slots) - 1
        need(len(slots) & mask == 0 and len(slots) > len(keys), "key index: number of slots")
        need(sum(row > 0 for row, _ in slots) == len(keys), "key index: number of rows")
        need(all(row > 0 or rest == 0 for row, rest in slots), "key index: a free slot")
        for row, key in enumerate(keys):
            code = key_hash(key)
            slot = code & mask
            while slots[slot] != (row + 1, code >> 32):
                need(slots[slot][0], f"key index: row {row} is not found")
                slot = slot + 1 & mask

    def details(self, row):
        if 12 not in self.sections:
            return None, None
        index, start, *sizes = struct.unpack_from("<IIII", self.sections[12], 16 * row)
        metadata_size, text_size = (0 if size == NONE32 else size for size in sizes)
        need(metadata_size <= 16 * MIB and text_size <= 16 * MIB, f"row {row}: size of details")
        data, end = b"", start + metadata_size + text_size
        if metadata_size + text_size > 0:
            need(16 * index < len(self.sections[13]), f"row {row}: block of details")
            offset, stored, size = struct.unpack_from("<QII", self.sections[13], 16 * index)
            data = self.sections[14][offset : offset + stored]
            need(len(data) == stored <= size <= 65536 + 32 * MIB, f"row {row}: block of details")
            need(end <= size, f"row {row}: place of details")
            data = (data if stored == size else lz4_block(data, size))[start:end]
        metadata, text = data[:metadata_size], data[metadata_size:].decode()
        return None if sizes[0] == NONE32 else metadata, None if sizes[1] == NONE32 else text


class Journal:
    def __init__(self, data, manifest, main):
        self.checksum = head(data, "journal", b"ESJ", 128)
        zero(data, 72, 124, "journal")
        generation, main_generation, checksum, dimension, salt, first = struct.unpack_from(
            "<QQIIQQ", data, 32
        )
        expected = [manifest[name] for name in ("id", "journal", "main", "main_checksum", "salt")]
        need(
            [data[16:32], generation, main_generation, checksum, salt] == expected,
            "journal: not the one that MANIFEST names",
        )
        need(dimension == main.dimension, "journal: dimension")
        need(main.last_sequence < first <= 2**62, "journal: first sequence number")
        self.data, self.sequence, self.dimension = data, first, dimension
        self.seed = data[16:40] + data[56:64]
        self.synced = manifest["synced"]

    def entry(self, at):
        """(type, sequence, checksum before, checksum, payload), or None without a valid entry."""
        if at + 24 > len(self.data):
            return None
        magic, kind, zeros, size, sequence, before, checksum = struct.unpack_from(
            "<2sBBIQII", self.data, at
        )
        end = at + 24 + size
        if magic != b"EJ" or zeros or size % 8 or size >= 1 << 31 or end > len(self.data):
            return None
        covered = self.seed + struct.pack("<Q", at) + self.data[at : at + 20]
        payload = self.data[at + 24 : end]
        if masked_crc(covered + payload) != checksum:
            return None
        return kind, sequence, before, checksum, payload

    def apply(self, records):
        """Applies every whole commit; answers the bytes of an unfinished append behind them."""
        at, committed, pending = 128, 128, []
        before, sequence = self.checksum, self.sequence
        while entry := self.entry(at):
            kind, number, previous, checksum, payload = entry
            if (number, previous) != (sequence, before):
                break
            at, before, sequence = at + 24 + len(payload), checksum, sequence + 1
            if kind != 5:
                pending.append((kind, number, payload))
                continue
            count, synced = self.commit(payload)
            need(count == len(pending), f"journal: a commit of {count} entries has {len(pending)}")
            need(synced <= at, "journal: a commit knows of bytes behind it")
            for change in pending:
                self.change(records, *change)
            committed, self.synced, pending = at, max(self.synced, synced), []
        for later in range(at, len(self.data), 8):
            if self.data[later : later + 3] == b"EJ\x05" and (entry := self.entry(later)):
                self.synced = max(self.synced, self.commit(entry[4])[1])
        need(self.synced <= committed, f"journal: damaged at {at}, was whole to {self.synced}")
        return len(self.data) - committed

    @staticmethod
    def commit(payload):
        need(len(payload) == 16 and not any(payload[4:8]), "journal: a commit's payload")
        return struct.unpack("<I4xQ", payload)

    def change(self, records, kind, number, payload):
        if kind == 4:
            need(not payload, "journal: payload of remove all")
            return records.clear()
        need(kind in (1, 2, 3), f"journal: entries of type {kind} are not supported")
        need(len(payload) >= (8 if kind == 3 else 32), "journal: a short payload")
        part, flags, key_size, label_count = struct.unpack_from("<HHHH", payload)
        if kind == 3:
            need(flags <= 1 and label_count == 0, "journal: flags of a removal")
            key, end = payload[8 : 8 + key_size], 8 + key_size
            for each in [each for each in records if each[0] == key]:
                if flags or each[1] == part:
                    del records[each]
        else:
            sizes = struct.unpack_from("<IIII", payload, 16)
            labels_size, metadata_size, text_size, row_size = sizes
            ends = [32]
            for size in (row_size, key_size, labels_size, metadata_size, text_size):
                ends.append(ends[-1] + size)
            row, key, labels, metadata, text = (payload[a:b] for a, b in zip(ends, ends[1:]))
            end = ends[-1]
            need(flags < 64 and (kind == 2 or flags & 23 == 23), "journal: flags of a change")
            need(row_size == (2 * self.dimension if kind == 1 else 0), "journal: size of a row")
            need(max(labels_size, metadata_size, text_size) <= 16 * MIB, "journal: size of details")
            record = {} if kind == 1 else dict(records.get((key, part), {}))
            need(record or kind == 1, "journal: update of a record that is not there")
            if kind == 1:
                record["vector"] = row_values(row, self.dimension)
            if flags & 1:
                (record["timestamp"],) = struct.unpack_from("<q", payload, 8)
            if flags & 2:
                record["labels"] = self.labels(labels, label_count)
            if flags & 4:
                record["metadata"] = metadata if flags & 8 else None
            if flags & 16:
                record["text"] = text.decode() if flags & 32 else None
            record["changeNumber"] = number
            records[key, part] = record
        need(0 < key_size and 0 <= len(payload) - end < 8, "journal: lengths in a payload")
        zero(payload, end, len(payload), "journal")

    @staticmethod
    def labels(data, count):
        names, at = [], 0
        for _ in range(count):
            need(at + 2 <= len(data), "journal: labels")
            (size,) = struct.unpack_from("<H", data, at)
            names.append(data[at + 2 : at + 2 + size])
            at += 2 + size
        need(at == len(data) and names == sorted(set(names)), "journal: labels")
        return [name.decode() for name in names]


def read_store(load):
    """Answers the live records and the bytes of an unfinished append; `load` reads a file."""
    try:
        manifest = read_manifest(load("MANIFEST"))
        main = MainFile(load(f"main-{manifest['main']}"), manifest)
        journal = Journal(load(f"journal-{manifest['journal']}"), manifest, main)
        records = main.records()
        return records, journal.apply(records)
    except UnicodeDecodeError as error:
        raise Damage(f"a string that is not UTF-8: {error}") from None


def main(directory):
    def load(name):
        with open(os.path.join(directory, name), "rb") as file:
            return file.read()

    try:
        records, unfinished = read_store(load)
    except (Damage, OSError) as error:
        sys.exit(f"damaged or not a store: {error}")
    if unfinished:
        print(f"note: {unfinished} bytes of an unfinished append were left out", file=sys.stderr)
    for (key, part), record in sorted(records.items(), key=lambda item: item[0]):
        metadata, timestamp = record["metadata"], record["timestamp"]
        line = {"key": key.decode(), "part": part} | record
        line["timestamp"] = None if timestamp == NO_TIMESTAMP else timestamp
        line["metadata"] = None if metadata is None else metadata.hex()
        print(json.dumps(line))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
