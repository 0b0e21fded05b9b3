"""Other engines: programs that speak UCI or USI, their options, and how games are written to them."""
