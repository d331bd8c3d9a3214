//! Runs every target for two seconds on simple mutations of its corpus. This is likely to
//! find what a change has broken before libFuzzer runs for hours. It is a program of its
//! own because a target keeps files in a folder named after the process.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Once};
use std::thread;
use std::time::{Duration, Instant};

use bpfgate_agent_fuzz::{TARGETS, Target, folded_stacks_folder, panic_message};

/// Fixed, so that a finding can be reproduced.
const SEED: u64 = 20_261_122;
const TIME: Duration = Duration::from_secs(2);
/// Extra time for one input after [`TIME`] has passed.
const HANG: Duration = Duration::from_secs(60);
/// Limit of an input, in bytes; the same as libFuzzer's.
const MAX_BYTES: usize = 65_536;
const TARGET_THREAD: &str = "target";
/// Runs one round of one target: `agent-plan:1234`.
const AGAIN: &str = "BPFGATE_FUZZ_ROUND";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The inputs of a target's folder, in the order of their names.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = repository().join("evidence/fuzz/corpus").join(name);
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// xorshift64* by Vigna.
struct Random(u64);

impl Random {
    /// Seeds a round independently of the rounds before it.
    fn of_round(round: u64) -> Self {
        // Neighbouring seeds would begin with similar numbers.
        let mixed = (SEED ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1 << 63;
        let mut random = Random(mixed);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Draws a number less than `bound`; 0 if `bound` is 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound.max(1)
    }

    /// Draws a range within `bytes`.
    fn part(&mut self, bytes: usize) -> std::ops::Range<usize> {
        let from = self.below(bytes + 1);
        // Mostly short.
        let most = if self.below(2) == 0 { 16 } else { bytes };
        from..from + self.below(most.min(bytes - from) + 1)
    }
}

/// Makes the input of a round: one of the corpus, changed in a few places.
fn input_of(round: u64, corpus: &[Vec<u8>]) -> Vec<u8> {
    const TELLING: [u8; 12] = [
        0, 1, 0x7f, 0x80, 0xff, b'\n', b' ', b'"', b':', b'-', b'0', b'9',
    ];
    let mut random = Random::of_round(round);
    let mut input = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(input.len());
        match random.below(6) {
            0 if !input.is_empty() => input[at] ^= 1 << random.below(8),
            1 if !input.is_empty() => input[at] = TELLING[random.below(TELLING.len())],
            2 => drop(input.drain(random.part(input.len()))),
            3 => input.truncate(at),
            4 => {
                let other = &corpus[random.below(corpus.len())];
                let piece = other[random.part(other.len())].to_vec();
                let place = random.part(input.len());
                input.splice(place, piece);
            }
            _ => {
                let range = random.part(input.len());
                let piece = input[range.clone()].repeat(1 + random.below(8));
                input.splice(range, piece);
            }
        }
        input.truncate(MAX_BYTES);
    }
    input
}

/// Saves an input, and returns how to run it again.
fn found(name: &str, round: u64, input: &[u8], what: &str) -> String {
    let folder = repository().join("evidence/fuzz/findings").join(name);
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("round-{round}"));
    fs::write(&file, input).unwrap();
    format!(
        "{name}: {what}; seed {SEED}, round {round}, {} bytes\n  \
         again: {AGAIN}={name}:{round} cargo test --locked --test short_run\n  \
         or: npm run fuzz -- --only {name} --input evidence/fuzz/findings/{name}/round-{round}",
        input.len()
    )
}

/// Suppresses panic messages of targets: the agent catches panics of aya-obj and goes on,
/// thousands of times in this test.
fn silence_targets() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if thread::current().name() != Some(TARGET_THREAD) {
                usual(panic);
            }
        }));
    });
}

/// Runs rounds until the time is up, or only the round `only`. `hang` is how long the
/// last round may run beyond that time.
fn run(
    name: &'static str,
    target: Target,
    only: Option<u64>,
    hang: Duration,
) -> Result<u64, String> {
    let corpus = Arc::new(corpus(name));
    let current = Arc::new(AtomicU64::new(only.unwrap_or(0)));
    let (sender, receiver) = channel();
    let worker = {
        let (corpus, current) = (Arc::clone(&corpus), Arc::clone(&current));
        move || {
            let end = Instant::now() + TIME;
            let mut round = only.unwrap_or(0);
            let result = loop {
                current.store(round, Ordering::Relaxed);
                let input = input_of(round, &corpus);
                if let Err(panic) = std::panic::catch_unwind(|| target(&input)) {
                    break Err(found(name, round, &input, panic_message(panic.as_ref())));
                }
                round += 1;
                if only.is_some() || Instant::now() >= end {
                    break Ok(round);
                }
            };
            let _ = sender.send(result);
        }
    };
    silence_targets();
    thread::Builder::new()
        .name(TARGET_THREAD.into())
        .spawn(worker)
        .unwrap();
    match receiver.recv_timeout(TIME + hang) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => {
            let round = current.load(Ordering::Relaxed);
            let input = input_of(round, &corpus);
            Err(found(name, round, &input, "no end"))
        }
        Err(RecvTimeoutError::Disconnected) => Err(format!("{name}: the fuzzer itself panicked")),
    }
}

#[test]
fn nothing_is_found_in_two_seconds_of_each_target() {
    let only = std::env::var(AGAIN).ok().map(|text| {
        let (name, round) = text.split_once(':').expect(AGAIN);
        (name.to_owned(), round.parse::<u64>().expect(AGAIN))
    });
    let mut findings = Vec::new();
    for (name, target) in TARGETS {
        let round = match &only {
            Some((chosen, _)) if chosen != name => continue,
            chosen => chosen.as_ref().map(|&(_, round)| round),
        };
        // If a target ends the process by a stack overflow, it is the last one printed
        // here.
        eprintln!("{name}: seed {SEED}");
        match run(name, target, round, HANG) {
            Ok(rounds) => eprintln!("{name}: {rounds} rounds"),
            Err(finding) => findings.push(finding),
        }
    }
    let _ = fs::remove_dir_all(folded_stacks_folder());
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn a_panic_and_an_endless_loop_are_found_and_reproduced() {
    let corpus = [b"abc\n123".to_vec(), vec![]];
    assert_eq!(input_of(7, &corpus), input_of(7, &corpus));
    let inputs: Vec<_> = (0..2000).map(|round| input_of(round, &corpus)).collect();
    assert!(inputs.iter().any(|input| input.contains(&0xff)));
    assert!(inputs.iter().any(|input| input.len() > 20));
    assert!(inputs.iter().any(Vec::is_empty));
    assert!(inputs.iter().all(|input| input.len() <= MAX_BYTES));

    let refuses: Target = |input| assert!(!input.contains(&0xff), "no such byte");
    let finding = run("agent-plan", refuses, None, HANG).unwrap_err();
    let round: u64 = finding
        .split_once("round ")
        .and_then(|(_, rest)| rest.split(',').next())
        .unwrap()
        .parse()
        .unwrap();
    assert!(finding.contains("no such byte; seed 20261122"), "{finding}");
    assert_eq!(run("agent-plan", refuses, Some(round), HANG), Err(finding));
    let kept = repository().join(format!("evidence/fuzz/findings/agent-plan/round-{round}"));
    assert!(fs::read(&kept).unwrap().contains(&0xff));
    fs::remove_file(kept).unwrap();

    let waits: Target = |_| {
        loop {
            thread::park();
        }
    };
    let finding = run("agent-plan", waits, Some(1), Duration::ZERO).unwrap_err();
    assert!(
        finding.contains("no end; seed 20261122, round 1,"),
        "{finding}"
    );
    let folder = repository().join("evidence/fuzz/findings/agent-plan");
    fs::remove_file(folder.join("round-1")).unwrap();
    let _ = fs::remove_dir(folder); // Only where nothing else was found.
}
