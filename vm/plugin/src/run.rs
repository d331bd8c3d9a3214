//! Run: one run of a program, or of one of its functions that the kernel calls by itself. Pure.
//!
//! A run goes from the entry by the kernel to the return to it. Each instruction of the program's own functions is
//! counted where it stands. Every other instruction counts for the innermost call or jump out of the program that has
//! not come back, unless an interrupt or exception is being handled: an interruption costs the run nothing.

use std::collections::BTreeMap;

use crate::code::Exit;
use crate::window::{Ended, Place, Times, Way, Window};

/// Ways out of the program that have not come back, at most. More are given up.
const MAX_FRAMES: usize = 1024;

/// One instruction of a program.
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
    /// A return from an interrupt or exception.
    InterruptReturn,
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

/// Functions of the programs that have windows: end, index of the window, and index in it, by address.
#[derive(Default)]
pub struct Functions(BTreeMap<u64, (u64, usize, usize)>);

/// A function that holds an address.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Its address.
    pub start: u64,
    /// Index of its program's window.
    pub window: usize,
    /// Index in that program.
    pub index: usize,
}

impl Functions {
    /// The number of all functions.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a program's.
    pub fn add(&mut self, window: usize, functions: &[(u64, u64)]) {
        let own = functions.iter().enumerate();
        self.0
            .extend(own.map(|(index, &(start, end))| (start, (end, window, index))));
    }

    /// The one that holds an address.
    pub fn at(&self, address: u64) -> Option<Function> {
        let (&start, &(end, window, index)) = self.0.range(..=address).next_back()?;
        (address < end).then_some(Function {
            start,
            window,
            index,
        })
    }
}

/// A call or jump out of the program.
struct Frame {
    from: Place,
    way: Way,
    target: u64,
    /// Where a call comes back; a jump may come back anywhere.
    back: Option<u64>,
    /// Calls in a function that was jumped to that have not come back. Its own return is to the caller of the function
    /// of the program that jumped.
    depth: u32,
    /// See [`Run::depth`], when the program was left.
    own_depth: u32,
    instructions: u64,
}

/// One run.
pub struct Run {
    /// Index of its window.
    pub window: usize,
    /// The function that the kernel entered.
    function: usize,
    is_running: bool,
    /// Calls among the program's own functions that have not come back, since the kernel called one of them.
    depth: u32,
    frames: Vec<Frame>,
    /// The function of the last block of a program, and its number in the window.
    current: Option<(Function, usize)>,
    /// Instructions of the program's current block that are not executed yet.
    left: u64,
    /// The last instruction of the program, if none of the kernel was executed since, except by an interruption.
    last: Option<(Place, Code)>,
    /// An interruption came after this instruction, the last of its block.
    interrupted: Option<(Place, u64)>,
    /// Interrupts and exceptions that have not returned, and how the first was entered.
    interrupts: u32,
    entry: u64,
    instructions: Times,
    calls: BTreeMap<(Way, u64), u64>,
    called: u64,
}

impl Run {
    /// Begins in a function of a window's program.
    pub fn begin(window: usize, function: usize) -> Self {
        Self {
            window,
            function,
            is_running: true,
            depth: 0,
            frames: Vec::new(),
            current: None,
            left: 0,
            last: None,
            interrupted: None,
            interrupts: 0,
            entry: 0,
            instructions: Times::new(),
            calls: BTreeMap::new(),
            called: 0,
        }
    }

    /// Whether it has not returned.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// Whether code of a program that is executed next belongs to this run, unless an inner one has begun since.
    pub fn continues_at(&self, address: u64, function: Function) -> bool {
        if self.interrupts > 0 {
            return false;
        }
        let is_start = function.start == address;
        if let Some((_, last)) = self.last {
            // A program that replaces a function of another (freplace) is jumped to.
            let leads_there =
                matches!(last.exit, Exit::Jump(Some(to)) | Exit::Call(Some(to)) if to == address);
            return !is_start || function.index > 0 || leads_there;
        }
        match self.frames.last() {
            Some(frame) if frame.back == Some(address) => true,
            // A program starts for a run of its own, a function can be called back.
            _ if is_start => {
                let program = self.current.map(|(own, _)| own.window);
                function.index > 0 && program == Some(function.window)
            }
            // A tail call enters behind the start, a return to another function as well.
            Some(frame) => frame.back.is_none(),
            None => true,
        }
    }

    /// Whether a call of this run comes back there.
    pub fn returns_to(&self, address: u64) -> bool {
        let back = self.frames.last().and_then(|frame| frame.back);
        self.interrupts == 0 && back == Some(address)
    }

    /// Sees that a block of program code begins, in a function that has this number in the window.
    pub fn enter(&mut self, window: &mut Window, block: Block, function: Function, number: usize) {
        self.current = Some((function, number));
        self.left = block.instructions;
        // An exception ended the last instruction of a block, which is executed again.
        if let Some((place, at)) = self.interrupted.take()
            && at == block.address
        {
            self.take_back(place);
        }
        let comes_back =
            |frame: &Frame| self.last.is_none() && frame.back.is_none_or(|at| at == block.address);
        // Otherwise a function of the kernel calls back one of the program.
        if self.frames.last().is_some_and(comes_back) {
            self.leave_frame(window);
        }
    }

    /// Sees one instruction of the program.
    pub fn execute(&mut self, code: Code, functions: &Functions) {
        let Some((function, number)) = self.current else {
            return;
        };
        let place = Place {
            function: number,
            offset: code.address.wrapping_sub(function.start),
        };
        *self.instructions.entry(place).or_default() += 1;
        self.left = self.left.saturating_sub(1);
        self.last = Some((place, code));
        match code.exit {
            Exit::Call(Some(target)) if functions.at(target).is_some() => self.depth += 1,
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
    fn take_back(&mut self, place: Place) {
        if let Some(times) = self.instructions.get_mut(&place) {
            *times -= 1;
            if *times == 0 {
                self.instructions.remove(&place);
            }
        }
    }

    /// Sees a block of other code of the kernel. `entry`: it is the code of that address, which interrupts enter.
    pub fn pass(
        &mut self,
        window: &mut Window,
        block: Block,
        entry: Option<u64>,
        functions: &Functions,
    ) {
        if let Some(entry) = entry {
            if self.interrupts == 0 {
                self.entry = entry;
                window.interrupt(self.function, entry, 1, 0);
                self.interrupt();
            }
            self.interrupts += 1;
        }
        if self.interrupts > 0 {
            window.interrupt(self.function, self.entry, 0, block.instructions);
            if block.end == End::InterruptReturn {
                self.interrupts -= 1;
            }
            return;
        }
        if let Some((place, last)) = self.last.take() {
            self.go_out(window, place, last, block.address, functions);
        }
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        frame.instructions += block.instructions;
        match block.end {
            _ if frame.way != Way::Jump => {}
            End::Call => frame.depth += 1,
            End::Return if frame.depth == 0 => {
                self.leave_frame(window);
                self.go_back();
            }
            End::Return => frame.depth -= 1,
            End::InterruptReturn | End::Other => {}
        }
    }

    /// Sees that other threads have executed something.
    pub fn wait(&mut self, window: &mut Window, instructions: u64) {
        window.interrupt(self.function, 0, 1, instructions);
    }

    /// An interrupt waits for the end of a block, an exception does not.
    fn interrupt(&mut self) {
        if let Some((place, last)) = self.last {
            if self.left > 0 {
                self.take_back(place);
            } else {
                self.interrupted = Some((place, last.address));
            }
        }
    }

    fn go_out(
        &mut self,
        window: &mut Window,
        from: Place,
        last: Code,
        to: u64,
        functions: &Functions,
    ) {
        let outside =
            |target: &Option<u64>| target.is_none_or(|target| functions.at(target).is_none());
        let (way, target, back) = match last.exit {
            Exit::Call(target) if outside(&target) => {
                (Way::Call, target.unwrap_or(to), Some(last.next))
            }
            Exit::Jump(target) if outside(&target) => (Way::Jump, target.unwrap_or(to), None),
            // An interruption whose entry is not known.
            _ => return window.lose(),
        };
        if self.frames.len() == MAX_FRAMES {
            return window.lose();
        }
        self.frames.push(Frame {
            from,
            way,
            target,
            back,
            depth: 0,
            own_depth: self.depth,
            instructions: 0,
        });
        self.depth = 0;
    }

    fn leave_frame(&mut self, window: &mut Window) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.depth = frame.own_depth;
        let Frame {
            from, way, target, ..
        } = frame;
        window.call(self.function, from, way, target, frame.instructions);
        *self.calls.entry((way, target)).or_default() += 1;
        self.called += frame.instructions;
    }

    /// Ends it. One that has not returned is lost, as by an exception (`bpf_throw`).
    pub fn end(mut self, window: &mut Window) {
        while !self.frames.is_empty() {
            self.leave_frame(window);
        }
        window.add(Ended {
            function: self.function,
            is_lost: self.is_running,
            instructions: self.instructions,
            calls: self.calls,
            called: self.called,
        });
    }
}
