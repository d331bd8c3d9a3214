//! Kernel: the running kernel's own BTF, the kinds of BTF it accepts, its configuration,
//! and the addresses of its symbols.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::panic::catch_unwind;
use std::sync::OnceLock;

use aya_obj::btf::{
    Btf, BtfEnum64, BtfFeatures, BtfKind, BtfType, DataSec, DeclTag, Enum64, Float, Func,
    FuncLinkage, FuncProto, Int, IntEncoding, Ptr, TypeTag, Var, VarLinkage,
};
use aya_obj::generated::{bpf_func_id, bpf_prog_type};

use crate::bpf::{CALL, Insn, Prog};
use crate::bpf_load::load_btf;
use crate::kconfig::{self, Facts};
use crate::section::Target;
use crate::sys;

/// The file with the kernel's BTF.
const BTF: &str = "/sys/kernel/btf/vmlinux";

/// The kernel into which programs are loaded.
pub struct Kernel {
    /// Its own BTF, or why there is none.
    pub btf: Result<Btf, String>,
    /// The kinds of BTF that it accepts.
    pub features: BtfFeatures,
    /// Sources of `__kconfig` variables, read when an object first asks.
    pub facts: OnceLock<Facts>,
    /// The text of its configuration, if the host has sent it.
    pub config: Option<String>,
}

/// The address of a kernel symbol; `None`: two symbols have its name.
pub type Address = Option<u64>;

impl Kernel {
    /// Queries the running kernel. Takes seconds under emulation.
    pub fn ask(config: Option<String>) -> Self {
        let btf = catch_unwind(Btf::from_sys_fs)
            .map_err(|_| format!("{BTF} cannot be read: report this"))
            .and_then(|btf| {
                btf.map_err(|error| {
                    format!(
                        "the kernel has no BTF of its own ({error}): CONFIG_DEBUG_INFO_BTF=y is needed"
                    )
                })
            });
        Self {
            btf,
            features: features(),
            facts: OnceLock::new(),
            config,
        }
    }

    /// Sources of `__kconfig` variables.
    pub fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| {
            let (release, _) = sys::kernel_release_and_version().unwrap_or_default();
            let config = self.config.clone().map_or_else(
                || {
                    let path = format!("/boot/config-{release}");
                    fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))
                },
                Ok,
            );
            Facts {
                version: version(),
                has_bpf_cookie: has_bpf_cookie(),
                has_syscall_wrapper: addresses(&[SYSCALL_WRAPPER])
                    .is_ok_and(|found| !found.is_empty()),
                config,
            }
        })
    }

    /// The BTF id of what a program attaches to; 0 for nothing. The error says what is
    /// missing.
    pub fn attach_id(&self, target: &Target) -> Result<u32, String> {
        let (name, kind) = match target {
            // The object's BTF gives the operation.
            Target::None | Target::Operation => return Ok(0),
            Target::Unnamed => {
                return Err(
                    "the section does not name what it attaches to, which the verifier must know: write it like fentry/FUNCTION, in Aya #[fentry(function = \"FUNCTION\")]"
                        .into(),
                );
            }
            Target::Program => {
                return Err(
                    "it replaces a function (freplace), and its context does not show the program's type: let its only parameter be a pointer to a context, such as `struct xdp_md *`"
                        .into(),
                );
            }
            Target::Function(name) => (name, BtfKind::Func),
            Target::Typedef(name) => (name, BtfKind::Typedef),
        };
        let btf = self.btf.as_ref().map_err(Clone::clone)?;
        btf.id_by_type_name_kind(name, kind).map_err(|_| {
            format!(
                "the kernel's BTF has no `{name}`: this kernel does not have what the program attaches to, or has it in a module, or its loader names another at run time"
            )
        })
    }

    /// The bytes of its BTF, or why there is none.
    pub fn blob(&self) -> Result<Vec<u8>, String> {
        self.btf.as_ref().map_err(Clone::clone)?;
        fs::read(BTF).map_err(|error| format!("{BTF} cannot be read: {error}"))
    }

    /// The BTF id of a kernel function.
    pub fn function(&self, name: &str) -> Option<u32> {
        self.id(name, BtfKind::Func)
    }

    /// The BTF id of a kernel variable.
    pub fn variable(&self, name: &str) -> Option<u32> {
        self.id(name, BtfKind::Var)
    }

    fn id(&self, name: &str, kind: BtfKind) -> Option<u32> {
        let btf = self.btf.as_ref().ok()?;
        btf.id_by_type_name_kind(name, kind).ok()
    }
}

/// The version of the running kernel, as `LINUX_KERNEL_VERSION` gives it; 0 if it is not known.
pub fn version() -> u32 {
    let (release, version) = sys::kernel_release_and_version().unwrap_or_default();
    let signature = fs::read_to_string("/proc/version_signature").ok();
    kconfig::version(&release, &version, signature.as_deref()).unwrap_or_default()
}

/// The name of the system call bpf(2) on kernels whose system calls take `struct
/// pt_regs`.
const SYSCALL_WRAPPER: &str = "__x64_sys_bpf";

/// Whether programs can get a cookie when they are attached.
fn has_bpf_cookie() -> bool {
    let helper = bpf_func_id::BPF_FUNC_get_attach_cookie as i32;
    let program = [Insn::new(CALL, 0, 0, helper), Insn::exit()];
    Prog::load(bpf_prog_type::BPF_PROG_TYPE_TRACEPOINT, &program).is_ok()
}

/// Addresses, types and names of the kernel's symbols, and their modules.
const SYMBOLS: &str = "/proc/kallsyms";

/// Names of the functions of the kernel, its modules and its BPF programs that hold
/// these addresses, as far as they are known.
pub fn functions_at(addresses: &BTreeSet<u64>) -> io::Result<BTreeMap<u64, String>> {
    find_functions(BufReader::new(File::open(SYMBOLS)?), addresses)
}

/// One pass, as the kernel has 100,000 symbols or more.
fn find_functions(
    mut symbols: impl BufRead,
    addresses: &BTreeSet<u64>,
) -> io::Result<BTreeMap<u64, String>> {
    // The nearest start of a function at or before each address, if it is after the last address.
    let mut nearest: BTreeMap<u64, (u64, String)> = BTreeMap::new();
    let mut line = String::new();
    while symbols.read_line(&mut line)? > 0 {
        let mut words = line.split_ascii_whitespace();
        if let (Some(start), Some("t" | "T" | "w" | "W"), Some(name)) =
            (words.next(), words.next(), words.next())
            && let Ok(start) = u64::from_str_radix(start, 16)
            && let Some(address) = addresses.range(start..).next()
            && nearest.get(address).is_none_or(|(other, _)| *other < start)
        {
            nearest.insert(*address, (start, name.to_owned()));
        }
        line.clear();
    }
    // A function may hold several addresses.
    let mut found = BTreeMap::new();
    let mut last = None;
    for address in addresses {
        last = nearest.remove(address).or(last);
        if let Some((_, name)) = &last {
            found.insert(*address, name.clone());
        }
    }
    Ok(found)
}

/// Code that the processor enters for interrupts and exceptions: addresses, ends and names. Empty where the kernel names
/// it otherwise, as before 5.8.
pub fn interrupt_entries() -> io::Result<Vec<(u64, u64, String)>> {
    find_entries(BufReader::new(File::open(SYMBOLS)?))
}

/// Code with a stub for each interrupt, one after another.
const INTERRUPT_STUBS: [&str; 2] = ["irq_entries_start", "spurious_entries_start"];

fn find_entries(symbols: impl BufRead) -> io::Result<Vec<(u64, u64, String)>> {
    let mut addresses = Vec::new();
    let mut found = Vec::new();
    for line in symbols.lines() {
        let line = line?;
        let mut words = line.split_ascii_whitespace();
        let (Some(start), Some("t" | "T"), Some(name)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let Ok(start) = u64::from_str_radix(start, 16) else {
            continue;
        };
        addresses.push(start);
        let is_one = name.starts_with("asm_exc_") || name.starts_with("asm_sysvec_");
        if is_one || INTERRUPT_STUBS.contains(&name) {
            found.push((start, start + 1, name.to_owned()));
        }
    }
    for (start, end, name) in &mut found {
        if INTERRUPT_STUBS.contains(&name.as_str()) {
            let after = addresses.iter().filter(|&&address| address > *start);
            *end = after.min().copied().unwrap_or(*end);
        }
    }
    let has = |wanted: &str| found.iter().any(|(.., name)| name == wanted);
    if !has("asm_exc_page_fault") || !has(INTERRUPT_STUBS[0]) {
        found.clear();
    }
    Ok(found)
}

/// Addresses of symbols of the kernel and its modules, as far as they exist.
pub fn addresses(names: &[&str]) -> Result<BTreeMap<String, Address>, String> {
    File::open(SYMBOLS)
        .and_then(|file| find_symbols(BufReader::new(file), names))
        .map_err(|error| format!("{SYMBOLS} cannot be read: {error}"))
}

fn find_symbols(symbols: impl BufRead, names: &[&str]) -> io::Result<BTreeMap<String, Address>> {
    let mut found = BTreeMap::new();
    for line in symbols.split(b'\n') {
        let line = line?;
        // Address, type, name, and for a module's symbol also the module.
        let mut words = str::from_utf8(&line).unwrap_or_default().split_whitespace();
        let (Some(address), Some(kind), Some(name)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        // Compilers that optimize across files rename static data.
        let name = match name.split_once(".llvm.") {
            Some((plain, _)) if kind == "d" => plain,
            _ => name,
        };
        if !names.contains(&name) {
            continue;
        }
        let Ok(address) = u64::from_str_radix(address, 16) else {
            continue;
        };
        found
            .entry(name.to_owned())
            .and_modify(|known: &mut Address| {
                if *known != Some(address) {
                    *known = None;
                }
            })
            .or_insert(Some(address));
    }
    Ok(found)
}

/// Loads the smallest BTF with each kind that some kernels from 5.8 on refuse.
fn features() -> BtfFeatures {
    let takes = |build: &dyn Fn(&mut Btf, u32)| {
        let mut btf = Btf::new();
        let int = btf.add_string("int");
        let int = btf.add_type(BtfType::Int(Int::new(int, 4, IntEncoding::Signed, 0)));
        build(&mut btf, int);
        load_btf(&btf.to_bytes()).is_ok()
    };
    let func = |linkage: FuncLinkage| {
        takes(&|btf, int| {
            let proto = btf.add_type(BtfType::FuncProto(FuncProto::new(Vec::new(), int)));
            let name = btf.add_string("f");
            btf.add_type(BtfType::Func(Func::new(name, proto, linkage.clone())));
        })
    };
    BtfFeatures::new(
        func(FuncLinkage::Static),
        func(FuncLinkage::Global),
        // Since 5.2, like everything else that global data needs.
        true,
        takes(&|btf, _| {
            let name = btf.add_string(".empty");
            btf.add_type(BtfType::DataSec(DataSec::new(name, Vec::new(), 0)));
        }),
        takes(&|btf, _| {
            let name = btf.add_string("float");
            btf.add_type(BtfType::Float(Float::new(name, 16)));
        }),
        takes(&|btf, int| {
            let name = btf.add_string("v");
            let var = btf.add_type(BtfType::Var(Var::new(name, int, VarLinkage::Static)));
            let name = btf.add_string("tag");
            btf.add_type(BtfType::DeclTag(DeclTag::new(name, var, -1)));
        }),
        takes(&|btf, int| {
            let name = btf.add_string("tag");
            let tag = btf.add_type(BtfType::TypeTag(TypeTag::new(name, int)));
            btf.add_type(BtfType::Ptr(Ptr::new(0, tag)));
        }),
        takes(&|btf, _| {
            let name = btf.add_string("e");
            let variant = btf.add_string("a");
            let variants = vec![BtfEnum64::new(variant, 1)];
            btf.add_type(BtfType::Enum64(Enum64::new(name, true, variants)));
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_have_addresses() {
        let text = "ffffffff81000000 T schedule\n\
            ffffffff82000010 D init_task\n\
            ffffffffc0000000 t twice\t[one]\n\
            ffffffffc0001000 t twice\t[other]\n\
            ffffffff82000020 d jiffies_lock.llvm.1234\n\
            ffffffff81000000 T schedule\n\
            0000000000000000 A start\n";
        let names = ["schedule", "twice", "jiffies_lock", "start", "none"];
        let found = find_symbols(text.as_bytes(), &names).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|(name, at)| (name.as_str(), *at))
            .collect();
        assert_eq!(
            found,
            [
                ("jiffies_lock", Some(0xffff_ffff_8200_0020)),
                ("schedule", Some(0xffff_ffff_8100_0000)),
                ("start", Some(0)),
                ("twice", None),
            ]
        );
    }

    #[test]
    fn interrupts_enter_code_by_its_name() {
        let text = "ffffffff81a00f00 T asm_sysvec_call_function\n\
            ffffffff81a00200 T irq_entries_start\n\
            ffffffff81a00b80 T asm_exc_page_fault\n\
            ffffffff81a00880 t spurious_entries_start\n\
            ffffffff81a00900 d asm_exc_data\n";
        let found = find_entries(text.as_bytes()).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|(start, end, name)| (start & 0xfff, end & 0xfff, name.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (0xf00, 0xf01, "asm_sysvec_call_function"),
                (0x200, 0x880, "irq_entries_start"),
                (0xb80, 0xb81, "asm_exc_page_fault"),
                (0x880, 0xb80, "spurious_entries_start"),
            ]
        );
        let former = text.replace("asm_exc_page_fault", "page_fault");
        assert!(find_entries(former.as_bytes()).unwrap().is_empty());
    }

    #[test]
    fn addresses_have_functions() {
        let text = "ffffffff81000000 T schedule\n\
            ffffffff81000000 T alias\n\
            ffffffff81000100 t tick\n\
            ffffffff81000180 D data\n\
            ffffffffc0000000 t of_module\t[one]\n\
            ffffffffbfff0000 t bpf_prog_1234_x\t[bpf]\n";
        let addresses = [
            0x8100_0000,
            0x8100_00ff,
            0x8100_0190,
            0x8100_0200,
            0xc000_0001,
            1,
        ];
        let addresses = addresses.map(|low: u64| 0xffff_ffff_0000_0000 | low);
        let found = find_functions(text.as_bytes(), &BTreeSet::from(addresses)).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|(at, name)| (at & 0xffff_ffff, name.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (0x8100_0000, "schedule"),
                (0x8100_00ff, "schedule"),
                (0x8100_0190, "tick"),
                (0x8100_0200, "tick"),
                (0xc000_0001, "of_module"),
            ]
        );
    }
}
