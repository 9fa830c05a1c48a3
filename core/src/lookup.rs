//! Finds records by what callers say, and refuses clearly what is not there.

use crate::args::nearest;
use crate::cx::{Cx, Scan, row};
use crate::graph::{BranchCode, Graph};
use crate::ledger::LOCAL;
use crate::model::reference::NodeRef;
use crate::model::{Document, Event, Node, Session, Theme, node_key};
use crate::refuse::{Step, bad_argument, refusal, stop};
use crate::rules::themes;
use crate::text::shorten;
use crate::time;
use deciduous_boundary::Refusal;

/// How many candidates an ambiguous prefix names.
const CANDIDATES: u32 = 6;
/// How many names a refusal offers instead of an unknown one.
const OFFERED: usize = 6;
/// Among so many themes the nearest name is looked for.
const THEMES: u32 = 1_000;
/// How much of a caller's word a message repeats.
const SHOWN: usize = 80;

/// The live node that `reference` names. Unknown is 404, ambiguous 409 with the candidates, deleted 410 with who and when.
pub(crate) fn node(cx: &Cx, reference: &NodeRef) -> Step<Node> {
    let found = any_node(cx, reference)?;
    if found.is_live() {
        Ok(found)
    } else if found.node_type.is_empty() {
        // An edge or a tag that came from elsewhere names it; it has not come yet.
        stop(unknown(reference))
    } else {
        Err(gone(cx, &found)?.into())
    }
}

/// As [`node`], deleted ones included.
pub(crate) fn any_node(cx: &Cx, reference: &NodeRef) -> Step<Node> {
    match reference {
        NodeRef::Number(id) => cx
            .row::<Node>(node_key(LOCAL, *id))?
            .ok_or_else(|| unknown(reference).into()),
        NodeRef::ChangeId(id) => {
            let scan = Scan::of("node_by_change_id")
                .below(vec![LOCAL.into(), id.as_str().into()])
                .limit(1);
            cx.scan_one::<Node>(scan)?
                .pop()
                .ok_or_else(|| unknown(reference).into())
        }
        NodeRef::Prefix(prefix) => {
            // `g` is behind every hexadecimal digit and the hyphen.
            let scan = Scan::of("node_by_change_id")
                .below(vec![LOCAL.into()])
                .from(prefix.as_str())
                .to(format!("{prefix}g"))
                .limit(CANDIDATES);
            let mut found = cx.scan_one::<Node>(scan)?;
            match found.len() {
                0 => stop(unknown(reference)),
                1 => found.pop().ok_or_else(|| unknown(reference).into()),
                _ => stop(ambiguous(prefix, &found)),
            }
        }
    }
}

fn unknown(reference: &NodeRef) -> Refusal {
    refusal(
        404,
        format!("there is no node `{reference}`"),
        "find it with search_nodes or list_nodes",
    )
}

fn ambiguous(prefix: &str, candidates: &[Node]) -> Refusal {
    let named: Vec<String> = candidates
        .iter()
        .map(|node| {
            format!(
                "{} #{} `{}`",
                node.change_id,
                node.id,
                shorten(&node.title, 40)
            )
        })
        .collect();
    let more = if candidates.len() as u32 == CANDIDATES {
        " and maybe more"
    } else {
        ""
    };
    refusal(
        409,
        format!(
            "`{prefix}` is the beginning of {} nodes{more}: {}",
            candidates.len(),
            named.join("; ")
        ),
        "call again with one of these ids",
    )
}

/// The refusal for a node that was deleted.
fn gone(cx: &Cx, node: &Node) -> Step<Refusal> {
    let event = match node.decided_by() {
        Some(id) => cx
            .scan_one::<Event>(
                Scan::of("event_by_id")
                    .below(vec![LOCAL.into(), id.into()])
                    .limit(1),
            )?
            .pop(),
        None => None,
    };
    let by = event.map_or(String::new(), |event| format!(" by `{}`", event.actor));
    let at = node
        .deleted_at
        .map_or(String::new(), |at| format!(" at {}", time::show(at)));
    Ok(refusal(
        410,
        format!(
            "node `#{}` `{}` was deleted{at}{by}",
            node.id,
            shorten(&node.title, 80)
        ),
        "use another node; the ledger keeps its history",
    ))
}

/// The branch `name`, when a live node is on it. Another one is 404 with the nearest names: a filter that can match
/// nothing is a mistake, not an empty answer.
pub(crate) fn branch(graph: &Graph, name: &str) -> Step<BranchCode> {
    if name.is_empty() {
        return stop(bad_argument(
            "branch",
            "must not be blank",
            "name a branch, or leave it out for all of them",
        ));
    }
    let code = graph.branch_code(name);
    if let Some(code) = code.filter(|code| graph.live().any(|(_, node)| node.is_on(*code))) {
        return Ok(code);
    }
    let known: Vec<&str> = graph.branches().into_iter().collect();
    stop(refusal(
        404,
        format!("no node is on the branch `{}`", shorten(name, SHOWN)),
        offer(name, &known, "no node names a branch; leave `branch` out"),
    ))
}

row! {
    /// A theme's name and whether it stands.
    pub struct ThemeName in "theme" {
        name: String,
        deleted_at: Option<i64>,
    }
}

/// The theme `name`; unknown is 404 with the nearest names.
pub(crate) fn theme(cx: &Cx, name: &str) -> Step<Theme> {
    let key = themes::folded(name);
    let found = cx.row::<Theme>(vec![LOCAL.into(), key.as_str().into()])?;
    if let Some(theme) = found.filter(|theme| theme.deleted_at.is_none()) {
        return Ok(theme);
    }
    let names =
        cx.scan_one::<ThemeName>(Scan::of("primary").below(vec![LOCAL.into()]).limit(THEMES))?;
    let known: Vec<&str> = names
        .iter()
        .filter(|theme| theme.deleted_at.is_none())
        .map(|theme| theme.name.as_str())
        .collect();
    stop(refusal(
        404,
        format!("there is no theme `{}`", shorten(name, SHOWN)),
        offer(&key, &known, "there is none yet: make it with create_theme"),
    ))
}

/// What to say of names instead of an unknown one.
fn offer(name: &str, known: &[&str], none: &str) -> String {
    if let Some(near) = nearest(name, known.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    if known.is_empty() {
        return none.to_owned();
    }
    let named: Vec<String> = known
        .iter()
        .take(OFFERED)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = match known.len().saturating_sub(OFFERED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("there are {}{more}", named.join(", "))
}

/// The live document with this number; unknown is 404, detached 410.
pub(crate) fn document(cx: &Cx, id: u32) -> Step<Document> {
    match cx.row::<Document>(vec![LOCAL.into(), id.into()])? {
        Some(document) if document.deleted_at.is_none() => Ok(document),
        Some(document) => stop(refusal(
            410,
            format!(
                "document `{id}` `{}` was detached",
                shorten(&document.path, SHOWN)
            ),
            "list_documents names those that are attached",
        )),
        None => stop(refusal(
            404,
            format!("there is no document `{id}`"),
            "list_documents names those that are attached",
        )),
    }
}

/// The session with this number; unknown is 404.
pub(crate) fn session(cx: &Cx, id: u32) -> Step<Session> {
    match cx.row::<Session>(vec![LOCAL.into(), id.into()])? {
        Some(session) if session.deleted_at.is_none() => Ok(session),
        _ => stop(unknown_session(id)),
    }
}

pub(crate) fn unknown_session(id: u32) -> Refusal {
    refusal(
        404,
        format!("there is no session `{id}`"),
        "list them with list_sessions",
    )
}

row! {
    /// A session's name and whether it is open.
    pub struct SessionMark in "session" {
        id: u32,
        name: String,
        ended_at: Option<i64>,
        deleted_at: Option<i64>,
    }
}

/// Every session, newest first, without what it says.
pub(crate) fn session_marks(cx: &Cx) -> Step<Vec<SessionMark>> {
    let scan = Scan::of("primary").below(vec![LOCAL.into()]).desc();
    let mut marks: Vec<SessionMark> = cx.scan_one(scan)?;
    marks.retain(|session| session.deleted_at.is_none());
    Ok(marks)
}

/// The session that was named, else the one that this client is in. Nothing is guessed: where there is neither, the
/// refusal names the open ones.
pub(crate) fn current_session(cx: &Cx, named: Option<u32>) -> Step<Session> {
    if let Some(id) = named.or_else(|| cx.kept_session()) {
        return session(cx, id);
    }
    let open = session_marks(cx)?
        .into_iter()
        .filter(|session| session.ended_at.is_none());
    let named: Vec<String> = open
        .take(OFFERED)
        .map(|session| format!("{} `{}`", session.id, shorten(&session.name, 40)))
        .collect();
    let next = if named.is_empty() {
        "no session is open: begin one with start_session, or list_sessions for the ended ones"
            .to_owned()
    } else {
        format!("give `session_id`; open are {}", named.join(", "))
    };
    stop(bad_argument(
        "session_id",
        "is required: no session is under way here",
        next,
    ))
}
