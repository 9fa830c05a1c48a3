//! What a file says otherwise than a row, and what of it is news.

use crate::cx::Record;
use crate::ledger::Fields;
use serde_json::Value;

/// A new record's event says nothing of what is not there.
pub(super) fn filled(mut set: Fields) -> Fields {
    set.retain(|_, value| !value.is_null());
    set
}

/// The fields that the file says otherwise.
pub(super) fn differing<R: Record>(row: &R, set: &Fields) -> Fields {
    let cells = row.cells();
    let same = |name: &str, value: &Value| {
        let place = R::COLS.iter().position(|column| *column == name);
        let cell = place.and_then(|place| cells.get(place));
        cell.is_some_and(|cell| serde_json::to_value(cell).is_ok_and(|cell| alike(&cell, value)))
    };
    let mut differing: Fields = set
        .iter()
        .filter(|(name, value)| !same(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    // Another text for the same time says nothing new.
    for (text, at) in [
        ("created_text", "created_at"),
        ("updated_text", "updated_at"),
    ] {
        if !differing.contains_key(at) {
            differing.remove(text);
        } else if let Some(value) = set.get(text) {
            differing.insert(text.to_owned(), value.clone());
        }
    }
    differing
}

fn alike(a: &Value, b: &Value) -> bool {
    a == b || a.as_f64().is_some_and(|a| Some(a) == b.as_f64())
}

/// What of `differing` is news, and the names of what is not: values that stood before and were written over since.
pub(super) fn sifted(differing: Fields, past: &[(i64, Fields)]) -> (Fields, Vec<String>) {
    let stood = |name: &str, value: &Value| {
        past.iter()
            .enumerate()
            .any(|(place, (at, fields))| match fields.get(name) {
                Some(former) => alike(former, value),
                None if name == "updated_at" => value.as_i64() == Some(*at),
                None if place > 0 => false,
                None if matches!(name, "created_at" | "started_at") => value.as_i64() == Some(*at),
                None => value.is_null() || (name == "weight" && value.as_f64() == Some(1.0)),
            })
    };
    let mut news = differing;
    let mut stale = Vec::new();
    for name in news.keys().cloned().collect::<Vec<_>>() {
        // Texts of times go with their times.
        if !name.ends_with("_text") && news.get(&name).is_some_and(|value| stood(&name, value)) {
            news.remove(&name);
            news.remove(&name.replace("_at", "_text"));
            stale.push(name);
        }
    }
    (news, stale)
}

#[cfg(test)]
mod tests {
    use super::sifted;
    use serde_json::{Value, json};

    fn fields(value: Value) -> crate::ledger::Fields {
        serde_json::from_value(value).expect("an object")
    }

    #[test]
    fn what_stood_before_does_not_come_back() {
        let past = [
            (
                5,
                fields(json!({"title": "a", "created_at": 1, "updated_at": 1})),
            ),
            (7, fields(json!({"title": "b", "description": "why"}))),
        ];
        let told = fields(
            json!({"title": "a", "description": null, "updated_at": 1, "updated_text": null, "status": "done"}),
        );
        let (news, stale) = sifted(told, &past);
        assert_eq!(news, fields(json!({"status": "done"})));
        assert_eq!(stale, ["description", "title", "updated_at"]);
        // The second event set no time of its own: it is its own.
        assert_eq!(
            sifted(fields(json!({"updated_at": 7})), &past).1,
            ["updated_at"]
        );
        assert_eq!(
            sifted(fields(json!({"title": "c", "updated_at": 9})), &past).1,
            [""; 0]
        );
    }
}
