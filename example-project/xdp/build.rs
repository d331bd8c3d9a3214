//! Builds the BPF object that the library embeds.

use std::env;

use anyhow::Result;
use aya_build::{Package, Toolchain};

fn main() -> Result<()> {
    // aya-build watches the folder of the package itself. These are the other inputs of the object:
    for path in ["../xdp-common", "../Cargo.toml", "../Cargo.lock"] {
        println!("cargo:rerun-if-changed={path}");
    }

    // The BPF target comes without a built `core`, and building one is an unstable feature. This
    // makes the stable compiler accept it, for the BPF object only.
    const BOOTSTRAP: &str = "RUSTC_BOOTSTRAP";
    if env::var_os(BOOTSTRAP).is_none() {
        // SAFETY: no other thread has been started that could read the environment.
        unsafe { env::set_var(BOOTSTRAP, "1") };
    }

    // aya-build starts cargo by rustup, so pass the toolchain of this build. A change of the
    // variable causes no rebuild, because it is missing if cargo is started directly.
    let toolchain = env::var("RUSTUP_TOOLCHAIN").unwrap_or_else(|_| "stable".to_owned());
    let features: &[&str] = if env::var_os("CARGO_FEATURE_SLOW_FIBONACCI").is_some() {
        &["slow-fibonacci"]
    } else {
        &[]
    };
    aya_build::build_ebpf(
        [Package {
            name: "xdp-ebpf",
            root_dir: "../xdp-ebpf",
            features,
            ..Package::default()
        }],
        Toolchain::Custom(&toolchain),
    )
}
