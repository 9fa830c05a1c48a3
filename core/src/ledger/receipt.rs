//! Idempotency: a repeated write with the same key returns the first result and writes nothing.

use crate::cx::{Cx, Record};
use crate::ledger::{LOCAL, chain::hex};
use crate::model::{Receipt, Workspace};
use crate::refuse::{Step, refusal, stop};
use deciduous_boundary::{Change, Done};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Runs `body` unless the key was used before; with other arguments or by another tool that is a conflict.
pub(crate) fn once(
    cx: &Cx,
    key: &str,
    raw: &RawValue,
    body: impl FnOnce() -> Step<Done>,
) -> Step<Done> {
    let digest = hex(&Sha256::digest(canonical(raw).as_bytes()));
    let Some(first) = cx.row::<Receipt>(vec![LOCAL.into(), key.into()])? else {
        let mut done = body()?;
        let seq = done.changes.iter().rev().find_map(written_seq).unwrap_or(0);
        let receipt = Receipt {
            workspace: LOCAL,
            key: key.to_owned(),
            toolset: cx.toolset.to_owned(),
            tool: cx.tool.to_owned(),
            digest,
            output: done.output.get().to_owned(),
            text: done.text.clone(),
            kept: (!done.keep.is_empty())
                .then(|| serde_json::to_string(&done.keep).unwrap_or_default()),
            at: cx.now(),
            seq,
        };
        done.changes.push(Change::Put {
            table: "receipt".to_owned(),
            row: receipt.cells(),
        });
        return Ok(done);
    };
    if (first.tool.as_str(), &first.digest) != (cx.tool, &digest) {
        return stop(refusal(
            409,
            format!(
                "the idempotency key `{key}` was used by `{}` with other arguments",
                first.tool
            ),
            "use a new key for a new write",
        ));
    }
    let output = RawValue::from_string(first.output)
        .map_err(|_| refusal(500, "a receipt is damaged", "run `deciduous doctor`"))?;
    Ok(Done {
        output,
        text: first.text,
        view: None,
        changes: Vec::new(),
        keep: first
            .kept
            .and_then(|json| serde_json::from_str(&json).ok())
            .unwrap_or_default(),
    })
}

/// The arguments without regard to the order of keys and to white space.
fn canonical(raw: &RawValue) -> String {
    let mut out = String::new();
    write_canonical(
        &serde_json::from_str(raw.get()).unwrap_or_default(),
        &mut out,
    );
    out
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            for (name, value) in map.iter().collect::<BTreeMap<_, _>>() {
                out.push_str(&Value::from(name.as_str()).to_string());
                write_canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            items.iter().for_each(|item| write_canonical(item, out));
            out.push(']');
        }
        scalar => out.push_str(&format!("{scalar},")),
    }
}

fn written_seq(change: &Change) -> Option<i64> {
    match change {
        Change::Put { table, row } if table == <Workspace as crate::cx::Row>::TABLE => {
            match row.last() {
                Some(deciduous_boundary::Cell::Int(seq)) => Some(*seq),
                _ => None,
            }
        }
        _ => None,
    }
}
