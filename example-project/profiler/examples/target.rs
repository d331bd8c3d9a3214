//! A process with known work, as a target for a profiler.
//!
//! It prints its process ID, waits for a line on its standard input, does its work, prints the CPU
//! time that it took in nanoseconds, and ends.
//!
//! ```sh
//! cargo run --release --example target -- hot 10
//! ```

use std::{
    arch::asm,
    env,
    hint::black_box,
    io::{self, BufRead as _, Write as _},
    process::{Command, ExitCode, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use nix::time::{ClockId, clock_gettime};

const USAGE: &str = "usage: target WORK\n\
    hot SECONDS       executes one function for that much CPU time\n\
    threads SECONDS   does so on two threads, one of them started beforehand\n\
    child FILE SECONDS executes that file, a copy of this one, to do so\n\
    endless           executes one function until there is an end of the input\n\
    sleeper TIMES     sleeps 20 ms in one function, so many times\n\
    waiter            waits for the end of the input in one function";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let work: Box<dyn FnOnce()> = match arguments[..] {
        ["hot", seconds] => {
            let seconds = number(seconds);
            Box::new(move || hot_function(ClockId::CLOCK_THREAD_CPUTIME_ID, seconds))
        }
        ["threads", seconds] => threads(number(seconds)),
        ["child", file, seconds] => {
            let (file, seconds) = (file.to_owned(), seconds.to_owned());
            Box::new(move || child(&file, &seconds))
        }
        ["endless"] => Box::new(endless),
        ["sleeper", times] => {
            let times = number(times);
            Box::new(move || known_sleeper(times))
        }
        ["waiter"] => Box::new(known_waiter),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    say(std::process::id().into());
    wait_for_line();
    let start = cpu_time_ns(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    work();
    say(cpu_time_ns(ClockId::CLOCK_PROCESS_CPUTIME_ID) - start);
    ExitCode::SUCCESS
}

/// Executes nothing else until the clock has advanced by `seconds`.
#[inline(never)]
fn hot_function(clock: ClockId, seconds: u64) {
    let end = cpu_time_ns(clock) + seconds * 1_000_000_000;
    while cpu_time_ns(clock) < end {
        spin();
    }
    black_box(());
}

/// Executes many instructions, and no other function, not even one that optimisation removes: in
/// the first instructions of a function, the frame pointer does not show its caller.
#[inline(always)]
fn spin() {
    let mut number = 0_u64;
    while number < 200_000 {
        number += 1;
        // SAFETY: does nothing. The compiler does not know that, and keeps the loop.
        unsafe { asm!("/* {0} */", inout(reg) number, options(nomem, nostack)) };
    }
}

/// Runs the work on two threads: one exists before the profiler, the other starts after it.
fn threads(seconds: u64) -> Box<dyn FnOnce()> {
    let (start, started) = std::sync::mpsc::channel::<()>();
    let work = move || hot_function(ClockId::CLOCK_THREAD_CPUTIME_ID, seconds);
    let early = thread::spawn(move || {
        if started.recv().is_ok() {
            work();
        }
    });
    Box::new(move || {
        let late = thread::spawn(work);
        start.send(()).expect("the thread waits for it");
        for thread in [early, late] {
            thread.join().expect("it does not panic");
        }
    })
}

fn child(file: &str, seconds: &str) {
    let mut child = Command::new(file)
        .args(["hot", seconds])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the file can be executed");
    if let Some(mut stdin) = child.stdin.take() {
        writeln!(stdin).expect("it waits for a line");
    }
    child.wait().expect("it is a child of this");
}

fn endless() {
    static STOP: AtomicBool = AtomicBool::new(false);
    thread::spawn(|| {
        wait_for_line();
        STOP.store(true, Ordering::Relaxed);
    });
    endless_function(&STOP);
}

#[inline(never)]
fn endless_function(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        spin();
    }
    black_box(());
}

#[inline(never)]
fn known_sleeper(times: u64) {
    for _ in 0..times {
        thread::sleep(Duration::from_millis(20));
    }
    black_box(());
}

#[inline(never)]
fn known_waiter() {
    wait_for_line();
    black_box(());
}

fn wait_for_line() {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).expect("an input");
}

/// Prints to a reader that may have gone.
fn say(number: u64) {
    let mut stdout = io::stdout();
    let _: io::Result<()> = writeln!(stdout, "{number}").and_then(|()| stdout.flush());
}

fn number(text: &str) -> u64 {
    text.parse().expect("a whole number")
}

fn cpu_time_ns(clock: ClockId) -> u64 {
    let now = clock_gettime(clock).expect("every kernel has these clocks");
    now.tv_sec().unsigned_abs() * 1_000_000_000 + now.tv_nsec().unsigned_abs()
}
