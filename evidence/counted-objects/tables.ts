// The tables of counted-objects: which programs of others load, run and are counted, and why not the rest. Pure.

import { groupBy } from '../../src/common/group-by.ts';
import type { LoadRecord } from '../../src/model/guest-run.ts';
import type { Source } from '../foreign-objects/obtain.ts';
import type { Row, Tables } from '../record.ts';

/** Why a loaded program has no count; null if it has one. */
function findReason({ inputs }: LoadRecord): string | null {
  if (inputs === undefined) return 'it takes no input, and nothing is known to attach it to';
  if (inputs.runs.some(({ readings, error }) => error === null && readings.length > 0)) return null;
  return inputs.error ?? inputs.runs.find(({ error }) => error !== null)?.error ?? 'it has no runs';
}

const share = (part: number, whole: number) => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`);

/** @param loads of one kernel and revision */
export function countedTables(sources: readonly Source[], loads: readonly LoadRecord[]): Tables {
  const describe = (source: string, own: readonly LoadRecord[]): Row => {
    const loaded = own.filter(({ outcome }) => outcome === 'loaded');
    const counted = loaded.filter((load) => findReason(load) === null);
    const elsewhere = counted.filter(({ inputs }) => inputs?.runs.some(({ instead }) => instead !== null));
    return {
      source,
      programs: own.length,
      loaded: loaded.length,
      counted: counted.length,
      'of these at another function': elsewhere.length,
      'of those that load': share(counted.length, loaded.length),
    };
  };
  const rows = sources.map(({ name, objects }) => {
    const own = new Set(objects);
    return describe(
      name,
      loads.filter(({ object }) => own.has(object)),
    );
  });
  const uncounted = loads.flatMap((load) => {
    const reason = load.outcome === 'loaded' ? findReason(load) : null;
    // Names in a reason would make a row of each.
    return reason === null ? [] : { reason: reason.replace(/"[^"]*"|`[^`]*`|(?<=\bat )\S+/g, '…'), load };
  });
  const reasons = groupBy(uncounted, ({ reason }) => reason)
    .sort((a, b) => b.length - a.length)
    .map(([first, ...others]): Row => {
      const { object, program } = first.load;
      return { programs: 1 + others.length, reason: first.reason, 'the first': `${object}/${program}` };
    });
  return { counted: [...rows, describe('all', loads)], uncounted: reasons };
}
