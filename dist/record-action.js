import { $r as toPlainLine, A as runnerLog, C as beginStep, D as readEvent, G as setOutput, Xr as countOf, Zr as joinWords, a as UnreachableError, ai as normalizeRelative, at as joinResults, b as repository, cr as looseObject, d as showError, fi as MachineError, fr as string, gt as folderOf, ht as filesOf, i as RemoteRepository, j as show, k as runnerFolder, mr as url, mt as branchReadme, n as expectedKernels, pt as addLines, r as readJobResults, ri as clipMiddle, st as makeLines, ui as InputError, ur as object, w as given, y as counter } from "./shared.js";
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
/** Checks that the measured tree is the commit's, because a job that ran a project's code may have written the results. */
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
	if (token === void 0) throw new InputError("there is no github-token to push with", { hint: "do not override input github-token" });
	const pins = expectedKernels();
	const { files } = await readJobResults(request.run, signal);
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
