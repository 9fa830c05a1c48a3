//! The module says of itself what the linked core says.

use deciduous_boundary::unframe;
use deciduous_runner::backend::Wasm;
use serde_json::Value;

fn said(name: &str) -> Value {
    let message = Wasm::new()
        .expect("the module")
        .ask(name)
        .expect("a message");
    let (json, attachment) = unframe(&message).expect("a frame");
    assert!(attachment.is_empty());
    serde_json::from_slice(json).expect("JSON")
}

#[test]
fn its_catalogue_is_current() {
    let linked: Value = serde_json::from_str(&deciduous_core::catalog::catalog()).expect("JSON");
    assert!(
        said("catalog") == linked,
        "another catalogue; run `cargo xtask build --core`"
    );
}

#[test]
fn its_tables_are_current() {
    let linked = serde_json::to_value(deciduous_core::schema()).expect("JSON");
    assert!(
        said("schema") == linked,
        "other tables; run `cargo xtask build --core`"
    );
}
