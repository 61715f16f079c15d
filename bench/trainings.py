"""Trainings and forecasts whose steps scripts compare."""
import json
import os
import subprocess

from tables import ROOT, YOKE, fail


def training(data, out, **flags):
    """The words of one that does nothing but steps."""
    words = ["train", "--data", data, "--eval-every", "100000epochs", "--progress", "none",
             "--tensorboard", "off", "--resources", "off", "--device", "cpu", "--out", out]
    for name, value in flags.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def finish(running):
    """Waits for programs that run at a time; what they printed."""
    printed = [process.communicate()[0] for process in running]
    for process, text in zip(running, printed):
        if process.returncode != 0:
            fail(f"{' '.join(process.args)} failed ({process.returncode}):", text)
    return printed


def start(command, **options):
    return subprocess.Popen(list(map(str, command)), cwd=ROOT, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, **options)


def seconds_per_epoch(run, epochs):
    """Of the steps after the first epoch, which also builds plans and fills queues: calibrations
    leave their first steps out, too."""
    seconds = 0
    with open(f"{run}/metrics.jsonl", encoding="utf-8") as lines:
        for report in map(json.loads, lines):
            if report["split"] == "train" and report["epoch"] > 1:
                seconds += sum(report[f"{part}_seconds"]
                               for part in ("data_wait", "compute", "communication"))
    return seconds / (epochs - 1)


def predict(flags, calibration, places=(list,)):
    """The first prediction of `yoke forecast` by a file, which is made if there is none. `places` make
    of a command one that runs it somewhere: it is made at the first while the others do as much, as
    hosts that share a machine may slow each other down."""
    def forecast(place, file):
        return list(map(str, place([ROOT / YOKE, "forecast", "--mtbf-hours", "0", "--json",
                                    "--calibration", file, *flags])))

    beside = [] if os.path.exists(calibration) else places[1:]
    running = [start(forecast(place, f"{calibration}.{number}"))
               for number, place in enumerate(beside)]
    command = forecast(places[0], calibration)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    finish(running)
    if done.returncode != 0:
        fail(f"{' '.join(command)} failed:", done.stdout + done.stderr)
    return json.loads(done.stdout.splitlines()[-1])["predictions"][0]
