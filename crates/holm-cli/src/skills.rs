//! Skills of a run, in three steps: the prompt lists what each is for, a call loads its text, and
//! further calls load its files. Files are parsed in `holm-config/src/skills/`; the commands are in
//! `commands/skill.rs`, and contracts in `commands/skill/contract_skills.rs`.
//!
//! It runs nothing. A project's skill, and each of its files, counts only with trusted content. A
//! file must be inside the folder of the skill and not behind a link.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use holm::{
    grants::Level,
    guards::json::Json,
    kernel::{ToolOutput, ToolSpec},
    runtime::{self, tool_fn},
};
use holm_config::{
    ConfigLayer, read_plain,
    skills::{SKILL_FILE, SkillCandidate, SkillDocument, SkillFolders, SkillVisibility},
};
use holm_tools::{
    registry::{ToolFileGate as _, TrustGate},
    trust::{ContentHash, place},
};

use crate::holm_paths::{HolmPaths, quoted};
use crate::screen::DisplayablePath as _;

/// The tool by which a model takes a skill up.
pub(crate) const TOOL: &str = "skill";

/// The largest file of a skill that a model gets.
const MOST_BYTES: usize = 256 << 10;

/// The usable skills of a run, and notes about the others.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunSkills {
    skills: Arc<BTreeMap<String, UsableSkill>>,
    /// The file that records what the user trusts.
    trust: PathBuf,
    work: PathBuf,
    /// Notes for the user.
    pub(crate) notes: Vec<String>,
    /// Skills whose files have a mistake.
    faulty: BTreeSet<String>,
}

/// A usable skill with its folder and owner.
#[derive(Debug, Clone)]
pub(crate) struct UsableSkill {
    pub(crate) skill: SkillDocument,
    pub(crate) folder: PathBuf,
    pub(crate) owner: ConfigLayer,
}

impl RunSkills {
    /// Finds the skills of the user, and those of the project that the user trusts; `brought` are
    /// folders of the chosen agent.
    pub(crate) fn find(places: &HolmPaths, brought: &[PathBuf]) -> Self {
        let mut skills = Self { trust: places.trust(), work: places.work.clone(), ..Self::default() };
        let mut usable = BTreeMap::new();
        for (name, all) in everywhere(places, brought) {
            // A skill that is not trusted or cannot be read does not hide another of the same name.
            for found in all.into_iter().rev() {
                match skills.admit(&found, places) {
                    Ok(skill) => {
                        usable.insert(name, UsableSkill { skill, folder: found.folder, owner: found.owner });
                        break;
                    }
                    Err(why) => {
                        if found.skill.as_ref().is_err_and(|mistake| *mistake == why) {
                            skills.faulty.insert(name.clone());
                        }
                        let path = found.folder.join(SKILL_FILE);
                        skills.notes.push(format!("the skill {} is not used: {why}", path.shown()));
                    }
                }
            }
        }
        skills.skills = Arc::new(usable);
        skills
    }

    /// The one of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&UsableSkill> {
        self.skills.get(name)
    }

    /// Whether this skill's file has a mistake, as opposed to not being trusted.
    pub(crate) fn is_faulty(&self, name: &str) -> bool {
        self.faulty.contains(name)
    }

    /// What the prompt says of them; empty where there are none that a model should know of.
    pub(crate) fn introduction(&self) -> String {
        let lines: Vec<String> = self
            .listed()
            .map(|skill| {
                let when =
                    skill.when_to_use.as_ref().map(|when| format!(" When: {when}")).unwrap_or_default();
                format!("\n- {}: {}{when}", skill.name, skill.description)
            })
            .collect();
        if lines.is_empty() {
            return String::new();
        }
        format!(
            "Skills that you can take up with the tool `{TOOL}` before you do what they are for:{}",
            lines.concat()
        )
    }

    /// The tool, if there is anything to take up.
    pub(crate) fn tool(&self) -> Option<Arc<dyn runtime::Tool>> {
        self.listed().next()?;
        let text = |about: &str| Json::object([("type", "string".into()), ("description", about.into())]);
        let properties = Json::object([
            ("name", text("Which skill.")),
            ("arguments", text("What it should work on.")),
            ("file", text("A file of the skill that its text names, in place of the text.")),
        ]);
        let schema = Json::object([
            ("type", "object".into()),
            ("properties", properties),
            ("required", Json::Array(vec!["name".into()])),
            ("additionalProperties", Json::Bool(false)),
        ]);
        let about = "Gives the text of a skill, or one of its files.";
        let skills = self.clone();
        let tool = tool_fn(
            ToolSpec::new(TOOL, about, schema).level(Level::None),
            move |job: runtime::ToolInvocation| {
                let taken = skills.take(&job.arguments);
                async move { taken.map_or_else(ToolOutput::failed, ToolOutput::text) }
            },
        );
        Some(Arc::new(tool))
    }

    /// Those that are offered.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &SkillDocument> {
        self.skills.values().map(|usable| &usable.skill).filter(|skill| skill.listed == SkillVisibility::Yes)
    }

    fn take(&self, arguments: &str) -> Result<String, String> {
        let wanted: serde_json::Value = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
        let word = |key: &str| wanted.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
        let name = word("name");
        let usable = self.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.listed().map(|skill| skill.name.as_str()).collect();
            format!("there is no skill `{name}`; there are {}", known.join(", "))
        })?;
        match word("file") {
            "" => usable.skill.filled(word("arguments")).map_err(|error| format!("`{name}`: {error}")),
            file => self.file(usable, file),
        }
    }

    /// A file of a skill: below its folder, without links, and with trusted content if
    /// another author wrote it.
    pub(crate) fn file(&self, usable: &UsableSkill, file: &str) -> Result<String, String> {
        let is_below = Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
        let (folder, path) = (usable.folder.canonicalize(), usable.folder.join(file));
        let real = path.canonicalize().map_err(|_| format!("the skill has no file `{file}`"))?;
        if !is_below || !folder.is_ok_and(|folder| real == folder.join(file)) {
            return Err(format!("`{file}` is not a file of the skill"));
        }
        let bytes = read_plain(&real).map_err(|error| error.to_string())?;
        if usable.owner == ConfigLayer::Project {
            self.gate().admits(&path, ContentHash::of(&bytes).as_bytes())?;
        }
        if bytes.len() > MOST_BYTES {
            return Err(format!("`{file}` is larger than {MOST_BYTES} bytes"));
        }
        String::from_utf8(bytes).map_err(|_| format!("`{file}` is not a text file"))
    }

    fn gate(&self) -> TrustGate {
        TrustGate::new(self.trust.clone(), self.work.clone())
    }

    fn admit(&self, found: &SkillCandidate, places: &HolmPaths) -> Result<SkillDocument, String> {
        if found.owner == ConfigLayer::Project {
            let path = found.folder.join(SKILL_FILE);
            let hash = ContentHash::of(&found.bytes);
            place(&self.work, &path).map_err(|linked| linked.to_string())?;
            self.gate().admits(&path, hash.as_bytes()).map_err(|_| {
                let name = found.folder.file_name().unwrap_or_default().to_string_lossy();
                let command = places.typed(&format!("skill trust {}", quoted(&name)));
                format!("you have not trusted it yet, or it changed since; review it, then run `{command}`")
            })?;
        }
        found.skill.clone()
    }
}

/// All skills, usable or not. Among those with one name, the last usable one wins.
pub(crate) fn everywhere(places: &HolmPaths, brought: &[PathBuf]) -> BTreeMap<String, Vec<SkillCandidate>> {
    let folders = SkillFolders::of(&places.work, |name| std::env::var(name).ok());
    brought.iter().cloned().fold(folders, SkillFolders::and).find()
}
