//! Hooks, bodies and targets: what is measured, and the names of benchmarks and programs.

use std::fmt;

/// The function that is called repeatedly, and probed.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Target {
    /// The system call.
    Getpid,
    /// [`crate::target::probe_overhead_function`].
    Function,
}

impl Target {
    /// Every target, in the order in which they are measured.
    pub const ALL: [Self; 2] = [Self::Getpid, Self::Function];

    /// The name in benchmarks.
    pub fn name(self) -> &'static str {
        match self {
            Self::Getpid => "getpid",
            Self::Function => "function",
        }
    }

    /// The hooks that see calls of this target.
    pub fn hooks(self) -> impl Iterator<Item = Hook> {
        Hook::ALL
            .into_iter()
            .filter(move |hook| hook.target() == self)
    }
}

/// The place where a program hooks in.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Hook {
    /// The tracepoint `syscalls/sys_enter_getpid`.
    Tracepoint,
    /// The raw tracepoint `sys_enter`, which every system call passes.
    RawTracepoint,
    /// The same raw tracepoint, by BTF.
    BtfTracepoint,
    /// The entry of the system call's function, by a trampoline.
    Fentry,
    /// Its exit, by a trampoline.
    Fexit,
    /// Its entry, by a kprobe.
    Kprobe,
    /// Its return, by a kretprobe.
    Kretprobe,
    /// Its entry, by a kprobe.multi link (5.18 on).
    KprobeMulti,
    /// The entry of the user function.
    Uprobe,
    /// Its return.
    Uretprobe,
}

impl Hook {
    /// Every hook, in the order in which they are measured.
    pub const ALL: [Self; 10] = [
        Self::Tracepoint,
        Self::RawTracepoint,
        Self::BtfTracepoint,
        Self::Fentry,
        Self::Fexit,
        Self::Kprobe,
        Self::Kretprobe,
        Self::KprobeMulti,
        Self::Uprobe,
        Self::Uretprobe,
    ];

    /// The target whose calls make its programs run.
    pub fn target(self) -> Target {
        match self {
            Self::Uprobe | Self::Uretprobe => Target::Function,
            _ => Target::Getpid,
        }
    }

    /// Whether its programs run for every system call of every process, instead of only for the
    /// target.
    pub fn sees_every_system_call(self) -> bool {
        matches!(self, Self::RawTracepoint | Self::BtfTracepoint)
    }

    /// The name in benchmarks.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tracepoint => "tracepoint",
            Self::RawTracepoint => "raw_tracepoint",
            Self::BtfTracepoint => "btf_tracepoint",
            Self::Fentry => "fentry",
            Self::Fexit => "fexit",
            Self::Kprobe => "kprobe",
            Self::Kretprobe => "kretprobe",
            Self::KprobeMulti => "kprobe_multi",
            Self::Uprobe => "uprobe",
            Self::Uretprobe => "uretprobe",
        }
    }

    /// The prefix of program names, which may have 15 characters including the body's name.
    fn program_prefix(self) -> &'static str {
        match self {
            Self::Tracepoint => "tp",
            Self::RawTracepoint => "raw_tp",
            Self::BtfTracepoint => "btf_tp",
            Self::Kretprobe => "kret",
            Self::KprobeMulti => "kmulti",
            Self::Uretprobe => "uret",
            Self::Fentry | Self::Fexit | Self::Kprobe | Self::Uprobe => self.name(),
        }
    }
}

/// The work of a program.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Body {
    /// Nothing.
    Empty,
    /// Counts in a hash map of 1,024, by thread id.
    Simple,
    /// Counts in a hash map by a key of 48 bytes: thread, time modulo 1,024 and thread name.
    Complex,
}

impl Body {
    /// Every body, in the order in which they are measured.
    pub const ALL: [Self; 3] = [Self::Empty, Self::Simple, Self::Complex];

    /// The name in benchmarks and programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Simple => "simple",
            Self::Complex => "complex",
        }
    }
}

/// A hook with a body: one BPF program. Displayed as its benchmark's name, `getpid/kprobe/empty`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Pair {
    /// The hook.
    pub hook: Hook,
    /// The body.
    pub body: Body,
}

impl Pair {
    /// Every pair, in the order in which they are measured.
    pub fn all() -> impl Iterator<Item = Self> {
        Hook::ALL
            .into_iter()
            .flat_map(|hook| Body::ALL.map(|body| Self { hook, body }))
    }

    /// The name of its program in the BPF object and in the kernel.
    pub fn program(self) -> String {
        format!("{}_{}", self.hook.program_prefix(), self.body.name())
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hook, body } = self;
        write!(
            f,
            "{}/{}/{}",
            hook.target().name(),
            hook.name(),
            body.name()
        )
    }
}

/// One benchmark: a target by itself, or with a program that sees its calls.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Benchmark {
    /// `getpid/none`.
    Bare(Target),
    /// `getpid/kprobe/empty`.
    Probed(Pair),
}

impl Benchmark {
    /// Every benchmark, in the order in which they are measured: each target by itself first.
    pub fn all() -> impl Iterator<Item = Self> {
        Target::ALL.into_iter().flat_map(|target| {
            let probed = target
                .hooks()
                .flat_map(|hook| Body::ALL.map(|body| Self::Probed(Pair { hook, body })));
            std::iter::once(Self::Bare(target)).chain(probed)
        })
    }

    /// The called target.
    pub fn target(self) -> Target {
        match self {
            Self::Bare(target) => target,
            Self::Probed(pair) => pair.hook.target(),
        }
    }
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bare(target) => write!(f, "{}/none", target.name()),
            Self::Probed(pair) => pair.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_benchmark_has_a_unique_name() {
        let names: Vec<String> = Benchmark::all().map(|each| each.to_string()).collect();
        assert_eq!(names.len(), 32);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        assert_eq!(names[0], "getpid/none");
        assert_eq!(names[1], "getpid/tracepoint/empty");
        assert_eq!(names[25], "function/none");
        assert_eq!(names[31], "function/uretprobe/complex");
    }

    #[test]
    fn every_program_has_a_unique_name_that_kernels_do_not_cut() {
        const MAX_LEN: usize = 15;
        let names: Vec<String> = Pair::all().map(Pair::program).collect();
        assert_eq!(names.len(), 30);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        for name in names {
            assert!(name.len() <= MAX_LEN, "{name}");
        }
    }
}
