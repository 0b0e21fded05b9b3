"""Lines of Action: the seven features of MIA (Kocsis 2003, 2.1.3), whose learned weights are not published."""

MIA = {
    "concentration": 600.0,
    "centre_of_mass": 7.0,
    "centralisation": 20.0,
    "quads": 10.0,
    "mobility": 3.0,
    "walls": 20.0,
    "side_to_move": 10.0,
}


def weights() -> dict[str, dict[str, float]]:
    """A copy of the table above."""
    return {"mia": dict(MIA)}
