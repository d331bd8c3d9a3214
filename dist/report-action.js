import { Dr as splitSelectors, Er as isOwnSelector, Xn as openCache, _ as runnerLog, a as uploadFailure, ai as GateError, c as showResults, d as beginStep, f as given, h as readEvent, i as tryUpload, n as readJobResults, o as readShowInputs, ot as workflowRunOf, r as requireArtifactName, s as showError, t as writeJoined, vn as expectKernels, x as getInput, zn as chooseKernels } from "./shared.js";
// src/report-action.ts
const signal = beginStep();
const uploadAs = given("upload-as");
const scope = [getInput("project"), uploadAs ?? getInput("artifact-name")];
try {
	const shown = readShowInputs();
	const kernels = given("kernels");
	const pins = kernels === void 0 ? [] : chooseKernels([kernels], openCache(), expectKernels(splitSelectors([kernels]).filter(isOwnSelector)));
	if (uploadAs !== void 0) requireArtifactName(uploadAs, "upload-as");
	const run = workflowRunOf(await readEvent(), process.env)?.run.id ?? null;
	const { results, out, profilesIn } = await writeJoined(await readJobResults(run, signal), pins);
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
