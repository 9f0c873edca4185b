//! The tools of a run, compiled once per change: schemas, postconditions, and the offer to the
//! model.
//!
//! It answers which tools exist, which are open, and what is wrong with a declaration. It does not
//! decide about calls (`run/permit.rs`) and does not run them. A tool that does not compile is
//! never offered, and the first of two tools with one name wins, so that a later source cannot
//! replace a known tool. The list that requests carry between compactions is in
//! `run/pinned_offer.rs`; declarations are in `config/tool.rs`.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use core::fmt;

use holm_guards::{postcondition::CompiledPostconditions, schema::CompiledSchema, skill::CompiledSkill};
use holm_read::{Read, ReadError, Reader};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{pinned_offer::PinnedOffer, plan::PlanStage};
use crate::{FINDER, Listing, Offer, ToolKind, ToolSpec, protocol, provider_name};

/// The most problems reported for one tool: enough to fix it, too few to flood a log
/// with a foreign schema.
const MOST_PROBLEMS: usize = 8;

/// One tool with everything compiled from it.
pub(crate) struct RunCatalogueEntry {
    pub(crate) name: Arc<str>,
    pub(crate) tool: Arc<ToolSpec>,
    /// Why the tool cannot be used, if its declaration does not compile.
    pub(crate) compiled: Result<ToolChecks, String>,
}

/// The compiled checks of a usable tool.
pub(crate) struct ToolChecks {
    pub(crate) schema: CompiledSchema,
    pub(crate) postconditions: CompiledPostconditions,
    /// The contract, for a skill.
    pub(crate) skill: Option<CompiledSkill>,
}

impl RunCatalogueEntry {
    pub(crate) fn compile(tool: ToolSpec) -> Self {
        let compiled = Self::try_compile(&tool);
        Self { name: Arc::from(tool.name.as_str()), tool: Arc::new(tool), compiled }
    }

    fn try_compile(tool: &ToolSpec) -> Result<ToolChecks, String> {
        let skill = match &tool.kind {
            ToolKind::Host | ToolKind::Agent { .. } | ToolKind::Plan(_) | ToolKind::Children => None,
            ToolKind::Skill { contract } => {
                Some(CompiledSkill::compile((**contract).clone()).map_err(|error| error.to_string())?)
            }
        };
        let schema = CompiledSchema::compile(&tool.schema).map_err(|error| error.to_string())?;
        if let Some(problem) = need_problem(tool, &schema) {
            return Err(problem);
        }
        Ok(ToolChecks {
            skill,
            schema,
            postconditions: CompiledPostconditions::compile(&tool.postconditions)
                .map_err(|error| error.to_string())?,
        })
    }
}

impl RunCatalogueEntry {
    /// Whether the tool can be used, and which parts of its declaration cannot be enforced.
    fn problems(&self) -> (bool, Vec<String>) {
        let compiled = match &self.compiled {
            Ok(compiled) => compiled,
            Err(reason) => return (false, alloc::vec![reason.clone()]),
        };
        let arguments = compiled.schema.unsupported().iter().map(ToString::to_string);
        let promises = compiled.postconditions.unsupported();
        let promises = promises.map(|(name, gap)| alloc::format!("{name}: {gap}"));
        (true, self.name_problem().into_iter().chain(arguments).chain(promises).take(MOST_PROBLEMS).collect())
    }

    /// Providers accept letters, digits, `_` and `-`; other names reach the model
    /// in a changed spelling.
    fn name_problem(&self) -> Option<String> {
        (provider_name(&self.name) != *self.name)
            .then(|| alloc::format!("providers do not accept this name; use `{}`", provider_name(&self.name)))
    }
}

/// A need that names an argument which the schema does not have could never be met, or would always
/// be met by its default. In both cases the real needs of a call would be unknown.
fn need_problem(tool: &ToolSpec, schema: &CompiledSchema) -> Option<String> {
    let missing = |name: &&str| !schema.properties().any(|(property, _)| property == *name);
    let mut named = tool.needs.iter().flat_map(holm_grants::NeedTemplate::arguments);
    named.find(missing).map(|name| {
        alloc::format!("a need names the argument `{name}`, which is not in the schema; name one that is")
    })
}

impl fmt::Debug for RunCatalogueEntry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("RunCatalogueEntry").field(&self.name).finish()
    }
}

impl Serialize for RunCatalogueEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.tool.serialize(serializer)
    }
}

impl<'a> Read<'a> for RunCatalogueEntry {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        ToolSpec::read(reader).map(Self::compile)
    }
}

impl<'de> Deserialize<'de> for RunCatalogueEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ToolSpec::deserialize(deserializer).map(Self::compile)
    }
}

/// All tools of the run, and those of them that the model is offered.
#[derive(Debug, Serialize, Deserialize, Read)]
pub(crate) struct RunCatalogue {
    entries: Vec<Arc<RunCatalogueEntry>>,
    /// The tools that the gates allow; `None` means all.
    gate: Option<BTreeSet<String>>,
    /// Whether plan mode limits the offer.
    plan: PlanStage,
    epoch: u64,
    /// The list that requests carry, where the model can call tools that are not in it.
    pinned: Option<PinnedOffer>,
    #[serde(skip)]
    by_name: BTreeMap<Arc<str>, usize>,
    #[serde(skip)]
    offer: Arc<Offer>,
}

impl RunCatalogue {
    pub(crate) fn new(tools: Vec<ToolSpec>) -> Self {
        let entries = tools.into_iter().map(|tool| Arc::new(RunCatalogueEntry::compile(tool))).collect();
        let mut catalogue = Self {
            entries,
            gate: None,
            plan: PlanStage::Off,
            epoch: 0,
            pinned: None,
            by_name: BTreeMap::new(),
            offer: Arc::default(),
        };
        catalogue.refresh();
        catalogue
    }

    /// Rebuilds derived data; also needed after reading a snapshot.
    pub(crate) fn refresh(&mut self) {
        self.by_name.clear();
        for (index, entry) in self.entries.iter().enumerate() {
            // The first of two tools with one name wins: a later one cannot shadow it.
            self.by_name.entry(entry.name.clone()).or_insert(index);
        }
        let mut tools = self.open_tools();
        if let Some(pinned) = &self.pinned {
            tools = pinned.listed(&tools);
        }
        // Last, so that tools return in their old places when the mode does.
        tools.retain(|tool| self.plan.fits(tool));
        self.offer = Arc::new(Offer { epoch: self.epoch, tools });
    }

    /// The tools that the model is told of, in order.
    fn open_tools(&self) -> Vec<Arc<ToolSpec>> {
        self.entries
            .iter()
            .enumerate()
            .filter(|(index, entry)| self.by_name.get(&entry.name) == Some(index))
            .filter(|(_, entry)| entry.compiled.is_ok() && self.is_open(&entry.name))
            .filter(|(_, entry)| entry.tool.listing == Listing::Offered)
            .map(|(_, entry)| entry.tool.clone())
            .collect()
    }

    /// Whether the model can call tools that its requests do not list: the tool search
    /// passes such calls on.
    pub(crate) fn passes_calls_on(&self) -> bool {
        self.is_open(FINDER)
            && self.find(FINDER).is_some_and(|entry| protocol::passes_calls_on(&entry.tool.schema))
    }

    /// Keeps the list of tools for this epoch of the view. Returns the tools that joined since and
    /// were not announced yet.
    pub(crate) fn pin(&mut self, view: u64) -> Vec<Arc<ToolSpec>> {
        if !self.passes_calls_on() {
            if self.pinned.take().is_some() {
                self.epoch += 1;
                self.refresh();
            }
            return Vec::new();
        }
        let mut open = self.open_tools();
        match &mut self.pinned {
            Some(pinned) if pinned.view == view => {
                open.retain(|tool| self.plan.fits(tool));
                return pinned.take_new(open);
            }
            pinned => *pinned = Some(PinnedOffer::new(view, &open)),
        }
        let listed = Arc::clone(&self.offer);
        self.refresh();
        if self.offer.tools != listed.tools {
            self.epoch += 1;
            self.refresh();
        }
        Vec::new()
    }

    /// Replaces the tools. The gate is unchanged until it is asked again, so that a new tool is
    /// not allowed by accident.
    pub(crate) fn replace(&mut self, tools: Vec<ToolSpec>) {
        let (epoch, gate, pinned) = (self.epoch + 1, self.gate.take(), self.pinned.take());
        let plan = self.plan;
        *self = Self::new(tools);
        self.epoch = epoch;
        self.gate = gate;
        self.plan = plan;
        self.pinned = pinned;
        self.refresh();
    }

    /// All tools, offered or not.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &Arc<ToolSpec>> {
        self.entries.iter().map(|entry| &entry.tool)
    }

    /// The names that a gate may choose from.
    pub(crate) fn usable(&self) -> Vec<String> {
        let entries = self.entries.iter().enumerate();
        entries
            .filter(|(index, entry)| entry.compiled.is_ok() && self.by_name.get(&entry.name) == Some(index))
            .map(|(_, entry)| String::from(&*entry.name))
            .collect()
    }

    /// The tools whose declaration cannot be fully enforced: name, whether it can
    /// be used, the problems.
    pub(crate) fn flaws(&self) -> impl Iterator<Item = (Arc<str>, bool, Vec<String>)> {
        self.entries.iter().filter_map(|entry| {
            let (usable, problems) = entry.problems();
            (!problems.is_empty()).then(|| (entry.name.clone(), usable, problems))
        })
    }

    /// Limits the offer to what plan mode lets a model use. Says whether that changed it.
    pub(crate) fn set_plan(&mut self, plan: PlanStage) -> bool {
        if self.plan == plan {
            return false;
        }
        self.plan = plan;
        self.epoch += 1;
        self.refresh();
        true
    }

    /// Allows only these tools; `None` allows all.
    pub(crate) fn set_gate(&mut self, gate: Option<BTreeSet<String>>) {
        if self.gate != gate {
            self.gate = gate;
            self.epoch += 1;
            self.refresh();
        }
    }

    /// The tool of that name, whether offered or not.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<RunCatalogueEntry>> {
        self.by_name.get(name).and_then(|index| self.entries.get(*index))
    }

    /// Whether the gate allows a tool.
    pub(crate) fn is_open(&self, name: &str) -> bool {
        self.gate.as_ref().is_none_or(|gate| gate.contains(name))
    }

    pub(crate) fn offer(&self) -> &Arc<Offer> {
        &self.offer
    }

    pub(crate) fn len(&self) -> u64 {
        self.by_name.len() as u64
    }
}
