import { $n as readPins, A as runnerLog, B as getInput, C as beginStep, D as readEvent, Dn as findOwnKernels, Dt as publishRun, E as oneOf, Et as publishFailure, F as isOfPullRequest, G as setOutput, Hn as findMissingPackages, Hr as parentsIn, I as mergedCommits, Kn as chooseKernels, Kr as runOrThrow, L as whyStranger, M as baseOfEvent, N as defaultBranchOf, O as requireCheckout, P as describeExposure, Pn as requireX64, Pt as parseSeconds, Rr as sandboxPolicies, Rt as runGate, T as makeOutputFolder, Un as installPackages, Ur as readRepository, V as group, W as setFailed, Wn as withLock, Xn as describeLeftOut, _ as codeUrlOf, c as uploadFailure, d as showError, f as showResults, g as acceptsOf, h as acceptPolicies, hr as readSchedule, ir as openCache, j as show, k as runnerFolder, kr as describeDetected, li as GateError, nr as makeCacheFolder, o as requireArtifactName, qr as describeRelativeFolders, rr as measureFolder, s as tryUpload, ti as toPlainText, tr as commonKinds, u as readShowInputs, ui as InputError, vr as readInputs, w as given, yn as installForGate } from "./shared.js";
import { dirname, join, resolve } from "node:path";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
// src/adapters/event-base.ts
/**
* Finds the base of an event. Where another repository is checked out, only an event about a pull request says something
* about it: its code is a fork's then, whose branches are not what it is merged into.
*
* @param event the result of `readEvent`; undefined outside a workflow
* @throws InputError when nothing would be compared
*/
async function findEventBase(project, event, env = process.env) {
	if (event === void 0) return {};
	const checkedOut = await readCheckedOut(project, env);
	if (checkedOut === void 0) return {};
	const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
	const [origin] = await readRepository(project, [
		"config",
		"--get",
		"remote.origin.url"
	]) ?? [];
	if (!isOther(origin, repository)) return { eventBase: baseOfEvent(event, checkedOut) };
	if (!isOfPullRequest(event, checkedOut.eventName)) return {};
	return { eventBase: {
		...baseOfEvent(event, checkedOut),
		remote: `${server}/${repository}`
	} };
}
/** Lists commits that an event says to be on the branch that pull requests are merged into. */
async function findMerged(project, event, env = process.env) {
	const checkedOut = await readCheckedOut(project, env);
	return checkedOut === void 0 ? [] : mergedCommits(event, checkedOut);
}
/** Whether an address is another repository's than `owner/repo`. */
function isOther(url, repository) {
	const named = /[:/]([^:/]+\/[^:/]+?)(?:\.git)?\/?$/.exec(url ?? "")?.[1];
	return named !== void 0 && repository !== void 0 && named.toLowerCase() !== repository.toLowerCase();
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
		payload: event,
		repository: env.GITHUB_REPOSITORY,
		ref: env.GITHUB_REF,
		isProtected: env.GITHUB_REF_PROTECTED === "true",
		sha: env.GITHUB_SHA,
		checkedOut
	};
}
/** Reads the checkout; undefined if no commit is checked out. */
async function readCheckedOut(project, env) {
	const [commit] = await readRepository(project, [
		"rev-parse",
		"--verify",
		"--quiet",
		"HEAD^{commit}"
	]) ?? [];
	if (commit === void 0) return void 0;
	const lines = await readRepository(project, [
		"cat-file",
		"commit",
		commit
	]) ?? [];
	const pulls = [
		"for-each-ref",
		"--format=%(refname)",
		`--points-at=${commit}`,
		"refs/remotes/pull"
	];
	const refs = await readRepository(project, pulls) ?? [];
	return {
		eventName: env.GITHUB_EVENT_NAME ?? "",
		ref: env.GITHUB_REF ?? "",
		sha: env.GITHUB_SHA ?? "",
		commit,
		parents: parentsIn(lines),
		isPullMerge: refs.some((name) => /^refs\/remotes\/pull\/\d+\/merge$/.test(name))
	};
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
	const stranger = whyStranger(run);
	if (stranger !== null) return stranger;
	if (!baseEvents.includes(run.event)) return `the event is \`${run.event ?? ""}\``;
	const branch = /^refs\/heads\/(.+)$/.exec(run.ref ?? "")?.[1];
	if (branch === void 0) return `\`${run.ref ?? ""}\` is no branch`;
	const isProtected = run.isProtected && !branch.startsWith("gh-readonly-queue/");
	return run.event === "schedule" || branch === defaultBranchOf(run.payload) || isProtected ? null : `\`${branch}\` is neither the default branch nor protected`;
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
// src/inputs/package-names.ts
/** Matches package names by Debian's policy, with an optional architecture. No match can be an option of apt. */
const packageName = /^[a-z0-9][a-z0-9+.-]*(:[a-z0-9]+)?$/;
/**
* Reads names of packages, separated by spaces, commas or line ends.
*
* @param where begins the message, such as `input packages`
* @throws InputError for anything that is not a package name
*/
function parsePackageNames(text, where) {
	const names = text.split(/[\s,]+/).filter((name) => name !== "");
	const wrong = names.find((name) => !packageName.test(name));
	if (wrong === void 0) return names;
	throw new InputError(`${where}: ${JSON.stringify(wrong)} is no name of a package`, { hint: "give names as apt has them, separated by spaces, such as `libbpf-dev libelf-dev`" });
}
// src/report/render-schedule.ts
/** Shorter parts are not drawn. */
const shortestMs = 100;
const longestName = 32;
/** Columns of the numbers behind the bars. */
const numbers = 10;
/** @param width columns */
function renderSchedule({ parts, totalMs, idle }, width) {
	const drawn = parts.filter(({ startMs, endMs }) => endMs - startMs >= shortestMs);
	const nameOf = ({ name }) => toPlainText(name).slice(0, longestName);
	const names = Math.max(0, ...drawn.map((part) => nameOf(part).length));
	const columns = Math.max(10, width - names - numbers - 2);
	const columnOf = (ms) => Math.round(ms / Math.max(1, totalMs) * columns);
	const rows = drawn.map((part) => {
		const from = Math.min(columnOf(part.startMs), columns - 1);
		const bar = `${" ".repeat(from)}${"#".repeat(Math.max(1, columnOf(part.endMs) - from))}`;
		return `  ${nameOf(part).padEnd(names)} ${bar.padEnd(columns)}${seconds(part.endMs - part.startMs)}`;
	});
	const shares = idle.map((share, index) => `processor ${index} ${Math.round(share * 100)} %`);
	return [
		...rows,
		`  ${"total".padEnd(names + 1 + columns)}${seconds(totalMs)}`,
		`  idle: ${shares.join(", ")}`
	].join("\n");
}
function seconds(ms) {
	return `${(ms / 1e3).toFixed(1)} s`.padStart(9);
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
		sandbox: oneOf("sandbox", sandboxPolicies),
		allowProjectRegistries: oneOf("allow-project-registries", ["true", "false"]) === "true",
		out: runnerFolder()
	};
	const event = await readEvent();
	const timeout = given("timeout");
	const limits = timeout === void 0 ? {} : { kernelTimeoutMs: parseSeconds(timeout, "input timeout") * 1e3 };
	const packages = parsePackageNames(given("packages") ?? "", "input packages");
	const acceptPolicy = oneOf("accept-costs", acceptPolicies);
	const shown = readShowInputs();
	const isCached = oneOf("cache", ["true", "false"]) === "true";
	const artifactName = given("artifact-name");
	if (artifactName !== void 0) requireArtifactName(artifactName, "artifact-name");
	await requireCheckout();
	const configured = await readInputs(inputTexts, (option) => `input ${option}`);
	const origin = await readOrigin(configured.project, event);
	const stranger = whyStranger(origin);
	if (inputTexts.allowProjectRegistries && stranger !== null) throw new InputError(`input allow-project-registries: \`true\` is refused: ${stranger}`, { hint: "a stranger would choose which servers get this job's logins: give the input only where this repository's own commits are built, as docs/building.md shows" });
	const local = openCache();
	const own = await findOwnKernels(configured.kernels, configured.config.namedKernels);
	const kernels = chooseKernels(configured.kernels, local, own).map(({ id }) => id);
	const leftOut = describeLeftOut(configured.kernels, readPins(), "input kernels:");
	if (leftOut !== void 0) show(leftOut);
	if (configured.detected !== void 0) show(describeDetected(configured.detected));
	const savesNothing = whySavesNothing(origin);
	const inputs = {
		...configured,
		merged: savesNothing === null ? [origin.sha ?? ""] : await findMerged(configured.project, event),
		out: await makeOutputFolder("bpfgate-out"),
		...inputTexts.base === void 0 ? await findEventBase(configured.project, event) : {}
	};
	const exposure = describeExposure(event, process.env.GITHUB_EVENT_NAME ?? "");
	if (exposure !== void 0) runnerLog.warn(exposure);
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
			auditShare
		};
		const accept = (ofCommits) => acceptsOf(origin, acceptPolicy, ofCommits);
		const options = {
			...limits,
			guestTools: all,
			acceptsOf: accept
		};
		const run = await group("bpfgate: measure", () => runGate(inputs, guests, options)).finally(stop);
		signal.throwIfAborted();
		await publishRun(run, inputs.out, {
			ofWorkflow: true,
			codeUrl: codeUrlOf(run.results.revisions.head.commit, event, process.env)
		});
		await group("bpfgate: timing", async () => show(renderSchedule(readSchedule(), 100)));
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
export {};
