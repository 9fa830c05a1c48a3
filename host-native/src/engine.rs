//! The core as WebAssembly: the only file that knows which engine runs it.
//!
//! Owns: loading the artefact that was compiled ahead of time, memory across the boundary, the deadline of a run.
//! Never: what a message means. Buffers that go in are the core's from then on; those that come out are given back.

use crate::{Failure, os};
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;
use wasmtime::{
    Config, CustomCodeMemory, Engine, Instance, Memory, Module, Store, TypedFunc,
    WasmBacktraceDetails,
};

/// How long one run of the core may take.
const DEADLINE: Duration = Duration::from_secs(60);
const TICK: Duration = Duration::from_millis(200);

/// The artefact, on a page of its own wherever pages are at most 64 KiB, so that it can be run where it lies.
#[repr(C, align(65536))]
struct Pages<T: ?Sized>(T);

static ARTEFACT: &Pages<[u8]> = &Pages(*include_bytes!(env!("DECIDUOUS_CORE")));

/// An instance of the core.
pub struct Core {
    store: Store<()>,
    memory: Memory,
    alloc: TypedFunc<i32, i32>,
    free: TypedFunc<(i32, i32), ()>,
    call: TypedFunc<(i32, i32), i64>,
    answer: TypedFunc<(i32, i32), i64>,
}

/// A message in the core's memory. Read it, then give it back.
#[derive(Debug)]
#[must_use]
pub struct Message {
    pointer: i32,
    length: i32,
}

/// What the core is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    Request,
    Facts,
}

impl Core {
    /// # Errors
    /// Where the artefact does not fit this program or this machine.
    pub fn new() -> Result<Core, Failure> {
        let (engine, module) = loaded()?;
        let mut store = Store::new(engine, ());
        arm(&mut store);
        // No imports: whatever the core knows, it was told.
        let instance = Instance::new(&mut store, module, &[]).map_err(unfit)?;
        let memory = instance
            .get_memory(&mut store, "memory")
            .ok_or_else(|| unfit("there is no memory"))?;
        let version = instance
            .get_typed_func::<(), i32>(&mut store, "abi_version")
            .map_err(unfit)?;
        let version = version.call(&mut store, ()).map_err(stopped)?;
        if u32::try_from(version) != Ok(deciduous_boundary::ABI_VERSION) {
            return Err(unfit(format!(
                "it speaks version {version} of the boundary"
            )));
        }
        Ok(Core {
            memory,
            alloc: instance
                .get_typed_func(&mut store, "alloc")
                .map_err(unfit)?,
            free: instance.get_typed_func(&mut store, "free").map_err(unfit)?,
            call: instance.get_typed_func(&mut store, "call").map_err(unfit)?,
            answer: instance
                .get_typed_func(&mut store, "answer")
                .map_err(unfit)?,
            store,
        })
    }

    /// Hands a message over and runs the core. After an error the instance is of no use any more.
    ///
    /// # Errors
    /// Where the core stops in the middle, runs past its deadline, or has no memory left.
    pub fn tell(&mut self, told: Told, json: &[u8], attachment: &[u8]) -> Result<Message, Failure> {
        arm(&mut self.store);
        let too_long = || {
            Failure::new(
                "a message to the core is longer than 2 GiB",
                "ask for less at once",
            )
        };
        let json_length = u32::try_from(json.len()).map_err(|_| too_long())?;
        let length = i32::try_from(4 + json.len() + attachment.len()).map_err(|_| too_long())?;
        let pointer = self.alloc.call(&mut self.store, length).map_err(stopped)?;
        let mut at = pointer as u32 as usize;
        for part in [&json_length.to_le_bytes()[..], json, attachment] {
            self.memory
                .write(&mut self.store, at, part)
                .map_err(unfit)?;
            at += part.len();
        }
        let run = match told {
            Told::Request => &self.call,
            Told::Facts => &self.answer,
        };
        run.call(&mut self.store, (pointer, length))
            .map(Message::from)
            .map_err(stopped)
    }

    /// The message's JSON, where it lies.
    ///
    /// # Errors
    /// Where the core answered no frame.
    pub fn json(&self, message: &Message) -> Result<&[u8], Failure> {
        let start = message.pointer as u32 as usize;
        let bytes = self
            .memory
            .data(&self.store)
            .get(start..start + message.length as u32 as usize);
        let frame = bytes.and_then(deciduous_boundary::unframe);
        frame
            .map(|(json, _)| json)
            .ok_or_else(|| unfit("its answer is no message"))
    }

    /// Gives a message back.
    ///
    /// # Errors
    /// As [`Core::tell`].
    pub fn give_back(&mut self, message: Message) -> Result<(), Failure> {
        self.free
            .call(&mut self.store, (message.pointer, message.length))
            .map_err(stopped)
    }
}

/// The core without a host around it, for what measures it: whole frames in, whole frames out.
#[derive(Debug)]
pub struct Alone(Core);

impl Alone {
    /// # Errors
    /// As [`Core::new`].
    pub fn new() -> Result<Alone, Failure> {
        Core::new().map(Alone)
    }

    /// # Errors
    /// As [`Core::tell`].
    pub fn call(&mut self, frame: &[u8]) -> Result<Vec<u8>, Failure> {
        self.tell(Told::Request, frame)
    }

    /// # Errors
    /// As [`Core::tell`].
    pub fn answer(&mut self, frame: &[u8]) -> Result<Vec<u8>, Failure> {
        self.tell(Told::Facts, frame)
    }

    fn tell(&mut self, told: Told, frame: &[u8]) -> Result<Vec<u8>, Failure> {
        let (json, attachment) = deciduous_boundary::unframe(frame).unwrap_or_default();
        let message = self.0.tell(told, json, attachment)?;
        let answer = deciduous_boundary::frame(self.0.json(&message)?, &[]);
        self.0.give_back(message)?;
        Ok(answer)
    }
}

impl std::fmt::Debug for Core {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Core").finish_non_exhaustive()
    }
}

impl From<i64> for Message {
    fn from(packed: i64) -> Self {
        Message {
            pointer: (packed >> 32) as i32,
            length: packed as i32,
        }
    }
}

fn arm(store: &mut Store<()>) {
    store.set_epoch_deadline(
        u64::try_from(DEADLINE.as_millis() / TICK.as_millis()).unwrap_or(u64::MAX),
    );
}

/// The settings, line for line those of the compiler (`bindings/aot`): an artefact made with others is refused.
fn config() -> Config {
    let mut config = Config::new();
    config.epoch_interruption(true);
    config.consume_fuel(false);
    config.wasm_memory64(false);
    config.wasm_backtrace_details(WasmBacktraceDetails::Disable);
    config
}

/// The engine and the module of this process: loading takes most of a short command's time, so it is done once.
fn loaded() -> Result<&'static (Engine, Module), Failure> {
    static LOADED: OnceLock<Result<(Engine, Module), Failure>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<(Engine, Module), Failure> {
    let (engine, module) = in_place().map_or_else(copied, Ok)?;
    let clock = engine.clone();
    thread::Builder::new()
        .name("deadline".into())
        .spawn(move || {
            loop {
                thread::sleep(TICK);
                clock.increment_epoch();
            }
        })
        .map_err(unfit)?;
    Ok((engine, module))
}

/// Runs the artefact where the system mapped it with the rest of this program: a copy costs a short command half a
/// millisecond a megabyte, and this reads only the pages that run. None where the system does not let it be.
#[allow(unsafe_code)]
fn in_place() -> Option<(Engine, Module)> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return None;
    }
    let mut settings = config();
    settings.with_custom_code_memory(Some(Arc::new(InPlace)));
    let engine = Engine::new(&settings).ok()?;
    // Safety: our own build compiled these bytes and put them into this program. They are there as long as it runs, and
    // nothing writes to them.
    let module = unsafe { Module::deserialize_raw(&engine, NonNull::from(&ARTEFACT.0)) }.ok()?;
    Some((engine, module))
}

#[allow(unsafe_code)]
fn copied() -> Result<(Engine, Module), Failure> {
    let engine = Engine::new(&config()).map_err(unfit)?;
    // Safety: our own build compiled these bytes and put them into this program.
    let module = unsafe { Module::deserialize(&engine, &ARTEFACT.0) }.map_err(unfit)?;
    Ok((engine, module))
}

/// Lets the artefact's code be run in its place.
struct InPlace;

impl CustomCodeMemory for InPlace {
    fn required_alignment(&self) -> usize {
        os::page_bytes()
    }

    fn publish_executable(&self, start: *const u8, length: usize) -> wasmtime::Result<()> {
        let code = ARTEFACT.0.as_ptr_range();
        let end = start.wrapping_add(length);
        if !code.contains(&start) || end > code.end {
            wasmtime::bail!("code outside the artefact");
        }
        os::make_executable(&ARTEFACT.0, start.addr() - code.start.addr(), length)?;
        Ok(())
    }

    fn unpublish_executable(&self, _start: *const u8, _length: usize) -> wasmtime::Result<()> {
        // The module is never unloaded, and its bytes are never written.
        Ok(())
    }
}

fn unfit(what: impl std::fmt::Display) -> Failure {
    Failure::new(
        format!("the built-in core cannot be used: {what}"),
        "install this program again; report it if that does not help",
    )
}

fn stopped(error: impl Into<wasmtime::Error>) -> Failure {
    let error: wasmtime::Error = error.into();
    match error.downcast_ref::<wasmtime::Trap>() {
        Some(wasmtime::Trap::Interrupt) => Failure::new(
            format!(
                "the call took longer than {} seconds and was ended",
                DEADLINE.as_secs()
            ),
            "ask for less at once; nothing was written",
        ),
        Some(trap) => Failure::new(
            format!("the core stopped in the middle of the call ({trap})"),
            "report this with the call that did it; nothing was written",
        ),
        None => unfit(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_artefact_runs_where_it_lies() {
        let is_here = cfg!(all(target_os = "linux", target_arch = "x86_64"));
        assert_eq!(in_place().is_some(), is_here);
        let (engine, module) = copied().expect("a copy runs everywhere");
        let mut store = Store::new(&engine, ());
        arm(&mut store);
        assert!(Instance::new(&mut store, &module, &[]).is_ok());
    }

    #[test]
    fn what_is_no_request_is_answered_or_ends_the_instance_but_never_the_process() {
        let mut core = Core::new().expect("the artefact fits");
        if let Ok(message) = core.tell(Told::Request, b"no JSON", &[]) {
            assert!(core.json(&message).is_ok());
        }
    }
}
