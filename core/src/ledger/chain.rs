//! The hash chain of a replica; see FORMAT.md.

use crate::ledger::Fields;
use crate::model::Event;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The event's hash behind `former`, its replica's last one (empty for the first).
pub(crate) fn hash(former: &str, event: &Event) -> String {
    let mut hash = Sha256::new();
    let mut part = |text: &str| {
        hash.update(text.as_bytes());
        hash.update(b"\n");
    };
    part(former);
    for text in [
        &event.id,
        &event.replica,
        &event.ordinal.to_string(),
        &event.lamport.to_string(),
        &event.at.to_string(),
    ] {
        part(text);
    }
    for text in [&event.actor_kind, &event.actor, &event.kind, &event.subject] {
        part(text);
    }
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    for text in [
        optional(&event.after),
        event.tool.clone(),
        optional(&event.idempotency_key),
        optional(&event.session),
    ] {
        part(&text);
    }
    part(&event.version.to_string());
    // Only where there is one: an `=` tells it from the name of a field.
    for (name, value) in [("write", &event.write), ("undoes", &event.undoes)] {
        if let Some(value) = value {
            part(&format!("{name}={value}"));
        }
    }
    let fields: Fields = serde_json::from_str(&event.fields).unwrap_or_default();
    for (name, value) in &fields {
        part(name);
        part(&hex(&Sha256::digest(canonical(value).as_bytes())));
    }
    base64url(&hash.finalize())
}

/// A value's JSON, the same whichever JSON writer it came through: an integral number has no fraction.
fn canonical(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if value.is_f64() && number.fract() == 0.0 && number.abs() < 9e15 => {
            (number as i64).to_string()
        }
        _ => value.to_string(),
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}

fn base64url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .chain([&0, &0])
            .take(3)
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        for place in 0..=chunk.len() {
            let six = (bits >> (18 - 6 * place)) & 63;
            out.extend(ALPHABET.get(six as usize).map(|byte| char::from(*byte)));
        }
    }
    out
}
