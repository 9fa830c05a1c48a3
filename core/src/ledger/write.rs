//! The acts: what can happen to nodes, edges, themes, documents and sessions. Rules are asked before; these record.

use crate::cx::Record;
use crate::ledger::{Fields, Subject, Tx, fields};
use crate::model::{
    Document, Edge, EdgeType, Node, NodeTheme, NodeType, Session, SessionNode, Status, Theme,
};
use crate::refuse::Step;
use deciduous_boundary::Millis;
use serde_json::{Value, json};

/// What a new node says; `..NewNode::of(kind, title)` for the rest.
#[derive(Clone, Debug)]
pub(crate) struct NewNode {
    pub kind: NodeType,
    pub title: String,
    pub status: Status,
    pub description: Option<String>,
    pub confidence: Option<u32>,
    pub prompt: Option<String>,
    pub files: Vec<String>,
    pub branch: Option<String>,
    pub commit: Option<String>,
    /// When it really happened; none: now.
    pub created_at: Option<Millis>,
}

impl NewNode {
    pub(crate) fn of(kind: NodeType, title: impl Into<String>) -> Self {
        NewNode {
            kind,
            title: title.into(),
            status: Status::Pending,
            description: None,
            confidence: None,
            prompt: None,
            files: Vec::new(),
            branch: None,
            commit: None,
            created_at: None,
        }
    }
}

impl Tx<'_, '_> {
    /// Adds a node; it joins the session of the write.
    pub(crate) fn add_node(&mut self, new: NewNode) -> Step<Node> {
        let NewNode {
            kind,
            title,
            status,
            description,
            confidence,
            prompt,
            files,
            branch,
            commit,
            created_at,
        } = new;
        let files = (!files.is_empty()).then(|| json!(files).to_string());
        let set = fields! {
            node_type: kind.name(), title: title, status: status.name(), description: description, confidence: confidence,
            prompt: prompt, files: files, branch: branch, commit: commit, created_at: created_at,
        };
        let node = self.add_node_fields(None, set)?;
        if let Some(session) = self.session.clone() {
            self.join(&session, &node)?;
        }
        Ok(node)
    }

    /// Adds a node from fields, with its identity when it has one already.
    pub(crate) fn add_node_fields(&mut self, change_id: Option<String>, set: Fields) -> Step<Node> {
        let change_id = change_id.unwrap_or_else(|| self.ids.next());
        let id = self.home.next_node;
        self.add_node_as(id, change_id, set)
    }

    /// Adds a node under a local number that is free.
    pub(crate) fn add_node_as(&mut self, id: u32, change_id: String, set: Fields) -> Step<Node> {
        self.home.next_node = self.home.next_node.max(id.saturating_add(1));
        let mut node = Node {
            workspace: self.workspace(),
            id,
            change_id: change_id.clone(),
            ..Node::default()
        };
        self.record(
            &mut node,
            "node.added",
            &Subject::Node(change_id),
            None,
            set,
        )?;
        self.index(None, &node);
        self.on_branch(node.branch.clone().as_deref());
        Ok(node)
    }

    /// Sets fields of a node; says whether anything changed.
    pub(crate) fn change_node(&mut self, node: &mut Node, kind: &str, set: Fields) -> Step<bool> {
        let before = node.clone();
        let mut trial = node.clone();
        if set.iter().all(|(name, value)| trial.set(name, value)) && trial == before {
            return Ok(false);
        }
        let after = node.last_event.clone();
        self.record(
            node,
            kind,
            &Subject::Node(node.change_id.clone()),
            after,
            set,
        )?;
        self.index(Some(&before), node);
        self.on_branch(node.branch.clone().as_deref());
        Ok(true)
    }

    /// Joins two nodes. `former` is the row of the same edge when it was removed before.
    pub(crate) fn add_edge(
        &mut self,
        (from, to): (&Node, &Node),
        kind: EdgeType,
        former: Option<Edge>,
        set: Fields,
    ) -> Step<Edge> {
        let mut set = set;
        let after = former.as_ref().and_then(|edge| edge.last_event.clone());
        let mut edge = match former {
            Some(edge) => {
                set.insert("deleted_at".to_owned(), Value::Null);
                self.anew(&mut set, &["created_text", "rationale"]);
                set.entry("weight".to_owned()).or_insert(json!(1.0));
                edge
            }
            None => {
                let id = self.home.next_edge;
                self.home.next_edge += 1;
                Edge {
                    workspace: self.workspace(),
                    from_id: from.id,
                    to_id: to.id,
                    edge_type: kind.name().to_owned(),
                    id,
                    weight: 1.0,
                    ..Edge::default()
                }
            }
        };
        let subject = edge_subject((&from.change_id, &to.change_id), kind.name());
        self.record(&mut edge, "edge.added", &subject, after, set)?;
        self.on_branch(from.branch.clone().or_else(|| to.branch.clone()).as_deref());
        Ok(edge)
    }

    /// Sets fields of an edge; says whether anything changed.
    pub(crate) fn change_edge(
        &mut self,
        (from, to): (&Node, &Node),
        edge: &mut Edge,
        set: Fields,
    ) -> Step<bool> {
        let mut trial = edge.clone();
        if set.iter().all(|(name, value)| trial.set(name, value)) && trial == *edge {
            return Ok(false);
        }
        let (subject, after) = (
            edge_subject((&from.change_id, &to.change_id), &edge.edge_type),
            edge.last_event.clone(),
        );
        self.record(edge, "edge.changed", &subject, after, set)?;
        Ok(true)
    }

    /// Removes an edge; `ends` are the `change_id`s of its nodes.
    pub(crate) fn remove_edge(&mut self, ends: (&str, &str), edge: &mut Edge) -> Step<()> {
        let (subject, after) = (edge_subject(ends, &edge.edge_type), edge.last_event.clone());
        self.record(edge, "edge.removed", &subject, after, self.gone())
    }

    pub(crate) fn delete_node(&mut self, node: &mut Node) -> Step<()> {
        let gone = self.gone();
        self.change_node(node, "node.deleted", gone).map(|_| ())
    }

    /// Creates a theme, or brings back a removed one.
    pub(crate) fn add_theme(
        &mut self,
        former: Option<Theme>,
        name: &str,
        set: Fields,
    ) -> Step<Theme> {
        let mut set = set;
        let after = former.as_ref().and_then(|theme| theme.last_event.clone());
        let mut theme = match former {
            Some(theme) => {
                set.insert("deleted_at".to_owned(), Value::Null);
                self.anew(&mut set, &["description"]);
                theme
            }
            None => {
                let id = self.home.next_theme;
                self.home.next_theme += 1;
                Theme {
                    workspace: self.workspace(),
                    name: name.to_owned(),
                    id,
                    ..Theme::default()
                }
            }
        };
        self.record(
            &mut theme,
            "theme.created",
            &Subject::Theme(name.to_owned()),
            after,
            set,
        )?;
        Ok(theme)
    }

    /// Sets fields of a theme; says whether anything changed.
    pub(crate) fn change_theme(&mut self, theme: &mut Theme, set: Fields) -> Step<bool> {
        let mut trial = theme.clone();
        if set.iter().all(|(name, value)| trial.set(name, value)) && trial == *theme {
            return Ok(false);
        }
        let (subject, after) = (Subject::Theme(theme.name.clone()), theme.last_event.clone());
        self.record(theme, "theme.changed", &subject, after, set)?;
        Ok(true)
    }

    /// Removes a theme; what is tagged with it is untagged before.
    pub(crate) fn remove_theme(&mut self, theme: &mut Theme) -> Step<()> {
        let (subject, after) = (Subject::Theme(theme.name.clone()), theme.last_event.clone());
        self.record(theme, "theme.removed", &subject, after, self.gone())
    }

    /// Tags a node; `former` is the row of the same tag when it was removed before.
    pub(crate) fn tag(
        &mut self,
        node: &Node,
        theme: &str,
        former: Option<NodeTheme>,
    ) -> Step<NodeTheme> {
        let after = former.as_ref().and_then(|tag| tag.last_event.clone());
        let mut set = Fields::new();
        let mut tag = match former {
            Some(tag) => {
                set.insert("deleted_at".to_owned(), Value::Null);
                self.anew(&mut set, &[]);
                tag
            }
            None => NodeTheme {
                workspace: self.workspace(),
                node_id: node.id,
                theme: theme.to_owned(),
                ..NodeTheme::default()
            },
        };
        self.record(&mut tag, "tag.added", &tag_subject(node, theme), after, set)?;
        Ok(tag)
    }

    pub(crate) fn untag(&mut self, node: &Node, tag: &mut NodeTheme) -> Step<()> {
        let (subject, after) = (tag_subject(node, &tag.theme), tag.last_event.clone());
        self.record(tag, "tag.removed", &subject, after, self.gone())
    }

    /// Attaches a document whose bytes the host holds already. `set` has name, path, sha256, size_bytes, media_type.
    pub(crate) fn attach(&mut self, node: &Node, set: Fields) -> Step<Document> {
        let (id, change_id) = (self.home.next_document, self.ids.next());
        self.home.next_document += 1;
        let mut document = Document {
            workspace: self.workspace(),
            id,
            change_id: change_id.clone(),
            node_id: node.id,
            ..Document::default()
        };
        let set = with_owner(set, NODE_FIELD, &node.change_id);
        self.record(
            &mut document,
            "document.attached",
            &Subject::Document(change_id),
            None,
            set,
        )?;
        Ok(document)
    }

    /// Sets fields of a document; says whether anything changed.
    pub(crate) fn change_document(&mut self, document: &mut Document, set: Fields) -> Step<bool> {
        let mut trial = document.clone();
        if set.iter().all(|(name, value)| trial.set(name, value)) && trial == *document {
            return Ok(false);
        }
        let (subject, after) = (
            Subject::Document(document.change_id.clone()),
            document.last_event.clone(),
        );
        self.record(document, "document.changed", &subject, after, set)?;
        Ok(true)
    }

    pub(crate) fn detach(&mut self, document: &mut Document) -> Step<()> {
        let (subject, after) = (
            Subject::Document(document.change_id.clone()),
            document.last_event.clone(),
        );
        self.record(document, "document.detached", &subject, after, self.gone())
    }

    /// Starts a session whose root goal is `root`, which joins it.
    pub(crate) fn start_session(&mut self, name: &str, root: &Node) -> Step<Session> {
        let (id, change_id) = (self.home.next_session, self.ids.next());
        self.home.next_session += 1;
        let mut session = Session {
            workspace: self.workspace(),
            id,
            change_id: change_id.clone(),
            root_id: root.id,
            ..Session::default()
        };
        let set = with_owner(fields! { name: name }, ROOT_FIELD, &root.change_id);
        self.record(
            &mut session,
            "session.started",
            &Subject::Session(change_id),
            None,
            set,
        )?;
        self.join(&session, root)?;
        Ok(session)
    }

    pub(crate) fn change_session(
        &mut self,
        session: &mut Session,
        kind: &str,
        set: Fields,
    ) -> Step<()> {
        let (subject, after) = (
            Subject::Session(session.change_id.clone()),
            session.last_event.clone(),
        );
        self.record(session, kind, &subject, after, set)
    }

    /// Puts a node into a session.
    pub(crate) fn join(&mut self, session: &Session, node: &Node) -> Step<()> {
        let mut member = SessionNode {
            workspace: self.workspace(),
            session_id: session.id,
            node_id: node.id,
            ..SessionNode::default()
        };
        let subject = Subject::Member {
            session: session.change_id.clone(),
            node: node.change_id.clone(),
        };
        self.record(&mut member, "session.joined", &subject, None, Fields::new())
    }

    /// Takes a node out of a session; both by their `change_id`.
    pub(crate) fn leave(
        &mut self,
        session: &str,
        node: &str,
        member: &mut SessionNode,
    ) -> Step<()> {
        let subject = Subject::Member {
            session: session.to_owned(),
            node: node.to_owned(),
        };
        let after = member.last_event.clone();
        self.record(member, "session.left", &subject, after, self.gone())
    }

    /// What comes back is as new: its former time and the `texts` it is not given now must not show through.
    fn anew(&self, set: &mut Fields, texts: &[&str]) {
        set.entry("created_at".to_owned())
            .or_insert(json!(self.cx.now()));
        for name in texts {
            set.entry((*name).to_owned()).or_insert(Value::Null);
        }
    }

    fn gone(&self) -> Fields {
        fields! { deleted_at: self.cx.now() }
    }
}

/// Fields that name the node a record belongs to by its identity; the rows hold its local number instead.
pub(crate) const NODE_FIELD: &str = "node";
pub(crate) const ROOT_FIELD: &str = "root";

fn with_owner(mut set: Fields, field: &str, change_id: &str) -> Fields {
    set.insert(field.to_owned(), json!(change_id));
    set
}

fn edge_subject((from, to): (&str, &str), kind: &str) -> Subject {
    Subject::Edge {
        from: from.to_owned(),
        to: to.to_owned(),
        kind: kind.to_owned(),
    }
}

fn tag_subject(node: &Node, theme: &str) -> Subject {
    Subject::Tag {
        node: node.change_id.clone(),
        theme: theme.to_owned(),
    }
}
