import { A as runnerLog, B as getInput, C as beginStep, D as readEvent, S as workflowRunOf, _t as pathOf, c as uploadFailure, d as showError, f as showResults, gt as folderOf, i as RemoteRepository, k as runnerFolder, li as GateError, n as expectedKernels, o as requireArtifactName, ot as EarlierValues, r as readJobResults, s as tryUpload, t as writeJoined, u as readShowInputs, ui as InputError, w as given, x as serverOf } from "./shared.js";
import { hash } from "node:crypto";
// src/publish/read-earlier-values.ts
/** Months whose files are read, up to this one. */
const months = 3;
/**
* Reads the newest files of the run's kernels. A report goes without them, with a warning, if they cannot be read.
*
* @param branch its name; without such a branch there are no values
*/
async function readEarlierValues(results, branch, { log, now = /* @__PURE__ */ new Date(), ...remote }) {
	const values = new EarlierValues(results, (text) => hash("sha256", text));
	const paths = results.kernels.flatMap(({ id: kernel }) => Array.from({ length: months }, (_, back) => {
		const date = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back));
		return pathOf(folderOf(results.project.projectPath), {
			kernel,
			date: date.toISOString()
		});
	}));
	try {
		const repository = await RemoteRepository.open(remote);
		try {
			await repository.requireBranchName(branch);
			const tip = await repository.fetchTip(branch);
			const files = tip === null ? [] : await repository.readFiles(tip, paths);
			for (const [, text] of files) values.addLines(text.split("\n"));
		} finally {
			await repository.close();
		}
	} catch (error) {
		if (!(error instanceof GateError) || remote.signal?.aborted === true) throw error;
		log.warn(`the report shows no earlier commits: ${error.message}`);
	}
	return (row, kernel) => values.of(row, kernel);
}
// src/report-action.ts
/** The repository of this step, with its token. @throws InputError outside GitHub's runners */
function remoteOf(environment) {
	const server = serverOf(environment);
	if (server === null) throw new InputError("input history-branch: this step is in no repository", { hint: "leave it out where GITHUB_REPOSITORY is not set" });
	const { owner, repo } = server.repository;
	return {
		url: `${environment.GITHUB_SERVER_URL}/${owner}/${repo}`,
		name: `${owner}/${repo}`,
		token: getInput("github-token"),
		temporaryFolder: runnerFolder(),
		log: runnerLog,
		signal
	};
}
const signal = beginStep();
const uploadAs = given("upload-as");
const scope = [getInput("project"), uploadAs ?? getInput("artifact-name")];
try {
	const shown = readShowInputs();
	const pins = expectedKernels();
	if (uploadAs !== void 0) requireArtifactName(uploadAs, "upload-as");
	const branch = given("history-branch");
	const run = workflowRunOf(await readEvent(), process.env)?.run.id ?? null;
	const { results, out, profilesIn } = await writeJoined(await readJobResults(run, signal), pins, branch === void 0 ? void 0 : (joined) => readEarlierValues(joined, branch, remoteOf(process.env)));
	const { artifact, problem } = await tryUpload(uploadAs, out);
	if (problem !== null) runnerLog.warn(problem);
	await showResults(results, shown, {
		profilesIn,
		scope,
		signal,
		artifact
	});
} catch (error) {
	await showError(error, {
		scope,
		signal
	});
	if (uploadAs !== void 0 && error instanceof GateError && !signal.aborted) await uploadFailure(uploadAs, error, []).catch((cause) => runnerLog.warn(cause.message));
}
export {};
