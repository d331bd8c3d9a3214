import { $n as readPins, A as runnerLog, C as beginStep, Ct as makeMatrix, Dn as findOwnKernels, G as setOutput, Kn as chooseKernels, O as requireCheckout, Tr as usefulShards, Xn as describeLeftOut, c as uploadFailure, d as showError, ir as openCache, j as show, jr as filePrefix, k as runnerFolder, li as GateError, ui as InputError, vr as readInputs, w as given, wr as parseShards } from "./shared.js";
import { relative } from "node:path";
import { realpath } from "node:fs/promises";
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
	await requireCheckout();
	const { kernels, lanes, config } = await readInputs(texts, (option) => `input ${option}`);
	const own = await findOwnKernels(kernels, config.namedKernels);
	const workspace = await realpath(".");
	const paths = /* @__PURE__ */ new Map();
	for (const [selector, { id, source }] of own) {
		if ("url" in source) continue;
		if (id.includes(":")) throw new InputError(`kernel ${id} is of the same release as another, and jobs of a matrix name it by its release`, { hint: "build one of them with another CONFIG_LOCALVERSION, or measure both in a single job" });
		const path = relative(workspace, selector.slice(filePrefix.length));
		if (!/^[\w.+~/-]+$/.test(path)) throw new InputError(`the path of kernel ${id}, \`${path}\`, has other characters than letters, digits and ._+~/-`, { hint: "rename it, or measure it in a single job" });
		paths.set(id, `${filePrefix}${path}`);
	}
	const ids = chooseKernels(kernels, openCache(), own).map(({ id }) => id);
	const leftOut = describeLeftOut(kernels, readPins(), "input kernels:");
	if (leftOut !== void 0) show(leftOut);
	const shards = Math.min(wanted, usefulShards({
		benches: config.benches,
		lanes
	}));
	const matrix = makeMatrix(ids, shards, paths);
	setOutput("kernels", ids.map((id) => paths.has(id) ? `${filePrefix}${id}` : id).join(","));
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
