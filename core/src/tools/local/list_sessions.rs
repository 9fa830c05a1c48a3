//! `list_sessions`: conversations, newest first.

use crate::answer::Answer;
use crate::args::{Flag, Limit, Word};
use crate::around;
use crate::cx::Cx;
use crate::ledger::LOCAL;
use crate::lookup;
use crate::model::Session;
use crate::page::{Pages, fitting, key_after, key_cursor};
use crate::refuse::Step;
use crate::render::view::{plain, tone};
use crate::shapes::SessionItem;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "List sessions",
    about: "List sessions, newest first, to resume one or to read what it did.",
    effect: Read,
    cli: {
        command: &["session", "list"],
        summary: "List sessions, newest first",
        long: &[("active_only", "active")],
        pages: &["sessions"],
        examples: &["deciduous session list --active"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Only sessions that have not ended (default false)
    active_only: Option<Flag>,
    /// Page size (default: what fits 20 kB)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    count: usize,
    total: usize,
    sessions: Vec<SessionItem>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let pages = Pages::new(args.limit, None)?;
    let before = key_after::<1>(args.cursor.as_ref())?.map(|[id]| id);
    let active_only = args.active_only.is_some_and(|flag| flag.0);
    let marks = lookup::session_marks(cx)?;
    let wanted: Vec<u32> = marks.iter().filter(|mark| !active_only || mark.ended_at.is_none()).map(|mark| mark.id).collect();
    let total = wanted.len();
    let behind: Vec<u32> = wanted.into_iter().filter(|id| before.is_none_or(|before| i64::from(*id) < before)).collect();
    let page = behind.get(..pages.most().min(behind.len())).unwrap_or_default();
    let rows = cx.rows::<Session>(&page.iter().map(|id| vec![LOCAL.into(), (*id).into()]).collect::<Vec<_>>());
    let members = around::members(cx, page.iter().copied());
    let (rows, members) = (rows?, members?);
    let found = rows.iter().zip(&members).filter_map(|(row, members)| Some((row.as_ref()?, members.len())));
    let mut sessions: Vec<SessionItem> = found.map(|(session, count)| SessionItem::new(session, count, cx.kept_session())).collect();
    sessions.truncate(pages.bound(fitting(&sessions, pages.bytes())));
    let cursor = sessions.last().filter(|_| sessions.len() < behind.len()).map(|last| key_cursor([i64::from(last.session_id)]));
    let which = counted(total, if active_only { "open session" } else { "session" });
    let lead = match (total, cursor.is_some()) {
        (0, _) if active_only => "No session is open.".to_owned(),
        (0, _) => "There are no sessions yet.".to_owned(),
        (_, true) => format!("{which}, newest first; {} shown.", sessions.len()),
        _ => format!("{which}, newest first."),
    };
    let next = match (total, cursor.is_some()) {
        (0, _) if !active_only => "start_session begins one",
        (_, true) => "pass `cursor` for the next ones",
        _ => "",
    };
    let output = Output { count: sessions.len(), total, truncated: cursor.is_some(), sessions, cursor };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        let rows = output.sessions.iter().map(|session| {
            let state = if session.active { tone("good", "open") } else { tone("dim", "ended") };
            vec![plain(session.session_id.to_string()), state, plain(&session.name), plain(format!("#{}", session.root_node_id)), plain(session.node_count.to_string()), tone("dim", session.started_at.chars().take(16).collect::<String>())]
        });
        page.table(&["id", "state", "name", "root", "nodes", "started"], 2, rows.collect());
    }))
}
