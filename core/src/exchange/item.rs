//! One object of a file, read key by key; what is wrong with it is said in its own words.

use crate::time;
use deciduous_boundary::Millis;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The keys that are not read yet.
pub(super) struct Item<'a> {
    given: BTreeMap<String, &'a RawValue>,
    /// The first thing that is wrong.
    pub problem: Option<String>,
}

/// A time, and its text where showing the time would not give it back.
pub(super) type Moment = (Millis, Option<String>);

impl<'a> Item<'a> {
    pub(super) fn read(raw: &'a RawValue) -> Self {
        match serde_json::from_str(raw.get()) {
            Ok(given) => Item {
                given,
                problem: None,
            },
            Err(_) => Item {
                given: BTreeMap::new(),
                problem: Some("is no object".to_owned()),
            },
        }
    }

    pub(super) fn wrong(&mut self, why: impl Into<String>) {
        if self.problem.is_none() {
            self.problem = Some(why.into());
        }
    }

    /// The value under the first of the names that has one; null is none.
    fn take(&mut self, names: &[&str]) -> Option<Value> {
        let mut found = None;
        for name in names {
            let raw = self.given.remove(*name).filter(|raw| raw.get() != "null");
            if let (Some(raw), None) = (raw, &found) {
                found = serde_json::from_str(raw.get()).ok();
            }
        }
        found
    }

    /// The first of the names; the others are what other programs call the same.
    fn name<'n>(names: &[&'n str]) -> &'n str {
        names.first().copied().unwrap_or_default()
    }

    fn missing<T>(&mut self, names: &[&str], found: Option<T>) -> Option<T> {
        if found.is_none() {
            self.wrong(format!("has no `{}`", Self::name(names)));
        }
        found
    }

    pub(super) fn text(&mut self, names: &[&str]) -> Option<String> {
        match self.take(names)? {
            Value::String(text) if text.contains('\0') => {
                self.wrong(format!(
                    "has a `{}` with the character U+0000",
                    Self::name(names)
                ));
                None
            }
            Value::String(text) => Some(text),
            other => {
                self.wrong(format!(
                    "has a `{}` that is no text: {other}",
                    Self::name(names)
                ));
                None
            }
        }
    }

    pub(super) fn needed_text(&mut self, names: &[&str]) -> Option<String> {
        let found = self.text(names);
        self.missing(names, found)
    }

    /// A local number; what is none (0, a negative, a text) is said.
    pub(super) fn number(&mut self, names: &[&str]) -> Option<u32> {
        let value = self.take(names)?;
        let number = value
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| *number > 0);
        if number.is_none() {
            self.wrong(format!(
                "has a `{}` that is no local number: {value}",
                Self::name(names)
            ));
        }
        number
    }

    pub(super) fn size(&mut self, names: &[&str]) -> Option<i64> {
        let value = self.take(names);
        let size = value
            .as_ref()
            .and_then(Value::as_i64)
            .filter(|size| *size >= 0);
        self.missing(names, size)
    }

    pub(super) fn real(&mut self, names: &[&str]) -> Option<f64> {
        let value = self.take(names)?;
        let real = value.as_f64().filter(|real| real.is_finite());
        if real.is_none() {
            self.wrong(format!(
                "has a `{}` that is no number: {value}",
                Self::name(names)
            ));
        }
        real
    }

    /// A time; one that cannot be read is said and never replaced.
    pub(super) fn time(&mut self, names: &[&str]) -> Option<Moment> {
        let text = self.text(names)?;
        let at = time::read(&text);
        if at.is_none() {
            self.wrong(format!(
                "has a `{}` that is no date: `{text}`",
                Self::name(names)
            ));
        }
        at.map(|at| (at, (time::show(at) != text).then_some(text)))
    }

    pub(super) fn needed_time(&mut self, names: &[&str]) -> Option<Moment> {
        let found = self.time(names);
        self.missing(names, found)
    }

    /// A list of numbers or texts.
    pub(super) fn list(&mut self, names: &[&str]) -> Option<Vec<Value>> {
        match self.take(names)? {
            Value::Array(items) => Some(items),
            other => {
                self.wrong(format!(
                    "has a `{}` that is no list: {other}",
                    Self::name(names)
                ));
                None
            }
        }
    }

    /// An object, or its JSON text.
    pub(super) fn object(&mut self, names: &[&str]) -> Option<serde_json::Map<String, Value>> {
        let value = match self.take(names)? {
            Value::String(text) if text.trim().is_empty() => return None,
            Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            other => other,
        };
        match value {
            Value::Object(map) => Some(map),
            other => {
                self.wrong(format!(
                    "has a `{}` that is no JSON object: {other}",
                    Self::name(names)
                ));
                None
            }
        }
    }

    /// An identity: a UUID, in lower case.
    pub(super) fn identity(&mut self, names: &[&str]) -> Option<String> {
        let text = self.text(names)?.to_ascii_lowercase();
        if crate::ledger::wire::is_uuid(&text) {
            return Some(text);
        }
        self.wrong(format!(
            "has a `{}` that is no UUID: `{text}`",
            Self::name(names)
        ));
        None
    }

    /// What nothing was made of.
    pub(super) fn rest(self) -> impl Iterator<Item = String> {
        self.given.into_keys()
    }
}

/// A UUID (version 8) made from what a record says, the same at each import of it.
pub(super) fn derived(kind: &str, id: Option<u32>, title: &str, at: &Option<Moment>) -> String {
    let at = at.as_ref().map(|(at, _)| *at);
    let digest = Sha256::digest(
        json!(["deciduous import", kind, id, title, at])
            .to_string()
            .as_bytes(),
    );
    let mut bytes = [0_u8; 16];
    for (to, from) in bytes.iter_mut().zip(&digest) {
        *to = *from;
    }
    uuid::Builder::from_custom_bytes(bytes)
        .into_uuid()
        .hyphenated()
        .to_string()
}
