"""The generated types belong to the server that is tested, and the package passes a strict type check."""

import json
import subprocess
import sys

from conftest import PACKAGE

REPOSITORY = PACKAGE.parent.parent


def test_the_types_are_those_of_the_running_server(stage, tmp_path):
    with stage.start() as holm:
        document = tmp_path / "openapi.json"
        document.write_text(json.dumps(holm.request("GET", "/api/openapi.json")))
    check = [sys.executable, REPOSITORY / "scripts/make-client-types", "--check", "--document", document]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_document_that_differs_fails_the_check(tmp_path):
    document = json.loads((REPOSITORY / "crates/holm-server/openapi.json").read_text())
    document["components"]["schemas"]["Me"]["properties"]["colour"] = {"type": "string"}
    changed = tmp_path / "openapi.json"
    changed.write_text(json.dumps(document))
    check = [sys.executable, REPOSITORY / "scripts/make-client-types", "--check", "--document", changed]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 1 and "run scripts/make-client-types" in done.stderr


def test_the_package_passes_a_strict_type_check():
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=PACKAGE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
