# SPDX-License-Identifier: GPL-3.0-or-later
"""What the artist set: properties, roles, the domain, and what follows from them. Knows nothing of bakes and of playback."""
