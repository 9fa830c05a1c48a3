//! `create_theme`: a name under which nodes are gathered.

use crate::answer::Answer;
use crate::args::{Text, Word};
use crate::cx::Cx;
use crate::ledger::{LOCAL, Tx, fields};
use crate::model::Theme;
use crate::refuse::Step;
use crate::render::view::{plain, tone};
use crate::rules::themes::{self, DEFAULT_COLOR};
use crate::text::check::filled;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Create theme",
    about: "Make a theme, such as `auth` or `performance`, to gather nodes across goals with tag_node.",
    effect: Set,
    cli: {
        command: &["themes", "create"],
        summary: "Make a theme",
        positions: &["name"],
        short: &[("color", "c"), ("description", "d")],
        examples: &["deciduous themes create search-quality -c \"#0b7285\""]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Lowercase, dash-separated
    name: Word,
    /// As #rrggbb (default #6b7280)
    color: Option<Word>,
    /// What belongs under it
    description: Option<Text>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    id: u32,
    name: String,
    color: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    existing: bool,
    warnings: Vec<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let name = themes::name(&args.name.0)?;
    let color = args.color.map(|color| themes::color(&color.0)).transpose()?;
    let description = filled(args.description.map(|text| text.0));
    let (tx, former) = (Tx::open(cx), cx.row::<Theme>(vec![LOCAL.into(), name.as_str().into()]));
    let (mut tx, former) = (tx?, former?);
    let mut warnings = Vec::new();
    if name != args.name.0 {
        warnings.push(format!("the name is kept as `{name}`"));
    }
    let existing = former.as_ref().is_some_and(|theme| theme.deleted_at.is_none());
    let theme = match former {
        Some(mut theme) if existing => {
            if tx.change_theme(&mut theme, fields! { color: color, description: description })? {
                warnings.push("the theme is there already; what you gave replaced what it said".to_owned());
            }
            theme
        }
        former => {
            let color = color.unwrap_or_else(|| DEFAULT_COLOR.to_owned());
            tx.add_theme(former, &name, fields! { color: color, description: description })?
        }
    };
    tx.finish();
    let state = if existing { "is there already" } else { "made" };
    let lead = format!("Theme `{name}` {state}.");
    let output = Output { id: theme.id, name: theme.name, color: theme.color, description: theme.description, existing, warnings };
    let next = if existing { "" } else { "tag_node the nodes that belong to it" };
    Ok(Answer::new(output).lead(lead.clone()).next(next).view(cx, |page, output| {
        page.line(vec![plain(lead)]);
        output.warnings.iter().for_each(|warning| page.indented(1, vec![tone("warn", warning.as_str())]));
    }))
}
