//! Settings: the kernel's settings that shape counts and that benchmarks set, such as by
//! `sysctl`. One that a command leaves changed would change the counts of later commands,
//! so each reading begins with the settings of the first.

use std::fs;
use std::io;

/// Files with one setting each: a value, or a choice in brackets among others. Files that
/// this kernel does not have are skipped.
const FILES: [&str; 20] = [
    // Translation of BPF programs, and counting of their runs.
    "/proc/sys/net/core/bpf_jit_enable",
    "/proc/sys/net/core/bpf_jit_harden",
    "/proc/sys/net/core/bpf_jit_limit",
    "/proc/sys/kernel/bpf_stats_enabled",
    // Other work of the kernel during a run.
    "/proc/sys/kernel/ftrace_enabled",
    "/proc/sys/kernel/nmi_watchdog",
    "/proc/sys/kernel/numa_balancing",
    "/proc/sys/kernel/sched_rt_runtime_us",
    "/proc/sys/kernel/sched_schedstats",
    "/proc/sys/kernel/timer_migration",
    "/proc/sys/kernel/watchdog",
    "/sys/kernel/tracing/current_tracer",
    "/sys/kernel/tracing/events/enable",
    // Memory layout and allocation.
    "/proc/sys/kernel/randomize_va_space",
    "/proc/sys/vm/nr_hugepages",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/swappiness",
    "/sys/kernel/mm/ksm/run",
    "/sys/kernel/mm/transparent_hugepage/defrag",
    "/sys/kernel/mm/transparent_hugepage/enabled",
];

/// The settings at one time.
pub struct Settings(Vec<(&'static str, String)>);

impl Settings {
    /// Reads the current settings.
    pub fn read() -> Self {
        let files = FILES.iter().filter_map(|path| Some((*path, value(path)?)));
        Self(files.collect())
    }

    /// Restores changed settings. Returns one text for each change.
    pub fn restore(&self) -> Vec<String> {
        let mut changes = Vec::new();
        for (path, before) in &self.0 {
            let Some(now) = value(path).filter(|now| now != before) else {
                continue;
            };
            let what = format!("it changed {path} from {before:?} to {now:?}");
            changes.push(match write(path, before) {
                Ok(()) => format!("{what}: restored, so that later counts are as before"),
                Err(error) => {
                    format!("{what}, which cannot be restored ({error}): later counts may be wrong")
                }
            });
        }
        changes
    }
}

/// Reads a setting. `None` if the file is missing or cannot be read.
fn value(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(chosen(text.trim()).to_owned())
}

/// The value in brackets, as in `always [madvise] never`, or else the whole text.
fn chosen(text: &str) -> &str {
    text.split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or(text, |(choice, _)| choice)
}

fn write(path: &str, value: &str) -> io::Result<()> {
    // The kernel ignores an empty write.
    fs::write(path, format!("{value}\n"))?;
    match self::value(path) {
        Some(now) if now == value => Ok(()),
        _ => Err(io::Error::other("the kernel keeps the new one")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_the_value_in_brackets() {
        assert_eq!(chosen("always [madvise] never"), "madvise");
        assert_eq!(chosen("tsc"), "tsc");
    }

    #[test]
    fn unchanged_settings_are_not_restored() {
        assert_eq!(Settings::read().restore(), Vec::<String>::new());
    }
}
