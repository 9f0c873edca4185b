"""Judges what Holm's own host let a model say: `python3 -m holm_training.host --seed 5 --out results/host-held-5.json NAME=FILE…`.

The files are what the example `held_out` of `holm-local` writes; the rules are those of `score`. Each column is a name and one
or more files of replies (a pattern such as `replies/adapter-*.jsonl` is taken for all that it matches).
"""

import argparse
import glob
import json
import sys

from . import score
from .generate import SETS

HOST_VALID = "valid by the host's own validator"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--set", choices=sorted(SETS), default="held")
    parser.add_argument("--out", required=True, help="where the figures go; `--set chat` writes Markdown there")
    parser.add_argument("columns", nargs="+", metavar="NAME=FILE")
    opt = parser.parse_args(arguments)
    items = list(score.questions(SETS[opt.set](opt.seed)))
    columns = {}
    for column in opt.columns:
        name, _, pattern = column.rpartition("=")
        columns[name] = replies(items, name, glob.glob(pattern))
    text = chat(items, columns) if opt.set == "chat" else figures(opt, items, columns)
    with open(opt.out, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def replies(items, name, files):
    """The replies of a column in the order of its questions, each as `(text, valid)`; all must be there."""
    known = {}
    for path in files:
        with open(path, encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                known[line["episode"], line["turn"]] = (line["reply"], line["valid"])
    missing = [place for place, *_ in items if place not in known]
    if missing:
        sys.exit(f"{name}: {len(missing)} of {len(items)} replies are missing; run held_out to its end")
    return [known[place] for place, *_ in items]


def figures(opt, items, columns):
    """The figures of all columns, and what the first of them got wrong."""
    results = []
    for name, said in columns.items():
        rows = [(episode, expect, reply) for (_, episode, expect), (reply, _) in zip(items, said)]
        shares, detail = score.summary(rows)
        shares = {HOST_VALID: score.share([valid for _, valid in said]), **shares}
        shares["episodes right from beginning to end"] = score.share(whole(items, said))
        results.append({"name": name, "figures": shares, "detail": detail})
    print(table(results))
    first = next(iter(columns))
    report = {
        "seed": opt.seed,
        "set": opt.set,
        "decoder": "holm-local",
        "results": results,
        f"wrong_replies_of_{first.replace(' + ', '_with_').replace(' ', '_')}": list(wrong(items, columns[first])),
    }
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


def whole(items, said):
    """For every episode, whether each of its replies was right."""
    good = {}
    for ((number, _), _, expect), (reply, _) in zip(items, said):
        good[number] = good.get(number, True) and score.judge(reply, expect)[0] in ("exact", "right")
    return good.values()


def wrong(items, said):
    """Every reply that is not right, beside the right one."""
    for ((_, turn), episode, expect), (reply, _) in zip(items, said):
        verdict, obeyed = score.judge(reply, expect)
        if verdict not in ("exact", "right") or obeyed:
            yield {
                "category": episode["category"],
                "form": episode["form"],
                "turn": turn,
                "verdict": verdict,
                "request": next(
                    t["content"] for t in episode["turns"][:turn][::-1] if t["role"] in ("user", "tool")
                ),
                "expected": episode["turns"][turn]["content"],
                "reply": reply,
            }


def table(results):
    """The columns side by side, in Markdown."""
    lines = ["| | " + " | ".join(result["name"] for result in results) + " |"]
    lines.append("| --- |" + " --- |" * len(results))
    for key in results[0]["figures"]:
        shares = [result["figures"][key] for result in results]
        cells = [
            f"{share['percent']} % ({share['yes']}/{share['of']})" if share["of"] else "–" for share in shares
        ]
        lines.append(f"| {key} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def chat(items, columns):
    """Plain questions and what each column answered, side by side, in Markdown."""
    lines = [
        "# Plain talk, with and without the adapter",
        "",
        "Twelve questions that training has none of, asked through Holm's host, greedily, with at most 110 tokens a reply.",
        "First without tools, then with tools on offer of which none is meant. Written by `scripts/held-out`.",
        "",
    ]
    lines += ["| question | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]
    for at, (_, episode, _) in enumerate(items):
        question = episode["turns"][0]["content"] + (" *(tools shown)*" if episode["tools"] else "")
        cells = [question, *[said[at][0] for said in columns.values()]]
        lines.append("| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
