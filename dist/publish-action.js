import { C as getInput, _ as readEvent, g as oneOf, l as showError, n as readJobResults, p as beginStep, pt as workflowRunOf, st as commentModes, t as writeJoined, u as showResults } from "./shared.js";
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
