"""A person at the board: the game, how a typed move is read, how a position is explained, and a terminal to play in."""
