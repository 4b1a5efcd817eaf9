"""NumPy's own view of arrays, for the tests.

arrays.py write FOLDER SEED    writes arrays of every kind that is read, each with its elements as raw
                               little-endian float32, and under FOLDER/refused those that are not
arrays.py records FOLDER       writes an array and its list of records
arrays.py check FOLDER         compares each NAME.npy with the bytes in NAME.raw, to the bit, and reads
                               as many records from NAME.jsonl
"""
import base64
import json
import pathlib
import sys

import numpy


def write(folder, seed):
    random = numpy.random.default_rng(seed)
    folder.mkdir()
    for element in ["<f2", "<f4", "<f8"]:
        for version in [(1, 0), (2, 0), (3, 0)]:
            for rows, dimension in [(0, 7), (1, 1), (1, 5), (3, 1), (17, 33), (300, 8)]:
                array = random.standard_normal((rows, dimension)).astype(element)
                name = f"{element[1:]}-{version[0]}-{rows}-{dimension}"
                with open(folder / f"{name}.npy", "wb") as file:
                    numpy.lib.format.write_array(file, array, version=version)
                (folder / f"{name}.raw").write_bytes(array.astype("<f4").tobytes())

    refused = folder / "refused"
    refused.mkdir()
    square = random.standard_normal((4, 4))
    arrays = {
        "fortran": numpy.asfortranarray(square),
        "big-endian": square.astype(">f4"),
        "one-dimension": square[0],
        "three-dimensions": square.reshape(2, 2, 4),
        "no-dimension": numpy.array(1.0),
        "no-components": square[:, :0],
        "objects": numpy.array([[{}, None]], dtype=object),
        "fields": numpy.zeros((2, 2), dtype=[("x", "<f4"), ("y", [("z", "<f4", (2,))])]),
        "integers": numpy.zeros((2, 2), dtype="<i4"),
        "bytes": numpy.zeros((2, 2), dtype="u1"),
        "complex": square.astype("<c8"),
        "booleans": square > 0,
        "strings": numpy.array([["a", "b"]]),
        "long-double": square.astype(numpy.longdouble),
    }
    for name, array in arrays.items():
        numpy.save(refused / f"{name}.npy", array, allow_pickle=True)


def write_records(folder):
    numpy.save(folder / "vectors.npy", numpy.eye(3))
    records = [
        {"key": "plain"},
        {
            "key": "\u00e9 \U0001f436 \x01\n",
            "labels": ["\u00df", "b"],
            "text": "\u2028",
            "timestamp": 1_700_000_000_500,
            "metadata": base64.b64encode(b"\x00\xff").decode(),
        },
        {"key": '"quoted"', "part": 3, "text": None},
    ]
    with open(folder / "records.jsonl", "w", encoding="utf-8") as file:
        for number, record in enumerate(records):
            file.write(json.dumps(record, ensure_ascii=number % 2 == 1) + "\n")


def check(folder):
    for path in sorted(folder.glob("*.npy")):
        array = numpy.load(path, allow_pickle=False)
        expected = path.with_suffix(".raw").read_bytes()
        if not array.flags.c_contiguous or array.ndim != 2 or array.tobytes() != expected:
            sys.exit(f"{path.name}: {array.dtype} {array.shape} holds other bytes")
        with open(path.with_suffix(".jsonl"), encoding="utf-8") as lines:
            keys = {json.loads(line)["key"] for line in lines}
        if len(keys) != len(array):
            sys.exit(f"{path.name}: {len(array)} rows and {len(keys)} keys")
        print(path.stem, array.dtype, *array.shape)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(pathlib.Path(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1] == "records":
        write_records(pathlib.Path(sys.argv[2]))
    else:
        check(pathlib.Path(sys.argv[2]))
