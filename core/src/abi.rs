//! The module's exports: the only file of the core where memory is handled by hand.
//!
//! Every buffer that crosses is allocated by `alloc` and owned by whoever receives it: the core frees what it is
//! handed, a host frees what it is answered. Results are `pointer << 32 | length`.
#![allow(unsafe_code)]

use crate::Instance;
use std::cell::RefCell;

thread_local! {
    static INSTANCE: RefCell<Instance> = RefCell::new(Instance::new());
}

static CATALOG: &[u8] = include_bytes!(env!("DECIDUOUS_CATALOG"));

/// The version of the boundary's types.
#[unsafe(no_mangle)]
extern "C" fn abi_version() -> u32 {
    deciduous_boundary::ABI_VERSION
}

/// A buffer of `length` bytes for a message.
#[unsafe(no_mangle)]
extern "C" fn alloc(length: u32) -> *mut u8 {
    let buffer = vec![0_u8; length as usize].into_boxed_slice();
    Box::into_raw(buffer).cast()
}

/// Gives back a buffer that the core answered or that `alloc` made.
#[unsafe(no_mangle)]
unsafe extern "C" fn free(pointer: *mut u8, length: u32) {
    drop(unsafe { take(pointer, length) });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn call(pointer: *mut u8, length: u32) -> u64 {
    let message = unsafe { take(pointer, length) };
    give(INSTANCE.with_borrow_mut(|instance| instance.call(&message)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn answer(pointer: *mut u8, length: u32) -> u64 {
    let message = unsafe { take(pointer, length) };
    give(INSTANCE.with_borrow_mut(|instance| instance.answer(&message)))
}

/// The catalogue as a frame.
#[unsafe(no_mangle)]
extern "C" fn catalog() -> u64 {
    give(deciduous_boundary::frame(CATALOG, &[]))
}

/// The tables as a frame.
#[unsafe(no_mangle)]
extern "C" fn schema() -> u64 {
    let json = serde_json::to_vec(&crate::schema()).unwrap_or_default();
    give(deciduous_boundary::frame(&json, &[]))
}

/// # Safety
/// `pointer` and `length` are a buffer that `alloc` or `give` made and nobody freed.
unsafe fn take(pointer: *mut u8, length: u32) -> Box<[u8]> {
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, length as usize)) }
}

fn give(message: Vec<u8>) -> u64 {
    let buffer = message.into_boxed_slice();
    let length = buffer.len() as u64;
    let pointer = Box::into_raw(buffer).cast::<u8>() as usize as u64;
    pointer << 32 | length
}
