//! Every writing tool, with a fault at each call to the store and at each write to the disk: the graph stays as it was, one
//! sentence says what went wrong, and the same call then succeeds.
//!
//! The calls are those of the vectors, so a new tool is tested without an edit here.

use crate::store::faults;
use crate::{Access, Call, Failure, Host, Outcome, Project, catalog};
use deciduous_boundary::{Actor, ActorKind, ViewMode};
use serde_json::Value;
use serde_json::value::to_raw_value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

struct Step {
    toolset: String,
    tool: String,
    args: Value,
}

/// One way to break something: armed with a number of calls that go well; answers whether it struck.
struct Breaker {
    arm: fn(Option<u32>),
    is_armed: fn() -> bool,
}

/// What one client's answers asked to be kept.
type Kept = BTreeMap<String, Value>;

fn call(host: &mut Host, step: &Step, kept: &Kept) -> Result<Outcome, Failure> {
    host.call(&Call {
        toolset: &step.toolset,
        tool: &step.tool,
        args: to_raw_value(&step.args).expect("JSON"),
        caller: Actor {
            name: "tester".into(),
            kind: ActorKind::Agent,
        },
        kept: kept.clone(),
        view: ViewMode::None,
        workspace: None,
    })
}

/// What a vector does, where this host can carry it out: no ids of another run.
struct Vector {
    /// Path and text of the project's files.
    files: Vec<(String, String)>,
    steps: Vec<Step>,
}

fn vector(file: &Path, toolset: &str) -> Option<Vector> {
    let vector: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    // What is no plain text there is a file that cannot be read, and none is made.
    let files = vector["outside"]["files"].as_object().into_iter().flatten();
    let files = files
        .filter_map(|(path, text)| Some((path.clone(), text.as_str()?.to_owned())))
        .collect();
    let steps = vector["steps"].as_array()?.iter().map(|step| {
        let named = |key: &str| step[key].as_str().map(str::to_owned);
        let mut args = step["args"].clone();
        if let Some(args) = args.as_object_mut() {
            // There is no repository here.
            args.retain(|_, value| *value != "HEAD");
        }
        Some(Step {
            toolset: named("toolset").unwrap_or_else(|| toolset.to_owned()),
            tool: named("tool")?,
            args,
        })
    });
    let steps = steps.collect::<Option<Vec<_>>>()?;
    Some(Vector { files, steps })
}

/// The project after the steps before the last that writes, and that step; none where the vector has no such step.
fn before(
    vector: Vector,
    tool: &catalog::Tool,
) -> Option<(tempfile::TempDir, Host, Project, Step, Kept)> {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, _) = Project::init(folder.path()).expect("made");
    let mut host = Host::open(&project, Access::Write).expect("opened");
    for (path, text) in vector.files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    let mut kept = Kept::new();
    for step in vector.steps {
        if step.tool == tool.name {
            return Some((folder, host, project, step, kept));
        }
        match call(&mut host, &step, &kept).expect("no failure") {
            Outcome::Done(done) => kept.extend(done.keep),
            Outcome::Refused(_) => return None,
        }
    }
    None
}

/// Everything the database holds, as text.
fn content(project: &Project) -> Vec<String> {
    let connection = rusqlite::Connection::open(&project.database).expect("opened");
    let names: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name")
        .and_then(|mut tables| tables.query_map([], |row| row.get(0))?.collect())
        .expect("tables");
    let mut lines = Vec::new();
    for name in names {
        let mut statement = connection
            .prepare(&format!("SELECT * FROM \"{name}\""))
            .expect("a table");
        let width = statement.column_count();
        let rows = statement.query_map([], |row| {
            let cells: Result<Vec<_>, _> = (0..width)
                .map(|at| row.get::<_, rusqlite::types::Value>(at))
                .collect();
            Ok(format!("{name} {:?}", cells?))
        });
        lines.extend(rows.expect("rows").map(|row| row.expect("a row")));
    }
    let check: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("checked");
    assert_eq!(check, "ok");
    lines
}

/// How many faults were put into the tool's call.
fn broken(tool: &catalog::Tool, breaker: &Breaker) -> u32 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/vectors")
        .join(tool.toolset)
        .join(tool.name);
    let mut files: Vec<_> = fs::read_dir(folder)
        .map(|all| all.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.sort();
    for file in files {
        let prepared = vector(&file, tool.toolset).and_then(|vector| before(vector, tool));
        let Some((_folder, mut host, project, step, kept)) = prepared else {
            continue;
        };
        let was = content(&project);
        for before in 0.. {
            (breaker.arm)(Some(before));
            let outcome = call(&mut host, &step, &kept);
            let struck = !(breaker.is_armed)();
            (breaker.arm)(None);
            match outcome {
                Err(failure) => {
                    assert!(struck, "{}: {failure}", tool.name);
                    assert!(
                        !failure.message.contains('\n') && !failure.next.is_empty(),
                        "{}: {failure}",
                        tool.name
                    );
                    assert!(
                        content(&project) == was,
                        "{}: fault {before} left something",
                        tool.name
                    );
                }
                Ok(Outcome::Done(_)) if !struck && content(&project) != was => return before,
                Ok(Outcome::Done(_)) if struck => {
                    panic!("{}: fault {before} went unnoticed", tool.name)
                }
                // Another vector of this tool is one that writes.
                Ok(_) => break,
            }
        }
    }
    0
}

fn every_tool(breaker: &Breaker) -> u32 {
    let mut all = 0;
    for tool in catalog::tools().filter(|tool| tool.writes) {
        let faults = broken(tool, breaker);
        // What mends only writes to a store that was damaged, which no vector can do: `tests/doctor.rs` does.
        assert!(
            faults > 0 || tool.name == "mend_store",
            "no fault was put into {}",
            tool.name
        );
        all += faults;
    }
    all
}

#[test]
fn a_fault_at_any_call_to_the_store_changes_nothing() {
    let faults = every_tool(&Breaker {
        arm: faults::arm,
        is_armed: faults::is_armed,
    });
    assert!(faults > 100, "{faults}");
}

#[cfg(target_os = "linux")]
mod disk {
    //! SQLite lets its system calls be replaced: the n-th write to a file of this thread fails as on a full disk.
    #![allow(unsafe_code)]

    use rusqlite::ffi;
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};
    use std::sync::Once;

    thread_local! {
        static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    }

    pub fn arm(before: Option<u32>) {
        static REPLACED: Once = Once::new();
        REPLACED.call_once(replace);
        LEFT.set(before);
    }

    pub fn is_armed() -> bool {
        LEFT.get().is_some()
    }

    fn is_full() -> bool {
        match LEFT.get() {
            None => false,
            Some(0) => {
                LEFT.set(None);
                true
            }
            Some(left) => {
                LEFT.set(Some(left - 1));
                false
            }
        }
    }

    unsafe extern "C" fn write(file: c_int, bytes: *const c_void, length: usize) -> isize {
        if is_full() {
            // Safety: the thread's own error number.
            unsafe { *libc::__errno_location() = libc::ENOSPC };
            return -1;
        }
        // Safety: what SQLite gives.
        unsafe { libc::write(file, bytes, length) }
    }

    unsafe extern "C" fn pwrite(
        file: c_int,
        bytes: *const c_void,
        length: usize,
        at: i64,
    ) -> isize {
        if is_full() {
            // Safety: the thread's own error number.
            unsafe { *libc::__errno_location() = libc::ENOSPC };
            return -1;
        }
        // Safety: what SQLite gives.
        unsafe { libc::pwrite64(file, bytes, length, at) }
    }

    fn replace() {
        // Safety: the default way to files lives as long as the process, and these functions have the forms it calls.
        unsafe {
            let vfs = ffi::sqlite3_vfs_find(std::ptr::null());
            let set = (*vfs).xSetSystemCall.expect("SQLite's own way has it");
            let plain: unsafe extern "C" fn() = std::mem::transmute(
                write as unsafe extern "C" fn(c_int, *const c_void, usize) -> isize,
            );
            let at: unsafe extern "C" fn() = std::mem::transmute(
                pwrite as unsafe extern "C" fn(c_int, *const c_void, usize, i64) -> isize,
            );
            set(vfs, c"write".as_ptr(), Some(plain));
            // Which of them it uses depends on how it was built.
            set(vfs, c"pwrite".as_ptr(), Some(at));
            set(vfs, c"pwrite64".as_ptr(), Some(at));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_at_any_write_changes_nothing() {
    let faults = every_tool(&Breaker {
        arm: disk::arm,
        is_armed: disk::is_armed,
    });
    assert!(faults > 100, "{faults}");
}
