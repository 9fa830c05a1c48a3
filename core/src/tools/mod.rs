//! The tools, by toolset. A tool is one file in its toolset's folder and one line in that folder's list.

pub(crate) mod local;
pub(crate) mod shared;
pub(crate) mod store;

use crate::args::nearest;
use crate::refuse::refusal;
use crate::tool::Tool;
use deciduous_boundary::Refusal;

/// One toolset: its own tools, and those it takes over whole.
#[cfg_attr(
    not(feature = "catalog"),
    allow(dead_code, reason = "only the catalogue reads all of it")
)]
pub(crate) struct Toolset {
    pub name: &'static str,
    pub title: &'static str,
    pub instructions: &'static str,
    pub includes: &'static [&'static str],
    pub tools: &'static [(&'static str, &'static Tool)],
}

/// Every toolset there is.
pub(crate) const TOOLSETS: &[Toolset] = &[
    Toolset {
        name: "local",
        title: "A project's own decision graph",
        instructions: include_str!("local/instructions.txt"),
        includes: &[],
        tools: local::LOCAL,
    },
    Toolset {
        name: "all",
        title: "Everything a project's own graph can do",
        instructions: include_str!("local/instructions.txt"),
        includes: &["local"],
        tools: shared::ALL,
    },
    Toolset {
        name: "store",
        title: "What a host's own commands need",
        instructions: "",
        includes: &["local", "all"],
        tools: store::STORE,
    },
];

/// The tools of a toolset in their order, those taken over first.
pub(crate) fn tools_of(
    toolset: &str,
) -> impl Iterator<Item = &'static (&'static str, &'static Tool)> {
    let own = TOOLSETS.iter().filter(move |set| set.name == toolset);
    let taken = own
        .clone()
        .flat_map(|set| set.includes)
        .flat_map(|name| TOOLSETS.iter().filter(move |set| set.name == *name));
    taken.chain(own).flat_map(|set| set.tools)
}

pub(crate) fn find(toolset: &str, tool: &str) -> Option<&'static Tool> {
    tools_of(toolset)
        .find(|(name, _)| *name == tool)
        .map(|(_, tool)| *tool)
}

pub(crate) fn unknown(toolset: &str, tool: &str) -> Refusal {
    let near = nearest(tool, tools_of(toolset).map(|(name, _)| *name));
    let next = near.map_or_else(
        || "see the catalogue for what there is".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    refusal(
        404,
        format!("the toolset `{toolset}` has no tool `{tool}`"),
        next,
    )
}
