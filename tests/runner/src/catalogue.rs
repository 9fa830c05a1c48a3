//! The catalogue as the core computes it, with what the tests ask of it.
//!
//! Owns: finding a tool and validating an answer against its schema. Never: rules about schemas (`tests/catalogue.rs`).

use jsonschema::Validator;
use serde_json::Value;
use std::collections::BTreeMap;

pub struct Catalogue {
    pub json: Value,
    /// (toolset, tool) to the validator of its answers.
    answers: BTreeMap<(String, String), Validator>,
}

impl Catalogue {
    /// # Errors
    /// Where the catalogue is no JSON or a schema no schema.
    pub fn new() -> Result<Self, String> {
        let json: Value = serde_json::from_str(&deciduous_core::catalog::catalog())
            .map_err(|error| error.to_string())?;
        let mut answers = BTreeMap::new();
        for set in list(&json["toolsets"]) {
            for tool in list(&set["tools"]) {
                let key = (word(&set["name"]), word(&tool["name"]));
                let validator =
                    jsonschema::draft202012::new(&tool["outputSchema"]).map_err(|error| {
                        format!(
                            "{}/{}: its outputSchema is no schema: {error}",
                            key.0, key.1
                        )
                    })?;
                answers.insert(key, validator);
            }
        }
        Ok(Catalogue { json, answers })
    }

    /// A toolset's tools in their order, those taken over first, each with the toolset it is declared in.
    #[must_use]
    pub fn tools(&self, toolset: &str) -> Vec<(String, &Value)> {
        let Some(set) = list(&self.json["toolsets"])
            .iter()
            .find(|set| set["name"] == toolset)
        else {
            return Vec::new();
        };
        let mut tools = Vec::new();
        for included in list(&set["includes"]) {
            let included = word(included);
            let own = list(&self.json["toolsets"])
                .iter()
                .find(|set| set["name"] == *included);
            let own = own.map(|own| list(&own["tools"])).unwrap_or_default();
            tools.extend(own.iter().map(|tool| (included.clone(), tool)));
        }
        tools.extend(
            list(&set["tools"])
                .iter()
                .map(|tool| (toolset.to_owned(), tool)),
        );
        tools
    }

    /// What of an answer does not match the tool's `outputSchema`.
    #[must_use]
    pub fn misfits(&self, toolset: &str, tool: &str, output: &Value) -> Vec<String> {
        let declared = self
            .tools(toolset)
            .into_iter()
            .find(|(_, declared)| declared["name"] == tool);
        let Some(validator) =
            declared.and_then(|(set, _)| self.answers.get(&(set, tool.to_owned())))
        else {
            return vec![format!("`{toolset}` has no tool `{tool}` in the catalogue")];
        };
        validator
            .iter_errors(output)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect()
    }
}

/// The entries of an array; none where it is none.
#[must_use]
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A text; empty where it is none.
#[must_use]
pub fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
