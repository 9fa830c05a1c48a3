//! What a host's own commands need; never spoken to agents.

crate::tool::toolset! {
    /// In the order of the commands' help.
    STORE =
        export_graph,
        read_events,
        merge_events,
        digest,
}
