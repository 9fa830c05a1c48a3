//! Takes a file into the graph: what is new is added, what the file says otherwise is changed, what the ledger has
//! already replaced stays replaced.
//!
//! Owns: which record of the store a record of the file is, and local numbers for new ones. A file is taken whole or
//! not at all. A value that the ledger held before and that was written over since is old news: a stale copy brings
//! nothing back, neither a text nor something deleted.

use crate::cx::{Cx, Record, Scan};
use crate::exchange::differ::{differing, filled, sifted};
use crate::exchange::known::{self, Known};
use crate::exchange::outcome::{Counts, Differing, Renumbered, Taken};
use crate::exchange::place::{Ends, GREATEST, Plan, place};
use crate::exchange::read::{self, File};
use crate::exchange::told::{self, Greatest};
use crate::ledger::{Fields, Subject, Tx};
use crate::model::{Document, Folded, Node, NodeTheme, Session, SessionNode};
use crate::refuse::Step;
use serde_json::Value;
use std::collections::BTreeMap;

/// Which of the counts a record belongs to.
type Kind = fn(&mut Counts) -> &mut usize;

/// Says what becomes of the file; with nothing refused, the changes are recorded too.
pub(crate) fn take(cx: &Cx, json: &str) -> Step<Result<Taken, String>> {
    let file = match read::read(json) {
        Ok(file) => file,
        Err(why) => return Ok(Err(why)),
    };
    let tx = Tx::open(cx)?;
    let known = known::learn(cx, &tx.home, &file)?;
    let mut taken = Taken::default();
    let (mut file, plan) = place(cx, &tx.home, file, &known)?;
    taken.refused = std::mem::take(&mut file.refused);
    taken.folded = std::mem::take(&mut file.folded);
    taken.ignored = std::mem::take(&mut file.ignored);
    taken.derived = file.derived;
    let mut taking = Taking {
        tx,
        known,
        plan,
        histories: BTreeMap::new(),
        taken,
    };
    taking.ask_histories(&file)?;
    taking.run(file)?;
    let Taking { tx, taken, .. } = taking;
    if taken.refused.is_empty() {
        tx.finish();
    } else {
        cx.take_effects();
    }
    Ok(Ok(taken))
}

struct Taking<'a, 'c> {
    tx: Tx<'a, 'c>,
    known: Known,
    plan: Plan,
    /// Of the records that the file says otherwise: what was ever set.
    histories: BTreeMap<String, Vec<(i64, Fields)>>,
    taken: Taken,
}

impl Taking<'_, '_> {
    /// The events of everything that the file says otherwise, in one round.
    fn ask_histories(&mut self, file: &File) -> Step<()> {
        let mut subjects = Vec::new();
        for node in &file.nodes {
            let row = self
                .known
                .nodes
                .get(&node.is.change_id)
                .filter(|row| row.last_event.is_some());
            if row.is_some_and(|row| !differing(row, &node.set).is_empty()) {
                subjects.push(Subject::Node(node.is.change_id.clone()));
            }
        }
        for (edge, ends) in file.edges.iter().zip(&self.plan.edges) {
            if self
                .plan
                .edge(ends, edge.is.kind)
                .is_some_and(|row| !differing(row, &edge.set).is_empty())
            {
                subjects.push(ends.subject(edge.is.kind));
            }
        }
        for theme in &file.themes {
            if self
                .known
                .themes
                .get(&theme.is.name)
                .is_some_and(|row| !differing(row, &theme.set).is_empty())
            {
                subjects.push(Subject::Theme(theme.is.name.clone()));
            }
        }
        for document in &file.documents {
            let id = &document.is.named.change_id;
            if self
                .known
                .documents
                .get(id)
                .is_some_and(|row| !differing(row, &document.set).is_empty())
            {
                subjects.push(Subject::Document(id.clone()));
            }
        }
        for session in &file.sessions {
            let id = &session.is.named.change_id;
            if self
                .known
                .sessions
                .get(id)
                .is_some_and(|row| !differing(row, &session.set).is_empty())
            {
                subjects.push(Subject::Session(id.clone()));
            }
        }
        let names: Vec<String> = subjects.iter().map(Subject::to_string).collect();
        let scan =
            Scan::of("event_by_subject").below_each(names.iter().map(|name| known::key(name)));
        let events = self.tx.cx.scan::<known::Past>(scan)?;
        for (name, events) in names.into_iter().zip(events) {
            let past = events.into_iter().map(|event| {
                (
                    event.at,
                    serde_json::from_str(&event.fields).unwrap_or_default(),
                )
            });
            self.histories.insert(name, past.collect());
        }
        Ok(())
    }

    fn run(&mut self, file: File) -> Step<()> {
        let mut rows: BTreeMap<String, Node> = BTreeMap::new();
        for (node, number) in file
            .nodes
            .into_iter()
            .zip(std::mem::take(&mut self.plan.numbers))
        {
            let change_id = node.is.change_id;
            let row = match self.known.nodes.remove(&change_id) {
                Some(row) if row.last_event.is_some() => self.meet(
                    row,
                    Subject::Node(change_id.clone()),
                    node.set,
                    |counts| &mut counts.nodes,
                    |tx, row, set| tx.change_node(row, "node.changed", set).map(|_| ()),
                )?,
                _ => {
                    self.renumbered(&node.item, node.is.id, number);
                    self.taken.added.nodes += 1;
                    self.tx
                        .add_node_as(number, change_id.clone(), filled(node.set))?
                }
            };
            rows.insert(change_id, row);
        }
        // Nodes of the store that the file's records name without telling them.
        rows.extend(std::mem::take(&mut self.known.nodes));
        self.themes(file.themes)?;
        self.edges(file.edges, &rows)?;
        self.tags(file.tags, &rows)?;
        self.documents(file.documents, &rows)?;
        self.sessions(file.sessions, &rows)?;
        self.skip(file.greatest);
        Ok(())
    }

    /// Numbers that were given once are not given again.
    fn skip(&mut self, greatest: Greatest) {
        let home = &mut self.tx.home;
        for (counter, greatest) in [
            (&mut home.next_node, greatest.nodes),
            (&mut home.next_edge, greatest.edges),
            (&mut home.next_theme, greatest.themes),
            (&mut home.next_document, greatest.documents),
            (&mut home.next_session, greatest.sessions),
        ] {
            if (*counter..=GREATEST).contains(&greatest) {
                *counter = greatest.saturating_add(1);
            }
        }
    }

    /// A record that the store has: changed where the file has news.
    fn meet<R: Folded + Clone>(
        &mut self,
        mut row: R,
        subject: Subject,
        set: Fields,
        kind: Kind,
        change: impl FnOnce(&mut Tx, &mut R, Fields) -> Step<()>,
    ) -> Step<R> {
        let differing = differing(&row, &set);
        let name = subject.to_string();
        let past = self.histories.remove(&name).unwrap_or_default();
        let deleted =
            row.deleted_at().is_some() && set.get("deleted_at").is_none_or(Value::is_null);
        let (news, stale) = if deleted {
            (Fields::new(), vec!["deleted_at".to_owned()])
        } else {
            sifted(differing, &past)
        };
        if !stale.is_empty() {
            self.taken.stale.push(Differing {
                item: name.clone(),
                fields: stale,
            });
        }
        if news.is_empty() {
            *kind(&mut self.taken.kept) += 1;
        } else {
            *kind(&mut self.taken.changed) += 1;
            self.taken.changes.push(Differing {
                item: name,
                fields: news.keys().cloned().collect(),
            });
            change(&mut self.tx, &mut row, news)?;
        }
        Ok(row)
    }

    /// Records a change of a row that has no act of its own.
    fn change<R: Folded + Record>(
        tx: &mut Tx,
        row: &mut R,
        kind: &str,
        subject: &Subject,
        after: Option<String>,
        set: Fields,
    ) -> Step<()> {
        tx.record(row, kind, subject, after, set)
    }

    fn renumbered(&mut self, item: &str, from: Option<u32>, to: u32) {
        if let Some(from) = from.filter(|from| *from != to) {
            self.taken.renumbered.push(Renumbered {
                item: item.to_owned(),
                from,
                to,
            });
        }
    }

    fn themes(&mut self, themes: Vec<told::Told<told::Theming>>) -> Step<()> {
        let mut themes = themes;
        let counter = self.tx.home.next_theme;
        themes.sort_by_key(|theme| theme.is.id.filter(|id| *id >= counter).unwrap_or(u32::MAX));
        for theme in themes {
            let told::Theming { id, name } = theme.is;
            let subject = Subject::Theme(name.clone());
            if let Some(row) = self.known.themes.remove(&name) {
                let after = row.last_event.clone();
                self.meet(
                    row,
                    subject.clone(),
                    theme.set,
                    |counts| &mut counts.themes,
                    |tx, row, set| Self::change(tx, row, "theme.changed", &subject, after, set),
                )?;
                continue;
            }
            keep(&mut self.tx.home.next_theme, id);
            let row = self.tx.add_theme(None, &name, filled(theme.set))?;
            self.renumbered(&theme.item, id, row.id);
            self.taken.added.themes += 1;
        }
        Ok(())
    }

    fn edges(
        &mut self,
        edges: Vec<told::Told<told::Joined>>,
        rows: &BTreeMap<String, Node>,
    ) -> Step<()> {
        let counter = self.tx.home.next_edge;
        let mut edges: Vec<(told::Told<told::Joined>, Ends)> = edges
            .into_iter()
            .zip(std::mem::take(&mut self.plan.edges))
            .collect();
        edges.sort_by_key(|(edge, _)| edge.is.id.filter(|id| *id >= counter).unwrap_or(u32::MAX));
        for (edge, ends) in edges {
            let kind = edge.is.kind;
            let (Some(from), Some(to)) = (rows.get(&ends.from), rows.get(&ends.to)) else {
                continue;
            };
            if let Some(row) = self.plan.take_edge(&ends, kind) {
                self.meet(
                    row,
                    ends.subject(kind),
                    edge.set,
                    |counts| &mut counts.edges,
                    |tx, row, set| tx.change_edge((from, to), row, set).map(|_| ()),
                )?;
                continue;
            }
            if let Some(gone) = [from, to].into_iter().find(|node| !node.is_live()) {
                let fields = vec![format!("node/{} deleted_at", gone.change_id)];
                self.taken.stale.push(Differing {
                    item: ends.subject(kind).to_string(),
                    fields,
                });
                self.taken.kept.edges += 1;
                continue;
            }
            keep(&mut self.tx.home.next_edge, edge.is.id);
            let row = self.tx.add_edge((from, to), kind, None, filled(edge.set))?;
            self.renumbered(&edge.item, edge.is.id, row.id);
            self.taken.added.edges += 1;
        }
        Ok(())
    }

    fn tags(
        &mut self,
        tags: Vec<told::Told<told::Tagging>>,
        rows: &BTreeMap<String, Node>,
    ) -> Step<()> {
        for (tag, node) in tags.into_iter().zip(std::mem::take(&mut self.plan.tags)) {
            let Some(row) = rows.get(&node) else { continue };
            let subject = Subject::Tag {
                node,
                theme: tag.is.theme.clone(),
            };
            if let Some(known) = self.plan.known_tags.remove(&(row.id, tag.is.theme.clone())) {
                // A tag says nothing but that it stands.
                self.meet(
                    known,
                    subject,
                    Fields::new(),
                    |counts| &mut counts.tags,
                    |_, _, _| Ok(()),
                )?;
                continue;
            }
            let mut new = NodeTheme {
                workspace: self.tx.workspace(),
                node_id: row.id,
                theme: tag.is.theme,
                ..NodeTheme::default()
            };
            self.tx
                .record(&mut new, "tag.added", &subject, None, filled(tag.set))?;
            self.taken.added.tags += 1;
        }
        Ok(())
    }

    fn documents(
        &mut self,
        documents: Vec<told::Told<told::Attached>>,
        rows: &BTreeMap<String, Node>,
    ) -> Step<()> {
        let mut documents: Vec<_> = documents
            .into_iter()
            .zip(std::mem::take(&mut self.plan.documents))
            .collect();
        let counter = self.tx.home.next_document;
        documents.sort_by_key(|(document, _)| {
            document
                .is
                .named
                .id
                .filter(|id| *id >= counter)
                .unwrap_or(u32::MAX)
        });
        for (document, owner) in documents {
            let Some(node) = rows.get(&owner) else {
                continue;
            };
            let told::Named { id, change_id } = document.is.named;
            let subject = Subject::Document(change_id.clone());
            if let Some(row) = self.known.documents.remove(&change_id) {
                let after = row.last_event.clone();
                self.meet(
                    row,
                    subject.clone(),
                    document.set,
                    |counts| &mut counts.documents,
                    |tx, row, set| Self::change(tx, row, "document.changed", &subject, after, set),
                )?;
                continue;
            }
            let number = keep(&mut self.tx.home.next_document, id);
            self.tx.home.next_document = number.saturating_add(1);
            let mut row = Document {
                workspace: self.tx.workspace(),
                id: number,
                change_id,
                node_id: node.id,
                ..Document::default()
            };
            let mut set = filled(document.set);
            set.insert("node".to_owned(), Value::from(owner));
            self.tx
                .record(&mut row, "document.attached", &subject, None, set)?;
            self.renumbered(&document.item, id, number);
            self.taken.added.documents += 1;
        }
        Ok(())
    }

    fn sessions(
        &mut self,
        sessions: Vec<told::Told<told::Conversation>>,
        rows: &BTreeMap<String, Node>,
    ) -> Step<()> {
        let mut sessions: Vec<_> = sessions
            .into_iter()
            .zip(std::mem::take(&mut self.plan.sessions))
            .collect();
        let counter = self.tx.home.next_session;
        sessions.sort_by_key(|(session, _)| {
            session
                .is
                .named
                .id
                .filter(|id| *id >= counter)
                .unwrap_or(u32::MAX)
        });
        for (session, (root, members)) in sessions {
            let Some(root) = rows.get(&root) else {
                continue;
            };
            let told::Named { id, change_id } = session.is.named;
            let subject = Subject::Session(change_id.clone());
            let row = if let Some(row) = self.known.sessions.remove(&change_id) {
                let after = row.last_event.clone();
                self.meet(
                    row,
                    subject.clone(),
                    session.set,
                    |counts| &mut counts.sessions,
                    |tx, row, set| Self::change(tx, row, "session.changed", &subject, after, set),
                )?
            } else {
                let number = keep(&mut self.tx.home.next_session, id);
                self.tx.home.next_session = number.saturating_add(1);
                let mut row = Session {
                    workspace: self.tx.workspace(),
                    id: number,
                    change_id: change_id.clone(),
                    root_id: root.id,
                    ..Session::default()
                };
                let mut set = filled(session.set);
                set.insert("root".to_owned(), Value::from(root.change_id.as_str()));
                self.tx
                    .record(&mut row, "session.started", &subject, None, set)?;
                self.renumbered(&session.item, id, number);
                self.taken.added.sessions += 1;
                row
            };
            let times = session.is.members.iter().map(|member| member.at);
            let members = members.iter().map(|member| rows.get(member));
            for (node, at) in members.zip(times) {
                let Some(node) = node else {
                    continue;
                };
                if !self.plan.known_members.insert((row.id, node.id)) {
                    self.taken.kept.members += 1;
                    continue;
                }
                let mut member = SessionNode {
                    workspace: self.tx.workspace(),
                    session_id: row.id,
                    node_id: node.id,
                    ..SessionNode::default()
                };
                let subject = Subject::Member {
                    session: change_id.clone(),
                    node: node.change_id.clone(),
                };
                let set = at.map(|at| ("created_at".to_owned(), Value::from(at)));
                let set = set.into_iter().collect();
                self.tx
                    .record(&mut member, "session.joined", &subject, None, set)?;
                self.taken.added.members += 1;
            }
        }
        Ok(())
    }
}

/// Lets the counter give out `wanted` where that is free; answers what it will give out.
fn keep(counter: &mut u32, wanted: Option<u32>) -> u32 {
    if let Some(wanted) = wanted.filter(|wanted| *wanted >= *counter && *wanted <= GREATEST) {
        *counter = wanted;
    }
    *counter
}
