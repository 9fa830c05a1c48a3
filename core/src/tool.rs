//! What a tool is: a function with words about it. Hosts know tools only through the catalogue made of these.

use crate::answer::Answer;
use crate::args;
use crate::cx::Cx;
use crate::ledger::Receipts;
use crate::refuse::Step;
use deciduous_boundary::Done;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// What calling the tool may do, from which the four MCP annotations follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Changes nothing.
    Read,
    /// Adds; calling again adds again.
    Add,
    /// Brings about a state; calling again changes nothing more.
    Set,
    /// Takes something away.
    Remove,
}

/// How a command line offers the tool; `bindings/schema` describes each part.
#[cfg_attr(
    not(feature = "catalog"),
    allow(dead_code, reason = "only the catalogue reads all of it")
)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cli {
    pub command: &'static [&'static str],
    /// One line for a list of commands.
    pub summary: &'static str,
    pub positions: &'static [&'static str],
    pub short: &'static [(&'static str, &'static str)],
    pub long: &'static [(&'static str, &'static str)],
    pub examples: &'static [&'static str],
    pub stdin: &'static [&'static str],
    pub negate: &'static [&'static str],
    pub file: &'static [&'static str],
    pub document: &'static str,
    /// `dot` when the document can be rendered by Graphviz.
    pub render: &'static str,
    pub pages: &'static [&'static str],
}

impl Cli {
    pub(crate) const NONE: Cli = Cli {
        command: &[],
        summary: "",
        positions: &[],
        short: &[],
        long: &[],
        examples: &[],
        stdin: &[],
        negate: &[],
        file: &[],
        document: "",
        render: "",
        pages: &[],
    };
}

/// One tool; made by [`tool!`].
#[cfg_attr(
    not(feature = "catalog"),
    allow(dead_code, reason = "only the catalogue reads all of it")
)]
pub(crate) struct Tool {
    pub title: &'static str,
    /// What it is for and when to use it, for agents.
    pub about: &'static str,
    pub effect: Effect,
    pub cli: Cli,
    pub run: fn(&Cx, &RawValue) -> Step<Done>,
    #[cfg(feature = "catalog")]
    pub schemas: fn() -> (schemars::Schema, schemars::Schema),
}

/// `tool! { Args, Output, run, title: …, about: …, effect: …, cli: … }` declares a module's `TOOL`.
macro_rules! tool {
    (title: $title:expr, about: $about:expr, effect: $effect:ident, cli: { $($cli:tt)* }) => {
        pub(crate) const TOOL: $crate::tool::Tool = $crate::tool::Tool {
            title: $title,
            about: $about,
            effect: $crate::tool::Effect::$effect,
            cli: $crate::tool::Cli { $($cli)*, ..$crate::tool::Cli::NONE },
            run: |cx, raw| $crate::tool::run::<Args, Output>(cx, raw, $crate::tool::Effect::$effect, run),
            #[cfg(feature = "catalog")]
            schemas: || {
                use schemars::generate::Contract::{Deserialize, Serialize};
                ($crate::catalog::derived::<Args>(Deserialize), $crate::catalog::derived::<Output>(Serialize))
            },
        };
    };
}
pub(crate) use tool;

/// `toolset! { LOCAL = add_node, … }` declares the modules and the list: a tool is one file and one line here.
macro_rules! toolset {
    ($(#[$meta:meta])* $list:ident = $($name:ident,)*) => {
        $(pub(crate) mod $name;)*
        $(#[$meta])*
        pub(crate) const $list: &[(&str, &$crate::tool::Tool)] = &[$((stringify!($name), &$name::TOOL),)*];
    };
}
pub(crate) use toolset;

/// Reads the arguments, answers a repeated write from its receipt, runs the tool.
pub(crate) fn run<A: DeserializeOwned, O: Serialize>(
    cx: &Cx,
    raw: &RawValue,
    effect: Effect,
    body: fn(A, &Cx) -> Step<Answer<O>>,
) -> Step<Done> {
    let (args, common) = args::read::<A>(raw, effect != Effect::Read)?;
    let receipt = Receipts::look(cx, common, raw)?;
    if let Some(first) = receipt.first() {
        return first;
    }
    let done = body(args, cx)?.done(cx)?;
    Ok(receipt.attach(cx, done))
}
