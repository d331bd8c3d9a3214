//! USDT: the function of the workload that user probes are attached to, as a probe of
//! libbpf's `usdt.bpf.h`. The loader describes it in maps, whose layout all versions of
//! libbpf share.

/// The map with descriptions of probes, by number. The kernel gives programs number 0.
const SPECS: &str = "__bpf_usdt_specs";
/// The map with the number of a description by address, for kernels before 5.15.
const NUMBERS: &str = "__bpf_usdt_ip_to_spec_id";
/// `struct __bpf_usdt_spec`: twelve arguments, eight bytes, and the number of arguments.
const SPEC_BYTES: usize = 208;
const ARGUMENTS_AT: usize = 200;
/// `struct __bpf_usdt_arg_spec`: eight bytes, the kind, and where it is in `struct pt_regs`.
const ARGUMENT_BYTES: usize = 16;
const KIND_AT: usize = 8;
const REGISTER_AT: usize = 12;
/// `BPF_USDT_ARG_REG`
const IN_REGISTER: u8 = 1;
/// Offsets in `struct pt_regs` of the arguments of [`probed`]: `rdi`, `rsi`, `rdx`, `rcx`,
/// `r8` and `r9`.
#[cfg(target_arch = "x86_64")]
const REGISTERS: [u16; 6] = [112, 104, 96, 88, 72, 64];
/// `x0` to `x5`.
#[cfg(target_arch = "aarch64")]
const REGISTERS: [u16; 6] = [0, 8, 16, 24, 32, 40];

/// The function to which probes of user programs are attached. The workload calls it once in
/// a round.
#[inline(never)]
pub extern "C" fn probed(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> u64 {
    std::hint::black_box(a + b + c + d + e + f)
}

/// The key and value that describe the workload's function as a probe, if a map of this
/// name holds such descriptions.
pub fn entry(map: &str, value_bytes: usize) -> Option<(Vec<u8>, Vec<u8>)> {
    match map {
        SPECS if value_bytes == SPEC_BYTES => Some((vec![0; 4], spec())),
        NUMBERS if value_bytes == 4 => {
            let address = probed as *const () as u64;
            Some((address.to_ne_bytes().to_vec(), vec![0; 4]))
        }
        _ => None,
    }
}

fn spec() -> Vec<u8> {
    let mut spec = vec![0; SPEC_BYTES];
    for (argument, register) in spec.chunks_exact_mut(ARGUMENT_BYTES).zip(REGISTERS) {
        argument[KIND_AT] = IN_REGISTER;
        argument[REGISTER_AT..][..2].copy_from_slice(&register.to_ne_bytes());
    }
    spec[ARGUMENTS_AT..][..2].copy_from_slice(&(REGISTERS.len() as u16).to_ne_bytes());
    spec
}
