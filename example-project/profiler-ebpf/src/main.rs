//! Kernel side of the profiler: takes the user stack of the thread in which it is called, and sends
//! it to user space by a ring buffer. It counts the samples that it could not send.
#![no_std]
#![no_main]

use core::ptr;

use aya_ebpf::{
    EbpfContext as _, Global,
    bindings::{BPF_ANY, BPF_F_USER_STACK, BPF_RB_NO_WAKEUP},
    helpers::{
        bpf_get_current_pid_tgid,
        generated::{bpf_get_stack, bpf_ktime_get_ns, bpf_ringbuf_output},
    },
    macros::{map, perf_event, tracepoint},
    maps::{HashMap, PerCpuArray, RingBuf},
    programs::{PerfEventContext, TracePointContext},
};
use aya_log_ebpf::warn;
use profiler_common::{Counts, OffCpuSample, STACK_SIZE, Sample, SampleHeader};

/// Samples on their way to user space, oldest first: [`Sample`] if `perf_profiler` is attached,
/// [`OffCpuSample`] if `off_cpu` is. User space attaches one of them.
#[map]
static SAMPLES: RingBuf = RingBuf::with_byte_size(4096 * 4096, 0);

/// One entry for each CPU, so nothing is counted twice or overwritten.
#[map]
static COUNTS: PerCpuArray<Counts> = PerCpuArray::with_max_entries(1, 0);

/// Waiting threads, by thread ID. User space sets the limit.
#[map]
static BLOCKED: HashMap<u32, OffCpuSample> = HashMap::with_max_entries(1, 0);

/// The place where an entry of [`BLOCKED`] is assembled, because it is larger than a BPF program's
/// stack.
#[map]
static SCRATCH: PerCpuArray<OffCpuSample> = PerCpuArray::with_max_entries(1, 0);

/// The sampled process, by its ID in the first PID namespace. 0 for every process in which the
/// program is called. Set by user space before loading.
#[unsafe(no_mangle)]
static PID: Global<u32> = Global::new(0);

/// Offsets of the fields of the tracepoint `sched_switch`. User space reads them from the kernel,
/// and sets them before loading.
#[unsafe(no_mangle)]
static PREV_STATE_OFFSET: Global<u32> = Global::new(0);
#[unsafe(no_mangle)]
static NEXT_PID_OFFSET: Global<u32> = Global::new(0);

/// Bits of `prev_state` of a thread that waits and will run again: interruptible, uninterruptible,
/// stopped, traced, parked. Not included: preempted (0x100), and dead (0x10, 0x20).
const WAITING: i64 = 0x01 | 0x02 | 0x04 | 0x08 | 0x40;

/// Takes one sample of the thread that the event interrupted.
#[perf_event]
pub fn perf_profiler(ctx: PerfEventContext) -> u32 {
    // The verifier of 5.8 and 5.9 (and of 5.10, until it was fixed) forgets that a pointer leads to
    // a record of a ring buffer when the compiler spills it to the stack. It then refuses the
    // program ("R6 invalid mem access 'inv'"). A value is spilled when more values have to survive
    // the call of a helper than the four registers that do, R6 to R9. So work that needs a helper
    // is done before there is a record if possible. Work that can wait (counting and logging, which
    // call many helpers) is done once the record is gone. In between is one call, `bpf_get_stack`,
    // and three values survive it: the record, the time and the IDs. `profiler/tests/no_spill.rs`
    // checks the compiled program.
    //
    // aya-log cannot avoid this: each message is a record, and its pointer is spilled. User space
    // sets the log level to 0 if the verifier refuses that. The verifier knows the level when it
    // checks the program, and never sees the messages.
    let pid_tgid = bpf_get_current_pid_tgid();
    let pid = (pid_tgid >> 32) as u32;
    if !is_watched(pid) {
        return 0;
    }
    // SAFETY: has no requirements.
    let ktime = unsafe { bpf_ktime_get_ns() };

    let Some(mut record) = SAMPLES.reserve::<Sample>(0) else {
        count(Outcome::Lost);
        warn!(
            &ctx,
            "sample of process {} lost: the ring buffer is full", pid
        );
        return 0;
    };
    let sample = record.as_mut_ptr();
    // SAFETY: the stack of the record has that length.
    let stack_len = unsafe {
        bpf_get_stack(
            ctx.as_ptr(),
            (&raw mut (*sample).stack).cast(),
            STACK_SIZE as u32,
            u64::from(BPF_F_USER_STACK),
        )
    };
    if stack_len < 0 {
        record.discard(u64::from(BPF_RB_NO_WAKEUP));
        count(Outcome::Failed);
        warn!(
            &ctx,
            "sample of process {} failed: the stack cannot be read, error {}", pid, stack_len
        );
        return 0;
    }
    // SAFETY: the header is part of the record. The helper above filled all of the stack.
    unsafe {
        (&raw mut (*sample).header).write(SampleHeader {
            ktime,
            pid,
            tid: pid_tgid as u32,
            stack_len: stack_len as u64,
        });
    }
    record.submit(0);
    count(Outcome::Taken);
    0
}

/// Takes the stack of a thread that goes to sleep, and sends it when the thread runs again. So the
/// wait includes the time between being woken and having a CPU.
#[tracepoint]
pub fn off_cpu(ctx: TracePointContext) -> u32 {
    // SAFETY: the offset is that of a field of this type.
    if let Ok(next) = unsafe { ctx.read_at::<u32>(NEXT_PID_OFFSET.load() as usize) } {
        end_wait(&ctx, next);
    }
    // The thread that is leaving is still the current one.
    let pid_tgid = bpf_get_current_pid_tgid();
    let pid = (pid_tgid >> 32) as u32;
    if is_watched(pid) {
        // SAFETY: the offset is that of a field of this type.
        match unsafe { ctx.read_at::<i64>(PREV_STATE_OFFSET.load() as usize) } {
            Ok(state) if state & WAITING != 0 => begin_wait(&ctx, pid, pid_tgid as u32),
            // The thread was preempted, or ends here.
            _ => {}
        }
    }
    0
}

#[inline(always)]
fn begin_wait(ctx: &TracePointContext, pid: u32, tid: u32) {
    let Some(waiting) = SCRATCH.get_ptr_mut(0) else {
        return;
    };
    // SAFETY: the stack has that length, and this CPU's entry belongs to this call: the tracepoint
    // is hit with preemption off.
    let stack_len = unsafe {
        bpf_get_stack(
            ctx.as_ptr(),
            (&raw mut (*waiting).sample.stack).cast(),
            STACK_SIZE as u32,
            u64::from(BPF_F_USER_STACK),
        )
    };
    if stack_len < 0 {
        count(Outcome::Failed);
        warn!(
            ctx,
            "wait of thread {} failed: the stack cannot be read, error {}", tid, stack_len
        );
        return;
    }
    // SAFETY: as above, and every part of the entry is written.
    let inserted = unsafe {
        (*waiting).sample.header = SampleHeader {
            ktime: bpf_ktime_get_ns(),
            pid,
            tid,
            stack_len: stack_len as u64,
        };
        (*waiting).blocked_ns = 0;
        BLOCKED.insert(&tid, &*waiting, u64::from(BPF_ANY))
    };
    if inserted.is_err() {
        count(Outcome::Failed);
        warn!(ctx, "wait of thread {} failed: too many threads wait", tid);
    }
}

#[inline(always)]
fn end_wait(ctx: &TracePointContext, tid: u32) {
    let Some(waiting) = BLOCKED.get_ptr_mut(&tid) else {
        return;
    };
    // Sent directly from the map: no record is held, so none can be spilled. SAFETY: only this
    // thread's next sleep writes the entry again, or user space at the end.
    let sent = unsafe {
        (*waiting).blocked_ns = bpf_ktime_get_ns() - (*waiting).sample.header.ktime;
        bpf_ringbuf_output(
            ptr::from_ref(&SAMPLES).cast_mut().cast(),
            waiting.cast(),
            size_of::<OffCpuSample>() as u64,
            0,
        )
    };
    let _: Result<(), i32> = BLOCKED.remove(&tid);
    if sent < 0 {
        count(Outcome::Lost);
        warn!(ctx, "wait of thread {} lost: the ring buffer is full", tid);
    } else {
        count(Outcome::Taken);
    }
}

#[inline(always)]
fn is_watched(pid: u32) -> bool {
    let watched = PID.load();
    watched == 0 || watched == pid
}

/// The possible results of a sample.
enum Outcome {
    Taken,
    Lost,
    Failed,
}

#[inline(always)]
fn count(outcome: Outcome) {
    if let Some(counts) = COUNTS.get_ptr_mut(0) {
        // SAFETY: the entry is this CPU's, and a program does not interrupt itself.
        unsafe {
            match outcome {
                Outcome::Taken => (*counts).taken += 1,
                Outcome::Lost => (*counts).lost += 1,
                Outcome::Failed => (*counts).failed += 1,
            }
        }
    }
}

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

#[unsafe(link_section = "license")]
#[unsafe(no_mangle)]
static LICENSE: [u8; 13] = *b"Dual MIT/GPL\0";
