//! Where a project's graph lies.
//!
//! Owns: finding and making `.deciduous/`, and the paths inside it. Never: opening what lies there, writing outside it.
//!
//! ```text
//! project/                 root: git facts, and the limit of the files a document may come from
//!   .deciduous/
//!     deciduous.db         database
//!     documents/           documents, each under its SHA-256
//! ```

use crate::Failure;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The folder of a project's graph.
pub const FOLDER: &str = ".deciduous";
const DATABASE: &str = "deciduous.db";
const DOCUMENTS: &str = "documents";
/// The environment's way of naming the database.
pub const DATABASE_VARIABLE: &str = "DECIDUOUS_DB_PATH";

/// The places of one project. Nothing says that the database exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The folder that holds `.deciduous`.
    pub root: PathBuf,
    pub database: PathBuf,
    pub documents: PathBuf,
}

impl Project {
    /// The project a command works on: the database named by `db_flag`, else by `DECIDUOUS_DB_PATH`, else that of the
    /// nearest `.deciduous` upward from the current folder.
    ///
    /// # Errors
    /// Where there is no such folder, with exit code 3.
    pub fn find(db_flag: Option<&Path>) -> Result<Project, Failure> {
        let here = current_folder()?;
        let named = db_flag.map(Path::to_path_buf).or_else(|| {
            env::var_os(DATABASE_VARIABLE)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        });
        Self::find_from(&here, named.as_deref())
    }

    fn find_from(here: &Path, named: Option<&Path>) -> Result<Project, Failure> {
        if let Some(named) = named {
            return Ok(Self::of_database(&here.join(named), here));
        }
        match nearest(here) {
            Some(root) => Ok(Self::at(root)),
            None => Err(Failure::new(
                format!("no `{FOLDER}` folder in `{}` or above it", here.display()),
                "run `deciduous init` in the project's folder, or name a database with `--db`",
            )
            .with_exit(Failure::NOT_FOUND)),
        }
    }

    /// Makes the folder of a project's graph where it is missing; the second value says whether it was.
    ///
    /// # Errors
    /// Where the folder cannot be made.
    pub fn init(at: &Path) -> Result<(Project, bool), Failure> {
        let root = current_folder()?.join(at);
        let folder = root.join(FOLDER);
        let created = match fs::create_dir(&folder) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => false,
            Err(error) => {
                return Err(Failure::new(
                    format!("`{}` cannot be made: {error}", folder.display()),
                    "check that the project's folder exists and may be written",
                ));
            }
        };
        Ok((Self::at(&root), created))
    }

    /// The folder whose files git keeps, wherever the database lies.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.root.join(FOLDER)
    }

    fn at(root: &Path) -> Project {
        let folder = root.join(FOLDER);
        Project {
            root: root.to_path_buf(),
            database: folder.join(DATABASE),
            documents: folder.join(DOCUMENTS),
        }
    }

    /// A database named by its path: documents lie beside it; its project is the one it lies in, else the one the
    /// current folder lies in, else the current folder.
    fn of_database(database: &Path, here: &Path) -> Project {
        let beside = database.parent().unwrap_or(here);
        let root = match beside.file_name() {
            Some(name) if name == FOLDER => beside.parent().unwrap_or(beside),
            _ => nearest(here).unwrap_or(here),
        };
        Project {
            root: root.to_path_buf(),
            database: database.to_path_buf(),
            documents: beside.join(DOCUMENTS),
        }
    }
}

fn nearest(here: &Path) -> Option<&Path> {
    here.ancestors().find(|folder| folder.join(FOLDER).is_dir())
}

fn current_folder() -> Result<PathBuf, Failure> {
    env::current_dir().map_err(|error| {
        Failure::new(
            format!("the current folder cannot be read: {error}"),
            "change to a folder that exists",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_folder_upward_is_found() {
        let temporary = tempfile::tempdir().expect("a folder");
        let (project, created) = Project::init(temporary.path()).expect("made");
        assert!(created);
        let deep = temporary.path().join("a/b");
        fs::create_dir_all(&deep).expect("made");
        assert_eq!(Project::find_from(&deep, None).expect("found"), project);
        assert!(!Project::init(temporary.path()).expect("still there").1);
    }

    #[test]
    fn nothing_upward_is_a_failure_that_says_what_to_do() {
        let failure = Project::find_from(Path::new("/"), None).expect_err("no project at the root");
        assert_eq!(failure.exit, Failure::NOT_FOUND);
        assert!(failure.next.contains("deciduous init"));
    }

    #[test]
    fn a_named_database_wins_and_brings_its_project() {
        let here = Path::new("/nowhere/at/all");
        let inside =
            Project::find_from(here, Some(Path::new("/p/.deciduous/deciduous.db"))).expect("named");
        assert_eq!(inside.root, Path::new("/p"));
        assert_eq!(inside.documents, Path::new("/p/.deciduous/documents"));
        let beside = Project::find_from(here, Some(Path::new("x.db"))).expect("named");
        assert_eq!(beside.root, here);
        assert_eq!(beside.database, here.join("x.db"));
    }
}
