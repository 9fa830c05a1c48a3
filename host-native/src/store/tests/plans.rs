//! Every scan is one walk along the index it names: SQLite sorts nothing and reads no whole table.

use super::{in_memory, schema};
use crate::store::scan::{Range, pieces, select};
use deciduous_boundary::Cell;

#[test]
fn every_piece_of_a_scan_walks_its_index() {
    let store = in_memory(&schema());
    let table = store.shape.table("thing").expect("declared");
    let one = [Cell::Int(1)];
    let kind = [Cell::Int(1), Cell::Text("x".into())];
    let (low, high) = (Cell::Int(2), Cell::Int(9));
    let after = [Cell::Int(1), Cell::Text("x".into()), Cell::Int(7)];
    let plain = Range::default();
    let cases = [
        ("primary", &one[..], plain),
        (
            "primary",
            &one[..],
            Range {
                from: Some(&low),
                to: Some(&high),
                ..plain
            },
        ),
        (
            "thing_by_seq",
            &one[..],
            Range {
                from: Some(&low),
                desc: true,
                ..plain
            },
        ),
        ("thing_by_kind", &kind[..], plain),
        (
            "thing_by_kind",
            &one[..],
            Range {
                after: &after,
                ..plain
            },
        ),
        (
            "thing_by_kind",
            &one[..],
            Range {
                after: &after,
                desc: true,
                ..plain
            },
        ),
    ];
    for (index, prefix, range) in cases {
        let path = table.path(index).expect("declared");
        for piece in pieces(table, path, prefix, &range).expect("sound") {
            let sql = select("\"name\"", table, path, &piece, range.desc);
            let mut statement = store
                .connection
                .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
                .expect("SQL");
            let mut rows = statement.raw_query();
            let mut plan = Vec::new();
            while let Some(row) = rows.next().expect("a plan") {
                plan.push(row.get::<_, String>(3).expect("text"));
            }
            assert_eq!(plan.len(), 1, "{sql}: {plan:?}");
            assert!(plan[0].starts_with("SEARCH"), "{sql}: {plan:?}");
        }
    }
}
