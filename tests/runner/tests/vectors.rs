//! The vectors on every backend: one test a file and backend, named `linked::local/add_node/first`.
//!
//! ```text
//! cargo test -p deciduous-runner add_node             those whose names hold it
//! UPDATE=1 cargo test -p deciduous-runner add_node    writes what is answered into the files
//! ```

use deciduous_runner::backend::{All, Backend, Facts, Linked, Session, Stingy};
use deciduous_runner::catalogue::Catalogue;
use deciduous_runner::{check, root, vector};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

type Make = fn(Facts) -> Result<Box<dyn Backend>, String>;

const BACKENDS: &[(&str, Make)] = &[
    ("linked", linked),
    ("stingy", stingy),
    #[cfg(feature = "hosts")]
    ("wasmtime", wasmtime),
    #[cfg(feature = "hosts")]
    ("native", native),
];

fn linked(facts: Facts) -> Result<Box<dyn Backend>, String> {
    Ok(Box::new(Session::new(
        Box::new(Linked::default()),
        Box::new(All),
        facts,
    )?))
}

fn stingy(facts: Facts) -> Result<Box<dyn Backend>, String> {
    Ok(Box::new(Session::new(
        Box::new(Linked::default()),
        Box::new(Stingy),
        facts,
    )?))
}

#[cfg(feature = "hosts")]
fn wasmtime(facts: Facts) -> Result<Box<dyn Backend>, String> {
    Ok(Box::new(deciduous_runner::backend::Twins::new(facts)?))
}

#[cfg(feature = "hosts")]
fn native(facts: Facts) -> Result<Box<dyn Backend>, String> {
    Ok(Box::new(deciduous_runner::backend::Native::new(facts)?))
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = root().join("tests/vectors");
    let cases = match (vector::load(&folder), Catalogue::new()) {
        (Ok(cases), Ok(catalogue)) => (cases, Arc::new(catalogue)),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let (cases, catalogue) = cases;
    let mut trials = Vec::new();
    for (name, case) in cases {
        for (at, (backend, make)) in BACKENDS.iter().enumerate() {
            match &case {
                // Only one backend says what is right, so only it may write; the others are run without UPDATE.
                Ok(_) if update && at > 0 => {}
                Ok(case) => {
                    let (path, catalogue) = (case.path.clone(), Arc::clone(&catalogue));
                    let (backend, make, folder) = (*backend, *make, folder.clone());
                    trials.push(Trial::test(format!("{backend}::{name}"), move || {
                        run(&folder, &path, backend, make, &catalogue, update).map_err(Failed::from)
                    }));
                }
                Err(error) if at == 0 => {
                    let error = error.clone();
                    trials.push(Trial::test(format!("read::{name}"), move || {
                        Err(Failed::from(error))
                    }));
                }
                Err(_) => {}
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn run(
    folder: &Path,
    path: &Path,
    backend: &str,
    make: Make,
    catalogue: &Catalogue,
    update: bool,
) -> Result<(), String> {
    let mut case = vector::read(folder, path.to_path_buf()).1?;
    if case.vector.except.contains_key(backend) {
        return Ok(());
    }
    let mut backend = make(Facts(case.vector.outside.clone()))?;
    let mut toolsets = case
        .vector
        .steps
        .iter()
        .map(|step| step.toolset.as_ref().unwrap_or(&case.toolset));
    if !toolsets.all(|toolset| backend.speaks(toolset)) {
        return Ok(());
    }
    check::run(&mut case, backend.as_mut(), catalogue, update)?;
    if update { case.save() } else { Ok(()) }
}
