"""What the provider answers in each example, and what must have happened beside what the README shows."""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
from pathlib import Path

from double import calls, says, together
from stage import PATIENCE_S, REPOSITORY, check, check_shown


def installed(name, variable):
    """A folder that `scripts/setup` fills, or the one that the variable names."""
    usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "holm" / name
    folder = Path(os.environ.get(variable) or usual)
    check(folder.is_dir(), f"{folder} is missing: run scripts/setup {'sdks' if name == 'sdks' else 'conformance'}")
    return folder


def system(body):
    return " ".join(str(message["content"]) for message in body["messages"] if message["role"] in ("system", "developer"))


def asked(body):
    """What the user wrote last."""
    return next(str(message["content"]) for message in reversed(body["messages"]) if message["role"] == "user")


def results(body):
    """What tools have returned so far."""
    return [str(message["content"]) for message in body["messages"] if message["role"] == "tool"]


class PullRequestReview:
    severity = "warning"

    def answer(self, body):
        if not results(body):
            check("+    return greeting" in asked(body), "the prompt has the diff")
            return calls("read", path="greet.py")
        check("def greet" in results(body)[0], f"the agent reads the checkout: {results(body)}")
        finding = {"severity": self.severity, "file": "greet.py", "line": 2, "text": "greeting is not defined"}
        return says(json.dumps({"summary": "A greeting.", "findings": [finding]}))

    def run(self, stage):
        stage.run("""
            git init -q -b main . && git config user.name Ada && git config user.email ada@example.org
            printf 'def greet():\\n    return "hi"\\n' > greet.py
            git add greet.py && git commit -qm one && git checkout -qb change
            printf 'def greet():\\n    return greeting\\n' > greet.py
            git commit -qam two
        """)
        stage.run_readme()
        workflow = (stage.work / "review.yml").read_text()
        step = re.search(r"name: Review\n\s+run: (.*)\n", workflow)[1]
        stage.run("git update-ref refs/remotes/origin/main main")
        stage.env |= {"GITHUB_BASE_REF": "main", "GITHUB_STEP_SUMMARY": str(stage.root / "summary")}
        stage.run(step)
        check("- **warning** `greet.py:2`" in (stage.root / "summary").read_text(), "the job has a summary")
        self.severity = "error"
        stage.run(f"if {step}; then exit 1; fi")


class NightlyReport:
    def answer(self, body):
        check("You write a short report" in system(body), "the agent of the file answers")
        match results(body):
            case []:
                return calls("read", path="logs/app.log")
            case [log]:
                check("disk full" in log, log)
                return calls("write", path="notes.md", content="out of place")
            case [_, denied]:
                check("denied" in denied, f"only reports may be written: {denied}")
                return calls("write", path="reports/nightly.md", content="# Nightly report\n\nThe disk is full.\n")
        return says("The disk is full.")

    def run(self, stage):
        stage.run_readme()
        check(not (stage.work / "notes.md").exists(), "nothing else was written")
        check("Europe/Berlin" in job(stage, "show")["spec"]["when"]["cron"]["zone"], "it comes every night")


def job(stage, verb):
    stage.run(f"holm job {verb} nightly --json")
    return json.loads(stage.output.splitlines()[0])


class BotThatAsks:
    def answer(self, body):
        if body["messages"][-1]["role"] == "user":
            return calls("write", path="list.txt", content="bread\n")
        return says("I left it." if "said no" in results(body)[-1] else "Saved.")

    def run(self, stage):
        stage.input = "Save a list.\nno\nThen save it now.\nyes\n"
        stage.run_readme()
        said = [line.split("bot: ", 1)[1] for line in stage.output.splitlines() if "bot: " in line]
        check(len(said) == 4 and [said[1], said[3]] == ["I left it.", "Saved."], stage.output)
        check((stage.work / "list.txt").read_text() == "bread\n", "it was written after the yes")


class ProvenExtraction:
    def answer(self, body):
        if "billing@example.org" in asked(body):
            return says('{"email": ["billing@example.org", "ada@example.org"]}')
        return says('{"email": ["grace@example.org"]}')

    def run(self, stage):
        stage.run_readme()
        check(len(stage.double.requests) == 3, "an invented address is asked about once more")
        rows = (stage.work / "addresses.csv").read_text()
        check("grace" not in rows, f"an invented address is in the result: {rows}")


class McpServer:
    def answer(self, body):
        match results(body):
            case []:
                return calls("shop_stock", item="lamp")
            case [level]:
                check("3" in level, level)
                return calls("shop_order", item="lamp", count=10)
        return says("There are 3 lamps. I may not order more.")

    def run(self, stage):
        shutil.copytree(installed("mcp", "HOLM_MCP_PEERS") / "python", stage.work / ".venv", symlinks=True)
        stage.run_readme(replace={"python3 -m venv .venv\n.venv/bin/pip install --quiet mcp==2.3.0\n": ""})
        check(json.loads((stage.work / "stock.json").read_text())["lamp"] == 3, "nothing was ordered")
        stage.run("""holm tool execute shop_order '{"item": "lamp", "count": 2}' --grant tool:shop_order""")
        check(json.loads((stage.work / "stock.json").read_text())["lamp"] == 5, f"it orders if it may: {stage.output}")


class Openapi:
    def answer(self, body):
        match results(body):
            case []:
                return calls("shop_listItems", below=5)
            case [stock]:
                check('{"lamp": 3}' in stock, stock)
                return calls("shop_orderItem", item="lamp", body={"count": 10})
        return says("There are 3 lamps. I may not order more.")

    def run(self, stage):
        stage.run_readme()
        stage.run("""holm tool execute shop_orderItem '{"item": "lamp", "body": {"count": 2}}' --yes fetch:http://127.0.0.1:8920""")
        check('"stock": 5' in stage.output, f"it orders if it may: {stage.output}")


class BudgetedCrew:
    days = ("monday", "tuesday", "wednesday")

    def answer(self, body):
        if "You lead readers" in system(body):
            check([tool["name"] for tool in body["tools"]] == ["reader"], "a lead can only delegate")
            if not results(body):
                return together(calls("reader", task=f"notes/{day}.txt: when is high water?") for day in self.days)
            found = [re.search(r"\d\d:\d\d", result) for result in results(body)]
            return says(", ".join(f"{day}.txt {time[0]}" for day, time in zip(self.days, found) if time))
        if not results(body):
            return calls("read", path=asked(body).split(":")[0])
        return says(re.search(r"\d\d:\d\d", results(body)[0])[0])

    def run(self, stage):
        stage.run_readme()
        stage.run("holm run --agent lead --grant 'read:notes/**' --json --quiet -p 'When is high water?'")
        # Two replies of the lead and two of each reader, with 1,000 tokens in and 200 out each, at the price of the model.
        check(json.loads(stage.output)["spent_nano_usd"] == 8 * 650_000, f"the crew pays together: {stage.output}")
        stage.run("holm session list --json")
        sessions = [json.loads(line) for line in stage.output.splitlines()]
        check([one["helper"] for one in sessions if one["agent"] == "reader"].count(True) >= 7, "each reader has a session")


class GuestTool:
    def answer(self, body):
        match results(body):
            case []:
                check("total" in [tool["name"] for tool in body["tools"]], "the tool is offered")
                return calls("total", path="/etc/passwd", column="root")
            case [denied]:
                check("denied" in denied, f"it reads only what was granted: {denied}")
                return calls("total", path="orders.csv", column="price")
        return says(f"All orders cost {re.search('470.00', results(body)[1])[0]}.")

    def run(self, stage):
        stage.run_readme()


class RustEmbedding:
    def __init__(self):
        self.started, self.shell, self.killed = threading.Event(), None, False

    def answer(self, body):
        check([tool["name"] for tool in body["tools"]] == ["order_status"], "the agent has one tool")
        if "Before a crash" in asked(body) and not self.killed:
            # The program dies while it waits for this reply.
            self.started.wait()
            os.killpg(self.shell.pid, signal.SIGKILL)
            self.killed = True
            return says("This is lost.")
        if "Before a crash" in asked(body):
            return says("You asked before a crash.")
        if "After a crash" in asked(body):
            return says("You asked after a crash.")
        first = "And the one" not in asked(body)
        if body["messages"][-1]["role"] == "user":
            return calls("order_status", number=7 if first else 8)
        if first:
            check("shipped on Monday" in results(body)[-1], results(body)[-1])
            return says("Order 7 was shipped on Monday.")
        check(len(results(body)) == 2 and "supplier" in results(body)[1], "the conversation continues")
        return says("Order 8 waits for the supplier.")

    def run(self, stage):
        # It is built with the tests already, with the same features as everything else.
        (stage.root / "bin" / "support-desk").symlink_to(stage.built / "support-desk")
        stage.run_readme(replace={"cargo run --quiet --": "support-desk"})
        stage.run("if support-desk ada; then exit 1; fi")
        check("name the customer" in stage.output, stage.output)
        self.shell = stage.start("support-desk bob 'Before a crash?'", subprocess.DEVNULL)
        self.started.set()
        self.shell.communicate(timeout=PATIENCE_S)
        stage.run("support-desk bob 'After a crash?'")
        check_shown("(the interrupted answer) You asked before a crash.\nYou asked after a crash.", stage.output)


class PythonClient:
    def answer(self, body):
        if not results(body):
            return calls("read", path="notes.txt")
        check("Call Grace on Monday" in results(body)[0], results(body))
        if "Which tasks" not in asked(body):
            return says("There are two tasks in notes.txt.")
        todos = [{"task": "Call Grace", "due": "Monday"}, {"task": "Water the plants", "due": "Friday"}]
        return says(json.dumps({"todos": todos}))

    def run(self, stage):
        (stage.work / ".venv").symlink_to(installed("sdks", "HOLM_SDKS"))
        stage.run_readme(replace={"python3 -m venv .venv\n.venv/bin/pip install --quiet openai==3.49.0\n": ""})
        stage.run("holm session show notes")
        check("Which tasks are in it?" in stage.output, "both requests are one session")


class TypescriptClient:
    def answer(self, body):
        if not results(body):
            return calls("read", path="notes.txt")
        check("fox" in results(body)[0], results(body))
        return says("It is about a quick brown fox.")

    def run(self, stage):
        stage.link_modules()
        stage.run_readme(replace={"npm install\n": ""})
        check(stage.output.count("quick brown fox") == 1, f"nothing is printed twice: {stage.output}")


class EdgeWorker:
    def answer(self, body):
        check("guide to the town of Bergen" in system(body), "the settings count")
        if "And then?" not in asked(body):
            return says("The harbour.")
        earlier = [message["content"] for message in body["messages"] if message["role"] == "assistant"]
        check("The harbour." in str(earlier), f"the run is resumed: {body['messages']}")
        return says("After the harbour, the mountain.")

    def run(self, stage):
        stage.link_modules()
        # No account, no telemetry, no look for updates: nothing is fetched.
        stage.env |= {"CI": "1", "WRANGLER_SEND_METRICS": "false", "WRANGLER_HIDE_BANNER": "true"}
        stage.env |= {"CLOUDFLARE_CF_FETCH_ENABLED": "false", "npm_config_registry": "http://127.0.0.1:9/"}
        stage.run_readme(replace={"npm install\n": ""})
        stage.run("curl -sS -o /dev/null -w '%{http_code}' http://127.0.0.1:8787/ -d '{\"query\": \"Who are you?\"}'")
        check(stage.output == "401", f"others are kept out: {stage.output}")


class Page:
    def answer(self, body):
        item = "umbrella" if "umbrella" in asked(body) else "hat"
        if body["messages"][-1]["role"] == "user":
            return calls("add_item", item=item)
        if item == "umbrella":
            check("added umbrella" in results(body)[0], results(body))
            return says("I added an umbrella.")
        check(len(results(body)) == 2 and "The person said no." in results(body)[1], f"the conversation continues: {results(body)}")
        return says("I left the list as it is.")

    def run(self, stage):
        stage.link_modules()
        stage.env["VITE_MODEL_URL"] = stage.double.url
        script = REPOSITORY / "tests/examples/page.mjs"
        # Chromium is looked for where it is for other tests.
        stage.env |= {name: os.environ[name] for name in ("HOLM_CHROMIUM",) if name in os.environ}
        stage.on_server = lambda: stage.run(f"node {script} http://127.0.0.1:4173/")
        stage.run_readme(replace={"npm install\n": ""})
        said = stage.output.splitlines()
        check(said[-1] == "answer: I left the list as it is." and said[-2] == "list: ", f"a no is a no: {stage.output}")


CASES = {
    "pull-request-review": PullRequestReview,
    "nightly-report": NightlyReport,
    "bot-that-asks": BotThatAsks,
    "proven-extraction": ProvenExtraction,
    "mcp-server": McpServer,
    "openapi": Openapi,
    "budgeted-crew": BudgetedCrew,
    "page": Page,
    "edge-worker": EdgeWorker,
    "guest-tool": GuestTool,
    "rust-embedding": RustEmbedding,
    "typescript-client": TypescriptClient,
    "python-client": PythonClient,
}

# Those that need what is built in `packages`.
WEB = {"page", "edge-worker", "typescript-client"}
