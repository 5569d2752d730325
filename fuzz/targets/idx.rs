#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lowland_fuzz::read("x.idx", bytes));
