//! The targets. Each says how it met its input.

mod boundary;
mod calls;

use crate::Target;

pub const TARGETS: &[Target] = &[
    Target {
        name: "args",
        run: calls::args,
        seeds: calls::args_seeds,
    },
    Target {
        name: "boundary",
        run: boundary::run,
        seeds: boundary::seeds,
    },
    Target {
        name: "date",
        run: calls::date,
        seeds: calls::date_seeds,
    },
    Target {
        name: "events",
        run: calls::events,
        seeds: calls::events_seeds,
    },
    Target {
        name: "id_list",
        run: calls::id_list,
        seeds: calls::id_list_seeds,
    },
    Target {
        name: "import",
        run: calls::import,
        seeds: calls::import_seeds,
    },
    Target {
        name: "line",
        run: calls::line,
        seeds: calls::line_seeds,
    },
    Target {
        name: "query",
        run: calls::query,
        seeds: calls::query_seeds,
    },
    Target {
        name: "reference",
        run: calls::reference,
        seeds: calls::reference_seeds,
    },
];
