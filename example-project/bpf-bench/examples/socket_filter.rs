//! Measures a socket filter on packets that really arrive: it is attached to a Unix socket to which
//! this process writes. Prints Bencher Metric Format. Run as root.

use std::{
    error::Error,
    io,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::net::UnixDatagram,
    },
};

use bpf_bench::{
    Benchmark, ProgramType, bmf,
    raw::{Instruction as I, load},
};

fn main() -> Result<(), Box<dyn Error>> {
    // Keeps 64 bytes of each packet.
    let program = load(
        ProgramType::SOCKET_FILTER,
        "keep_64",
        &[I::mov(0, 64), I::exit()],
    )?;
    let (sender, receiver) = UnixDatagram::pair()?;
    attach(&receiver, &program)?;

    let mut benchmark = Benchmark::new();
    benchmark.register("keep_64", &program)?;
    let results = benchmark.run(|| -> io::Result<()> {
        let mut buffer = [0; 1_000];
        for _ in 0..100 {
            sender.send(&buffer)?;
            let length = receiver.recv(&mut buffer)?;
            if length != 64 {
                return Err(io::Error::other(format!("{length} bytes arrived")));
            }
        }
        Ok(())
    })?;
    println!("{}", bmf::of_measurements(&results));
    Ok(())
}

fn attach(socket: &UnixDatagram, program: &OwnedFd) -> io::Result<()> {
    let program = program.as_raw_fd();
    // SAFETY: the option's value is a file descriptor, of that size.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ATTACH_BPF,
            (&raw const program).cast(),
            size_of_val(&program) as u32,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
