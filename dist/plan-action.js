import { E as setOutput, Jn as openCache, Kn as readPins, Ln as chooseKernels, Q as makeMatrix, Sr as filePrefix, Vn as describeLeftOut, _ as runnerLog, _n as findOwnKernels, _r as usefulShards, a as uploadFailure, d as beginStep, f as given, g as runnerFolder, gr as parseShards, lr as readInputs, ni as InputError, s as showError, ti as GateError, v as show, wr as splitSelectors } from "./shared.js";
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
	const file = splitSelectors(kernels).find((word) => word.startsWith(filePrefix));
	if (file !== void 0) throw new InputError(`kernel ${file} cannot have a job of its own: the steps that join results do not have the file`, { hint: "use a single job, or give the kernel a name in bpfgate.toml: [[kernel]]" });
	const own = await findOwnKernels(kernels, config.namedKernels);
	const ids = chooseKernels(kernels, openCache(), own).map(({ id }) => id);
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
