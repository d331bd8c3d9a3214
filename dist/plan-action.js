import { c as show, d as setOutput, i as given, j as chooseKernels, l as stopOnSignals, n as showError, o as runnerFolder, st as openCache, tt as readInputs } from "./shared.js";
// src/plan-action.ts
const signal = stopOnSignals();
try {
	const texts = {
		project: given("project"),
		config: given("config"),
		kernels: given("kernels"),
		out: runnerFolder()
	};
	const { kernels } = await readInputs(texts, (option) => `input ${option}`);
	const ids = chooseKernels(kernels, openCache()).map(({ id }) => id);
	setOutput("kernels", ids.join(","));
	const matrix = ids.map((kernel) => ({
		kernel,
		name: kernel.replaceAll(/[^\w.-]/g, "-")
	}));
	setOutput("matrix", JSON.stringify(matrix));
	show(`kernels: ${ids.join(", ")}`);
} catch (error) {
	await showError(error, {
		scope: [],
		signal
	});
}
export {};
