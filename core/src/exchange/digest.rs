//! A digest of what a graph says, free of local numbers and of the order in which it came about.
//!
//! Each record's SHA-256 is a number of 256 bits, and their sum is the graph's. So two stores that say the same have the
//! same digest, and it can be taken page by page.

use crate::exchange::pages::GraphPage;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A sum under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digest([u8; 32]);

impl Digest {
    /// Reads what [`Digest::text`] wrote.
    pub(crate) fn read(text: &str) -> Option<Digest> {
        let digits: Vec<u8> = text
            .chars()
            .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect::<Option<_>>()?;
        let bytes: Vec<u8> = digits
            .chunks_exact(2)
            .filter_map(|pair| Some(pair.first()? << 4 | pair.get(1)?))
            .collect();
        (digits.len() == 64).then(|| bytes.try_into().ok().map(Digest))?
    }

    /// 64 hexadecimal digits.
    pub(crate) fn text(&self) -> String {
        crate::ledger::hex(&self.0)
    }

    fn add(&mut self, record: &Value) {
        let hash = Sha256::digest(record.to_string().as_bytes());
        let mut carry = 0_u16;
        for (to, from) in self.0.iter_mut().rev().zip(hash.iter().rev()) {
            let sum = u16::from(*to) + u16::from(*from) + carry;
            *to = sum.to_le_bytes()[0];
            carry = sum >> 8;
        }
    }

    /// Adds everything on a page.
    pub(crate) fn add_page(&mut self, page: &GraphPage) {
        for node in &page.nodes {
            self.add(&json!([
                "node",
                node.change_id,
                node.node_type,
                node.title,
                node.description,
                node.status,
                node.created_at,
                node.updated_at,
                node.metadata_json,
            ]));
        }
        for edge in &page.edges {
            // A weight is printed the same on every platform.
            let weight = edge.weight.to_string();
            self.add(&json!([
                "edge",
                edge.from_change_id,
                edge.to_change_id,
                edge.edge_type,
                weight,
                edge.rationale,
                edge.created_at
            ]));
        }
        for theme in &page.themes {
            self.add(&json!([
                "theme",
                theme.name,
                theme.color,
                theme.description,
                theme.created_at
            ]));
        }
        for tag in &page.node_themes {
            self.add(&json!([
                "tag",
                tag.node_change_id,
                tag.theme,
                tag.created_at
            ]));
        }
        for document in &page.documents {
            self.add(&json!([
                "document",
                document.change_id,
                document.node_change_id,
                document.name,
                document.path,
                document.sha256,
                document.size_bytes,
                document.media_type,
                document.description,
                document.created_at,
            ]));
        }
        for session in &page.sessions {
            let mut members = session.node_change_ids.clone();
            members.sort_unstable();
            self.add(&json!([
                "session",
                session.change_id,
                session.name,
                session.root_change_id,
                session.summary,
                session.started_at,
                session.ended_at,
                members
            ]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Digest;
    use serde_json::json;

    #[test]
    fn order_does_not_matter_and_content_does() {
        let sum = |records: &[i32]| {
            let mut digest = Digest::default();
            records.iter().for_each(|record| digest.add(&json!(record)));
            digest
        };
        assert_eq!(sum(&[1, 2, 3]), sum(&[3, 1, 2]));
        assert_ne!(sum(&[1, 2]), sum(&[1, 3]));
        assert_ne!(sum(&[1]), sum(&[1, 1]));
        assert_eq!(Digest::read(&sum(&[1]).text()), Some(sum(&[1])));
        assert_eq!(Digest::read("zz"), None);
    }
}
