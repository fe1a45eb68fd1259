"""The percentages of MM-tau-p2's Tables 3 and 4, against the figures of its Table 2."""

import pytest

METRICS = ("CFA", "ARGA", "MRS", "TE", "TO", "UES", "ERR", "RTC", "CP", "CR", "IAS", "SR")

# By judge and domain: none, persona and context, each with the twelve metrics of Table 2.
TABLE_2 = {
    "gpt-4.1 retail": (
        (0.38, 0.51, 0.75, 0.98, 0.03, 0.46, 0.07, 0.89, 0.68, 0.98, 0.47, 0.43),
        (0.38, 0.44, 0.80, 0.98, -0.02, 0.47, 0.05, 2.17, 0.70, 0.92, 0.54, 0.49),
        (0.389, 0.581, 0.772, 0.986, 0.146, 0.507, 0.041, 2.57, 0.970, 1.0, 0.521, 0.49),
    ),
    "gpt-5 retail": (
        (0.44, 0.48, 0.73, 0.98, 0.03, 0.43, 0.09, 1.75, 0.47, 0.97, 0.38, 0.36),
        (0.44, 0.30, 0.67, 0.99, -0.02, 0.43, 0.05, 3.00, 0.43, 1.00, 0.49, 0.43),
        (0.429, 0.588, 0.743, 0.986, 0.146, 0.479, 0.085, 1.3, 0.247, 1.0, 0.430, 0.408),
    ),
    "gpt-4.1 telecom": (
        (0.46, 0.32, 1.06, 0.95, 0.13, 0.53, 0.31, 1.40, 0.36, 0.93, 0.26, 0.26),
        (0.46, 0.34, 1.27, 0.95, 0.20, 0.51, 0.21, 1.18, 0.26, 1.00, 0.20, 0.18),
        (0.477, 0.2, 1.164, 0.961, 0.099, 0.473, 0.242, 0.625, 0.211, 0.935, 0.140, 0.133),
    ),
    "gpt-5 telecom": (
        (0.48, 0.41, 1.00, 0.95, 0.13, 0.49, 0.31, 1.42, 0.23, 1.00, 0.23, 0.30),
        (0.47, 0.36, 0.87, 0.94, 0.20, 0.49, 0.18, 1.28, 0.20, 1.00, 0.17, 0.19),
        (0.483, 0.344, 1.125, 0.968, 0.099, 0.473, 0.192, 1.3, 0.171, 0.969, 0.149, 0.169),
    ),
}

# Tables 3 and 4: the change of none and of persona to context, in percent.
PERCENT = {
    "gpt-4.1 retail": (
        (-2.3, -12.2, -2.8, -0.6, -79.5, -9.3, 70.7, -65.4, -29.9, -2.0, -9.8, -12.2),
        (-2.3, -24.3, 3.6, -0.6, -113.7, -7.3, 22.0, -15.6, -27.8, -8.0, 3.6, 0.0),
    ),
    "gpt-5 retail": (
        (2.6, -18.4, -1.7, -0.6, -79.5, -10.2, 5.9, 34.6, 90.3, -3.0, -11.6, -11.8),
        (2.6, -49.0, -9.8, 0.4, -113.7, -10.2, -41.2, 130.8, 74.1, 0.0, 14.0, 5.4),
    ),
    "gpt-4.1 telecom": (
        (-3.6, 60.0, -9.1, -1.1, 31.3, 12.1, 28.1, 124.0, 70.6, -0.5, 85.7, 95.5),
        (-3.6, 70.0, 9.1, -1.1, 102.0, 7.8, -13.2, 88.8, 23.2, 6.9, 42.9, 35.3),
    ),
    "gpt-5 telecom": (
        (-0.6, 19.2, -11.1, -1.9, 31.3, 3.6, 61.5, 9.2, 34.5, 3.2, 54.4, 77.5),
        (-2.7, 4.7, -22.7, -2.9, 102.0, 3.6, -6.3, -1.5, 17.0, 3.2, 14.1, 12.4),
    ),
}

MISPRINTED = {("gpt-4.1 telecom", 0, "MRS"): -8.9, ("gpt-4.1 telecom", 1, "CR"): 7.0}
"""Printed percentages that contradict the printed metrics, with the right values."""


def change(cell: str, condition: int, metric: str) -> float:
    place = METRICS.index(metric)
    value, context = TABLE_2[cell][condition][place], TABLE_2[cell][2][place]
    return 100 * (value - context) / context


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("condition", [0, 1])
@pytest.mark.parametrize("cell", TABLE_2)
def test_the_printed_percentages_follow_from_the_printed_metrics(
    cell: str, condition: int, metric: str
) -> None:
    printed = PERCENT[cell][condition][METRICS.index(metric)]
    expected = MISPRINTED.get((cell, condition, metric), printed)
    assert change(cell, condition, metric) == pytest.approx(expected, abs=0.05 + 1e-9)


@pytest.mark.parametrize("place", MISPRINTED)
def test_where_the_print_contradicts_itself_it_does_so_by_more_than_rounding(
    place: tuple[str, int, str],
) -> None:
    cell, condition, metric = place
    printed = PERCENT[cell][condition][METRICS.index(metric)]
    assert abs(change(cell, condition, metric) - printed) > 0.05


@pytest.mark.parametrize("metric", ["IAS", "SR"])
def test_safety_does_not_decline_monotonically_in_retail_as_the_conclusion_says(
    metric: str,
) -> None:
    place = METRICS.index(metric)
    declines = {
        cell: conditions[0][place] > conditions[1][place] > conditions[2][place]
        for cell, conditions in TABLE_2.items()
    }
    assert declines == {
        "gpt-4.1 retail": False,
        "gpt-5 retail": False,
        "gpt-4.1 telecom": True,
        "gpt-5 telecom": True,
    }
