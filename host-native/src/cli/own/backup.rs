//! `deciduous backup`: a copy of the database in one file, checked before it is called one.
//!
//! Owns: where copies lie and what they are called. Never: copying (`store`), or writing over what is no copy.

use super::super::output::{self, Globals, Stop};
use super::super::text::shown;
use super::Own;
use crate::store::{beside, check_file};
use crate::{Access, Failure, Host, Project, os};
use clap::{Arg, ArgMatches, Command, value_parser};
use std::fs::{self, File};
use std::io::{self, Read};
use std::iter;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

pub static COMMAND: Own = Own {
    words: &["backup"],
    summary: "Copy the database to one file",
    build: flags,
    run,
};

const FOLDER: &str = "backups";
/// What a database begins with.
const DATABASE: &[u8] = b"SQLite format 3\0";
/// Files beside a database that somebody works with.
const IN_USE: [&str; 2] = ["-wal", "-journal"];

fn flags(command: Command) -> Command {
    command
        .about("Copy the database, as it is at one moment, to one file, and check the copy. Others may go on writing. Attached files are not in it: they lie in .deciduous/documents/. To go back, put the copy in the database's place while nothing runs.")
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write this file, in the place of an older copy too [default: .deciduous/backups/ and the time]"),
        )
        .after_help("Examples:\n  deciduous backup\n  deciduous backup -o ../graph-before-merge.db")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let project = Project::find(globals.db.as_deref())?;
    let host = Host::open(&project, Access::Read)?;
    let named = matches.get_one::<PathBuf>("output");
    let replaces = match named {
        Some(path) => may_be_written(path, &project)?,
        None => false,
    };
    // A link is followed: it is the file behind it that is meant.
    let wanted = match named {
        Some(path) => fs::canonicalize(path).unwrap_or_else(|_| path.clone()),
        None => usual(&project)?,
    };
    let part = unfinished(&wanted)?;
    let made = host.backup_to(&part).and_then(|size_bytes| {
        check_file(&part)?;
        let path = finished(&part, wanted, named.is_some())?;
        Ok((size_bytes, path))
    });
    drop(host);
    // Most often it has its name by now.
    let _ = fs::remove_file(&part);
    let (size_bytes, path) = made.map_err(|mut failure| {
        failure.next.push_str("; no copy was kept");
        failure
    })?;
    let path = named.unwrap_or(&path).display().to_string();
    if globals.json {
        let answer = serde_json::json!({ "path": path, "size_bytes": size_bytes, "checked": true, "replaced": replaces });
        return output::data(&format!("{answer}\n"));
    }
    let older = if replaces {
        ", in the place of an older copy"
    } else {
        ""
    };
    output::data(&shown(
        &format!(
            "Copied the database to {path} ({size_bytes} bytes){older}, and checked the copy\n"
        ),
        true,
    ))
}

/// Whether a copy lies there that gives way. Anything else that lies there does not.
fn may_be_written(path: &Path, project: &Project) -> Result<bool, Failure> {
    output::has_folder(path)?;
    let is_free = fs::symlink_metadata(path).is_err();
    if is_free {
        return Ok(false);
    }
    let refused = |what: &str| {
        let next = "name another file; nothing was written";
        Failure::new(format!("`{}` {what}", path.display()), next).with_exit(Failure::RULE)
    };
    let same = |other: &Path| fs::canonicalize(other).ok() == fs::canonicalize(path).ok();
    if same(&project.database) {
        return Err(refused("is the database itself"));
    }
    let mut head = [0; DATABASE.len()];
    let is_database = fs::metadata(path).is_ok_and(|meta| meta.is_file())
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut head))
            .is_ok()
        && head == DATABASE;
    if !is_database {
        return Err(refused("is there and is no copy of a database"));
    }
    if IN_USE.iter().any(|ending| beside(path, ending).exists()) {
        return Err(refused("is a database that somebody works with"));
    }
    Ok(true)
}

fn unmade(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        format!("the copy `{}` cannot be made: {error}", path.display()),
        "check that its folder may be written, or name a file elsewhere with `-o`",
    )
}

/// Where the copy is made: beside its place, so that it takes it in one step.
fn unfinished(wanted: &Path) -> Result<PathBuf, Failure> {
    let dice = os::dice().map_err(|error| unmade(wanted, &error))?;
    Ok(beside(wanted, &format!(".{dice:08x}.tmp")))
}

/// Gives the copy its name; answers the one it has.
fn finished(part: &Path, wanted: PathBuf, is_named: bool) -> Result<PathBuf, Failure> {
    let stem = wanted.file_stem().unwrap_or_default().to_string_lossy();
    // Two that run in the same second both get a name.
    let others = (2..).map(|number| wanted.with_file_name(format!("{stem}-{number}.db")));
    let names = iter::once(wanted.clone()).chain(others);
    for name in names.take_while(|_| !is_named) {
        match fs::hard_link(part, &name) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // Some file systems have no hard links.
            Err(_) => break,
        }
    }
    fs::rename(part, &wanted).map_err(|error| unmade(&wanted, &error))?;
    Ok(wanted)
}

/// A name in the folder for copies.
fn usual(project: &Project) -> Result<PathBuf, Failure> {
    let parent = project.database.parent().unwrap_or(Path::new("."));
    let folder = parent.join(FOLDER);
    fs::create_dir_all(&folder).map_err(|error| unmade(&folder, &error))?;
    let stem = project
        .database
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    Ok(folder.join(format!("{stem}-{}.db", stamp(seconds))))
}

/// `20260115T090000Z`, from seconds since 1970: days to a date by the civil calendar's 400 years.
fn stamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z",
        rest / 3_600,
        rest / 60 % 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use super::stamp;

    #[test]
    fn seconds_become_a_date() {
        assert_eq!(stamp(0), "19700101T000000Z");
        assert_eq!(stamp(951_782_400), "20000229T000000Z");
        assert_eq!(stamp(1_768_467_600), "20260115T090000Z");
        assert_eq!(stamp(1_798_761_599), "20261231T235959Z");
    }
}
