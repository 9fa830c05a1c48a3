//! The core as the module that hosts run, compiled here; beside it the linked core, whose every message must be the same
//! to the byte.

use super::linked::{All, Linked};
use super::rounds::{Core, Session};
use super::{Answer, Backend, Call, Facts};
use crate::built;
use std::sync::OnceLock;
use wasmtime::{Engine, Instance, Memory, Module, Store, TypedFunc};

/// What a message is handed over by: an address and a length.
type Handed = (u32, u32);

/// One instance of the module.
pub struct Wasm {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl Wasm {
    /// # Errors
    /// Where the module is not built, wants something from outside, or lacks an export.
    pub fn new() -> Result<Self, String> {
        static MODULE: OnceLock<Result<Module, String>> = OnceLock::new();
        let module = MODULE.get_or_init(|| {
            let bytes = built::read(&built::module())?;
            Module::new(&Engine::default(), bytes)
                .map_err(|error| format!("the module does not compile: {error:#}"))
        });
        let module = module.as_ref().map_err(Clone::clone)?;
        let mut store = Store::new(module.engine(), ());
        let instance =
            Instance::new(&mut store, module, &[]).map_err(|error| format!("{error:#}"))?;
        let memory = instance
            .get_memory(&mut store, "memory")
            .ok_or("the module exports no memory")?;
        Ok(Wasm {
            store,
            instance,
            memory,
        })
    }

    fn export<P: wasmtime::WasmParams, R: wasmtime::WasmResults>(
        &mut self,
        name: &str,
    ) -> Result<TypedFunc<P, R>, String> {
        self.instance
            .get_typed_func(&mut self.store, name)
            .map_err(|error| format!("{name}: {error:#}"))
    }

    /// Calls an export that answers a message.
    ///
    /// # Errors
    /// Where the module traps.
    pub fn ask(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let function = self.export::<(), u64>(name)?;
        let handed = function
            .call(&mut self.store, ())
            .map_err(|error| format!("{name}: {error:#}"))?;
        self.take(handed)
    }

    fn tell(&mut self, name: &str, message: &[u8]) -> Result<Vec<u8>, String> {
        let length = u32::try_from(message.len()).map_err(|error| error.to_string())?;
        let alloc = self.export::<u32, u32>("alloc")?;
        let at = alloc
            .call(&mut self.store, length)
            .map_err(|error| format!("alloc: {error:#}"))?;
        self.memory
            .write(&mut self.store, at as usize, message)
            .map_err(|error| error.to_string())?;
        let function = self.export::<Handed, u64>(name)?;
        let handed = function
            .call(&mut self.store, (at, length))
            .map_err(|error| format!("{name}: {error:#}"))?;
        self.take(handed)
    }

    fn take(&mut self, handed: u64) -> Result<Vec<u8>, String> {
        let at = u32::try_from(handed >> 32).map_err(|error| error.to_string())?;
        let length =
            u32::try_from(handed & u64::from(u32::MAX)).map_err(|error| error.to_string())?;
        let mut message = vec![0; length as usize];
        self.memory
            .read(&self.store, at as usize, &mut message)
            .map_err(|error| error.to_string())?;
        let free = self.export::<Handed, ()>("free")?;
        free.call(&mut self.store, (at, length))
            .map_err(|error| format!("free: {error:#}"))?;
        Ok(message)
    }
}

impl Core for Wasm {
    fn call(&mut self, message: &[u8]) -> Result<Vec<u8>, String> {
        self.tell("call", message)
    }

    fn answer(&mut self, message: &[u8]) -> Result<Vec<u8>, String> {
        self.tell("answer", message)
    }
}

/// The module and the linked core, side by side.
pub struct Twins {
    module: Session,
    linked: Session,
}

impl Twins {
    /// # Errors
    /// Where the module cannot be had.
    pub fn new(facts: Facts) -> Result<Self, String> {
        Ok(Twins {
            module: Session::new(Box::new(Wasm::new()?), Box::new(All), facts.clone())?,
            linked: Session::new(Box::new(Linked::default()), Box::new(All), facts)?,
        })
    }
}

impl Backend for Twins {
    fn call(&mut self, call: &Call<'_>) -> Result<Answer, String> {
        let answer = self.module.call(call)?;
        self.linked.call(call)?;
        let (module, linked) = (&self.module.replies, &self.linked.replies);
        let differs = module
            .iter()
            .zip(linked)
            .position(|(one, other)| one != other);
        if let Some(at) = differs
            .or_else(|| (module.len() != linked.len()).then_some(module.len().min(linked.len())))
        {
            let show = |replies: &[Vec<u8>]| {
                replies.get(at).map_or("none".to_owned(), |reply| {
                    String::from_utf8_lossy(reply.get(4..).unwrap_or_default()).into_owned()
                })
            };
            return Err(format!(
                "message {} of the module is another one than of the linked core; is it built from this code (`cargo xtask build --core`)?\nmodule: {}\nlinked: {}",
                at + 1,
                show(module),
                show(linked)
            ));
        }
        Ok(answer)
    }
}
