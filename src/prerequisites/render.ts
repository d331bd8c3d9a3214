// Prerequisites, pure: what `bpfgate doctor` prints.

import { findMissing } from './check.ts';
import {
  needs,
  optionalGroups,
  type PrerequisiteGroup,
  type PrerequisiteStatus,
  prerequisiteGroups,
} from './prerequisite.ts';

/**
 * Renders one line per prerequisite. Below each missing one stand what needs it and the command that fixes that.
 *
 * @param optional groups that are not required
 */
export function renderPrerequisites(
  statuses: readonly PrerequisiteStatus[],
  optional: readonly PrerequisiteGroup[] = optionalGroups,
): string {
  const width = Math.max(0, ...statuses.map((status) => status.prerequisite.name.length));
  const sections = prerequisiteGroups.flatMap((group) => {
    const own = statuses.filter((status) => status.prerequisite.group === group);
    if (own.length === 0) return [];
    return [[`${needs[group].title}:`, ...own.flatMap((status) => renderStatus(status, width, optional))].join('\n')];
  });
  const missing = findMissing(statuses).filter(({ prerequisite }) => !optional.includes(prerequisite.group)).length;
  const verdict =
    missing === 0 ? 'nothing is missing' : `${missing} missing; \`bpfgate doctor --install\` installs what it can`;
  return [...sections, verdict].join('\n\n');
}

function renderStatus(
  { prerequisite, present, version, identity, path, problem, remedy, neededBy }: PrerequisiteStatus,
  width: number,
  optional: readonly PrerequisiteGroup[],
) {
  const name = prerequisite.name.padEnd(width);
  if (present) return [`  ok       ${name}  ${identity ?? version ?? ''}`.trimEnd()];
  const what = `${path === null ? '' : `${path} `}${problem}; needed to ${prerequisite.purpose}`;
  const word = optional.includes(prerequisite.group) ? 'absent ' : 'missing';
  const indent = `           ${' '.repeat(width)}  `;
  return [`  ${word}  ${name}  ${what}`, ...neededBy.map((by) => `${indent}${by} needs it`), `${indent}fix: ${remedy}`];
}
