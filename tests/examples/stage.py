"""Runs an example as its README says: a copy of the folder, a home of its own, and the commands of the README."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from double import Double

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples"

# No example waits for anything; one that takes longer hangs.
PATIENCE_S = 300

# The key of the double; nothing else may be asked for with it.
KEY = "correct-horse-battery-staple-7"

# A README that is longer is not read.
LONGEST_README = 40


class Failure(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Failure(what)


def blocks(readme):
    """The fenced blocks of a README that are run (`sh`) or shown (`text`), in order."""
    return re.findall(r"^```(sh|text)\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)


def check_shown(shown, output):
    """Each line that the README shows stands in the output, in this order. `…` is any text."""
    at = 0
    for line in shown.splitlines():
        found = re.compile(".*".join(re.escape(part) for part in line.strip().split("…"))).search(output, at)
        check(found, f"the README shows this line, which did not come (or not in this order):\n  {line}\nOutput:\n{output}")
        at = found.end()


class Stage:
    """One example in a folder of its own, with a provider that answers as `answer` says."""

    def __init__(self, name, built, answer):
        self.name, self.built = name, built
        self.root = Path(tempfile.mkdtemp(prefix="holm-example-"))
        self.work = self.root / "examples" / name
        # Files from a run in place are not part of the example.
        left = [line for line in (EXAMPLES / ".gitignore").read_text().splitlines() if not line.startswith("#")]
        shutil.copytree(EXAMPLES / name, self.work, ignore=shutil.ignore_patterns(*left))
        self.files = [path.relative_to(self.work) for path in self.work.rglob("*") if path.is_file()]
        # `file:` dependencies lead here.
        (self.root / "packages").symlink_to(REPOSITORY / "packages")
        for folder in ("home", "bin"):
            (self.root / folder).mkdir()
        (self.root / "bin" / "holm").symlink_to(built / "holm")
        self.double = Double(answer, KEY)
        # Nothing of the caller's environment but the way to programs: no key and no model may change what is shown.
        self.env = {
            "PATH": f"{self.root}/bin:{os.environ['PATH']}",
            "HOME": str(self.root / "home"),
            "LANG": "C.UTF-8",
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": self.double.url,
            "NO_COLOR": "1",
        }
        self.input = ""
        self.output = ""
        self.servers = []
        self.said = []
        self.ports = {}
        # What a person does once the server runs, where the README says it in words.
        self.on_server = lambda: None

    def put_first(self, folder):
        """Puts a folder first in PATH."""
        self.env["PATH"] = f"{folder}:{self.env['PATH']}"

    def link_modules(self):
        """What `npm install` would bring, from what `scripts/setup hosts` has installed: no registry is asked."""
        package = json.loads((self.work / "package.json").read_text())
        modules = self.work / "node_modules"
        modules.mkdir()
        (modules / ".bin").symlink_to(REPOSITORY / "packages/holm/node_modules/.bin")
        for name, version in {**package.get("dependencies", {}), **package.get("devDependencies", {})}.items():
            if version.startswith("file:"):
                source = (EXAMPLES / self.name / version.removeprefix("file:")).resolve()
            else:
                source = REPOSITORY / "packages/holm/node_modules" / name
                check((source / "package.json").is_file(), f"{name} is not installed: run scripts/setup hosts")
                installed = json.loads((source / "package.json").read_text())["version"]
                check(version == installed, f"package.json names {name} {version}, and {installed} is what is tested")
            (modules / name).parent.mkdir(exist_ok=True)
            (modules / name).symlink_to(source)

    def run_readme(self, replace=None):
        """Runs the commands of the README, and compares what they print with what it shows."""
        readme = (self.work / "README.md").read_text()
        check(len(readme.splitlines()) <= LONGEST_README, f"the README has more than {LONGEST_README} lines")
        parts = blocks(readme)
        check([kind for kind, _ in parts].count("text") > 0, "the README does not show what you should see (```text)")
        for kind, text in parts:
            if kind == "text":
                check_shown(text, self.output)
                continue
            for old, new in (replace or {}).items():
                check(old in readme, f"the README does not contain `{old}`")
                text = text.replace(old, new)
            if text.startswith("# terminal 1"):
                self.serve(text)
            else:
                self.run(text)

    def run(self, script):
        """Runs commands; the output is kept."""
        script = self.with_ports(script)
        shell = self.start(script, subprocess.PIPE)
        try:
            self.output, _ = shell.communicate(self.input, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)
            self.output, _ = shell.communicate()
            raise Failure(f"these commands took more than {PATIENCE_S} s:\n{script}\nOutput:\n{self.output}") from None
        ended = shell.returncode
        check(ended == 0, f"these commands ended with {ended}:\n{script}\nOutput:\n{self.output}")

    def start(self, script, stdin):
        """A shell in a process group of its own, so that all of it can be ended."""
        return subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", script], cwd=self.work, env=self.env, stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )

    def serve(self, script):
        """Starts a server and waits until it says where it listens. Ports are the system's choice, so no two tests meet."""
        port = re.search(r"^# terminal 1.*?port (\d+)", script)
        check(port, "the first line of a server's commands names its port: `# terminal 1: …, port 7417`")
        own = script.replace(port[1], "0")
        server = self.start(own, subprocess.DEVNULL)
        self.servers.append(server)
        clock = threading.Timer(PATIENCE_S, os.killpg, (server.pid, signal.SIGKILL))
        clock.start()
        self.said = said = []
        for line in server.stdout:
            said.append(line)
            if found := re.search(r"http://(?:127\.0\.0\.1|localhost):(\d+)", line):
                self.ports[port[1]] = found[1]
                break
        clock.cancel()
        check(port[1] in self.ports, f"the server did not start:\n{own}\nOutput:\n{''.join(said)}")
        threading.Thread(target=lambda: said.extend(server.stdout), daemon=True).start()
        # Clients name the usual port, on the command line or in their code.
        for file in self.files:
            text = (self.work / file).read_text()
            if text != self.with_ports(text):
                (self.work / file).write_text(self.with_ports(text))
        self.on_server()

    def with_ports(self, text):
        for usual, real in self.ports.items():
            text = text.replace(f"127.0.0.1:{usual}", f"127.0.0.1:{real}")
        return text

    def close(self):
        for server in self.servers:
            try:
                os.killpg(server.pid, signal.SIGTERM)
                server.wait(timeout=30)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
            try:
                os.killpg(server.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            server.wait()
        self.double.close()
        shutil.rmtree(self.root, ignore_errors=True)
