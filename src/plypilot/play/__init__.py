"""Matches and tournaments: who is better, and how sure that is."""
