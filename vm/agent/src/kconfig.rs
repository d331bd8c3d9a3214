//! Kconfig: values of `__kconfig` variables, which an object reads from the kernel's
//! version and configuration. Pure; like libbpf, in a read-only map called `.kconfig`.

use std::collections::BTreeMap;

/// An object's declaration of a `__kconfig` variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its type.
    pub kind: Kind,
    /// Its size in bytes.
    pub size: u32,
    /// Its alignment in bytes.
    pub align: u32,
}

/// Types of `__kconfig` variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `bool`.
    Bool,
    /// `enum libbpf_tristate`.
    Tristate,
    /// A number of one byte, or a character.
    Char {
        /// Whether it can be negative.
        signed: bool,
    },
    /// A number of two, four or eight bytes.
    Int {
        /// Whether it can be negative.
        signed: bool,
    },
    /// `char[]`.
    Text,
    /// A type for which no option has a value.
    Unknown,
}

/// The kernel's values.
#[derive(Debug)]
pub struct Facts {
    /// `LINUX_KERNEL_VERSION`, 0 if it is not known.
    pub version: u32,
    /// `LINUX_HAS_BPF_COOKIE`.
    pub has_bpf_cookie: bool,
    /// `LINUX_HAS_SYSCALL_WRAPPER`.
    pub has_syscall_wrapper: bool,
    /// The configuration's text, or why there is none.
    pub config: Result<String, String>,
}

/// A variable by name, and whether the program works without a value.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// `CONFIG_...` or `LINUX_...`.
    pub name: &'a str,
    /// Whether it is 0 without a value.
    pub weak: bool,
    /// Its type.
    pub variable: &'a Variable,
}

/// Returns the content of the map, and for each variable its offset in it or why it has
/// no value.
pub fn fill(wanted: &[Wanted], facts: &Facts) -> (Vec<u8>, Vec<Result<u32, String>>) {
    // The order, and with it the offsets, is libbpf's.
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&index| {
        let Wanted { name, variable, .. } = wanted[index];
        (std::cmp::Reverse(variable.align), variable.size, name)
    });
    let options = match &facts.config {
        Ok(text) => options(text),
        Err(_) => BTreeMap::new(),
    };
    let mut content = Vec::new();
    let mut places = vec![Err(String::new()); wanted.len()];
    for index in order {
        let one = wanted[index];
        let at = content
            .len()
            .next_multiple_of(one.variable.align.max(1) as usize);
        content.resize(at + one.variable.size as usize, 0);
        places[index] = value(one, facts, &options).map(|bytes| {
            content[at..at + bytes.len()].copy_from_slice(&bytes);
            at as u32
        });
    }
    (content, places)
}

/// Parses each `CONFIG_...` and its value after `=`.
fn options(text: &str) -> BTreeMap<&str, &str> {
    let mut options = BTreeMap::new();
    for line in text.lines() {
        if line.starts_with("CONFIG_")
            && let Some((name, value)) = line.split_once('=')
        {
            // The first one counts, as in libbpf.
            options.entry(name).or_insert(value);
        }
    }
    options
}

fn value(wanted: Wanted, facts: &Facts, options: &BTreeMap<&str, &str>) -> Result<Vec<u8>, String> {
    let Wanted {
        name,
        weak,
        variable,
    } = wanted;
    if variable.kind == Kind::Unknown {
        return Err(format!(
            "it reads `{name}` (__kconfig) as a type that no option has"
        ));
    }
    if !name.starts_with("CONFIG_") {
        return match name {
            "LINUX_KERNEL_VERSION" if facts.version == 0 => {
                Err(format!("it reads `{name}` (__kconfig), which is not known"))
            }
            "LINUX_KERNEL_VERSION" => number(wanted, facts.version.into()),
            "LINUX_HAS_BPF_COOKIE" => number(wanted, facts.has_bpf_cookie.into()),
            "LINUX_HAS_SYSCALL_WRAPPER" => number(wanted, facts.has_syscall_wrapper.into()),
            _ if weak && name.starts_with("LINUX_") => Ok(Vec::new()),
            _ => Err(format!(
                "it reads `{name}` (__kconfig), which no loader has a value for"
            )),
        };
    }
    if let Err(reason) = &facts.config {
        return Err(format!(
            "it reads `{name}` (__kconfig), which needs the kernel's configuration: {reason}"
        ));
    }
    match options.get(name) {
        Some(text) => parse(wanted, text),
        None if weak => Ok(Vec::new()),
        None => Err(format!(
            "it reads `{name}` (__kconfig), which this kernel's configuration does not set: declare it __weak to read 0 instead"
        )),
    }
}

/// Converts an option's value to the variable's bytes.
fn parse(wanted: Wanted, text: &str) -> Result<Vec<u8>, String> {
    let Variable { kind, size, .. } = *wanted.variable;
    let misfit = || misfit(wanted, text);
    match text.as_bytes() {
        [state @ (b'y' | b'n' | b'm'), ..] => match kind {
            Kind::Bool if *state != b'm' => Ok(vec![u8::from(*state == b'y')]),
            Kind::Tristate => {
                let mut bytes = vec![0; size as usize];
                *bytes.first_mut().ok_or_else(misfit)? = match state {
                    b'y' => 1,
                    b'm' => 2,
                    _ => 0,
                };
                Ok(bytes)
            }
            Kind::Char { .. } => Ok(vec![*state]),
            _ => Err(misfit()),
        },
        [b'"', inside @ .., b'"'] if kind == Kind::Text => {
            // Cuts off a long text; the rest is NUL.
            let length = inside.len().min((size as usize).saturating_sub(1));
            Ok(inside[..length].to_vec())
        }
        _ => match (kind, parse_number(text)) {
            (Kind::Int { .. } | Kind::Char { .. }, Some(value)) => number(wanted, value),
            _ => Err(misfit()),
        },
    }
}

/// Parses a number like C's `strtoull` with base 0.
fn parse_number(text: &str) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16).ok()?
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8).ok()?
    } else {
        digits.parse().ok()?
    };
    Some(if negative {
        value.wrapping_neg()
    } else {
        value
    })
}

fn number(wanted: Wanted, value: u64) -> Result<Vec<u8>, String> {
    let Variable { kind, size, .. } = *wanted.variable;
    let bits = size.saturating_mul(8);
    let fits = match kind {
        Kind::Bool => value <= 1,
        Kind::Int { .. } | Kind::Char { .. } if bits >= 64 => true,
        Kind::Int { signed: true } | Kind::Char { signed: true } => {
            value.wrapping_add(1 << (bits - 1)) < 1 << bits
        }
        Kind::Int { signed: false } | Kind::Char { signed: false } => value >> bits == 0,
        _ => false,
    };
    if !fits {
        return Err(misfit(wanted, &value.to_string()));
    }
    let bytes = value.to_le_bytes();
    Ok(bytes[..bytes.len().min(size as usize)].to_vec())
}

fn misfit(wanted: Wanted, value: &str) -> String {
    format!(
        "it reads `{}` (__kconfig), of which the value {value} does not fit its type",
        wanted.name
    )
}

/// Computes `LINUX_KERNEL_VERSION` from the output of `uname`. Debian and Ubuntu do not
/// have the upstream version in the release. `signature`: `/proc/version_signature`.
pub fn version(release: &str, version: &str, signature: Option<&str>) -> Option<u32> {
    let upstream = signature.and_then(|text| text.split_whitespace().nth(2));
    let debian = version
        .split_once("Debian ")
        .and_then(|(_, rest)| numbers(rest));
    upstream
        .and_then(numbers)
        .or(debian)
        .or_else(|| numbers(release))
}

/// Parses three numbers with dots between them, at the start.
fn numbers(text: &str) -> Option<u32> {
    let mut parts = text.splitn(3, '.').map(|part| {
        let end = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        part[..end].parse::<u32>().ok()
    });
    let (major, minor, patch) = (parts.next()??, parts.next()??, parts.next()??);
    // The kernel's own macro has no room for more either.
    Some((major << 16) + (minor << 8) + patch.min(255))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Kind = Kind::Int { signed: true };

    fn facts(config: &str) -> Facts {
        Facts {
            version: 6 << 16 | 1 << 8 | 176,
            has_bpf_cookie: true,
            has_syscall_wrapper: true,
            config: Ok(config.to_owned()),
        }
    }

    fn one(
        name: &str,
        kind: Kind,
        size: u32,
        weak: bool,
        facts: &Facts,
    ) -> Result<Vec<u8>, String> {
        let variable = Variable {
            kind,
            size,
            align: 1,
        };
        let wanted = [Wanted {
            name,
            weak,
            variable: &variable,
        }];
        let (content, places) = fill(&wanted, facts);
        places[0].clone().map(|_| content)
    }

    #[test]
    fn options_have_values() {
        let facts = facts(
            "# CONFIG_OFF is not set\nCONFIG_ON=y\nCONFIG_MOD=m\nCONFIG_HZ=250\nCONFIG_HEX=0x10\n\
             CONFIG_NAME=\"(none)\"\nCONFIG_BIG=70000\nCONFIG_LESS=-1\n",
        );
        let value = |name, kind, size| one(name, kind, size, false, &facts);
        assert_eq!(value("CONFIG_ON", Kind::Bool, 1), Ok(vec![1]));
        assert_eq!(value("CONFIG_ON", Kind::Tristate, 4), Ok(vec![1, 0, 0, 0]));
        assert_eq!(value("CONFIG_MOD", Kind::Tristate, 4), Ok(vec![2, 0, 0, 0]));
        let char = Kind::Char { signed: true };
        assert_eq!(value("CONFIG_MOD", char, 1), Ok(vec![b'm']));
        assert_eq!(value("CONFIG_HZ", INT, 4), Ok(vec![250, 0, 0, 0]));
        assert_eq!(value("CONFIG_HEX", INT, 2), Ok(vec![16, 0]));
        assert_eq!(value("CONFIG_LESS", INT, 2), Ok(vec![255, 255]));
        assert_eq!(
            value("CONFIG_NAME", Kind::Text, 8),
            Ok(b"(none)\0\0".into())
        );
        assert_eq!(value("CONFIG_NAME", Kind::Text, 4), Ok(b"(no\0".into()));
        for (name, kind, size) in [
            ("CONFIG_MOD", Kind::Bool, 1),
            ("CONFIG_BIG", INT, 2),
            ("CONFIG_LESS", Kind::Int { signed: false }, 4),
            ("CONFIG_HZ", Kind::Text, 8),
            ("CONFIG_ON", Kind::Unknown, 24),
            ("CONFIG_OFF", Kind::Bool, 1),
        ] {
            let error = value(name, kind, size).unwrap_err();
            assert!(error.contains(name), "{error}");
        }
    }

    #[test]
    fn what_is_weak_is_zero_without_a_value() {
        let facts = facts("");
        assert_eq!(one("CONFIG_OFF", Kind::Bool, 1, true, &facts), Ok(vec![0]));
        assert_eq!(one("LINUX_NEW", INT, 4, true, &facts), Ok(vec![0; 4]));
        let error = one("LINUX_NEW", INT, 4, false, &facts).unwrap_err();
        assert!(error.contains("LINUX_NEW"), "{error}");
        // A guessed 0 would change what is verified.
        let unknown = Facts {
            config: Err("there is none".into()),
            ..facts
        };
        let error = one("CONFIG_OFF", Kind::Bool, 1, true, &unknown).unwrap_err();
        assert!(error.ends_with("there is none"), "{error}");
        let version = one("LINUX_KERNEL_VERSION", INT, 4, false, &unknown);
        assert_eq!(version, Ok(vec![176, 1, 6, 0]));
    }

    #[test]
    fn variables_lie_as_libbpf_lays_them() {
        let variable = |kind, size, align| Variable { kind, size, align };
        let text = variable(Kind::Text, 5, 1);
        let int = variable(INT, 4, 4);
        let flag = variable(Kind::Bool, 1, 1);
        let wanted = |name, variable| Wanted {
            name,
            weak: true,
            variable,
        };
        let wanted = [
            wanted("CONFIG_TEXT", &text),
            wanted("CONFIG_B", &flag),
            wanted("LINUX_KERNEL_VERSION", &int),
            wanted("CONFIG_A", &flag),
        ];
        let (content, places) = fill(&wanted, &facts("CONFIG_B=y"));
        assert_eq!(places, [Ok(6), Ok(5), Ok(0), Ok(4)]);
        assert_eq!(content, [176, 1, 6, 0, 0, 1, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn versions_are_upstreams() {
        let debian = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.176-1 (2026-01-01)";
        let code = |major: u32, minor: u32, patch: u32| Some(major << 16 | minor << 8 | patch);
        assert_eq!(version("6.1.0-50-amd64", debian, None), code(6, 1, 176));
        assert_eq!(version("5.10.262", "#1 SMP", None), code(5, 10, 255));
        let ubuntu = Some("Ubuntu 5.15.0-91.101-generic 5.15.131");
        assert_eq!(version("5.15.0-91-generic", "#1", ubuntu), code(5, 15, 131));
        assert_eq!(version("6.x", "#1", None), None);
    }
}
