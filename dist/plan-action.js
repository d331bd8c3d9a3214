import { E as setOutput, H as makeMatrix, Qn as usefulShards, Sn as openCache, Un as readInputs, Zn as parseShards, _ as runnerLog, a as uploadFailure, d as beginStep, dr as GateError, f as given, g as runnerFolder, mn as describeLeftOut, s as showError, un as chooseKernels, v as show, yn as readPins } from "./shared.js";
// src/plan-action.ts
const signal = beginStep();
try {
	const texts = {
		project: given("project"),
		config: given("config"),
		kernels: given("kernels"),
		lanes: given("lanes"),
		out: runnerFolder()
	};
	const wanted = parseShards(given("shards") ?? "1", "input shards");
	const { kernels, lanes, config } = await readInputs(texts, (option) => `input ${option}`);
	const ids = chooseKernels(kernels, openCache()).map(({ id }) => id);
	const leftOut = describeLeftOut(kernels, readPins(), "input kernels:");
	if (leftOut !== void 0) show(leftOut);
	const shards = Math.min(wanted, usefulShards({
		benches: config.benches,
		lanes
	}));
	const matrix = makeMatrix(ids, shards);
	setOutput("kernels", ids.join(","));
	setOutput("matrix", JSON.stringify(matrix));
	show(`kernels: ${ids.join(", ")}`);
	const fewer = shards === wanted ? "" : `, because more of the wanted ${wanted} would have nothing to measure`;
	if (wanted > 1) show(`shards of each: ${shards}${fewer}`);
} catch (error) {
	await showError(error, {
		scope: [],
		signal
	});
	const artifactName = given("artifact-name");
	if (artifactName !== void 0 && error instanceof GateError && !signal.aborted) await uploadFailure(artifactName, error, []).catch((cause) => runnerLog.warn(cause.message));
}
export {};
