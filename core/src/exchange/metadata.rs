//! `metadata_json` and the columns it is spread over.
//!
//! `branch`, `commit`, `confidence`, `prompt` and `files` have columns; everything else stays one JSON object. A value
//! that its column would not give back as it was (files as one string, a confidence of `"90"`) is kept beside the
//! column too, and written again for as long as the column still says the same.

use crate::ledger::Fields;
use crate::model::Node;
use crate::rules::origin;
use serde_json::{Map, Value, json};

/// The keys that have columns.
pub(crate) const COLUMNS: [&str; 5] = ["branch", "commit", "confidence", "files", "prompt"];

/// The text of the map as the history shape has it; none where there is nothing in it.
pub(crate) fn written(node: &Node) -> Option<String> {
    let kept: Option<Map<String, Value>> = node
        .metadata
        .as_deref()
        .and_then(|json| serde_json::from_str(json).ok());
    let was_empty = kept.as_ref().is_some_and(Map::is_empty);
    let mut map = kept.unwrap_or_default();
    for name in COLUMNS {
        let now = column(node, name);
        let same = map
            .get(name)
            .is_some_and(|was| read(name, was).unwrap_or_default() == now);
        if !same {
            map.remove(name);
            if let Some(value) = shown(name, &now) {
                map.insert(name.to_owned(), value);
            }
        }
    }
    // Sorted, so that the same map is the same text whatever order a JSON library keeps.
    let sorted: std::collections::BTreeMap<_, _> = map.into_iter().collect();
    (was_empty || !sorted.is_empty()).then(|| json!(sorted).to_string())
}

/// The fields of an event that bring `map` into the columns: each of them, so that what the map lacks is cleared.
/// Names the key whose value fits no column, with the reason.
pub(crate) fn fields(map: Map<String, Value>) -> Result<Fields, (&'static str, String)> {
    for name in COLUMNS {
        read(name, map.get(name).unwrap_or(&Value::Null)).map_err(|why| (name, why))?;
    }
    Ok(imported(map))
}

/// As [`fields`], for a history: a value that fits no column is only kept beside it.
pub(crate) fn imported(map: Map<String, Value>) -> Fields {
    let empty = map.is_empty();
    let mut map = map;
    let mut set = Fields::new();
    for name in COLUMNS {
        let given = map.get(name).cloned();
        let value = given
            .as_ref()
            .and_then(|given| read(name, given).ok())
            .unwrap_or_default();
        if shown(name, &value) == given {
            map.remove(name);
        }
        set.insert(name.to_owned(), value);
    }
    let rest = (empty || !map.is_empty()).then(|| json!(map).to_string());
    set.insert("metadata".to_owned(), json!(rest));
    set
}

/// The column as an event's field holds it.
fn column(node: &Node, name: &str) -> Value {
    match name {
        "branch" => json!(node.branch),
        "commit" => json!(node.commit),
        "confidence" => json!(node.confidence),
        "prompt" => json!(node.prompt),
        _ => json!(node.files),
    }
}

/// The column's value as a key of the map; none for a null.
fn shown(name: &str, value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) if name == "files" => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    }
}

/// What a key's value is as its column's; the reason when it is of no use there.
fn read(name: &str, value: &Value) -> Result<Value, String> {
    match (name, value) {
        (_, Value::Null) => Ok(Value::Null),
        ("confidence", _) => confidence(value),
        ("files", Value::String(text)) => Ok(list(text.split(',').map(str::to_owned).collect())),
        ("files", Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
            .map(list)
            .ok_or_else(|| "must be a list of strings".to_owned()),
        ("files", _) => Err("must be a list of strings".to_owned()),
        (_, Value::String(text)) if text.trim().is_empty() => Ok(Value::Null),
        (_, Value::String(_)) => Ok(value.clone()),
        _ => Err(format!("must be a string, not `{value}`")),
    }
}

fn confidence(value: &Value) -> Result<Value, String> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number
        .filter(|number| number.fract() == 0.0 && (0.0..=100.0).contains(number))
        .map(|number| json!(number as u32))
        .ok_or_else(|| format!("must be an integer from 0 to 100, not `{value}`"))
}

fn list(paths: Vec<String>) -> Value {
    let paths = paths.iter().map(|path| path.trim().to_owned());
    let paths = origin::paths(paths.filter(|path| !path.is_empty()).collect());
    if paths.is_empty() {
        Value::Null
    } else {
        json!(json!(paths).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::{fields, imported, written};
    use crate::cx::Record;
    use crate::model::Node;
    use serde_json::{Value, json};

    fn node(map: &Value) -> Node {
        let mut node = Node::default();
        let set = imported(map.as_object().cloned().expect("an object"));
        for (name, value) in &set {
            assert!(node.set(name, value), "{name}");
        }
        node
    }

    #[test]
    fn what_was_read_is_written_again() {
        for map in [
            json!({}),
            json!({"branch": "main", "commit": "abc", "confidence": 90, "prompt": "do it", "files": ["a.rs", "b.rs"]}),
            json!({"files": "a.rs, b.rs", "confidence": "90"}),
            json!({"files": ["src\\a.rs"], "branch": null, "prompt": ""}),
            json!({"files": [], "confidence": 90.0, "tags": [1, {"x": null}]}),
            json!({"confidence": 150, "branch": 5, "files": [1]}),
        ] {
            let text = written(&node(&map)).expect("a map");
            assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), map);
        }
        assert_eq!(written(&Node::default()), None);
    }

    #[test]
    fn a_column_changed_since_wins_over_the_form_it_was_read_from() {
        let mut node = node(&json!({"files": "a.rs, b.rs", "note": 1}));
        assert_eq!(node.file_list(), ["a.rs", "b.rs"]);
        node.files = Some(json!(["c.rs"]).to_string());
        assert_eq!(
            written(&node).as_deref(),
            Some(r#"{"files":["c.rs"],"note":1}"#)
        );
    }

    #[test]
    fn what_fits_no_column_is_refused() {
        for bad in [
            json!({"branch": 5}),
            json!({"confidence": 150}),
            json!({"confidence": 0.5}),
            json!({"files": [1]}),
        ] {
            assert!(
                fields(bad.as_object().cloned().expect("an object")).is_err(),
                "{bad}"
            );
        }
    }
}
