//! The yardstick: a process that opens the same file with SQLite and does the same row's work, and nothing else.
//!
//! ```text
//! bare read DATABASE ID     the node, its edges and who is at their other ends
//! bare add DATABASE         one node with its event, its workspace's counters and its search terms, durable
//! bare adds DATABASE TIMES  that many in one process; prints the microseconds that each took
//! ```
#![forbid(unsafe_code)]

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Result, params};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["read", database, id] => read(database, id.parse().unwrap_or(1)),
        ["add", database] => adds(database, 1).map(drop),
        ["adds", database, times] => adds(database, times.parse().unwrap_or(1)).map(|took| {
            for micros in took {
                println!("{micros}");
            }
        }),
        _ => {
            eprintln!(
                "usage: bare read DATABASE ID | bare add DATABASE | bare adds DATABASE TIMES"
            );
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn read(database: &str, id: i64) -> Result<()> {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut out = String::new();
    let node = "SELECT title, description, status, node_type FROM node WHERE workspace=1 AND id=?";
    connection.query_row(node, [id], |row| {
        for at in 0..4 {
            out.push_str(&format!("{:?}\n", row.get::<_, Value>(at)?));
        }
        Ok(())
    })?;
    // Without statistics SQLite tends to read a whole table; it is told where to begin, and by which index.
    let ends = [
        ("from_id", "to_id", ""),
        ("to_id", "from_id", "INDEXED BY edge_by_target"),
    ];
    for (near, far, by) in ends {
        let sql = format!(
            "SELECT n.id, n.node_type, n.title, n.status, e.edge_type, e.rationale FROM edge e {by} \
             CROSS JOIN node n ON n.workspace=1 AND n.id=e.{far} WHERE e.workspace=1 AND e.{near}=? AND e.deleted_at IS NULL LIMIT 50"
        );
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            out.push_str(&format!(
                "{} {}\n",
                row.get::<_, i64>(0)?,
                row.get::<_, String>(2)?
            ));
        }
    }
    print!("{out}");
    Ok(())
}

fn adds(database: &str, times: usize) -> Result<Vec<u128>> {
    let mut connection = Connection::open(database)?;
    connection.execute_batch("PRAGMA synchronous=FULL")?;
    let mut took = Vec::with_capacity(times);
    for _ in 0..times {
        let started = Instant::now();
        add(&mut connection)?;
        took.push(started.elapsed().as_micros());
    }
    Ok(took)
}

fn add(connection: &mut Connection) -> Result<()> {
    let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let (seq, node): (i64, i64) = tx.query_row(
        "SELECT seq, next_node FROM workspace WHERE workspace=1",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let salt = format!("{:08x}-bare-{seq:08x}", std::process::id());
    copy(
        &tx,
        "event",
        "seq",
        &[
            ("seq", Value::Integer(seq + 1)),
            ("id", Value::Text(salt.clone())),
        ],
    )?;
    copy(
        &tx,
        "node",
        "id",
        &[
            ("id", Value::Integer(node)),
            ("change_id", Value::Text(salt)),
            ("seq", Value::Integer(seq + 1)),
        ],
    )?;
    tx.execute("UPDATE workspace SET seq=seq+1, next_node=next_node+1, lamport=lamport+1, ordinal=ordinal+1 WHERE workspace=1", [])?;
    let terms = [
        "ship", "search", "rank", "session", "token", "cooki", "bare", "node", "index", "titl",
    ];
    let document: String = terms.iter().map(|term| format!("w1x{term} ")).collect();
    tx.execute(
        "INSERT INTO search(rowid, terms) VALUES(?, ?)",
        params![1_i64 << 40 | node << 8 | 10, document],
    )?;
    for term in terms {
        tx.execute(
            "INSERT INTO search_term VALUES(1, ?, 1) ON CONFLICT DO UPDATE SET df=df+1",
            [term],
        )?;
    }
    tx.execute(
        "INSERT INTO search_docs VALUES(1, 1) ON CONFLICT DO UPDATE SET docs=docs+1",
        [],
    )?;
    tx.commit()
}

/// The last row of a table again, with some cells of its own.
fn copy(
    connection: &Connection,
    table: &str,
    order: &str,
    changed: &[(&str, Value)],
) -> Result<()> {
    let sql = format!("SELECT * FROM {table} WHERE workspace=1 ORDER BY {order} DESC LIMIT 1");
    let mut statement = connection.prepare(&sql)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let row: Vec<Value> = statement.query_row([], |row| {
        let cell = |(at, name): (usize, &String)| match changed
            .iter()
            .find(|(changed, _)| changed == name)
        {
            Some((_, value)) => Ok(value.clone()),
            None => row.get(at),
        };
        names.iter().enumerate().map(cell).collect()
    })?;
    let places = vec!["?"; row.len()].join(",");
    connection.execute(
        &format!("INSERT INTO {table} VALUES({places})"),
        rusqlite::params_from_iter(row),
    )?;
    Ok(())
}
