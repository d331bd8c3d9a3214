//! Tests on-CPU samples of processes with known work.

use std::{
    future::Future,
    time::{Duration, Instant},
};

use aya::sys::{Stats, enable_stats};
use profiler::{Counts, End, Mode, Process, Profile, Profiler};

use crate::{
    can_sample,
    target::{Copy, Target},
};

const FREQUENCY: u32 = 100;
const PROCESS: Mode = Mode::Process {
    frequency: FREQUENCY,
};
const HOT: &str = "target::hot_function";

/// Runs until the process has ended, as all of these processes do.
fn run(pid: u32, mode: Mode, begin: impl FnOnce()) -> Profile {
    block_on(async {
        // Starts the work when first polled: the profiler has attached by then.
        let mut begin = Some(begin);
        let mut looks = 0;
        let stop = std::future::poll_fn(|_| {
            looks += 1;
            if looks == 1
                && let Some(begin) = begin.take()
            {
                begin();
            }
            std::task::Poll::Pending
        });
        profiler::profile(pid, mode, None, stop).await.unwrap()
    })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// Runs the profiler on a target from before its work to its end. The CPU time is in nanoseconds.
fn sample(work: &[&str], mode: Mode) -> (Profile, u64) {
    let mut target = Target::start(work);
    let profile = run(target.pid(), mode, || target.begin());
    assert_eq!(profile.end, End::Process);
    let cpu_time_ns = target.cpu_time_ns();
    println!(
        "{work:?}: {profile}; {} ms of CPU time\n{}",
        cpu_time_ns / 1_000_000,
        profile.folded
    );
    (profile, cpu_time_ns)
}

fn percent(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64 * 100.0
}

/// Checks that at least 95 % of the samples are in the function, that there are 100 for each second
/// to within 5 %, and that none is lost.
fn assert_hot(profile: &Profile, function: &str, cpu_time_ns: u64) {
    let Counts {
        taken,
        lost,
        failed,
    } = profile.counts;
    assert_eq!((lost, failed), (0, 0));
    assert_eq!(profile.folded.total(), taken, "read what was taken");
    let hot = percent(profile.folded.with_frame(function), taken);
    assert!(hot >= 95.0, "{hot} % in {function}: {}", profile.folded);
    let due = cpu_time_ns as f64 * f64::from(FREQUENCY) / 1e9;
    let off = (taken as f64 - due).abs() / due * 100.0;
    assert!(off <= 5.0, "{taken} samples, {due} were due");
}

#[test]
fn a_hot_function_gets_its_samples_and_none_is_lost() {
    if !can_sample() {
        return;
    }
    let (profile, cpu_time_ns) = sample(&["hot", "3"], PROCESS);
    assert_hot(&profile, HOT, cpu_time_ns);
}

#[test]
fn threads_are_sampled_whether_they_were_there_before_or_not() {
    if !can_sample() {
        return;
    }
    let (profile, cpu_time_ns) = sample(&["threads", "2"], PROCESS);
    assert_hot(&profile, HOT, cpu_time_ns);
}

#[test]
fn children_are_sampled_with_their_parent() {
    if !can_sample() {
        return;
    }
    // Another program: the child has its own name, mappings and addresses.
    const NAME: &str = "child-of-target";
    const SECONDS: u64 = 2;
    let copy = Copy::named(NAME);
    let work = ["child", copy.path(), &SECONDS.to_string()];
    let (profile, _parent_only) = sample(&work, PROCESS);
    let hot: u64 = profile
        .folded
        .iter()
        .filter(|(stack, _)| {
            let frames: Vec<&str> = stack.split(';').collect();
            frames[0] == NAME && frames.contains(&HOT)
        })
        .map(|(_, samples)| samples)
        .sum();
    assert_eq!(
        hot,
        profile.folded.with_frame(HOT),
        "of the child alone: {}",
        profile.folded
    );
    let due = SECONDS * u64::from(FREQUENCY);
    assert!(
        hot * 100 >= due * 95 && hot * 100 <= due * 105,
        "{hot} samples, {due} were due: {}",
        profile.folded
    );
    assert_eq!(profile.counts.lost, 0);
}

#[test]
fn system_wide_only_the_process_asked_for_is_sampled() {
    if !can_sample() {
        return;
    }
    // Competes for the CPUs, and would appear in the samples.
    let mut other = Target::start(&["endless"]);
    other.begin();
    let mode = Mode::AllCpus {
        frequency: FREQUENCY,
    };
    let (profile, cpu_time_ns) = sample(&["hot", "2"], mode);
    assert_eq!(
        profile.folded.with_frame("target::endless_function"),
        0,
        "{}",
        profile.folded
    );
    // Interrupts hit any process, so the number of samples is right only on average.
    let due = cpu_time_ns * u64::from(FREQUENCY) / 1_000_000_000;
    assert!(profile.counts.taken > due / 2, "{profile}, {due} were due");
    assert!(profile.folded.with_frame(HOT) * 100 >= profile.counts.taken * 95);
}

#[test]
fn lost_samples_are_counted_to_the_last_one() {
    if !can_sample() {
        return;
    }
    const LOST: u64 = 1_000;
    /// Fills up sooner than the default of 16 MiB, which takes emulated machines minutes. Nothing
    /// else differs.
    const RING_SIZE: u32 = 256 * 1024;
    const TIME_LIMIT: Duration = Duration::from_secs(120);

    let _statistics = enable_stats(Stats::RunTime).unwrap();
    let mut target = Target::start(&["endless"]);
    let process = Process::open(target.pid()).unwrap();
    let mut profiler = Profiler::load_on_cpu_with_ring(None, RING_SIZE).unwrap();
    profiler.attach_to_process(&process, 10_000).unwrap();
    target.begin();
    // The ring buffer has no reader.
    let start = Instant::now();
    while profiler.counts().unwrap().lost < LOST {
        assert!(start.elapsed() < TIME_LIMIT, "{:?}", profiler.counts());
        std::thread::sleep(Duration::from_millis(10));
    }
    target.end_input();
    target.wait();

    let fired = profiler.program().unwrap().info().unwrap().run_count();
    let counts = profiler.counts().unwrap();
    profiler.detach().unwrap();
    let mut read = 0;
    while profiler.samples().next_on_cpu().unwrap().is_some() {
        read += 1;
    }
    println!("{counts:?}: {fired} fired, {read} read");
    assert_eq!(counts.taken + counts.lost + counts.failed, fired);
    assert_eq!(counts.taken, read);
    assert!(counts.lost >= LOST);
}
