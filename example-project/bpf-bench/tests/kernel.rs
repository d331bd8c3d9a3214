//! Tests the library's claims against real programs in a real kernel. Needs root and BPF; prints a
//! message and passes without them.

use std::{
    convert::Infallible,
    fs, io, mem,
    os::fd::{AsFd as _, OwnedFd},
    panic,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bpf_bench::{
    Benchmark, Counters, DeltaError, Error, Input, KernelVersion, Measurement, ProgramType,
    Statistics,
    raw::{Instruction as I, load},
    test_run,
};

const SYSCTL: &str = "/proc/sys/kernel/bpf_stats_enabled";
const PACKET: [u8; 64] = [7; 64];

/// The types that have an empty program, with the verdict with which it lets everything pass.
const TYPES_WITH_EMPTY: [(ProgramType, i32); 4] = [
    (ProgramType::XDP, 2),
    (ProgramType::SOCKET_FILTER, 0),
    (ProgramType::SCHED_CLS, 0),
    (ProgramType::CGROUP_SKB, 1),
];

/// A turn of one test. Statistics are one state of the whole machine, so tests take turns. Each
/// starts with them off, and restores the state before.
struct Turn {
    before: String,
    _turn: MutexGuard<'static, ()>,
}

impl Turn {
    /// Returns `None`, and prints why, if BPF programs cannot be loaded.
    fn take() -> Option<Self> {
        static TURN: Mutex<()> = Mutex::new(());
        // SAFETY: it only returns a number.
        if unsafe { libc::geteuid() } != 0 {
            println!("skipped: needs root");
            return None;
        }
        // A failed test poisons it, and is reported by itself.
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        match load(ProgramType::SOCKET_FILTER, "probe", &returning(0)) {
            Err(error @ Error::NotPermitted { .. }) => {
                println!("skipped: {error}");
                return None;
            }
            result => drop(result.unwrap()),
        }
        let before = sysctl();
        set_sysctl("0");
        if Statistics::are_on().unwrap() {
            println!("skipped: somebody else holds BPF statistics on");
            set_sysctl(&before);
            return None;
        }
        Some(Self {
            before,
            _turn: turn,
        })
    }
}

impl Turn {
    /// Like [`Self::take`]. Also returns `None` if the kernel has no finer clock than its timer
    /// tick, because few runs last that long.
    fn with_clock() -> Option<Self> {
        const TICK_NS: u64 = 1_000_000;
        let turn = Self::take()?;
        let program = empty_xdp();
        let statistics = Statistics::enable().unwrap();
        run(&program, 200);
        statistics.restore().unwrap();
        let counted = Counters::read("clock", &program).unwrap();
        if counted.run_time_ns.is_multiple_of(TICK_NS) {
            println!("skipped: the kernel's clock is its timer tick (no TSC was found)");
            return None;
        }
        Some(turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Not by `set_sysctl`: a panic during a panic would hide the first.
        let _ = fs::write(SYSCTL, &self.before);
    }
}

fn sysctl() -> String {
    fs::read_to_string(SYSCTL).unwrap().trim_end().to_owned()
}

fn set_sysctl(value: &str) {
    fs::write(SYSCTL, value).unwrap();
}

/// The value of the sysctl, and whether the kernel counts.
fn state() -> (String, bool) {
    (sysctl(), Statistics::are_on().unwrap())
}

fn returning(value: i32) -> Vec<I> {
    vec![I::mov(0, value), I::exit()]
}

/// Makes a program that adds 1 `times` over, and returns the value.
fn longer(times: usize, value: i32) -> Vec<I> {
    let mut instructions = vec![I::mov(0, 0)];
    instructions.resize(1 + times, I::add(0, 1));
    instructions.extend(returning(value));
    instructions
}

fn empty_xdp() -> OwnedFd {
    load(ProgramType::XDP, "pass", &returning(2)).unwrap()
}

fn run(program: &OwnedFd, times: usize) {
    for _ in 0..times {
        test_run("program", program, &Input::packet(PACKET)).unwrap();
    }
}

fn running() -> KernelVersion {
    KernelVersion::running().unwrap()
}

fn enabled_by(way: fn() -> Result<Statistics, Error>, before: &str) {
    set_sysctl(before);
    let was = state();
    assert_eq!(was, (before.to_owned(), before == "1"));

    let statistics = way().unwrap();
    assert!(Statistics::are_on().unwrap(), "they are not on");
    drop(statistics);
    assert_eq!(state(), was, "after it was dropped");

    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(|| {
        let _statistics = way().unwrap();
        assert!(Statistics::are_on().unwrap(), "they are not on");
        panic!("the benchmark's own");
    });
    panic::set_hook(hook);
    let reason = result.unwrap_err();
    assert_eq!(reason.downcast_ref(), Some(&"the benchmark's own"));
    assert_eq!(state(), was, "after a panic");
}

#[test]
fn after_a_panic_statistics_by_fd_are_restored() {
    let Some(_turn) = Turn::take() else { return };
    assert!(!Statistics::enable_by_fd().unwrap().is_by_sysctl());
    enabled_by(Statistics::enable_by_fd, "0");
    enabled_by(Statistics::enable_by_fd, "1");
}

#[test]
fn after_a_panic_statistics_by_sysctl_are_restored() {
    let Some(_turn) = Turn::take() else { return };
    assert!(Statistics::enable_by_sysctl().unwrap().is_by_sysctl());
    enabled_by(Statistics::enable_by_sysctl, "0");
    enabled_by(Statistics::enable_by_sysctl, "1");
}

#[test]
fn statistics_are_restored_after_a_benchmark_panics() {
    let Some(_turn) = Turn::take() else { return };
    let program = empty_xdp();
    let mut benchmark = Benchmark::new();
    benchmark.register("pass", &program).unwrap();
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(|| {
        benchmark.run(|| -> Result<(), Infallible> {
            assert!(Statistics::are_on().unwrap(), "they are not on");
            panic!("the benchmark's own")
        })
    });
    panic::set_hook(hook);
    let reason = result.unwrap_err();
    assert_eq!(reason.downcast_ref(), Some(&"the benchmark's own"));
    assert_eq!(state(), ("0".to_owned(), false));
}

#[test]
fn statistics_stay_on_until_the_last_guard_is_dropped() {
    let Some(_turn) = Turn::take() else { return };
    for (first, second) in [
        (
            Statistics::enable_by_sysctl as fn() -> Result<Statistics, Error>,
            Statistics::enable_by_sysctl as fn() -> Result<Statistics, Error>,
        ),
        (Statistics::enable_by_fd, Statistics::enable_by_sysctl),
        (Statistics::enable_by_sysctl, Statistics::enable_by_fd),
    ] {
        let first = first().unwrap();
        let second = second().unwrap();
        first.restore().unwrap();
        assert!(Statistics::are_on().unwrap(), "the second still lives");
        second.restore().unwrap();
        assert_eq!(state(), ("0".to_owned(), false));
    }
}

/// Makes the kernel refuse this thread the command that turns statistics on by file descriptor, as
/// kernels before 5.8 do.
fn refuse_statistics_by_fd() {
    const fn statement(code: u32, k: u32) -> libc::sock_filter {
        jump(code, k, 0, 0)
    }
    const fn jump(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
        libc::sock_filter {
            code: code as u16,
            jt,
            jf,
            k,
        }
    }
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    const IF_EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
    const ENABLE_STATS: u32 = 32;
    // The low half of the first argument.
    let argument =
        mem::offset_of!(libc::seccomp_data, args) + if cfg!(target_endian = "big") { 4 } else { 0 };
    let mut filter = [
        statement(LOAD, mem::offset_of!(libc::seccomp_data, nr) as u32),
        jump(IF_EQUAL, libc::SYS_bpf as u32, 0, 3),
        statement(LOAD, argument as u32),
        jump(IF_EQUAL, ENABLE_STATS, 0, 1),
        statement(RETURN, libc::SECCOMP_RET_ERRNO | libc::EINVAL as u32),
        statement(RETURN, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: the filter outlives the call, which copies it.
    let result = unsafe {
        libc::prctl(
            libc::PR_SET_SECCOMP,
            libc::SECCOMP_MODE_FILTER,
            &raw const program,
        )
    };
    assert_eq!(result, 0, "{}", io::Error::last_os_error());
}

#[test]
fn the_sysctl_is_used_if_the_fd_fails() {
    let Some(_turn) = Turn::take() else { return };
    // A filter cannot be removed, so it gets a thread of its own.
    std::thread::spawn(|| {
        refuse_statistics_by_fd();
        let Err(Error::NoStatistics { by_fd, .. }) = Statistics::enable_by_fd() else {
            panic!("the filter does not work");
        };
        assert_eq!(by_fd.raw_os_error(), Some(libc::EINVAL));

        let statistics = Statistics::enable().unwrap();
        assert!(statistics.is_by_sysctl());
        assert!(Statistics::are_on().unwrap(), "they are not on");
    })
    .join()
    .unwrap();
    assert_eq!(state(), ("0".to_owned(), false));
}

#[test]
fn both_ways_to_enable_and_both_ways_to_read_count_the_same() {
    let Some(_turn) = Turn::with_clock() else {
        return;
    };
    let program = empty_xdp();
    let mut expected = 0;
    for way in [
        Statistics::enable_by_fd as fn() -> Result<Statistics, Error>,
        Statistics::enable_by_sysctl,
    ] {
        let statistics = way().unwrap();
        run(&program, 25);
        expected += 25;
        drop(statistics);
        // These runs are not counted.
        run(&program, 3);

        let by_info = Counters::by_info("pass", &program).unwrap();
        let by_fdinfo = Counters::by_fdinfo("pass", &program).unwrap();
        assert_eq!(by_info, by_fdinfo);
        assert_eq!(by_info, Counters::read("pass", &program).unwrap());
        assert_eq!(by_info.run_count, expected);
        assert!(by_info.run_time_ns > 0);
        assert_eq!(
            by_info.recursion_misses.is_some(),
            running() >= KernelVersion::new(5, 12)
        );
    }
}

#[test]
fn two_programs_with_the_same_name_are_two_results() {
    let Some(_turn) = Turn::with_clock() else {
        return;
    };
    let one = empty_xdp();
    let other = load(ProgramType::XDP, "pass", &longer(100, 2)).unwrap();
    let mut benchmark = Benchmark::new().rounds(3);
    benchmark.register("pass", &one).unwrap();
    benchmark.register("pass", &other).unwrap();
    let results = benchmark
        .run(|| {
            run(&one, 5);
            run(&other, 11);
            Ok::<(), Infallible>(())
        })
        .unwrap();

    let [one, other] = &results[..] else {
        panic!("{results:?}");
    };
    assert_eq!((one.name.as_str(), one.run_count()), ("pass", 15));
    assert_eq!((other.name.as_str(), other.run_count()), ("pass #2", 33));
    assert_ne!(one.program_id, other.program_id);
}

#[test]
fn a_program_that_did_not_run_is_an_error() {
    let Some(_turn) = Turn::with_clock() else {
        return;
    };
    let one = empty_xdp();
    let idle = empty_xdp();
    let mut benchmark = Benchmark::new();
    benchmark.register("busy", &one).unwrap();
    benchmark.register("idle", &idle).unwrap();
    let error = benchmark
        .run(|| {
            run(&one, 1);
            Ok::<(), Infallible>(())
        })
        .unwrap_err();
    let Error::NotCounted {
        name,
        source: DeltaError::NothingCounted(after),
    } = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(
        (name.as_str(), after.run_count),
        ("idle", 0),
        "the other one ran"
    );
    assert!(error.to_string().starts_with("idle: nothing was counted"));
    assert_eq!(state(), ("0".to_owned(), false));
}

#[test]
fn a_program_that_ran_in_some_rounds_only_is_an_error() {
    let Some(_turn) = Turn::with_clock() else {
        return;
    };
    let program = empty_xdp();
    let mut benchmark = Benchmark::new().without_warm_up().rounds(4);
    benchmark.register("pass", &program).unwrap();
    let mut round = 0;
    let error = benchmark
        .run(|| {
            round += 1;
            if round != 3 {
                run(&program, 1);
            }
            Ok::<(), Infallible>(())
        })
        .unwrap_err();
    assert!(matches!(error, Error::NotCounted { .. }), "{error:?}");
    assert_eq!(round, 3);
}

#[test]
fn disabled_statistics_are_an_error_with_that_reason() {
    let Some(_turn) = Turn::take() else { return };
    let program = empty_xdp();
    let mut benchmark = Benchmark::new().leave_statistics();
    benchmark.register("pass", &program).unwrap();
    let error = benchmark
        .run(|| {
            run(&program, 10);
            Ok::<(), Infallible>(())
        })
        .unwrap_err();
    assert!(matches!(error, Error::StatisticsOff { .. }), "{error:?}");
    assert_eq!(
        error.to_string(),
        "pass: nothing was counted, because BPF statistics are off"
    );
}

#[test]
fn a_benchmark_that_fails_is_named_with_its_round() {
    let Some(_turn) = Turn::with_clock() else {
        return;
    };
    let program = empty_xdp();
    let mut benchmark = Benchmark::new();
    benchmark.register("pass", &program).unwrap();
    let mut calls = 0;
    let error = benchmark
        .run(|| {
            run(&program, 1);
            calls += 1;
            if calls == 3 {
                Err("no packets")
            } else {
                Ok(())
            }
        })
        .unwrap_err();
    let Error::Round { round, source } = error else {
        panic!("{error:?}");
    };
    // The first call is the warm-up.
    assert_eq!((round, source.to_string().as_str()), (2, "no packets"));
    assert_eq!(state(), ("0".to_owned(), false));
}

/// Adds 1 to the first byte of the packet, and returns the new value.
fn changing() -> OwnedFd {
    let instructions = [
        I::load_u32(2, 1, 0),
        I::load_u32(3, 1, 4),
        I::copy(4, 2),
        I::add(4, 1),
        I::mov(0, 0),
        I::jump_if_greater(4, 3, 3),
        I::load_u8(0, 2, 0),
        I::add(0, 1),
        I::store_u8(2, 0, 0),
        I::exit(),
    ];
    load(ProgramType::XDP, "changing", &instructions).unwrap()
}

#[test]
fn every_run_gets_the_original_packet() {
    let Some(_turn) = Turn::take() else { return };
    let program = changing();
    let input = Input::packet(PACKET);
    for _ in 0..5 {
        let output = test_run("changing", &program, &input).unwrap();
        assert_eq!(output.return_value, 8, "it saw 7");
        assert_eq!(output.packet[0], 8, "it did change it");
        assert_eq!(output.packet[1..], PACKET[1..]);
    }
    assert_eq!(input, Input::packet(PACKET));
}

#[test]
fn a_flow_dissector_returns_its_flow_keys() {
    const FLOW_DISSECTOR: ProgramType = ProgramType(22);
    /// `struct bpf_flow_keys`, which begins with the offset of the network header.
    const FLOW_KEYS_LEN: usize = 56;
    const ETHERNET_HEADER_LEN: u16 = 14;
    let Some(_turn) = Turn::take() else { return };
    let program = load(FLOW_DISSECTOR, "dissect", &returning(0)).unwrap();
    let output = test_run("dissect", &program, &Input::packet(PACKET)).unwrap();
    assert_eq!(output.packet.len(), FLOW_KEYS_LEN);
    assert_eq!(output.packet[..2], ETHERNET_HEADER_LEN.to_ne_bytes());
}

#[test]
fn test_runs_of_a_benchmark_get_the_original_packet() {
    let Some(_turn) = Turn::with_clock() else {
        return;
    };
    let program = changing();
    let inputs = vec![Input::packet(PACKET); 20];
    let mut benchmark = Benchmark::new().rounds(2).returning(8);
    benchmark.register("changing", &program).unwrap();
    let results = benchmark.test_runs(&inputs).unwrap();
    assert_eq!(results[0].run_count(), 40, "one run for each input");

    let mut benchmark = Benchmark::new().returning(9);
    benchmark.register("changing", &program).unwrap();
    let error = benchmark.test_runs(&inputs).unwrap_err();
    assert_eq!(
        error.to_string(),
        "changing: a test run returned 8, not 9",
        "return values are looked at"
    );
}

/// The result of a program that only returns.
fn net_of_nothing(program_type: ProgramType, verdict: i32) -> Measurement {
    let program = load(program_type, "nothing", &returning(verdict)).unwrap();
    let mut benchmark = Benchmark::new();
    benchmark.register("nothing", &program).unwrap();
    let mut results = benchmark
        .test_runs(&vec![Input::packet(PACKET); 64])
        .unwrap();
    results.remove(0)
}

#[test]
fn net_is_gross_minus_an_empty_program_of_the_type() {
    let Some(_turn) = Turn::with_clock() else {
        return;
    };
    for (program_type, verdict) in TYPES_WITH_EMPTY {
        let result = net_of_nothing(program_type, verdict);
        assert_eq!(result.program_type, program_type);
        let empty = result.empty.expect("a packet type has an empty program");
        assert!(empty.value > 0.0, "{program_type}");
        assert_eq!(result.net(), Some(result.gross.value - empty.value));
        assert_eq!(result.run_count(), 8 * 64, "only the counted rounds");
    }
    assert_eq!(state(), ("0".to_owned(), false));
}

#[test]
fn without_empty_programs_there_is_no_net() {
    let Some(_turn) = Turn::with_clock() else {
        return;
    };
    let program = empty_xdp();
    let mut benchmark = Benchmark::new().gross_only();
    benchmark.register("pass", &program).unwrap();
    let results = benchmark.test_runs(&[Input::packet(PACKET)]).unwrap();
    assert_eq!((results[0].empty, results[0].net()), (None, None));

    let action = load(ProgramType::SCHED_ACT, "action", &returning(0)).unwrap();
    let mut benchmark = Benchmark::new();
    benchmark.register("action", &action).unwrap();
    let results = benchmark.test_runs(&[Input::packet(PACKET)]).unwrap();
    assert_eq!((results[0].empty, results[0].net()), (None, None));
}

#[test]
fn types_without_test_runs_are_named() {
    let Some(_turn) = Turn::take() else { return };
    for (program_type, name) in [
        (ProgramType::KPROBE, "kprobe"),
        (ProgramType::TRACEPOINT, "tracepoint"),
        (ProgramType::PERF_EVENT, "perf_event"),
    ] {
        let program = load(program_type, "probe", &returning(0)).unwrap();
        let error = test_run("my_probe", &program, &Input::default()).unwrap_err();
        let Error::NoTestRun {
            program_type: named,
            ..
        } = error
        else {
            panic!("{name}: {error:?}");
        };
        assert_eq!(named, program_type);
        let message = error.to_string();
        assert!(
            message.starts_with("my_probe: BPF_PROG_TEST_RUN is not for "),
            "{message}"
        );
        assert!(message.contains(&format!(" {name} programs")), "{message}");

        let mut benchmark = Benchmark::new();
        benchmark.register("my_probe", &program).unwrap();
        let error = benchmark.test_runs(&[Input::default()]).unwrap_err();
        assert!(matches!(error, Error::NoTestRun { .. }), "{error:?}");
    }
}

#[test]
fn a_raw_tracepoint_is_test_run_from_5_10_on() {
    let Some(_turn) = Turn::with_clock() else {
        return;
    };
    let program = load(ProgramType::RAW_TRACEPOINT, "raw", &returning(5)).unwrap();
    let input = Input::context([0; 16]);
    let result = test_run("raw", &program, &input);
    if running() < KernelVersion::new(5, 10) {
        let error = result.unwrap_err();
        assert_eq!(error.needs(), Some(KernelVersion::new(5, 10)), "{error:?}");
        assert!(error.to_string().ends_with("needs Linux 5.10"), "{error}");
        return;
    }
    assert_eq!(result.unwrap().return_value, 5);
    let mut benchmark = Benchmark::new().rounds(2);
    benchmark.register("raw", &program).unwrap();
    let results = benchmark.test_runs(&vec![input; 10]).unwrap();
    assert_eq!(
        (results[0].run_count(), results[0].net()),
        (20, None),
        "{results:?}"
    );

    let error = test_run("raw", &program, &Input::packet(PACKET)).unwrap_err();
    assert!(matches!(error, Error::Input { .. }), "{error:?}");
}

#[test]
fn every_run_gets_the_original_context() {
    let Some(_turn) = Turn::with_clock() else {
        return;
    };
    if running() < KernelVersion::new(5, 14) {
        println!("skipped: programs of type syscall need Linux 5.14");
        return;
    }
    // Adds 1 to the first byte of the context, which the kernel returns to the caller.
    let instructions = [
        I::load_u8(0, 1, 0),
        I::add(0, 1),
        I::store_u8(1, 0, 0),
        I::exit(),
    ];
    let program = load(ProgramType::SYSCALL, "changing", &instructions).unwrap();
    let inputs = vec![Input::context([7; 8]); 20];
    let mut benchmark = Benchmark::new().rounds(2).returning(8);
    benchmark.register("changing", &program).unwrap();
    let results = benchmark.test_runs(&inputs).unwrap();
    assert_eq!((results[0].run_count(), results[0].net()), (40, None));
    assert_eq!(inputs[0], Input::context([7; 8]));
}

#[test]
fn other_files_are_not_programs() {
    let Some(_turn) = Turn::take() else { return };
    let file = fs::File::open("/proc/self/status").unwrap();
    let error = Benchmark::new().register("status", &file).unwrap_err();
    assert!(matches!(error, Error::NotAProgram { .. }), "{error:?}");
    let error = test_run("status", file.as_fd(), &Input::packet(PACKET)).unwrap_err();
    assert!(matches!(error, Error::NotAProgram { .. }), "{error:?}");
}

#[test]
fn a_refused_program_has_the_verifiers_log() {
    let Some(_turn) = Turn::take() else { return };
    let error = load(ProgramType::XDP, "bad", &[I::exit()]).unwrap_err();
    let Error::Load { log, .. } = &error else {
        panic!("{error:?}");
    };
    assert!(log.contains("R0 !read_ok"), "{log}");
}
