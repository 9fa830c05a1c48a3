//! Compiles the core module ahead of time, so that a short command never compiles wasm.
//!
//! Owns: the compiler's settings. Never: run a module. The artefact is native code that only the very same wasmtime
//! version with the same settings accepts, so the host's engine must be made with the settings of [`config`].
//!
//! ```text
//! deciduous-aot core.wasm core.cwasm --target x86_64-unknown-linux-gnu
//! ```
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs, process};

use wasmtime::{Config, Engine, OptLevel, Strategy, WasmBacktraceDetails};

/// The settings of the artefact.
///
/// What the artefact records and a loading engine compares is in the first group: `host-native/src/engine.rs` says the
/// same, line for line. The second group is the compiler's own affair. What is not named is wasmtime's default on both
/// sides; the features `component-model`, `gc` and `threads` are in neither.
fn config(target: Option<&str>) -> Config {
    let mut config = Config::new();

    // Compared by the engine that loads the artefact.
    config.epoch_interruption(true);
    config.consume_fuel(false);
    config.wasm_memory64(false);
    config.wasm_backtrace_details(WasmBacktraceDetails::Disable);

    // Only the compiler's.
    config.strategy(Strategy::Cranelift);
    config.cranelift_opt_level(OptLevel::Speed);
    config.generate_address_map(false);
    // There it cannot be left out.
    let is_windows = target.map_or(cfg!(windows), |target| target.contains("windows"));
    config.native_unwind_info(is_windows);
    config
}

struct Options {
    module: PathBuf,
    artefact: PathBuf,
    /// Named, the code uses only what every CPU of the target has; not named, what this CPU has.
    target: Option<String>,
}

fn main() -> ExitCode {
    let Some(options) = parse(env::args().skip(1)) else {
        eprintln!("usage: deciduous-aot IN.wasm OUT.cwasm [--target TRIPLE]");
        return ExitCode::from(2);
    };
    match compile(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("`{}` does not compile: {error}", options.module.display());
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: impl Iterator<Item = String>) -> Option<Options> {
    let mut paths = Vec::new();
    let mut target = None;
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--target" => target = Some(arguments.next()?),
            flag if flag.starts_with('-') => return None,
            _ => paths.push(PathBuf::from(argument)),
        }
    }
    let [module, artefact] = <[PathBuf; 2]>::try_from(paths).ok()?;
    Some(Options {
        module,
        artefact,
        target,
    })
}

fn compile(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let mut config = config(options.target.as_deref());
    if let Some(target) = &options.target {
        config.target(target)?;
    }
    let module = fs::read(&options.module)?;
    let artefact = Engine::new(&config)?.precompile_module(&module)?;
    // Whoever reads the path meanwhile sees the old artefact or the new one, never half of one.
    let part = options
        .artefact
        .with_extension(format!("part-{}", process::id()));
    fs::write(&part, artefact)?;
    fs::rename(&part, &options.artefact)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Option<Options> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn takes_two_paths_and_a_target() {
        let options = words("a.wasm b.cwasm --target t").expect("complete");
        assert_eq!(options.module, PathBuf::from("a.wasm"));
        assert_eq!(options.artefact, PathBuf::from("b.cwasm"));
        assert_eq!(options.target.as_deref(), Some("t"));
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for line in ["", "a.wasm", "a b c", "a b --target", "a b --fast"] {
            assert!(words(line).is_none(), "`{line}` was taken");
        }
    }

    #[test]
    fn compiles_a_module_to_an_artefact() {
        let folder = env::temp_dir().join(format!("deciduous-aot-{}", process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let options = Options {
            module: folder.join("m.wasm"),
            artefact: folder.join("m.cwasm"),
            target: None,
        };
        fs::write(&options.module, b"\0asm\x01\0\0\0").expect("the empty module");
        compile(&options).expect("an artefact");
        let artefact = fs::read(&options.artefact).expect("written");
        assert!(Engine::detect_precompiled(&artefact).is_some());
        fs::write(&options.module, b"no module").expect("written");
        assert!(compile(&options).is_err());
        fs::remove_dir_all(&folder).expect("removed");
    }
}
