//! Which room may stand on which: the core on nothing but itself, a host on the boundary, never on another host or on the
//! core's logic (what answers is the module).

use deciduous_tidy::{hold, metadata, path_dependencies};

struct Room {
    /// Beginning of the package's folder.
    name: &'static str,
    /// Folders of ours that its product may contain.
    product: &'static [&'static str],
    /// And its tests besides.
    tests: &'static [&'static str],
}

const ROOMS: [Room; 3] = [
    Room {
        name: "core",
        product: &["core", "core/boundary", "core/tables"],
        tests: &[],
    },
    Room {
        name: "host-",
        product: &["core/boundary"],
        tests: &["core/tables"],
    },
    Room {
        name: "examples",
        product: &["core/boundary"],
        tests: &[],
    },
];

fn findings(packages: &[(String, Vec<(String, String)>)]) -> Vec<String> {
    let mut findings = Vec::new();
    for (folder, dependencies) in packages {
        let Some(room) = ROOMS.iter().find(|room| folder.starts_with(room.name)) else {
            continue;
        };
        for (on, kind) in dependencies {
            let is_for_tests = kind == "dev" && room.tests.contains(&on.as_str());
            if !room.product.contains(&on.as_str()) && !is_for_tests {
                findings.push(format!("`{folder}` may not depend on `{on}` ({kind})"));
            }
        }
    }
    findings
}

#[test]
fn every_room_stands_where_it_may() {
    let packages = path_dependencies(&metadata(false));
    assert!(
        packages
            .iter()
            .any(|(folder, on)| folder == "core" && !on.is_empty()),
        "the core is not seen: {packages:?}"
    );
    hold(findings(&packages));
}

#[test]
fn sees_who_leans_on_whom() {
    let package = |folder: &str, on: &str, kind: &str| {
        (folder.to_owned(), vec![(on.to_owned(), kind.to_owned())])
    };
    let bad = [
        package("core", "host-native", "normal"),
        package("core/boundary", "bindings/schema", "dev"),
        package("host-native", "core", "normal"),
        package("host-native", "core/tables", "normal"),
        package("host-web", "host-native", "dev"),
    ];
    assert_eq!(findings(&bad).len(), bad.len());
    let good = [
        package("host-native", "core/tables", "dev"),
        package("bindings/schema", "core", "normal"),
    ];
    assert_eq!(findings(&good), [""; 0]);
}
