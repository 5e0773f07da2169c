#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toile_fuzz::report(bytes));
