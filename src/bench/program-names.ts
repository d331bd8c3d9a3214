// Sixth stage: what tells one BPF program from another, within a bench and between revisions.

import { groupBy } from '../group-by.ts';
import type { ProgramRecord, RunName } from '../vm/guest-run.ts';

type AnyProgram = ProgramRecord<RunName>;

/** Programs libraries load to learn what the kernel can do; none ever runs. aya `sys/bpf.rs`, libbpf `features.c`. */
export const loaderProbes = ['', 'aya_name_check', 'libbpf_nametest', 'det_arg_ctx', 'test'];

export function isSameProgram(a: AnyProgram, b: AnyProgram): boolean {
  return a.name === b.name && a.prog_type === b.prog_type && a.ordinal === b.ordinal;
}

function programKey(record: AnyProgram): string {
  return JSON.stringify([record.revision, record.name, record.prog_type, record.ordinal]);
}

/** Each program's readings of one revision. By key, so that the order of loading does not show. */
export function groupByProgram<Program extends AnyProgram>(
  records: readonly Program[],
): readonly (readonly Program[])[] {
  const inOrder = records.toSorted(
    (a, b) => compareText(programKey(a), programKey(b)) || a.reading - b.reading || a.id - b.id,
  );
  return groupBy(inOrder, programKey);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Names within a bench that programs of more than one type have. */
export function findSharedNames(records: readonly AnyProgram[]): ReadonlySet<string> {
  const groups = groupBy(records, (record) => record.name);
  const shared = groups.filter((group) => new Set(group.map((record) => record.prog_type)).size > 1);
  return new Set(shared.flatMap((group) => group.map((record) => record.name)));
}

/** `<bench>/<program>`, its type and its number behind it where another has its name. */
export function nameProgram(record: AnyProgram, sharedNames: ReadonlySet<string>): string {
  if (record.name === '') return `${record.bench}/unnamed ${record.prog_type}${describeOrdinal(record)}`;
  const type = sharedNames.has(record.name) ? ` (${record.prog_type})` : '';
  return `${record.bench}/${record.name}${type}${describeOrdinal(record)}`;
}

function describeOrdinal({ ordinal }: AnyProgram): string {
  return ordinal === 0 ? '' : ` #${ordinal + 1}`;
}
