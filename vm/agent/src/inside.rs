//! Inside: shows QEMU's plugin (`vm/plugin`) when programs run and where their code is, and says
//! what the plugin's numbers are about: lines, and names of called functions.

use std::arch::asm;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use anyhow::{Context, Result};
use iced_x86::{Decoder, DecoderOptions, OpKind};

use crate::bpf::{self, JitImage, Prog};
use crate::btf::Btf;
use crate::kernel::{functions_at, interrupt_entries};
use crate::lines;
use crate::record::{Code, Count, Inside, SeenCode};

/// Executes a marker: a long nop, whose displacement no compiler chooses.
macro_rules! mark {
    ($last:literal) => {
        // SAFETY: a nop, which changes nothing.
        unsafe {
            asm!(
                concat!(
                    ".byte 0x0f, 0x1f, 0x84, 0x00, ",
                    $last,
                    ", 0x67, 0x70, 0x62"
                ),
                options(nomem, nostack, preserves_flags)
            )
        }
    };
}

/// Numbers this process's windows.
static NEXT: AtomicU32 = AtomicU32::new(0);
/// The first word of each message, so that no bench can send one. Processes that load objects inherit it.
static SECRET: AtomicU64 = AtomicU64::new(0);

/// Says where interrupts and exceptions enter the kernel, before the first window. Returns the names of that code by
/// addresses in hexadecimal digits.
pub fn begin(secret: &str) -> Result<BTreeMap<String, String>> {
    let secret = u64::from_str_radix(secret, 16).context("the plan's `inside` is no secret")?;
    SECRET.store(secret, Ordering::Relaxed);
    let entries = interrupt_entries().context("cannot read the kernel's symbols")?;
    begin_message();
    for (start, end, _) in &entries {
        send(*start);
        send(*end);
    }
    mark!("0x75");
    let names = entries.into_iter();
    Ok(names
        .map(|(start, _, name)| (format!("{start:x}"), name))
        .collect())
}

/// A program whose runs the plugin sees.
#[derive(Debug)]
pub struct Seen {
    window: u64,
    image: JitImage,
    code: Code,
}

impl Seen {
    /// Looks at a program that runs next; `None` if it is interpreted.
    pub fn prepare(prog: &Prog) -> io::Result<Option<Self>> {
        let image = prog.jit_image()?;
        if image.functions.is_empty() || image.functions.len() != image.function_bytes.len() {
            return Ok(None);
        }
        // A process that takes the place of one that crashed counts from 0 again.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let window = u64::from(std::process::id()) << 20 | u64::from(number & 0xf_ffff);
        let mut code = None;
        let id = prog.info()?.btf_id;
        if id != 0
            && let Some(btf) = Btf::parse(&bpf::btf_blob(id)?)
        {
            code = lines::read(prog, &btf)?;
        }
        Ok(Some(Self {
            window,
            image,
            code: code.unwrap_or_default(),
        }))
    }

    /// Runs the program in a window.
    pub fn watch<T>(&self, run: impl FnOnce() -> T) -> T {
        self.open();
        let result = run();
        close();
        result
    }

    /// Opens the program's window, until [`close`].
    pub fn open(&self) {
        begin_message();
        send(self.window);
        for (&start, &bytes) in self.image.functions.iter().zip(&self.image.function_bytes) {
            send(start);
            send(bytes.into());
        }
        mark!("0x73");
    }

    /// The window's tag.
    pub fn window(&self) -> u64 {
        self.window
    }
}

/// Closes all windows.
pub fn close() {
    begin_message();
    mark!("0x74");
}

fn begin_message() {
    mark!("0x70");
    send(SECRET.load(Ordering::Relaxed));
}

/// Names of kernel functions, and the code that was described last.
#[derive(Default)]
pub struct Describer {
    names: BTreeMap<u64, Option<String>>,
    last: Option<SeenCode>,
}

impl Describer {
    /// Forgets the code of another program.
    pub fn begin(&mut self) {
        self.last = None;
    }

    /// Describes a reading. `empty`: the window of an empty program.
    pub fn describe(&mut self, seen: Seen, reading: Count, empty: Option<u64>) -> Inside {
        let targets = seen.image.targets();
        let unknown: BTreeSet<_> = targets
            .iter()
            .copied()
            .filter(|target| !self.names.contains_key(target))
            .collect();
        if !unknown.is_empty() {
            let mut found = functions_at(&unknown).unwrap_or_default();
            let named = unknown.into_iter().map(|at| (at, found.remove(&at)));
            self.names.extend(named);
        }
        let name = |target| self.names.get(&target).cloned().flatten();
        let code = SeenCode {
            code: seen.code,
            names: targets
                .into_iter()
                .filter_map(|target| Some((format!("{target:x}"), name(target)?)))
                .collect(),
        };
        let is_new = self.last.as_ref() != Some(&code);
        if is_new {
            self.last = Some(code.clone());
        }
        Inside {
            window: seen.window,
            reading,
            empty,
            code: is_new.then_some(code),
        }
    }
}

/// Sends a word, bit by bit: the plugin can only see what is executed.
fn send(word: u64) {
    for bit in (0..64).rev() {
        if word >> bit & 1 == 1 {
            mark!("0x72");
        } else {
            mark!("0x71");
        }
    }
}

impl JitImage {
    /// Where its calls and jumps lead that leave the program.
    fn targets(&self) -> BTreeSet<u64> {
        let mut targets = BTreeSet::new();
        let mut code = self.code.as_slice();
        for (&start, &bytes) in self.functions.iter().zip(&self.function_bytes) {
            let Some((own, rest)) = code.split_at_checked(bytes as usize) else {
                break;
            };
            code = rest;
            for instruction in Decoder::with_ip(64, own, start, DecoderOptions::NONE) {
                if instruction.op0_kind() == OpKind::NearBranch64 {
                    targets.insert(instruction.near_branch_target());
                }
            }
        }
        let ends = self.functions.iter().zip(&self.function_bytes);
        for (&start, &bytes) in ends {
            targets.retain(|target| !(start..start + u64::from(bytes)).contains(target));
        }
        targets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_leave_the_program_have_targets() {
        let start = 0xffff_ffff_c000_0000;
        let image = JitImage {
            // `call` to 0x10000 further on, `jmp` to the return, `call` to the start, `ret`.
            code: [
                &[0xe8, 0xfb, 0xff, 0, 0][..],
                &[0xeb, 5],
                &[0xe8, 0xf4, 0xff, 0xff, 0xff],
                &[0xc3],
            ]
            .concat(),
            functions: vec![start],
            function_bytes: vec![13],
            lines: Vec::new(),
        };
        assert_eq!(image.targets(), BTreeSet::from([start + 0x10000]));
    }
}
