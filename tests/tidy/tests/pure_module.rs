//! `core.wasm` imports nothing: time, ids, entropy, git, files and rows are all told. And what it exports is the boundary.

use std::path::PathBuf;
use std::{env, fs};

use deciduous_tidy::{hold, root};
use wasmparser::{Parser, Payload};

const EXPORTS: [&str; 8] = [
    "abi_version",
    "alloc",
    "answer",
    "call",
    "catalog",
    "free",
    "memory",
    "schema",
];

/// What the linker adds: two numbers.
const LINKER: [&str; 2] = ["__data_end", "__heap_base"];

/// Parts of paths that only a machine has.
const PATHS: [&str; 4] = [
    ".cargo/registry",
    "/home/",
    concat!("/ro", "ot/"),
    "/Users/",
];

fn findings(module: &[u8]) -> Result<Vec<String>, wasmparser::BinaryReaderError> {
    let mut findings = Vec::new();
    let mut exports = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    findings.push(format!("imports `{}` of `{}`", import.name, import.module));
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    exports.push(export?.name);
                }
            }
            _ => {}
        }
    }
    exports.retain(|export| !LINKER.contains(export));
    exports.sort_unstable();
    if exports != EXPORTS {
        findings.push(format!("exports {exports:?}, not {EXPORTS:?}"));
    }
    let text = String::from_utf8_lossy(module);
    findings.extend(
        PATHS
            .iter()
            .filter(|path| text.contains(**path))
            .map(|path| format!("names a machine's `{path}`")),
    );
    Ok(findings)
}

fn module() -> PathBuf {
    env::var_os("DECIDUOUS_WASM").map_or_else(|| root().join("target/core.wasm"), PathBuf::from)
}

#[test]
fn the_core_imports_nothing() {
    let path = module();
    let bytes = fs::read(&path)
        .unwrap_or_else(|error| panic!("{error}: `{}`; run `cargo xtask build`", path.display()));
    hold(findings(&bytes).expect("a module"));
}

#[test]
fn sees_an_import_a_missing_export_and_a_path() {
    // One type `() -> ()`, and the function `b` of `a` imported with it.
    let mut module = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x07\x01\x01a\x01b\0\0".to_vec();
    // A section that is only a name: a path of six letters.
    module.extend(b"\0\x07\x06");
    module.extend(PATHS[2].bytes());
    let findings = findings(&module).expect("a module");
    assert_eq!(findings.len(), 3, "{findings:?}");
    assert!(findings[0].contains("imports `b` of `a`"));
}
