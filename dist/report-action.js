import { _ as joinResults, d as setOutput, dt as serializeResults, g as addMissingKernels, h as renderMarkdown, i as given, j as chooseKernels, l as stopOnSignals, lt as findResultFiles, n as showError, o as runnerFolder, p as writeOutputs, r as showResults, st as openCache, t as readShowInputs, v as renderHtml, y as buildReport } from "./shared.js";
import { dirname, join, resolve } from "node:path";
// src/report-action.ts
const signal = stopOnSignals();
const scope = ["project"];
try {
	const shown = readShowInputs();
	const kernels = given("kernels");
	const pins = kernels === void 0 ? [] : chooseKernels([kernels], openCache());
	const folder = resolve(given("results") ?? ".");
	const files = await findResultFiles(folder);
	const results = addMissingKernels(joinResults(files), pins);
	const folders = new Map(files.flatMap(({ file, results }) => results.kernels.map(({ id }) => [id, dirname(file)])));
	const profilesIn = (kernel) => join(folder, folders.get(kernel) ?? ".");
	const report = buildReport(results, {
		profilesIn,
		linkProfiles: false
	});
	const out = join(runnerFolder(), "bpfgate-report");
	await writeOutputs(out, {
		"results.json": serializeResults(results),
		"report.md": renderMarkdown(report),
		"report.html": renderHtml(report)
	});
	setOutput("results", join(out, "results.json"));
	setOutput("report", join(out, "report.md"));
	await showResults(results, shown, {
		profilesIn,
		scope,
		signal
	});
} catch (error) {
	await showError(error, {
		scope,
		signal
	});
}
export {};
