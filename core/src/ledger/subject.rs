//! What an event is about, as text and back.

/// The identity of a record, free of local numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    Node(String),
    Edge {
        from: String,
        to: String,
        kind: String,
    },
    Theme(String),
    Tag {
        node: String,
        theme: String,
    },
    Document(String),
    Session(String),
    Member {
        session: String,
        node: String,
    },
}

impl Subject {
    pub(crate) fn parse(text: &str) -> Option<Subject> {
        let (table, rest) = text.split_once('/')?;
        let rest_owned = || rest.to_owned();
        let pair = || {
            rest.split_once('/')
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
        };
        Some(match table {
            "node" => Subject::Node(rest_owned()),
            "theme" => Subject::Theme(rest_owned()),
            "document" => Subject::Document(rest_owned()),
            "session" => Subject::Session(rest_owned()),
            "tag" => pair().map(|(node, theme)| Subject::Tag { node, theme })?,
            "member" => pair().map(|(session, node)| Subject::Member { session, node })?,
            "edge" => {
                let (from, tail) = pair()?;
                let (to, kind) = tail.split_once('/')?;
                Subject::Edge {
                    from,
                    to: to.to_owned(),
                    kind: kind.to_owned(),
                }
            }
            _ => return None,
        })
    }
}

impl Subject {
    /// The table of its record.
    pub(crate) fn table(&self) -> &'static str {
        match self {
            Subject::Node(_) => "node",
            Subject::Edge { .. } => "edge",
            Subject::Theme(_) => "theme",
            Subject::Tag { .. } => "tag",
            Subject::Document(_) => "document",
            Subject::Session(_) => "session",
            Subject::Member { .. } => "member",
        }
    }

    /// What an event may set of it.
    pub(crate) fn fields(&self) -> &'static [&'static str] {
        match self {
            Subject::Node(_) => &[
                "node_type",
                "title",
                "description",
                "status",
                "confidence",
                "prompt",
                "files",
                "branch",
                "commit",
                "metadata",
                "created_at",
                "created_text",
                "updated_at",
                "updated_text",
                "deleted_at",
            ],
            Subject::Edge { .. } => &[
                "rationale",
                "weight",
                "created_at",
                "created_text",
                "deleted_at",
            ],
            Subject::Theme(_) => &["color", "description", "created_at", "deleted_at"],
            Subject::Tag { .. } | Subject::Member { .. } => &["created_at", "deleted_at"],
            Subject::Document(_) => &[
                "node",
                "name",
                "path",
                "sha256",
                "size_bytes",
                "media_type",
                "description",
                "created_at",
                "deleted_at",
            ],
            Subject::Session(_) => &[
                "name",
                "root",
                "summary",
                "started_at",
                "ended_at",
                "deleted_at",
            ],
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Subject::Node(id) => write!(f, "node/{id}"),
            Subject::Edge { from, to, kind } => write!(f, "edge/{from}/{to}/{kind}"),
            Subject::Theme(name) => write!(f, "theme/{name}"),
            Subject::Tag { node, theme } => write!(f, "tag/{node}/{theme}"),
            Subject::Document(id) => write!(f, "document/{id}"),
            Subject::Session(id) => write!(f, "session/{id}"),
            Subject::Member { session, node } => write!(f, "member/{session}/{node}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Subject;

    #[test]
    fn texts_round_trip() {
        for text in [
            "node/a",
            "edge/a/b/leads_to",
            "theme/a-b",
            "tag/a/b",
            "document/a",
            "session/a",
            "member/a/b",
        ] {
            assert_eq!(
                Subject::parse(text)
                    .map(|subject| subject.to_string())
                    .as_deref(),
                Some(text)
            );
        }
        for bad in ["", "node", "edge/a/b", "tag/a", "thing/a"] {
            assert_eq!(Subject::parse(bad), None, "{bad}");
        }
    }
}
