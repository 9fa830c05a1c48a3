//! Writes the generated files: the catalogue and the tables, as the core's own types say them.
//!
//! Owns: the files' form (indented, one final newline, keys in the order in which the core says them). Never: their
//! content.
//!
//! ```text
//! deciduous-schema bindings/schema
//! ```
#![forbid(unsafe_code)]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1) else {
        eprintln!("usage: deciduous-schema FOLDER");
        return ExitCode::from(2);
    };
    match write_all(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the generated files are not written: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write_all(folder: &Path) -> Result<(), Box<dyn Error>> {
    let tables = serde_json::to_string(&deciduous_core::schema())?;
    write(
        &folder.join("catalog.json"),
        &deciduous_core::catalog::catalog(),
    )?;
    write(&folder.join("tables.json"), &tables)
}

/// Touches the file only when its content changes: what embeds it is not built again for nothing.
fn write(path: &Path, json: &str) -> Result<(), Box<dyn Error>> {
    let text = indented(json)?;
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    fs::write(path, text).map_err(|error| format!("`{}`: {error}", path.display()).into())
}

/// Copied token by token, because a value in between would sort the keys.
fn indented(json: &str) -> Result<String, Box<dyn Error>> {
    let mut text = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    serde_transcode::transcode(&mut reader, &mut serde_json::Serializer::pretty(&mut text))?;
    reader.end()?;
    text.push(b'\n');
    Ok(String::from_utf8(text)?)
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn keeps_the_order_of_keys() {
        let text = indented(r#"{"b":1,"a":[1.5,"x"]}"#).expect("JSON");
        assert_eq!(
            text,
            "{\n  \"b\": 1,\n  \"a\": [\n    1.5,\n    \"x\"\n  ]\n}\n"
        );
    }

    #[test]
    fn refuses_what_is_not_one_value() {
        assert!(indented("{} {}").is_err());
        assert!(indented("{").is_err());
    }
}
