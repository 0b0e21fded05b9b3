"""Commands that learn: train, runs, report, learners, check-learner."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plypilot.bounds import LARGEST_SEED, MOST_GAMES, MOST_THREADS
from plypilot.cli.help import LEARN, complete_learner
from plypilot.cli.output import (
    STOPPED,
    GameName,
    Json,
    Seed,
    Ticker,
    console,
    duration,
    print_json,
    print_section,
    progress,
    table,
)

if TYPE_CHECKING:
    from plypilot.learn import Checks, Learner, Metrics, Run, State
    from plypilot.pilot import Pilot
    from plypilot.play.match import Standing

LearnerName = Annotated[
    str,
    typer.Argument(
        metavar="LEARNER",
        help="td, movemap, plies, realization, focus, widths, pruning, timing, timing-sane, "
        "or your own as module:Class.",
        autocompletion=complete_learner,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting, such as games=500 or step_size.rate=0.05; repeatable."),
]
CheckWords = Annotated[
    list[str] | None,
    typer.Option(
        "--check",
        metavar="KEY=VALUE",
        help="How the run checks itself by games: count, games, nodes, gain and others; count=0 for none. Repeatable.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="F.toml", help="Settings from a file, with the same keys; --set wins."),
]
_FIGURES = ("games", "error", "score", "wins", "draws", "losses", "moved")
"""What is told of a step, where the learner measures it; else the first few that it does."""


def add_to(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command("train", rich_help_panel=LEARN)(train)
    app.command("runs", rich_help_panel=LEARN)(list_runs)
    app.command("report", rich_help_panel=LEARN)(report)
    app.command("learners", rich_help_panel=LEARN)(list_learners)
    app.command("check-learner", rich_help_panel=LEARN)(check)


def train(
    learner_name: LearnerName,
    game: GameName,
    pilot: Annotated[
        str | None, typer.Option("--pilot", metavar="F", help="Start from it: a file, baseline or plain.")
    ] = None,
    settings: Settings = None,
    config: Config = None,
    check_words: CheckWords = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", min=0, max=LARGEST_SEED, metavar="N", help="Decides all that is left to chance; 0 unless said."
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", min=1, max=MOST_THREADS, metavar="N", help="Games played at once.")
    ] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="The run folder; runs/LEARNER-GAME-SEED.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in the folder, as it was set.")] = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Write the figures for TensorBoard too, into the folder.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Let a learner improve a pilot, in a run folder that keeps every step.

    plypilot train td loa --set games=500 --set depth=2 --workers 2

    Without --pilot it starts from the baseline: its search, and the weights of its evaluation. Now and then what was
    learned plays the start and the best so far; best.pilot is what won, or the start itself where nothing did.
    A finished run is made longer with --resume --set games=4000.
    """
    from plypilot import learn

    folder = out or Path("runs") / f"{learner_name}-{game}-{seed or 0}".replace(":", ".")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder}: is a file, expected a folder for the run")
    if resume and not (folder / "run.toml").exists():
        raise ValueError(f"{folder}: holds no run to continue; leave --resume out to begin one")
    learner, start, checks, chosen_seed = _find_run(
        _Wanted(learner_name, game, pilot, settings or [], config, check_words or [], seed), folder, resume
    )
    first = learner.start(start, chosen_seed)
    if not as_json:
        print(_describe(learner_name, learner, first, chosen_seed, folder), flush=True)
    began = time.perf_counter()
    with Ticker() as ticker:
        told = _Progress(learn.expected_steps(learner, first), _own_figures(learner))
        write = _scalar_writer(folder) if tensorboard else None

        def listen(step: int, metrics: Metrics) -> None:
            told.add(step, metrics)
            if write is not None:
                write(step, metrics)
            ticker.tell(told.line)

        def watch(step: int, standing: Standing) -> None:
            ticker.tell(lambda: f"step {step} plays what came before it: {standing.tally}")

        try:
            run = learn.train(
                learner,
                start,
                folder,
                seed=chosen_seed,
                workers=workers,
                resume=resume,
                checks=checks,
                on_step=listen,
                on_check=watch,
            )
        except KeyboardInterrupt:
            _stop(folder, ticker)
    seconds = time.perf_counter() - began
    if as_json:
        print_json(_content(run) | {"seconds": round(seconds, 3)})
    else:
        _show_run(run, told.here, seconds)


@dataclass(frozen=True)
class _Wanted:
    """What a command line says of a run."""

    learner: str
    game: str
    pilot: str | None
    settings: list[str]
    config: Path | None
    checks: list[str]
    seed: int | None


def _find_run(wanted: _Wanted, folder: Path, resume: bool) -> tuple[Learner, Pilot, Checks, int]:
    """Learner, pilot, checks and seed: as wanted, else as the run in the folder has them, else the usual ones."""
    from plypilot import learn
    from plypilot.learn.catalogue import read_settings
    from plypilot.learn.checks import usual_checks
    from plypilot.learn.folder import START, RunFolder
    from plypilot.pilot import find_pilot

    table: Mapping[str, Any] = {} if wanted.config is None else _read_config(wanted.config)
    source, seed = wanted.pilot or "baseline", wanted.seed
    checks: Mapping[str, Any] | None = None
    if resume:
        facts = RunFolder(folder).read_facts()
        if (facts["learner"], facts["game"]) != (wanted.learner, wanted.game):
            raise ValueError(f"{folder}: holds a run of {facts['learner']} on {facts['game']}; name another --out")
        table, checks = facts["settings"] | table, facts["checks"]
        seed = facts["seed"] if seed is None else seed
        if wanted.pilot is None and (folder / START).exists():
            source = str(folder / START)
    learner = learn.find_learner(wanted.learner, read_settings(wanted.learner, table, wanted.settings))
    if checks is None:
        checks = usual_checks(learner).model_dump()
    return learner, find_pilot(source, wanted.game), _read_checks(checks, wanted.checks), seed or 0


def _read_checks(table: Mapping[str, Any], words: list[str]) -> Checks:
    from pydantic import ValidationError

    from plypilot.assignment import read_assignment, read_value
    from plypilot.learn import Checks
    from plypilot.wording import explain

    given = dict(table)
    for word in words:
        key, text = read_assignment(word, "games=200")
        if key not in Checks.model_fields:
            raise ValueError(f'--check has no "{key}"; there are: {", ".join(Checks.model_fields)}')
        given[key] = read_value(text)
    try:
        return Checks.model_validate(given)
    except ValidationError as error:
        raise ValueError(f"--check {explain(error)}") from error


def _read_config(path: Path) -> dict[str, Any]:
    from plypilot.wording import tell_unreadable

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(tell_unreadable(path, error)) from error


def _describe(name: str, learner: Learner, state: State, seed: int, folder: Path) -> str:
    """What is going to be learned, and from where."""
    from plypilot.learn import expected_steps, summary_of

    assert state.pilot is not None
    steps = expected_steps(learner, state)
    length = "until it is done" if steps is None else f"{steps} steps"
    text = f"{name} on {state.pilot.game}: {length}, seed {seed}, into {folder}"
    if not (learned := dict(summary_of(learner, state))):
        return text
    by_set: dict[str, list[str]] = {}
    for key in learned:
        by_set.setdefault(key.partition(".")[0], []).append(key)
    sets = ", ".join(f"{len(keys)} of {key}" if "." in keys[0] else key for key, keys in by_set.items())
    low, high = min(learned.values()), max(learned.values())
    first = f"all {low:g} at the start" if low == high else f"from {low:.3g} to {high:.3g} at the start"
    return f"{text}\nlearns {len(learned)} numbers ({sets}), {first}"


class _Progress:
    """What there is to tell of a run: the step, the last figures, the time left."""

    RECENT = 20
    """Steps over which figures are averaged; counts are added up."""

    def __init__(self, steps: int | None, own: Sequence[str] = ()) -> None:
        self._steps = steps
        self._own = own
        self._began = time.monotonic()
        self._recent: list[Metrics] = []
        self.here = 0
        """Steps taken by this process."""
        self._step = 0

    def add(self, step: int, metrics: Metrics) -> None:
        """Takes a step in."""
        self.here += 1
        self._step = step
        self._recent = [*self._recent[1 - self.RECENT :], metrics]

    def line(self) -> str:
        """Step of steps, the figures that matter, the time left."""
        spent = time.monotonic() - self._began
        if self._steps is None:
            return f"step {self._step}, {figures(self._recent, self._own)}, {duration(spent)}"
        left = spent / self.here * (self._steps - self._step)
        return f"step {self._step} of {self._steps}, {figures(self._recent, self._own)}, {duration(left)} left"


def _own_figures(learner: Learner | type[Learner]) -> Sequence[str]:
    """The metrics by which a learner says how well it does, where it names them."""
    return getattr(learner, "figures", ())


def figures(recent: list[Metrics], own: Sequence[str] = ()) -> str:
    """The last steps in a line: the count of games, results added up, all else averaged.

    Of a learner that names its own figures, those of the last step as they are.
    """
    last = recent[-1]
    if own:
        return ", ".join(f"{key.replace('_', ' ')} {_figure(last[key])}" for key in own if key in last)
    keys = [key for key in _FIGURES if key in last] or [key for key in last if key not in ("step", "seconds")][:4]
    told = []
    for key in keys:
        values = [value for each in recent if isinstance(value := each.get(key), int | float)]
        if key in ("wins", "draws", "losses"):
            if key == "wins" and {"draws", "losses"} <= set(last):
                sums = (sum(int(each.get(name, 0)) for each in recent) for name in ("wins", "draws", "losses"))
                told.append("+{} ={} -{}".format(*sums))
        elif key == "games":
            told.append(f"{last[key]} games")
        elif values:
            told.append(f"{key} {sum(values) / len(values):.3g}")
        else:
            told.append(f"{key} {last[key]}")
    return ", ".join(told)


def _figure(value: float | str) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _stop(folder: Path, ticker: Ticker) -> None:
    """Ends the process at once: every step taken is on the disk, and the games in play would not count."""
    ticker.__exit__()
    print(f"stopped; continue with --resume ({folder})", file=sys.stderr, flush=True)
    sys.stdout.flush()
    os._exit(STOPPED)


def _scalar_writer(folder: Path) -> Callable[[int, Metrics], None]:
    """Writes numbers for TensorBoard. Raises ValueError where nothing can."""
    for module in ("tensorboardX", "torch.utils.tensorboard"):
        with contextlib.suppress(ImportError):
            writer = import_module(module).SummaryWriter(str(folder / "tensorboard"))
            break
    else:
        raise ValueError("--tensorboard needs tensorboardX: pip install 'plypilot[tensorboard]'")

    def write(step: int, metrics: Metrics) -> None:
        for key, value in metrics.items():
            if isinstance(value, int | float):
                writer.add_scalar(key, value, step)
        writer.flush()

    return write


def _content(run: Run) -> dict[str, Any]:
    return {
        "folder": str(run.folder),
        **{key: run.facts[key] for key in ("learner", "game", "seed", "settings")},
        "step": run.step,
        "steps": run.expected_steps,
        "done": run.is_done,
        "pilot": run.pilot.digest,
        "best": run.best.digest,
        "best_step": run.history.best,
        "checked": run.history.tell(),
        "metrics": run.metrics[-1] if run.metrics else None,
    }


_MOST_SHOWN = 12


def _show_run(run: Run, here: int, seconds: float) -> None:
    """How a run has ended, and what to do with it."""
    print(f"{run.step} steps, {here} of them now, in {duration(seconds)}; pilot {run.pilot.digest[:16]}")
    traces = run.traces
    if own := _own_figures(run.learner):
        _show_figures(run, own)
    elif traces is not None and len(traces.steps):
        from plypilot.learn import summary_of

        learned = summary_of(run.learner, run.state)
        changes = {name: learned[name] - first for name, first in zip(traces.names, traces.values[0], strict=True)}
        rows = table("what changed most", "start", "now", "change")
        for name in sorted(changes, key=lambda each: -abs(changes[each]))[:_MOST_SHOWN]:
            now = learned[name]
            rows.add_row(name, f"{now - changes[name]:.3f}", f"{now:.3f}", f"{changes[name]:+.3f}")
        console().print(rows)
    best = run.folder / "best.pilot"
    print(run.history.tell())
    print(f"play it:  plypilot play {run.facts['game']} --pilot {best}")
    print(f"see it:   plypilot report {run.folder}")
    print(f"judge it: plypilot match {best} {run.folder / 'start.pilot'} --out {run.folder / 'match'}")


def _show_figures(run: Run, own: Sequence[str]) -> None:
    """The measures that a learner names, when they were first taken and now."""
    rows = table("how well it does", "first", "now")
    for key in own:
        values = [line[key] for line in run.metrics if isinstance(line.get(key), int | float)]
        if values:
            rows.add_row(key.replace("_", " "), _figure(values[0]), _figure(values[-1]))
    console().print(rows)


def _progress_text(run: Run) -> str:
    return str(run.step) if run.expected_steps is None else f"{run.step} of {run.expected_steps}"


def list_runs(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Look below it.")] = Path("runs"),
    as_json: Json = False,
) -> None:
    """List the runs below a folder: how far they are, and their last figures."""
    from plypilot.learn import LEARNERS, Run, find_runs
    from plypilot.learn.catalogue import learner_class

    if not folder.is_dir():
        raise ValueError(f"{folder}: {'is a file, expected a folder' if folder.exists() else 'no such folder'}")
    found = list(find_runs(folder))
    if as_json:
        print_json(
            [
                _content(each) | {"running": each.is_running}
                if isinstance(each, Run)
                else {"folder": str(each[0]), "problem": each[1]}
                for each in found
            ]
        )
        return
    rows = table("run", "learner", "game", "seed", "step", "", "age", "last figures")
    for each in found:
        if isinstance(each, Run):
            state = "done" if each.is_done else "running" if each.is_running else "stopped"
            facts = each.facts
            recent = list(each.metrics[-_Progress.RECENT :])
            # The learner of a run may be somebody's own: we do not load it only to list the run.
            own = _own_figures(learner_class(facts["learner"])) if facts["learner"] in LEARNERS else ()
            told = figures(recent, own) if recent else ""
            age = duration(max(time.time() - each.changed, 0))
            names = (str(each.folder), facts["learner"], facts["game"], str(facts["seed"]))
            rows.add_row(*names, _progress_text(each), state, age, told)
        else:
            rows.add_row(str(each[0]), "", "", "", "", "unreadable", "", each[1])
    console().print(rows)
    if not found:
        print(f"no runs below {folder}")


def report(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="F.html", help="The page; RUN/report.html.")] = None,
    as_text: Annotated[
        bool, typer.Option("--text", help="Print its words, tables and trees here, and write no page.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write what a run has learned as one HTML page with plots, which needs nothing else."""
    from plypilot.learn import read_run
    from plypilot.report import sections_of, write_report

    if as_text:
        if as_json or out:
            raise ValueError("--text prints what a page would show: leave out --out and --json")
        for section in sections_of(read_run(folder)):
            print_section(section)
        return
    path = write_report(folder, out)
    if as_json:
        print_json({"run": str(folder), "report": str(path)})
    else:
        print(path)


def list_learners(
    name: Annotated[str | None, typer.Argument(metavar="LEARNER", help="Its settings.")] = None,
    as_json: Json = False,
) -> None:
    """List the learners, or the settings of one."""
    from plypilot.learn import LEARNERS
    from plypilot.learn.catalogue import learner_class, list_settings

    if name is None:
        texts = {each: (learner_class(each).__doc__ or "").partition("\n")[0] for each in LEARNERS}
        if as_json:
            print_json(texts)
            return
        rows = table("learner", "")
        for each, text in texts.items():
            rows.add_row(each, text)
        console().print(rows)
        return
    settings = list_settings(name)
    if as_json:
        print_json([setting._asdict() for setting in settings])
        return
    rows = table("setting", "default", "meaning")
    for setting in settings:
        rows.add_row(setting.key, str(setting.value), setting.text)
    console().print(rows)


def check(
    name: LearnerName,
    game: Annotated[
        str, typer.Option("--game", metavar="G", help="Where it learns; a game with short games is enough.")
    ] = "breakthrough-5x5",
    pilot: Annotated[
        str | None, typer.Option("--pilot", metavar="F", help="What it starts from: a file, baseline or plain.")
    ] = None,
    settings: Settings = None,
    steps: Annotated[int, typer.Option("--steps", min=1, max=MOST_GAMES, metavar="N", help="Steps of each run.")] = 3,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Check that a learner keeps its promises: same results on any workers, resumed runs, sound settings.

    plypilot check-learner td --set games=48
    """
    from plypilot.learn.catalogue import read_settings
    from plypilot.learn.conformance import RULES, check_learner
    from plypilot.pilot import find_pilot

    given = read_settings(name, {}, settings or [])
    start = find_pilot(pilot or "baseline", game)
    with progress() as bar:
        task = bar.add_task(name, total=len(RULES))
        failures = check_learner(
            name, given, pilot=start, steps=steps, seed=seed, on_rule=lambda _rule: bar.advance(task)
        )
    if as_json:
        content = {"learner": name, "game": game, "steps": steps, "seed": seed}
        print_json(content | {"failures": [vars(each) for each in failures]})
    elif failures:
        for failure in failures:
            print(f"failed  {failure}")
    else:
        print(f"ok: {name} kept every promise on {game}: {', '.join(RULES)}")
    if failures:
        raise typer.Exit(1)
