//! The workspace as cargo sees it.

use std::process::Command;

use serde_json::Value;

use crate::tree::root;

/// `cargo metadata`, with every package that the workspace stands on when `deep`.
///
/// # Panics
/// When cargo fails: then nothing can be said.
#[must_use]
pub fn metadata(deep: bool) -> Value {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut cargo = Command::new(program);
    cargo
        .current_dir(root())
        .args(["metadata", "--format-version", "1", "--locked"]);
    if !deep {
        cargo.arg("--no-deps");
    }
    let output = cargo.output().expect("cargo starts");
    assert!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo writes JSON")
}

/// For each package (its folder from the root): the folders of this workspace that it depends on, with the kind of each
/// dependency (`normal`, `dev` or `build`).
#[must_use]
pub fn path_dependencies(metadata: &Value) -> Vec<(String, Vec<(String, String)>)> {
    let root = metadata["workspace_root"]
        .as_str()
        .unwrap_or_default()
        .replace('\\', "/");
    let local = |path: &str| {
        let path = path.replace('\\', "/");
        path.strip_prefix(&root)
            .unwrap_or(&path)
            .trim_start_matches('/')
            .to_owned()
    };
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter(|package| package["source"].is_null())
        .map(|package| {
            let manifest = local(package["manifest_path"].as_str().unwrap_or_default());
            let folder = manifest
                .trim_end_matches("Cargo.toml")
                .trim_end_matches('/')
                .to_owned();
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            let dependencies = dependencies
                .filter_map(|dependency| {
                    let kind = dependency["kind"].as_str().unwrap_or("normal");
                    Some((local(dependency["path"].as_str()?), kind.to_owned()))
                })
                .collect();
            (folder, dependencies)
        })
        .collect()
}
