import { H as installMissing, a as readEvent, b as runGate, d as setOutput, f as publishRun, gt as string, ht as object, i as given, it as run, j as chooseKernels, l as stopOnSignals, mt as boolean, n as showError, o as runnerFolder, r as showResults, s as runnerLog, st as openCache, t as readShowInputs, tt as readInputs, u as group } from "./shared.js";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
// src/inputs/event-base.ts
const sha = string().regex(/^[0-9a-f]{40}$/);
const pullRequestEvent = object({ pull_request: object({
	base: object({
		sha,
		ref: string()
	}),
	head: object({ sha })
}) });
const mergeGroupEvent = object({ merge_group: object({ base_sha: sha }) });
const pushEvent = object({
	before: sha,
	forced: boolean().optional()
});
/**
* - A pull request's merge commit, which actions/checkout takes by default, is compared with its first parent: the base
*   branch as it was merged. The event's own `base.sha` is older where the base branch has moved on, and comparing with
*   it would blame the pull request for what others did.
* - A pull request checked out at its head is compared with its merge-base with the base branch.
* - A merge group is compared with its merge-base with what it is to be merged into.
* - A push is compared with the commit before it; a forced push, after which that commit may be gone, and anything else
*   on the default branch with HEAD's first parent.
* - Every other event says nothing.
*
* @param event the payload GitHub writes to GITHUB_EVENT_PATH
* @returns `base` is a revision, `baseBranch` one whose merge-base with the head is the base
*/
function baseOfEvent(event, { parents, branches, ref }) {
	const [first, second] = parents;
	const pullRequest = pullRequestEvent.safeParse(event);
	if (pullRequest.success) {
		const { base, head } = pullRequest.data.pull_request;
		if (first !== void 0 && second === head.sha) return { base: first };
		return { baseBranch: branches.includes(base.ref) ? `refs/remotes/origin/${base.ref}` : base.sha };
	}
	const mergeGroup = mergeGroupEvent.safeParse(event);
	if (mergeGroup.success) return { baseBranch: mergeGroup.data.merge_group.base_sha };
	const push = pushEvent.safeParse(event);
	if (push.success && !push.data.forced && !/^0+$/.test(push.data.before)) return { base: push.data.before };
	if (first !== void 0 && (push.data?.forced || ref === defaultBranchOf(event))) return { base: first };
	return {};
}
function defaultBranchOf(event) {
	const parsed = object({ repository: object({ default_branch: string() }) }).safeParse(event);
	return parsed.success ? `refs/heads/${parsed.data.repository.default_branch}` : void 0;
}
// src/action.ts
const signal = stopOnSignals();
/** Jobs of a matrix differ in more than the project. */
const scope = [
	"project",
	"config",
	"kernels",
	"lanes"
];
try {
	await runAction();
} catch (error) {
	await showError(error, {
		scope,
		signal
	});
}
async function runAction() {
	const inputTexts = {
		project: given("project"),
		config: given("config"),
		kernels: given("kernels"),
		lanes: given("lanes"),
		base: given("base"),
		out: join(runnerFolder(), "bpfgate-out")
	};
	const shown = readShowInputs();
	const configured = await readInputs(inputTexts, (option) => `input ${option}`);
	const cache = openCache();
	chooseKernels(configured.kernels, cache);
	const inputs = {
		...configured,
		...inputTexts.base === void 0 ? await baseFromEvent(configured.project) : {}
	};
	const context = {
		cache,
		log: runnerLog,
		signal
	};
	const groups = [
		"vm",
		"agent",
		...existsSync(join(inputs.project, "Cargo.toml")) ? ["example"] : [],
		...inputs.runner === "virtme-ng" ? ["virtme-ng"] : []
	];
	const tools = await group("bpfgate: tools", () => installMissing(groups, {
		...context,
		environment: toolEnvironment()
	}));
	const run = await group("bpfgate: measure", () => runGate(inputs, {
		...context,
		environment: tools.env
	}));
	await publishRun(run, inputs.out);
	setOutput("results", resolve(inputs.out, "results.json"));
	setOutput("report", resolve(inputs.out, "report.md"));
	await showResults(run.results, shown, {
		profilesIn: () => inputs.out,
		scope,
		signal
	});
}
/** The base that the workflow's event implies. */
async function baseFromEvent(project) {
	const event = await readEvent();
	return event === void 0 ? {} : baseOfEvent(event, await readCheckedOut(project));
}
/** Empty where there is no git repository, which the gate reports. */
async function readCheckedOut(project) {
	const words = async (...args) => (await run("git", args, { cwd: project })).stdout.split(/\s+/);
	const [, ...parents] = await words("rev-list", "--parents", "--max-count=1", "HEAD");
	const branches = await words("for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/origin");
	return {
		parents: parents.filter((id) => id !== ""),
		branches,
		ref: process.env.GITHUB_REF ?? ""
	};
}
/** What tools are run with: nothing of the runner's, which holds the job's tokens. */
function toolEnvironment() {
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(INPUT|GITHUB|ACTIONS|RUNNER)_/.test(name)));
}
export {};
