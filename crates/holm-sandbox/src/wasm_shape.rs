//! A first look at bytes that claim to be WASM: what they are, and whether their size is worth
//! compiling.
//!
//! Reads every instruction once, in time that grows with the size alone. It does not check types:
//! the compiler does, in another process under its own limits. Bytes that are refused here never
//! get that far.
//!
//! The limits here are several times what honest tools have. Limits on time and memory of the
//! compiler are in `compile/budget.rs`.
//!
//! Compiling is done by `compile/child.rs`.

use thiserror::Error;
use wasmparser::{ElementItems, Encoding, FunctionBody, Operator, Parser, Payload};

/// The format of the bytes, and the counts of their parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WasmShape {
    /// A module or a component.
    pub kind: WasmKind,
    pub size: usize,
    /// The number of functions, in all modules together.
    pub functions: u64,
    /// The imports, sorted: interfaces of a component, `module.name` of a module.
    pub imports: Vec<String>,
    /// The names of the exports, sorted.
    pub exports: Vec<String>,
}

/// Which of the two formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WasmKind {
    Module,
    Component,
}

/// Why bytes are refused before compilation.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WasmShapeError {
    /// Not WASM, or damaged.
    #[error("not a WebAssembly module or component: {0}")]
    Malformed(String),
    /// Machine code of some engine. The sandbox only loads code that it compiled itself.
    #[error("this is compiled code, not WebAssembly; give the .wasm file")]
    Precompiled,
    /// More of something than an honest tool has.
    #[error("{found} {what}; at most {max} are allowed")]
    TooMany {
        /// The part that there is too much of.
        what: &'static str,
        /// The number found, as far as it was counted.
        found: u64,
        /// The largest accepted number.
        max: u64,
    },
}

/// The accepted counts, over all modules together. Each is several times that of the largest honest
/// tools (a JavaScript engine, `SQLite`, a Python interpreter), and far below what makes an attack.
mod max {
    pub(super) const BYTES: u64 = 64 << 20;
    pub(super) const IMPORTS: u64 = 4_000;
    pub(super) const EXPORTS: u64 = 20_000;
    pub(super) const TYPES: u64 = 50_000;
    pub(super) const FUNCTIONS: u64 = 150_000;
    pub(super) const GLOBALS: u64 = 20_000;
    pub(super) const ELEMENTS: u64 = 500_000;
    pub(super) const SEGMENTS: u64 = 100_000;
    /// Bytes of all data segments: they are held some times over while a guest is loaded. A whole
    /// Python has a dozen mebibytes.
    pub(super) const DATA: u64 = 24 << 20;
    pub(super) const MODULES: u64 = 64;
    pub(super) const INSTANCES: u64 = 1_000;
    pub(super) const DEFINITIONS: u64 = 50_000;
    pub(super) const COMPONENT_DEPTH: u64 = 16;
    /// Bytes of one function: an interpreter's main loop has some hundred thousand.
    pub(super) const BODY: u64 = 4 << 20;
    pub(super) const LOCALS: u64 = 20_000;
    /// Nested blocks: a `switch` becomes one for each case.
    pub(super) const BLOCK_DEPTH: u64 = 5_000;
    /// Nested loops: no real program has more, and compile time grows with them times the locals.
    pub(super) const LOOP_DEPTH: u64 = 200;
    /// Targets of one branch table.
    pub(super) const TARGETS: u64 = 100_000;
}

impl WasmShape {
    /// Checks what the bytes are and how large their parts are.
    ///
    /// # Errors
    ///
    /// If the bytes are not WASM, or a count is larger than accepted.
    pub fn of(bytes: &[u8]) -> Result<Self, WasmShapeError> {
        at_most("bytes", bytes.len() as u64, max::BYTES)?;
        if bytes.starts_with(b"\x7fELF") {
            return Err(WasmShapeError::Precompiled);
        }
        if !bytes.is_empty() && !bytes.starts_with(b"\0asm") {
            return Err(WasmShapeError::Malformed("its header is invalid".to_owned()));
        }
        let mut survey = WasmSurvey::default();
        for payload in Parser::new(0).parse_all(bytes) {
            survey.add(payload.map_err(malformed)?)?;
        }
        let Some(kind) = survey.kind else {
            return Err(WasmShapeError::Malformed("the file is empty".to_owned()));
        };
        survey.names_imports.sort();
        survey.names_imports.dedup();
        survey.names_exports.sort();
        Ok(Self {
            kind,
            size: bytes.len(),
            functions: survey.functions,
            imports: survey.names_imports,
            exports: survey.names_exports,
        })
    }
}

/// The counts so far.
#[derive(Default)]
struct WasmSurvey {
    kind: Option<WasmKind>,
    depth: u64,
    imports: u64,
    exports: u64,
    types: u64,
    functions: u64,
    globals: u64,
    elements: u64,
    segments: u64,
    data: u64,
    modules: u64,
    instances: u64,
    definitions: u64,
    names_imports: Vec<String>,
    names_exports: Vec<String>,
}

impl WasmSurvey {
    fn add(&mut self, payload: Payload<'_>) -> Result<(), WasmShapeError> {
        match payload {
            Payload::Version { encoding, .. } => {
                self.depth += 1;
                at_most("nested components", self.depth, max::COMPONENT_DEPTH)?;
                self.kind.get_or_insert(match encoding {
                    Encoding::Module => WasmKind::Module,
                    Encoding::Component => WasmKind::Component,
                });
                Ok(())
            }
            Payload::End(_) => {
                self.depth = self.depth.saturating_sub(1);
                Ok(())
            }
            Payload::CodeSectionEntry(body) => function(&body),
            payload => self.add_section(payload),
        }
    }

    fn add_section(&mut self, payload: Payload<'_>) -> Result<(), WasmShapeError> {
        let types = "types";
        match payload {
            Payload::TypeSection(section) => count(types, &mut self.types, section.count(), max::TYPES),
            Payload::CoreTypeSection(section) => count(types, &mut self.types, section.count(), max::TYPES),
            Payload::ComponentTypeSection(section) => {
                count(types, &mut self.types, section.count(), max::TYPES)
            }
            Payload::FunctionSection(section) => {
                count("functions", &mut self.functions, section.count(), max::FUNCTIONS)
            }
            Payload::GlobalSection(section) => {
                count("globals", &mut self.globals, section.count(), max::GLOBALS)
            }
            Payload::ElementSection(section) => {
                for element in section {
                    let items = match element.map_err(malformed)?.items {
                        ElementItems::Functions(items) => items.count(),
                        ElementItems::Expressions(_, items) => items.count(),
                    };
                    count("table elements", &mut self.elements, items, max::ELEMENTS)?;
                }
                Ok(())
            }
            Payload::DataSection(section) => {
                count("data segments", &mut self.segments, section.count(), max::SEGMENTS)?;
                let bytes = u32::try_from(section.range().len()).unwrap_or(u32::MAX);
                count("bytes of data", &mut self.data, bytes, max::DATA)
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                count("modules", &mut self.modules, 1, max::MODULES)
            }
            Payload::InstanceSection(section) => {
                count("instances", &mut self.instances, section.count(), max::INSTANCES)
            }
            Payload::ComponentInstanceSection(section) => {
                count("instances", &mut self.instances, section.count(), max::INSTANCES)
            }
            Payload::ComponentAliasSection(section) => {
                count("definitions", &mut self.definitions, section.count(), max::DEFINITIONS)
            }
            Payload::ComponentCanonicalSection(section) => {
                count("definitions", &mut self.definitions, section.count(), max::DEFINITIONS)
            }
            payload => self.add_names(payload),
        }
    }

    /// Adds imports and exports. The names of the outermost ones are kept.
    fn add_names(&mut self, payload: Payload<'_>) -> Result<(), WasmShapeError> {
        let outermost = self.depth == 1;
        match payload {
            Payload::ImportSection(section) => {
                // One entry may contain many imports, so they are counted one by one.
                for import in section.into_imports() {
                    let import = import.map_err(malformed)?;
                    count("imports", &mut self.imports, 1, max::IMPORTS)?;
                    if outermost {
                        self.names_imports.push(format!("{}.{}", import.module, import.name));
                    }
                }
            }
            Payload::ComponentImportSection(section) => {
                count("imports", &mut self.imports, section.count(), max::IMPORTS)?;
                for import in section.into_iter().filter(|_| outermost) {
                    self.names_imports.push(import.map_err(malformed)?.name.name.to_owned());
                }
            }
            Payload::ExportSection(section) => {
                count("exports", &mut self.exports, section.count(), max::EXPORTS)?;
                for export in section.into_iter().filter(|_| outermost) {
                    self.names_exports.push(export.map_err(malformed)?.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) => {
                count("exports", &mut self.exports, section.count(), max::EXPORTS)?;
                for export in section.into_iter().filter(|_| outermost) {
                    self.names_exports.push(export.map_err(malformed)?.name.name.to_owned());
                }
            }
            // The compiler refuses unknown sections; custom sections are ignored.
            _ => {}
        }
        Ok(())
    }
}

/// Checks every instruction of one function for constructs that make compiling slow.
fn function(body: &FunctionBody<'_>) -> Result<(), WasmShapeError> {
    at_most("bytes in one function", body.as_bytes().len() as u64, max::BODY)?;
    let mut locals = 0;
    for local in body.get_locals_reader().map_err(malformed)? {
        count("locals", &mut locals, local.map_err(malformed)?.0, max::LOCALS)?;
    }
    let mut open: Vec<BlockKind> = Vec::new();
    let mut loops = 0;
    for operator in body.get_operators_reader().map_err(malformed)? {
        match operator.map_err(malformed)? {
            Operator::Loop { .. } => {
                loops += 1;
                at_most("nested loops", loops, max::LOOP_DEPTH)?;
                open.push(BlockKind::Loop);
            }
            Operator::Block { .. } | Operator::If { .. } | Operator::TryTable { .. } => {
                open.push(BlockKind::Block);
            }
            Operator::End => loops -= u64::from(open.pop() == Some(BlockKind::Loop)),
            Operator::BrTable { targets } => {
                at_most("branch targets", targets.len().into(), max::TARGETS)?;
            }
            _ => {}
        }
        at_most("nested blocks", open.len() as u64, max::BLOCK_DEPTH)?;
    }
    Ok(())
}

/// The kind of a block around an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Block,
    Loop,
}

fn count(item: &'static str, sum: &mut u64, more: u32, max: u64) -> Result<(), WasmShapeError> {
    *sum = sum.saturating_add(more.into());
    at_most(item, *sum, max)
}

fn at_most(item: &'static str, found: u64, max: u64) -> Result<(), WasmShapeError> {
    if found > max { Err(WasmShapeError::TooMany { what: item, found, max }) } else { Ok(()) }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of map_err")]
fn malformed(error: wasmparser::Error) -> WasmShapeError {
    // Some of them are spread over many lines.
    WasmShapeError::Malformed(error.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests;
