//! Window: counts what a program executes from one marker to another. Pure.
//!
//! A run goes from the program's entry to the return to its caller. Each instruction of the
//! program's own functions is counted where it stands. Every other instruction in a run counts for
//! the innermost way out of the program that has not come back: a call, a jump, or an interruption.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::code::Exit;

/// Maximum number of different costs that are counted for one call site and its target.
const MAX_COSTS: usize = 256;
/// Ways out of the program that have not come back, at most. More are given up.
const MAX_FRAMES: usize = 1024;
/// Bytes of a function, and functions of a program, at most.
const MAX_FUNCTION: u64 = 64 << 20;
const MAX_FUNCTIONS: usize = 4096;

/// How the program was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Call,
    Jump,
    Interruption,
}

/// Where the program was left, how, and to where. An interruption's target is 0.
type Place = (u64, Way, u64);

/// All that left the program at one place for one target.
#[derive(Default)]
struct Cost {
    total: u64,
    /// Number of times by instructions.
    times: BTreeMap<u64, u64>,
    /// Times that are not in `times`, which is full.
    others: u64,
}

struct Frame {
    place: Place,
    /// Where a call comes back; others may come back anywhere.
    back: Option<u64>,
    /// Calls in a function that was jumped to that have not come back. Its own return is to the caller of the function
    /// of the program that jumped.
    depth: u32,
    /// See [`Window::depth`], when the program was left.
    own_depth: u32,
    /// Whether an interruption came within a block.
    is_cut: bool,
    instructions: u64,
}

/// One instruction of the program.
#[derive(Debug, Clone, Copy)]
pub struct Code {
    /// Its address.
    pub address: u64,
    /// Address of the next.
    pub next: u64,
    /// How it leaves the program.
    pub exit: Exit,
}

/// What a block of code ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// A call.
    Call,
    /// A return.
    Return,
    /// Anything else.
    Other,
}

/// Instructions that are executed one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Address of the first.
    pub address: u64,
    /// Number of them.
    pub instructions: u64,
    /// What it ends with.
    pub end: End,
}

/// The runs of one program.
pub struct Window {
    tag: u64,
    /// Addresses and ends of its functions, in the agent's order.
    functions: Vec<(u64, u64)>,
    runs: u64,
    is_running: bool,
    /// Calls among the program's own functions that have not come back, since the kernel called one of them.
    depth: u32,
    instructions: BTreeMap<u64, u64>,
    costs: BTreeMap<Place, Cost>,
    frames: Vec<Frame>,
    /// Instructions of the program's current block that are not executed yet.
    left: u64,
    /// The last instruction of the program, if none of another was executed since.
    last: Option<Code>,
    lost: u64,
}

impl Window {
    /// Begins with a message: a tag, then the address and length of each function.
    pub fn open(message: &[u64]) -> Option<Self> {
        let (&tag, functions) = message.split_first()?;
        let functions: Vec<_> = functions
            .chunks_exact(2)
            .map(|own| (own[0], own[0].saturating_add(own[1].min(MAX_FUNCTION))))
            .take(MAX_FUNCTIONS)
            .collect();
        Some(Self {
            tag,
            functions,
            runs: 0,
            is_running: false,
            depth: 0,
            instructions: BTreeMap::new(),
            costs: BTreeMap::new(),
            frames: Vec::new(),
            left: 0,
            last: None,
            lost: 0,
        })
    }

    /// Addresses and ends of the program's functions.
    pub fn functions(&self) -> &[(u64, u64)] {
        &self.functions
    }

    /// Whether a run has begun and not ended.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    fn owns(&self, address: u64) -> bool {
        self.functions
            .iter()
            .any(|&(start, end)| (start..end).contains(&address))
    }

    /// Sees that a block of the program begins. Returns whether it is of a run.
    pub fn enter(&mut self, address: u64, instructions: u64) -> bool {
        if !self.is_running {
            // A tail call enters behind the start, and is of the caller's run.
            if self.functions.first().is_none_or(|own| own.0 != address) {
                return false;
            }
            self.is_running = true;
            self.depth = 0;
            self.runs += 1;
        }
        self.left = instructions;
        match self.frames.last() {
            // Otherwise a function of the kernel calls back one of the program.
            Some(frame) if frame.back.is_none_or(|back| back == address) => {
                let (at, way, _) = frame.place;
                // An exception ended the last instruction of a block, which is executed again.
                if way == Way::Interruption && at == address && !frame.is_cut {
                    self.take_back(at);
                }
                self.leave_frame();
            }
            _ => {}
        }
        true
    }

    /// Sees one instruction of the program.
    pub fn execute(&mut self, code: Code) {
        *self.instructions.entry(code.address).or_default() += 1;
        self.left = self.left.saturating_sub(1);
        self.last = Some(code);
        match code.exit {
            Exit::Call(Some(target)) if self.owns(target) => self.depth += 1,
            Exit::Return => self.go_back(),
            _ => {}
        }
    }

    /// Returns to the caller of a function of the program.
    fn go_back(&mut self) {
        if self.depth > 0 {
            self.depth -= 1;
            return;
        }
        // To the kernel: from the run, or from a function that it called back.
        self.last = None;
        self.is_running = !self.frames.is_empty();
    }

    /// Corrects the count of an instruction that an exception ended, as the guest's clock does.
    fn take_back(&mut self, address: u64) {
        if let Some(times) = self.instructions.get_mut(&address) {
            *times -= 1;
        }
    }

    /// Sees a block of other code of the kernel.
    pub fn pass(&mut self, block: Block) {
        if let Some(last) = self.last.take() {
            self.go_out(last, block.address);
        }
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        frame.instructions += block.instructions;
        match block.end {
            _ if frame.place.1 != Way::Jump => {}
            End::Call => frame.depth += 1,
            End::Return if frame.depth == 0 => {
                self.leave_frame();
                self.go_back();
            }
            End::Return => frame.depth -= 1,
            End::Other => {}
        }
    }

    /// Sees code of user space, or the last of all: no program runs.
    pub fn end_run(&mut self) {
        // An exception has ended it (`bpf_throw`).
        self.lost += u64::from(self.is_running);
        self.last = None;
        self.is_running = false;
        while !self.frames.is_empty() {
            self.leave_frame();
        }
    }

    fn go_out(&mut self, last: Code, to: u64) {
        let outside = |target: &Option<u64>| target.is_none_or(|target| !self.owns(target));
        let (way, target, back) = match last.exit {
            Exit::Call(target) if outside(&target) => {
                (Way::Call, target.unwrap_or(to), Some(last.next))
            }
            Exit::Jump(target) if outside(&target) => (Way::Jump, target.unwrap_or(to), None),
            _ => (Way::Interruption, 0, None),
        };
        // An interrupt waits for the end of a block, an exception does not.
        let is_cut = way == Way::Interruption && self.left > 0;
        if is_cut {
            self.take_back(last.address);
        }
        if self.frames.len() == MAX_FRAMES {
            self.lost += 1;
            return;
        }
        self.frames.push(Frame {
            place: (last.address, way, target),
            back,
            depth: 0,
            own_depth: self.depth,
            is_cut,
            instructions: 0,
        });
        self.depth = 0;
    }

    fn leave_frame(&mut self) {
        let Some(Frame {
            place,
            instructions,
            own_depth,
            ..
        }) = self.frames.pop()
        else {
            return;
        };
        self.depth = own_depth;
        let cost = self.costs.entry(place).or_default();
        cost.total += instructions;
        if cost.times.len() < MAX_COSTS || cost.times.contains_key(&instructions) {
            *cost.times.entry(instructions).or_default() += 1;
        } else {
            cost.others += 1;
        }
    }

    /// Ends it. Returns a line for the window, for each instruction and each way out, and `end`.
    ///
    /// Places are a function's number and an offset in it.
    pub fn close(mut self) -> String {
        self.end_run();
        let place = |address: u64| {
            let mut all = self.functions.iter().enumerate();
            let found = all.find(|(_, (start, end))| (*start..*end).contains(&address));
            found.map_or((0, 0), |(index, (start, _))| (index, address - start))
        };
        let mut text = format!("window {} {} {}\n", self.tag, self.runs, self.lost);
        for (&address, times) in self.instructions.iter().filter(|(_, times)| **times > 0) {
            let (function, offset) = place(address);
            let _ = writeln!(text, "instruction {function} {offset} {times}");
        }
        for (&(address, way, target), cost) in &self.costs {
            let (function, offset) = place(address);
            let word = match way {
                Way::Call => "call",
                Way::Jump => "jump",
                Way::Interruption => "interruption",
            };
            let times = cost.others + cost.times.values().sum::<u64>();
            let (least, most) = (cost.times.keys().min(), cost.times.keys().max());
            // Of values that are as frequent, the lowest.
            let frequent = cost.times.iter().rev().max_by_key(|(_, times)| **times);
            let _ = writeln!(
                text,
                "{word} {function} {offset} {target:x} {times} {} {} {} {}",
                cost.total,
                least.unwrap_or(&0),
                most.unwrap_or(&0),
                frequent.map_or(0, |(value, _)| *value),
            );
        }
        text.push_str("end\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: u64 = 0xffff_ffff_c000_0000;
    const HELPER: u64 = 0xffff_ffff_8100_0000;

    fn code(offset: u64, length: u64, exit: Exit) -> Code {
        Code {
            address: PROGRAM + offset,
            next: PROGRAM + offset + length,
            exit,
        }
    }

    fn window() -> Window {
        Window::open(&[7, PROGRAM, 64, PROGRAM + 128, 32]).unwrap()
    }

    fn other(address: u64, instructions: u64) -> Block {
        Block {
            address,
            instructions,
            end: End::Other,
        }
    }

    fn call(to: u64) -> Code {
        code(4, 5, Exit::Call(Some(to)))
    }

    #[test]
    fn a_call_has_what_is_executed_until_it_comes_back() {
        let mut window = window();
        // One system call can run the program many times.
        for cost in [10, 12, 12] {
            // The kernel that runs the program counts for nothing.
            window.pass(other(HELPER + 512, 100));
            window.enter(PROGRAM, 1);
            window.execute(code(0, 4, Exit::None));
            window.execute(call(HELPER));
            window.pass(other(HELPER, 4));
            window.pass(other(HELPER + 64, cost - 4));
            window.enter(PROGRAM + 9, 1);
            window.execute(code(9, 1, Exit::Return));
            window.pass(other(HELPER + 512, 100));
        }
        assert_eq!(
            window.close(),
            "window 7 3 0\ninstruction 0 0 3\ninstruction 0 4 3\ninstruction 0 9 3\n\
             call 0 4 ffffffff81000000 3 34 10 12 12\nend\n"
        );
    }

    #[test]
    fn a_function_that_is_called_back_is_the_programs() {
        let mut window = window();
        window.enter(PROGRAM, 1);
        window.execute(call(HELPER));
        window.pass(other(HELPER, 5));
        window.enter(PROGRAM + 128, 1);
        window.execute(code(128, 1, Exit::Return));
        window.pass(other(HELPER + 5, 3));
        window.enter(PROGRAM + 9, 1);
        window.execute(code(9, 1, Exit::Return));
        assert_eq!(
            window.close(),
            "window 7 1 0\ninstruction 0 4 1\ninstruction 0 9 1\ninstruction 1 0 1\n\
             call 0 4 ffffffff81000000 1 8 8 8 8\nend\n"
        );
    }

    #[test]
    fn an_interruption_is_no_call() {
        let mut window = window();
        window.enter(PROGRAM, 1);
        window.execute(code(0, 4, Exit::None));
        window.pass(other(HELPER, 50));
        window.enter(PROGRAM + 4, 1);
        // Before the called function of the program has begun.
        window.execute(call(PROGRAM + 128));
        window.pass(other(HELPER, 60));
        window.enter(PROGRAM + 128, 1);
        window.execute(code(128, 1, Exit::Return));
        // In a call.
        window.enter(PROGRAM + 9, 1);
        window.execute(code(9, 5, Exit::Call(None)));
        window.pass(other(HELPER, 1));
        window.pass(other(HELPER + 256, 70));
        window.enter(PROGRAM + 14, 1);
        window.execute(code(14, 1, Exit::Return));
        let text = window.close();
        let ways: Vec<_> = text
            .lines()
            .filter(|line| !line.starts_with("instruction "))
            .collect();
        assert_eq!(
            ways,
            [
                "window 7 1 0",
                "interruption 0 0 0 1 50 50 50 50",
                "interruption 0 4 0 1 60 60 60 60",
                "call 0 9 ffffffff81000000 1 71 71 71 71",
                "end"
            ]
        );
    }

    #[test]
    fn an_instruction_that_an_exception_ended_is_not_counted() {
        let mut window = window();
        let mut block = |own: &[u64], instructions| {
            window.enter(PROGRAM + own[0], instructions);
            for &offset in own {
                window.execute(code(offset, 1, Exit::None));
            }
            window.pass(other(HELPER, 50));
        };
        // Within a block, which goes on after the instruction; then before it, to execute it again.
        block(&[0, 1], 3);
        block(&[2, 3], 3);
        // At the end of a block, to execute it again; then a timer tick.
        block(&[3, 4], 2);
        block(&[4], 1);
        window.enter(PROGRAM + 5, 1);
        window.execute(code(5, 1, Exit::Return));
        let text = window.close();
        let times: Vec<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("instruction 0 "))
            .collect();
        assert_eq!(times, ["0 1", "2 1", "3 1", "4 1", "5 1"]);
        assert!(
            text.contains("interruption 0 4 0 2 100 50 50 50\n"),
            "{text}"
        );
    }

    #[test]
    fn another_programs_tail_call_is_no_run() {
        let mut window = window();
        assert!(!window.enter(PROGRAM + 11, 1));
        window.pass(other(HELPER, 5));
        assert_eq!(window.close(), "window 7 0 0\nend\n");
    }

    #[test]
    fn what_does_not_come_back_ends_with_the_run() {
        let mut window = window();
        window.enter(PROGRAM, 1);
        window.execute(call(HELPER));
        window.pass(other(HELPER, 5));
        window.end_run();
        window.pass(other(HELPER, 1000));
        window.enter(PROGRAM, 1);
        window.execute(code(0, 5, Exit::Jump(Some(HELPER))));
        window.pass(other(HELPER, 2));
        let text = window.close();
        assert!(text.starts_with("window 7 2 2\n"), "{text}");
        assert!(
            text.contains("call 0 4 ffffffff81000000 1 5 5 5 5\n"),
            "{text}"
        );
        assert!(
            text.contains("jump 0 0 ffffffff81000000 1 2 2 2 2\n"),
            "{text}"
        );
    }

    #[test]
    fn a_function_that_is_jumped_to_returns_for_the_program() {
        let mut window = window();
        let block = |address, instructions, end| Block {
            address,
            instructions,
            end,
        };
        window.enter(PROGRAM, 1);
        window.execute(call(PROGRAM + 128));
        window.enter(PROGRAM + 128, 1);
        // A return thunk, back to the program, and then to the kernel.
        window.execute(code(128, 5, Exit::Jump(Some(HELPER))));
        window.pass(block(HELPER, 1, End::Return));
        window.enter(PROGRAM + 9, 1);
        window.execute(code(9, 5, Exit::Jump(Some(HELPER + 64))));
        window.pass(block(HELPER + 64, 2, End::Call));
        window.pass(block(HELPER + 128, 3, End::Return));
        window.pass(block(HELPER + 66, 4, End::Return));
        window.pass(block(HELPER + 512, 100, End::Other));
        let text = window.close();
        assert!(text.starts_with("window 7 1 0\n"), "{text}");
        assert!(
            text.contains("jump 1 0 ffffffff81000000 1 1 1 1 1\n"),
            "{text}"
        );
        assert!(
            text.contains("jump 0 9 ffffffff81000040 1 9 9 9 9\n"),
            "{text}"
        );
    }

    #[test]
    fn ways_out_that_are_nested_too_deeply_are_counted_as_lost() {
        let mut window = window();
        window.enter(PROGRAM, 1);
        for _ in 0..MAX_FRAMES + 2 {
            window.execute(call(HELPER));
            window.pass(other(HELPER, 1));
        }
        // And the run, which has not ended.
        assert!(window.close().starts_with("window 7 1 3\n"));
    }
}
