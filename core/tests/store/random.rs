//! Random writes: what a store may go through.

use super::Store;
use proptest::prelude::*;
use serde_json::json;

/// One random write: what to do, and numbers that it chooses by.
pub type Op = (u8, u8, u8, u8);

pub fn ops(most: usize) -> impl Strategy<Value = Vec<Op>> {
    prop::collection::vec((0_u8..25, any::<u8>(), any::<u8>(), any::<u8>()), 1..most)
}

const TYPES: [&str; 7] = [
    "goal",
    "option",
    "decision",
    "action",
    "outcome",
    "observation",
    "revisit",
];
const STATUSES: [&str; 6] = [
    "pending",
    "active",
    "completed",
    "rejected",
    "superseded",
    "abandoned",
];
const EDGES: [&str; 8] = [
    "leads_to",
    "requires",
    "chosen",
    "rejected",
    "blocks",
    "enables",
    "took_from",
    "supersedes",
];
pub const WORDS: [&str; 6] = ["cache", "token", "naïve", "決定", "parser", "retry"];

fn pick<T: Copy>(from: &[T], by: u8) -> T {
    from[usize::from(by) % from.len()]
}

/// From here on a random write takes one back, or does it again.
pub const UNDOING: u8 = 22;

/// Does it, or is refused: both are fine, half of anything is not.
pub fn act(store: &mut Store, (what, a, b, c): Op) {
    let node = |by: u8| u32::from(by) % 12 + 1;
    let title = format!("{} {} {b}", pick(&WORDS, a), pick(&WORDS, c));
    let theme = format!("theme-{}", c % 3);
    let (tool, args) = match what {
        0..=3 => (
            "add_node",
            json!({"node_type": pick(&TYPES, a), "title": title, "branch": pick(&["main", "b", ""], b)}),
        ),
        4..=6 => (
            "link_nodes",
            json!({"from_id": node(a), "to_id": node(b), "edge_type": pick(&EDGES, c), "rationale": title}),
        ),
        7 => (
            "unlink_nodes",
            json!({"from_id": node(a), "to_id": node(b)}),
        ),
        8 => ("delete_node", json!({"node_id": node(a)})),
        9 => (
            "update_status",
            json!({"node_id": node(a), "status": pick(&STATUSES, b)}),
        ),
        10 => (
            "update_prompt",
            json!({"node_id": node(a), "prompt": title}),
        ),
        11 => (
            "update_node",
            json!({"node_id": node(a), "title": title, "description": pick(&["", "why", "because"], c)}),
        ),
        12 => (
            "update_node",
            json!({"node_id": node(a), "metadata": {"branch": "m", "n": b, "files": "a, b"}}),
        ),
        13 => ("create_theme", json!({"name": theme, "description": title})),
        14 => ("tag_node", json!({"node_id": node(a), "theme": theme})),
        15 => ("untag_node", json!({"node_id": node(a), "theme": theme})),
        16 => ("start_session", json!({"name": title, "goal_title": title})),
        17 => (
            "add_node",
            json!({"node_type": pick(&TYPES, a), "title": title, "branch": "", "session_id": b % 3 + 1}),
        ),
        18 => (
            "end_session",
            json!({"session_id": b % 3 + 1, "summary": title}),
        ),
        19 => (
            "attach_document",
            json!({"node_id": node(a), "file_path": "notes.md", "description": title}),
        ),
        20 => (
            "log_decision",
            json!({"title": title, "branch": "", "chosen_option": "this", "rejected_options": ["that"], "parent": node(a)}),
        ),
        21 => (
            "close_thread",
            json!({"title": title, "branch": "", "parent": node(a), "goal": node(b)}),
        ),
        22 => ("undo_write", json!({})),
        23 => ("redo_write", json!({})),
        _ => ("undo_write", json!({"node_id": node(a)})),
    };
    let _ = store.call("store", tool, args);
}

pub fn write(store: &mut Store, ops: &[Op]) {
    ops.iter().for_each(|op| act(store, *op));
}
