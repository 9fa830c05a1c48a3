//! A JSON object as it was written: its order kept, its values unread.
//!
//! Owns: taking an object apart and putting it together. Never: what its fields mean.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use std::fmt;

#[derive(Debug, Default)]
pub struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    pub fn parse(text: &str) -> serde_json::Result<Fields> {
        serde_json::from_str(text)
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(field, _)| field == name)
            .map(|(_, value)| value.get())
    }

    /// The field's text, where it is a text.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name)
            .and_then(|value| serde_json::from_str(value).ok())
    }

    /// Sets the field where it stands, or behind the others.
    ///
    /// # Errors
    /// Where the value is not JSON.
    pub fn set(&mut self, name: &str, value: String) -> serde_json::Result<()> {
        let value = RawValue::from_string(value)?;
        match self.0.iter_mut().find(|(field, _)| field == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
        Ok(())
    }

    /// Sets the field to a text, a number or a truth value.
    pub fn put(&mut self, name: &str, value: impl Into<serde_json::Value>) {
        // A `Value` written out is always JSON.
        let _ = self.set(name, value.into().to_string());
    }

    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(field, _)| field != name);
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(field, value)| (field.as_str(), value.get()))
    }

    pub fn raw(&self) -> Box<RawValue> {
        // Field names are texts and the values are JSON, so this cannot fail; an empty object is the harmless answer.
        serde_json::value::to_raw_value(self)
            .unwrap_or_else(|_| RawValue::from_string("{}".to_owned()).expect("`{}` is JSON"))
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (field, value) in &self.0 {
            map.serialize_entry(field, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    fields.push(entry);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}
