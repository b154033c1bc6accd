"""The command ``ablate`` as a user types it: help with examples, one line for bad input, the right exit status."""

import pytest

from ablations.command_line import BAD_INPUT, COMMANDS, build_parser, main
from ablations.commands.arguments import overrides
from cuascore.errors import UserError


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"example: ablate {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["plan", "quickstat"], "unknown study 'quickstat': did you mean 'quickstart'?"),
        (["plan", "quickstart", "--data", "agentnt"], "unknown data set 'agentnt': did you mean 'agentnet'?"),
        (["plan", "intentscore/table3"], "give its folder with --data-root"),
        (["plan", "quickstart", "--data", "folder", "--data-root", "/nowhere"], "/nowhere: no such folder"),
        (["plan", "quickstart", "--seeds", "0"], "--seeds 0: at least 1"),
        (["report", "quickstart"], "quickstart"),
        (["status", "quickstart"], "not in the store"),
        (["work", "quickstart"], "not in the store"),
        (["data", "check", "/nowhere"], "/nowhere: no such folder"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments, complaint, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("CUASCORE_STORE", str(tmp_path / "store"))
    assert main(arguments) == BAD_INPUT
    printed = capsys.readouterr()
    assert complaint in printed.err
    assert printed.err.startswith("ablate: ")
    assert printed.err.count("\n") == 1
    assert "Traceback" not in printed.out + printed.err


def test_set_values_are_typed():
    found = overrides(
        ["loss.margin=0.3", "a.b=1e-3", "loss.learn_temperature=false", "model.without=[vision]", "x=none"]
    )
    assert found == {
        "loss.margin": 0.3,
        "a.b": 0.001,
        "loss.learn_temperature": False,
        "model.without": ["vision"],
        "x": "none",
    }


@pytest.mark.parametrize("pair", ["loss.margin", "=3", "a=[1"])
def test_a_broken_set_is_one_line(pair):
    with pytest.raises(UserError, match="--set"):
        overrides([pair])


def test_plan_lists_the_studies(capsys):
    with pytest.raises(SystemExit):
        main(["plan", "--list"])
    assert "intentscore/table1" in capsys.readouterr().out


def test_an_unknown_command_is_refused(capsys):
    with pytest.raises(SystemExit) as stop:
        build_parser().parse_args(["rnu"])
    assert stop.value.code == 2
