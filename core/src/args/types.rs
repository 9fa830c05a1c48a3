//! The types of arguments. Each reads what clients really send, validates it, and carries its own JSON schema.

use crate::model::reference::NodeRef;
use crate::text::check::{self, Lines};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Longest title, in characters.
pub(crate) const TITLE_CHARS: usize = 1_000;
/// Longest text field, in bytes.
pub(crate) const TEXT_BYTES: usize = 1 << 20;

/// An integer written as a number, an integral float, or their text.
fn integral(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            number
                .as_f64()
                .filter(|float| float.fract() == 0.0 && float.abs() < 9e15)
                .map(|float| float as i64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn integer<'de, D: Deserializer<'de>>(source: D) -> Result<i64, D::Error> {
    let value = Value::deserialize(source)?;
    integral(&value)
        .ok_or_else(|| D::Error::custom(format!("must be an integer, not {}", shown(&value))))
}

/// A value as a message shows it.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("`{}…`", text.get(..cut).unwrap_or_default()),
        None => format!("`{text}`"),
    }
}

macro_rules! argument {
    ($(#[$meta:meta])* $name:ident($inner:ty), schema: $schema:tt, read: $read:expr) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $name(pub $inner);
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
                let read: fn(D) -> Result<$inner, D::Error> = $read;
                read(source).map($name)
            }
        }
        #[cfg(feature = "catalog")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool { true }
            fn schema_name() -> std::borrow::Cow<'static, str> { stringify!($name).into() }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema { schemars::json_schema!($schema) }
        }
    };
}

fn within<E: Error>(value: i64, least: i64, most: i64) -> Result<u32, E> {
    if (least..=most).contains(&value) {
        Ok(u32::try_from(value).unwrap_or(u32::MAX))
    } else {
        Err(E::custom(format!(
            "must be from {least} to {most}, not `{value}`"
        )))
    }
}

argument! {
    /// A percentage.
    Confidence(u32), schema: { "type": "integer", "minimum": 0, "maximum": 100 },
    read: |source| within(integer(source)?, 0, 100)
}

argument! {
    /// A number of rows; 0 means all.
    LimitOrAll(u32), schema: { "type": "integer", "minimum": 0 },
    read: |source| within(integer(source)?, 0, i64::from(u32::MAX))
}

argument! {
    /// How many branches an overview names; 0 for none.
    Branches(u32), schema: { "type": "integer", "minimum": 0, "maximum": 200 },
    read: |source| within(integer(source)?, 0, 200)
}

argument! {
    /// A number of rows, at least one.
    Limit(u32), schema: { "type": "integer", "minimum": 1 },
    read: |source| within(integer(source)?, 1, i64::from(u32::MAX))
}

argument! {
    /// A local number of a session or a document.
    RowId(u32), schema: { "type": "integer", "minimum": 1 },
    read: |source| {
        let value = Value::deserialize(source)?;
        let bare = match &value {
            Value::String(text) => text.trim().strip_prefix('#').map(Value::from),
            _ => None,
        };
        let number = integral(bare.as_ref().unwrap_or(&value));
        within(number.ok_or_else(|| D_custom(format!("must be a local number such as 3, not {}", shown(&value))))?, 1, i64::from(u32::MAX))
    }
}

/// Lets the closures above name an error without naming their deserializer.
#[allow(non_snake_case)]
fn D_custom<E: Error>(message: String) -> E {
    E::custom(message)
}

argument! {
    /// True or false, also as text.
    Flag(bool), schema: { "type": "boolean" },
    read: |source| match Value::deserialize(source)? {
        Value::Bool(value) => Ok(value),
        Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Ok(true),
        Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Ok(false),
        other => Err(D_custom(format!("must be true or false, not {}", shown(&other)))),
    }
}

fn text<'de, D: Deserializer<'de>>(source: D, lines: Lines) -> Result<String, D::Error> {
    let text = match Value::deserialize(source)? {
        Value::String(text) => text,
        other => {
            return Err(D::Error::custom(format!(
                "must be a string, not {}",
                shown(&other)
            )));
        }
    };
    if text.len() > TEXT_BYTES {
        return Err(D::Error::custom(format!(
            "is {} bytes long; at most {TEXT_BYTES} are taken",
            text.len()
        )));
    }
    check::printable(&text, lines).map_err(D::Error::custom)?;
    Ok(text)
}

argument! {
    /// One line of 1 to 1 000 characters, trimmed.
    Title(String), schema: { "type": "string", "minLength": 1, "maxLength": 1000 },
    read: |source| {
        let title = text(source, Lines::One)?.trim().to_owned();
        let length = title.chars().count();
        if title.is_empty() {
            Err(D_custom("must not be blank".to_owned()))
        } else if length > TITLE_CHARS {
            Err(D_custom(format!("is {length} characters long; at most {TITLE_CHARS} are taken")))
        } else {
            Ok(title)
        }
    }
}

argument! {
    /// Text of several lines, kept as written; blank text is kept as none by the tools.
    Text(String), schema: { "type": "string" },
    read: |source| text(source, Lines::Many)
}

argument! {
    /// One line, trimmed; may be empty.
    Word(String), schema: { "type": "string" },
    read: |source| Ok(text(source, Lines::One)?.trim().to_owned())
}

argument! {
    /// An idempotency key: 1 to 200 characters.
    Key(String), schema: { "type": "string", "minLength": 1, "maxLength": 200 },
    read: |source| {
        let key = text(source, Lines::One)?;
        if key.trim().is_empty() || key.chars().count() > 200 { Err(D_custom("must be 1 to 200 characters".to_owned())) } else { Ok(key) }
    }
}

argument! {
    /// A list of texts: an array, its JSON text, or parts with commas between.
    Words(Vec<String>), schema: { "type": "array", "items": { "type": "string" } },
    read: |source| {
        let parts = match Value::deserialize(source)? {
            // A path may begin with a bracket, so only what is an array in full is read as one.
            Value::String(text) => match serde_json::from_str::<Vec<Value>>(&text) {
                Ok(items) => strings(items)?,
                Err(_) => text.split(',').map(str::to_owned).collect(),
            },
            Value::Array(items) => strings(items)?,
            other => return Err(D_custom(format!("must be a list of strings, not {}", shown(&other)))),
        };
        let parts: Vec<String> = parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
        let bytes = parts.iter().map(String::len).sum::<usize>();
        if bytes > TEXT_BYTES {
            return Err(D_custom(format!("holds {bytes} bytes; at most {TEXT_BYTES} are taken")));
        }
        parts.iter().try_for_each(|part| check::printable(part, Lines::One)).map_err(D_custom)?;
        Ok(parts)
    }
}

fn strings<E: Error>(items: Vec<Value>) -> Result<Vec<String>, E> {
    let each = items.into_iter().map(|item| match item {
        Value::String(text) => Ok(text),
        other => Err(E::custom(format!(
            "must hold strings, not {}",
            shown(&other)
        ))),
    });
    each.collect()
}

argument! {
    /// As [`Words`], declared as the seeds do: one string with commas between. Arrays are taken too.
    CommaWords(Vec<String>), schema: { "type": "string" },
    read: |source| Words::deserialize(source).map(|words| words.0)
}

argument! {
    /// Nodes named in one text with commas between (`"1,3,5-10"`); a number, and an array of both, are taken too.
    Picks(Vec<String>), schema: { "type": "string" },
    read: |source| match Value::deserialize(source)? {
        Value::Number(number) => Ok(vec![number.to_string()]),
        Value::Array(items) => Ok(items.into_iter().map(|item| match item {
            Value::Number(number) => number.to_string(),
            Value::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        }).collect()),
        other => CommaWords::deserialize(other).map(|words| words.0).map_err(|error| D_custom(error.to_string())),
    }
}

argument! {
    /// A node by local number, UUID, or unique prefix of one.
    Ref(NodeRef), schema: { "type": "integer" },
    read: |source| {
        let value = Value::deserialize(source)?;
        NodeRef::read(&value).ok_or_else(|| D_custom(format!("must be a node's number, UUID, or at least 6 characters of one, not {}", shown(&value))))
    }
}

/// A word of a vocabulary, refused with the list of what there is.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident($word:ty) of $list:expr) => {
        argument! {
            $(#[$meta])*
            $name($word), schema: { "type": "string", "enum": $list.iter().map(|word| word.name()).collect::<Vec<_>>() },
            read: |source| {
                let given = text(source, Lines::One)?;
                let names = || $list.iter().map(|word| word.name());
                $list.iter().copied().find(|word| word.name().eq_ignore_ascii_case(given.trim())).ok_or_else(|| {
                    let hint = crate::args::nearest(&given, names()).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                    D_custom(format!("must be one of {}, not `{}`{hint}", names().collect::<Vec<_>>().join(", "), crate::text::shorten(&given, 60)))
                })
            }
        }
    };
}

use crate::ask::Scope;
use crate::graph::Direction;
use crate::model::vocabulary::{EdgeType, NodeType, Status};
use crate::render::dot::Rankdir;

choice! { /// A node type for a write.
NewType(NodeType) of NodeType::writable() }
choice! { /// A node type to filter by; imports' types too.
AnyType(NodeType) of NodeType::ALL }
choice! { /// A status for a write.
NewStatus(Status) of Status::writable() }
choice! { /// A status to filter by; imports' statuses too.
AnyStatus(Status) of Status::ALL }
choice! { /// Which edges a walk follows.
Way(Direction) of Direction::ALL }
choice! { /// Where answers are looked for.
AskScope(Scope) of Scope::ALL }
choice! { /// An edge type.
LinkType(EdgeType) of EdgeType::ALL }
choice! { /// Which way a picture reads.
Reading(Rankdir) of Rankdir::ALL }

argument! {
    /// A JSON object, or its text.
    Object(serde_json::Map<String, Value>), schema: { "type": "object" },
    read: |source| {
        let value = match Value::deserialize(source)? {
            Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            other => other,
        };
        match value {
            Value::Object(map) => Ok(map),
            other => Err(D_custom(format!("must be an object, not {}", shown(&other)))),
        }
    }
}

/// JSON left as text, to be read part by part; given as JSON or as a string that holds it.
fn raw<'de, D: Deserializer<'de>>(source: D) -> Result<Box<RawValue>, D::Error> {
    let given = Box::<RawValue>::deserialize(source)?;
    match serde_json::from_str::<String>(given.get()) {
        Ok(text) => RawValue::from_string(text)
            .map_err(|_| D::Error::custom("must be JSON, not another string")),
        Err(_) => Ok(given),
    }
}

/// A list of JSON objects, left as text.
#[derive(Clone, Debug)]
pub(crate) struct Objects(pub Vec<Box<RawValue>>);

impl<'de> Deserialize<'de> for Objects {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let given = raw(source)?;
        serde_json::from_str(given.get()).map(Objects).map_err(|_| {
            let value = serde_json::from_str(given.get()).unwrap_or_default();
            D::Error::custom(format!("must be a list of objects, not {}", shown(&value)))
        })
    }
}

#[cfg(feature = "catalog")]
impl schemars::JsonSchema for Objects {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Objects".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "array", "items": { "type": "object" } })
    }
}

/// A JSON object, left as text.
#[derive(Clone, Debug)]
pub(crate) struct Json(pub Box<RawValue>);

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        raw(source).map(Json)
    }
}

#[cfg(feature = "catalog")]
impl schemars::JsonSchema for Json {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Json".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}
