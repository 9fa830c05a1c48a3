//! `resume_session`: goes on with an earlier conversation.

use crate::answer::Answer;
use crate::args::RowId;
use crate::around;
use crate::cx::Cx;
use crate::ledger::{Fields, Tx};
use crate::lookup;
use crate::refuse::Step;
use crate::render::view::plain;
use crate::shapes::SessionItem;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;

tool! {
    title: "Resume session",
    about: "Go on with an earlier session after a break or a restart; an ended one is opened again. Later writes of this process join it.",
    effect: Set,
    cli: {
        command: &["session", "resume"],
        summary: "Go on with an earlier session",
        positions: &["session_id"],
        examples: &["deciduous session resume 3"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Session to go on with
    session_id: RowId,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    #[serde(flatten)]
    session: SessionItem,
    reopened: bool,
    /// The session that this client was in; it stays open.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_open: Option<u32>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let id = args.session_id.0;
    let (tx, session, members) = (Tx::open(cx), lookup::session(cx, id), around::members(cx, [id].into_iter()));
    let (mut tx, mut session, members) = (tx?, session?, members?);
    let left_open = tx.session.replace(session.clone()).map(|former| former.id).filter(|former| *former != id);
    let reopened = session.ended_at.is_some();
    if reopened {
        tx.change_session(&mut session, "session.resumed", Fields::from([("ended_at".to_owned(), Value::Null)]))?;
    }
    tx.finish();
    cx.keep_session(Some(id));
    let count = members.first().map_or(0, Vec::len);
    let item = SessionItem::new(&session, count, Some(id));
    let verb = if reopened { "is open again" } else { "goes on" };
    let left = left_open.map_or(String::new(), |left| format!(" Session {left} stays open."));
    let lead = format!("Session {id} `{}` {verb}: root #{}, {}.{left}", item.name, item.root_node_id, counted(count, "node"));
    Ok(Answer::new(Output { session: item, reopened, left_open })
        .lead(lead.clone())
        .next("get_session lists what was done so far")
        .view(cx, |page, _| page.line(vec![plain(lead)])))
}
