//! The tools of a team's graph. Those in `ALL` work on a project's own graph too, with local references.

crate::tool::toolset! {
    /// What the toolset `all` adds to `local`.
    ALL =
        update_node,
        get_ancestors,
        get_descendants,
        ask_graph,
        log_observation,
        log_decision,
        capture_conversation_turn,
        close_thread,
        check_activity,
}
