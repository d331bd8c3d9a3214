//! Measurement of one benchmark: sends packets and reads counters.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use aya::programs::ProgramFd;
use bpf_bench::{Benchmark, Counters, Latency};
use xdp::SourceAddr;

use crate::veth;

/// Packets before the first round, which absorb first-run effects.
const WARM_UP_PACKETS: u64 = 8;
/// Few and short, 136 packets in all: an observer outside of the process has only the sum over the
/// life of a program, which includes each timer tick that falls into a run.
const ROUNDS: u32 = 8;
const PACKETS_PER_ROUND: u64 = 16;

/// Limit of the packets' travel time. Far more than needed, because virtual time can jump.
const TIME_LIMIT: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_micros(100);

/// Sends packets from one source address through a fresh instance of the program.
///
/// `class` is the program's expected result for each of them.
pub fn run(name: &str, source: [u8; 4], class: Option<SourceAddr>) -> Result<Latency> {
    let pair = veth::Pair::new().context("cannot set up the veth pair")?;
    let mut ebpf = xdp::load()?;
    let mut queue = xdp::queue(&mut ebpf)?;
    let program = xdp::load_program(&mut ebpf, name)?;
    xdp::attach(program, veth::RECEIVER)?;
    let program = program.fd()?;
    let sender = pair.open_sender().context("cannot open the sender")?;
    let packet = veth::packet(source);

    let mut round = |packets| -> Result<()> {
        let before = Counters::by_info(name, program)?;
        for _ in 0..packets {
            sender.send(&packet)?;
        }
        wait_for(name, program, before.run_count + packets)?;

        let expected = if class.is_some() { packets } else { 0 };
        let mut queued = 0;
        while let Some(found) = xdp::pop(&mut queue)? {
            ensure!(
                Some(found) == class,
                "{found:?} in the queue, not {class:?}"
            );
            queued += 1;
        }
        ensure!(
            queued == expected,
            "{queued} entries in the queue, not {expected}"
        );
        Ok(())
    };

    // bpfgate reports every program loaded during the benchmark, so no empty one may be among them.
    let mut benchmark = Benchmark::new()
        .rounds(ROUNDS)
        .without_warm_up()
        .leave_statistics()
        .gross_only();
    benchmark.register(name, program)?;
    round(WARM_UP_PACKETS).context("warm-up")?;
    let measurements = benchmark.run(|| round(PACKETS_PER_ROUND))?;
    let [measurement] = &measurements[..] else {
        bail!("{} results of one program", measurements.len());
    };
    Ok(measurement.gross)
}

/// Waits until the program has run once for each packet, and is done with the last one.
fn wait_for(name: &str, program: &ProgramFd, run_count: u64) -> Result<()> {
    let start = Instant::now();
    let mut last = None;
    loop {
        let now = Counters::by_info(name, program)?;
        if now.run_count > run_count {
            bail!(
                "the program ran {} times more than packets were sent",
                now.run_count - run_count
            );
        }
        // The count goes up a moment before the time does, which another CPU can see.
        if now.run_count == run_count && last == Some(now) {
            return Ok(());
        }
        if start.elapsed() > TIME_LIMIT {
            bail!(
                "after {TIME_LIMIT:?} the program had run {} times, not {run_count} \
                 (are statistics on, do packets arrive)",
                now.run_count
            );
        }
        last = Some(now);
        thread::sleep(PAUSE);
    }
}
