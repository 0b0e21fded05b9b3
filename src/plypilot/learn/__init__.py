"""Learners: each improves one decision of a pilot, in runs that resume."""
