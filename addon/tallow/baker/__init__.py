# SPDX-License-Identifier: GPL-3.0-or-later
"""The baker: a plain Python with its standard library that loads the native one. Run as `python <this folder>`."""
