import { _ as oneOf, _t as workflowRunOf, d as showResults, dt as commentModes, m as beginStep, r as readJobResults, t as writeJoined, u as showError, v as readEvent, w as getInput } from "./shared.js";
// src/publish-action.ts
const signal = beginStep();
const scope = [getInput("project"), getInput("artifact-name")];
const nothingElse = {
	failOn: "never",
	annotate: false,
	checkRun: false
};
let shown = {
	...nothingElse,
	comment: "never"
};
try {
	shown = {
		...nothingElse,
		comment: oneOf("comment", commentModes)
	};
	const run = workflowRunOf(await readEvent(), process.env)?.run.id ?? null;
	const left = await readJobResults(run, signal);
	const { results, profilesIn } = await writeJoined(left);
	const [artifact = null, ...others] = left.artifacts;
	await showResults(results, shown, {
		profilesIn,
		scope,
		signal,
		artifact: others.length === 0 ? artifact : null
	});
} catch (error) {
	await showError(error, {
		scope,
		signal
	}, shown);
}
export {};
