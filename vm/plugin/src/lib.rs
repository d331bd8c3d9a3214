//! A QEMU plugin (TCG) that counts what each run of a BPF program executes, by instruction and by call. It
//! sees the guest; the guest does not see it, and its clock counts the same.
//!
//! The guest agent says by markers which programs to look at and at which addresses. What was counted
//! goes to [`OUTPUT`] at each closing marker, since QEMU is killed.
//!
//! The plugin interface is declared here by hand, as Debian has no header for it: functions that
//! all versions from 1 (QEMU 6) on have. Tested with version 1 of QEMU 7.2.

mod code;
mod run;
mod tracker;
mod window;

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use code::{Exit, Marker};
use run::{Block, Code, End};
use tracker::{JIT, KERNEL, Tracker};

/// The file in QEMU's working directory, the run folder. It must not be there before the guest runs, so that the guest
/// cannot choose where it leads.
const OUTPUT: &str = "inside.txt";
/// Bytes of output, at most. The host reads no more.
const MAX_OUTPUT: u64 = 64 << 20;
const LONGEST_INSTRUCTION: usize = 15;

/// Opaque structs of QEMU.
type TranslationBlock = c_void;
type Instruction = c_void;
type Callback = extern "C" fn(cpu: u32, data: *mut c_void);
type MemoryCallback = extern "C" fn(cpu: u32, info: u32, address: u64, data: *mut c_void);
/// Reads and writes of memory. QEMU 7.2 does not report a read of `%rsp` where only reads are asked for.
const ACCESSES: c_int = 3;

/// The beginning of `qemu_info_t`.
#[repr(C)]
pub struct Info {
    target: *const c_char,
    lowest: c_int,
    current: c_int,
}

unsafe extern "C" {
    fn qemu_plugin_register_vcpu_tb_trans_cb(
        id: u64,
        callback: extern "C" fn(u64, *mut TranslationBlock),
    );
    fn qemu_plugin_register_vcpu_tb_exec_cb(
        block: *mut TranslationBlock,
        callback: Callback,
        flags: c_int,
        data: *mut c_void,
    );
    fn qemu_plugin_register_vcpu_insn_exec_cb(
        instruction: *mut Instruction,
        callback: Callback,
        flags: c_int,
        data: *mut c_void,
    );
    fn qemu_plugin_register_vcpu_mem_cb(
        instruction: *mut Instruction,
        callback: MemoryCallback,
        flags: c_int,
        accesses: c_int,
        data: *mut c_void,
    );
    fn qemu_plugin_tb_n_insns(block: *const TranslationBlock) -> usize;
    fn qemu_plugin_tb_get_insn(block: *const TranslationBlock, index: usize) -> *mut Instruction;
    fn qemu_plugin_insn_vaddr(instruction: *const Instruction) -> u64;
    fn qemu_plugin_insn_size(instruction: *const Instruction) -> usize;
    /// Before version 3 it has one parameter, and returns the address of the bytes.
    fn qemu_plugin_insn_data(instruction: *const Instruction, to: *mut u8, length: usize) -> usize;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The version of the interface that QEMU is asked for. Version 2, which QEMU 9 requires, has all
/// that is used here of version 1.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static qemu_plugin_version: AtomicI32 = AtomicI32::new(1);

/// Runs when QEMU loads the plugin, before it reads the version.
#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = {
    extern "C" fn choose_version() {
        // SAFETY: a C string; a null handle asks all loaded objects.
        let since_2 =
            unsafe { dlsym(std::ptr::null_mut(), c"qemu_plugin_scoreboard_new".as_ptr()) };
        if !since_2.is_null() {
            qemu_plugin_version.store(2, Ordering::Relaxed);
        }
    }
    choose_version
};

/// Whether there is a window, for a quick look.
static OPEN: AtomicBool = AtomicBool::new(false);
/// The version of the interface that QEMU has.
static VERSION: AtomicI32 = AtomicI32::new(0);
static STATE: Mutex<Option<State>> = Mutex::new(None);

struct State {
    output: File,
    written: u64,
    tracker: Tracker,
    /// Instructions of the JIT's area as last translated, and their places by address.
    codes: Vec<Code>,
    known: HashMap<u64, usize>,
}

fn state() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn mark(&mut self, marker: Marker) {
        for text in self.tracker.mark(marker) {
            self.written += text.len() as u64;
            // The host sees that a window is missing.
            if self.written <= MAX_OUTPUT {
                let _ = self.output.write_all(text.as_bytes());
            }
        }
        OPEN.store(self.tracker.is_open(), Ordering::Relaxed);
    }

    /// The number of an instruction of the JIT's area.
    fn learn(&mut self, code: Code) -> usize {
        let next = self.codes.len();
        let index = *self.known.entry(code.address).or_insert(next);
        match self.codes.get_mut(index) {
            Some(known) => *known = code,
            None => self.codes.push(code),
        }
        index
    }
}

/// Packs a block's address, whose upper 16 bits repeat the one below, its number of instructions, which QEMU limits to
/// 512, and its end.
fn pack(block: Block) -> *mut c_void {
    let end = match block.end {
        End::Other => 0,
        End::Call => 1,
        End::Return => 2,
        End::InterruptReturn => 3,
    };
    (block.address << 16 | end << 14 | (block.instructions & 0x3fff)) as *mut c_void
}

fn unpack(data: *mut c_void) -> Block {
    let data = data as u64;
    Block {
        address: (data.cast_signed() >> 16).cast_unsigned(),
        instructions: data & 0x3fff,
        end: match data >> 14 & 3 {
            1 => End::Call,
            2 => End::Return,
            3 => End::InterruptReturn,
            _ => End::Other,
        },
    }
}

extern "C" fn on_block(_: u32, data: *mut c_void) {
    if !OPEN.load(Ordering::Relaxed) {
        return;
    }
    if let Some(state) = &mut *state() {
        state.tracker.begin_block(unpack(data));
    }
}

extern "C" fn on_code(_: u32, data: *mut c_void) {
    if !OPEN.load(Ordering::Relaxed) {
        return;
    }
    if let Some(State { tracker, codes, .. }) = &mut *state()
        && let Some(code) = codes.get(data as usize)
    {
        tracker.execute(*code);
    }
}

extern "C" fn on_marker(_: u32, data: *mut c_void) {
    if let (Some(state), Some(&marker)) = (&mut *state(), Marker::ALL.get(data as usize)) {
        state.mark(marker);
    }
}

extern "C" fn on_switch(_: u32, _: u32, address: u64, _: *mut c_void) {
    if let Some(state) = &mut *state() {
        state.tracker.switch(address);
    }
}

/// Reads the bytes of an instruction.
///
/// # Safety
/// QEMU has just translated it.
unsafe fn bytes_of(instruction: *mut Instruction, buffer: &mut [u8; LONGEST_INSTRUCTION]) -> &[u8] {
    // SAFETY: the caller answers for the instruction.
    let length = unsafe { qemu_plugin_insn_size(instruction) }.min(LONGEST_INSTRUCTION);
    // SAFETY: as above; `buffer` has room for `length` bytes. Older versions ignore it.
    let data = unsafe { qemu_plugin_insn_data(instruction, buffer.as_mut_ptr(), length) };
    if VERSION.load(Ordering::Relaxed) < 3 && data != 0 {
        // SAFETY: the address of the instruction's `length` bytes.
        unsafe { std::ptr::copy_nonoverlapping(data as *const u8, buffer.as_mut_ptr(), length) };
    }
    &buffer[..length]
}

extern "C" fn on_translation(_: u64, block: *mut TranslationBlock) {
    // SAFETY: QEMU passes the block that it translates, and only here its instructions are asked
    // for, each by an index in range.
    unsafe {
        let count = qemu_plugin_tb_n_insns(block);
        let instructions = (0..count).map(|index| qemu_plugin_tb_get_insn(block, index));
        let start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0));
        let last = qemu_plugin_tb_get_insn(block, count - 1);
        let mut buffer = [0; LONGEST_INSTRUCTION];
        let end = match code::decode(0, bytes_of(last, &mut buffer)) {
            Exit::Call(_) => End::Call,
            Exit::Return => End::Return,
            Exit::InterruptReturn => End::InterruptReturn,
            _ => End::Other,
        };
        let packed = pack(Block {
            address: start,
            instructions: count as u64,
            end,
        });
        qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, 0, packed);
        for instruction in instructions {
            let mut buffer = [0; LONGEST_INSTRUCTION];
            let bytes = bytes_of(instruction, &mut buffer);
            if JIT.contains(&start) {
                let address = qemu_plugin_insn_vaddr(instruction);
                let code = Code {
                    address,
                    next: address + bytes.len() as u64,
                    exit: code::decode(address, bytes),
                };
                if let Some(state) = &mut *state() {
                    let data = state.learn(code) as *mut c_void;
                    qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_code, 0, data);
                }
            } else if start >= KERNEL {
                if code::switches_task(bytes) {
                    let none = std::ptr::null_mut();
                    qemu_plugin_register_vcpu_mem_cb(instruction, on_switch, 0, ACCESSES, none);
                }
            } else if let Some(marker) = code::marker(bytes) {
                let data = marker as usize as *mut c_void;
                qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_marker, 0, data);
            }
        }
    }
}

/// Reads `secret=HEX`, the only argument.
///
/// # Safety
/// `arguments` has `count` C strings.
unsafe fn secret_of(count: c_int, arguments: *const *const c_char) -> Option<u64> {
    if count != 1 {
        return None;
    }
    // SAFETY: the caller answers for both.
    let argument = unsafe { CStr::from_ptr(*arguments) }.to_str().ok()?;
    u64::from_str_radix(argument.strip_prefix("secret=")?, 16).ok()
}

/// The entry point. Returns 0, or another number if nothing can be written or there is no secret, which ends QEMU.
///
/// # Safety
/// QEMU calls it once, with the info of its interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: u64,
    info: *const Info,
    count: c_int,
    arguments: *const *const c_char,
) -> c_int {
    // SAFETY: QEMU passes its own info.
    VERSION.store(unsafe { (*info).current }, Ordering::Relaxed);
    // SAFETY: QEMU passes its arguments.
    let Some(secret) = (unsafe { secret_of(count, arguments) }) else {
        eprintln!("bpfgate-plugin: the argument secret=HEX is missing");
        return 1;
    };
    let output = match OpenOptions::new().write(true).create_new(true).open(OUTPUT) {
        Ok(output) => output,
        Err(error) => {
            eprintln!("bpfgate-plugin: cannot write {OUTPUT}: {error}");
            return 1;
        }
    };
    *state() = Some(State {
        output,
        written: 0,
        tracker: Tracker::new(secret),
        codes: Vec::new(),
        known: HashMap::new(),
    });
    // SAFETY: the id that QEMU gave, and a function that stays.
    unsafe { qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation) };
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_survive_packing() {
        let addresses = [
            0xffff_ffff_c012_3456,
            0x7fff_1234_5678,
            0xffff_8880_0000_0000,
            0xffff_ffff_8100_0000,
        ];
        let ends = [End::Call, End::Return, End::Other, End::InterruptReturn];
        for (address, end) in addresses.into_iter().zip(ends) {
            let block = Block {
                address,
                instructions: 512,
                end,
            };
            assert_eq!(unpack(pack(block)), block);
        }
    }
}
