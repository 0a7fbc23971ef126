# SPDX-License-Identifier: GPL-3.0-or-later
"""From a scene to a bake on the disk: export, the baker process, and where bakes are. Does not know who shows them."""
