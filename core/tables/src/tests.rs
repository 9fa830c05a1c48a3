//! What each answer looks like, and that a failed change leaves nothing behind.

use crate::{Chunk, Tables};
use deciduous_boundary::{
    Cell, Change, Column, ColumnKind, ColumnType, Fetch, Index, Schema, Table,
};
use serde_json::json;

fn schema() -> Schema {
    let column = |name: &str, kind, nullable| Column {
        name: name.into(),
        kind,
        nullable,
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Schema {
        version: 1,
        older: vec![],
        tables: vec![Table {
            name: "thing".into(),
            columns: vec![
                column("workspace", ColumnType::Int, false),
                column("num", ColumnType::Int, false),
                column("seq", ColumnType::Int, false),
                column("name", ColumnType::Text, false),
                column("kind", ColumnType::Text, true),
                column("weight", ColumnType::Real, true),
            ],
            key: names(&["workspace", "num"]),
            indexes: vec![
                Index {
                    name: "thing_by_name".into(),
                    columns: names(&["workspace", "name"]),
                    unique: true,
                    with: vec![],
                },
                Index {
                    name: "thing_by_kind".into(),
                    columns: names(&["workspace", "kind"]),
                    unique: false,
                    with: vec![],
                },
            ],
        }],
    }
}

fn put(num: i64, name: &str, kind: Option<&str>) -> Change {
    let row = vec![
        1_i64.into(),
        num.into(),
        (num * 10).into(),
        name.into(),
        kind.into(),
        Cell::Null,
    ];
    Change::Put {
        table: "thing".into(),
        row,
    }
}

fn filled() -> Tables {
    let mut tables = Tables::new(&schema()).expect("sound");
    tables
        .apply(&[
            put(1, "a", Some("x")),
            put(2, "b", None),
            put(3, "c", Some("x")),
            put(4, "d", Some("y")),
        ])
        .expect("fits");
    tables
}

fn scan(index: &str, prefix: Vec<Cell>) -> Fetch {
    Fetch::Scan {
        table: "thing".into(),
        index: index.into(),
        cols: vec!["num".into()],
        prefixes: vec![prefix],
        from: None,
        to: None,
        after: vec![],
        desc: false,
        limit: 0,
    }
}

fn ask(tables: &Tables, fetch: &Fetch) -> String {
    tables
        .answer(fetch, &mut Vec::new())
        .expect("answered")
        .get()
        .to_owned()
}

#[test]
fn rows_answer_null_where_there_is_none() {
    let keys = vec![
        vec![1_i64.into(), 2_i64.into()],
        vec![1_i64.into(), 9_i64.into()],
    ];
    let fetch = Fetch::Rows {
        table: "thing".into(),
        cols: vec!["name".into(), "kind".into()],
        keys,
    };
    assert_eq!(ask(&filled(), &fetch), r#"[["b",null],null]"#);
}

#[test]
fn a_scan_follows_its_index_then_the_key() {
    let tables = filled();
    assert_eq!(
        ask(&tables, &scan("thing_by_kind", vec![1_i64.into()])),
        "[[[2],[1],[3],[4]]]"
    );
    assert_eq!(
        ask(
            &tables,
            &scan("thing_by_kind", vec![1_i64.into(), Cell::Null])
        ),
        "[[[2]]]"
    );
    assert_eq!(ask(&tables, &scan("primary", vec![2_i64.into()])), "[[]]");
}

#[test]
fn a_scan_is_bounded_and_goes_on_behind_a_key() {
    let tables = filled();
    let bounded = |edit: &dyn Fn(&mut Fetch)| {
        let mut fetch = scan("thing_by_kind", vec![1_i64.into()]);
        edit(&mut fetch);
        ask(&tables, &fetch)
    };
    let set = |fetch: &mut Fetch,
               range: (Option<Cell>, Option<Cell>),
               key: Vec<Cell>,
               backward: bool,
               most: u32| {
        if let Fetch::Scan {
            from,
            to,
            after,
            desc,
            limit,
            ..
        } = fetch
        {
            (*from, *to) = range;
            (*after, *desc, *limit) = (key, backward, most);
        }
    };
    assert_eq!(
        bounded(&|f| set(f, (Some("x".into()), Some("y".into())), vec![], false, 0)),
        "[[[1],[3]]]"
    );
    assert_eq!(
        bounded(&|f| set(f, (None, Some("y".into())), vec![], true, 0)),
        "[[[3],[1],[2]]]"
    );
    let after = vec![1_i64.into(), "x".into(), 1_i64.into()];
    assert_eq!(
        bounded(&|f| set(f, (None, None), after.clone(), false, 1)),
        "[[[3]]]"
    );
    assert_eq!(
        bounded(&|f| set(f, (None, None), after.clone(), true, 0)),
        "[[[2]]]"
    );
    assert_eq!(
        bounded(&|f| set(f, (Some("y".into()), Some("x".into())), vec![], false, 0)),
        "[[]]"
    );
}

#[test]
fn columns_are_packed_in_the_order_of_seq() {
    let kinds = [
        ("num", ColumnKind::U32),
        ("seq", ColumnKind::I64),
        ("kind", ColumnKind::Dict),
        ("kind", ColumnKind::Present),
    ];
    let cols = kinds
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), *kind))
        .collect();
    let fetch = Fetch::Columns {
        table: "thing".into(),
        cols,
        prefix: vec![1_i64.into()],
        since: 10,
    };
    let mut attachment = vec![0xff];
    let answer = filled().answer(&fetch, &mut attachment).expect("answered");
    let answer: serde_json::Value = serde_json::from_str(answer.get()).expect("JSON");
    let expected = json!({ "rows": 3, "seq": 40, "dicts": [[], [], ["x", "y"], []], "at": [
        { "offset": 1, "length": 12 }, { "offset": 13, "length": 24 },
        { "offset": 37, "length": 6 }, { "offset": 43, "length": 3 },
    ]});
    assert_eq!(answer, expected);
    assert_eq!(&attachment[1..5], &[2, 0, 0, 0]);
    assert_eq!(&attachment[37..], &[255, 255, 0, 0, 1, 0, 0, 1, 1]);
}

#[test]
fn terms_come_with_frequencies_newest_first() {
    let mut tables = filled();
    let index = |doc, removed: &[&str], added: &[&str], length| {
        let own = |terms: &[&str]| terms.iter().map(|term| (*term).to_owned()).collect();
        Change::Index {
            workspace: 1,
            doc,
            removed: own(removed),
            added: own(added),
            length,
        }
    };
    tables
        .apply(&[index(1, &[], &["a", "b"], 2), index(2, &[], &["a"], 300)])
        .expect("indexed");
    let fetch = Fetch::Terms {
        workspace: 1,
        terms: vec!["a".into(), "b".into(), "z".into()],
        limit: 1,
    };
    let mut attachment = Vec::new();
    let answer = tables.answer(&fetch, &mut attachment).expect("answered");
    assert!(
        answer.get().starts_with(r#"{"docs":2,"df":[2,1,0],"#),
        "{answer}"
    );
    assert_eq!(attachment, [2, 0, 0, 0, 255, 1, 0, 0, 0, 2]);
    tables.apply(&[index(2, &["a"], &[], 0)]).expect("left");
    assert!(ask(&tables, &fetch).starts_with(r#"{"docs":1,"df":[1,1,0],"#));
}

#[test]
fn a_failed_change_takes_everything_back() {
    let mut tables = filled();
    let before: Vec<Chunk> = tables.chunks(2).collect();
    let indexed = Change::Index {
        workspace: 1,
        doc: 1,
        removed: vec![],
        added: vec!["a".into()],
        length: 1,
    };
    let error = tables
        .apply(&[put(1, "z", None), indexed, put(9, "b", None)])
        .expect_err("`b` is taken");
    assert!(error.to_string().contains("thing_by_name"), "{error}");
    assert_eq!(tables.chunks(2).collect::<Vec<_>>(), before);
    tables
        .apply(&[put(2, "b", Some("x"))])
        .expect("a row may keep its own name");
}

#[test]
fn a_row_that_does_not_fit_is_refused() {
    let mut tables = filled();
    let row = |cell: Cell| {
        vec![
            1_i64.into(),
            7_i64.into(),
            1_i64.into(),
            cell,
            Cell::Null,
            Cell::Int(2),
        ]
    };
    for bad in [Cell::Null, Cell::Int(3), Cell::Real(1.5)] {
        assert!(
            tables
                .apply(&[Change::Put {
                    table: "thing".into(),
                    row: row(bad)
                }])
                .is_err()
        );
    }
    tables
        .apply(&[Change::Put {
            table: "thing".into(),
            row: row("n".into()),
        }])
        .expect("fits");
    let keys = vec![vec![1_i64.into(), 7_i64.into()]];
    let fetch = Fetch::Rows {
        table: "thing".into(),
        cols: vec!["weight".into()],
        keys,
    };
    assert_eq!(ask(&tables, &fetch), "[[2.0]]");
}

#[test]
fn unknown_names_and_wrong_lengths_are_errors() {
    let tables = filled();
    let fails = |fetch: &Fetch| tables.answer(fetch, &mut Vec::new()).is_err();
    assert!(fails(&Fetch::Count {
        table: "none".into(),
        index: "primary".into(),
        prefixes: vec![]
    }));
    assert!(fails(&scan("none", vec![])));
    assert!(fails(&scan(
        "primary",
        vec![1_i64.into(), 1_i64.into(), 1_i64.into()]
    )));
    assert!(fails(&scan("primary", vec!["one".into()])));
    assert!(fails(&Fetch::Rows {
        table: "thing".into(),
        cols: vec![],
        keys: vec![vec![1_i64.into()]]
    }));
    assert!(fails(&Fetch::Branch {}));
}

#[test]
fn chunks_bring_everything_back() {
    let mut tables = filled();
    let added = vec!["a".into(), "b".into()];
    tables
        .apply(&[Change::Index {
            workspace: 1,
            doc: 4,
            removed: vec![],
            added,
            length: 2,
        }])
        .expect("indexed");
    let chunks: Vec<Chunk> = tables.chunks(3).collect();
    let text = serde_json::to_string(&chunks).expect("JSON");
    let mut copy = Tables::new(&schema()).expect("sound");
    for chunk in serde_json::from_str::<Vec<Chunk>>(&text).expect("chunks") {
        copy.take_chunk(&chunk).expect("fits");
    }
    assert_eq!(copy.chunks(3).collect::<Vec<_>>(), chunks);
    let older = Chunk::Rows {
        table: "thing".into(),
        cols: vec!["workspace".into(), "num".into()],
        rows: vec![vec![2_i64.into(), 1_i64.into()]],
    };
    copy.take_chunk(&older)
        .expect("what it lacks gets a default");
}
