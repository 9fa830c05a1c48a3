//! What a host's own commands need; never spoken to agents.

crate::tool::toolset! {
    STORE =
}
