//! What the world outside is named in one place each, so that it can be changed there; and unsafe code is in two files.

use deciduous_tidy::{Source, Word, files_under, hold, words};

struct Owner {
    name: &'static str,
    /// Where the rule looks.
    inside: &'static str,
    /// Who may: beginnings of paths.
    owners: &'static [&'static str],
}

const OWNERS: [Owner; 8] = [
    Owner {
        name: "wasmtime",
        inside: "host-native/src",
        owners: &["host-native/src/engine.rs"],
    },
    Owner {
        name: "rmcp",
        inside: "host-native/src",
        owners: &["host-native/src/mcp/"],
    },
    Owner {
        name: "rusqlite",
        inside: "host-native/src",
        owners: &["host-native/src/store/"],
    },
    Owner {
        name: "tokio_postgres",
        inside: "host-native/src",
        owners: &["host-native/src/store/postgres"],
    },
    Owner {
        name: "indexedDB",
        inside: "host-web",
        owners: &["host-web/src/idb."],
    },
    Owner {
        name: "unsafe",
        inside: "core",
        owners: &["core/src/abi.rs"],
    },
    Owner {
        name: "unsafe",
        inside: "host-native",
        // The systems' own calls, one file a system.
        owners: &[
            "host-native/src/engine.rs",
            "host-native/src/os/",
            // Tests that break the system's calls under SQLite.
            "host-native/src/store/tests/faults.rs",
        ],
    },
    Owner {
        name: "unsafe",
        inside: "bindings",
        owners: &[],
    },
];

fn findings(source: &Source, owner: &Owner) -> Vec<String> {
    if owner
        .owners
        .iter()
        .any(|path| source.path.starts_with(path))
    {
        return Vec::new();
    }
    let named = words(source)
        .into_iter()
        .filter(|word| word.is_name(owner.name));
    named
        .map(|word: Word| format!("{}:{}: names `{}`", source.path, word.line(), owner.name))
        .collect()
}

#[test]
fn only_owners_name_what_they_own() {
    let mut found = Vec::new();
    for owner in &OWNERS {
        let sources = files_under(owner.inside, &["rs", "ts", "tsx", "js", "mjs"]);
        found.extend(
            sources
                .iter()
                .filter(|source| !source.is_test())
                .flat_map(|source| findings(source, owner)),
        );
    }
    hold(found);
}

#[test]
fn sees_who_is_no_owner() {
    let owner = &OWNERS[0];
    let text = "use wasmtime::Engine;\n";
    assert_eq!(
        findings(&Source::new("host-native/src/host.rs", text), owner).len(),
        1
    );
    assert_eq!(
        findings(&Source::new("host-native/src/engine.rs", text), owner).len(),
        0
    );
    assert_eq!(
        findings(
            &Source::new("host-native/src/host.rs", "//! wasmtime\n"),
            owner
        )
        .len(),
        0
    );
}
