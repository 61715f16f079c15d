"""Numbers that a script's flags allow, as types for argparse."""
import argparse
import math


def whole_from(least):
    """A type that takes whole numbers of at least `least`."""
    def number(text):
        if not text.strip().isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"is {text}; allowed: a whole number of at least {least}")
        return int(text)
    return number


count = whole_from(1)


def above_zero(text):
    """A type that takes finite numbers above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"is {text}; allowed: a number above 0")
    return number
