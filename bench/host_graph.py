"""Images per second over hosts: measured, forecast, and what each host for itself would add up to."""
import itertools
import shutil
import statistics
import subprocess

from small_svg import small
from tables import write_whole

# Of Okabe and Ito, which all eyes tell apart, with points that print tells.
STYLES = [("#0072B2", 7), ("#D55E00", 5), ("#009E73", 9), ("#CC79A7", 11), ("#E69F00", 13),
          ("#56B4E9", 6), ("#000000", 4)]


class GraphError(Exception):
    """What cannot be drawn here, and what to do."""


class Curve:
    """One way of training; `measured` and `forecast`: a list of rounds for each number of hosts."""

    def __init__(self, title, measured, forecast=None):
        self.title, self.measured, self.forecast = title, measured, forecast or {}


def block(name, rounds):
    lines = (f"{hosts} {statistics.median(found)} {min(found)} {max(found)}\n"
             for hosts, found in sorted(rounds.items()))
    return f"${name} << END\n{''.join(lines)}END\n"


def lines_of(number, curve, style):
    colour, point = style
    yield (f"$measured{number} using 1:2:3:4 with yerrorlines linewidth 2 linecolor rgb '{colour}' "
           f"pointtype {point} title '{curve.title}'")
    if curve.forecast:
        yield (f"$forecast{number} using 1:2 with lines linewidth 2 dashtype 3 "
               f"linecolor rgb '{colour}' notitle")


def script(title, curves):
    blocks = "".join(block(f"measured{i}", curve.measured) + block(f"forecast{i}", curve.forecast)
                     for i, curve in enumerate(curves))
    hosts = sorted(curves[0].measured)
    one = statistics.median(curves[0].measured[hosts[0]])
    shown = [words for i, (curve, style) in enumerate(zip(curves, itertools.cycle(STYLES)))
             for words in lines_of(i, curve, style)]
    if any(curve.forecast for curve in curves):
        shown.append("NaN with lines linewidth 2 dashtype 3 linecolor rgb '#000000' "
                     "title 'dotted: the forecast of each'")
    shown.append(f"{one / hosts[0]} * x with lines linewidth 1 dashtype 2 linecolor rgb '#000000' "
                 "title 'each as fast as one alone'")
    return f"""set terminal svg size 760,600 font 'sans,14' background 'white'
{blocks}set title '{title}' noenhanced
set xlabel 'hosts'
set ylabel 'images per second'
set grid
set key outside bottom center Left reverse maxcols 2 noenhanced
set xrange [{hosts[0] - 0.15}:{hosts[-1] + 0.15}]
set xtics 1
set yrange [0:*]
plot {", ".join(shown)}
"""


def check_gnuplot():
    if shutil.which("gnuplot") is None:
        raise GraphError("gnuplot is missing: run scripts/install-dependencies")


def draw(title, curves, file):
    check_gnuplot()
    done = subprocess.run(["gnuplot"], input=script(title, curves), text=True, capture_output=True)
    if done.returncode != 0:
        raise GraphError(f"gnuplot cannot draw {file}: {done.stderr.strip()}")
    write_whole(file, small(done.stdout))
