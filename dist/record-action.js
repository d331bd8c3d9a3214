import { B as joinResults, Br as toPlainLine, Bt as normalizeRelative, Dr as splitSelectors, E as setOutput, Er as isOwnSelector, G as addLines, J as folderOf, Jr as settingsVariables, K as branchReadme, Kt as findFindings, Lr as countOf, Qt as boundMedian, Rr as joinWords, Wr as clipMiddle, X as historySchemaName, Xn as openCache, _ as runnerLog, an as keyOf, ar as string, at as repository, ci as MachineError, d as beginStep, ei as run, f as given, g as runnerFolder, h as readEvent, n as readJobResults, nt as counter, oi as InputError, q as filesOf, rr as object, s as showError, sr as url, tr as looseObject, v as show, vn as expectKernels, yt as toError, zn as chooseKernels } from "./shared.js";
import { join } from "node:path";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
// src/history/record-request.ts
/** The variables that GitHub's runner sets. */
const runnerVariables = object({
	GITHUB_EVENT_NAME: string().min(1),
	GITHUB_SERVER_URL: url(),
	GITHUB_REPOSITORY: repository,
	GITHUB_RUN_ID: counter,
	GITHUB_REF: string().default(""),
	GITHUB_SHA: string().default("")
});
/** Parts of a payload that mark a run about a pull request, whatever the event is called. */
const pullRequestMarks = [object({ pull_request: looseObject({}) }), object({ issue: object({ pull_request: looseObject({}) }) })];
const workflowRunEvent = object({ workflow_run: object({ event: string() }) });
const followedRun = object({ workflow_run: object({
	id: counter,
	head_sha: string(),
	head_branch: string().nullable()
}) });
const repositoryOfEvent = object({ repository: object({ default_branch: string() }) });
/**
* @param event the content of GITHUB_EVENT_PATH
* @param branch the branch that holds the history
* @throws InputError when the run is a pull request's or merge group's, whose code could have written the results of a
* commit that the base never had; when the branch is one with the project's code; or when a variable is missing
*/
function recordRequestOf(event, environment, branch) {
	const runner = runnerVariables.safeParse(environment);
	if (!runner.success) {
		const names = [...new Set(runner.error.issues.map(({ path }) => String(path[0])))].join(", ");
		throw new InputError(`the runner does not say what to record: ${names} is missing or wrong`, { hint: "run the step in a workflow of GitHub Actions" });
	}
	const { GITHUB_EVENT_NAME: name, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: ofRun, GITHUB_REF: ref } = runner.data;
	const following = workflowRunEvent.safeParse(event);
	const measuredOn = following.success ? following.data.workflow_run.event : name;
	if (isPullRequest(measuredOn) || isPullRequest(name) || pullRequestMarks.some((mark) => mark.safeParse(event).success)) {
		const eventName = clipMiddle(toPlainLine(measuredOn), 60);
		throw new InputError(`a pull request's run is not the base's history: the event is \`${eventName}\``, { hint: "record in a workflow on `push` to the base branch" });
	}
	const defaultBranch = repositoryOfEvent.safeParse(event).data?.repository.default_branch;
	if (branch === defaultBranch || `refs/heads/${branch}` === ref) throw new InputError(`branch \`${toPlainLine(branch)}\` holds the project, and the history is to have one of its own`, { hint: "leave input branch as it is, or name a branch that nothing else is on" });
	const followed = followedRun.safeParse(event);
	if (following.success && !followed.success) throw new InputError("the event does not say which run was followed, and of which commit", { hint: "record in a workflow on `push`, or on `workflow_run`, as GitHub starts it" });
	const measured = followed.data?.workflow_run;
	if (measured !== void 0 && measured.head_branch !== defaultBranch) {
		const branch = measured.head_branch ?? "";
		throw new InputError(`branch \`${clipMiddle(toPlainLine(branch), 60)}\` is not the default branch`, { hint: "record after runs on the default branch: `branches: [main]` below `workflow_run`" });
	}
	return {
		url: `${server.replace(/\/+$/, "")}/${ofRun}`,
		repository: ofRun,
		run: measured?.id ?? runner.data.GITHUB_RUN_ID,
		sha: measured?.head_sha ?? runner.data.GITHUB_SHA
	};
}
/** @throws InputError when head is another commit than the run's, as an artifact may claim */
function requireMeasured({ revisions: { head } }, sha) {
	if (head.commit === null || head.commit === sha) return;
	throw new InputError(`what was measured is commit ${toPlainLine(head.commit).slice(0, 64)}, and the run is of ${sha}`, { hint: "record what the run itself has checked out and measured" });
}
/** Whether it is a pull request's event. A merge group is what pull requests would become; it may never be merged. */
function isPullRequest(event) {
	return event.startsWith("pull_request") || event === "merge_group";
}
/** @throws InputError when head is no commit, so that nothing could be found again by it */
function requireCommit({ revisions: { head } }) {
	if (head.commit !== null && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(head.commit)) return head.commit;
	const what = head.commit === null ? "a working tree with changes" : `\`${clipMiddle(toPlainLine(head.commit), 60)}\`, which is no commit id`;
	throw new InputError(`what was measured as head is ${what}, and only a commit has a place in the history`, { hint: "measure a checkout that nothing was changed in, or give the measuring step a commit as head" });
}
/**
* Returns the folder of the results' project, empty at the root.
*
* @param wanted the input, if it was given
* @throws InputError when it names another project
*/
function requireProject({ project }, wanted) {
	const { projectPath } = project;
	if (wanted !== void 0 && normalizeRelative(wanted) !== normalizeRelative(projectPath)) {
		const [asked, found] = [wanted, projectPath || "."].map((path) => clipMiddle(toPlainLine(path), 120));
		throw new InputError(`input project: the results are of \`${found}\`, not of \`${asked}\``, { hint: "give the folder with the results of that project, or leave input project empty" });
	}
	return normalizeRelative(projectPath);
}
// src/adapters/remote-repository.ts
/** The repository is not reachable and does not refuse: a retry may succeed. */
var UnreachableError = class extends MachineError {};
/** GitHub's own author, with whose picture a commit is shown. */
const author = "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>";
const networkTimeoutMs = 18e4;
var RemoteRepository = class RemoteRepository {
	#options;
	#folder;
	#variables;
	#commits = 0;
	constructor(options, folder) {
		this.#options = options;
		this.#folder = folder;
		this.#variables = gitVariables(options, join(folder, "home"));
	}
	/** @throws MachineError when there is no git */
	static async open(options) {
		const folder = await mkdtemp(join(options.temporaryFolder, "bpfgate-remote-"));
		try {
			await mkdir(join(folder, "home"));
			const repository = new RemoteRepository(options, folder);
			await repository.#initialize(repository.#branchFolder);
			return repository;
		} catch (error) {
			await rm(folder, {
				recursive: true,
				force: true
			});
			throw error;
		}
	}
	get #branchFolder() {
		return join(this.#folder, "branch");
	}
	async #initialize(folder) {
		await mkdir(folder);
		await this.#git([
			"init",
			"--quiet",
			"--bare",
			"--template=",
			"."
		], { folder });
		await this.#git([
			"remote",
			"add",
			"origin",
			this.#options.url
		], { folder });
	}
	async close() {
		await rm(this.#folder, {
			recursive: true,
			force: true
		});
	}
	/** @throws InputError when no branch can have that name */
	async requireBranchName(branch) {
		if ((await this.#run(["check-ref-format", `refs/heads/${branch}`], {})).exitCode === 0 && !branch.startsWith("-")) return;
		throw new InputError(`no branch can be called ${JSON.stringify(branch)}`, { hint: "give another name, such as bpfgate-history" });
	}
	/**
	* @param id the commit's
	* @throws InputError when the repository has no commit of that id, or cannot be read with the token
	* @throws UnreachableError
	*/
	async fetchCommit(id) {
		const folder = join(this.#folder, "measured");
		await rm(folder, {
			recursive: true,
			force: true
		});
		await this.#initialize(folder);
		const result = await this.#runRemote([
			"fetch",
			...fetchOptions,
			"--filter=tree:0",
			"origin",
			id
		], { folder });
		if (/not our ref|couldn't find remote ref|unadvertised object/.test(result.stderr)) throw new InputError(`${this.#options.name} has no commit ${id}`, { hint: "record results of a commit that was pushed to this repository" });
		if (result.exitCode !== 0) throw this.#explain(result, "read");
		const object = await this.#git([
			"cat-file",
			"commit",
			id
		], { folder });
		const [, tree = ""] = /^tree ([0-9a-f]+)$/m.exec(object) ?? [];
		const [, seconds = ""] = /^committer .* (\d+) [+-]\d{4}$/m.exec(object) ?? [];
		return {
			tree,
			date: /* @__PURE__ */ new Date(Number(seconds) * 1e3)
		};
	}
	/**
	* @returns id of the branch's last commit, whose files can then be read; null if there is no such branch
	* @throws InputError when the repository cannot be read with the token
	* @throws UnreachableError
	*/
	async fetchTip(branch) {
		const refspec = `+refs/heads/${branch}:refs/bpfgate/tip`;
		const result = await this.#runRemote([
			"fetch",
			...fetchOptions,
			"--filter=blob:none",
			"origin",
			refspec
		]);
		if (/couldn't find remote ref/.test(result.stderr)) return null;
		if (result.exitCode !== 0) throw this.#explain(result, "read");
		return (await this.#git([
			"rev-parse",
			"--verify",
			"refs/bpfgate/tip"
		])).trim();
	}
	/**
	* @returns text of each file that exists
	* @throws UnreachableError when the remote does not send them
	*/
	async readFiles(commit, paths) {
		const listed = await this.#git([
			"ls-tree",
			"-z",
			"--full-tree",
			commit,
			"--",
			...paths
		]);
		const found = /* @__PURE__ */ new Map();
		for (const entry of listed.split("\0")) {
			const [, id, path] = /^100\d{3} blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
			if (id === void 0 || path === void 0) continue;
			const result = await this.#runRemote([
				"cat-file",
				"blob",
				id
			], { maxOutput: Number.POSITIVE_INFINITY });
			if (result.exitCode !== 0) throw this.#explain(result, "read");
			found.set(path, result.stdout);
		}
		return found;
	}
	/** Makes a commit here, which `push` sends. @returns its id */
	async commit({ parent, message, files }) {
		const ref = `refs/bpfgate/next-${++this.#commits}`;
		const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
		const stream = [
			`commit ${ref}\ncommitter ${author} ${Math.floor(Date.now() / 1e3)} +0000\n${data(message)}`,
			parent === null ? "" : `from ${parent}\n`,
			...[...files].map(([path, text]) => `M 100644 inline ${JSON.stringify(path)}\n${data(text)}`),
			"done\n"
		];
		await this.#git([
			"fast-import",
			"--quiet",
			"--done"
		], { input: stream.join("") });
		return (await this.#git([
			"rev-parse",
			"--verify",
			ref
		])).trim();
	}
	/**
	* Sets the branch to a commit, if that only adds to it.
	*
	* @returns false if the branch has received other commits meanwhile
	* @throws InputError when the repository does not let the token push there, or its rules allow no push
	* @throws UnreachableError
	*/
	async push(commit, branch) {
		const refspec = `${commit}:refs/heads/${branch}`;
		const result = await this.#runRemote([
			"push",
			"--porcelain",
			"--no-progress",
			"--no-verify",
			"origin",
			refspec
		]);
		if (result.exitCode === 0) return true;
		const [, reason] = /^!\t[^\t]*\t(.*)$/m.exec(result.stdout) ?? [];
		if (reason !== void 0 && isOutrun(reason)) return false;
		throw this.#explain(result, "push", branch);
	}
	#explain(result, act, branch) {
		const { name, url } = this.#options;
		const said = this.#quote(result);
		const text = `${result.stdout}\n${result.stderr}`;
		const where = branch === void 0 ? name : `branch \`${branch}\` of ${name}`;
		const cause = new Error(said);
		if (result.timedOut || unreachable.test(text)) return new UnreachableError(`git cannot reach ${url}: ${result.timedOut ? "it did not answer in time" : said}`, {
			hint: "run the job again later",
			cause
		});
		if (refused.test(text)) return new InputError(`the push to ${where} was refused: ${said}`, {
			hint: "let the rules of the repository except that branch, or give another one as input branch",
			cause
		});
		if (notAllowed.test(text)) return new InputError(`the token may not ${act === "push" ? "push to" : "read"} ${where}: ${said}`, {
			hint: "give the job `permissions: contents: write`",
			cause
		});
		return new MachineError(`git could not ${act === "push" ? "push to" : "read"} ${where}: ${said}`, { cause });
	}
	/** The remote's message, in one line. */
	#quote({ stdout, stderr }) {
		const messages = [...stdout.split("\n").filter((line) => line.startsWith("!")), ...stderr.split("\n")].map((line) => line.replace(/^(remote:|error:|fatal:|!\t[^\t]*\t)\s*/, "").trim()).filter((line) => line !== "" && !line.startsWith("hint:"));
		const text = [...new Set(messages)].join("; ");
		const withoutToken = secretsOf(this.#options.token).reduce((left, secret) => left.replaceAll(secret, "***"), text);
		return clipMiddle(toPlainLine(withoutToken), 600);
	}
	/** @throws MachineError when git fails */
	async #git(args, options = {}) {
		const result = await this.#run(args, options);
		if (result.exitCode === 0) return result.stdout;
		throw new MachineError(`\`git ${args[0]}\` failed: ${this.#quote(result)}`);
	}
	#runRemote(args, options = {}) {
		return this.#run(args, {
			...options,
			timeoutMs: networkTimeoutMs
		});
	}
	#run(args, { folder = this.#branchFolder, ...options }) {
		const { signal } = this.#options;
		return run("git", args, {
			...options,
			cwd: folder,
			variables: this.#variables,
			signal
		});
	}
};
const fetchOptions = [
	"--quiet",
	"--no-tags",
	"--no-write-fetch-head",
	"--depth=1"
];
/** Whether the branch moved meanwhile, by git's message or that of a server on which two pushes met. */
function isOutrun(reason) {
	return /^\[rejected\] \((fetch first|non-fast-forward|stale info)\)/.test(reason) || /^\[remote rejected\] .*(incorrect old value|cannot lock ref|failed to (update|lock)|reference already exists|is at [0-9a-f]+ but expected)/.test(reason);
}
const unreachable = /could not resolve|failed to connect|couldn't connect|connection (refused|reset|timed out)|timed? ?out|empty reply|returned error: (429|5\d\d)|hung up unexpectedly|early EOF|operation too slow|network is unreachable|internal server error|SSL certificate|SSL connect|SSL_ERROR|gnutls_|TLS connect/i;
const refused = /hook declined|protected branch|GH006|GH013|rule violations|\[remote rejected\]/i;
const notAllowed = /returned error: 40[13]|permission (to|denied)|write access|authentication failed|could not read (username|password)|invalid username|repository.*not found|does not appear to be a git repository/i;
/**
* Variables that hold regardless of the machine's and the user's configuration. The token is neither in arguments,
* which every process of the machine can read, nor in a file.
*/
function gitVariables({ url, token }, home) {
	const { protocol, origin } = new URL(url);
	const settings = [
		["core.hooksPath", "/dev/null"],
		["core.fsmonitor", "false"],
		["gc.auto", "0"],
		["maintenance.auto", "false"],
		["credential.helper", ""],
		["http.followRedirects", "false"],
		["http.lowSpeedLimit", "1"],
		["http.lowSpeedTime", "60"],
		["fetch.negotiationAlgorithm", "noop"],
		.../^https?:$/.test(protocol) ? [[`http.${origin}/.extraHeader`, headerOf(token)]] : []
	];
	return {
		HOME: home,
		LC_ALL: "C",
		GIT_CONFIG_NOSYSTEM: "1",
		GIT_CONFIG_GLOBAL: "/dev/null",
		GIT_TERMINAL_PROMPT: "0",
		...settingsVariables(settings)
	};
}
function headerOf(token) {
	return `AUTHORIZATION: basic ${encode(token)}`;
}
function encode(token) {
	return Buffer.from(`x-access-token:${token}`).toString("base64");
}
function secretsOf(token) {
	return token === "" ? [] : [token, encode(token)];
}
// src/history/make-lines.ts
const fingerprintLength = 12;
/**
* Makes a line of the centre of every measurement of head, in the results' order, under the name that head alone gives
* it. A name that also depends on base would change with the next commit. If base alone has another name, the line has
* that too, so a trend continues. A kernel whose machine is not known has no line, since nothing would say what its
* values can be compared with.
*/
function makeLines(results, { commit, date, run, digest }) {
	const kernels = new Map(results.kernels.map((kernel) => [kernel.id, kernel]));
	const before = new Map(results.measurements.flatMap((each) => each.revision === "base" ? [[keyOf(each), each]] : []));
	const findings = new Map(findFindings(results).flatMap((finding) => finding.comparisons.map((comparison) => [keyOf(comparison), describeFinding(finding)])));
	return results.measurements.flatMap((measurement) => {
		const { kernel: id, revision, lane, measure, unit, better, value } = measurement;
		const kernel = kernels.get(id);
		const parts = kernel === void 0 ? null : fingerprintOf(kernel, lane);
		if (revision !== "head" || kernel === void 0 || parts === null) return [];
		const benchmark = nameAlone(measurement);
		const base = before.get(keyOf(measurement));
		const renamedFrom = base === void 0 ? benchmark : nameAlone(base);
		const finding = findings.get(keyOf(measurement));
		return [{
			schema: historySchemaName,
			commit,
			date: date.toISOString().replace(/\.\d+Z$/, "Z"),
			kernel: id,
			release: kernel.release,
			fingerprint: digest(JSON.stringify(parts)).slice(0, fingerprintLength),
			bpfgate: results.bpfgate,
			lane,
			benchmark,
			...renamedFrom === benchmark ? {} : { renamedFrom },
			measure,
			unit,
			better,
			value,
			interval: intervalOf(measurement),
			...finding === void 0 ? {} : { finding },
			run
		}];
	});
}
function describeFinding({ id, subject, source, lead }) {
	const place = lead.flatMap(({ lines }) => lines?.[0]?.source ?? [])[0] ?? source;
	return {
		id,
		subject,
		place: place === null ? null : `${place.file}:${place.line}`
	};
}
/** The name of a program among its own revision's programs, or of a printed benchmark. */
function nameAlone({ ownName, renamedFrom, benchmark }) {
	return ownName ?? renamedFrom ?? benchmark;
}
/** Sorted by name, so that equal parts give equal text. The time lane has machines of its own. */
function fingerprintOf({ fingerprint, timed }, lane) {
	if (fingerprint === null) return null;
	const machine = (lane === "time" && timed !== null ? Object.entries(timed.machine) : []).filter(([part]) => part !== "startedFrom" && part !== "acceleratorReason");
	return [...Object.entries(fingerprint), ...machine.map(([part, value]) => [`time ${part}`, value])].toSorted(([a], [b]) => a < b ? -1 : 1);
}
/** The 95 % interval of a time; for a count, the range that the method cannot distinguish from the value. */
function intervalOf({ lane, value, exact, resolution, samples }) {
	if (exact) return "exact";
	if (lane === "time") {
		const values = samples.map(({ count, total }) => total / count).filter(Number.isFinite);
		const bounds = values.length === 0 ? null : boundMedian(values, .95);
		return bounds === null ? null : [bounds[0], bounds[1]];
	}
	const error = resolution * Math.abs(value);
	const bounds = [value - error, value + error];
	return bounds.every(Number.isFinite) ? [...bounds] : null;
}
// src/publish/record-history.ts
const mostAttempts = 10;
const longestDelayMs = 15e3;
/**
* Adds the lines of a run to the branch by one commit, or by none if they are all there.
*
* @throws InputError when head is no commit of the repository, or the token or the repository's rules do not allow it
* @throws MachineError when the repository cannot be reached, or other runs are faster each time
*/
async function recordHistory(results, place, { temporaryFolder, log, signal, delayMs = 500 }) {
	const head = requireCommit(results);
	const path = folderOf(place.projectPath);
	const { url, repository: name, token, branch } = place;
	const repository = await RemoteRepository.open({
		url,
		name,
		token,
		temporaryFolder,
		signal
	});
	const patience = {
		log,
		signal,
		delayMs
	};
	try {
		await repository.requireBranchName(branch);
		const { tree, date } = await insist(() => repository.fetchCommit(head), patience);
		requireTree(results, tree);
		const digest = (text) => createHash("sha256").update(text).digest("hex");
		const lines = makeLines(results, {
			commit: head,
			date,
			run: place.run,
			digest
		});
		if (lines.length === 0) return {
			commit: null,
			lines: 0,
			path
		};
		const files = filesOf(place.projectPath, lines);
		const paths = files.map((file) => file.path);
		const kernels = results.kernels.map(({ id }) => id).filter((id) => lines.some(({ kernel }) => kernel === id));
		const message = [clipMiddle(toPlainLine(`${head.slice(0, 10)}: ${countOf(lines.length, "value")} on ${kernels.join(", ")}`), 120), `commit ${head}\nrun ${place.run}\n`].join("\n\n");
		return {
			commit: await insist(async () => {
				const parent = await repository.fetchTip(branch);
				const existing = parent === null ? /* @__PURE__ */ new Map() : await repository.readFiles(parent, paths);
				const changed = files.flatMap(({ path, lines }) => {
					const before = existing.get(path) ?? null;
					const after = addLines(before, lines);
					return after === before ? [] : [[path, after]];
				});
				if (parent !== null && changed.length === 0) return parent;
				const readme = parent === null ? [["README.md", branchReadme]] : [];
				const made = await repository.commit({
					parent,
					message,
					files: new Map([...readme, ...changed])
				});
				return await repository.push(made, branch) ? made : void 0;
			}, patience),
			lines: lines.length,
			path
		};
	} finally {
		await repository.close();
	}
}
/** Checks that the measured tree is the commit's, because anybody may have written the results. */
function requireTree({ revisions: { head } }, tree) {
	if (head.tree === tree) return;
	throw new InputError(`commit ${head.commit} has tree ${tree}, and what was measured has another`, { hint: "measure a checkout of that commit in which nothing was changed" });
}
/** Retries if `attempt` returns undefined or is cut off, after a wait that differs between competitors. */
async function insist(attempt, { log, signal, delayMs }) {
	for (let count = 1;; count++) {
		let why;
		try {
			const value = await attempt();
			if (value !== void 0) return value;
			why = "another run was quicker";
			if (count === mostAttempts) throw new MachineError(`the history was not recorded: others were quicker ${mostAttempts} times`, { hint: "run the job again; nothing was changed" });
		} catch (error) {
			if (!(error instanceof UnreachableError) || count >= mostAttempts / 2) throw error;
			why = error.message;
		}
		log.progress(`${why}; trying again`);
		const wait = Math.min(longestDelayMs, delayMs * 2 ** (count - 1)) * (.5 + Math.random());
		await setTimeout(wait, void 0, { signal }).catch(() => signal?.throwIfAborted());
	}
}
// src/record-action.ts
const signal = beginStep();
try {
	const branch = given("branch") ?? "bpfgate-history";
	const { sha, ...request } = recordRequestOf(await readEvent(), process.env, branch);
	const token = given("github-token");
	if (token === void 0) throw new InputError("there is no github-token to push with", { hint: "leave input github-token as it is" });
	const kernels = given("kernels");
	const pins = kernels === void 0 ? [] : chooseKernels([kernels], openCache(), expectKernels(splitSelectors([kernels]).filter(isOwnSelector)));
	const { files, failures } = await readJobResults(request.run, signal);
	const [failure, ...others] = failures;
	if (files.length === 0 && failure !== void 0) throw toError([failure, ...others]);
	const results = joinResults(files);
	requireMeasured(results, sha);
	const projectPath = requireProject(results, given("project"));
	const { commit, lines, path } = await recordHistory(results, {
		...request,
		branch,
		token,
		projectPath
	}, {
		temporaryFolder: runnerFolder(),
		log: runnerLog,
		signal
	});
	setOutput("commit", commit ?? "");
	setOutput("lines", lines);
	setOutput("path", path);
	const measured = results.measurements.filter(({ revision }) => revision === "head").map(({ kernel }) => kernel);
	const missing = [...new Set([...pins, ...results.kernels].map(({ id }) => id))].filter((id) => !measured.includes(id)).map(toPlainLine);
	if (commit === null) runnerLog.warn("nothing was measured, so nothing is recorded");
	else if (missing.length > 0) runnerLog.warn(`no measurements for ${joinWords(missing)}; skipped`);
	if (commit !== null) show(`${countOf(lines, "line")} in ${path} on branch ${branch}, commit ${commit}`);
} catch (error) {
	await showError(error, {
		scope: [],
		signal,
		headline: "nothing recorded"
	});
}
export {};
