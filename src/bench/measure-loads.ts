// Bench: measures what the verifier and the JIT made of every program of the built objects: the verifier lane.

import { revisionNames } from '../model/build.ts';
import type { GuestRun, LoadRecord, VerificationRecord } from '../model/guest-run.ts';
import type { Warning } from '../model/warning.ts';
import { measureInputs } from './measure-inputs.ts';
import type { BootMeasured, Gap, LoadValue, MeasuredCode, Measurement, Verification } from './measurement.ts';
import { findObjectError, leaveOutCopies, nameLoads, type Rename } from './program-names.ts';

/** Measures of a program that was loaded. Each has the lane's limit, except those that `isUngated` in `compare` names. */
const measures = [
  ['verified-instructions', 'instructions', 'verified_insns'],
  ['stack-bytes', 'bytes', 'stack_bytes'],
  ['xlated-bytes', 'bytes', 'xlated_bytes'],
  ['jited-bytes', 'bytes', 'jited_bytes'],
  ['map-bytes', 'bytes', 'map_bytes'],
  ['load-time', 'instructions', 'load_time_ns'],
] as const satisfies readonly (readonly [measure: string, unit: string, key: keyof LoadRecord])[];

/**
 * Measures each program: `loads` is 1 or 0. Sizes are measured too, unless one of two revisions does not load the
 * program: then there is nothing to compare them with. The same bytes give the same numbers on one kernel, so all
 * are exact.
 *
 * A program that could not be tried in a revision is a gap of that revision. If the other revision was tried, the pair
 * cannot be decided.
 *
 * @param keepsCopies whether to measure an object whose programs are all in another object. Default false
 */
export function measureLoads(
  given: GuestRun,
  renames: readonly Rename[] = [],
  keepsCopies = false,
): Omit<BootMeasured, 'error'> {
  const run = keepsCopies ? given : leaveOutCopies(given);
  const measurements: Measurement[] = [];
  const gaps: Gap[] = [];
  const codes: MeasuredCode[] = [];
  const idle: Warning[] = [];
  for (const { benchmark, renamedFrom, records } of nameLoads(run.loads, renames)) {
    const [first] = records;
    const sides = revisionNames.map((revision) => {
      const load = records.find((record) => record.revision === revision);
      const reason = load?.outcome === 'unsupported' ? (load.message ?? 'unsupported') : null;
      // A program that is not there was removed, unless its object could not be read completely.
      return { revision, load, reason: load === undefined ? findObjectError(run, first.object, revision) : reason };
    });
    const tried = sides.flatMap(({ load, reason }) => (load === undefined || reason !== null ? [] : load));
    for (const { revision, reason } of sides) {
      if (reason !== null) gaps.push(toGap(run.kernel, revision, benchmark, reason));
    }
    if (tried.length === 0) continue;
    const isSized = tried.every(({ outcome }) => outcome === 'loaded') && sides.every(({ reason }) => reason === null);
    for (const load of tried) {
      const { revision, source, machine_code: code } = load;
      const former = revision === 'base' ? renamedFrom : undefined;
      const subject = { kernel: run.kernel, revision, benchmark, renamedFrom: former, source };
      measurements.push(toLoads(subject, load), ...(isSized ? toSizes(subject, load) : []));
      if (code) codes.push({ kernel: run.kernel, revision, lane: 'verifier', benchmark, code });
    }
    if (!isSized) continue;
    const ran = tried.map((load) => ({
      revision: load.revision,
      load,
      renamedFrom: load.revision === 'base' ? renamedFrom : undefined,
    }));
    const onInputs = measureInputs(run.kernel, benchmark, ran);
    measurements.push(...onInputs.measurements);
    gaps.push(...onInputs.gaps);
    for (const each of onInputs.idle) idle.push({ ...each, about: [benchmark] });
  }
  for (const { object, revision, programs, error } of run.objects) {
    const isEmpty = programs === 0 && !run.loads.some((load) => load.object === object);
    if (isEmpty && error !== null) gaps.push(toGap(run.kernel, revision, `${object}/*`, error));
  }
  return {
    measurements,
    gaps,
    codes,
    warnings: [...describeEmpty(run, keepsCopies), ...describeObjects(run, gaps), ...idle],
  };
}

/** Objects that are linked into others are not worth a word, unless the user named them or there is nothing else. */
function describeEmpty({ objects, loads }: GuestRun, areNamed: boolean): Warning[] {
  if (!areNamed && loads.length > 0) return [];
  const empty = objects.filter(({ programs, error }) => programs === 0 && error === null);
  const reason = 'has no BPF programs: a program is a function that is not static, in a section such as `SEC("xdp")`';
  return [...new Set(empty.map(({ object }) => object))].map((object) => ({ about: [object], reason }));
}

function toGap(kernel: string, revision: Gap['revision'], benchmark: string, reason: string): Gap {
  return { kernel, lane: 'verifier', revision, benchmark, needs: null, reason };
}

type Subject = Pick<LoadValue, 'kernel' | 'revision' | 'benchmark' | 'renamedFrom' | 'source'>;

function toLoads(subject: Subject, { outcome, verification, errno, message, log }: LoadRecord): LoadValue {
  const isLoaded = outcome === 'loaded';
  const loads = {
    ...toValue(subject, 'loads', '', isLoaded ? 1 : 0),
    better: 'higher',
    ...(verification === null ? {} : { verification: toVerification(verification) }),
  } as const;
  // The message says how a program was loaded otherwise than it asks for.
  if (isLoaded) return { ...loads, warnings: message === null ? [] : [{ reason: message }] };
  // The verifier's time differs on each load, also by the clock of an emulated CPU.
  const lines = log.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('verification time '));
  return { ...loads, refusal: { errno, message: message ?? 'the kernel did not say why', log: lines } };
}

function toVerification(record: VerificationRecord): Verification {
  return {
    instructions: record.insns,
    totalStates: record.total_states,
    peakStates: record.peak_states,
    maxStatesPerInstruction: record.max_states_per_insn,
    markRead: record.mark_read,
    timeUs: record.time_us,
  };
}

function toSizes(subject: Subject, load: LoadRecord): LoadValue[] {
  return measures.flatMap(([measure, unit, key]) => {
    const value = load[key];
    return value === null ? [] : toValue(subject, measure, unit, value);
  });
}

function toValue(subject: Subject, measure: string, unit: string, value: number): LoadValue {
  return {
    ...subject,
    lane: 'verifier',
    kind: 'bpf-program',
    measure,
    unit,
    better: 'lower',
    value,
    exact: true,
    resolution: 0,
    samples: [{ count: 1, total: value }],
    warnings: [],
  };
}

/** Warns of errors of objects, but for those that gaps have. */
function describeObjects({ objects }: GuestRun, gaps: readonly Gap[]): Warning[] {
  const known = new Set(gaps.flatMap(({ reason }) => reason ?? []));
  const isKnown = (error: string) => known.has(error) || error.split('; ').every((part) => known.has(part));
  return objects.flatMap(({ object, revision, error }) =>
    error === null || isKnown(error) ? [] : { about: [object], revision, reason: error },
  );
}
