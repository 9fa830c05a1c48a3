//! What a host's own commands need; never spoken to agents.

crate::tool::toolset! {
    /// In the order of the commands' help.
    STORE =
        import_graph,
        import_tables,
        export_graph,
        read_events,
        merge_events,
        digest,
        get_log,
        pivot,
        supersede,
        delete_theme,
        list_tags,
        show_document,
        describe_document,
        detach_document,
        list_blobs,
        complete_words,
        undo_write,
        redo_write,
        check_store,
        mend_store,
        read_terms,
        read_blobs,
        renew_replica,
        plan_segments,
        fold_segments,
        write_segment,
        write_graph_file,
        read_graph_file,
}
