"""The programs of the README run as they stand, and the package can be built and installed."""

import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from conftest import PACKAGE, PATIENCE_S, script

PROGRAMS = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(), re.S)
READ = {"call": "read", "with": {"path": "notes.txt"}}

# For each program: what the model replies to its prompt, and what the program prints.
CASES = [
    ("What is in notes.txt?", [READ, {"say": "One task."}], "One task.\n"),
    (
        "Write a shopping list to list.txt.",
        [{"call": "write", "with": {"path": "list.txt", "content": "bread"}}, {"say": "Done."}],
        "write ('write:list.txt',)\nDone.",
    ),
    (
        "How many lamps are there?",
        [
            {"call": "python_stock", "with": {"item": "lamp"}},
            {"call": "python_order", "with": {"item": "lamp", "count": 2}},
            {"say": "There are 3."},
        ],
        "There are 3.\n",
    ),
    ("Which days does notes.txt name?", [READ, {"say": '{"days": ["Monday"]}'}], "['Monday']\n"),
    ("What is in notes.txt?", [READ, {"say": "One task."}], "One task.\n"),
]


@pytest.mark.parametrize("at", range(len(CASES)))
def test_a_program_of_the_readme_prints_what_it_should(stage, at):
    prompt, replies, printed = CASES[at]
    program = PROGRAMS[at]
    assert f'"{prompt}"' in program
    program = program.replace(f'"{prompt}"', repr(script(*replies, text=prompt)))
    program = program.replace("openai/gpt-5-mini", "openai-chat/double")
    env = {**stage.env, "PYTHONPATH": str(PACKAGE / "src"), "HOLM_BIN": stage.command, "HOLM_DATA": str(stage.data)}
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=stage.work, env=env, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert (run.stdout, run.stderr, run.returncode) == (printed, "", 0)
    assert len(stage.double.requests) == len(replies)


def test_every_program_of_the_readme_is_run():
    assert len(PROGRAMS) == len(CASES)


def test_the_built_package_has_its_types_and_imports_without_the_checkout(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("tests", "*.egg-info", "build", ".*"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", tmp_path, source], check=True)
    [wheel] = tmp_path.glob("holm_cli-*.whl")
    assert {"holm_cli/py.typed", "holm_cli/api_types.py"} <= set(zipfile.ZipFile(wheel).namelist())
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", "--target", tmp_path / "site", wheel], check=True)
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(
        [sys.executable, "-c", "import holm_cli; print(holm_cli.__file__)"], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.stdout.startswith(str(tmp_path / "site")), done.stderr
