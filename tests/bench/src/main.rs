//! The figures of the native host, with the goals beside them.
//!
//! Owns: what is measured, how often, against what. Never: a goal that is a timed test; a table is printed, and people
//! read it.
//!
//! ```text
//! cargo xtask bench                                  1 000, 10 000 and 100 000 nodes
//! cargo xtask bench --sizes 1000 --runs 5            quickly
//! cargo xtask bench --sizes 100000,1000000 --runs 5  a store of 1 000 000 nodes is made once, in some minutes
//! ```
#![forbid(unsafe_code)]

mod cold;
mod figures;
mod linked;
mod plot;
mod store;
mod warm;

use deciduous_runner::built;
use figures::Figures;
use std::process::ExitCode;
use std::{env, fs};

const SIZES: &str = "1000,10000,100000";

/// How often things are done.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Processes of each kind.
    pub cold: usize,
    /// Calls of each kind to a running server.
    pub warm: usize,
}

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), String> {
    let (mut sizes, mut runs, mut only) = (
        SIZES.to_owned(),
        Runs {
            cold: 31,
            warm: 300,
        },
        String::new(),
    );
    let mut arguments = env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("`{flag}` wants a value"))?;
        let number = || {
            value
                .parse::<usize>()
                .map_err(|_| format!("`{value}` is no number"))
        };
        match flag.as_str() {
            "--sizes" => sizes = value,
            "--runs" => {
                runs = Runs {
                    cold: number()?.max(3),
                    warm: number()?.max(3) * 10,
                }
            }
            "--only" => only = value,
            _ => {
                return Err(format!(
                    "there is no flag `{flag}`; there are --sizes, --runs, --only cold|warm|linked"
                ));
            }
        }
    }
    let binary = built::binary()?;
    let mut figures = Figures::default();
    for size in sizes.split(',') {
        let nodes = size
            .trim()
            .parse()
            .map_err(|_| format!("`{size}` is no number of nodes"))?;
        let wanted = |part: &str| only.is_empty() || only == part;
        if wanted("cold") || wanted("warm") {
            let store = store::fresh(&binary, nodes)?;
            if wanted("cold") {
                cold::measure(&binary, &store, runs, &mut figures)?;
            }
            if wanted("warm") {
                warm::measure(&binary, &store, runs, &mut figures)?;
            }
        }
        // Tables in memory take a kilobyte a row.
        if wanted("linked") && nodes <= figures::GOALS_AT {
            linked::measure(nodes, runs, &mut figures)?;
        }
    }
    let folder = built::target().join("bench");
    let file = folder.join("native.json");
    let json = serde_json::to_string_pretty(&figures).map_err(|error| error.to_string())?;
    fs::write(&file, json + "\n").map_err(|error| format!("`{}`: {error}", file.display()))?;
    println!("{}", figures.markdown());
    let picture = folder.join("native.svg");
    fs::write(&picture, plot::svg(&figures))
        .map_err(|error| format!("`{}`: {error}", picture.display()))?;
    eprintln!("also in {} and {}", file.display(), picture.display());
    Ok(())
}
