// The table of strangers: what the command line made of each project. Pure.

import { listNames } from '../../src/common/list-names.ts';
import type { Row, Tables } from '../record.ts';
import type { Origin, Stranger } from './projects.ts';
import type { Tried } from './try-project.ts';

const maxNamed = 2;

/** What is wrong about a project; empty if all is right. */
export function findFaults({ unchanged, planted }: Pick<Tried, 'unchanged' | 'planted'>): string[] {
  if (typeof unchanged === 'string') return [unchanged];
  const faults = unchanged.changed.length === 0 ? [] : [`false: ${name(unchanged.changed)}`];
  if (typeof planted === 'string') return [...faults, planted];
  if (planted.grown === null) faults.push('the cost is not found');
  if (planted.elsewhere.length > 0) faults.push(`false: ${name(planted.elsewhere)}`);
  if (planted.line !== null && !planted.isRightLine) faults.push(`wrong line: ${planted.line}`);
  return faults;
}

/** Whether a project has a fault that is not known. */
export function isWrong(tried: Tried): boolean {
  return tried.stranger.knownFailure === undefined && findFaults(tried).length > 0;
}

export function strangerTables(all: readonly Tried[]): Tables {
  const known = all.filter(({ stranger }) => stranger.knownFailure !== undefined);
  return {
    strangers: all.map(describe),
    known: known.map((tried) => {
      const faults = findFaults(tried);
      return {
        project: nameOf(tried.stranger),
        'known failure': tried.stranger.knownFailure ?? '',
        now: faults.length === 0 ? 'passes' : faults.join('; '),
      };
    }),
    totals: [
      { what: 'projects', number: all.length },
      { what: 'comparisons of code that did not change', number: sum(all, ({ unchanged }) => countOf(unchanged)) },
      { what: 'false verdicts', number: sum(all, countFalse) },
      { what: 'planted costs found', number: all.filter(isFound).length },
      { what: 'of these with the right line first', number: all.filter(hasRightLine).length },
      { what: 'known failures', number: known.length },
      { what: 'of these that pass', number: known.filter((tried) => findFaults(tried).length === 0).length },
    ],
  };
}

export function nameOf({ name: project, variant }: Pick<Stranger, 'name' | 'variant'>): string {
  return variant === undefined ? project : `${project}, ${variant}`;
}

function describe(tried: Tried): Row {
  const { stranger, init, doctor, unchanged, planted, minutes } = tried;
  const outcome = typeof planted === 'string' ? null : planted;
  return {
    project: nameOf(stranger),
    source: describeOrigin(stranger.origin),
    init,
    'doctor: missing': doctor,
    run:
      stranger.objects === undefined
        ? stranger.config === undefined
          ? 'as `init` wrote'
          : 'with our bpfgate.toml'
        : 'objects',
    'code unchanged':
      typeof unchanged === 'string'
        ? unchanged
        : unchanged.changed.length === 0
          ? `${unchanged.comparisons} unchanged`
          : `false: ${name(unchanged.changed)}`,
    'cost planted in': stranger.program,
    found: outcome === null ? '' : (outcome.grown ?? 'no'),
    'in other programs': outcome === null ? '' : outcome.elsewhere.length === 0 ? 'no' : name(outcome.elsewhere),
    'first line':
      outcome === null ? '' : outcome.line === null ? 'none' : outcome.isRightLine ? 'right' : `wrong: ${outcome.line}`,
    minutes: minutes.toFixed(1),
  };
}

function describeOrigin(origin: Origin): string {
  return `${origin.from} ${origin.version}`;
}

const name = (changed: readonly string[]) => listNames(changed, maxNamed);
const countOf = (unchanged: Tried['unchanged']) => (typeof unchanged === 'string' ? 0 : unchanged.comparisons);
const countFalse = ({ unchanged, planted }: Tried) =>
  (typeof unchanged === 'string' ? 0 : unchanged.changed.length) +
  (typeof planted === 'string' ? 0 : planted.elsewhere.length);
const isFound = ({ planted }: Tried) => typeof planted !== 'string' && planted.grown !== null;
const hasRightLine = ({ planted }: Tried) => typeof planted !== 'string' && planted.isRightLine;
const sum = (all: readonly Tried[], of: (tried: Tried) => number) => all.reduce((total, tried) => total + of(tried), 0);
