# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that does not need Blender: files, settings, the baker process. Tested without it."""
