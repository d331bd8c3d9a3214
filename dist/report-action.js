import { A as chooseKernels, _ as renderHtml, c as stopOnSignals, ct as findResultFiles, f as writeOutputs, g as joinResults, h as addMissingKernels, i as given, m as renderMarkdown, n as showError, o as runnerFolder, ot as openCache, r as showResults, t as readShowInputs, u as setOutput, ut as serializeResults, v as buildReport } from "./shared.js";
import { dirname, join, resolve } from "node:path";
// src/report-action.ts
const signal = stopOnSignals();
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
		signal
	});
} catch (error) {
	await showError(error, signal);
}
export {};
