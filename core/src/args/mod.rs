//! Arguments: strict about names, kind about forms.
//!
//! `Args` structs derive `Deserialize` as usual; this deserializer feeds them. It knows the fields a struct declares,
//! so it can name the nearest one, take out what every write takes, read `null` as "not given", and say which
//! argument a reason belongs to. The types of arguments (`args::types`) do the rest: `"42"` for 42, `"[1,2]"` for a list.

mod error;
mod nearest;
mod parts;
pub(crate) mod types;

pub(crate) use nearest::nearest;
pub(crate) use parts::{Part, Parts, Titled};
pub(crate) use types::*;

use crate::cx::Common;
use crate::refuse::refusal;
use deciduous_boundary::Refusal;
use error::ArgError;
use serde::Deserialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Names of [`Common`]'s arguments.
pub(crate) const COMMON: [&str; 2] = ["idempotency_key", "session_id"];

type Given<'a> = BTreeMap<String, &'a RawValue>;

/// Reads a tool's arguments; for a write also those in [`Common`] that the tool does not declare itself.
pub(crate) fn read<T: DeserializeOwned>(
    raw: &RawValue,
    writes: bool,
) -> Result<(T, Common), Refusal> {
    let given: Given = serde_json::from_str(raw.get()).map_err(|_| {
        refusal(
            400,
            "the arguments are not a JSON object",
            "send an object such as `{\"query\": \"auth\"}`",
        )
    })?;
    let mut common = Given::new();
    let args = T::deserialize(ArgsDe {
        given,
        common: writes.then_some(&mut common),
    })
    .map_err(ArgError::refusal)?;
    let common = CommonArgs::deserialize(ArgsDe {
        given: common,
        common: None,
    })
    .map_err(ArgError::refusal)?;
    Ok((
        args,
        Common {
            idempotency_key: common.idempotency_key.map(|key| key.0),
            session_id: common.session_id.map(|id| id.0),
        },
    ))
}

#[derive(Deserialize)]
struct CommonArgs {
    idempotency_key: Option<Key>,
    session_id: Option<RowId>,
}

struct ArgsDe<'a, 'c> {
    given: Given<'a>,
    common: Option<&'c mut Given<'a>>,
}

impl<'de, 'a: 'de> Deserializer<'de> for ArgsDe<'a, '_> {
    type Error = ArgError;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ArgError> {
        let mut taken = Vec::with_capacity(self.given.len());
        let mut common = self.common;
        for (name, value) in self.given {
            if let Some(field) = fields.iter().find(|field| **field == name) {
                if value.get() != "null" {
                    taken.push((*field, value));
                }
            } else if COMMON.contains(&name.as_str()) && common.is_some() {
                common.as_mut().map(|common| common.insert(name, value));
            } else {
                let also = if common.is_some() { &COMMON[..] } else { &[] };
                return Err(ArgError::unknown(&name, fields.iter().chain(also).copied()));
            }
        }
        visitor.visit_map(FieldAccess {
            fields: taken.into_iter(),
            value: None,
        })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgError> {
        self.deserialize_struct("", &[], visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct FieldAccess<'a> {
    fields: std::vec::IntoIter<(&'static str, &'a RawValue)>,
    value: Option<(&'static str, &'a RawValue)>,
}

impl<'de, 'a: 'de> MapAccess<'de> for FieldAccess<'a> {
    type Error = ArgError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ArgError> {
        self.value = self.fields.next();
        match self.value {
            Some((name, _)) => seed
                .deserialize(serde::de::value::StrDeserializer::new(name))
                .map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ArgError> {
        let (name, raw) = self.value.take().unwrap_or(("", RawValue::NULL));
        seed.deserialize(&mut serde_json::Deserializer::from_str(raw.get()))
            .map_err(|error| ArgError::wrong(name, &error))
    }
}
