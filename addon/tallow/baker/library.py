# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds and loads the native library, and mirrors the parts of tallow.h that a bake needs."""

import ctypes
import os
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_float, c_int, c_int64, c_void_p
from pathlib import Path
from typing import List, Optional

ABI_VERSION = 5
DEPENDENCIES = "dependencies.txt"  # next to the library in a release

SLICE_NUMBERS = 6  # TLW_SLICE_NUMBERS

LogFn = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
CancelFn = CFUNCTYPE(c_bool, c_void_p)
ProgressFn = CFUNCTYPE(None, c_void_p, c_double, c_char_p)
EventFn = CFUNCTYPE(None, c_void_p, c_char_p)


class ContextDef(Structure):
    """tlwContextDef"""
    _fields_ = [("log", LogFn), ("cancel", CancelFn), ("progress", ProgressFn), ("user", c_void_p),
                ("threads", c_int), ("cookie", c_int)]


class BakeDef(Structure):
    """tlwBakeDef"""
    _fields_ = [("scene", c_char_p), ("cache", c_char_p), ("frame_first", c_int), ("frame_last", c_int),
                ("resume", c_bool), ("frame_from", c_int), ("event", EventFn), ("event_user", c_void_p), ("cookie", c_int)]


class MeshDef(Structure):
    """tlwMeshDef"""
    _fields_ = [("scene", c_char_p), ("cache", c_char_p), ("frame_first", c_int), ("frame_last", c_int), ("detail", c_int),
                ("smoothing", c_int), ("event", EventFn), ("event_user", c_void_p), ("cookie", c_int)]


class MeltDef(Structure):
    """tlwMeltDef"""
    _fields_ = [("scene", c_char_p), ("cells", c_int), ("share", c_double), ("frame", c_int), ("cookie", c_int)]


class MeltPlan(Structure):
    """tlwMeltPlan"""
    _fields_ = [("found", c_bool), ("speed", c_double), ("most", c_double), ("strength", c_double),
                ("simulations", c_int), ("heat_steps", c_int), ("flow_runs", c_int), ("flow_steps", c_int)]


class LibraryError(Exception):
    """The library cannot be used; the text is for the artist."""


def file_name() -> str:
    return {"win32": "tallow.dll", "darwin": "libtallow.dylib"}.get(sys.platform, "libtallow.so")


def candidates(given: Optional[str] = None) -> List[Path]:
    """Where the library may be, in order: the environment, a release's own folder, the preferences, the repository."""
    addon = Path(__file__).resolve().parent.parent
    named = [Path(text) for text in (os.environ.get("TALLOW_LIBRARY"),) if text]
    preferred = [Path(given)] if given else []
    return named + [addon / "lib" / file_name()] + preferred + [addon.parent.parent / "build" / file_name()]


def find(given: Optional[str] = None) -> Path:
    for path in candidates(given):
        path = path / file_name() if path.is_dir() else path
        if path.is_file():
            return path.resolve()
    places = ", ".join(str(path.parent) for path in candidates(given))
    raise LibraryError(f"Tallow's native library ({file_name()}) is missing. Looked in: {places}. In Tallow's "
                       "repository, cmake --build build --target addon-zip makes a zip that has it. Or set its place in Edit > "
                       "Preferences > Add-ons > Tallow.")


def load(path: Path) -> ctypes.CDLL:
    """The library with its functions declared, after the version check."""
    try:
        preload(path.parent / DEPENDENCIES)
        library = ctypes.CDLL(str(path))
        library.tlwGetAbiVersion.restype = c_int
        library.tlwGetAbiVersion.argtypes = []
    except (OSError, AttributeError) as error:
        raise LibraryError(f"Tallow's native library at {path} does not load: {error}") from None
    version = library.tlwGetAbiVersion()
    if version != ABI_VERSION:
        raise LibraryError(f"The native library at {path} belongs to another version of this add-on (interface {version}, "
                           f"expected {ABI_VERSION}). Install both from the same release.")
    try:
        _declare(library)
    except AttributeError as error:
        raise LibraryError(f"The native library at {path} is incomplete: {error}") from None
    return library


def preload(listing: Path) -> None:
    """Load the shared objects that a release carries, in the order of its list: the first of each come first.

    A library that is loaded already satisfies the others that ask for it by name, wherever the linker would look.
    """
    if listing.is_file():
        for name in listing.read_text(encoding="utf-8").split():
            ctypes.CDLL(str(listing.parent / name), mode=ctypes.RTLD_GLOBAL)


def _declare(library: ctypes.CDLL) -> None:
    for name, result, arguments in (
        ("tlwGetVersion", c_char_p, []),
        ("tlwDefaultContextDef", ContextDef, []),
        ("tlwDefaultBakeDef", BakeDef, []),
        ("tlwCreateContext", c_int, [POINTER(ContextDef), POINTER(c_void_p)]),
        ("tlwDestroyContext", None, [c_void_p]),
        ("tlwGetMessage", c_char_p, [c_void_p]),
        ("tlwGetResultName", c_char_p, [c_int]),
        ("tlwDefaultMeltDef", MeltDef, []),
        ("tlwFindMeltSpeed", c_int, [c_void_p, POINTER(MeltDef), POINTER(MeltPlan)]),
        ("tlwBake", c_int, [c_void_p, POINTER(BakeDef)]),
        ("tlwDefaultMeshDef", MeshDef, []),
        ("tlwMeshAgain", c_int, [c_void_p, POINTER(MeshDef)]),
        ("tlwReadSlice", c_int, [c_void_p, c_char_p, c_int, c_double, POINTER(c_float), c_int64, POINTER(c_int64)]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
