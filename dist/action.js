import { $t as boolean, A as setFailed, Bt as measureFolder, C as stopOnSignals, Ct as installMissing, D as group, E as getInput, It as readInputs, J as runGate, Ut as run, Vt as openCache, Wt as runOrThrow, _ as makeOutputFolder, a as showResults, an as string, at as withLock, b as runnerFolder, f as requireArtifactName, ft as chooseKernels, g as given, i as showError, in as object, j as setOutput, m as uploadFailure, p as tryUpload, pn as GateError, q as publishGate, r as readShowInputs, v as oneOf, x as runnerLog, y as readEvent } from "./shared.js";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
// src/adapters/actions-cache.ts
/** Takes long to make, and is the same for everybody. */
const common = /* @__PURE__ */ new Set([
	"agent",
	"apt-packages",
	"kernels-2",
	"rust-src",
	"tools"
]);
const ofBase = (kind) => kind === "base-results" || kind.startsWith("builds/");
/** In bytes, as they lie on the disk: GitHub keeps 10 GB of a repository. */
const maxEntry = 4e9;
/** Counts up when what an entry holds changes its meaning. */
const format = 1;
/**
* Undefined where there is no such cache, as on a machine that is no runner of GitHub's.
*
* An entry is looked up by its whole key: what is almost the same is never taken for it.
*/
async function openActionsCache({ cache, log, signal, recordsBase }) {
	const github = await import("./cache.js");
	if (!github.isFeatureAvailable()) return void 0;
	const platform = await describePlatform();
	const made = /* @__PURE__ */ new Map();
	const asked = /* @__PURE__ */ new Set();
	const nameOf = (kind, key) => `bpfgate-${format}-${platform}-${kind.replaceAll("/", "-")}-${key}`;
	const placeOf = (kind, key) => join(cache.root, "remote", kind.replaceAll("/", "-"), key);
	const alone = async (work) => {
		const folder = join(cache.root, "remote");
		await mkdir(folder, { recursive: true });
		return await withLock(join(folder, ".lock"), {
			log,
			signal,
			waiting: "waiting for another bpfgate that uses the remote cache"
		}, work);
	};
	return {
		async restore(kind, key, place) {
			const name = nameOf(kind, key);
			if (!(common.has(kind) || ofBase(kind)) || asked.has(name)) return false;
			asked.add(name);
			const staging = placeOf(kind, key);
			try {
				return await alone(async () => {
					await rm(staging, {
						recursive: true,
						force: true
					});
					if (await github.restoreCache([staging], name) !== name || !await isFolder(staging)) return false;
					await place(staging);
					log.progress(`${kind}: taken from the workflows' cache`);
					return true;
				});
			} catch (error) {
				signal.throwIfAborted();
				log.progress(`${kind}: cannot be taken from the workflows' cache: ${error.message}`);
				return false;
			} finally {
				await rm(staging, {
					recursive: true,
					force: true
				});
			}
		},
		made(kind, key, path) {
			if (common.has(kind) || recordsBase && ofBase(kind)) made.set(nameOf(kind, key), {
				kind,
				key,
				path
			});
		},
		async save() {
			for (const [name, { kind, key, path }] of made) {
				signal.throwIfAborted();
				const staging = placeOf(kind, key);
				try {
					await alone(async () => {
						if (!await isFolder(path)) return;
						const bytes = await measureFolder(path);
						if (bytes > maxEntry) {
							log.progress(`${kind}: not saved for other runs: ${bytes} bytes are more than ${maxEntry}`);
							return;
						}
						if (await github.restoreCache([staging], name, [], { lookupOnly: true }) === name) return;
						await rm(staging, {
							recursive: true,
							force: true
						});
						await mkdir(dirname(staging), { recursive: true });
						await runOrThrow("cp", [
							"--archive",
							"--link",
							path,
							staging
						]);
						await github.saveCache([staging], name);
					});
				} catch (error) {
					signal.throwIfAborted();
					log.progress(`${kind}: not saved for other runs: ${error.message}`);
				} finally {
					await rm(staging, {
						recursive: true,
						force: true
					});
				}
			}
			made.clear();
		}
	};
}
/** What is compiled on one distribution does not run on every other. */
async function describePlatform() {
	const release = await readFile("/etc/os-release", "utf8").catch(() => "");
	const field = (name) => new RegExp(`^${name}="?([\\w.-]+)`, "m").exec(release)?.[1] ?? "unknown";
	return `${field("ID")}${field("VERSION_ID")}-${process.arch}`;
}
async function isFolder(path) {
	return await stat(path).then((found) => found.isDirectory(), () => false);
}
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
/** Their runs measure what later ones are compared with. A pull request's may not say what base is. */
const baseEvents = [
	"push",
	"schedule",
	"workflow_dispatch"
];
/** Jobs of a matrix differ in more than the project. */
const scope = [
	"project",
	"config",
	"kernels",
	"lanes",
	"shard"
].map((name) => getInput(name));
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
		shard: given("shard"),
		base: given("base"),
		out: runnerFolder()
	};
	const shown = readShowInputs();
	const isCached = oneOf("cache", ["true", "false"]) === "true";
	const artifactName = given("artifact-name");
	if (artifactName !== void 0) requireArtifactName(artifactName, "artifact-name");
	const configured = await readInputs(inputTexts, (option) => `input ${option}`);
	const local = openCache();
	const kernels = chooseKernels(configured.kernels, local).map(({ id }) => id);
	const inputs = {
		...configured,
		out: await makeOutputFolder("bpfgate-out"),
		...inputTexts.base === void 0 ? await baseFromEvent(configured.project) : {}
	};
	const isRecord = baseEvents.includes(process.env.GITHUB_EVENT_NAME ?? "");
	const remote = isCached ? await openActionsCache({
		cache: local,
		log: runnerLog,
		signal,
		recordsBase: isRecord
	}) : void 0;
	const context = {
		cache: {
			...local,
			remote
		},
		log: runnerLog,
		signal
	};
	const groups = [
		"vm",
		"agent",
		...existsSync(join(inputs.project, "Cargo.toml")) ? ["example"] : [],
		...inputs.runner === "virtme-ng" ? ["virtme-ng"] : []
	];
	try {
		const tools = await group("bpfgate: tools", () => installMissing(groups, {
			...context,
			environment: toolEnvironment()
		}));
		const guests = {
			...context,
			environment: tools.env,
			keepHead: isRecord
		};
		const run = await group("bpfgate: measure", () => runGate(inputs, guests));
		signal.throwIfAborted();
		await publishGate(run, inputs.out, context.cache);
		setOutput("results", resolve(inputs.out, "results.json"));
		setOutput("report", resolve(inputs.out, "report.md"));
		const { artifact, problem } = await tryUpload(artifactName, inputs.out);
		await showResults(run.results, shown, {
			profilesIn: () => inputs.out,
			scope,
			signal,
			artifact
		});
		if (problem !== null && process.exitCode === void 0) setFailed(problem);
		else if (problem !== null) runnerLog.warn(problem);
	} catch (error) {
		if (artifactName !== void 0 && error instanceof GateError && !signal.aborted) await uploadFailure(artifactName, error, kernels).catch((cause) => runnerLog.warn(cause.message));
		throw error;
	} finally {
		if (remote !== void 0 && !signal.aborted) await group("bpfgate: cache", () => remote.save());
	}
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
