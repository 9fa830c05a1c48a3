//! Reads the history shape: every record checked for itself, the same record told twice folded into one.
//!
//! Owns: what a file says. Never: what the store holds (`take`). Nothing is dropped: what cannot be taken is refused
//! by its place in the file.

use crate::exchange::item::{Item, Moment, derived};
use crate::exchange::metadata;
use crate::exchange::told::*;
use crate::ledger::{Fields, wire};
use crate::model::{EdgeType, NodeType, Status};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A file, read.
#[derive(Debug, Default)]
pub(super) struct File {
    pub nodes: Vec<Told<Named>>,
    pub edges: Vec<Told<Joined>>,
    pub themes: Vec<Told<Theming>>,
    pub tags: Vec<Told<Tagging>>,
    pub documents: Vec<Told<Attached>>,
    pub sessions: Vec<Told<Conversation>>,
    pub greatest: Greatest,
    pub refused: Vec<Note>,
    pub folded: Vec<Note>,
    /// Keys that nothing was made of, and how often.
    pub ignored: BTreeMap<String, usize>,
    /// Records whose identity was made from what they say, because the file gives them none.
    pub derived: usize,
}

type Raws = Vec<Box<RawValue>>;

#[derive(Deserialize)]
struct Shape {
    nodes: Option<Raws>,
    edges: Option<Raws>,
    themes: Option<Raws>,
    node_themes: Option<Raws>,
    documents: Option<Raws>,
    sessions: Option<Raws>,
    #[serde(default)]
    greatest: Greatest,
}

const KEYS: [&str; 6] = [
    "nodes",
    "edges",
    "themes",
    "node_themes",
    "documents",
    "sessions",
];
/// What an export says of itself.
const TOTALS: [&str; 5] = [
    "total_nodes",
    "total_edges",
    "truncated",
    "cursor",
    "greatest",
];

/// Reads the whole file; the reason where it is none.
pub(super) fn read(json: &str) -> Result<File, String> {
    let keys: BTreeMap<String, serde::de::IgnoredAny> =
        serde_json::from_str(json).map_err(|_| "is no object".to_owned())?;
    let shape: Shape = serde_json::from_str(json).map_err(|_| {
        format!(
            "has something else than lists in one of {}",
            KEYS.join(", ")
        )
    })?;
    let Some(nodes) = shape.nodes else {
        return Err("has no `nodes`: it is no graph".to_owned());
    };
    let mut file = File {
        greatest: shape.greatest,
        ..File::default()
    };
    for key in keys
        .into_keys()
        .filter(|key| !KEYS.contains(&key.as_str()) && !TOTALS.contains(&key.as_str()))
    {
        file.ignored.insert(key, 1);
    }
    file.each("nodes", nodes, File::node);
    file.each("edges", shape.edges.unwrap_or_default(), File::edge);
    file.each("themes", shape.themes.unwrap_or_default(), File::theme);
    let themes: BTreeMap<u32, String> = file
        .themes
        .iter()
        .filter_map(|theme| Some((theme.is.id?, theme.is.name.clone())))
        .collect();
    file.each(
        "node_themes",
        shape.node_themes.unwrap_or_default(),
        |file, place, item| file.tag(place, item, &themes),
    );
    file.each(
        "documents",
        shape.documents.unwrap_or_default(),
        File::document,
    );
    file.each(
        "sessions",
        shape.sessions.unwrap_or_default(),
        File::session,
    );
    file.fold_nodes();
    Ok(file)
}

fn put<T: serde::Serialize>(set: &mut Fields, name: &str, value: T) {
    set.insert(
        name.to_owned(),
        serde_json::to_value(value).unwrap_or_default(),
    );
}

/// A time under its name, with its text where the record keeps one.
fn put_time(set: &mut Fields, name: &str, text_name: Option<&str>, moment: Option<Moment>) {
    if let Some((at, text)) = moment {
        put(set, name, at);
        if let Some(text_name) = text_name {
            put(set, text_name, text);
        }
    }
}

impl File {
    fn each(
        &mut self,
        list: &str,
        raws: Raws,
        mut read: impl FnMut(&mut File, String, &mut Item) -> Option<()>,
    ) {
        for (number, raw) in raws.iter().enumerate() {
            let place = format!("{list}[{number}]");
            let mut item = Item::read(raw);
            // The object itself is read to its end, so that the first reason is the one that is said.
            let _ = read(self, place.clone(), &mut item);
            match item.problem.take() {
                Some(reason) => self.refused.push(Note {
                    item: place,
                    reason,
                }),
                None => item
                    .rest()
                    .for_each(|key| *self.ignored.entry(format!("{list}.{key}")).or_default() += 1),
            }
        }
    }

    /// The identity given, or one that the same record has at each import.
    fn named(&mut self, item: &mut Item, kind: &str, title: &str, at: &Option<Moment>) -> Named {
        let id = item.number(&["id"]);
        let given = item.identity(&["change_id"]);
        let change_id = given.unwrap_or_else(|| {
            self.derived += usize::from(item.problem.is_none());
            derived(kind, id, title, at)
        });
        Named { id, change_id }
    }

    fn node(&mut self, place: String, item: &mut Item) -> Option<()> {
        let kind = item.needed_text(&["node_type"]);
        let title = item.needed_text(&["title"]);
        let status = item
            .text(&["status"])
            .unwrap_or_else(|| Status::Pending.name().to_owned());
        let created = item.needed_time(&["created_at"]);
        let updated = item.time(&["updated_at"]);
        let (kind, title) = (kind?, title?);
        if NodeType::parse(&kind).is_none() {
            item.wrong(format!("has the unknown node_type `{kind}`"));
        }
        if Status::parse(&status).is_none() {
            item.wrong(format!("has the unknown status `{status}`"));
        }
        let is = self.named(item, "node", &title, &created);
        let map = item.object(&["metadata_json", "metadata"]);
        let empty = map.is_none();
        let mut set = metadata::imported(map.unwrap_or_default());
        if empty {
            put(&mut set, "metadata", Value::Null);
        }
        put(&mut set, "node_type", kind);
        put(&mut set, "title", title);
        put(&mut set, "status", status);
        put(&mut set, "description", item.text(&["description"]));
        put_time(
            &mut set,
            "updated_at",
            Some("updated_text"),
            updated.or_else(|| created.clone()),
        );
        put_time(&mut set, "created_at", Some("created_text"), created);
        item.problem.is_none().then(|| {
            self.nodes.push(Told {
                item: place,
                set,
                is,
            })
        })
    }

    fn edge(&mut self, place: String, item: &mut Item) -> Option<()> {
        let from = item.end(&["from_change_id"], &["from_node_id", "from_id"]);
        let to = item.end(&["to_change_id"], &["to_node_id", "to_id"]);
        let id = item.number(&["id"]);
        let kind = item
            .text(&["edge_type"])
            .unwrap_or_else(|| EdgeType::LeadsTo.name().to_owned());
        let Some(kind) = EdgeType::parse(&kind) else {
            item.wrong(format!("has the unknown edge_type `{kind}`"));
            return None;
        };
        let mut set = Fields::new();
        put(&mut set, "rationale", item.text(&["rationale"]));
        put(&mut set, "weight", item.real(&["weight"]).unwrap_or(1.0));
        put_time(
            &mut set,
            "created_at",
            Some("created_text"),
            item.needed_time(&["created_at"]),
        );
        item.problem.is_none().then(|| {
            self.edges.push(Told {
                item: place,
                set,
                is: Joined { id, from, to, kind },
            })
        })
    }

    fn theme(&mut self, place: String, item: &mut Item) -> Option<()> {
        let (id, name) = (item.number(&["id"]), item.needed_text(&["name"])?);
        let mut set = Fields::new();
        put(
            &mut set,
            "color",
            item.text(&["color"])
                .unwrap_or_else(|| "#6b7280".to_owned()),
        );
        put(&mut set, "description", item.text(&["description"]));
        put_time(&mut set, "created_at", None, item.time(&["created_at"]));
        if self.themes.iter().any(|theme| theme.is.name == name) {
            self.folded.push(Note {
                item: place,
                reason: format!("the theme `{name}` stands before"),
            });
            return Some(());
        }
        item.problem.is_none().then(|| {
            self.themes.push(Told {
                item: place,
                set,
                is: Theming { id, name },
            })
        })
    }

    fn tag(
        &mut self,
        place: String,
        item: &mut Item,
        themes: &BTreeMap<u32, String>,
    ) -> Option<()> {
        let node = item.end(&["node_change_id"], &["node_id"]);
        let number = item.number(&["theme_id"]);
        let name = item
            .text(&["theme", "theme_name"])
            .or_else(|| themes.get(&number?).cloned());
        let Some(theme) = name else {
            item.wrong("names no theme of the file");
            return None;
        };
        let mut set = Fields::new();
        put_time(&mut set, "created_at", None, item.time(&["created_at"]));
        item.problem.is_none().then(|| {
            self.tags.push(Told {
                item: place,
                set,
                is: Tagging { node, theme },
            })
        })
    }

    fn document(&mut self, place: String, item: &mut Item) -> Option<()> {
        let node = item.end(&["node_change_id"], &["node_id"]);
        let name = item.needed_text(&["name", "original_filename"])?;
        let sha256 = item
            .needed_text(&["sha256", "content_hash"])?
            .to_ascii_lowercase();
        if !wire::is_sha256(&sha256) {
            item.wrong(format!("has a `sha256` that is none: `{sha256}`"));
        }
        let created = item.time(&["created_at", "attached_at"]);
        let named = self.named(item, "document", &sha256, &created);
        let mut set = Fields::new();
        put(
            &mut set,
            "path",
            item.text(&["path", "storage_filename"])
                .unwrap_or_else(|| name.clone()),
        );
        put(&mut set, "name", name);
        put(&mut set, "sha256", sha256);
        put(
            &mut set,
            "size_bytes",
            item.size(&["size_bytes", "file_size"]),
        );
        put(
            &mut set,
            "media_type",
            item.text(&["media_type", "mime_type"])
                .unwrap_or_else(|| "application/octet-stream".to_owned()),
        );
        put(&mut set, "description", item.text(&["description"]));
        put_time(&mut set, "created_at", None, created);
        put_time(&mut set, "deleted_at", None, item.time(&["detached_at"]));
        item.problem.is_none().then(|| {
            self.documents.push(Told {
                item: place,
                set,
                is: Attached { named, node },
            })
        })
    }

    fn session(&mut self, place: String, item: &mut Item) -> Option<()> {
        let name = item.needed_text(&["name"])?;
        let started = item.time(&["started_at"]);
        let named = self.named(item, "session", &name, &started);
        let root = item.end(&["root_change_id"], &["root_node_id", "root_id"]);
        let by_identity = item.list(&["node_change_ids"]);
        let by_number = item.list(&["node_ids"]);
        let members = by_identity
            .or(by_number)
            .unwrap_or_default()
            .iter()
            .map(Member::read)
            .collect();
        let mut set = Fields::new();
        put(&mut set, "name", name);
        put(&mut set, "summary", item.text(&["summary"]));
        put_time(&mut set, "started_at", None, started);
        put(
            &mut set,
            "ended_at",
            item.time(&["ended_at"]).map(|(at, _)| at),
        );
        item.problem.is_none().then(|| {
            self.sessions.push(Told {
                item: place,
                set,
                is: Conversation {
                    named,
                    root,
                    members,
                },
            })
        })
    }

    /// Of a node told twice the version changed later stands; of the same age, the later in the file.
    fn fold_nodes(&mut self) {
        let mut kept: Vec<Told<Named>> = Vec::with_capacity(self.nodes.len());
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for node in std::mem::take(&mut self.nodes) {
            let Some(twin) = places
                .get(&node.is.change_id)
                .and_then(|place| kept.get_mut(*place))
            else {
                places.insert(node.is.change_id.clone(), kept.len());
                kept.push(node);
                continue;
            };
            let changed = |node: &Told<Named>| node.set.get("updated_at").and_then(Value::as_i64);
            let reason = if node.set == twin.set {
                format!("says the same as {}", twin.item)
            } else if changed(&node) >= changed(twin) {
                format!(
                    "stands in place of {}, the same node as it was before",
                    twin.item
                )
            } else {
                format!("is the same node as {} was before", twin.item)
            };
            self.folded.push(Note {
                item: node.item.clone(),
                reason,
            });
            if changed(&node) >= changed(twin) {
                (twin.set, twin.item) = (node.set, node.item);
            }
        }
        self.nodes = kept;
    }
}

impl Item<'_> {
    fn end(&mut self, change_id: &[&str], number: &[&str]) -> End {
        End {
            change_id: self.identity(change_id),
            number: self.number(number),
        }
    }
}
