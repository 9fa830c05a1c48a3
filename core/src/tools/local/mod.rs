//! The 31 tools of a project's own graph.

crate::tool::toolset! {
    /// In the order in which clients list them.
    LOCAL =
        add_node,
        link_nodes,
        show_node,
        find_orphans,
}
