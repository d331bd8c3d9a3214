//! Builds the BPF object that the bench embeds.

use std::env;

use aya_build::{Package, Toolchain};

fn main() -> anyhow::Result<()> {
    // SAFETY: no other thread has been started that could read the environment.
    // The stable compiler builds `core` for the BPF target only with this.
    unsafe { env::set_var("RUSTC_BOOTSTRAP", "1") };
    let toolchain = env::var("RUSTUP_TOOLCHAIN").unwrap_or_else(|_| "stable".to_owned());
    let package = Package {
        name: "aya-log-ebpf-programs",
        root_dir: "../aya-log-ebpf",
        ..Package::default()
    };
    aya_build::build_ebpf([package], Toolchain::Custom(&toolchain))
}
