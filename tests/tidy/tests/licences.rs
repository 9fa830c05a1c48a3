//! What we stand on may be given on under MIT OR Apache-2.0.

use deciduous_tidy::{hold, metadata};
use serde_json::Value;
use spdx::{Expression, ParseMode};

const ALLOWED: [&str; 12] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// A licence with an exception that takes a duty away.
const ALLOWED_EXCEPTION: (&str, &str) = ("Apache-2.0", "LLVM-exception");

/// Packages with a licence of the weak copyleft kind, each looked at by a person: (package, licence).
const BY_NAME: [(&str, &str); 0] = [];

fn allows(package: &str, requirement: &spdx::LicenseReq) -> bool {
    let Some(licence) = requirement.license.id() else {
        return false;
    };
    let exception = requirement
        .addition
        .as_ref()
        .and_then(|addition| addition.id());
    match exception {
        Some(exception) => (licence.name, exception.name) == ALLOWED_EXCEPTION,
        None => ALLOWED.contains(&licence.name) || BY_NAME.contains(&(package, licence.name)),
    }
}

fn finding(name: &str, licence: Option<&str>) -> Option<String> {
    let Some(licence) = licence else {
        return Some(format!("{name}: says no licence"));
    };
    match Expression::parse_mode(licence, ParseMode::LAX) {
        Err(error) => Some(format!(
            "{name}: `{licence}` is no licence expression: {}",
            error.reason
        )),
        Ok(expression) if expression.evaluate(|requirement| allows(name, requirement)) => None,
        Ok(_) => Some(format!(
            "{name}: `{licence}` does not suit MIT OR Apache-2.0"
        )),
    }
}

#[test]
fn every_licence_suits() {
    let metadata = metadata(true);
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 10, "cargo names hardly a package");
    let of = |package: &Value| {
        finding(
            package["name"].as_str().unwrap_or_default(),
            package["license"].as_str(),
        )
    };
    hold(packages.iter().filter_map(of).collect());
}

#[test]
fn our_own_is_both() {
    let metadata = metadata(false);
    let packages = metadata["packages"].as_array().expect("packages");
    let other = packages
        .iter()
        .filter(|package| package["license"] != "MIT OR Apache-2.0");
    hold(
        other
            .map(|package| format!("{}: not MIT OR Apache-2.0", package["name"]))
            .collect(),
    );
}

#[test]
fn sees_what_does_not_suit() {
    for licence in [
        None,
        Some("GPL-3.0"),
        Some("MIT AND GPL-2.0-only"),
        Some("MPL-2.0"),
        Some("Apache-2.0 WITH x"),
    ] {
        assert!(finding("sample", licence).is_some(), "{licence:?} passes");
    }
    for licence in [
        "MIT",
        "MIT-0",
        "MIT/Apache-2.0",
        "GPL-2.0 OR MIT",
        "Apache-2.0 WITH LLVM-exception",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
    ] {
        assert_eq!(finding("sample", Some(licence)), None);
    }
}
