"""Games and series of games: matches and tournaments tell who is better, and how sure that is."""
