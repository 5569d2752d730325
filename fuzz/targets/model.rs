#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lowland_fuzz::load(bytes));
