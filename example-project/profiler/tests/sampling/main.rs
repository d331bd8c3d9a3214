//! The profiler on processes of which it is known what they do. Needs root and a kernel with BPF;
//! says so and passes where there is neither.

mod command;
mod off_cpu;
mod on_cpu;
mod target;

use profiler::{Error, Profiler};

/// Whether programs can be loaded here. Says so if not.
fn can_sample() -> bool {
    if !nix::unistd::geteuid().is_root() {
        println!("skipped: needs root");
        return false;
    }
    match Profiler::load_on_cpu(None) {
        Ok(_) => true,
        // Root of a container may be less than root.
        Err(error @ Error::NotPermitted { .. }) => {
            println!("skipped: {error}");
            false
        }
        Err(error) => panic!("{error}: {:?}", std::error::Error::source(&error)),
    }
}
