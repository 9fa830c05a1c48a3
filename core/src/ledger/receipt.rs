//! Idempotency: a repeated write with the same key returns the first result and writes nothing.

use crate::cx::{Common, Cx, Record};
use crate::ledger::{LOCAL, chain::hex};
use crate::model::{Receipt, Workspace};
use crate::refuse::{Step, refusal, stop};
use deciduous_boundary::{Change, Done};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// What is known of a call's key before it runs.
pub(crate) enum Receipts {
    /// The call carries no key.
    Unkeyed,
    /// The key is new; the digest is of the arguments.
    New { key: String, digest: String },
    /// The key was used before, by the same call.
    Repeated(Receipt),
}

impl Receipts {
    /// Looks the key up. One used with other arguments or by another tool is a conflict.
    pub(crate) fn look(cx: &Cx, common: Common, raw: &RawValue) -> Step<Receipts> {
        let key = common.idempotency_key.clone();
        cx.common.replace(common);
        let Some(key) = key else {
            return Ok(Receipts::Unkeyed);
        };
        let digest = hex(&Sha256::digest(canonical(raw).as_bytes()));
        let Some(first) = cx.row::<Receipt>(vec![LOCAL.into(), key.as_str().into()])? else {
            return Ok(Receipts::New { key, digest });
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
        Ok(Receipts::Repeated(first))
    }

    /// The first result, when this is a repeat.
    pub(crate) fn first(&self) -> Option<Step<Done>> {
        let Receipts::Repeated(first) = self else {
            return None;
        };
        let output = RawValue::from_string(first.output.clone())
            .map_err(|_| refusal(500, "a receipt is damaged", "run `deciduous doctor`").into());
        Some(output.map(|output| {
            Done {
                output,
                text: first.text.clone(),
                view: None,
                changes: Vec::new(),
                keep: first
                    .kept
                    .as_deref()
                    .and_then(|json| serde_json::from_str(json).ok())
                    .unwrap_or_default(),
            }
        }))
    }

    /// Adds the receipt to what a first call writes.
    pub(crate) fn attach(self, cx: &Cx, mut done: Done) -> Done {
        if let Receipts::New { key, digest } = self {
            let receipt = Receipt {
                workspace: LOCAL,
                key,
                toolset: cx.toolset.to_owned(),
                tool: cx.tool.to_owned(),
                digest,
                output: done.output.get().to_owned(),
                text: done.text.clone(),
                kept: (!done.keep.is_empty())
                    .then(|| serde_json::to_string(&done.keep).unwrap_or_default()),
                at: cx.now(),
                seq: done.changes.iter().rev().find_map(written_seq).unwrap_or(0),
            };
            done.changes.push(Change::Put {
                table: "receipt".to_owned(),
                row: receipt.cells(),
            });
        }
        done
    }
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
