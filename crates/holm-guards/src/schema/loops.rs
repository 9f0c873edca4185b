//! Finds schemas that would apply themselves to the same value forever.
//!
//! It runs once after compilation (`schema/compile/compiler.rs`) and walks with its own stack,
//! since a document chooses the length of its chains. Recursion that descends into the value is
//! fine and is bounded during validation (`schema/check/checker.rs`). Loops of a *run* are detected
//! in `holm-kernel/src/loops.rs`.

use alloc::vec;
use alloc::vec::Vec;

use super::node::{SchemaNode, SchemaNodeId};

/// A node on a loop of schemas that never descends into the value, if there is one.
///
/// Walks with its own stack: the length of a chain of references is the document's choice.
pub(super) fn find(nodes: &[SchemaNode]) -> Option<SchemaNodeId> {
    let mut marks = vec![VisitMark::New; nodes.len()];
    for start in 0..nodes.len() {
        let mut stack = vec![(start, None::<Vec<SchemaNodeId>>)];
        while let Some((at, pending)) = stack.pop() {
            let mut pending = match pending {
                Some(pending) => pending,
                None if marks.get(at) == Some(&VisitMark::New) => {
                    set(&mut marks, at, VisitMark::Open);
                    nodes.get(at).map(in_place).unwrap_or_default()
                }
                None => continue,
            };
            let Some(next) = pending.pop() else {
                set(&mut marks, at, VisitMark::Done);
                continue;
            };
            stack.push((at, Some(pending)));
            let target = usize::try_from(next.0).unwrap_or(usize::MAX);
            match marks.get(target) {
                Some(VisitMark::Open) => return Some(next),
                Some(VisitMark::New) => stack.push((target, None)),
                Some(VisitMark::Done) | None => {}
            }
        }
    }
    None
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitMark {
    New,
    Open,
    Done,
}

fn set(marks: &mut [VisitMark], at: usize, mark: VisitMark) {
    if let Some(slot) = marks.get_mut(at) {
        *slot = mark;
    }
}

/// The schemas that a node applies to the value that it is itself applied to.
fn in_place(node: &SchemaNode) -> Vec<SchemaNodeId> {
    let mut found = Vec::new();
    if let Some(logic) = &node.logic {
        found.extend(logic.always());
        found.extend(logic.any_of.iter().chain(&logic.one_of).chain(&logic.not));
        if let Some(condition) = &logic.condition {
            found.push(condition.test);
            found.extend(condition.then.iter().chain(&condition.otherwise));
        }
    }
    if let Some(object) = &node.object {
        found.extend(object.dependent_schemas.iter().map(|(_, node)| *node));
    }
    found
}
