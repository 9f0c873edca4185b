//! Chooses which of the command's own tools a run has.

use holm::runtime::Toolbox;
use holm_tools::{
    files::Desk,
    info,
    root::{Protect, Root},
    shell::Rules,
    simple,
};

use super::{Outside, Set, guests::guests};
use crate::{places::Places, screen::Screen};

/// The tools of a set: the native ones of `outside`, the guests, or a few plain ones.
/// Missing tools are reported.
pub(crate) fn own(set: Set, outside: Outside, places: &Places, rules: &Rules, screen: &Screen) -> Toolbox {
    if set != Set::Few {
        return set.of(outside.tools, &guests(places, rules));
    }
    few(places).unwrap_or_else(|why| {
        screen.note(&format!("holm: the file tools are not available: {why}"));
        Toolbox::new()
    })
}

/// Look-ups that a small model can choose among. Holm's own data is out of their reach.
fn few(places: &Places) -> anyhow::Result<Toolbox> {
    let root = Root::open(&places.work)?.protect(&places.data, Protect::Everything)?;
    let date = info::tools().into_iter().filter(|tool| tool.declaration().name == "date");
    let mut tools = Toolbox::new();
    for tool in simple::tools(Desk::new(root)).into_iter().chain(date) {
        tools.add_shared(tool)?;
    }
    Ok(tools)
}
