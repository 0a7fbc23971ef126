#!/usr/bin/env python3
"""clang-tidy over the C and C++ of native/, as .clang-tidy says. The last line is `N passed, N failed`, in files.

    tests/tidy.py BUILD_FOLDER             all that the build compiles
    tests/tidy.py BUILD_FOLDER FILE...     these
    tests/tidy.py BUILD_FOLDER --changed   those that differ from the branch that this one comes from
"""

import json
import re
import subprocess
import sys
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import List, Tuple

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = tuple(str(ROOT / "native" / name) + "/" for name in ("src", "cli", "bridge"))
# "#pragma GCC ivdep" is for GCC, and flags that only GCC has are no defect.
OPTIONS = ["--quiet", "--warnings-as-errors=*", "--extra-arg=-Wno-unknown-pragmas",
           "--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-unused-command-line-argument"]
NOISE = re.compile(r"^\d+ warnings?( and \d+ errors?)? (generated|treated as errors?)|^Suppressed ", re.M)


def compiled(build: Path) -> List[str]:
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return sorted({entry["file"] for entry in commands if entry["file"].startswith(FOLDERS)})


def git(*arguments: str) -> List[str]:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else []


def changed(build: Path) -> List[str]:
    """Sources that differ from the upstream branch, or from the last commit where there is none."""
    origin = git("merge-base", "HEAD", "@{upstream}") or git("merge-base", "HEAD", "origin/HEAD") or ["HEAD"]
    names = git("diff", "--name-only", origin[0]) + git("ls-files", "--others", "--exclude-standard")
    return sorted({str(ROOT / name) for name in names} & set(compiled(build)))


def check(build: Path, file: str) -> Tuple[str, bool, str]:
    """One process per file: with several, clang-tidy 14 takes every va_list of the later ones for uninitialised."""
    done = subprocess.run(["clang-tidy", "-p", str(build), *OPTIONS, file], capture_output=True, text=True)
    return file, done.returncode == 0, done.stdout + "\n".join(
        line for line in done.stderr.splitlines() if not NOISE.search(line))


def main() -> int:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    if sys.argv[2:] == ["--changed"]:
        files = changed(build)
        print(f"{len(files)} files differ from the branch that this one comes from")
    else:
        files = [str(Path(name).resolve()) for name in sys.argv[2:]] or compiled(build)
    failed = 0
    with ThreadPool(2) as pool:
        for file, clean, words in pool.imap(lambda file: check(build, file), files):
            if not clean:
                failed += 1
                print(f"{Path(file).relative_to(ROOT)}\n{words.replace(str(ROOT) + '/', '')}", flush=True)
    print(f"{len(files) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
