//! Stack: computes a program's stack use from the depths that the verifier prints. Pure.

use std::collections::BTreeSet;

use crate::bpf::Insn;

/// Bytes of stack on the deepest chain of calls of a loaded program.
///
/// `depths` is what the verifier prints (`stack depth 56+8+0`): each function's own
/// bytes, in the order of their first instructions. The kernel limits (to 512 bytes,
/// `check_max_stack_depth`) neither their largest nor their sum, but the sum along a
/// chain of calls. This function computes that sum from the call graph of `insns`. It
/// leaves out the kernel's rounding of each frame, which differs between kernels.
///
/// `None` if there are no depths. Also `None` if they do not match the functions because
/// the kernel has removed some that are never called: the result would not be comparable.
pub fn deepest(insns: &[Insn], depths: &[u32]) -> Option<u32> {
    if depths.is_empty() {
        return None;
    }
    let calls: Vec<(usize, usize)> = insns
        .iter()
        .enumerate()
        .filter_map(|(at, insn)| Some((at, callee(at, insn, insns.len())?)))
        .collect();
    let starts: Vec<usize> = calls
        .iter()
        .map(|&(_, callee)| callee)
        .chain([0])
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    // Kernels from 6.7 on may add a function at the end.
    if depths.len() < starts.len() || depths.len() > starts.len() + 1 {
        return None;
    }
    let function_at = |at: usize| starts.partition_point(|&start| start <= at) - 1;
    let mut callees = vec![BTreeSet::new(); starts.len()];
    for &(at, callee) in &calls {
        callees[function_at(at)].insert(function_at(callee));
    }
    let mut memo = vec![None; starts.len()];
    Some(chain(0, &callees, depths, &mut memo))
}

/// The function that an instruction calls or passes to a helper as a callback.
fn callee(at: usize, insn: &Insn, count: usize) -> Option<usize> {
    let target = insn.function_offset()?;
    let callee = usize::try_from(at as i64 + i64::from(target) + 1).ok()?;
    (callee < count).then_some(callee)
}

fn chain(
    function: usize,
    callees: &[BTreeSet<usize>],
    depths: &[u32],
    memo: &mut [Option<u32>],
) -> u32 {
    if let Some(known) = memo[function] {
        return known;
    }
    // Ends a recursion, by callbacks for example, at its second turn.
    memo[function] = Some(0);
    let below = callees[function]
        .iter()
        .map(|&callee| chain(callee, callees, depths, memo))
        .max()
        .unwrap_or(0);
    let depth = depths[function].saturating_add(below);
    memo[function] = Some(depth);
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    /// main calls a and b; a calls c.
    fn program() -> Vec<Insn> {
        vec![
            Insn::call_function(2), // 0: main -> 3
            Insn::call_function(4), // 1: main -> 6
            Insn::exit(),
            Insn::call_function(4), // 3: a -> 8
            Insn::mov_r0(0),
            Insn::exit(),
            Insn::mov_r0(0), // 6: b
            Insn::exit(),
            Insn::mov_r0(0), // 8: c
            Insn::exit(),
        ]
    }

    #[test]
    fn the_deepest_chain_counts() {
        assert_eq!(deepest(&program(), &[16, 32, 200, 64]), Some(16 + 200));
        assert_eq!(deepest(&program(), &[16, 32, 8, 64]), Some(16 + 32 + 64));
    }

    #[test]
    fn one_function_is_its_own_chain() {
        let insns = [Insn::mov_r0(0), Insn::exit()];
        assert_eq!(deepest(&insns, &[40]), Some(40));
        assert_eq!(deepest(&insns, &[40, 0]), Some(40));
    }

    #[test]
    fn a_mismatch_of_functions_and_depths_gives_none() {
        assert_eq!(deepest(&program(), &[16, 32]), None);
        assert_eq!(deepest(&program(), &[]), None);
    }

    #[test]
    fn recursion_ends() {
        let insns = [Insn::call_function(-1), Insn::exit()];
        assert_eq!(deepest(&insns, &[8]), Some(8));
    }
}
