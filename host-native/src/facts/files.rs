//! One file of the project, stored as a document.
//!
//! Owns: what may be read (a regular file inside the project, whatever links say), and what kind of file it is.
//! Never: waiting for a pipe, or reading a device.

use crate::documents::{NotStored, store};
use crate::{Failure, Project, os};
use deciduous_boundary::FileFact;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// The largest file that is stored.
pub const LIMIT_BYTES: u64 = 64 << 20;

/// Reads and stores the file at a path, relative to the project or absolute.
///
/// # Errors
/// Where it cannot be stored. What cannot be read is answered.
pub fn read(project: &Project, path: &str) -> Result<FileFact, Failure> {
    read_up_to(project, path, LIMIT_BYTES)
}

fn read_up_to(project: &Project, path: &str, limit_bytes: u64) -> Result<FileFact, Failure> {
    let Ok(root) = fs::canonicalize(&project.root) else {
        return Ok(FileFact::Unreadable {});
    };
    let resolved = match resolve(&root, path) {
        Ok(resolved) => resolved,
        Err(fact) => return Ok(fact),
    };
    let Ok(inside) = resolved.strip_prefix(&root) else {
        return Ok(FileFact::Outside {});
    };
    let Some((name, path)) = names(inside) else {
        return Ok(FileFact::NotRegular {});
    };
    // Looked at before it is opened, since opening alone can do something to a device; and again after, since another
    // file may have taken its place meanwhile.
    match fs::metadata(&resolved) {
        Ok(meta) if !meta.is_file() => return Ok(FileFact::NotRegular {}),
        Ok(_) => {}
        Err(error) => return Ok(of_error(&error)),
    }
    let mut file = match os::open_plain(&resolved) {
        Ok(file) => file,
        Err(error) => return Ok(of_error(&error)),
    };
    let size_bytes = match file.metadata() {
        Ok(meta) if meta.is_file() => meta.len(),
        Ok(_) => return Ok(FileFact::NotRegular {}),
        Err(_) => return Ok(FileFact::Unreadable {}),
    };
    if size_bytes > limit_bytes {
        return Ok(FileFact::TooLarge {
            size_bytes,
            limit_bytes,
        });
    }
    match store(&project.documents, &mut file, limit_bytes) {
        Ok(stored) => Ok(FileFact::Stored {
            media_type: media_type(&name).to_owned(),
            name,
            path,
            size_bytes: stored.size_bytes,
            sha256: stored.sha256,
        }),
        Err(NotStored::TooLarge) => Ok(FileFact::TooLarge {
            size_bytes: limit_bytes + 1,
            limit_bytes,
        }),
        Err(NotStored::Unreadable) => Ok(FileFact::Unreadable {}),
        Err(NotStored::Failed(failure)) => Err(failure),
    }
}

/// The file's own path behind all links.
fn resolve(root: &Path, path: &str) -> Result<PathBuf, FileFact> {
    if path.is_empty() || path.contains('\0') {
        return Err(FileFact::NotFound {});
    }
    // The same name may be written in two ways; the file system knows the one it was made with.
    let spellings = [path.to_owned(), path.nfc().collect(), path.nfd().collect()];
    let mut last = FileFact::NotFound {};
    for spelling in spellings {
        match fs::canonicalize(root.join(&spelling)) {
            Ok(resolved) => return Ok(resolved),
            Err(_) if leaves(root, Path::new(&spelling)) => return Err(FileFact::Outside {}),
            Err(error) => last = of_error(&error),
        }
        if last != (FileFact::NotFound {}) {
            break;
        }
    }
    Err(last)
}

/// Whether a path that leads nowhere would lead out of the project if it did.
fn leaves(root: &Path, path: &Path) -> bool {
    let mut depth = 0_i32;
    let path = if path.is_absolute() {
        match path.strip_prefix(root) {
            Ok(inside) => inside,
            Err(_) => return true,
        }
    } else {
        path
    };
    path.components().any(|component| {
        match component {
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
        depth < 0
    })
}

/// (the file's name, its path with `/`), both in normal form C; none for the project's folder itself, or a name that is
/// no text.
fn names(inside: &Path) -> Option<(String, String)> {
    let parts: Option<Vec<String>> = inside
        .components()
        .map(|part| part.as_os_str().to_str().map(|part| part.nfc().collect()))
        .collect();
    let parts = parts?;
    Some((parts.last()?.clone(), parts.join("/")))
}

fn of_error(error: &io::Error) -> FileFact {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileFact::NotFound {},
        _ => FileFact::Unreadable {},
    }
}

/// The media type that a name's ending stands for.
fn media_type(name: &str) -> &'static str {
    let ending = name
        .rsplit_once('.')
        .map_or("", |(_, ending)| ending)
        .to_ascii_lowercase();
    match ending.as_str() {
        "md" | "markdown" => "text/markdown",
        "txt" | "log" | "text" => "text/plain",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "tsv" => "text/tab-separated-values",
        "js" | "mjs" | "cjs" => "text/javascript",
        "json" => "application/json",
        "ndjson" | "jsonl" => "application/x-ndjson",
        "toml" => "application/toml",
        "yaml" | "yml" => "application/yaml",
        "xml" => "application/xml",
        "sql" => "application/sql",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "tar" => "application/x-tar",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "svg" => "image/svg+xml",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "ogg" => "audio/ogg",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "dot" | "gv" => "text/vnd.graphviz",
        "diff" | "patch" => "text/x-diff",
        "rs" => "text/rust",
        "c" | "h" | "cc" | "cpp" | "hpp" | "cs" | "go" | "java" | "kt" | "py" | "rb" | "sh"
        | "swift" | "ts" | "tsx" | "jsx" | "php" | "pl" | "lua" | "ini" | "cfg" | "conf"
        | "tex" | "rst" | "adoc" | "org" => "text/plain",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::init(&folder.path().join("p")).or_else(|_| {
            fs::create_dir(folder.path().join("p")).expect("made");
            Project::init(&folder.path().join("p"))
        });
        (folder, project.expect("made").0)
    }

    #[test]
    fn a_file_is_stored_under_its_own_path() {
        let (_folder, project) = project();
        fs::create_dir(project.root.join("docs")).expect("made");
        fs::write(project.root.join("docs/e\u{301}.MD"), "text").expect("written");
        for path in [
            "docs/\u{e9}.MD",
            "./docs/../docs/e\u{301}.MD",
            project.root.join("docs/\u{e9}.MD").to_str().expect("text"),
        ] {
            let FileFact::Stored {
                name,
                path,
                size_bytes,
                sha256,
                media_type,
            } = read(&project, path).expect("stored")
            else {
                panic!("`{path}` is not stored");
            };
            assert_eq!(
                (name.as_str(), path.as_str(), size_bytes),
                ("\u{e9}.MD", "docs/\u{e9}.MD", 4)
            );
            assert_eq!(media_type, "text/markdown");
            assert_eq!(
                fs::read(project.documents.join(sha256)).expect("read"),
                b"text"
            );
        }
    }

    #[test]
    fn what_is_no_file_of_the_project_is_said() {
        let (folder, project) = project();
        fs::write(folder.path().join("secret"), "s").expect("written");
        fs::create_dir(project.root.join("sub")).expect("made");
        fs::write(project.root.join("large"), "12345").expect("written");
        let says = |path: &str| read_up_to(&project, path, 4).expect("answered");
        assert_eq!(says("../secret"), FileFact::Outside {});
        assert_eq!(says("sub/../../secret"), FileFact::Outside {});
        assert_eq!(says("../none"), FileFact::Outside {});
        assert_eq!(says("/etc/passwd"), FileFact::Outside {});
        assert_eq!(says("none"), FileFact::NotFound {});
        assert_eq!(says("large/x"), FileFact::NotFound {});
        assert_eq!(says(""), FileFact::NotFound {});
        assert_eq!(says("."), FileFact::NotRegular {});
        assert_eq!(says("sub"), FileFact::NotRegular {});
        assert_eq!(
            says("large"),
            FileFact::TooLarge {
                size_bytes: 5,
                limit_bytes: 4
            }
        );
        assert!(!project.documents.exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_only_and_pipes_never_waited_for() {
        use std::os::unix::fs::symlink;
        let (folder, project) = project();
        fs::write(folder.path().join("secret"), "s").expect("written");
        fs::write(project.root.join("real"), "r").expect("written");
        symlink("../secret", project.root.join("out")).expect("linked");
        symlink("real", project.root.join("in")).expect("linked");
        symlink("/dev/zero", project.root.join("zero")).expect("linked");
        symlink("loop", project.root.join("loop")).expect("linked");
        let pipe = project.root.join("pipe");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .expect("started")
                .success()
        );
        let says = |path: &str| read(&project, path).expect("answered");
        assert_eq!(says("out"), FileFact::Outside {});
        assert_eq!(says("zero"), FileFact::Outside {});
        assert_eq!(says("loop"), FileFact::Unreadable {});
        assert_eq!(says("pipe"), FileFact::NotRegular {});
        assert!(matches!(says("in"), FileFact::Stored { path, .. } if path == "real"));
    }
}
