//! Events on the wire: the form of FORMAT.md, without the place in a store.
//!
//! Owns: that form and what makes it legal. Never: whether an event may follow what a store holds.

use crate::ledger::{EVENT_VERSION, Fields, Subject};
use crate::model::{EdgeType, Event, NodeType, Status};
use serde::{Deserialize, Serialize};

/// The greatest integer that every JSON reader keeps.
const SAFE: i64 = (1 << 53) - 1;
const NAME_CHARS: usize = 1_000;

/// An event as it travels.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireEvent {
    pub id: String,
    pub replica: String,
    pub ordinal: i64,
    pub lamport: i64,
    pub at: i64,
    pub actor: String,
    pub actor_kind: String,
    pub kind: String,
    pub subject: String,
    pub fields: Fields,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    pub tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    pub version: u32,
    pub hash: String,
}

impl From<Event> for WireEvent {
    fn from(event: Event) -> Self {
        WireEvent {
            id: event.id,
            replica: event.replica,
            ordinal: event.ordinal,
            lamport: event.lamport,
            at: event.at,
            actor: event.actor,
            actor_kind: event.actor_kind,
            kind: event.kind,
            subject: event.subject,
            fields: serde_json::from_str(&event.fields).unwrap_or_default(),
            after: event.after,
            tool: event.tool,
            idempotency_key: event.idempotency_key,
            session: event.session,
            write: event.write,
            undoes: event.undoes,
            version: event.version,
            hash: event.hash,
        }
    }
}

/// What a schema says of an event: an object. FORMAT.md says the rest.
#[cfg(feature = "catalog")]
impl schemars::JsonSchema for WireEvent {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WireEvent".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}

#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// Whether a program newer than this one wrote the event.
pub(super) fn is_newer(json: &str) -> bool {
    serde_json::from_str::<Versioned>(json).is_ok_and(|event| event.version > EVENT_VERSION)
}

/// Reads an event; says what is wrong with it. A newer version is told apart from a broken event.
pub(super) fn read(json: &str) -> Result<(Event, Fields, Subject), String> {
    let Ok(Versioned { version }) = serde_json::from_str(json) else {
        return Err("is no event: it has no `version`".to_owned());
    };
    if version != EVENT_VERSION {
        return Err(format!(
            "has the format version {version}; this program knows {EVENT_VERSION}"
        ));
    }
    let wire: WireEvent = serde_json::from_str(json).map_err(|error| {
        let text = error.to_string();
        let reason = text.split(" at line ").next().unwrap_or_default();
        match reason.split_once(" field `") {
            Some((kind, rest)) => format!(
                "is no event: {kind} field `{}`",
                rest.split('`').next().unwrap_or_default()
            ),
            None => "is no event: a field has a value of another type".to_owned(),
        }
    })?;
    let subject = check(&wire)?;
    let fields = wire.fields;
    let event = Event {
        workspace: 0,
        seq: 0,
        id: wire.id,
        replica: wire.replica,
        ordinal: wire.ordinal,
        lamport: wire.lamport,
        at: wire.at,
        actor: wire.actor,
        actor_kind: wire.actor_kind,
        kind: wire.kind,
        subject: wire.subject,
        fields: serde_json::to_string(&fields).unwrap_or_default(),
        after: wire.after,
        tool: wire.tool,
        idempotency_key: wire.idempotency_key,
        session: wire.session,
        write: wire.write,
        undoes: wire.undoes,
        version: wire.version,
        hash: wire.hash,
    };
    Ok((event, fields, subject))
}

fn check(event: &WireEvent) -> Result<Subject, String> {
    let ids = [&event.id, &event.replica].into_iter().map(String::as_str);
    let after = event
        .after
        .as_deref()
        .into_iter()
        .flat_map(|after| after.split(' '));
    let writes = event.write.iter().chain(&event.undoes).map(String::as_str);
    if let Some(bad) = ids.chain(after).chain(writes).find(|id| !is_uuid(id)) {
        return Err(format!("names `{bad}`, which is no UUID in lower case"));
    }
    for (name, number) in [("ordinal", event.ordinal), ("lamport", event.lamport)] {
        if !(1..=SAFE).contains(&number) {
            return Err(format!("has the {name} {number}, which is out of range"));
        }
    }
    if event.at.abs() > SAFE {
        return Err(format!("has the time {}, which is out of range", event.at));
    }
    for (name, text) in [
        ("actor", &event.actor),
        ("kind", &event.kind),
        ("tool", &event.tool),
    ] {
        if text.chars().count() > NAME_CHARS {
            return Err(format!(
                "has a `{name}` longer than {NAME_CHARS} characters"
            ));
        }
    }
    if !["person", "agent", "system"].contains(&event.actor_kind.as_str()) {
        return Err(format!("has the unknown actor kind `{}`", event.actor_kind));
    }
    let subject = Subject::parse(&event.subject)
        .filter(is_legal)
        .ok_or_else(|| format!("has the unknown subject `{}`", event.subject))?;
    check_fields(&subject, &event.fields)?;
    Ok(subject)
}

/// What is wrong with an event that says these of the subject; identities aside.
pub(super) fn legal_fields(subject: &Subject, fields: &Fields) -> Result<(), String> {
    match subject {
        Subject::Edge { kind, .. } if EdgeType::parse(kind).is_none() => {
            return Err(format!("has the type `{kind}`, which is not known here"));
        }
        Subject::Edge { from, to, .. } if from == to => {
            return Err("joins a node to itself".to_owned());
        }
        Subject::Theme(name) | Subject::Tag { theme: name, .. } if !is_name(name) => {
            return Err("has a name that no theme can have".to_owned());
        }
        _ => {}
    }
    check_fields(subject, fields)
}

/// Only what an event of the subject may set: never a key of its row.
fn check_fields(subject: &Subject, fields: &Fields) -> Result<(), String> {
    let known = subject.fields();
    if let Some(name) = fields.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(format!(
            "sets `{name}`, which a {} does not have",
            subject.table()
        ));
    }
    let word = |name: &str, known: fn(&str) -> bool| match fields
        .get(name)
        .and_then(|value| value.as_str())
    {
        Some(text) if !known(text) => Err(format!(
            "sets `{name}` to `{text}`, which is not known here"
        )),
        _ => Ok(()),
    };
    word("node_type", |text| NodeType::parse(text).is_some())?;
    word("status", |text| Status::parse(text).is_some())?;
    word("sha256", is_sha256)?;
    word("node", is_uuid)?;
    word("root", is_uuid)
}

fn is_legal(subject: &Subject) -> bool {
    match subject {
        Subject::Node(id) | Subject::Document(id) | Subject::Session(id) => is_uuid(id),
        Subject::Edge { from, to, kind } => {
            is_uuid(from) && is_uuid(to) && from != to && EdgeType::parse(kind).is_some()
        }
        Subject::Theme(name) => is_name(name),
        Subject::Tag { node, theme } => is_uuid(node) && is_name(theme),
        Subject::Member { session, node } => is_uuid(session) && is_uuid(node),
    }
}

/// A UUID as the ledger writes it: lower case, with hyphens.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && !text.bytes().any(|byte| byte.is_ascii_uppercase())
        && uuid::Uuid::try_parse(text).is_ok()
}

pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_name(text: &str) -> bool {
    (1..=NAME_CHARS).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}
