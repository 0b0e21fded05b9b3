"""The extension rules and null moves of Smith 4.4 as settings of a search, and what the seed measured of each (A.1)."""

from __future__ import annotations

CHECKS_1: dict[str, object] = {"depth.evasion": 0}
CHECKS_2: dict[str, object] = {"depth.categories": [[["check"], 0]]}
RECAPTURES: dict[str, object] = {"depth.recapture": True}
SINGULAR_1: dict[str, object] = {"depth.singular": 1, "depth.singular_search": True}
SINGULAR_2: dict[str, object] = {"depth.singular": 2, "depth.singular_search": True}
NULL_1: dict[str, object] = {"pruning.null_reduction": 1, "pruning.null_plies": 1}
NULL_2: dict[str, object] = {"pruning.null_reduction": 2, "pruning.null_plies": 1}
RULES: dict[str, dict[str, object]] = {
    "None": {},
    "Checks (1)": CHECKS_1,
    "Checks (2)": CHECKS_2,
    "Recapts": RECAPTURES,
    "SingEx (1)": SINGULAR_1,
    "SingEx (2)": SINGULAR_2,
    "Null (1)": NULL_1,
    "Null (2)": NULL_2,
    "Checks+Recapts": CHECKS_1 | RECAPTURES,
    "Checks+SingEx": CHECKS_1 | SINGULAR_1,
    "Checks+Null": CHECKS_1 | NULL_2,
    "Recapts+SingEx": RECAPTURES | SINGULAR_1,
    "Recapts+Null": RECAPTURES | NULL_2,
    "SingEx+Null": SINGULAR_1 | NULL_2,
    "Checks+Recapts+SingEx": CHECKS_1 | RECAPTURES | SINGULAR_1,
    "Checks+Recapts+Null": CHECKS_1 | RECAPTURES | NULL_2,
    "Checks+SingEx+Null": CHECKS_1 | SINGULAR_1 | NULL_2,
    "Recapts+SingEx+Null": RECAPTURES | SINGULAR_1 | NULL_2,
    "Checks+Recapts+SingEx+Null": CHECKS_1 | RECAPTURES | SINGULAR_1 | NULL_2,
}
VARIANTS: dict[str, dict[str, object]] = {
    "All captures": {"depth.categories": [[["capture"], 0]]},
    "Recapts by search alone": RECAPTURES | {"depth.recapture_rule": "search"},
    "Recapts in the window": RECAPTURES | {"depth.recapture_rule": "window"},
    "Recapts by captures": RECAPTURES | {"depth.recapture_rule": "captures"},
}
"""What the seed tried and left out (4.4.6.2, 4.4.6.4)."""
BANDS = {"4,5": (4, 5), "6,7": (6, 7), "8,9": (8, 9), "10+": (10, 99), "all": (0, 99)}
SEED = {
    "None": ((4_629, 0, 0), (57_563, 0, 0), (938_020, 0, 0), (6_163_974, 0, 0)),
    "Checks (1)": ((2_371, 0, 0), (16_653, 0, 0), (256_297, 0, 0), (261_505, 0, 0)),
    "Checks (2)": ((2_383, 0, 0), (16_437, 0, 0), (233_815, 0, 0), (270_848, 0, 0)),
    "Recapts": ((5_540, 0, 418), (64_717, 0, 5_868), (1_011_942, 0, 110_866), (4_935_880, 0, 382_129)),
    "SingEx (1)": ((5_907, 1_844, 0), (55_069, 27_363, 0), (788_802, 525_406, 0), (1_879_844, 1_411_035, 0)),
    "SingEx (2)": ((6_045, 903, 0), (85_675, 26_038, 0), (1_286_284, 491_437, 0), (2_115_379, 984_997, 0)),
    "Null (1)": ((3_595, 0, 0), (33_056, 0, 0), (380_517, 0, 0), (3_029_223, 0, 0)),
    "Null (2)": ((3_508, 0, 0), (23_263, 0, 0), (197_845, 0, 0), (915_340, 0, 0)),
    "Checks+Recapts": ((1_795, 0, 165), (19_789, 0, 2_250), (180_101, 0, 20_562), (149_016, 0, 11_736)),
    "Checks+SingEx": ((2_101, 477, 0), (22_513, 10_935, 0), (177_606, 103_737, 0), (403_320, 263_192, 0)),
    "Checks+Null": ((1_997, 0, 0), (9_294, 0, 0), (140_783, 0, 0), (115_929, 0, 0)),
    "Recapts+SingEx": (
        (6_029, 1_815, 496),
        (68_813, 34_814, 5_802),
        (976_091, 649_029, 101_218),
        (1_412_164, 1_000_304, 105_208),
    ),
    "Recapts+Null": ((3_755, 0, 260), (26_045, 0, 2_627), (259_312, 0, 31_899), (991_379, 0, 119_945)),
    "SingEx+Null": ((6_946, 2_709, 0), (37_974, 21_994, 0), (343_603, 241_732, 0), (735_651, 520_956, 0)),
    "Checks+Recapts+SingEx": (
        (2_516, 558, 200),
        (26_161, 12_240, 2_211),
        (264_912, 158_925, 27_441),
        (344_303, 213_587, 22_197),
    ),
    "Checks+Recapts+Null": ((2_159, 0, 124), (10_556, 0, 808), (74_940, 0, 8_054), (105_361, 0, 8_023)),
    "Checks+SingEx+Null": ((2_923, 768, 0), (17_048, 8_814, 0), (120_453, 78_039, 0), (357_950, 243_961, 0)),
    "Recapts+SingEx+Null": (
        (6_299, 2_351, 444),
        (48_230, 27_607, 4_139),
        (421_994, 301_593, 41_525),
        (551_898, 364_679, 51_344),
    ),
    "Checks+Recapts+SingEx+Null": (
        (3_433, 1_015, 218),
        (19_983, 10_432, 1_326),
        (145_299, 95_805, 12_805),
        (339_507, 225_970, 26_344),
    ),
}
"""Table A.1, by band: c-nodes, and of these what singular and recapture detection took."""
