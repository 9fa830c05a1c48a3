//! `boundary` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    deciduous_fuzz::run("boundary", bytes);
});
