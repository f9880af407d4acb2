"""What a menu on the dealer's screen may take, for whoever makes one.

Imports nothing: a table without displays must be able to ask.
"""

LINES = 6
"""Lines that fit, the title among them. What is beyond is not shown."""
COLUMNS = 21
"""Characters of a line that fit. What is beyond is cut off."""
SELECTED = "> "
"""How the selected line begins."""
