import { $n as installPackages, Ar as readInputs, At as parseSeconds, Ct as publishRun, Dr as readSchedule, Gt as openKvm, Ln as findOwnKernels, O as setFailed, On as installForGate, Qn as findMissingPackages, Sr as object, St as publishFailure, T as group, Wn as requireX64, Wr as describeDetected, _ as oneOf, b as runnerLog, bt as renderSchedule, c as uploadFailure, ct as acceptPolicies, d as showResults, di as runOrThrow, er as withLock, fi as describeRelativeFolders, fr as commonKinds, g as makeOutputFolder, h as given, hr as openCache, k as setOutput, l as readShowInputs, lt as acceptsOf, m as beginStep, mr as measureFolder, mt as isOfFork, ni as sandboxPolicies, nr as chooseKernels, o as requireArtifactName, or as describeLeftOut, pr as makeCacheFolder, qt as requirePluginRunner, s as tryUpload, si as readRepository, u as showError, ur as readPins, ut as codeUrlOf, v as readEvent, vi as GateError, vt as parsePackageNames, w as getInput, wr as string, x as show, y as runnerFolder, yi as InputError, yr as boolean, zt as runGate } from "./shared.js";
import { dirname, join, resolve } from "node:path";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
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
* - A merge group is compared with its merge-base with the commit it will be merged into.
* - A push is compared with the commit before it. After a forced push that commit may be gone, so HEAD's first parent
*   is used. The same holds for any other event on the default branch.
* - Every other event implies no base.
*
* @param event the payload GitHub writes to GITHUB_EVENT_PATH
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
	if (push.success && !push.data.forced && !/^0+$/.test(push.data.before)) return {
		base: push.data.before,
		...first === void 0 ? {} : { otherwise: first }
	};
	if (first !== void 0 && (push.data?.forced || ref === `refs/heads/${defaultBranchOf(event)}`)) return { base: first };
	return {};
}
/** The name of the default branch of an event's repository. */
function defaultBranchOf(event) {
	return object({ repository: object({ default_branch: string() }) }).safeParse(event).data?.repository.default_branch;
}
// src/adapters/event-base.ts
/**
* Finds the base of an event. A checkout may not have it: with `fetch-depth: 2` it has only HEAD and HEAD's parents.
*
* @param event the result of `readEvent`; undefined outside a workflow
* @param ref GITHUB_REF
*/
async function findEventBase(project, { event, ref, log }) {
	if (event === void 0) return {};
	const { otherwise, ...implied } = baseOfEvent(event, await readCheckedOut(project, ref));
	const { base } = implied;
	if (base === void 0 || otherwise === void 0 || await hasCommit(project, base)) return implied;
	log.warn(`the commit before this push, ${base}, is not in the checkout: compared with ${otherwise}, the parent of the last commit. For pushes of several commits, set \`fetch-depth: 0\` for actions/checkout`);
	return { base: otherwise };
}
/**
* Reads the origin of this run, and the commit that it has checked out.
*
* @param event the result of `readEvent`
*/
async function readOrigin(project, event, env = process.env) {
	const [checkedOut] = await readRepository(project, [
		"rev-parse",
		"--verify",
		"--quiet",
		"HEAD"
	]) ?? [];
	return {
		event: env.GITHUB_EVENT_NAME,
		ref: env.GITHUB_REF,
		isProtected: env.GITHUB_REF_PROTECTED === "true",
		defaultBranch: defaultBranchOf(event),
		sha: env.GITHUB_SHA,
		checkedOut
	};
}
/** Reads the checkout. Nothing is found without a git repository, which the gate reports. */
async function readCheckedOut(project, ref) {
	const [commits = ""] = await readRepository(project, [
		"rev-list",
		"--parents",
		"--max-count=1",
		"HEAD"
	]) ?? [];
	const [, ...parents] = commits.split(" ");
	return {
		parents,
		branches: await readRepository(project, [
			"for-each-ref",
			"--format=%(refname:lstrip=3)",
			"refs/remotes/origin"
		]) ?? [],
		ref
	};
}
async function hasCommit(project, commit) {
	return await readRepository(project, [
		"cat-file",
		"-e",
		`${commit}^{commit}`
	]) !== void 0;
}
// src/cache/actions-cache.ts
/** Events of runs that measure what is already merged. */
const baseEvents = [
	"push",
	"schedule",
	"workflow_dispatch"
];
/**
* Says why a run saves nothing for others; null if it saves. A run saves if it measures the last commit of the default
* branch or of a protected one: opening a pull request brings no commit there.
*/
function whySavesNothing(run) {
	if (!baseEvents.includes(run.event)) return `the event is \`${run.event ?? ""}\``;
	const branch = /^refs\/heads\/(.+)$/.exec(run.ref ?? "")?.[1];
	if (branch === void 0) return `\`${run.ref ?? ""}\` is no branch`;
	if (!(run.event === "schedule" || branch === run.defaultBranch || run.isProtected)) return `\`${branch}\` is neither the default branch nor protected`;
	const { sha, checkedOut } = run;
	if (sha !== void 0 && checkedOut === sha) return null;
	return `what is checked out is not the commit of the event, but ${checkedOut ?? "no commit"}`;
}
const common = new Set(Object.values(commonKinds));
const isBuild = (kind) => kind.startsWith("builds/");
const isShared = (kind) => common.has(kind) || kind === "counts" || isBuild(kind);
/**
* The most that a job saves, in bytes before compression. GitHub keeps 10 GB for all workflows of a repository and then
* removes what was used longest ago, so one job must not push out what the others have saved.
*/
const maxSaved = 4e9;
/** Increased when the meaning of an entry's content changes. */
const format = 1;
/**
* Opens the cache; undefined where there is none, as outside GitHub's runners.
*
* An entry is looked up by its whole key: one that is almost the same is not used.
*/
async function openActionsCache({ cache, log, signal, savesNothing, baseBranch }) {
	const github = await import("./cache.js");
	if (!github.isFeatureAvailable()) return void 0;
	const platform = await describePlatform();
	const made = /* @__PURE__ */ new Map();
	const asked = /* @__PURE__ */ new Set();
	let hasFound = false;
	const nameOf = (kind, key) => `bpfgate-${format}-${platform}-${kind.replaceAll("/", "-")}-${key}`;
	const placeOf = (kind, key) => join(cache.root, "remote", kind.replaceAll("/", "-"), key);
	const alone = async (work) => {
		const folder = join(cache.root, "remote");
		await makeCacheFolder(folder);
		return await withLock(join(folder, ".lock"), {
			log,
			signal,
			waiting: "waiting for another bpfgate that uses the remote cache"
		}, work);
	};
	return {
		async restore(kind, key, place) {
			const name = nameOf(kind, key);
			if (!isShared(kind) || asked.has(name)) return false;
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
					hasFound = true;
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
			if (isShared(kind)) made.set(nameOf(kind, key), {
				kind,
				key,
				path
			});
		},
		async save() {
			const entries = [...made];
			made.clear();
			if (savesNothing !== null) {
				if (!hasFound && entries.some(([name]) => asked.has(name))) log.progress(describeEmpty(savesNothing, baseBranch));
				return;
			}
			let left = maxSaved;
			for (const [name, { kind, key, path }] of entries.sort(([, one], [, other]) => Number(isBuild(one.kind)) - Number(isBuild(other.kind)))) {
				signal.throwIfAborted();
				const staging = placeOf(kind, key);
				try {
					await alone(async () => {
						if (!await isFolder(path)) return;
						if (await github.restoreCache([staging], name, [], { lookupOnly: true }) === name) return;
						const bytes = await measureFolder(path);
						if (bytes > left) {
							log.progress(`${kind}: not saved for other runs: ${formatGigabytes(bytes)}, and of the ${formatGigabytes(maxSaved)} that a job saves at most ${formatGigabytes(left)} are left`);
							return;
						}
						left -= bytes;
						await rm(staging, {
							recursive: true,
							force: true
						});
						await mkdir(dirname(staging), { recursive: true });
						await runOrThrow("cp", [
							"--archive",
							"--reflink=auto",
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
		}
	};
}
/** @param baseBranch empty for an event that names none */
function describeEmpty(savesNothing, baseBranch) {
	return `nothing is cached for this run: no run on ${baseBranch === "" ? "the base branch" : `\`${baseBranch}\``} has saved what it needs, and this run saves nothing: ${savesNothing}. With ${`\`on: { push: { branches: [${baseBranch === "" ? "main" : baseBranch}] } }\``} the workflow fills the cache, where that branch is the default one or protected`;
}
function formatGigabytes(bytes) {
	return `${(bytes / 1e9).toFixed(1)} GB`;
}
/** Part of a key: programs compiled on one distribution do not run on every other. */
async function describePlatform() {
	const release = await readFile("/etc/os-release", "utf8").catch(() => "");
	const field = (name) => new RegExp(`^${name}="?([\\w.-]+)`, "m").exec(release)?.[1] ?? "unknown";
	return `${field("ID")}${field("VERSION_ID")}-${process.arch}`;
}
async function isFolder(path) {
	return (await stat(path).catch(() => void 0))?.isDirectory() === true;
}
// src/action.ts
const signal = beginStep();
/** Jobs of a matrix differ in more than the project. */
const scope = [
	"project",
	"config",
	"kernels",
	"lanes",
	"shard"
].map((name) => getInput(name));
if (getInput("head-objects") !== "") scope.push(getInput("head-objects"));
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
		baseObjects: given("base-objects"),
		headObjects: given("head-objects"),
		against: given("against"),
		sandbox: oneOf("sandbox", sandboxPolicies),
		allowProjectRegistries: oneOf("allow-project-registries", ["true", "false"]) === "true",
		out: runnerFolder()
	};
	const event = await readEvent();
	if (inputTexts.allowProjectRegistries && isOfFork(event, process.env.GITHUB_REPOSITORY)) throw new InputError("input allow-project-registries: `true` is refused for a pull request from a fork", { hint: "a fork's author would choose which servers get this job's logins: leave the input out of runs for forks, as docs/building.md shows" });
	const timeout = given("timeout");
	const limits = timeout === void 0 ? {} : { kernelTimeoutMs: parseSeconds(timeout, "input timeout") * 1e3 };
	const packages = parsePackageNames(given("packages") ?? "", "input packages");
	const acceptPolicy = oneOf("accept-costs", acceptPolicies);
	const shown = readShowInputs();
	const inside = oneOf("inside", ["true", "false"]) === "true" ? "regressions" : void 0;
	const isCached = oneOf("cache", ["true", "false"]) === "true";
	const artifactName = given("artifact-name");
	if (artifactName !== void 0) requireArtifactName(artifactName, "artifact-name");
	const configured = await readInputs(inputTexts, (option) => `input ${option}`);
	if (inside !== void 0) requirePluginRunner(configured, "input inside");
	const local = openCache();
	const own = await findOwnKernels(configured.kernels, configured.config.namedKernels);
	const kernels = chooseKernels(configured.kernels, local, own).map(({ id }) => id);
	const leftOut = describeLeftOut(configured.kernels, readPins(), "input kernels:");
	if (leftOut !== void 0) show(leftOut);
	if (configured.detected !== void 0) show(describeDetected(configured.detected));
	const inputs = {
		...configured,
		out: await makeOutputFolder("bpfgate-out"),
		...inputTexts.base === void 0 && configured.objects === void 0 ? await findEventBase(configured.project, await readTrigger()) : {}
	};
	const savesNothing = whySavesNothing(await readOrigin(configured.project, event));
	const isRecord = savesNothing === null;
	const baseBranch = process.env.GITHUB_BASE_REF ?? "";
	const remote = isCached ? await openActionsCache({
		cache: local,
		log: runnerLog,
		signal,
		savesNothing,
		baseBranch
	}) : void 0;
	const context = {
		cache: {
			...local,
			remote
		},
		log: runnerLog,
		signal
	};
	try {
		const leftOutOfPath = describeRelativeFolders(process.env.PATH);
		if (leftOutOfPath !== void 0) runnerLog.warn(leftOutOfPath);
		const { tools, all, stop } = await group("bpfgate: tools", async () => {
			const environment = process.env;
			requireX64();
			await openKvm({
				...context,
				environment
			});
			const absent = await findMissingPackages(packages, environment);
			if (absent.length > 0) await installPackages(absent, {
				...context,
				env: environment
			});
			return await installForGate(inputs, {
				...context,
				environment
			});
		});
		const auditShare = process.env.GITHUB_EVENT_NAME === "schedule" ? 1 : void 0;
		const guests = {
			...context,
			environment: tools.env,
			identities: tools.identities,
			auditShare,
			inside
		};
		const accept = (ofCommits) => acceptsOf(event, process.env, acceptPolicy, ofCommits);
		const options = {
			...limits,
			guestTools: all,
			acceptsOf: accept
		};
		const run = await group("bpfgate: measure", () => runGate(inputs, guests, options)).finally(stop);
		signal.throwIfAborted();
		const schedule = readSchedule();
		await publishRun(run, inputs.out, schedule, {
			ofWorkflow: true,
			codeUrl: codeUrlOf(run.results.revisions.head.commit, event, process.env)
		});
		await group("bpfgate: timing", async () => show(renderSchedule(schedule, 100)));
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
		if (error instanceof GateError && !signal.aborted) {
			const warn = (cause) => runnerLog.warn(cause.message);
			await publishFailure(error, kernels, inputs.out).catch(warn);
			const kept = artifactName === void 0 ? ", until the job ends: input artifact-name keeps it" : "";
			for (const name of Object.keys(error.logs)) show(`the whole output is in ${join(inputs.out, "logs", name)}${kept}`);
			if (artifactName !== void 0) await uploadFailure(artifactName, error, kernels).catch(warn);
		}
		throw error;
	} finally {
		if (remote !== void 0 && !signal.aborted) await (isRecord ? group("bpfgate: cache", () => remote.save()) : remote.save());
	}
}
async function readTrigger() {
	return {
		event: await readEvent(),
		ref: process.env.GITHUB_REF ?? "",
		log: runnerLog
	};
}
export {};
