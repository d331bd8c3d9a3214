//! Runs libFuzzer on one target, named by `BPFGATE_FUZZ_TARGET`.

#![no_main]

use std::panic::{self, AssertUnwindSafe};
use std::process::abort;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

static TARGET: OnceLock<bpfgate_agent_fuzz::Target> = OnceLock::new();

fuzz_target!(|data: &[u8]| {
    let target = TARGET.get_or_init(|| {
        // libFuzzer's hook ends the process at any panic. The agent catches the panics of
        // aya-obj and goes on; only a panic that reaches this function is a finding.
        panic::set_hook(Box::new(|_| {}));
        let name = std::env::var("BPFGATE_FUZZ_TARGET").unwrap_or_default();
        bpfgate_agent_fuzz::target(&name).unwrap_or_else(|| {
            eprintln!("BPFGATE_FUZZ_TARGET: no target is called {name:?}");
            abort()
        })
    });
    if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| target(data))) {
        eprintln!("panic: {}", bpfgate_agent_fuzz::panic_message(&*payload));
        abort();
    }
});
