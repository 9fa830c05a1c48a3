//! Arguments inside arguments: a node told by its title alone, or by an object with more; lists of them.
//!
//! Clients send objects, their JSON text, or a plain title. Inside, names and types are as strict as outside.

use crate::args::{Title, read};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// What can be told by a title alone.
pub(crate) trait Titled: DeserializeOwned {
    fn titled(title: Title) -> Self;
}

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct Part<T>(pub T);

/// A list of them.
#[derive(Clone, Debug)]
pub(crate) struct Parts<T>(pub Vec<T>);

impl<T> Default for Parts<T> {
    fn default() -> Self {
        Parts(Vec::new())
    }
}

impl<'de, T: Titled> Deserialize<'de> for Part<T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let given = Box::<RawValue>::deserialize(source)?;
        part(&given).map(Part).map_err(D::Error::custom)
    }
}

impl<'de, T: Titled> Deserialize<'de> for Parts<T> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let items = list(Box::<RawValue>::deserialize(source)?);
        each(&items, part).map(Parts).map_err(D::Error::custom)
    }
}

/// The items of a list, or of its JSON text; anything else is a list of one.
fn list(given: Box<RawValue>) -> Vec<Box<RawValue>> {
    if let Ok(items) = serde_json::from_str(given.get()) {
        return items;
    }
    let text = serde_json::from_str::<String>(given.get());
    match text.as_deref().map(serde_json::from_str) {
        Ok(Ok(items)) => items,
        _ => vec![given],
    }
}

/// Reads the items; the reason names the first wrong one by its place.
fn each<T>(
    items: &[Box<RawValue>],
    one: impl Fn(&RawValue) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let alone = items.len() == 1;
    let read = |(place, raw): (usize, &RawValue)| {
        one(raw).map_err(|why| {
            if alone {
                why
            } else {
                format!("at {}: {why}", place + 1)
            }
        })
    };
    items
        .iter()
        .map(AsRef::as_ref)
        .enumerate()
        .map(read)
        .collect()
}

fn part<T: Titled>(given: &RawValue) -> Result<T, String> {
    match serde_json::from_str::<String>(given.get()) {
        Ok(text) if text.trim_start().starts_with('{') => match RawValue::from_string(text) {
            Ok(object) => object_part(&object),
            Err(_) => title(given),
        },
        Ok(_) => title(given),
        Err(_) if given.get().trim_start().starts_with('{') => object_part(given),
        Err(_) => Err(format!(
            "must be a title or an object, not `{}`",
            crate::text::shorten(given.get(), 60)
        )),
    }
}

fn title<T: Titled>(given: &RawValue) -> Result<T, String> {
    let title = serde_json::from_str::<Title>(given.get());
    title
        .map(T::titled)
        .map_err(|error| plain(&error.to_string()))
}

fn object_part<T: Titled>(given: &RawValue) -> Result<T, String> {
    read::<T>(given, false)
        .map(|(part, _)| part)
        .map_err(|refused| format!("has a mistake: {}; {}", refused.message, refused.next))
}

/// A reason without the place in a text that nobody sees.
fn plain(error: &str) -> String {
    error
        .split(" at line ")
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[cfg(feature = "catalog")]
mod schemas {
    use super::{Part, Parts};
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    impl<T: JsonSchema> JsonSchema for Part<T> {
        fn inline_schema() -> bool {
            true
        }
        fn schema_name() -> Cow<'static, str> {
            T::schema_name()
        }
        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            T::json_schema(generator)
        }
    }

    impl<T: JsonSchema> JsonSchema for Parts<T> {
        fn inline_schema() -> bool {
            true
        }
        fn schema_name() -> Cow<'static, str> {
            format!("{}s", T::schema_name()).into()
        }
        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            json_schema!({ "type": "array", "items": T::json_schema(generator) })
        }
    }
}
