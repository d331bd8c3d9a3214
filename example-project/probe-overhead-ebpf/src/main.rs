//! Kernel side of the probe overhead benchmark: three bodies, each as one program for every hook.
//!
//! No program has a filter, since that would be part of the cost. So those on `sys_enter`, which
//! every system call of every process passes, also run and count for other processes.
#![no_std]
#![no_main]

use aya_ebpf::{
    bindings::BPF_NOEXIST,
    helpers::{bpf_get_current_pid_tgid, generated},
    macros::{
        btf_tracepoint, fentry, fexit, kprobe, kretprobe, map, raw_tracepoint, tracepoint, uprobe,
        uretprobe,
    },
    maps::HashMap,
    programs::{
        BtfTracePointContext, FEntryContext, FExitContext, ProbeContext, RawTracePointContext,
        RetProbeContext, TracePointContext,
    },
};

/// Calls of each thread, by thread id.
#[map]
static SIMPLE: HashMap<u32, u64> = HashMap::with_max_entries(1024, 0);

/// Makes the hash of a key depend only on the key (`BPF_F_ZERO_SEED`, 5.0 on): a lookup costs the
/// same in every run.
const ZERO_SEED: u32 = 1 << 6;

/// Calls by [`Key`]. A thread can have 1,024 keys. With 32 times as many buckets few keys share
/// one, so most lookups find theirs first and cost the same.
#[map]
static COMPLEX: HashMap<Key, u64> = HashMap::with_max_entries(32_768, ZERO_SEED);

const COMM_LEN: usize = 32;

/// 48 bytes without a gap; the user side has the same struct.
#[repr(C)]
struct Key {
    pid_tgid: u64,
    /// Nanoseconds since boot, modulo 1,024.
    time: u64,
    /// The thread's name, filled up with zeros.
    comm: [u8; COMM_LEN],
}

/// Counts in a small map.
#[inline(always)]
fn simple() {
    count(&SIMPLE, &(bpf_get_current_pid_tgid() as u32));
}

/// Makes a key of 48 bytes by three helpers and counts in a large map.
#[inline(always)]
fn complex() {
    let mut key = Key {
        pid_tgid: bpf_get_current_pid_tgid(),
        // SAFETY: the helper takes nothing and only reads a clock.
        time: unsafe { generated::bpf_ktime_get_ns() } % 1024,
        comm: [0; COMM_LEN],
    };
    // It cannot fail for a task; without a task the name would stay zeros. SAFETY: the helper
    // writes at most the given number of bytes, which the array has.
    unsafe { generated::bpf_get_current_comm(key.comm.as_mut_ptr().cast(), COMM_LEN as u32) };
    count(&COMPLEX, &key);
}

/// Counts up, starting with 1. A full map loses the count; user space detects that.
#[inline(always)]
fn count<K>(map: &HashMap<K, u64>, key: &K) {
    if let Some(calls) = map.get_ptr_mut(key) {
        // SAFETY: the value exists as long as the program runs. Only the key's own thread writes to
        // it, and a thread is on one CPU at a time.
        unsafe { *calls += 1 };
    } else {
        let _: Result<(), i32> = map.insert(key, 1, u64::from(BPF_NOEXIST));
    }
}

/// Makes one program for each body, on the hook of the attribute.
macro_rules! programs {
    ($hook:meta, $context:ty, $empty:ident, $simple:ident, $complex:ident) => {
        #[$hook]
        pub fn $empty(_ctx: $context) -> u32 {
            0
        }

        #[$hook]
        pub fn $simple(_ctx: $context) -> u32 {
            simple();
            0
        }

        #[$hook]
        pub fn $complex(_ctx: $context) -> u32 {
            complex();
            0
        }
    };
}

// Names have at most 15 characters, because kernels keep no more.
programs!(
    tracepoint,
    TracePointContext,
    tp_empty,
    tp_simple,
    tp_complex
);
programs!(
    raw_tracepoint,
    RawTracePointContext,
    raw_tp_empty,
    raw_tp_simple,
    raw_tp_complex
);
// The sections of these programs name what they attach to, because the verifier must know it.
programs!(
    btf_tracepoint(function = "sys_enter"),
    BtfTracePointContext,
    btf_tp_empty,
    btf_tp_simple,
    btf_tp_complex
);
programs!(
    fentry(function = "__do_sys_getpid"),
    FEntryContext,
    fentry_empty,
    fentry_simple,
    fentry_complex
);
programs!(
    fexit(function = "__do_sys_getpid"),
    FExitContext,
    fexit_empty,
    fexit_simple,
    fexit_complex
);
programs!(
    kprobe,
    ProbeContext,
    kprobe_empty,
    kprobe_simple,
    kprobe_complex
);
programs!(
    kretprobe,
    RetProbeContext,
    kret_empty,
    kret_simple,
    kret_complex
);
// A kprobe program becomes one of kprobe.multi when it is loaded, not by its section.
programs!(
    kprobe,
    ProbeContext,
    kmulti_empty,
    kmulti_simple,
    kmulti_complex
);
programs!(
    uprobe,
    ProbeContext,
    uprobe_empty,
    uprobe_simple,
    uprobe_complex
);
programs!(
    uretprobe,
    RetProbeContext,
    uret_empty,
    uret_simple,
    uret_complex
);

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

#[unsafe(link_section = "license")]
#[unsafe(no_mangle)]
static LICENSE: [u8; 13] = *b"Dual MIT/GPL\0";
