//! Tracker: follows the guest's threads, the runs of programs in them, and the agent's messages. Pure.

use std::collections::{BTreeMap, HashMap};

use crate::code::Marker;
use crate::run::{Block, Code, Functions, Run};
use crate::window::Window;

/// Where x86-64 Linux has modules and the machine code of BPF programs.
pub const JIT: std::ops::Range<u64> = 0xffff_ffff_a000_0000..0xffff_ffff_ff00_0000;
/// Addresses from here on are the kernel's.
pub const KERNEL: u64 = 1 << 63;
/// Words of a message, at most.
const MAX_WORDS: usize = 1 << 14;
/// Functions of all open windows, at most. The host sees that other windows are missing.
const MAX_FUNCTIONS: usize = 1 << 16;
/// Runs of all threads that have not ended, at most. The host sees that others are missing.
const MAX_RUNS: usize = 1 << 12;
/// Stubs of one range of entries are that far apart, or a multiple of it: each is entered at its first byte.
const STUB: u64 = 8;

/// What the agent says, bit by bit.
#[derive(Default)]
struct Message {
    /// The thread that sends it. Markers of others do not count.
    sender: u64,
    bits: u32,
    words: Vec<u64>,
}

/// Runs of a thread that waits.
struct Parked {
    runs: Vec<Run>,
    /// [`Tracker::executed`] when it was switched away.
    since: u64,
}

/// Follows the guest.
pub struct Tracker {
    /// The first word of each message of the agent.
    secret: u64,
    message: Message,
    windows: Vec<Window>,
    functions: Functions,
    /// Ends of the code that interrupts and exceptions enter, by its start.
    entries: BTreeMap<u64, u64>,
    /// The current thread; 0 before the first switch.
    thread: u64,
    /// Its runs: one can run within another.
    running: Vec<Run>,
    /// Those of other threads.
    parked: HashMap<u64, Parked>,
    /// Index in `running` of the run whose program's block is executed.
    own: Option<usize>,
    /// Instructions of all blocks.
    executed: u64,
}

impl Tracker {
    /// Has no windows yet.
    pub fn new(secret: u64) -> Self {
        Self {
            secret,
            message: Message::default(),
            windows: Vec::new(),
            functions: Functions::default(),
            entries: BTreeMap::new(),
            thread: 0,
            running: Vec::new(),
            parked: HashMap::new(),
            own: None,
            executed: 0,
        }
    }

    /// Whether there is a window.
    pub fn is_open(&self) -> bool {
        !self.windows.is_empty()
    }

    /// Sees a marker. Returns the text of each window that it closes.
    pub fn mark(&mut self, marker: Marker) -> Vec<String> {
        self.own = None;
        let Message {
            sender,
            bits,
            words,
        } = &mut self.message;
        if marker == Marker::Begin {
            *sender = self.thread;
            *bits = 0;
            words.clear();
        } else if *sender != self.thread {
            return Vec::new();
        }
        match marker {
            Marker::Begin => {}
            Marker::Zero | Marker::One => {
                if bits.is_multiple_of(64) && words.len() < MAX_WORDS {
                    words.push(0);
                }
                *bits = bits.wrapping_add(1);
                if let Some(word) = words.last_mut() {
                    *word = *word << 1 | u64::from(marker == Marker::One);
                }
            }
            Marker::Open | Marker::Close | Marker::Entries => {
                let words = std::mem::take(words);
                if let Some((secret, words)) = words.split_first()
                    && *secret == self.secret
                {
                    return self.obey(marker, words);
                }
            }
        }
        Vec::new()
    }

    fn obey(&mut self, marker: Marker, words: &[u64]) -> Vec<String> {
        match marker {
            Marker::Open => {
                if let Some((window, functions)) = Window::open(words)
                    && (1..=MAX_FUNCTIONS - self.functions.len()).contains(&functions.len())
                {
                    self.functions.add(self.windows.len(), &functions);
                    self.windows.push(window);
                }
                Vec::new()
            }
            Marker::Entries => {
                let pairs = words.chunks_exact(2);
                self.entries = pairs.map(|pair| (pair[0], pair[1])).collect();
                Vec::new()
            }
            _ => self.close(),
        }
    }

    fn close(&mut self) -> Vec<String> {
        self.end_runs(0);
        for run in self.parked.drain().flat_map(|(_, parked)| parked.runs) {
            let window = run.window;
            run.end(&mut self.windows[window]);
        }
        self.functions = Functions::default();
        let is_complete = self.thread != 0 && !self.entries.is_empty();
        let all = self.windows.drain(..);
        all.map(|window| window.close(is_complete)).collect()
    }

    /// Sees that the current thread ends, or waits, and another goes on.
    pub fn switch(&mut self, to: u64) {
        if to == self.thread {
            return;
        }
        self.own = None;
        if !self.running.is_empty() {
            let parked = Parked {
                runs: std::mem::take(&mut self.running),
                since: self.executed,
            };
            self.parked.insert(self.thread, parked);
        }
        self.thread = to;
        if let Some(Parked { runs, since }) = self.parked.remove(&to) {
            self.running = runs;
            for run in &mut self.running {
                run.wait(&mut self.windows[run.window], self.executed - since);
            }
        }
    }

    /// Sees that a block begins.
    pub fn begin_block(&mut self, block: Block) {
        self.executed += block.instructions;
        self.own = None;
        for at in (0..self.running.len()).rev() {
            if !self.running[at].is_running() {
                self.end_run(at);
            }
        }
        if block.address < KERNEL {
            self.end_runs(0);
            return;
        }
        if JIT.contains(&block.address) {
            self.own = self.enter(block);
        }
        if self.running.is_empty() {
            return;
        }
        let entry = self.entry(block.address);
        for (at, run) in self.running.iter_mut().enumerate() {
            if self.own != Some(at) {
                run.pass(&mut self.windows[run.window], block, entry, &self.functions);
            }
        }
    }

    /// Sees one instruction of the JIT's area.
    pub fn execute(&mut self, code: Code) {
        if let Some(at) = self.own {
            self.running[at].execute(code, &self.functions);
        }
    }

    /// Returns the index of the run that a block belongs to, if it is of a program.
    fn enter(&mut self, block: Block) -> Option<usize> {
        let function = self.functions.at(block.address)?;
        let innermost = self.running.len().checked_sub(1);
        let continues = |run: &Run| run.continues_at(block.address, function);
        let at = if let Some(at) = innermost.filter(|&at| continues(&self.running[at])) {
            at
        } else if let Some(at) =
            (self.running.iter()).rposition(|run| run.returns_to(block.address))
        {
            // An exception has ended the inner ones.
            self.end_runs(at + 1);
            at
        } else if block.address == function.start && self.count_runs() < MAX_RUNS {
            self.running
                .push(Run::begin(function.window, function.index));
            self.running.len() - 1
        } else {
            // A program without a window has jumped here.
            return None;
        };
        let run = &mut self.running[at];
        let tag = self.windows[function.window].tag();
        let window = &mut self.windows[run.window];
        let number = window.number(tag, function.index);
        run.enter(window, block, function, number);
        Some(at)
    }

    fn count_runs(&self) -> usize {
        let parked = self.parked.values().map(|parked| parked.runs.len());
        self.running.len() + parked.sum::<usize>()
    }

    /// The start of the code that interrupts enter, if they enter it here.
    fn entry(&self, address: u64) -> Option<u64> {
        let (&start, &end) = self.entries.range(..=address).next_back()?;
        (address < end && (address - start).is_multiple_of(STUB)).then_some(start)
    }

    fn end_run(&mut self, at: usize) {
        let run = self.running.remove(at);
        let window = run.window;
        run.end(&mut self.windows[window]);
    }

    /// Ends runs of the current thread, the innermost first.
    fn end_runs(&mut self, from: usize) {
        while self.running.len() > from {
            self.end_run(self.running.len() - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Exit;
    use crate::run::End;

    const SECRET: u64 = 0x1234_5678_9abc_def0;
    const PROGRAM: u64 = 0xffff_ffff_c000_0000;
    const OTHER: u64 = PROGRAM + 0x1000;
    const HELPER: u64 = 0xffff_ffff_8100_0000;
    const FAULT: u64 = 0xffff_ffff_81a0_0b80;
    const INTERRUPTS: u64 = 0xffff_ffff_81a0_0200;

    /// A guest in which a program's window is open: 7, with functions of 64 bytes and, 128 bytes on, of 32.
    struct Guest(Tracker);

    impl Guest {
        fn new() -> Self {
            let mut guest = Self(Tracker::new(SECRET));
            guest.0.switch(1);
            let entries = [INTERRUPTS, INTERRUPTS + 0x100, FAULT, FAULT + 1];
            guest.send(SECRET, &entries, Marker::Entries);
            guest.open(7, PROGRAM);
            guest
        }

        fn send(&mut self, secret: u64, words: &[u64], end: Marker) -> Vec<String> {
            self.0.mark(Marker::Begin);
            for word in [secret].iter().chain(words) {
                for bit in (0..64).rev() {
                    let is_one = word >> bit & 1 == 1;
                    self.0.mark(if is_one { Marker::One } else { Marker::Zero });
                }
            }
            self.0.mark(end)
        }

        fn open(&mut self, tag: u64, program: u64) {
            self.send(SECRET, &[tag, program, 64, program + 128, 32], Marker::Open);
        }

        /// Executes a block of a program.
        fn run(&mut self, codes: &[Code]) {
            self.cut(codes, codes.len() as u64);
        }

        /// Executes the first instructions of one.
        fn cut(&mut self, codes: &[Code], instructions: u64) {
            let address = codes[0].address;
            let end = End::Other;
            self.0.begin_block(Block {
                address,
                instructions,
                end,
            });
            codes.iter().for_each(|code| self.0.execute(*code));
        }

        fn kernel(&mut self, address: u64, instructions: u64, end: End) {
            self.0.begin_block(Block {
                address,
                instructions,
                end,
            });
        }

        fn pass(&mut self, instructions: u64) {
            self.kernel(HELPER, instructions, End::Other);
        }

        fn interrupt(&mut self, entry: u64, instructions: u64) {
            self.kernel(entry, instructions - 1, End::Other);
            self.kernel(HELPER + 0x800, 1, End::InterruptReturn);
        }

        fn user(&mut self) {
            self.kernel(0x1000, 5, End::Other);
        }

        fn close(&mut self) -> String {
            self.send(SECRET, &[], Marker::Close).concat()
        }

        /// Lines of a closed window that begin so.
        fn lines(&mut self, start: &str) -> Vec<String> {
            let text = self.close();
            let all = text.lines().filter(|line| line.starts_with(start));
            all.map(str::to_owned).collect()
        }
    }

    fn code(address: u64, length: u64, exit: Exit) -> Code {
        Code {
            address,
            next: address + length,
            exit,
        }
    }

    fn plain(offset: u64) -> Code {
        code(PROGRAM + offset, 1, Exit::None)
    }

    fn call(to: u64) -> Code {
        code(PROGRAM + 4, 5, Exit::Call(Some(to)))
    }

    fn ret(address: u64) -> Code {
        code(address, 1, Exit::Return)
    }

    #[test]
    fn a_call_has_what_is_executed_until_it_comes_back() {
        let mut guest = Guest::new();
        // One system call can run the program many times.
        for cost in [10, 12, 12] {
            // The kernel that runs the program counts for nothing.
            guest.pass(100);
            guest.run(&[plain(0), call(HELPER)]);
            guest.pass(4);
            guest.pass(cost - 4);
            guest.run(&[ret(PROGRAM + 9)]);
            guest.pass(100);
        }
        let text = guest.close();
        let (lines, kinds) = text.split_at(text.find("kind").unwrap());
        assert_eq!(
            lines,
            "window 7 3 0 1\ninstruction 0 0 3\ninstruction 0 4 3\ninstruction 0 9 3\n\
             call 0 4 ffffffff81000000 3 34 10 12 12\n"
        );
        // One kind, whatever its calls cost.
        assert!(kinds.starts_with("kind 0 3 "), "{kinds}");
        assert!(
            kinds.ends_with(" 3 43 13 15 15\nby call ffffffff81000000 1\nend\n"),
            "{kinds}"
        );
    }

    #[test]
    fn a_function_that_is_called_back_is_the_programs() {
        let mut guest = Guest::new();
        guest.run(&[plain(0), call(HELPER)]);
        guest.pass(5);
        guest.run(&[ret(PROGRAM + 128)]);
        guest.pass(3);
        guest.run(&[ret(PROGRAM + 9)]);
        let text = guest.close();
        assert!(
            text.starts_with(
                "window 7 1 0 1\ninstruction 0 0 1\ninstruction 0 4 1\ninstruction 0 9 1\n\
                 instruction 1 0 1\ncall 0 4 ffffffff81000000 1 8 8 8 8\nkind 0 4 "
            ),
            "{text}"
        );
    }

    #[test]
    fn a_function_that_the_kernel_calls_by_itself_is_a_run() {
        let mut guest = Guest::new();
        // In a softirq of the program's own call, and without the program.
        guest.run(&[plain(0), call(HELPER)]);
        guest.pass(2);
        guest.kernel(INTERRUPTS + 8, 10, End::Other);
        guest.run(&[ret(PROGRAM + 128)]);
        guest.kernel(HELPER, 20, End::InterruptReturn);
        guest.run(&[ret(PROGRAM + 9)]);
        guest.run(&[code(PROGRAM + 128, 5, Exit::Call(Some(HELPER)))]);
        guest.pass(6);
        guest.run(&[ret(PROGRAM + 133)]);
        guest.user();
        let text = guest.close();
        let (lines, kinds) = text.split_at(text.find("kind").unwrap());
        assert_eq!(
            lines,
            "window 7 1 0 1\ninstruction 0 0 1\ninstruction 0 4 1\ninstruction 0 9 1\n\
             call 0 4 ffffffff81000000 1 2 2 2 2\ninterruption ffffffff81a00200 1 31\n\
             callbacks\ninstruction 1 0 2\ninstruction 1 5 1\ncall 1 0 ffffffff81000000 1 6 6 6 6\n"
        );
        let kinds: Vec<_> = kinds
            .lines()
            .filter(|line| !line.starts_with("kind"))
            .collect();
        assert_eq!(
            kinds,
            [
                "by call ffffffff81000000 1",
                "each 0 0 1",
                "each 0 4 1",
                "each 0 9 1",
                "each 1 0 1",
                "by call ffffffff81000000 1",
                "each 1 0 1",
                "each 1 5 1",
                "end"
            ]
        );
    }

    #[test]
    fn an_interruption_costs_a_run_nothing() {
        let mut guest = Guest::new();
        guest.run(&[plain(0)]);
        guest.interrupt(INTERRUPTS + 16, 50);
        // Before the called function of the program has begun.
        guest.run(&[call(PROGRAM + 128)]);
        guest.interrupt(INTERRUPTS, 60);
        guest.run(&[ret(PROGRAM + 128)]);
        // In a call, and before its first instruction.
        guest.run(&[code(PROGRAM + 9, 5, Exit::Call(None))]);
        guest.interrupt(FAULT, 70);
        guest.pass(1);
        guest.kernel(FAULT, 7, End::Other);
        guest.interrupt(INTERRUPTS, 8);
        guest.kernel(FAULT + 8, 9, End::InterruptReturn);
        guest.pass(2);
        guest.run(&[ret(PROGRAM + 14)]);
        // Outside of the program.
        guest.interrupt(INTERRUPTS, 1000);
        let text = guest.close();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "window 7 1 0 1");
        assert_eq!(
            lines[lines.len() - 6..],
            [
                "call 0 9 ffffffff81000000 1 3 3 3 3",
                "interruption ffffffff81a00200 2 110",
                "interruption ffffffff81a00b80 2 94",
                lines[lines.len() - 3],
                "by call ffffffff81000000 1",
                "end"
            ]
        );
        assert!(lines[lines.len() - 3].starts_with("kind 0 5 "), "{text}");
    }

    #[test]
    fn an_instruction_that_an_exception_ended_is_not_counted() {
        let mut guest = Guest::new();
        let mut block = |own: &[u64], instructions| {
            let codes: Vec<_> = own.iter().map(|&offset| plain(offset)).collect();
            guest.cut(&codes, instructions);
            guest.interrupt(FAULT, 50);
        };
        // Within a block, which goes on after the instruction; then before it, to execute it again.
        block(&[0, 1], 3);
        block(&[2, 3], 3);
        // At the end of a block, to execute it again; then a timer tick.
        block(&[3, 4], 2);
        block(&[4], 1);
        guest.run(&[ret(PROGRAM + 5)]);
        let text = guest.close();
        let times: Vec<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("instruction 0 "))
            .collect();
        assert_eq!(times, ["0 1", "2 1", "3 1", "4 1", "5 1"]);
        assert!(
            text.contains("interruption ffffffff81a00b80 4 200\n"),
            "{text}"
        );
    }

    #[test]
    fn an_interruption_that_is_not_known_is_lost() {
        let mut guest = Guest::new();
        guest.run(&[plain(0)]);
        guest.pass(50);
        guest.run(&[ret(PROGRAM + 1)]);
        assert_eq!(guest.lines("window"), ["window 7 1 1 1"]);
        // Without entries, or before a task was switched to, nothing is.
        guest.send(SECRET, &[], Marker::Entries);
        guest.open(8, PROGRAM);
        assert_eq!(guest.lines("window"), ["window 8 0 0 0"]);
        let mut early = Guest(Tracker::new(SECRET));
        early.send(SECRET, &[FAULT, FAULT + 1], Marker::Entries);
        early.open(9, PROGRAM);
        assert_eq!(early.lines("window"), ["window 9 0 0 0"]);
    }

    #[test]
    fn a_run_waits_while_other_threads_execute() {
        let mut guest = Guest::new();
        guest.run(&[plain(0), call(HELPER)]);
        guest.pass(5);
        guest.0.switch(2);
        // Another run of the program ends before.
        guest.run(&[plain(0), call(HELPER)]);
        guest.pass(6);
        guest.user();
        guest.run(&[plain(0), call(HELPER)]);
        guest.pass(1);
        guest.run(&[ret(PROGRAM + 9)]);
        guest.user();
        guest.0.switch(1);
        guest.pass(7);
        guest.run(&[ret(PROGRAM + 9)]);
        guest.user();
        guest.run(&[plain(0), call(HELPER)]);
        guest.0.switch(2);
        // A third never ends.
        let text = guest.close();
        assert!(text.starts_with("window 7 4 2 1\n"), "{text}");
        assert!(
            text.contains("call 0 4 ffffffff81000000 3 19 1 12 1\ninterruption 0 1 22\n"),
            "{text}"
        );
    }

    #[test]
    fn a_program_that_is_tail_called_is_of_the_callers_run() {
        let mut guest = Guest::new();
        guest.open(8, OTHER);
        // By a thunk that returns to it, and then directly; it calls a function of its own and a helper.
        for thunk in [true, false] {
            guest.run(&[plain(0), call(PROGRAM + 128)]);
            guest.run(&[code(PROGRAM + 128, 5, Exit::Jump(thunk.then_some(HELPER)))]);
            if thunk {
                guest.kernel(HELPER, 2, End::Call);
                guest.kernel(HELPER + 8, 1, End::Return);
            }
            guest.run(&[code(OTHER + 11, 5, Exit::Call(Some(OTHER + 128)))]);
            guest.run(&[code(OTHER + 128, 5, Exit::Call(Some(HELPER + 64)))]);
            guest.pass(30);
            // Which calls back.
            guest.run(&[ret(OTHER + 128)]);
            guest.pass(10);
            guest.run(&[ret(OTHER + 133)]);
            guest.run(&[ret(OTHER + 16)]);
            guest.run(&[ret(PROGRAM + 9)]);
            guest.pass(100);
        }
        // Nobody's run.
        guest.run(&[ret(OTHER + 11)]);
        let text = guest.close();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(
            lines[..14],
            [
                "window 7 2 0 1",
                "function 2 8 0",
                "function 3 8 1",
                "instruction 0 0 2",
                "instruction 0 4 2",
                "instruction 0 9 2",
                "instruction 1 0 2",
                "instruction 2 11 2",
                "instruction 2 16 2",
                "instruction 3 0 4",
                "instruction 3 5 2",
                "jump 1 0 ffffffff81000000 1 3 3 3 3",
                "call 3 0 ffffffff81000040 2 80 40 40 40",
                lines[13],
            ]
        );
        assert_eq!(lines[lines.len() - 2..], ["window 8 0 0 1", "end"]);
    }

    #[test]
    fn a_program_that_replaces_a_function_is_of_the_callers_run() {
        let mut guest = Guest::new();
        guest.open(8, OTHER);
        guest.run(&[plain(0), call(PROGRAM + 128)]);
        guest.run(&[code(PROGRAM + 128, 5, Exit::Jump(Some(OTHER)))]);
        guest.run(&[ret(OTHER)]);
        guest.run(&[ret(PROGRAM + 9)]);
        assert_eq!(guest.lines("window"), ["window 7 1 0 1", "window 8 0 0 1"]);
    }

    #[test]
    fn a_program_that_runs_within_another_has_runs_of_its_own() {
        let mut guest = Guest::new();
        guest.open(8, OTHER);
        guest.run(&[plain(0), call(HELPER)]);
        guest.pass(5);
        // In a call, where it throws, and in an interruption; then the first one itself.
        guest.run(&[code(OTHER, 5, Exit::Call(Some(HELPER)))]);
        guest.pass(1);
        guest.run(&[code(PROGRAM + 9, 5, Exit::Call(Some(HELPER)))]);
        guest.kernel(INTERRUPTS, 2, End::Other);
        guest.run(&[ret(OTHER)]);
        guest.kernel(HELPER, 2, End::InterruptReturn);
        guest.pass(1);
        guest.run(&[plain(0), ret(PROGRAM + 1)]);
        guest.pass(2);
        guest.run(&[ret(PROGRAM + 14)]);
        let text = guest.close();
        assert!(text.starts_with("window 7 2 0 1\n"), "{text}");
        assert!(text.contains("window 8 2 1 1\n"), "{text}");
        // What runs within a call is of it.
        assert!(
            text.contains(
                "call 0 4 ffffffff81000000 1 7 7 7 7\ncall 0 9 ffffffff81000000 1 5 5 5 5\n"
            ),
            "{text}"
        );
        assert!(
            text.contains("interruption ffffffff81a00200 1 5\n"),
            "{text}"
        );
    }

    #[test]
    fn runs_that_execute_something_else_are_another_kind() {
        let mut guest = Guest::new();
        let mut run = |own: &[u64]| {
            let codes: Vec<_> = own.iter().map(|&offset| plain(offset)).collect();
            guest.run(&codes);
            guest.run(&[ret(PROGRAM + 9)]);
        };
        // In another order it is one kind, with other times or other instructions it is another.
        [[0, 1, 2, 1], [0, 1, 1, 2], [0, 1, 2, 2], [0, 1, 1, 3]]
            .iter()
            .for_each(|own| run(own));
        let text = guest.close();
        let mut found: Vec<_> = text
            .split("kind 0 5 ")
            .skip(1)
            .map(|own| own.split_once(' ').unwrap().1.trim_end_matches("end\n"))
            .collect();
        found.sort_unstable();
        assert_eq!(
            found,
            [
                "1 5 5 5 5\neach 0 0 1\neach 0 1 1\neach 0 2 2\neach 0 9 1\n",
                "1 5 5 5 5\neach 0 0 1\neach 0 1 2\neach 0 3 1\neach 0 9 1\n",
                "2 10 5 5 5\neach 0 0 1\neach 0 1 2\neach 0 2 1\neach 0 9 1\n",
            ]
        );
    }

    #[test]
    fn kinds_that_are_too_many_are_only_counted() {
        let mut guest = Guest::new();
        for length in 1..=300 {
            guest.run(&vec![plain(0); length]);
            guest.run(&[ret(PROGRAM + 9)]);
        }
        let text = guest.close();
        assert_eq!(text.matches("kind").count(), 256);
        assert!(text.ends_with("other 44\nend\n"), "{text}");
    }

    #[test]
    fn what_does_not_come_back_ends_with_the_run() {
        let mut guest = Guest::new();
        guest.run(&[plain(0), call(HELPER)]);
        guest.pass(5);
        guest.user();
        guest.pass(1000);
        guest.run(&[code(PROGRAM, 5, Exit::Jump(Some(HELPER)))]);
        guest.pass(2);
        let text = guest.close();
        assert!(text.starts_with("window 7 2 2 1\n"), "{text}");
        assert!(
            text.contains("jump 0 0 ffffffff81000000 1 2 2 2 2\n"),
            "{text}"
        );
        assert!(
            text.ends_with("call 0 4 ffffffff81000000 1 5 5 5 5\nend\n"),
            "{text}"
        );
    }

    #[test]
    fn a_function_that_is_jumped_to_returns_for_the_program() {
        let mut guest = Guest::new();
        guest.run(&[plain(0), call(PROGRAM + 128)]);
        // A return thunk, back to the program, and then to the kernel.
        guest.run(&[code(PROGRAM + 128, 5, Exit::Jump(Some(HELPER)))]);
        guest.kernel(HELPER, 1, End::Return);
        guest.run(&[code(PROGRAM + 9, 5, Exit::Jump(Some(HELPER + 64)))]);
        guest.kernel(HELPER + 64, 2, End::Call);
        guest.kernel(HELPER + 128, 3, End::Return);
        guest.kernel(HELPER + 66, 4, End::Return);
        guest.kernel(HELPER + 512, 100, End::Other);
        let text = guest.close();
        assert!(text.starts_with("window 7 1 0 1\n"), "{text}");
        assert!(
            text.contains(
                "jump 0 9 ffffffff81000040 1 9 9 9 9\njump 1 0 ffffffff81000000 1 1 1 1 1\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn ways_out_that_are_nested_too_deeply_are_counted_as_lost() {
        let mut guest = Guest::new();
        guest.run(&[plain(0)]);
        for _ in 0..1024 + 2 {
            guest.run(&[code(PROGRAM + 128, 5, Exit::Call(Some(HELPER)))]);
            guest.pass(1);
        }
        // And the run, which has not ended.
        assert_eq!(guest.lines("window"), ["window 7 1 3 1"]);
    }

    #[test]
    fn a_message_needs_the_secret_and_one_sender() {
        let mut guest = Guest::new();
        guest.run(&[plain(0), ret(PROGRAM + 1)]);
        assert!(guest.send(SECRET + 1, &[], Marker::Close).is_empty());
        guest.send(SECRET + 1, &[8, OTHER, 64], Marker::Open);
        guest.send(SECRET + 1, &[], Marker::Entries);
        // Nor is a message good for two, or ended by another thread.
        guest.open(9, OTHER);
        assert!(guest.0.mark(Marker::Close).is_empty());
        assert!(guest.send(SECRET, &[], Marker::Begin).is_empty());
        guest.send(SECRET, &[], Marker::One);
        guest.0.switch(2);
        assert!(guest.0.mark(Marker::Close).is_empty());
        guest.0.switch(1);
        assert_eq!(guest.lines("window"), ["window 7 1 0 1", "window 9 0 0 1"]);
        assert!(!guest.0.is_open());
    }
}
