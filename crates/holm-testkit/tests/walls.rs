//! Holds the walls between the rooms, because a wall that nothing checks is gone in a month.
//!
//! Two things are asked of cargo: which foreign crates reach a pure crate as it is built alone (only
//! those on an explicit list may, so that no clock, no randomness and no I/O comes in by a
//! side door), and which room knows which (the arrows of `docs/architecture.md` never run back).
//! A new crate or a new arrow is a decision: it is made by changing a table below.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// What runs inside a pure crate: each is `no_std` and free of side effects.
const INSIDE: &[&str] = &[
    // serde and its JSON form
    "itoa",
    "memchr",
    "serde",
    "serde_core",
    "serde_json",
    "zmij",
    // errors
    "thiserror",
    // hashes of the journal
    "block-buffer",
    "cfg-if",
    "cpufeatures",
    "crypto-common",
    "digest",
    "hybrid-array",
    "sha2",
    "typenum",
];

/// What only runs in the compiler, on behalf of derive macros.
const IN_THE_COMPILER: &[&str] =
    &["holm-derive", "proc-macro2", "quote", "serde_derive", "syn", "thiserror-impl", "unicode-ident"];

/// The rooms that must build without std.
const PURE: &[&str] = &["holm-read", "holm-grants", "holm-guards", "holm-kernel", "holm-wire"];

/// The targets looked at: a bare one, WASM, and one with everything that an operating system brings.
const TARGETS: &[&str] = &["aarch64-unknown-none", "wasm32-unknown-unknown", "x86_64-unknown-linux-gnu"];

/// What a room may depend on among our own crates.
#[derive(Clone, Copy)]
enum Knows {
    /// These and no others.
    Only(&'static [&'static str]),
    /// Every room that stands before it in the table: it puts the house together.
    Assembles,
}

/// The arrows. A room that is planned but not built has its line already.
const ARROWS: &[(&str, Knows)] = &[
    ("holm-derive", Knows::Only(&[])),
    ("holm-read", Knows::Only(&["holm-derive"])),
    ("holm-grants", Knows::Only(&["holm-read"])),
    ("holm-guards", Knows::Only(&["holm-grants", "holm-read"])),
    ("holm-kernel", Knows::Only(&["holm-grants", "holm-guards", "holm-read"])),
    ("holm-wire", Knows::Only(&["holm-grants", "holm-guards", "holm-kernel", "holm-read"])),
    // It checks what a tool says that it needs while the tool is compiled.
    ("holm-macros", Knows::Only(&["holm-grants"])),
    ("holm-net", Knows::Only(&["holm-grants"])),
    ("holm-jail", Knows::Only(&["holm-grants"])),
    ("holm-sandbox", Knows::Only(&["holm-grants"])),
    ("holm-runtime", Knows::Only(&["holm-grants", "holm-guards", "holm-kernel"])),
    ("holm-store", Knows::Only(&["holm-grants", "holm-guards", "holm-kernel", "holm-runtime"])),
    (
        "holm-models",
        Knows::Only(&["holm-grants", "holm-guards", "holm-kernel", "holm-net", "holm-runtime", "holm-wire"]),
    ),
    (
        "holm-local",
        Knows::Only(&["holm-grants", "holm-guards", "holm-jail", "holm-kernel", "holm-runtime", "holm-wire"]),
    ),
    ("holm-undo", Knows::Only(&[])),
    // It runs the command, and reads what that leaves.
    ("holm-eval", Knows::Only(&["holm-grants", "holm-guards", "holm-kernel", "holm-runtime"])),
    ("holm-tools", Knows::Only(TOOL_SIDE)),
    // Its servers are offers of the registry.
    ("holm-mcp", Knows::Only(MCP_SIDE)),
    // Agents and skills have one kind of head, and one reader reads it.
    ("holm-config", Knows::Only(&["holm-grants", "holm-guards", "holm-kernel", "holm-tools"])),
    ("holm-wasm", Knows::Only(PURE)),
    (
        "holm-testkit",
        Knows::Only(&["holm-grants", "holm-guards", "holm-kernel", "holm-runtime", "holm-wire"]),
    ),
    ("holm", Knows::Assembles),
    ("holm-server", Knows::Assembles),
    ("holm-cli", Knows::Assembles),
    // Examples are programs of users, who know one crate.
    ("support-desk", Knows::Only(&["holm"])),
    // Outside the house: they try what the rooms hold.
    ("holm-fuzz-chat", Knows::Only(&["holm-kernel"])),
    ("holm-fuzz", Knows::Assembles),
];

const MCP_SIDE: &[&str] =
    &["holm-grants", "holm-guards", "holm-jail", "holm-kernel", "holm-net", "holm-runtime", "holm-tools"];

const TOOL_SIDE: &[&str] = &[
    "holm-grants",
    "holm-guards",
    "holm-jail",
    "holm-kernel",
    "holm-macros",
    "holm-net",
    "holm-runtime",
    "holm-sandbox",
    "holm-undo",
];

/// Packages and what they depend on outside their tests, by name.
#[derive(Default)]
struct Graph {
    ours: BTreeSet<String>,
    edges: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// Asks cargo, offline, for the tree of one target with all features.
    fn of_workspace(target: &str) -> Result<Self, String> {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--offline", "--all-features"])
            .args(["--filter-platform", target, "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .output()
            .map_err(|error| format!("cargo could not be started: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("cargo metadata failed; run scripts/setup test\n{said}"));
        }
        let value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
        Self::from_metadata(&value).ok_or_else(|| "cargo metadata has an unexpected shape".into())
    }

    /// Asks cargo, offline, for the tree below one of our crates as it is built alone: features that other crates of the
    /// workspace turn on are no part of it.
    fn of_crate(name: &str, target: &str) -> Result<Self, String> {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let output = Command::new(cargo)
            .args(["tree", "--offline", "--all-features", "--edges", "normal,build", "--no-dedupe"])
            .args(["--prefix", "depth", "--format", " {p}", "--target", target, "--package", name])
            .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
            .output()
            .map_err(|error| format!("cargo could not be started: {error}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!("cargo tree failed; run scripts/setup test\n{said}"));
        }
        Self::from_tree(&String::from_utf8_lossy(&output.stdout))
            .ok_or_else(|| "cargo tree has an unexpected shape".into())
    }

    /// Reads lines of a depth and a package, each below the last line of a smaller depth.
    fn from_tree(tree: &str) -> Option<Self> {
        let mut graph = Self::default();
        let mut above: Vec<String> = Vec::new();
        for line in tree.lines().filter(|line| !line.is_empty()) {
            let mut words = line.split(' ');
            let (depth, name) = (words.next()?.parse::<usize>().ok()?, words.next()?);
            above.truncate(depth);
            if let Some(parent) = above.last() {
                graph.edges.entry(parent.clone()).or_default().insert(name.to_owned());
            }
            above.push(name.to_owned());
        }
        (!graph.edges.is_empty()).then_some(graph)
    }

    /// Dev-dependencies are left out: a test may use what its crate may not.
    fn from_metadata(metadata: &Value) -> Option<Self> {
        let mut names = BTreeMap::new();
        for package in metadata["packages"].as_array()? {
            names.insert(package["id"].as_str()?, package["name"].as_str()?.to_owned());
        }
        let mut graph = Self::default();
        for id in metadata["workspace_members"].as_array()? {
            graph.ours.insert(names.get(id.as_str()?)?.clone());
        }
        for node in metadata["resolve"]["nodes"].as_array()? {
            let name = names.get(node["id"].as_str()?)?;
            // Two versions of a crate share a name; for a wall they are one.
            let edges = graph.edges.entry(name.clone()).or_default();
            for dep in node["deps"].as_array()? {
                if dep["dep_kinds"].as_array()?.iter().any(|kind| kind["kind"] != "dev") {
                    edges.insert(names.get(dep["pkg"].as_str()?)?.clone());
                }
            }
        }
        Some(graph)
    }

    /// A made-up graph, for the tests of the walls themselves.
    fn of(ours: &[&str], edges: &[(&str, &[&str])]) -> Self {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Self {
            ours: owned(ours),
            edges: edges.iter().map(|(from, to)| ((*from).to_owned(), owned(to))).collect(),
        }
    }

    /// Everything below a package, each with the path that leads to it.
    fn below(&self, root: &str) -> BTreeMap<String, String> {
        let mut paths = BTreeMap::from([(root.to_owned(), root.to_owned())]);
        let mut open = vec![root.to_owned()];
        while let Some(name) = open.pop() {
            let path = paths.get(&name).cloned().unwrap_or_default();
            for next in self.edges.get(&name).into_iter().flatten() {
                if !paths.contains_key(next) {
                    paths.insert(next.clone(), format!("{path} -> {next}"));
                    open.push(next.clone());
                }
            }
        }
        paths.remove(root);
        paths
    }

    /// Foreign crates below a pure crate that no list admits, as paths.
    fn leaks(&self, pure: &str) -> Vec<String> {
        let admitted =
            |name: &str| PURE.contains(&name) || INSIDE.contains(&name) || IN_THE_COMPILER.contains(&name);
        self.below(pure).into_iter().filter(|(name, _)| !admitted(name)).map(|(_, path)| path).collect()
    }

    /// Arrows among our own crates that the table does not have.
    fn wrong_arrows(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for from in &self.ours {
            for to in self.edges.get(from).into_iter().flatten().filter(|to| self.ours.contains(*to)) {
                if admits(from, to) == Some(false) {
                    wrong.push(format!("{from} -> {to}"));
                }
            }
            if admits(from, "").is_none() {
                wrong.push(format!("{from} is not in the table of rooms"));
            }
        }
        wrong
    }
}

/// Whether the table lets one room depend on another; `None` when it does not have the first.
fn admits(from: &str, to: &str) -> Option<bool> {
    let place = |room: &str| ARROWS.iter().position(|(name, _)| *name == room);
    let (_, knows) = ARROWS.get(place(from)?)?;
    Some(match knows {
        Knows::Only(rooms) => rooms.contains(&to),
        Knows::Assembles => place(to).is_some_and(|to| Some(to) < place(from)),
    })
}

#[test]
fn no_foreign_crate_enters_a_pure_crate_unless_it_is_on_the_list() -> Result<(), String> {
    for target in TARGETS {
        for pure in PURE {
            let leaks = Graph::of_crate(pure, target)?.leaks(pure);
            assert!(leaks.is_empty(), "on {target}, not on the list:\n{}", leaks.join("\n"));
        }
    }
    Ok(())
}

#[test]
fn every_listed_crate_is_in_use_so_that_the_list_stays_short() -> Result<(), String> {
    let mut used = BTreeSet::new();
    for target in TARGETS {
        for pure in PURE {
            used.extend(Graph::of_crate(pure, target)?.below(pure).into_keys());
        }
    }
    let idle: Vec<_> = INSIDE.iter().chain(IN_THE_COMPILER).filter(|name| !used.contains(**name)).collect();
    assert!(idle.is_empty(), "take these off the list: {idle:?}");
    Ok(())
}

#[test]
fn arrows_between_rooms_never_run_back() -> Result<(), String> {
    for target in TARGETS {
        let wrong = Graph::of_workspace(target)?.wrong_arrows();
        assert!(wrong.is_empty(), "on {target}:\n{}", wrong.join("\n"));
    }
    Ok(())
}

#[test]
fn the_table_of_rooms_has_no_circle() {
    let only = |knows: &Knows| match knows {
        Knows::Only(rooms) => *rooms,
        Knows::Assembles => &[],
    };
    let edges: Vec<(&str, &[&str])> = ARROWS.iter().map(|(from, knows)| (*from, only(knows))).collect();
    let graph = Graph::of(&[], &edges);
    for (room, _) in ARROWS {
        let below = graph.below(room);
        for other in below.keys() {
            assert!(!graph.below(other).contains_key(*room), "{room} and {other} know each other");
        }
    }
}

#[test]
fn a_clock_behind_an_admitted_crate_is_found_with_its_path() {
    let graph = Graph::of(
        &["holm-kernel"],
        &[("holm-kernel", &["serde"]), ("serde", &["chrono"]), ("chrono", &["libc"])],
    );
    assert_eq!(
        graph.leaks("holm-kernel"),
        ["holm-kernel -> serde -> chrono", "holm-kernel -> serde -> chrono -> libc"]
    );
}

#[test]
fn what_a_pure_crate_may_not_use_is_found_in_each_of_them() {
    for pure in PURE {
        for foreign in ["tokio", "rand", "getrandom", "chrono", "time", "libc", "reqwest", "holm-runtime"] {
            let graph = Graph::of(&[pure], &[(pure, &[foreign])]);
            assert_eq!(graph.leaks(pure), [format!("{pure} -> {foreign}")]);
        }
    }
}

#[test]
fn an_arrow_that_is_not_in_the_table_is_found() {
    let check = |from: &str, to: &str, wrong: bool| {
        let graph = Graph::of(&[from, to], &[(from, &[to]), (to, &[])]);
        assert_eq!(!graph.wrong_arrows().is_empty(), wrong, "{from} -> {to}");
    };
    check("holm-kernel", "holm-guards", false);
    check("holm-guards", "holm-kernel", true);
    check("holm-grants", "holm-kernel", true);
    check("holm-runtime", "holm-tools", true);
    check("holm-runtime", "holm-store", true);
    check("holm-tools", "holm-runtime", false);
    check("holm-wasm", "holm-runtime", true);
    check("holm-cli", "holm-server", false);
    check("holm-server", "holm-cli", true);
    check("holm-server", "holm-utils", true);
    check("holm-utils", "holm-grants", true);
}

#[test]
fn a_dependency_of_tests_alone_is_no_arrow() {
    let metadata = serde_json::json!({
        "packages": [{ "id": "a 1", "name": "holm-grants" }, { "id": "b 1", "name": "proptest" }],
        "workspace_members": ["a 1"],
        "resolve": { "nodes": [
            { "id": "a 1", "deps": [{ "pkg": "b 1", "dep_kinds": [{ "kind": "dev" }] }] },
            { "id": "b 1", "deps": [] },
        ] },
    });
    let graph = Graph::from_metadata(&metadata).unwrap();
    assert!(graph.leaks("holm-grants").is_empty());
}

#[test]
fn a_tree_is_read_by_its_depths() {
    let tree = "0 holm-kernel v0.1.0 (/x)\n1 serde v1.0.0\n2 serde_core v1.0.0\n1 sha2 v0.11.0\n2 digest v0.11.0 (*)\n";
    let graph = Graph::from_tree(tree).unwrap();
    let below: Vec<String> = graph.below("holm-kernel").into_values().collect();
    assert_eq!(
        below,
        [
            "holm-kernel -> sha2 -> digest",
            "holm-kernel -> serde",
            "holm-kernel -> serde -> serde_core",
            "holm-kernel -> sha2"
        ]
    );
    assert!(Graph::from_tree("").is_none(), "a tree that says nothing is no proof");
}

/// The kernel holds no switch for a planted defect; a copy gets them from a patch (`scripts/plant-defects`).
#[test]
fn the_patch_that_plants_defects_fits_the_kernel() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let patch = concat!(env!("CARGO_MANIFEST_DIR"), "/planted/kernel.patch");
    let applied =
        Command::new("git").current_dir(root).args(["apply", "--check", patch]).output().expect("git");
    assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
}
