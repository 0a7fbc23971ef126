# SPDX-License-Identifier: GPL-3.0-or-later
"""What the artist sees and presses: panels, operators, pictures over the view, preferences."""
