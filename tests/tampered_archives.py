#!/usr/bin/env python3
"""Gives scripts/adopt archives that were tampered with: tampered_archives.py ADOPT ARCHIVE FOLDER

Archives that were changed deliberately must be refused with a sentence and exit status 4, within a minute, and nothing
may be written. Archives that were changed at random, most of them with valid hashes, may be accepted, but must not
crash the script. BANKLINE_TEST_SEED is the seed, which is printed.
"""

import gzip
import hashlib
import io
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile

TOP = "bankline-day-one"
BY_CHANCE = 40


def read(path):
    with tarfile.open(path) as tar:
        return {member.name.partition("/")[2]: tar.extractfile(member).read() for member in tar if member.isfile()}


def with_hashes(files):
    """Returns the files with a new manifest, which lists their actual hashes and sizes."""
    kept = [line for line in files["manifest.txt"].decode().splitlines() if not line.startswith("file = ")]
    for name in sorted(files.keys() - {"manifest.txt"}):
        kept.append(f"file = {hashlib.sha256(files[name]).hexdigest()} {len(files[name])} {name}")
    return {**files, "manifest.txt": ("\n".join(kept) + "\n").encode()}


def tar_of(files, extra=()):
    """A tar archive in the form that day-one writes. extra: additional members as (TarInfo, data)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(f"{TOP}/{name}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for info, data in extra:
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def member(name, kind=tarfile.REGTYPE, link="", data=b""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(data)
    return info, data


def replaced(files, name, old, new, count=1):
    text = files[name]
    assert old in text, (name, old)
    return gzip.compress(tar_of(with_hashes({**files, name: text.replace(old, new, count)})))


def without(files, name):
    return {own: data for own, data in files.items() if own != name}


def by_hand(files):
    """Yields pairs: the description of a deliberate change, and the changed archive."""
    plain = gzip.compress(tar_of(files))
    link = tarfile.SYMTYPE
    for what, info, data in (
            ("a path to a parent folder", *member(f"{TOP}/../../evil", data=b"x")),
            ("an absolute path", *member("/tmp/bankline-evil", data=b"x")),
            ("a symbolic link", *member(f"{TOP}/page.html", link, "/etc/passwd")),
            ("a hard link", *member(f"{TOP}/page.html", tarfile.LNKTYPE, f"{TOP}/log.txt")),
            ("a device", *member(f"{TOP}/page.html", tarfile.CHRTYPE)),
            ("a FIFO", *member(f"{TOP}/page.html", tarfile.FIFOTYPE)),
            ("a folder", *member(f"{TOP}/folder", tarfile.DIRTYPE)),
            ("an unknown name", *member(f"{TOP}/run.sh", data=b"x")),
            ("a file twice", *member(f"{TOP}/log.txt", data=b"x"))):
        yield what, gzip.compress(tar_of(without(files, "page.html"), [(info, data)]))
    yield "a name with a newline", gzip.compress(tar_of(files, [member(f"{TOP}/a\nb", data=b"x")]))
    yield "a name with an escape sequence", gzip.compress(tar_of(files, [member(f"{TOP}/\x1b[2J", data=b"x")]))
    yield "a file that unpacks to 80 MiB", gzip.compress(tar_of(with_hashes({**files, "log.txt": bytes(80 << 20)})))
    yield "many empty blocks", gzip.compress(tar_of(files) + bytes(100 << 20))
    yield "a large file", plain + os.urandom(3_000_000)
    yield "a byte after the archive", plain + b"x"
    yield "bytes after the last file", gzip.compress(tar_of(files) + b"x" * 512)
    yield "half of the archive", plain[:len(plain) // 2]
    yield "an empty file", b""
    yield "a file that is not compressed", tar_of(files)
    yield "a file that is not a tar archive", gzip.compress(b"x" * 4096)
    size = bytearray(tar_of(files))
    size[124:136] = b"77777777777\0"
    yield "a size larger than the archive", gzip.compress(bytes(size))
    yield "a file that was changed", gzip.compress(tar_of({**files, "infer.csv": files["infer.csv"] + b"\n"}))
    yield "a file that is not listed", gzip.compress(tar_of({**with_hashes(without(files, "log.txt")), "log.txt": b"x"}))
    yield "a file that is missing", gzip.compress(tar_of(with_hashes(without(files, "infer.csv"))))
    for what, name, old, new in (
            ("another schema", "manifest.txt", b"bankline-day-one = 1", b"bankline-day-one = 2"),
            ("a host's name", "manifest.txt", b"host = ", b"host = my-computer"),
            ("an invalid version", "manifest.txt", b"tool_version = 0", b"tool_version = $(id)"),
            ("a key twice", "manifest.txt", b"system = ", b"host = 0123456789ab\nsystem = "),
            ("an escape in a device's name", "infer.csv", b"local-reads", b"\x1b]0;x\x07"),
            ("bytes that are not UTF-8", "infer.csv", b"local-reads", b"\xff\xfe"),
            ("a mark that changes the text direction", "inferred.machine", b"name = ", "name = \u202e".encode()),
            ("an unclosed quote", "infer.csv", b",value,banks,", b',value,"banks,'),
            ("an extra field", "infer.csv", b",value,banks,", b",value,,banks,"),
            ("a huge field", "infer.csv", b",value,banks,", b",value,banks" + b"x" * 100_000 + b","),
            ("a formula", "infer.csv", b",value,banks,", b",value,=cmd|banks,"),
            ("an impossible number of banks", "infer.csv", b",value,banks,65,", b",value,banks,1e9,"),
            ("banks that are not a number", "infer.csv", b",value,banks,65,", b",value,banks,nan,"),
            ("other banks than were measured", "infer.csv", b",value,banks,65,", b",value,banks,64,"),
            ("lanes in another form of number", "infer.csv", b",value,lanes,16,", b",value,lanes,1.6e1,"),
            ("an impossible hypothesis", "infer.csv", b",65x8,", b",999x8,"),
            ("a hypothesis that is a path", "infer.csv", b",65x8,", b",../../x,"),
            ("a probability beyond 1", "infer.csv", b",16x4,,,,", b",16x4,,,,2,,,,,,,,,\n"),
            ("a machine that is a path", "infer.csv", b",hypothesis,intel-xe-hpg,", b",hypothesis,/etc/passwd,"),
            ("an unknown record", "infer.csv", b",point,", b",pointer,"),
            ("an invalid machine file", "inferred.machine", b"banks = ", b"banks = x"),
            ("other banks in the machine", "inferred.machine", b"\nbanks = 65", b"\nbanks = 64"),
            ("a case that names a host", "cases.csv", b",global/1,", b",global/1,x,")):
        yield what, replaced(files, name, old, new)
    yield "probabilities that add up to more than 1", gzip.compress(tar_of(with_hashes(
        {**files, "infer.csv": re.sub(rb"(?<=,16x4,,,,)[^,]*", b"0.5", files["infer.csv"])})))
    swapped = files["infer.csv"].replace(b",65x8,", b",@,").replace(b",64x8,", b",65x8,").replace(b",@,", b",64x8,")
    swapped = swapped.replace(b",value,banks,65,", b",value,banks,64,")
    machine = files["inferred.machine"].replace(b"\nbanks = 65", b"\nbanks = 64")
    yield "a result that its points do not support", gzip.compress(tar_of(with_hashes(
        {**files, "infer.csv": swapped, "inferred.machine": machine})))


def by_chance(files, draw):
    """Returns an archive in which a few random bytes of one file, or of the whole tar archive, are changed."""
    if draw.random() < 0.3:
        data = bytearray(tar_of(files))
        for _ in range(draw.randint(1, 8)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        return gzip.compress(bytes(data))
    name = draw.choice(["infer.csv", "manifest.txt", "inferred.machine", "cases.csv"])
    text = bytearray(files[name])
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(text))
        if draw.random() < 0.3:
            text[at:at + draw.randint(0, 200)] = b""
        elif draw.random() < 0.5:
            text[at:at] = draw.choice([b",", b'"', b"\n", b"-", b"9" * 30, b"0x", b"nan", b"=", b"\x00", b"1e999", b"\xc3"])
        else:
            text[at] = draw.randrange(32, 127)
    changed = {**files, name: bytes(text)}
    try:
        return gzip.compress(tar_of(with_hashes(changed)))
    except UnicodeDecodeError:
        return gzip.compress(tar_of(changed))


def main():
    adopt, archive, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    seed = int(os.environ.get("BANKLINE_TEST_SEED", "20261124"))
    files = read(archive)
    tree = folder / "tampered-tree"
    (tree / "results" / "machines").mkdir(parents=True)
    wrong = 0

    def give(what, data, allowed, command, says=""):
        path = folder / "tampered.tar.gz"
        path.write_bytes(data)
        done = subprocess.run([adopt, *command, str(path)], capture_output=True, text=True, errors="replace", timeout=60,
                              check=False)
        is_said = re.search(r"^adopt: ", done.stderr) if done.returncode == 4 else True
        made = [str(found) for found in tree.rglob("*") if found.is_file()]
        steers = re.search("[\x00-\x08\x0b-\x1f\x7f]", done.stdout + done.stderr)
        if done.returncode in allowed and says in done.stdout and is_said and not made and not steers and "Traceback" not in done.stderr:
            return 0
        print(f"FAILED: {what}: {done.returncode}, {made} {done.stdout[-200:]}{done.stderr[-300:]}")
        return 1

    count = 0
    for what, data in by_hand(files):
        wrong += give(what, data, (4,), ["--into", str(tree)])
        count += 1
    draw = random.Random(seed)
    for number in range(BY_CHANCE):
        wrong += give(f"by chance, number {number}", by_chance(files, draw), (0, 1, 4), ["--check"])
    wrong += give("unchanged", gzip.compress(tar_of(with_hashes(files))), (0,), ["--check"])
    # For these machines there are no hypotheses. If the banks of the device's generation are known, the measured banks
    # are compared with them.
    for machine, says in (("intel-gen9", "are known to be 16x4; the measured banks DIFFER"), ("cpu", "Nothing is adopted")):
        own = {**files, "infer.csv": b"".join(line for line in files["infer.csv"].splitlines(True) if b",hypothesis," not in line)}
        for name, separator in (("manifest.txt", b" "), ("cases.csv", b",")):
            own[name] = files[name].replace(separator + b"intel-xe-hpg", separator + machine.encode())
        wrong += give(f"a device of {machine}", gzip.compress(tar_of(with_hashes(own))), (0, 1), ["--check"], says)
    print(f"{count} archives tampered with by hand, {BY_CHANCE} by chance (seed {seed}), {wrong} not refused properly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
