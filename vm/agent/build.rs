//! Refuses a release build which is not static. Cargo reads `.cargo/config.toml`
//! from the current folder, so a build started elsewhere silently loses the flag.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if release && !features.split(',').any(|feature| feature == "crt-static") {
        println!(
            "cargo::error=the agent must be static: build it with `vm/agent` as the current folder, or pass RUSTFLAGS='-C target-feature=+crt-static'"
        );
    }
}
