//! Window: what runs of one program execute from one marker to another. Pure.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Maximum number of different costs that are counted of one thing.
const MAX_COSTS: usize = 256;
/// Bytes of a function, and functions of a program, at most.
const MAX_FUNCTION: u64 = 64 << 20;
const MAX_FUNCTIONS: usize = 4096;
/// Kinds of run, at most, and instructions that are kept of all of them.
const MAX_KINDS: usize = 256;
const MAX_KIND_INSTRUCTIONS: usize = 1 << 16;

/// How the program was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// A call.
    Call,
    /// A jump.
    Jump,
}

impl fmt::Display for Way {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(match self {
            Way::Call => "call",
            Way::Jump => "jump",
        })
    }
}

/// An instruction: the number of its function in the window, and its offset there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// See [`Window::number`].
    pub function: usize,
    /// Bytes.
    pub offset: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "{} {}", self.function, self.offset)
    }
}

/// Times that instructions were executed.
pub type Times = BTreeMap<Place, u64>;

/// What something cost that happened several times.
#[derive(Default)]
struct Cost {
    total: u64,
    /// Number of times by instructions.
    times: BTreeMap<u64, u64>,
    /// Times that are not in `times`, which is full.
    others: u64,
}

impl Cost {
    fn add(&mut self, instructions: u64) {
        self.total += instructions;
        if self.times.len() < MAX_COSTS || self.times.contains_key(&instructions) {
            *self.times.entry(instructions).or_default() += 1;
        } else {
            self.others += 1;
        }
    }
}

/// Number of times, total, least, most, and most frequent.
impl fmt::Display for Cost {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let times = self.others + self.times.values().sum::<u64>();
        let (least, most) = (self.times.keys().min(), self.times.keys().max());
        // Of values that are as frequent, the lowest.
        let frequent = self.times.iter().rev().max_by_key(|(_, times)| **times);
        write!(
            to,
            "{times} {} {} {} {}",
            self.total,
            least.unwrap_or(&0),
            most.unwrap_or(&0),
            frequent.map_or(0, |(value, _)| *value),
        )
    }
}

/// What makes runs one kind.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    /// The function that the kernel entered.
    function: usize,
    /// Instructions of the program's own.
    own: u64,
    /// Hash of how often each of them was executed.
    hash: u64,
    /// Number of calls, by way and target.
    calls: Vec<(Way, u64, u64)>,
}

/// Runs of one kind.
#[derive(Default)]
struct KindRuns {
    /// Whole costs, without interruptions.
    cost: Cost,
    /// What each executed; empty where there are too many to keep.
    instructions: Times,
}

/// What runs of one sort did together.
#[derive(Default)]
struct Sum {
    instructions: Times,
    /// Costs by call site, way and target.
    calls: BTreeMap<(Place, Way, u64), Cost>,
    /// Times and instructions, by the code that was entered.
    interruptions: BTreeMap<u64, (u64, u64)>,
}

/// A run that is over.
pub struct Ended {
    /// The function that the kernel entered.
    pub function: usize,
    /// Whether it did not return.
    pub is_lost: bool,
    /// What it executed of the program's own code.
    pub instructions: Times,
    /// Number of calls, by way and target, and instructions of all of them.
    pub calls: BTreeMap<(Way, u64), u64>,
    /// Instructions of all calls.
    pub called: u64,
}

/// The runs of one program.
pub struct Window {
    tag: u64,
    /// Its functions, in the agent's order, then those of other programs that its runs go on in.
    functions: Vec<(u64, usize)>,
    /// Runs that the kernel began at the program's start.
    runs: u64,
    main: Sum,
    /// Runs of functions that the kernel called by itself, such as a timer's.
    callbacks: Sum,
    kinds: BTreeMap<Kind, KindRuns>,
    /// Instructions that `kinds` has.
    kept: usize,
    /// Runs of kinds that are not in `kinds`, which is full.
    others: u64,
    lost: u64,
}

impl Window {
    /// Begins with a message: a tag, then the address and length of each function. Also returns these, as addresses
    /// and ends.
    pub fn open(message: &[u64]) -> Option<(Self, Vec<(u64, u64)>)> {
        let (&tag, functions) = message.split_first()?;
        let functions: Vec<_> = functions
            .chunks_exact(2)
            .map(|own| (own[0], own[0].saturating_add(own[1].min(MAX_FUNCTION))))
            .take(MAX_FUNCTIONS)
            .collect();
        let window = Self {
            tag,
            functions: (0..functions.len()).map(|index| (tag, index)).collect(),
            runs: 0,
            main: Sum::default(),
            callbacks: Sum::default(),
            kinds: BTreeMap::new(),
            kept: 0,
            others: 0,
            lost: 0,
        };
        Some((window, functions))
    }

    /// What the agent calls it.
    pub fn tag(&self) -> u64 {
        self.tag
    }

    /// The number that a function has here; one of another window's program gets the next.
    pub fn number(&mut self, tag: u64, index: usize) -> usize {
        if tag == self.tag {
            return index;
        }
        let known = self.functions.iter().position(|own| *own == (tag, index));
        known.unwrap_or_else(|| {
            self.functions.push((tag, index));
            self.functions.len() - 1
        })
    }

    fn sum(&mut self, function: usize) -> &mut Sum {
        match function {
            0 => &mut self.main,
            _ => &mut self.callbacks,
        }
    }

    /// Counts a call that has come back, of a run that began in a function.
    pub fn call(&mut self, function: usize, from: Place, way: Way, target: u64, instructions: u64) {
        let calls = &mut self.sum(function).calls;
        calls
            .entry((from, way, target))
            .or_default()
            .add(instructions);
    }

    /// Counts an interruption's beginning, or instructions in it, of a run that began in a function.
    pub fn interrupt(&mut self, function: usize, entry: u64, times: u64, instructions: u64) {
        let own = self.sum(function).interruptions.entry(entry).or_default();
        own.0 += times;
        own.1 += instructions;
    }

    /// Counts something that could not be followed.
    pub fn lose(&mut self) {
        self.lost += 1;
    }

    /// Counts a run.
    pub fn add(&mut self, run: Ended) {
        self.runs += u64::from(run.function == 0);
        let all = &mut self.sum(run.function).instructions;
        for (&place, times) in &run.instructions {
            *all.entry(place).or_default() += times;
        }
        if run.is_lost {
            self.lost += 1;
            return;
        }
        let mut hasher = DefaultHasher::new();
        run.instructions.hash(&mut hasher);
        let own = run.instructions.values().sum::<u64>();
        let calls = run.calls.iter();
        let kind = Kind {
            function: run.function,
            own,
            hash: hasher.finish(),
            calls: calls
                .map(|(&(way, target), &times)| (way, target, times))
                .collect(),
        };
        let is_known = self.kinds.contains_key(&kind);
        if !is_known && self.kinds.len() == MAX_KINDS {
            self.others += 1;
            return;
        }
        let runs = self.kinds.entry(kind).or_default();
        runs.cost.add(own + run.called);
        if !is_known && self.kept + run.instructions.len() <= MAX_KIND_INSTRUCTIONS {
            self.kept += run.instructions.len();
            runs.instructions = run.instructions;
        }
    }

    /// Describes it: its header, `function` for code of other programs, what main runs executed, then, after
    /// `callbacks`, other runs, and the kinds of all of them, each with its calls and, if there are several, its
    /// instructions.
    ///
    /// `is_complete`: whether task switches and the entries of interrupts are known.
    pub fn close(self, is_complete: bool) -> String {
        let Self { tag, runs, .. } = self;
        let mut text = format!(
            "window {tag} {runs} {} {}\n",
            self.lost,
            u8::from(is_complete)
        );
        for (number, (other, index)) in self.functions.iter().enumerate() {
            if *other != tag {
                let _ = writeln!(text, "function {number} {other} {index}");
            }
        }
        describe(&self.main, &mut text);
        if !self.callbacks.instructions.is_empty() {
            text.push_str("callbacks\n");
            describe(&self.callbacks, &mut text);
        }
        let are_several = self.kinds.len() > 1;
        for (kind, KindRuns { cost, instructions }) in &self.kinds {
            let Kind {
                function,
                own,
                hash,
                calls,
            } = kind;
            let _ = writeln!(text, "kind {function} {own} {hash:x} {cost}");
            for (way, target, times) in calls {
                let _ = writeln!(text, "by {way} {target:x} {times}");
            }
            // One kind's are those of all runs.
            for (place, times) in instructions.iter().filter(|_| are_several) {
                let _ = writeln!(text, "each {place} {times}");
            }
        }
        if self.others > 0 {
            let _ = writeln!(text, "other {}", self.others);
        }
        text.push_str("end\n");
        text
    }
}

fn describe(sum: &Sum, text: &mut String) {
    for (place, times) in &sum.instructions {
        let _ = writeln!(text, "instruction {place} {times}");
    }
    for ((place, way, target), cost) in &sum.calls {
        let _ = writeln!(text, "{way} {place} {target:x} {cost}");
    }
    for (entry, (times, instructions)) in &sum.interruptions {
        let _ = writeln!(text, "interruption {entry:x} {times} {instructions}");
    }
}
