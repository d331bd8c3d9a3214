import { B as getInput, C as beginStep, D as readEvent, E as oneOf, S as workflowRunOf, d as showError, f as showResults, l as isOfStranger, r as readJobResults, t as writeJoined, v as commentModes } from "./shared.js";
// src/publish-action.ts
const signal = beginStep();
const scope = [getInput("project"), getInput("artifact-name")];
const nothingElse = {
	failOn: "never",
	annotate: false,
	checkRun: false
};
let isClaim = false;
let shown = {
	...nothingElse,
	comment: "never"
};
try {
	shown = {
		...nothingElse,
		comment: oneOf("comment", commentModes)
	};
	isClaim = await isOfStranger();
	const run = workflowRunOf(await readEvent(), process.env)?.run.id ?? null;
	const left = await readJobResults(run, signal);
	const { results, profilesIn } = await writeJoined(left, [], void 0, isClaim);
	const [artifact = null, ...others] = left.artifacts;
	await showResults(results, shown, {
		profilesIn,
		isClaim,
		scope,
		signal,
		artifact: others.length === 0 ? artifact : null
	});
} catch (error) {
	await showError(error, {
		scope,
		signal,
		isClaim
	}, shown);
}
export {};
