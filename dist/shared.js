import { n as __require, r as __toESM, t as __commonJSMin } from "./rolldown-runtime.js";
import { constants, createReadStream, createWriteStream, existsSync, readFileSync, readdirSync, realpathSync, statSync, watch } from "node:fs";
import { access, chmod, copyFile, lstat, lutimes, mkdir, mkdtemp, open as open$1, readFile, readdir, readlink, realpath, rename, rm, stat, statfs, symlink, utimes, writeFile } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createHash, randomBytes } from "node:crypto";
import { availableParallelism, homedir, tmpdir, totalmem } from "node:os";
import { pipeline } from "node:stream/promises";
import { createInterface } from "node:readline";
import { setTimeout as setTimeout$1 } from "node:timers/promises";
import { connect, createServer } from "node:net";
// src/report/plain-text.ts
/** Control, format (bidirectional and zero-width too), unpaired surrogate, private, and line and paragraph separators. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
/** Shows what cannot be seen as `\n`, `\t` or `\u{202e}`, so that nothing is hidden and no line breaks. */
function toPlainLine(text) {
	return text.replace(unprintable, (character) => {
		if (character === "\n") return "\\n";
		if (character === "	") return "\\t";
		return `\\u{${character.codePointAt(0)?.toString(16)}}`;
	});
}
/** The same for a text of several lines, whose lines and tabs stay. */
function toPlainText(text) {
	return text.split(/\r?\n/).map((line) => line.split("	").map(toPlainLine).join("	")).join("\n");
}
/** Leaves out the middle of a text of more than `max` characters, since names differ at their ends. */
function clipMiddle(text, max) {
	const characters = [...text];
	if (characters.length <= max) return text;
	const end = Math.floor((max - 1) / 2);
	return `${characters.slice(0, max - 1 - end).join("")}…${end === 0 ? "" : characters.slice(-end).join("")}`;
}
/** Reads a message in which names stand between backticks. An odd backtick is left as it is. */
function toSentence(message) {
	return toPlainLine(message).split(/`([^`]+)`/).flatMap((part, index) => part === "" ? [] : index % 2 === 1 ? [{ code: part }] : [part]);
}
/** `5.10`, `5.10 and 6.1`, `5.10, 6.1 and 6.12`. */
function joinWords(words) {
	return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
/** `1 regression`, `2 regressions`. */
function countOf(count, noun) {
	return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
// src/adapters/package-root.ts
/** Absolute path of the folder that holds kernels/kernels.json. */
const packageRoot = findPackageRoot(dirname(fileURLToPath(import.meta.url)));
function findPackageRoot(start) {
	for (let folder = start;; folder = dirname(folder)) {
		if (existsSync(join(folder, "kernels", "kernels.json"))) return folder;
		if (dirname(folder) === folder) return start;
	}
}
// src/build/build.ts
const revisionNames = ["base", "head"];
// src/errors.ts
/** Base of all expected errors. `message` names the thing; `hint` says what to do next. */
var GateError = class extends Error {
	exitCode = 3;
	hint;
	constructor(message, options = {}) {
		super(message, options.cause === void 0 ? void 0 : { cause: options.cause });
		this.name = new.target.name;
		this.hint = options.hint;
	}
};
/** Bad usage or configuration: mended by whoever wrote the command, the workflow or bpfgate.toml. */
var InputError = class extends GateError {
	exitCode = 2;
};
/** A kernel that cannot be fetched, verified or unpacked: mended in kernels.json or on the network. */
var KernelError = class extends GateError {
	exitCode = 3;
};
/** The machine lacks something or failed: mended by whoever runs it. */
var MachineError = class extends GateError {
	exitCode = 3;
};
/** The VM did not boot, hung, or ended without its status file. */
var VmError = class extends GateError {
	exitCode = 3;
	/** The last lines of the guest's console, oldest first. */
	consoleTail;
	constructor(message, options = {}) {
		super(message, options);
		this.consoleTail = options.consoleTail ?? [];
	}
};
/** The project does not build: mended by the pull request's author. */
var BuildError = class extends GateError {
	exitCode = 4;
};
/** A benchmark failed, printed nothing or printed what its format does not allow: mended by the pull request's author. */
var BenchError = class extends GateError {
	exitCode = 4;
};
/** Stopped by SIGINT or SIGTERM. */
var InterruptedError = class extends GateError {
	exitCode = 130;
};
// src/cache/cache.ts
/**
* Where the cache is: BPFGATE_CACHE, else `$XDG_CACHE_HOME/bpfgate`, else `~/.cache/bpfgate`.
*
* @throws InputError when BPFGATE_CACHE is not absolute
*/
function locateCache(env = process.env) {
	const own = env.BPFGATE_CACHE;
	if (own !== void 0 && own !== "") {
		if (isAbsolute(own)) return own;
		throw new InputError(`BPFGATE_CACHE must be an absolute path, got "${own}"`);
	}
	const xdg = env.XDG_CACHE_HOME;
	if (xdg !== void 0 && isAbsolute(xdg)) return join(xdg, "bpfgate");
	return join(env.HOME || homedir(), ".cache", "bpfgate");
}
/** Links in the path are followed here, because a guest sees the host's files where they really are. */
function openCache(root = locateCache()) {
	let existing = root;
	while (!existsSync(existing)) existing = dirname(existing);
	return { root: join(realpathSync(existing), relative(existing, root)) };
}
/** Where an entry is or will be. */
function entryPath(cache, kind, key) {
	return join(cache.root, kind, key);
}
/** Absolute path of a complete entry, undefined when there is none. */
function findEntry(cache, kind, key) {
	const path = entryPath(cache, kind, key);
	return existsSync(path) ? path : void 0;
}
/**
* Fills an entry in a folder beside its place and renames it into place, so that nobody ever sees half of one.
* Of several processes that fill the same entry at once the first wins; the others discard their own.
* Where the entry exists already, `fill` is not called. When `fill` throws, nothing is left.
*
* @returns the entry's absolute path
* @throws MachineError when the cache cannot be written
*/
async function publishEntry(cache, kind, key, fill) {
	const path = entryPath(cache, kind, key);
	if (existsSync(path)) return path;
	const temporary = await createTemporary(join(cache.root, kind), key);
	try {
		await fill(temporary);
		await moveIntoPlace(temporary, path);
		return path;
	} finally {
		await rm(temporary, {
			recursive: true,
			force: true
		});
	}
}
async function createTemporary(folder, key) {
	try {
		await mkdir(folder, { recursive: true });
		await removeAbandoned(folder);
		return await mkdtemp(join(folder, `.${key}.${process.pid}.`));
	} catch (cause) {
		throw new MachineError(`cannot write to the cache \`${folder}\``, {
			cause,
			hint: "set BPFGATE_CACHE to a folder that can be written"
		});
	}
}
async function moveIntoPlace(temporary, path) {
	try {
		await rename(temporary, path);
	} catch (error) {
		const code = error.code;
		if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
	}
}
/** Removes the unfinished folders of processes that have ended without cleaning up, such as after SIGKILL. */
async function removeAbandoned(folder) {
	for (const name of await readdir(folder)) {
		const pid = /^\..+\.(\d+)\.[^.]+$/.exec(name)?.[1];
		if (pid === void 0 || isAlive(Number(pid))) continue;
		const doomed = join(folder, `.doomed.${process.pid}.${randomBytes(6).toString("hex")}`);
		await rename(join(folder, name), doomed).then(() => rm(doomed, {
			recursive: true,
			force: true
		}), () => {});
	}
}
function isAlive(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error.code === "EPERM";
	}
}
/** Bytes in all files below a folder, links not followed. */
async function measureFolder(folder) {
	let bytes = 0;
	for (const name of await readdir(folder, { recursive: true })) {
		const stats = await lstat(join(folder, name));
		if (stats.isFile()) bytes += stats.size;
	}
	return bytes;
}
// src/compare/gate-verdict.ts
/**
* Any regression is a `regression`, also when another kernel failed: it is proven, and measuring the rest cannot take
* it back. Else a kernel that failed or measured nothing is an `error`, because a gate that is not whole cannot pass;
* one that is too old for every benchmark did not fail, as long as another measured something.
* Else anything undecided is `inconclusive`.
*/
function decideVerdict(comparisons, gaps, kernels) {
	if (comparisons.some(({ verdict }) => verdict === "regression")) return "regression";
	const answered = new Set([...comparisons, ...gaps].map(({ kernel }) => kernel));
	if (comparisons.length === 0 || kernels.some(({ id, error }) => error !== null || !answered.has(id))) return "error";
	return comparisons.some(({ verdict }) => verdict === "inconclusive") ? "inconclusive" : "pass";
}
/**
* 0 pass or inconclusive; 1 regression; 3 a kernel, the VM or the machine failed; 4 the project failed to build, a
* benchmark failed or nothing was measured. Where both 3 and 4 apply it is 4, because trying again will not mend that.
*/
function exitCodeOf$1({ verdict, kernels }) {
	if (verdict === "regression") return 1;
	if (verdict !== "error") return 0;
	const errors = kernels.flatMap(({ error }) => error ?? []);
	if (errors.length === 0) return 4;
	return errors.some(({ kind }) => kind === "build" || kind === "bench") ? 4 : 3;
}
// src/adapters/process.ts
/** How long the rest of a program's output is read after it has ended. */
const pipeGraceMs = 1e3;
/**
* Runs a program to its end, whatever that end is; only a program that cannot be started or an aborted signal throws.
*
* The program leads a process group of its own; what is left of the group is killed when it ends.
*
* @throws MachineError when the program cannot be started
* @throws InterruptedError when `signal` aborts
*/
async function run$1(file, args, options = {}) {
	options.signal?.throwIfAborted();
	const child = spawn(file, args, {
		cwd: options.cwd,
		env: options.env,
		detached: true,
		stdio: [
			options.stdin?.fd ?? (options.input === void 0 ? "ignore" : "pipe"),
			"pipe",
			"pipe"
		]
	});
	const log = options.logFile === void 0 ? void 0 : createWriteStream(options.logFile);
	let timedOut = false;
	let aborted = false;
	let grace;
	const killGroup = () => {
		if (child.pid === void 0) return;
		try {
			process.kill(-child.pid, "SIGKILL");
		} catch {}
	};
	const timer = setTimeout(() => {
		timedOut = true;
		killGroup();
	}, options.timeoutMs ?? 6e5);
	const onAbort = () => {
		aborted = true;
		killGroup();
	};
	options.signal?.addEventListener("abort", onAbort, { once: true });
	const collect = (stream) => {
		let text = "";
		let pending = "";
		const readable = child[stream];
		readable?.setEncoding("utf8");
		readable?.on("data", (chunk) => {
			log?.write(chunk);
			text = (text + chunk).slice(-4194304);
			if (options.onLine === void 0) return;
			const lines = (pending + chunk).split("\n");
			pending = (lines.pop() ?? "").slice(-4194304);
			for (const line of lines) options.onLine(line, stream);
		});
		return () => {
			if (pending !== "") options.onLine?.(pending, stream);
			return text;
		};
	};
	const stdout = collect("stdout");
	const stderr = collect("stderr");
	if (options.input !== void 0) {
		child.stdin?.on("error", () => {});
		child.stdin?.end(options.input);
	}
	try {
		const [exitCode, signal] = await new Promise((resolve, reject) => {
			child.on("error", (cause) => reject(new MachineError(`cannot start \`${file}\``, {
				cause,
				hint: "run `bpfgate doctor` to see what is missing"
			})));
			child.on("exit", () => {
				killGroup();
				grace = setTimeout(() => {
					child.stdout?.destroy();
					child.stderr?.destroy();
				}, pipeGraceMs);
			});
			child.on("close", (code, sig) => resolve([code, sig]));
		});
		if (aborted) throw new InterruptedError(`\`${file}\` was interrupted`, { cause: options.signal?.reason });
		return {
			exitCode,
			signal,
			timedOut,
			stdout: stdout(),
			stderr: stderr()
		};
	} finally {
		clearTimeout(timer);
		clearTimeout(grace);
		options.signal?.removeEventListener("abort", onAbort);
		log?.end();
	}
}
/**
* Runs a program that must succeed and returns its stdout.
*
* @throws MachineError naming the command and the end of its stderr when it exits with anything but 0
*/
async function runOrThrow(file, args, options = {}) {
	const result = await run$1(file, args, options);
	if (result.exitCode === 0) return result.stdout;
	const how = result.timedOut ? "ran out of time" : result.signal === null ? `exited with ${result.exitCode}` : `was ended by ${result.signal}`;
	throw new MachineError(`\`${[file, ...args].join(" ")}\` ${how}${tail(result.stderr)}`);
}
function tail(text) {
	const lines = text.trim().split("\n").slice(-10).join("\n");
	return lines === "" ? "" : `:\n${lines}`;
}
// src/group-by.ts
/** Groups in the order of their first items. */
function groupBy(items, keyOf) {
	const groups = /* @__PURE__ */ new Map();
	for (const item of items) {
		const key = keyOf(item);
		const group = groups.get(key);
		if (group === void 0) groups.set(key, [item]);
		else group.push(item);
	}
	return [...groups.values()];
}
// src/bench/measurement.ts
/** True for `instructions/run` of `bpf-instructions`: saying both would be saying it twice. And where there is no unit. */
function namesUnit({ measure, unit }) {
	const [noun = ""] = unit.split("/");
	return measure.includes(noun);
}
// src/inputs/inputs.ts
const lanes = [
	"instructions",
	"verifier",
	"time"
];
const benchFormats = [
	"criterion",
	"bmf",
	"none"
];
/** Programs that can boot a guest: kernel, guest and counts are the same. The first is the default. */
const runners = ["vmtest", "virtme-ng"];
/** A whole bpfgate.toml to begin with, for messages. */
const minimalConfig = `[[bench]]
name    = "xdp"
command = "cargo bench --bench xdp"
`;
// src/inputs/duration.ts
/** For messages: how a time is written. */
const durationExamples = "\"90 s\", \"10 min\" or \"2 h\"";
const units = {
	s: 1e3,
	min: 6e4,
	h: 36e5
};
/** `"10 min"` in milliseconds; null when the text is no such time, or 0. */
function parseDuration(text) {
	const [, count, unit] = /^(\d{1,6}) ?(s|min|h)$/.exec(text) ?? [];
	if (count === void 0 || unit === void 0) return null;
	return Number(count) * units[unit] || null;
}
// src/inputs/nearest-name.ts
/** `; did you mean \`format\`?` when one of `names` is near, else nothing. */
function suggest(word, names) {
	const near = nearestName(word, names);
	return near === null ? "" : `; did you mean \`${near}\`?`;
}
/** The name with the fewest edits away from `word`; null when even that one needs more than a third of it changed. */
function nearestName(word, names) {
	let best = null;
	let fewest = Math.max(1, Math.floor(word.length / 3)) + 1;
	for (const name of names) {
		const edits = countEdits(word.toLowerCase(), name.toLowerCase());
		if (edits < fewest) {
			best = name;
			fewest = edits;
		}
	}
	return best;
}
/** Levenshtein distance. */
function countEdits(from, to) {
	let row = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (let i = 1; i <= from.length; i++) {
		const next = [i];
		for (let j = 1; j <= to.length; j++) {
			const replace = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
			next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
		}
		row = next;
	}
	return row[to.length] ?? 0;
}
// src/inputs/lanes.ts
/** What is measured where nobody says: what is exact. */
const defaultLanes = ["instructions", "verifier"];
/**
* @param where begins the message, such as `bpfgate.toml:2` or `--lanes`
* @throws InputError when there is no such lane
*/
function parseLane(text, where) {
	const lane = lanes.find((name) => name === text);
	if (lane === void 0) throw new InputError(`${where}: unknown lane \`${text}\`; allowed: ${lanes.join(", ")}${suggest(text, lanes)}`);
	return lane;
}
/**
* Reads a comma-separated list of lanes, as an option of the command line or an input of the action.
*
* @throws InputError when it is empty or names an unknown lane
*/
function parseLanes(text, where) {
	const names = text.split(",").map((name) => name.trim()).filter((name) => name !== "");
	if (names.length === 0) throw new InputError(`${where}: no lane; allowed: ${lanes.join(", ")}`);
	return [...new Set(names.map((name) => parseLane(name, where)))];
}
// src/inputs/limit.ts
/** For messages: how a limit is written. */
const limitExamples = "\"0%\", \"0.5%\", \"5%\" or \"off\"";
/** `"5%"` is 0.05; null when the text is neither a percentage nor `off`. */
function parseLimit(text) {
	if (text === "off") return "off";
	const digits = /^(\d+(?:\.\d+)?) ?%$/.exec(text)?.[1];
	return digits === void 0 ? null : Number(`${digits}e-2`);
}
// node_modules/eslint-visitor-keys/lib/visitor-keys.js
/**
* @typedef {{ readonly [type: string]: ReadonlyArray<string> }} VisitorKeys
*/
/**
* @type {VisitorKeys}
*/
const KEYS$1 = {
	ArrayExpression: ["elements"],
	ArrayPattern: ["elements"],
	ArrowFunctionExpression: ["params", "body"],
	AssignmentExpression: ["left", "right"],
	AssignmentPattern: ["left", "right"],
	AwaitExpression: ["argument"],
	BinaryExpression: ["left", "right"],
	BlockStatement: ["body"],
	BreakStatement: ["label"],
	CallExpression: ["callee", "arguments"],
	CatchClause: ["param", "body"],
	ChainExpression: ["expression"],
	ClassBody: ["body"],
	ClassDeclaration: [
		"id",
		"superClass",
		"body"
	],
	ClassExpression: [
		"id",
		"superClass",
		"body"
	],
	ConditionalExpression: [
		"test",
		"consequent",
		"alternate"
	],
	ContinueStatement: ["label"],
	DebuggerStatement: [],
	DoWhileStatement: ["body", "test"],
	EmptyStatement: [],
	ExperimentalRestProperty: ["argument"],
	ExperimentalSpreadProperty: ["argument"],
	ExportAllDeclaration: [
		"exported",
		"source",
		"attributes"
	],
	ExportDefaultDeclaration: ["declaration"],
	ExportNamedDeclaration: [
		"declaration",
		"specifiers",
		"source",
		"attributes"
	],
	ExportSpecifier: ["local", "exported"],
	ExpressionStatement: ["expression"],
	ForInStatement: [
		"left",
		"right",
		"body"
	],
	ForOfStatement: [
		"left",
		"right",
		"body"
	],
	ForStatement: [
		"init",
		"test",
		"update",
		"body"
	],
	FunctionDeclaration: [
		"id",
		"params",
		"body"
	],
	FunctionExpression: [
		"id",
		"params",
		"body"
	],
	Identifier: [],
	IfStatement: [
		"test",
		"consequent",
		"alternate"
	],
	ImportAttribute: ["key", "value"],
	ImportDeclaration: [
		"specifiers",
		"source",
		"attributes"
	],
	ImportDefaultSpecifier: ["local"],
	ImportExpression: ["source", "options"],
	ImportNamespaceSpecifier: ["local"],
	ImportSpecifier: ["imported", "local"],
	JSXAttribute: ["name", "value"],
	JSXClosingElement: ["name"],
	JSXClosingFragment: [],
	JSXElement: [
		"openingElement",
		"children",
		"closingElement"
	],
	JSXEmptyExpression: [],
	JSXExpressionContainer: ["expression"],
	JSXFragment: [
		"openingFragment",
		"children",
		"closingFragment"
	],
	JSXIdentifier: [],
	JSXMemberExpression: ["object", "property"],
	JSXNamespacedName: ["namespace", "name"],
	JSXOpeningElement: ["name", "attributes"],
	JSXOpeningFragment: [],
	JSXSpreadAttribute: ["argument"],
	JSXSpreadChild: ["expression"],
	JSXText: [],
	LabeledStatement: ["label", "body"],
	Literal: [],
	LogicalExpression: ["left", "right"],
	MemberExpression: ["object", "property"],
	MetaProperty: ["meta", "property"],
	MethodDefinition: ["key", "value"],
	NewExpression: ["callee", "arguments"],
	ObjectExpression: ["properties"],
	ObjectPattern: ["properties"],
	PrivateIdentifier: [],
	Program: ["body"],
	Property: ["key", "value"],
	PropertyDefinition: ["key", "value"],
	RestElement: ["argument"],
	ReturnStatement: ["argument"],
	SequenceExpression: ["expressions"],
	SpreadElement: ["argument"],
	StaticBlock: ["body"],
	Super: [],
	SwitchCase: ["test", "consequent"],
	SwitchStatement: ["discriminant", "cases"],
	TaggedTemplateExpression: ["tag", "quasi"],
	TemplateElement: [],
	TemplateLiteral: ["quasis", "expressions"],
	ThisExpression: [],
	ThrowStatement: ["argument"],
	TryStatement: [
		"block",
		"handler",
		"finalizer"
	],
	UnaryExpression: ["argument"],
	UpdateExpression: ["argument"],
	VariableDeclaration: ["declarations"],
	VariableDeclarator: ["id", "init"],
	WhileStatement: ["test", "body"],
	WithStatement: ["object", "body"],
	YieldExpression: ["argument"]
};
const NODE_TYPES = Object.keys(KEYS$1);
for (const type of NODE_TYPES) Object.freeze(KEYS$1[type]);
Object.freeze(KEYS$1);
// node_modules/eslint-visitor-keys/lib/index.js
/**
* @author Toru Nagashima <https://github.com/mysticatea>
* See LICENSE file in root directory for full license.
*/
/**
* Make the union set with `KEYS` and given keys.
* @param {VisitorKeys} additionalKeys The additional keys.
* @returns {VisitorKeys} The union set.
*/
function unionWith(additionalKeys) {
	const retv = Object.assign({}, KEYS$1);
	for (const type of Object.keys(additionalKeys)) if (Object.hasOwn(retv, type)) {
		const keys = new Set(additionalKeys[type]);
		for (const key of retv[type]) keys.add(key);
		retv[type] = Object.freeze(Array.from(keys));
	} else retv[type] = Object.freeze(Array.from(additionalKeys[type]));
	return Object.freeze(retv);
}
// node_modules/toml-eslint-parser/lib/index.mjs
/**
* Get the last element from given array
*/
function last(arr) {
	return arr[arr.length - 1] ?? null;
}
/**
* Node to key name
*/
function toKeyName(node) {
	return node.type === "TOMLBare" ? node.name : node.value;
}
var TOMLVerImpl = class {
	constructor(major, minor) {
		this.major = major;
		this.minor = minor;
	}
	lt(major, minor) {
		return this.major < major || this.major === major && this.minor < minor;
	}
	gte(major, minor) {
		return this.major > major || this.major === major && this.minor >= minor;
	}
};
const TOML_VERSION_1_0 = new TOMLVerImpl(1, 0);
const TOML_VERSION_1_1 = new TOMLVerImpl(1, 1);
const DEFAULT_TOML_VERSION = TOML_VERSION_1_1;
const SUPPORTED_TOML_VERSIONS = {
	"1.0": TOML_VERSION_1_0,
	"1.0.0": TOML_VERSION_1_0,
	"1.1": TOML_VERSION_1_1,
	"1.1.0": TOML_VERSION_1_1,
	latest: TOML_VERSION_1_1,
	next: TOML_VERSION_1_1
};
/**
* Get TOML version object from given TOML version string.
*/
function getTOMLVer(v) {
	return v && SUPPORTED_TOML_VERSIONS[v] || DEFAULT_TOML_VERSION;
}
const MESSAGES = {
	"unterminated-string": "Unterminated string constant",
	"unterminated-table-key": "Unterminated table-key",
	"unterminated-array": "Unterminated array",
	"unterminated-inline-table": "Unterminated inline table",
	"missing-key": "Empty bare keys are not allowed",
	"missing-newline": "Must be a newline",
	"missing-equals-sign": "Expected equal (=) token",
	"missing-value": "Unspecified values are invalid",
	"missing-comma": "Expected comma (,) token",
	"dupe-keys": "Defining a key multiple times is invalid",
	"unexpected-char": "Unexpected character",
	"unexpected-token": "Unexpected token",
	"invalid-control-character": "Control characters (codes < 0x1f and 0x7f) are not allowed",
	"invalid-comment-character": "Invalid code point {{cp}} within comments",
	"invalid-key-value-newline": "The key, equals sign, and value must be on the same line",
	"invalid-inline-table-newline": "No newlines are allowed between the curly braces unless they are valid within a value",
	"invalid-underscore": "Underscores are allowed between digits",
	"invalid-space": "Unexpected spaces",
	"invalid-three-quotes": "Three or more quotes are not permitted",
	"invalid-date": "Unexpected invalid date",
	"invalid-time": "Unexpected invalid time",
	"invalid-leading-zero": "Leading zeros are not allowed",
	"invalid-trailing-comma-in-inline-table": "Trailing comma is not permitted in an inline table",
	"invalid-char-in-escape-sequence": "Invalid character in escape sequence",
	"invalid-consecutive-dots-in-key": "Consecutive dots are not permitted in keys",
	"invalid-code-point": "Invalid code point {{cp}}",
	"invalid-trailing-dot-in-key": "Keys cannot end with a dot",
	"invalid-leading-dot-in-key": "Keys cannot start with a dot"
};
/**
* Get message from error code
*/
function getMessage(code, data) {
	if (data) return MESSAGES[code].replace(/\{\{(.*?)\}\}/gu, (_, name$2) => {
		if (name$2 in data) return data[name$2];
		return `{{${name$2}}}`;
	});
	return MESSAGES[code];
}
/**
* TOML parse errors.
*/
var ParseError = class extends SyntaxError {
	/**
	* Initialize this ParseError instance.
	*
	*/
	constructor(code, offset, line, column, data) {
		super(getMessage(code, data));
		this.index = offset;
		this.lineNumber = line;
		this.column = column;
	}
};
const CodePoint = {
	EOF: -1,
	NULL: 0,
	SOH: 1,
	BACKSPACE: 8,
	TABULATION: 9,
	LINE_FEED: 10,
	FORM_FEED: 12,
	CARRIAGE_RETURN: 13,
	ESCAPE: 27,
	SO: 14,
	US: 31,
	SPACE: 32,
	QUOTATION_MARK: 34,
	HASH: 35,
	SINGLE_QUOTE: 39,
	PLUS_SIGN: 43,
	COMMA: 44,
	DASH: 45,
	DOT: 46,
	DIGIT_0: 48,
	DIGIT_1: 49,
	DIGIT_2: 50,
	DIGIT_3: 51,
	DIGIT_7: 55,
	DIGIT_9: 57,
	COLON: 58,
	EQUALS_SIGN: 61,
	LATIN_CAPITAL_A: 65,
	LATIN_CAPITAL_E: 69,
	LATIN_CAPITAL_F: 70,
	LATIN_CAPITAL_T: 84,
	LATIN_CAPITAL_U: 85,
	LATIN_CAPITAL_Z: 90,
	LEFT_BRACKET: 91,
	BACKSLASH: 92,
	RIGHT_BRACKET: 93,
	UNDERSCORE: 95,
	LATIN_SMALL_A: 97,
	LATIN_SMALL_B: 98,
	LATIN_SMALL_E: 101,
	LATIN_SMALL_F: 102,
	LATIN_SMALL_I: 105,
	LATIN_SMALL_L: 108,
	LATIN_SMALL_N: 110,
	LATIN_SMALL_O: 111,
	LATIN_SMALL_R: 114,
	LATIN_SMALL_S: 115,
	LATIN_SMALL_T: 116,
	LATIN_SMALL_U: 117,
	LATIN_SMALL_X: 120,
	LATIN_SMALL_Z: 122,
	LEFT_BRACE: 123,
	RIGHT_BRACE: 125,
	TILDE: 126,
	DELETE: 127,
	PAD: 128,
	SUPERSCRIPT_TWO: 178,
	SUPERSCRIPT_THREE: 179,
	SUPERSCRIPT_ONE: 185,
	VULGAR_FRACTION_ONE_QUARTER: 188,
	VULGAR_FRACTION_THREE_QUARTERS: 190,
	LATIN_CAPITAL_LETTER_A_WITH_GRAVE: 192,
	LATIN_CAPITAL_LETTER_O_WITH_DIAERESIS: 214,
	LATIN_CAPITAL_LETTER_O_WITH_STROKE: 216,
	LATIN_SMALL_LETTER_O_WITH_DIAERESIS: 246,
	LATIN_SMALL_LETTER_O_WITH_STROKE: 248,
	GREEK_SMALL_REVERSED_DOTTED_LUNATE_SIGMA_SYMBOL: 891,
	GREEK_CAPITAL_LETTER_YOT: 895,
	CP_1FFF: 8191,
	ZERO_WIDTH_NON_JOINER: 8204,
	ZERO_WIDTH_JOINER: 8205,
	UNDERTIE: 8255,
	CHARACTER_TIE: 8256,
	SUPERSCRIPT_ZERO: 8304,
	CP_218F: 8591,
	CIRCLED_DIGIT_ONE: 9312,
	NEGATIVE_CIRCLED_DIGIT_ZERO: 9471,
	GLAGOLITIC_CAPITAL_LETTER_AZU: 11264,
	CP_2FEF: 12271,
	IDEOGRAPHIC_COMMA: 12289,
	CP_D7FF: 55295,
	CP_E000: 57344,
	CJK_COMPATIBILITY_IDEOGRAPH_F900: 63744,
	ARABIC_LIGATURE_SALAAMUHU_ALAYNAA: 64975,
	ARABIC_LIGATURE_SALLA_USED_AS_KORANIC_STOP_SIGN_ISOLATED_FORM: 65008,
	REPLACEMENT_CHARACTER: 65533,
	LINEAR_B_SYLLABLE_B008_A: 65536,
	CP_EFFFF: 983039,
	CP_10FFFF: 1114111
};
/**
* Check whether the code point is a control character.
*/
function isControl(cp) {
	return cp >= CodePoint.NULL && cp <= CodePoint.US;
}
/**
* Check whether the code point is a whitespace.
*/
function isWhitespace(cp) {
	return cp === CodePoint.TABULATION || cp === CodePoint.SPACE;
}
/**
* Check whether the code point is a end of line.
*/
function isEOL(cp) {
	return cp === CodePoint.LINE_FEED || cp === CodePoint.CARRIAGE_RETURN;
}
/**
* Check whether the code point is an uppercase letter character.
*/
function isUpperLetter(cp) {
	return cp >= CodePoint.LATIN_CAPITAL_A && cp <= CodePoint.LATIN_CAPITAL_Z;
}
/**
* Check whether the code point is a lowercase letter character.
*/
function isLowerLetter(cp) {
	return cp >= CodePoint.LATIN_SMALL_A && cp <= CodePoint.LATIN_SMALL_Z;
}
/**
* Check whether the code point is a letter character.
*/
function isLetter(cp) {
	return isLowerLetter(cp) || isUpperLetter(cp);
}
/**
* Check whether the code point is a digit character.
*/
function isDigit(cp) {
	return cp >= CodePoint.DIGIT_0 && cp <= CodePoint.DIGIT_9;
}
/**
* Check whether the code point is a hex digit character.
*/
function isHexDig(cp) {
	return isDigit(cp) || cp >= CodePoint.LATIN_SMALL_A && cp <= CodePoint.LATIN_SMALL_F || cp >= CodePoint.LATIN_CAPITAL_A && cp <= CodePoint.LATIN_CAPITAL_F;
}
/**
* Check whether the code point is a octal digit character.
*/
function isOctalDig(cp) {
	return cp >= CodePoint.DIGIT_0 && cp <= CodePoint.DIGIT_7;
}
/**
* Check whether the code point is valid code point.
*
* see
* - https://unicode.org/glossary/#unicode_scalar_value
* - https://toml.io/en/v1.0.0#string
*/
function isUnicodeScalarValue(cp) {
	return cp >= 0 && cp <= 55295 || cp >= 57344 && cp <= 1114111;
}
/**
* Find the last index of the array that is less than or equal to the value.
*/
function sortedLastIndex(array, value) {
	let low = 0;
	let high = array.length;
	while (low < high) {
		const mid = low + high >>> 1;
		const val = array[mid];
		if (val === value) return mid + 1;
		if (val < value) low = mid + 1;
		else high = mid;
	}
	return low;
}
/**
* A class for getting lines and columns location.
*/
var Locations = class {
	constructor() {
		this.offsets = [];
	}
	addOffset(offset) {
		for (let i = this.offsets.length - 1; i >= 0; i--) {
			const element = this.offsets[i];
			if (element === offset) return;
			if (element < offset) break;
		}
		this.offsets.push(offset);
	}
	/**
	* Calculate the location of the given index.
	* @param index The index to calculate their location.
	* @returns The location of the index.
	*/
	getLocFromIndex(offset) {
		const line = sortedLastIndex(this.offsets, offset) + 1;
		return {
			line,
			column: offset - (line === 1 ? 0 : this.offsets[line - 2])
		};
	}
};
var CodePointIterator = class {
	/**
	* Initialize this char iterator.
	*/
	constructor(text) {
		this.locs = new Locations();
		this.lastCodePoint = CodePoint.NULL;
		this.start = -1;
		this.end = 0;
		this.text = text;
	}
	next() {
		if (this.lastCodePoint === CodePoint.EOF) return CodePoint.EOF;
		return this.lastCodePoint = this.moveAt(this.end);
	}
	getLocFromIndex(index) {
		return this.locs.getLocFromIndex(index);
	}
	eat(cp) {
		if (this.text.codePointAt(this.end) === cp) {
			this.next();
			return true;
		}
		return false;
	}
	moveAt(offset) {
		this.start = this.end = offset;
		const cp = this.text.codePointAt(this.start) ?? CodePoint.EOF;
		if (cp === CodePoint.EOF) {
			this.end = this.start;
			return cp;
		}
		this.end += cp >= 65536 ? 2 : 1;
		if (cp === CodePoint.LINE_FEED) this.locs.addOffset(this.end);
		else if (cp === CodePoint.CARRIAGE_RETURN) {
			if (this.text.codePointAt(this.end) === CodePoint.LINE_FEED) {
				this.end++;
				this.locs.addOffset(this.end);
			}
			return CodePoint.LINE_FEED;
		}
		return cp;
	}
};
const HAS_BIGINT = typeof BigInt !== "undefined";
const RADIX_PREFIXES = {
	16: "0x",
	10: "",
	8: "0o",
	2: "0b"
};
const ESCAPES_1_0 = {
	[CodePoint.QUOTATION_MARK]: CodePoint.QUOTATION_MARK,
	[CodePoint.BACKSLASH]: CodePoint.BACKSLASH,
	[CodePoint.LATIN_SMALL_B]: CodePoint.BACKSPACE,
	[CodePoint.LATIN_SMALL_F]: CodePoint.FORM_FEED,
	[CodePoint.LATIN_SMALL_N]: CodePoint.LINE_FEED,
	[CodePoint.LATIN_SMALL_R]: CodePoint.CARRIAGE_RETURN,
	[CodePoint.LATIN_SMALL_T]: CodePoint.TABULATION
};
const ESCAPES_LATEST = {
	...ESCAPES_1_0,
	[CodePoint.LATIN_SMALL_E]: CodePoint.ESCAPE
};
/**
* Tokenizer for TOML.
*/
var Tokenizer = class {
	/**
	* Initialize this tokenizer.
	*/
	constructor(text, parserOptions) {
		this.backCode = false;
		this.lastCodePoint = CodePoint.NULL;
		this.state = "DATA";
		this.token = null;
		this.tokenStart = -1;
		this.valuesEnabled = false;
		this.text = text;
		this.parserOptions = parserOptions || {};
		this.codePointIterator = new CodePointIterator(text);
		this.tomlVersion = getTOMLVer(this.parserOptions.tomlVersion);
		this.ESCAPES = this.tomlVersion.gte(1, 1) ? ESCAPES_LATEST : ESCAPES_1_0;
	}
	get start() {
		return this.codePointIterator.start;
	}
	get end() {
		return this.codePointIterator.end;
	}
	getLocFromIndex(index) {
		return this.codePointIterator.getLocFromIndex(index);
	}
	/**
	* Report an invalid character error.
	*/
	reportParseError(code, data) {
		const offset = this.codePointIterator.start;
		const loc = this.codePointIterator.getLocFromIndex(offset);
		throw new ParseError(code, offset, loc.line, loc.column, data);
	}
	/**
	* Get the next token.
	*/
	nextToken() {
		let token = this.token;
		if (token != null) {
			this.token = null;
			return token;
		}
		let cp = this.lastCodePoint;
		while (cp !== CodePoint.EOF && !this.token) {
			cp = this.nextCode();
			const nextState = this[this.state](cp);
			if (!nextState) throw new Error(`Unknown error: pre state=${this.state}`);
			this.state = nextState;
		}
		token = this.token;
		this.token = null;
		return token;
	}
	/**
	* Get the next code point.
	*/
	nextCode() {
		if (this.lastCodePoint === CodePoint.EOF) return CodePoint.EOF;
		if (this.backCode) {
			this.backCode = false;
			return this.lastCodePoint;
		}
		return this.lastCodePoint = this.codePointIterator.next();
	}
	/**
	* Eat the next code point.
	*/
	eatCode(cp) {
		if (this.lastCodePoint === CodePoint.EOF) return false;
		if (this.backCode) {
			if (this.lastCodePoint === cp) {
				this.backCode = false;
				return true;
			}
			return false;
		}
		return this.codePointIterator.eat(cp);
	}
	/**
	* Moves the character position to the given position.
	*/
	moveAt(loc) {
		if (this.backCode) this.backCode = false;
		this.lastCodePoint = this.codePointIterator.moveAt(loc);
	}
	/**
	* Back the current code point as the given state.
	*/
	back(state) {
		this.backCode = true;
		return state;
	}
	punctuatorToken() {
		this.startToken();
		this.endToken("Punctuator", "end");
	}
	startToken() {
		this.tokenStart = this.codePointIterator.start;
	}
	/**
	* Commit the current token.
	*/
	endToken(type, pos, option1, option2) {
		const { tokenStart } = this;
		const end = this.codePointIterator[pos];
		const range = [tokenStart, end];
		const loc = {
			start: this.codePointIterator.getLocFromIndex(tokenStart),
			end: this.codePointIterator.getLocFromIndex(end)
		};
		if (type === "Block") this.token = {
			type,
			value: this.text.slice(tokenStart + 1, end),
			range,
			loc
		};
		else {
			let token;
			const value = this.text.slice(tokenStart, end);
			if (type === "BasicString" || type === "LiteralString" || type === "MultiLineBasicString" || type === "MultiLineLiteralString") token = {
				type,
				value,
				string: option1,
				range,
				loc
			};
			else if (type === "Integer") {
				const text = option1;
				token = {
					type,
					value,
					number: parseInt(text, option2),
					bigint: HAS_BIGINT ? BigInt(RADIX_PREFIXES[option2] + text) : null,
					range,
					loc
				};
			} else if (type === "Float") token = {
				type,
				value,
				number: option1,
				range,
				loc
			};
			else if (type === "Boolean") token = {
				type,
				value,
				boolean: option1,
				range,
				loc
			};
			else if (type === "LocalDate" || type === "LocalTime" || type === "LocalDateTime" || type === "OffsetDateTime") token = {
				type,
				value,
				date: option1,
				range,
				loc
			};
			else token = {
				type,
				value,
				range,
				loc
			};
			this.token = token;
		}
	}
	DATA(cp) {
		while (isWhitespace(cp) || isEOL(cp)) cp = this.nextCode();
		if (cp === CodePoint.HASH) {
			this.startToken();
			return "COMMENT";
		}
		if (cp === CodePoint.QUOTATION_MARK) {
			this.startToken();
			return "BASIC_STRING";
		}
		if (cp === CodePoint.SINGLE_QUOTE) {
			this.startToken();
			return "LITERAL_STRING";
		}
		if (cp === CodePoint.DOT || cp === CodePoint.EQUALS_SIGN || cp === CodePoint.LEFT_BRACKET || cp === CodePoint.RIGHT_BRACKET || cp === CodePoint.LEFT_BRACE || cp === CodePoint.RIGHT_BRACE || cp === CodePoint.COMMA) {
			this.punctuatorToken();
			return "DATA";
		}
		if (this.valuesEnabled) {
			if (cp === CodePoint.DASH || cp === CodePoint.PLUS_SIGN) {
				this.startToken();
				return "SIGN";
			}
			if (cp === CodePoint.LATIN_SMALL_N || cp === CodePoint.LATIN_SMALL_I) {
				this.startToken();
				return this.back("NAN_OR_INF");
			}
			if (isDigit(cp)) {
				this.startToken();
				return this.back("NUMBER");
			}
			if (cp === CodePoint.LATIN_SMALL_T || cp === CodePoint.LATIN_SMALL_F) {
				this.startToken();
				return this.back("BOOLEAN");
			}
		} else if (isUnquotedKeyChar(cp, this.tomlVersion)) {
			this.startToken();
			return "BARE";
		}
		if (cp === CodePoint.EOF) return "DATA";
		return this.reportParseError("unexpected-char");
	}
	COMMENT(cp) {
		const processCommentChar = this.tomlVersion.gte(1, 1) ? (c) => {
			if (!isNonEOL(c)) this.reportParseError("invalid-comment-character", { cp: JSON.stringify(String.fromCodePoint(c)).slice(1, -1) });
		} : (c) => {
			if (isControlOtherThanTab(c)) this.reportParseErrorControlChar();
		};
		while (!isEOL(cp) && cp !== CodePoint.EOF) {
			processCommentChar(cp);
			cp = this.nextCode();
		}
		this.endToken("Block", "start");
		return "DATA";
	}
	BARE(cp) {
		while (isUnquotedKeyChar(cp, this.tomlVersion)) cp = this.nextCode();
		this.endToken("Bare", "start");
		return this.back("DATA");
	}
	BASIC_STRING(cp) {
		if (cp === CodePoint.QUOTATION_MARK) {
			cp = this.nextCode();
			if (cp === CodePoint.QUOTATION_MARK) return "MULTI_LINE_BASIC_STRING";
			this.endToken("BasicString", "start", "");
			return this.back("DATA");
		}
		const out = [];
		while (cp !== CodePoint.QUOTATION_MARK && cp !== CodePoint.EOF && cp !== CodePoint.LINE_FEED) {
			if (isControlOtherThanTab(cp)) return this.reportParseErrorControlChar();
			if (cp === CodePoint.BACKSLASH) {
				cp = this.nextCode();
				const ecp = this.ESCAPES[cp];
				if (ecp) {
					out.push(ecp);
					cp = this.nextCode();
					continue;
				} else if (cp === CodePoint.LATIN_SMALL_U) {
					const code = this.parseUnicode(4);
					out.push(code);
					cp = this.nextCode();
					continue;
				} else if (cp === CodePoint.LATIN_CAPITAL_U) {
					const code = this.parseUnicode(8);
					out.push(code);
					cp = this.nextCode();
					continue;
				} else if (cp === CodePoint.LATIN_SMALL_X && this.tomlVersion.gte(1, 1)) {
					const code = this.parseUnicode(2);
					out.push(code);
					cp = this.nextCode();
					continue;
				}
				return this.reportParseError("invalid-char-in-escape-sequence");
			}
			out.push(cp);
			cp = this.nextCode();
		}
		if (cp !== CodePoint.QUOTATION_MARK) return this.reportParseError("unterminated-string");
		this.endToken("BasicString", "end", String.fromCodePoint(...out));
		return "DATA";
	}
	MULTI_LINE_BASIC_STRING(cp) {
		const out = [];
		if (cp === CodePoint.LINE_FEED) cp = this.nextCode();
		while (cp !== CodePoint.EOF) {
			if (cp !== CodePoint.LINE_FEED && isControlOtherThanTab(cp)) return this.reportParseErrorControlChar();
			if (cp === CodePoint.QUOTATION_MARK) {
				const startPos = this.codePointIterator.start;
				if (this.eatCode(CodePoint.QUOTATION_MARK) && this.eatCode(CodePoint.QUOTATION_MARK)) {
					if (this.eatCode(CodePoint.QUOTATION_MARK)) {
						out.push(CodePoint.QUOTATION_MARK);
						if (this.eatCode(CodePoint.QUOTATION_MARK)) {
							out.push(CodePoint.QUOTATION_MARK);
							if (this.eatCode(CodePoint.QUOTATION_MARK)) {
								this.moveAt(startPos);
								return this.reportParseError("invalid-three-quotes");
							}
						}
					}
					this.endToken("MultiLineBasicString", "end", String.fromCodePoint(...out));
					return "DATA";
				}
				this.moveAt(startPos);
			}
			if (cp === CodePoint.BACKSLASH) {
				cp = this.nextCode();
				const ecp = this.ESCAPES[cp];
				if (ecp) {
					out.push(ecp);
					cp = this.nextCode();
					continue;
				} else if (cp === CodePoint.LATIN_SMALL_U) {
					const code = this.parseUnicode(4);
					out.push(code);
					cp = this.nextCode();
					continue;
				} else if (cp === CodePoint.LATIN_CAPITAL_U) {
					const code = this.parseUnicode(8);
					out.push(code);
					cp = this.nextCode();
					continue;
				} else if (cp === CodePoint.LATIN_SMALL_X && this.tomlVersion.gte(1, 1)) {
					const code = this.parseUnicode(2);
					out.push(code);
					cp = this.nextCode();
					continue;
				} else if (cp === CodePoint.LINE_FEED) {
					cp = this.nextCode();
					while (isWhitespace(cp) || cp === CodePoint.LINE_FEED) cp = this.nextCode();
					continue;
				} else if (isWhitespace(cp)) {
					let valid = true;
					const startPos = this.codePointIterator.start;
					let nextCp;
					while ((nextCp = this.nextCode()) !== CodePoint.EOF) {
						if (nextCp === CodePoint.LINE_FEED) break;
						if (!isWhitespace(nextCp)) {
							this.moveAt(startPos);
							valid = false;
							break;
						}
					}
					if (valid) {
						cp = this.nextCode();
						while (isWhitespace(cp) || cp === CodePoint.LINE_FEED) cp = this.nextCode();
						continue;
					}
				}
				return this.reportParseError("invalid-char-in-escape-sequence");
			}
			out.push(cp);
			cp = this.nextCode();
		}
		return this.reportParseError("unterminated-string");
	}
	LITERAL_STRING(cp) {
		if (cp === CodePoint.SINGLE_QUOTE) {
			cp = this.nextCode();
			if (cp === CodePoint.SINGLE_QUOTE) return "MULTI_LINE_LITERAL_STRING";
			this.endToken("LiteralString", "start", "");
			return this.back("DATA");
		}
		const out = [];
		while (cp !== CodePoint.SINGLE_QUOTE && cp !== CodePoint.EOF && cp !== CodePoint.LINE_FEED) {
			if (isControlOtherThanTab(cp)) return this.reportParseErrorControlChar();
			out.push(cp);
			cp = this.nextCode();
		}
		if (cp !== CodePoint.SINGLE_QUOTE) return this.reportParseError("unterminated-string");
		this.endToken("LiteralString", "end", String.fromCodePoint(...out));
		return "DATA";
	}
	MULTI_LINE_LITERAL_STRING(cp) {
		const out = [];
		if (cp === CodePoint.LINE_FEED) cp = this.nextCode();
		while (cp !== CodePoint.EOF) {
			if (cp !== CodePoint.LINE_FEED && isControlOtherThanTab(cp)) return this.reportParseErrorControlChar();
			if (cp === CodePoint.SINGLE_QUOTE) {
				const startPos = this.codePointIterator.start;
				if (this.eatCode(CodePoint.SINGLE_QUOTE) && this.eatCode(CodePoint.SINGLE_QUOTE)) {
					if (this.eatCode(CodePoint.SINGLE_QUOTE)) {
						out.push(CodePoint.SINGLE_QUOTE);
						if (this.eatCode(CodePoint.SINGLE_QUOTE)) {
							out.push(CodePoint.SINGLE_QUOTE);
							if (this.eatCode(CodePoint.SINGLE_QUOTE)) {
								this.moveAt(startPos);
								return this.reportParseError("invalid-three-quotes");
							}
						}
					}
					this.endToken("MultiLineLiteralString", "end", String.fromCodePoint(...out));
					return "DATA";
				}
				this.moveAt(startPos);
			}
			out.push(cp);
			cp = this.nextCode();
		}
		return this.reportParseError("unterminated-string");
	}
	SIGN(cp) {
		if (cp === CodePoint.LATIN_SMALL_N || cp === CodePoint.LATIN_SMALL_I) return this.back("NAN_OR_INF");
		if (isDigit(cp)) return this.back("NUMBER");
		return this.reportParseError("unexpected-char");
	}
	NAN_OR_INF(cp) {
		if (cp === CodePoint.LATIN_SMALL_N) {
			const startPos = this.codePointIterator.start;
			if (this.eatCode(CodePoint.LATIN_SMALL_A) && this.eatCode(CodePoint.LATIN_SMALL_N)) {
				this.endToken("Float", "end", NaN);
				return "DATA";
			}
			this.moveAt(startPos);
		} else if (cp === CodePoint.LATIN_SMALL_I) {
			const startPos = this.codePointIterator.start;
			if (this.eatCode(CodePoint.LATIN_SMALL_N) && this.eatCode(CodePoint.LATIN_SMALL_F)) {
				this.endToken("Float", "end", this.text[this.tokenStart] === "-" ? -1e400 : 1e400);
				return "DATA";
			}
			this.moveAt(startPos);
		}
		return this.reportParseError("unexpected-char");
	}
	NUMBER(cp) {
		const start = this.text[this.tokenStart];
		const sign = start === "+" ? CodePoint.PLUS_SIGN : start === "-" ? CodePoint.DASH : CodePoint.NULL;
		if (cp === CodePoint.DIGIT_0) {
			if (sign === CodePoint.NULL) {
				const startPos = this.codePointIterator.start;
				const nextCp$1 = this.nextCode();
				if (isDigit(nextCp$1)) {
					const nextNextCp = this.nextCode();
					if (nextNextCp === CodePoint.COLON) {
						this.data = {
							hasDate: false,
							year: 0,
							month: 0,
							day: 0,
							hour: Number(String.fromCodePoint(CodePoint.DIGIT_0, nextCp$1)),
							minute: 0,
							second: 0
						};
						return "TIME_MINUTE";
					}
					if (isDigit(nextNextCp)) {
						const nextNextNextCp = this.nextCode();
						if (isDigit(nextNextNextCp) && this.eatCode(CodePoint.DASH)) {
							this.data = {
								hasDate: true,
								year: Number(String.fromCodePoint(CodePoint.DIGIT_0, nextCp$1, nextNextCp, nextNextNextCp)),
								month: 0,
								day: 0,
								hour: 0,
								minute: 0,
								second: 0
							};
							return "DATE_MONTH";
						}
					}
					this.moveAt(startPos);
					return this.reportParseError("invalid-leading-zero");
				}
				this.moveAt(startPos);
			}
			cp = this.nextCode();
			if (cp === CodePoint.LATIN_SMALL_X || cp === CodePoint.LATIN_SMALL_O || cp === CodePoint.LATIN_SMALL_B) {
				if (sign !== CodePoint.NULL) return this.reportParseError("unexpected-char");
				return cp === CodePoint.LATIN_SMALL_X ? "HEX" : cp === CodePoint.LATIN_SMALL_O ? "OCTAL" : "BINARY";
			}
			if (cp === CodePoint.LATIN_SMALL_E || cp === CodePoint.LATIN_CAPITAL_E) {
				this.data = {
					minus: sign === CodePoint.DASH,
					left: [CodePoint.DIGIT_0]
				};
				return "EXPONENT_RIGHT";
			}
			if (cp === CodePoint.DOT) {
				this.data = {
					minus: sign === CodePoint.DASH,
					absInt: [CodePoint.DIGIT_0]
				};
				return "FRACTIONAL_RIGHT";
			}
			this.endToken("Integer", "start", "0", 10);
			return this.back("DATA");
		}
		const { out, nextCp, hasUnderscore } = this.parseDigits(cp, isDigit);
		if (nextCp === CodePoint.DASH && sign === CodePoint.NULL && !hasUnderscore && out.length === 4) {
			this.data = {
				hasDate: true,
				year: Number(String.fromCodePoint(...out)),
				month: 0,
				day: 0,
				hour: 0,
				minute: 0,
				second: 0
			};
			return "DATE_MONTH";
		}
		if (nextCp === CodePoint.COLON && sign === CodePoint.NULL && !hasUnderscore && out.length === 2) {
			this.data = {
				hasDate: false,
				year: 0,
				month: 0,
				day: 0,
				hour: Number(String.fromCodePoint(...out)),
				minute: 0,
				second: 0
			};
			return "TIME_MINUTE";
		}
		if (nextCp === CodePoint.LATIN_SMALL_E || nextCp === CodePoint.LATIN_CAPITAL_E) {
			this.data = {
				minus: sign === CodePoint.DASH,
				left: out
			};
			return "EXPONENT_RIGHT";
		}
		if (nextCp === CodePoint.DOT) {
			this.data = {
				minus: sign === CodePoint.DASH,
				absInt: out
			};
			return "FRACTIONAL_RIGHT";
		}
		this.endToken("Integer", "start", sign === CodePoint.DASH ? String.fromCodePoint(CodePoint.DASH, ...out) : String.fromCodePoint(...out), 10);
		return this.back("DATA");
	}
	HEX(cp) {
		const { out } = this.parseDigits(cp, isHexDig);
		this.endToken("Integer", "start", String.fromCodePoint(...out), 16);
		return this.back("DATA");
	}
	OCTAL(cp) {
		const { out } = this.parseDigits(cp, isOctalDig);
		this.endToken("Integer", "start", String.fromCodePoint(...out), 8);
		return this.back("DATA");
	}
	BINARY(cp) {
		const { out } = this.parseDigits(cp, (c) => c === CodePoint.DIGIT_0 || c === CodePoint.DIGIT_1);
		this.endToken("Integer", "start", String.fromCodePoint(...out), 2);
		return this.back("DATA");
	}
	FRACTIONAL_RIGHT(cp) {
		const { minus, absInt } = this.data;
		const { out, nextCp } = this.parseDigits(cp, isDigit);
		const absNum = [
			...absInt,
			CodePoint.DOT,
			...out
		];
		if (nextCp === CodePoint.LATIN_SMALL_E || nextCp === CodePoint.LATIN_CAPITAL_E) {
			this.data = {
				minus,
				left: absNum
			};
			return "EXPONENT_RIGHT";
		}
		const value = Number(minus ? String.fromCodePoint(CodePoint.DASH, ...absNum) : String.fromCodePoint(...absNum));
		this.endToken("Float", "start", value);
		return this.back("DATA");
	}
	EXPONENT_RIGHT(cp) {
		const { left, minus: leftMinus } = this.data;
		let minus = false;
		if (cp === CodePoint.DASH || cp === CodePoint.PLUS_SIGN) {
			minus = cp === CodePoint.DASH;
			cp = this.nextCode();
		}
		const { out } = this.parseDigits(cp, isDigit);
		const right = out;
		if (minus) right.unshift(CodePoint.DASH);
		const value = Number(leftMinus ? String.fromCodePoint(CodePoint.DASH, ...left, CodePoint.LATIN_SMALL_E, ...right) : String.fromCodePoint(...left, CodePoint.LATIN_SMALL_E, ...right));
		this.endToken("Float", "start", value);
		return this.back("DATA");
	}
	BOOLEAN(cp) {
		if (cp === CodePoint.LATIN_SMALL_T) {
			const startPos = this.codePointIterator.start;
			if (this.eatCode(CodePoint.LATIN_SMALL_R) && this.eatCode(CodePoint.LATIN_SMALL_U) && this.eatCode(CodePoint.LATIN_SMALL_E)) {
				this.endToken("Boolean", "end", true);
				return "DATA";
			}
			this.moveAt(startPos);
		} else if (cp === CodePoint.LATIN_SMALL_F) {
			const startPos = this.codePointIterator.start;
			if (this.eatCode(CodePoint.LATIN_SMALL_A) && this.eatCode(CodePoint.LATIN_SMALL_L) && this.eatCode(CodePoint.LATIN_SMALL_S) && this.eatCode(CodePoint.LATIN_SMALL_E)) {
				this.endToken("Boolean", "end", false);
				return "DATA";
			}
			this.moveAt(startPos);
		}
		return this.reportParseError("unexpected-char");
	}
	DATE_MONTH(cp) {
		const start = this.codePointIterator.start;
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		cp = this.nextCode();
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		cp = this.nextCode();
		if (cp !== CodePoint.DASH) return this.reportParseError("unexpected-char");
		const end = this.codePointIterator.start;
		const data = this.data;
		data.month = Number(this.text.slice(start, end));
		return "DATE_DAY";
	}
	DATE_DAY(cp) {
		const start = this.codePointIterator.start;
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		cp = this.nextCode();
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		const end = this.codePointIterator.end;
		const data = this.data;
		data.day = Number(this.text.slice(start, end));
		if (!isValidDate(data.year, data.month, data.day)) return this.reportParseError("invalid-date");
		cp = this.nextCode();
		if (cp === CodePoint.LATIN_CAPITAL_T || cp === CodePoint.LATIN_SMALL_T) return "TIME_HOUR";
		if (cp === CodePoint.SPACE) {
			const startPos = this.codePointIterator.start;
			if (isDigit(this.nextCode()) && isDigit(this.nextCode())) {
				this.moveAt(startPos);
				return "TIME_HOUR";
			}
			this.moveAt(startPos);
		}
		const dateValue = getDateFromDateTimeData(data, "");
		this.endToken("LocalDate", "start", dateValue);
		return this.back("DATA");
	}
	TIME_HOUR(cp) {
		const start = this.codePointIterator.start;
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		cp = this.nextCode();
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		cp = this.nextCode();
		if (cp !== CodePoint.COLON) return this.reportParseError("unexpected-char");
		const end = this.codePointIterator.start;
		const data = this.data;
		data.hour = Number(this.text.slice(start, end));
		return "TIME_MINUTE";
	}
	TIME_MINUTE(cp) {
		const start = this.codePointIterator.start;
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		cp = this.nextCode();
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		const end = this.codePointIterator.end;
		const data = this.data;
		data.minute = Number(this.text.slice(start, end));
		cp = this.nextCode();
		if (cp === CodePoint.COLON) return "TIME_SECOND";
		if (this.tomlVersion.lt(1, 1)) return this.reportParseError("unexpected-char");
		if (!isValidTime(data.hour, data.minute, data.second)) return this.reportParseError("invalid-time");
		return this.processTimeEnd(cp, data);
	}
	TIME_SECOND(cp) {
		const start = this.codePointIterator.start;
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		cp = this.nextCode();
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		const end = this.codePointIterator.end;
		const data = this.data;
		data.second = Number(this.text.slice(start, end));
		if (!isValidTime(data.hour, data.minute, data.second)) return this.reportParseError("invalid-time");
		cp = this.nextCode();
		if (cp === CodePoint.DOT) return "TIME_SEC_FRAC";
		return this.processTimeEnd(cp, data);
	}
	TIME_SEC_FRAC(cp) {
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		const start = this.codePointIterator.start;
		while (isDigit(cp)) cp = this.nextCode();
		const end = this.codePointIterator.start;
		const data = this.data;
		data.frac = this.text.slice(start, end);
		return this.processTimeEnd(cp, data);
	}
	processTimeEnd(cp, data) {
		if (data.hasDate) {
			if (cp === CodePoint.DASH || cp === CodePoint.PLUS_SIGN) {
				data.offsetSign = cp;
				return "TIME_OFFSET";
			}
			if (cp === CodePoint.LATIN_CAPITAL_Z || cp === CodePoint.LATIN_SMALL_Z) {
				const dateValue$2 = getDateFromDateTimeData(data, "Z");
				this.endToken("OffsetDateTime", "end", dateValue$2);
				return "DATA";
			}
			const dateValue$1 = getDateFromDateTimeData(data, "");
			this.endToken("LocalDateTime", "start", dateValue$1);
			return this.back("DATA");
		}
		const dateValue = getDateFromDateTimeData(data, "");
		this.endToken("LocalTime", "start", dateValue);
		return this.back("DATA");
	}
	TIME_OFFSET(cp) {
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		const hourStart = this.codePointIterator.start;
		cp = this.nextCode();
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		cp = this.nextCode();
		if (cp !== CodePoint.COLON) return this.reportParseError("unexpected-char");
		const hourEnd = this.codePointIterator.start;
		cp = this.nextCode();
		const minuteStart = this.codePointIterator.start;
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		cp = this.nextCode();
		if (!isDigit(cp)) return this.reportParseError("unexpected-char");
		const minuteEnd = this.codePointIterator.end;
		const hour = Number(this.text.slice(hourStart, hourEnd));
		const minute = Number(this.text.slice(minuteStart, minuteEnd));
		if (!isValidTime(hour, minute, 0)) return this.reportParseError("invalid-time");
		const data = this.data;
		const dateValue = getDateFromDateTimeData(data, `${String.fromCodePoint(data.offsetSign)}${padStart(hour, 2)}:${padStart(minute, 2)}`);
		this.endToken("OffsetDateTime", "end", dateValue);
		return "DATA";
	}
	parseDigits(cp, checkDigit) {
		if (cp === CodePoint.UNDERSCORE) return this.reportParseError("invalid-underscore");
		if (!checkDigit(cp)) return this.reportParseError("unexpected-char");
		const out = [];
		let before = CodePoint.NULL;
		let hasUnderscore = false;
		while (checkDigit(cp) || cp === CodePoint.UNDERSCORE) {
			if (cp === CodePoint.UNDERSCORE) {
				hasUnderscore = true;
				if (before === CodePoint.UNDERSCORE) return this.reportParseError("invalid-underscore");
			} else out.push(cp);
			before = cp;
			cp = this.nextCode();
		}
		if (before === CodePoint.UNDERSCORE) return this.reportParseError("invalid-underscore");
		return {
			out,
			nextCp: cp,
			hasUnderscore
		};
	}
	parseUnicode(count) {
		const startLoc = this.codePointIterator.start;
		const start = this.codePointIterator.end;
		let charCount = 0;
		let cp;
		while ((cp = this.nextCode()) !== CodePoint.EOF) {
			if (!isHexDig(cp)) {
				this.moveAt(startLoc);
				return this.reportParseError("invalid-char-in-escape-sequence");
			}
			charCount++;
			if (charCount >= count) break;
		}
		const end = this.codePointIterator.end;
		const code = this.text.slice(start, end);
		const codePoint = parseInt(code, 16);
		if (!isUnicodeScalarValue(codePoint)) return this.reportParseError("invalid-code-point", { cp: code });
		return codePoint;
	}
	reportParseErrorControlChar() {
		return this.reportParseError("invalid-control-character");
	}
};
/**
* Check whether the code point is unquoted-key-char
*/
function isUnquotedKeyChar(cp, tomlVersion) {
	if (isLetter(cp) || isDigit(cp) || cp === CodePoint.UNDERSCORE || cp === CodePoint.DASH) return true;
	if (tomlVersion.lt(1, 1)) return false;
	return false;
}
/**
* Check whether the code point is control character other than tab
*/
function isControlOtherThanTab(cp) {
	return isControl(cp) && cp !== CodePoint.TABULATION || cp === CodePoint.DELETE;
}
/**
* Check whether the code point is non-eol for TOML 1.1
*/
function isNonEOL(cp) {
	return cp === CodePoint.TABULATION || CodePoint.SPACE <= cp && cp <= CodePoint.TILDE || isNonAscii(cp);
}
/**
* Check whether the code point is a non-ascii character.
*/
function isNonAscii(cp) {
	return CodePoint.PAD <= cp && cp <= CodePoint.CP_D7FF || CodePoint.CP_E000 <= cp && cp <= CodePoint.CP_10FFFF;
}
/**
* Check whether the given values is valid date
*/
function isValidDate(y, m, d) {
	if (y >= 0 && m <= 12 && m >= 1 && d >= 1) return d <= (m === 2 ? y & 3 || !(y % 25) && y & 15 ? 28 : 29 : 30 + (m + (m >> 3) & 1));
	return false;
}
/**
* Check whether the given values is valid time
*/
function isValidTime(h, m, s) {
	if (h >= 24 || h < 0 || m > 59 || m < 0 || s > 60 || s < 0) return false;
	return true;
}
/**
* Get date from DateTimeData
*/
function getDateFromDateTimeData(data, timeZone) {
	const year = padStart(data.year, 4);
	const month = data.month ? padStart(data.month, 2) : "01";
	const day = data.day ? padStart(data.day, 2) : "01";
	const hour = padStart(data.hour, 2);
	const minute = padStart(data.minute, 2);
	const second = padStart(data.second, 2);
	const textDate = `${year}-${month}-${day}`;
	const frac = data.frac ? `.${data.frac}` : "";
	const dateValue = /* @__PURE__ */ new Date(`${textDate}T${hour}:${minute}:${second}${frac}${timeZone}`);
	if (!isNaN(dateValue.getTime()) || data.second !== 60) return dateValue;
	return /* @__PURE__ */ new Date(`${textDate}T${hour}:${minute}:59${frac}${timeZone}`);
}
/**
* Pad with zeros.
*/
function padStart(num, maxLength) {
	return String(num).padStart(maxLength, "0");
}
const VALUE_KIND_VALUE = Symbol("VALUE_KIND_VALUE");
const VALUE_KIND_INTERMEDIATE = Symbol("VALUE_KIND_INTERMEDIATE");
var KeysResolver = class {
	constructor(ctx) {
		this.rootKeys = /* @__PURE__ */ new Map();
		this.tables = [];
		this.ctx = ctx;
	}
	applyResolveKeyForTable(node) {
		let keys = this.rootKeys;
		const peekKeyIndex = node.key.keys.length - 1;
		for (let index = 0; index < peekKeyIndex; index++) {
			const keyNode = node.key.keys[index];
			const keyName = toKeyName(keyNode);
			node.resolvedKey.push(keyName);
			let keyStore = keys.get(keyName);
			if (!keyStore) {
				keyStore = {
					node: keyNode,
					keys: /* @__PURE__ */ new Map()
				};
				keys.set(keyName, keyStore);
			} else if (keyStore.table === "array") {
				const peekIndex = keyStore.peekIndex;
				node.resolvedKey.push(peekIndex);
				keyStore = keyStore.keys.get(peekIndex);
			}
			keys = keyStore.keys;
		}
		const lastKeyNode = node.key.keys[peekKeyIndex];
		const lastKeyName = toKeyName(lastKeyNode);
		node.resolvedKey.push(lastKeyName);
		const lastKeyStore = keys.get(lastKeyName);
		if (!lastKeyStore) if (node.kind === "array") {
			node.resolvedKey.push(0);
			const newKeyStore = {
				node: lastKeyNode,
				keys: /* @__PURE__ */ new Map()
			};
			keys.set(lastKeyName, {
				table: node.kind,
				node: lastKeyNode,
				keys: /* @__PURE__ */ new Map([[0, newKeyStore]]),
				peekIndex: 0
			});
			this.tables.push({
				node,
				keys: newKeyStore.keys
			});
		} else {
			const newKeyStore = {
				table: node.kind,
				node: lastKeyNode,
				keys: /* @__PURE__ */ new Map()
			};
			keys.set(lastKeyName, newKeyStore);
			this.tables.push({
				node,
				keys: newKeyStore.keys
			});
		}
		else if (!lastKeyStore.table) if (node.kind === "array") this.ctx.reportParseError("dupe-keys", lastKeyNode);
		else {
			const transformKey = {
				table: node.kind,
				node: lastKeyNode,
				keys: lastKeyStore.keys
			};
			keys.set(lastKeyName, transformKey);
			this.tables.push({
				node,
				keys: transformKey.keys
			});
		}
		else if (lastKeyStore.table === "array") if (node.kind === "array") {
			const newKeyStore = {
				node: lastKeyNode,
				keys: /* @__PURE__ */ new Map()
			};
			const newIndex = lastKeyStore.peekIndex + 1;
			node.resolvedKey.push(newIndex);
			lastKeyStore.keys.set(newIndex, newKeyStore);
			lastKeyStore.peekIndex = newIndex;
			this.tables.push({
				node,
				keys: newKeyStore.keys
			});
		} else this.ctx.reportParseError("dupe-keys", lastKeyNode);
		else this.ctx.reportParseError("dupe-keys", lastKeyNode);
	}
	verifyDuplicateKeys(node) {
		for (const body of node.body) if (body.type === "TOMLKeyValue") verifyDuplicateKeysForKeyValue(this.ctx, this.rootKeys, body);
		for (const { node: tableNode, keys } of this.tables) for (const body of tableNode.body) verifyDuplicateKeysForKeyValue(this.ctx, keys, body);
	}
};
/**
* Verify duplicate keys from TOMLKeyValue
*/
function verifyDuplicateKeysForKeyValue(ctx, defineKeys, node) {
	let keys = defineKeys;
	const lastKey = last(node.key.keys);
	for (const keyNode of node.key.keys) {
		const key = toKeyName(keyNode);
		let defineKey = keys.get(key);
		if (defineKey) {
			if (defineKey.value === VALUE_KIND_VALUE) ctx.reportParseError("dupe-keys", getAfterNode(keyNode, defineKey.node));
			else if (lastKey === keyNode) ctx.reportParseError("dupe-keys", getAfterNode(keyNode, defineKey.node));
			else if (defineKey.table) ctx.reportParseError("dupe-keys", getAfterNode(keyNode, defineKey.node));
			defineKey.value = VALUE_KIND_INTERMEDIATE;
		} else {
			if (lastKey === keyNode) defineKey = {
				value: VALUE_KIND_VALUE,
				node: keyNode,
				keys: /* @__PURE__ */ new Map()
			};
			else defineKey = {
				value: VALUE_KIND_INTERMEDIATE,
				node: keyNode,
				keys: /* @__PURE__ */ new Map()
			};
			keys.set(key, defineKey);
		}
		keys = defineKey.keys;
	}
	if (node.value.type === "TOMLInlineTable") verifyDuplicateKeysForInlineTable(ctx, keys, node.value);
	else if (node.value.type === "TOMLArray") verifyDuplicateKeysForArray(ctx, keys, node.value);
}
/**
* Verify duplicate keys from TOMLInlineTable
*/
function verifyDuplicateKeysForInlineTable(ctx, defineKeys, node) {
	for (const body of node.body) verifyDuplicateKeysForKeyValue(ctx, defineKeys, body);
}
/**
* Verify duplicate keys from TOMLArray
*/
function verifyDuplicateKeysForArray(ctx, defineKeys, node) {
	const keys = defineKeys;
	for (let index = 0; index < node.elements.length; index++) {
		const element = node.elements[index];
		let defineKey = keys.get(index);
		if (defineKey) ctx.reportParseError("dupe-keys", getAfterNode(element, defineKey.node));
		else {
			defineKey = {
				value: VALUE_KIND_VALUE,
				node: element,
				keys: /* @__PURE__ */ new Map()
			};
			defineKeys.set(index, defineKey);
			if (element.type === "TOMLInlineTable") verifyDuplicateKeysForInlineTable(ctx, defineKey.keys, element);
			else if (element.type === "TOMLArray") verifyDuplicateKeysForArray(ctx, defineKey.keys, element);
		}
	}
}
/**
* Get the after node
*/
function getAfterNode(a, b) {
	return a.range[0] <= b.range[0] ? b : a;
}
var Context = class {
	constructor(data) {
		this.tokens = [];
		this.comments = [];
		this.back = null;
		this.stateStack = [];
		this.needNewLine = false;
		this.needSameLine = false;
		this.currToken = null;
		this.prevToken = null;
		this.valueContainerStack = [];
		this.tokenizer = new Tokenizer(data.text, data.parserOptions);
		this.topLevelTable = data.topLevelTable;
		this.table = data.topLevelTable;
		this.keysResolver = new KeysResolver(this);
	}
	/**
	* Get the next token.
	*/
	nextToken(option) {
		this.prevToken = this.currToken;
		if (this.back) {
			this.currToken = this.back;
			this.back = null;
		} else this.currToken = this._nextTokenFromTokenizer(option);
		if ((this.needNewLine || this.needSameLine || option?.needSameLine) && this.prevToken && this.currToken) if (this.prevToken.loc.end.line === this.currToken.loc.start.line) {
			if (this.needNewLine) return this.reportParseError("missing-newline", this.currToken);
		} else {
			const needSameLine = this.needSameLine || option?.needSameLine;
			if (needSameLine) return this.reportParseError(needSameLine, this.currToken);
		}
		this.needNewLine = false;
		this.needSameLine = false;
		return this.currToken;
	}
	_nextTokenFromTokenizer(option) {
		const valuesEnabled = this.tokenizer.valuesEnabled;
		if (option?.valuesEnabled) this.tokenizer.valuesEnabled = option.valuesEnabled;
		let token = this.tokenizer.nextToken();
		while (token && token.type === "Block") {
			this.comments.push(token);
			token = this.tokenizer.nextToken();
		}
		if (token) this.tokens.push(token);
		this.tokenizer.valuesEnabled = valuesEnabled;
		return token;
	}
	backToken() {
		if (this.back) throw new Error("Illegal state");
		this.back = this.currToken;
		this.currToken = this.prevToken;
	}
	addValueContainer(valueContainer) {
		this.valueContainerStack.push(valueContainer);
		this.tokenizer.valuesEnabled = true;
	}
	consumeValueContainer() {
		const valueContainer = this.valueContainerStack.pop();
		this.tokenizer.valuesEnabled = this.valueContainerStack.length > 0;
		return valueContainer;
	}
	applyResolveKeyForTable(node) {
		this.keysResolver.applyResolveKeyForTable(node);
	}
	verifyDuplicateKeys() {
		this.keysResolver.verifyDuplicateKeys(this.topLevelTable);
	}
	/**
	* Report an invalid token error.
	*/
	reportParseError(code, token) {
		let offset, line, column;
		if (token) {
			offset = token.range[0];
			line = token.loc.start.line;
			column = token.loc.start.column;
		} else {
			offset = this.tokenizer.start;
			const startPos = this.tokenizer.getLocFromIndex(offset);
			line = startPos.line;
			column = startPos.column;
		}
		throw new ParseError(code, offset, line, column);
	}
};
const STATE_FOR_ERROR = { VALUE: "missing-value" };
const STRING_VALUE_STYLE_MAP = {
	BasicString: "basic",
	MultiLineBasicString: "basic",
	LiteralString: "literal",
	MultiLineLiteralString: "literal"
};
const STRING_KEY_STYLE_MAP = {
	BasicString: "basic",
	LiteralString: "literal"
};
const DATETIME_VALUE_KIND_MAP = {
	OffsetDateTime: "offset-date-time",
	LocalDateTime: "local-date-time",
	LocalDate: "local-date",
	LocalTime: "local-time"
};
var TOMLParser = class {
	/**
	* Initialize this parser.
	*/
	constructor(text, parserOptions) {
		this.text = text;
		this.parserOptions = parserOptions || {};
		this.tomlVersion = getTOMLVer(this.parserOptions.tomlVersion);
	}
	/**
	* Parse TOML
	*/
	parse() {
		const ast = {
			type: "Program",
			body: [],
			sourceType: "module",
			tokens: [],
			comments: [],
			parent: null,
			range: [0, 0],
			loc: {
				start: {
					line: 1,
					column: 0
				},
				end: {
					line: 1,
					column: 0
				}
			}
		};
		const node = {
			type: "TOMLTopLevelTable",
			body: [],
			parent: ast,
			range: cloneRange(ast.range),
			loc: cloneLoc(ast.loc)
		};
		ast.body = [node];
		const ctx = new Context({
			text: this.text,
			parserOptions: this.parserOptions,
			topLevelTable: node
		});
		let token = ctx.nextToken();
		if (token) {
			node.range[0] = token.range[0];
			node.loc.start = clonePos(token.loc.start);
			while (token) {
				const state$1 = ctx.stateStack.pop() || "TABLE";
				ctx.stateStack.push(...this[state$1](token, ctx));
				token = ctx.nextToken();
			}
			const state = ctx.stateStack.pop() || "TABLE";
			if (state in STATE_FOR_ERROR) return ctx.reportParseError(STATE_FOR_ERROR[state], null);
			if (ctx.table.type === "TOMLTable") applyEndLoc(ctx.table, last(ctx.table.body));
			applyEndLoc(node, last(node.body));
		}
		ctx.verifyDuplicateKeys();
		ast.tokens = ctx.tokens;
		ast.comments = ctx.comments;
		const endOffset = ctx.tokenizer.end;
		const endPos = ctx.tokenizer.getLocFromIndex(endOffset);
		ast.range[1] = endOffset;
		ast.loc.end = {
			line: endPos.line,
			column: endPos.column
		};
		return ast;
	}
	TABLE(token, ctx) {
		if (isBare(token) || isString(token)) return this.processKeyValue(token, ctx.table, ctx);
		if (isLeftBracket(token)) return this.processTable(token, ctx.topLevelTable, ctx);
		return ctx.reportParseError("unexpected-token", token);
	}
	VALUE(token, ctx) {
		if (isString(token) || isMultiLineString(token)) return this.processStringValue(token, ctx);
		if (isNumber(token)) return this.processNumberValue(token, ctx);
		if (isBoolean(token)) return this.processBooleanValue(token, ctx);
		if (isDateTime(token)) return this.processDateTimeValue(token, ctx);
		if (isLeftBracket(token)) return this.processArray(token, ctx);
		if (isLeftBrace(token)) return this.processInlineTable(token, ctx);
		return ctx.reportParseError("unexpected-token", token);
	}
	processTable(token, topLevelTableNode, ctx) {
		const tableNode = {
			type: "TOMLTable",
			kind: "standard",
			key: null,
			resolvedKey: [],
			body: [],
			parent: topLevelTableNode,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		if (ctx.table.type === "TOMLTable") applyEndLoc(ctx.table, last(ctx.table.body));
		topLevelTableNode.body.push(tableNode);
		ctx.table = tableNode;
		let targetToken = ctx.nextToken({ needSameLine: "invalid-key-value-newline" });
		if (isLeftBracket(targetToken)) {
			if (token.range[1] < targetToken.range[0]) return ctx.reportParseError("invalid-space", targetToken);
			tableNode.kind = "array";
			targetToken = ctx.nextToken({ needSameLine: "invalid-key-value-newline" });
		}
		if (isRightBracket(targetToken)) return ctx.reportParseError("missing-key", targetToken);
		if (!targetToken) return ctx.reportParseError("unterminated-table-key", null);
		targetToken = this.processKeyNode(targetToken, tableNode, ctx).nextToken;
		if (!isRightBracket(targetToken)) return ctx.reportParseError("unterminated-table-key", targetToken);
		if (tableNode.kind === "array") {
			const rightBracket = targetToken;
			targetToken = ctx.nextToken({ needSameLine: "invalid-key-value-newline" });
			if (!isRightBracket(targetToken)) return ctx.reportParseError("unterminated-table-key", targetToken);
			if (rightBracket.range[1] < targetToken.range[0]) return ctx.reportParseError("invalid-space", targetToken);
		}
		applyEndLoc(tableNode, targetToken);
		ctx.applyResolveKeyForTable(tableNode);
		ctx.needNewLine = true;
		return [];
	}
	processKeyValue(token, tableNode, ctx) {
		const keyValueNode = {
			type: "TOMLKeyValue",
			key: null,
			value: null,
			parent: tableNode,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		tableNode.body.push(keyValueNode);
		const { nextToken: targetToken } = this.processKeyNode(token, keyValueNode, ctx);
		if (!isEq(targetToken)) return ctx.reportParseError("missing-equals-sign", targetToken);
		ctx.addValueContainer({
			parent: keyValueNode,
			set: (valNode) => {
				keyValueNode.value = valNode;
				applyEndLoc(keyValueNode, valNode);
				ctx.needNewLine = true;
				return [];
			}
		});
		ctx.needSameLine = "invalid-key-value-newline";
		return ["VALUE"];
	}
	processKeyNode(token, parent, ctx) {
		if (isDot(token)) ctx.reportParseError("invalid-leading-dot-in-key", token);
		const keyNode = {
			type: "TOMLKey",
			keys: [],
			parent,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		parent.key = keyNode;
		let targetToken = token;
		let dotToken = null;
		do {
			if (isBare(targetToken)) this.processBareKey(targetToken, keyNode);
			else if (isString(targetToken)) this.processStringKey(targetToken, keyNode);
			else break;
			dotToken = null;
			targetToken = ctx.nextToken({ needSameLine: "invalid-key-value-newline" });
			if (!isDot(targetToken)) break;
			dotToken = targetToken;
			targetToken = ctx.nextToken({ needSameLine: "invalid-key-value-newline" });
		} while (targetToken);
		if (dotToken) ctx.reportParseError(isDot(targetToken) ? "invalid-consecutive-dots-in-key" : "invalid-trailing-dot-in-key", dotToken);
		applyEndLoc(keyNode, last(keyNode.keys));
		return {
			keyNode,
			nextToken: targetToken
		};
	}
	processBareKey(token, keyNode) {
		const node = {
			type: "TOMLBare",
			name: token.value,
			parent: keyNode,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		keyNode.keys.push(node);
	}
	processStringKey(token, keyNode) {
		const node = {
			type: "TOMLQuoted",
			kind: "string",
			value: token.string,
			style: STRING_KEY_STYLE_MAP[token.type],
			multiline: false,
			parent: keyNode,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		keyNode.keys.push(node);
	}
	processStringValue(token, ctx) {
		const valueContainer = ctx.consumeValueContainer();
		const node = {
			type: "TOMLValue",
			kind: "string",
			value: token.string,
			style: STRING_VALUE_STYLE_MAP[token.type],
			multiline: isMultiLineString(token),
			parent: valueContainer.parent,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		return valueContainer.set(node);
	}
	processNumberValue(token, ctx) {
		const valueContainer = ctx.consumeValueContainer();
		const text = this.text;
		const [startRange, endRange] = token.range;
		let numberString = null;
		/**
		* Get the text of number
		*/
		const getNumberText = () => {
			return numberString ?? (numberString = text.slice(startRange, endRange).replace(/_/g, ""));
		};
		let node;
		if (token.type === "Integer") node = {
			type: "TOMLValue",
			kind: "integer",
			value: token.number,
			bigint: token.bigint,
			get number() {
				return getNumberText();
			},
			parent: valueContainer.parent,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		else node = {
			type: "TOMLValue",
			kind: "float",
			value: token.number,
			get number() {
				return getNumberText();
			},
			parent: valueContainer.parent,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		return valueContainer.set(node);
	}
	processBooleanValue(token, ctx) {
		const valueContainer = ctx.consumeValueContainer();
		const node = {
			type: "TOMLValue",
			kind: "boolean",
			value: token.boolean,
			parent: valueContainer.parent,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		return valueContainer.set(node);
	}
	processDateTimeValue(token, ctx) {
		const valueContainer = ctx.consumeValueContainer();
		const node = {
			type: "TOMLValue",
			kind: DATETIME_VALUE_KIND_MAP[token.type],
			value: token.date,
			datetime: token.value,
			parent: valueContainer.parent,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		return valueContainer.set(node);
	}
	processArray(token, ctx) {
		const valueContainer = ctx.consumeValueContainer();
		const node = {
			type: "TOMLArray",
			elements: [],
			parent: valueContainer.parent,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		const nextToken = ctx.nextToken({ valuesEnabled: true });
		if (isRightBracket(nextToken)) {
			applyEndLoc(node, nextToken);
			return valueContainer.set(node);
		}
		ctx.backToken();
		return this.processArrayValue(node, valueContainer, ctx);
	}
	processArrayValue(node, valueContainer, ctx) {
		ctx.addValueContainer({
			parent: node,
			set: (valNode) => {
				node.elements.push(valNode);
				let nextToken = ctx.nextToken({ valuesEnabled: true });
				const hasComma = isComma(nextToken);
				if (hasComma) nextToken = ctx.nextToken({ valuesEnabled: true });
				if (isRightBracket(nextToken)) {
					applyEndLoc(node, nextToken);
					return valueContainer.set(node);
				}
				if (hasComma) {
					ctx.backToken();
					return this.processArrayValue(node, valueContainer, ctx);
				}
				return ctx.reportParseError(nextToken ? "missing-comma" : "unterminated-array", nextToken);
			}
		});
		return ["VALUE"];
	}
	processInlineTable(token, ctx) {
		const valueContainer = ctx.consumeValueContainer();
		const node = {
			type: "TOMLInlineTable",
			body: [],
			parent: valueContainer.parent,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		const needSameLine = this.tomlVersion.gte(1, 1) ? void 0 : "invalid-inline-table-newline";
		const nextToken = ctx.nextToken({ needSameLine });
		if (nextToken) {
			if (isBare(nextToken) || isString(nextToken)) return this.processInlineTableKeyValue(nextToken, node, valueContainer, ctx);
			if (isRightBrace(nextToken)) {
				applyEndLoc(node, nextToken);
				return valueContainer.set(node);
			}
		}
		return ctx.reportParseError("unexpected-token", nextToken);
	}
	processInlineTableKeyValue(token, inlineTableNode, valueContainer, ctx) {
		const keyValueNode = {
			type: "TOMLKeyValue",
			key: null,
			value: null,
			parent: inlineTableNode,
			range: cloneRange(token.range),
			loc: cloneLoc(token.loc)
		};
		inlineTableNode.body.push(keyValueNode);
		const { nextToken: targetToken } = this.processKeyNode(token, keyValueNode, ctx);
		if (!isEq(targetToken)) return ctx.reportParseError("missing-equals-sign", targetToken);
		const needSameLine = this.tomlVersion.gte(1, 1) ? void 0 : "invalid-inline-table-newline";
		ctx.addValueContainer({
			parent: keyValueNode,
			set: (valNode) => {
				keyValueNode.value = valNode;
				applyEndLoc(keyValueNode, valNode);
				let nextToken = ctx.nextToken({ needSameLine });
				if (isComma(nextToken)) {
					nextToken = ctx.nextToken({ needSameLine });
					if (nextToken && (isBare(nextToken) || isString(nextToken))) return this.processInlineTableKeyValue(nextToken, inlineTableNode, valueContainer, ctx);
					if (isRightBrace(nextToken)) {
						if (this.tomlVersion.lt(1, 1)) return ctx.reportParseError("invalid-trailing-comma-in-inline-table", nextToken);
					} else return ctx.reportParseError(nextToken ? "unexpected-token" : "unterminated-inline-table", nextToken);
				}
				if (isRightBrace(nextToken)) {
					applyEndLoc(inlineTableNode, nextToken);
					return valueContainer.set(inlineTableNode);
				}
				return ctx.reportParseError(nextToken ? "missing-comma" : "unterminated-inline-table", nextToken);
			}
		});
		ctx.needSameLine = "invalid-key-value-newline";
		return ["VALUE"];
	}
};
/**
* Check whether the given token is a dot.
*/
function isDot(token) {
	return isPunctuator(token) && token.value === ".";
}
/**
* Check whether the given token is an equal sign.
*/
function isEq(token) {
	return isPunctuator(token) && token.value === "=";
}
/**
* Check whether the given token is a left bracket.
*/
function isLeftBracket(token) {
	return isPunctuator(token) && token.value === "[";
}
/**
* Check whether the given token is a right bracket.
*/
function isRightBracket(token) {
	return isPunctuator(token) && token.value === "]";
}
/**
* Check whether the given token is a left brace.
*/
function isLeftBrace(token) {
	return isPunctuator(token) && token.value === "{";
}
/**
* Check whether the given token is a right brace.
*/
function isRightBrace(token) {
	return isPunctuator(token) && token.value === "}";
}
/**
* Check whether the given token is a comma.
*/
function isComma(token) {
	return isPunctuator(token) && token.value === ",";
}
/**
* Check whether the given token is a punctuator.
*/
function isPunctuator(token) {
	return Boolean(token && token.type === "Punctuator");
}
/**
* Check whether the given token is a bare token.
*/
function isBare(token) {
	return token.type === "Bare";
}
/**
* Check whether the given token is a string.
*/
function isString(token) {
	return token.type === "BasicString" || token.type === "LiteralString";
}
/**
* Check whether the given token is a multi-line string.
*/
function isMultiLineString(token) {
	return token.type === "MultiLineBasicString" || token.type === "MultiLineLiteralString";
}
/**
* Check whether the given token is a number.
*/
function isNumber(token) {
	return token.type === "Integer" || token.type === "Float";
}
/**
* Check whether the given token is a boolean.
*/
function isBoolean(token) {
	return token.type === "Boolean";
}
/**
* Check whether the given token is a date time.
*/
function isDateTime(token) {
	return token.type === "OffsetDateTime" || token.type === "LocalDateTime" || token.type === "LocalDate" || token.type === "LocalTime";
}
/**
* Apply end locations
*/
function applyEndLoc(node, child) {
	if (child) {
		node.range[1] = child.range[1];
		node.loc.end = clonePos(child.loc.end);
	}
}
/**
* clone the location.
*/
function cloneRange(range) {
	return [range[0], range[1]];
}
/**
* clone the location.
*/
function cloneLoc(loc) {
	return {
		start: clonePos(loc.start),
		end: clonePos(loc.end)
	};
}
/**
* clone the location.
*/
function clonePos(pos) {
	return {
		line: pos.line,
		column: pos.column
	};
}
const KEYS = unionWith({
	Program: ["body"],
	TOMLTopLevelTable: ["body"],
	TOMLTable: ["key", "body"],
	TOMLKeyValue: ["key", "value"],
	TOMLKey: ["keys"],
	TOMLArray: ["elements"],
	TOMLInlineTable: ["body"],
	TOMLBare: [],
	TOMLQuoted: [],
	TOMLValue: []
});
/**
* Parse source code
*/
function parseForESLint(code, options) {
	return {
		ast: new TOMLParser(code, options).parse(),
		visitorKeys: KEYS,
		services: { isTOML: true }
	};
}
/**
* Parse TOML source code
*/
function parseTOML(code, options) {
	return parseForESLint(code, options).ast;
}
// src/inputs/toml.ts
/**
* @param file named in errors
* @throws InputError with file, line and column when the text is not TOML 1.0
*/
function parseToml(text, file) {
	const root = {
		kind: "table",
		line: 1,
		entries: /* @__PURE__ */ new Map()
	};
	for (const node of parseProgram(text, file).body[0].body) {
		if (node.type === "TOMLKeyValue") {
			addKeyValue(root, node);
			continue;
		}
		const table = openTable(root, node.resolvedKey, node.loc.start.line);
		for (const entry of node.body) addKeyValue(table, entry);
	}
	return root;
}
function parseProgram(text, file) {
	try {
		return parseTOML(text.replace(/^\uFEFF/, ""), { tomlVersion: "1.0" });
	} catch (cause) {
		if (!(cause instanceof ParseError)) throw cause;
		const message = cause.message.replace(/\.$/, "");
		const { line, column } = findPosition(cause, text);
		throw new InputError(`${file}:${line}:${column}: not TOML: ${message}`, { cause });
	}
}
/** Line and column, both from 1. The parser notices a missing value only at the start of the next line. */
function findPosition({ lineNumber, column }, text) {
	const before = text.split("\n")[lineNumber - 2]?.trimEnd();
	return column === 0 && before?.endsWith("=") ? {
		line: lineNumber - 1,
		column: before.length + 1
	} : {
		line: lineNumber,
		column: column + 1
	};
}
function addKeyValue(table, node) {
	const line = node.key.loc.start.line;
	const names = node.key.keys.map((key) => key.type === "TOMLBare" ? key.name : key.value);
	const last = names.pop() ?? "";
	openTable(table, names, line).entries.set(last, toNode(node.value, line));
}
function toNode(node, line) {
	switch (node.type) {
		case "TOMLArray": return {
			kind: "array",
			line,
			items: node.elements.map((item) => toNode(item, item.loc.start.line))
		};
		case "TOMLInlineTable": {
			const table = {
				kind: "table",
				line,
				entries: /* @__PURE__ */ new Map()
			};
			for (const entry of node.body) addKeyValue(table, entry);
			return table;
		}
		case "TOMLValue": return {
			kind: scalarKind(node.kind),
			line,
			value: node.value
		};
	}
}
function scalarKind(kind) {
	if (kind === "string" || kind === "boolean") return kind;
	return kind === "integer" || kind === "float" ? "number" : "date";
}
/** Walks to the table at `path`, making what is missing; a number in the path is an index into an array of tables. */
function openTable(root, path, line) {
	let node = root;
	path.forEach((step, index) => {
		const isArray = typeof path[index + 1] === "number";
		const make = () => isArray ? {
			kind: "array",
			line,
			items: []
		} : {
			kind: "table",
			line,
			entries: /* @__PURE__ */ new Map()
		};
		if (node.kind === "array") {
			node.items[Number(step)] ??= make();
			node = node.items[Number(step)];
		} else {
			const name = String(step);
			if (!node.entries.has(name)) node.entries.set(name, make());
			node = node.entries.get(name);
		}
	});
	return node;
}
// src/inputs/config.ts
const defaultBuildCommand = "cargo build --release && cargo bench --no-run";
const defaultLimits = {
	instructions: 0,
	verifier: 0,
	time: .05
};
/** In characters, as the agent in the guest allows: it names files. */
const maxBenchName = 100;
const defaultTimeBudgetMs = 6e5;
const laterFormats = [
	"go",
	"libtest",
	"gungraun"
];
/**
* @param text the content of bpfgate.toml
* @param file its path relative to the project, named in errors and kept in the result
* @throws InputError naming file, line and key for the first thing that is not TOML, unknown or not allowed
*/
function parseConfig(text, file) {
	const reader = new Reader(file);
	const root = parseToml(text, file);
	reader.checkKeys(root, "at the top", [
		"kernels",
		"lanes",
		"time-budget",
		"runner",
		"build",
		"bench",
		"gate"
	]);
	return {
		file,
		kernels: readKernels(root, reader),
		lanes: readLanes(root, reader),
		timeBudgetMs: readTimeBudget(root, reader),
		runner: readRunner(root, reader),
		build: readBuild(root, reader),
		benches: readBenches(root, reader),
		gate: readGate(root, reader)
	};
}
/** What to say when there is no bpfgate.toml. */
function missingConfigError(path) {
	return new InputError(`no configuration: \`${path}\` does not exist`, { hint: `create it, naming one of the project's benchmarks, for example:\n\n${minimalConfig}` });
}
function readKernels(root, reader) {
	const node = root.entries.get("kernels");
	if (node === void 0) return ["lts"];
	const selectors = reader.strings(node, "kernels", "[\"6.1\", \"6.12\"]");
	if (selectors.length === 0) throw reader.error(node, "`kernels` is empty; name at least one, such as \"6.1\", \"5.8..6.1\", \"lts\", \"latest\" or \"all\"");
	return selectors;
}
function readLanes(root, reader) {
	const node = root.entries.get("lanes");
	if (node === void 0) return defaultLanes;
	const names = reader.strings(node, "lanes", "[\"instructions\"]");
	if (names.length === 0) throw reader.error(node, `\`lanes\` is empty; allowed: ${lanes.join(", ")}`);
	return [...new Set(names.map((name) => parseLane(name, reader.where(node))))];
}
function readTimeBudget(root, reader) {
	const node = root.entries.get("time-budget");
	if (node === void 0) return defaultTimeBudgetMs;
	const budget = node.kind === "string" ? parseDuration(String(node.value)) : null;
	if (budget === null) throw reader.error(node, `\`time-budget\` is ${describe$2(node)}; allowed: ${durationExamples}`);
	return budget;
}
function readRunner(root, reader) {
	const node = root.entries.get("runner");
	const name = node === void 0 ? void 0 : reader.choice(node, "runner", runners);
	return runners.find((known) => known === name) ?? runners[0];
}
function readBuild(root, reader) {
	const table = reader.table(root.entries.get("build"), "build");
	if (table === void 0) return {
		command: defaultBuildCommand,
		where: "host",
		objects: null
	};
	reader.checkKeys(table, "in [build]", [
		"command",
		"where",
		"objects"
	]);
	const whereNode = table.entries.get("where");
	const where = whereNode === void 0 ? "host" : reader.choice(whereNode, "where", ["host", "guest"]);
	const command = table.entries.get("command");
	return {
		command: command === void 0 ? defaultBuildCommand : reader.text(command, "command", "in [build]"),
		where: where === "guest" ? "guest" : "host",
		objects: readObjects(table.entries.get("objects"), reader)
	};
}
function readObjects(node, reader) {
	if (node === void 0) return null;
	const globs = reader.strings(node, "objects", "[\"src/*.bpf.o\"]");
	if (globs.length === 0) throw reader.error(node, "`objects` is empty; name at least one, such as \"src/*.bpf.o\"");
	return globs;
}
function readBenches(root, reader) {
	const seen = /* @__PURE__ */ new Map();
	return reader.tables(root.entries.get("bench"), "bench").map((table) => {
		reader.checkKeys(table, "in [[bench]]", [
			"name",
			"command",
			"format",
			"observe",
			"profile"
		]);
		const nameNode = reader.required(table, "name", "in [[bench]]");
		const name = reader.text(nameNode, "name", "in [[bench]]");
		if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)) throw reader.error(nameNode, `\`name\` is ${quote(name)}; allowed: letters, digits, \`_\`, \`-\` and \`.\``);
		if (name.length > maxBenchName) throw reader.error(nameNode, `\`name\` has ${name.length} characters; allowed: at most ${maxBenchName}`);
		const first = seen.get(name);
		if (first !== void 0) throw reader.error(nameNode, `duplicate bench name ${quote(name)}, first used at line ${first}`);
		seen.set(name, nameNode.line);
		const observe = table.entries.get("observe");
		const profile = table.entries.get("profile");
		return {
			name,
			command: reader.text(reader.required(table, "command", "in [[bench]]"), "command", "in [[bench]]"),
			format: readFormat(table.entries.get("format"), reader),
			observe: observe === void 0 ? true : reader.boolean(observe, "observe"),
			profile: profile === void 0 ? false : reader.boolean(profile, "profile"),
			line: nameNode.line
		};
	});
}
function readFormat(node, reader) {
	if (node === void 0) return "auto";
	const name = reader.choice(node, "format", benchFormats, laterFormats);
	const format = benchFormats.find((known) => known === name);
	if (format === void 0) throw reader.unavailable(node, "format", name, benchFormats);
	return format;
}
function readGate(root, reader) {
	const table = reader.table(root.entries.get("gate"), "gate");
	if (table === void 0) return {
		limits: defaultLimits,
		overrides: []
	};
	reader.checkKeys(table, "in [gate]", [...lanes, "override"]);
	const limits = { ...defaultLimits };
	for (const lane of lanes) {
		const node = table.entries.get(lane);
		if (node !== void 0) limits[lane] = reader.limit(node, lane);
	}
	return {
		limits,
		overrides: reader.tables(table.entries.get("override"), "gate.override").map((entry) => readOverride(entry, reader))
	};
}
function readOverride(table, reader) {
	const place = "in [[gate.override]]";
	reader.checkKeys(table, place, [
		"benchmark",
		"kernel",
		"lane",
		"limit"
	]);
	const benchmark = table.entries.get("benchmark");
	const kernel = table.entries.get("kernel");
	const laneNode = table.entries.get("lane");
	if (benchmark === void 0 && kernel === void 0 && laneNode === void 0) throw reader.error(table, `no \`benchmark\`, \`kernel\` or \`lane\` ${place}; name at least one`);
	const lane = laneNode === void 0 ? void 0 : lanes.find((known) => known === reader.choice(laneNode, "lane", lanes));
	return {
		...benchmark === void 0 ? {} : { benchmark: reader.text(benchmark, "benchmark", place) },
		...kernel === void 0 ? {} : { kernel: reader.text(kernel, "kernel", place) },
		...lane === void 0 ? {} : { lane },
		limit: reader.limit(reader.required(table, "limit", place), "limit")
	};
}
/** Takes typed values out of the tree; each method throws an InputError naming file, line and key. */
var Reader = class {
	file;
	constructor(file) {
		this.file = file;
	}
	where(node) {
		return `${this.file}:${node.line}`;
	}
	error(node, message) {
		return new InputError(`${this.where(node)}: ${message}`);
	}
	unavailable(node, key, value, available) {
		const allowed = available.map(quote).join(", ");
		return this.error(node, `\`${key}\` = ${quote(value)} is not available in this version; allowed: ${allowed}`);
	}
	checkKeys(table, place, allowed) {
		for (const [key, node] of table.entries) {
			if (allowed.includes(key)) continue;
			throw this.error(node, `unknown key \`${key}\` ${place}; allowed: ${allowed.join(", ")}${suggest(key, allowed)}`);
		}
	}
	required(table, key, place) {
		const node = table.entries.get(key);
		if (node === void 0) throw this.error(table, `no \`${key}\` ${place}; it is required`);
		return node;
	}
	table(node, key) {
		if (node === void 0 || node.kind === "table") return node;
		throw this.error(node, `\`${key}\` is ${describe$2(node)}; write a table: [${key}]`);
	}
	tables(node, key) {
		if (node === void 0) return [];
		const wrong = (found) => this.error(found, `\`${key}\` is ${describe$2(found)}; write [[${key}]] before each`);
		if (node.kind !== "array") throw wrong(node);
		return node.items.map((item) => {
			if (item.kind !== "table") throw wrong(item);
			return item;
		});
	}
	/** A string that says something. */
	text(node, key, place) {
		if (node.kind !== "string") throw this.error(node, `\`${key}\` ${place} is ${describe$2(node)}; write a string`);
		const value = String(node.value);
		if (value.trim() === "") throw this.error(node, `\`${key}\` ${place} is empty`);
		return value;
	}
	strings(node, key, example) {
		if (node.kind !== "array") throw this.error(node, `\`${key}\` is ${describe$2(node)}; write a list of strings, such as ${example}`);
		return node.items.map((item) => {
			if (item.kind !== "string") throw this.error(item, `\`${key}\` holds ${describe$2(item)}; write a list of strings, such as ${example}`);
			if (String(item.value).trim() === "") throw this.error(item, `\`${key}\` holds an empty string`);
			return String(item.value);
		});
	}
	boolean(node, key) {
		if (node.kind === "boolean") return node.value === true;
		throw this.error(node, `\`${key}\` is ${describe$2(node)}; allowed: true, false`);
	}
	/** One of `allowed`, or of `known`, which the messages do not offer. */
	choice(node, key, allowed, known = []) {
		const value = node.kind === "string" ? String(node.value) : null;
		if (value !== null && (allowed.includes(value) || known.includes(value))) return value;
		const near = value === null ? "" : suggest(value, allowed);
		throw this.error(node, `\`${key}\` is ${describe$2(node)}; allowed: ${allowed.map(quote).join(", ")}${near}`);
	}
	limit(node, key) {
		const limit = node.kind === "string" ? parseLimit(String(node.value)) : null;
		if (limit === null) throw this.error(node, `\`${key}\` is ${describe$2(node)}; allowed: ${limitExamples}`);
		return limit;
	}
};
function describe$2(node) {
	switch (node.kind) {
		case "table": return "a table";
		case "array": return "a list";
		case "string": return quote(String(node.value));
		case "date": return "a date or time";
		default: return String(node.value);
	}
}
function quote(value) {
	return JSON.stringify(value);
}
// src/inputs/read-inputs.ts
const defaultOut = "bpfgate-out";
/**
* @param spell how a front spells an option, for messages: `--kernels` or `input kernels`
* @throws InputError for a folder, file or value that is not there or not allowed
*/
async function readInputs(given, spell) {
	for (const [option, value] of Object.entries(given)) if (value === "") throw new InputError(`${spell(option)} is empty`, { hint: "give a value, or leave it out" });
	const project = resolve(given.project ?? ".");
	if (!await stat(project).then((found) => found.isDirectory(), () => false)) throw new InputError(`${spell("project")}: there is no folder ${project}`, { hint: "give the path of the folder that holds bpfgate.toml" });
	const file = given.config ?? "bpfgate.toml";
	const path = join(project, file);
	if (!existsSync(path)) throw missingConfigError(path);
	const config = parseConfig(await readFile(path, "utf8").catch((cause) => {
		throw new InputError(`cannot read ${path}: ${cause.message}`, { cause });
	}), file);
	return {
		project,
		config,
		...given.base === void 0 ? {} : { base: given.base },
		...given.head === void 0 ? {} : { head: given.head },
		kernels: given.kernels === void 0 ? config.kernels : [given.kernels],
		lanes: given.lanes === void 0 ? config.lanes : parseLanes(given.lanes, spell("lanes")),
		timeBudgetMs: given.timeBudget === void 0 ? config.timeBudgetMs : readBudget(given.timeBudget, spell),
		runner: given.runner ?? config.runner,
		out: await usableFolder(resolve(given.out ?? "bpfgate-out"), spell("out"))
	};
}
function readBudget(text, spell) {
	const budget = parseDuration(text);
	if (budget === null) throw new InputError(`${spell("time-budget")}: \`${text}\` is no time; allowed: ${durationExamples}`);
	return budget;
}
/** Found out before an hour of work, not after: that the folder can be made or written. */
async function usableFolder(folder, spelled) {
	let nearest = folder;
	while (!existsSync(nearest)) nearest = dirname(nearest);
	try {
		if (!(await stat(nearest)).isDirectory()) throw new Error(`${nearest} is not a folder`);
		await access(nearest, constants.W_OK);
	} catch (cause) {
		throw new InputError(`${spelled}: cannot write to ${folder}: ${cause.message}`, {
			cause,
			hint: "give another folder"
		});
	}
	return folder;
}
// src/prerequisites/executables.ts
/** Administrators' folders, which an ordinary user's PATH often lacks; qemu-ga and depmod are there. */
const administratorFolders = [
	"/usr/local/sbin",
	"/usr/sbin",
	"/sbin"
];
/** PATH with folders put before it, and the administrators' folders after it. */
function extendPath(path, before = []) {
	const folders = (path ?? "").split(delimiter).filter((folder) => folder !== "");
	return [.../* @__PURE__ */ new Set([
		...before,
		...folders,
		...administratorFolders
	])].join(delimiter);
}
/** Absolute path of a program on `env`'s PATH or in an administrators' folder. */
async function findExecutable(name, env) {
	for (const folder of extendPath(env.PATH).split(delimiter)) {
		const path = join(folder, name);
		if (isAbsolute(path) && await isExecutable(path)) return path;
	}
}
async function isExecutable(path) {
	try {
		await access(path, constants.X_OK);
		return (await stat(path)).isFile();
	} catch {
		return false;
	}
}
/** Whether a 64-bit little-endian ELF file names no program interpreter, that is, needs no shared library. */
async function isStaticallyLinked(path) {
	const file = await open$1(path);
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
		return bytesRead >= 64 && buffer.readUInt32BE(0) === 2135247942 && !hasInterpreter(buffer.subarray(0, bytesRead));
	} finally {
		await file.close();
	}
}
/** Offsets and PT_INTERP as in elf(5); linkers put the program headers right behind the file header. */
function hasInterpreter(start) {
	const headerOffset = Number(start.readBigUInt64LE(32));
	const headerSize = start.readUInt16LE(54);
	const headers = start.readUInt16LE(56);
	for (let i = 0; i < headers; i++) {
		const offset = headerOffset + i * headerSize;
		if (offset + 4 > start.length) return false;
		if (start.readUInt32LE(offset) === 3) return true;
	}
	return false;
}
// src/prerequisites/progress.ts
/**
* Says that `title` begins and, while `work` goes on, every 15 s how long it has taken and the last line it printed.
*/
async function withProgress(log, title, work) {
	log.progress(title);
	const start = performance.now();
	let last = "";
	const timer = setInterval(() => {
		const elapsed = Math.round((performance.now() - start) / 1e3);
		log.progress(`${title}: ${elapsed} s${last === "" ? "" : `, ${last}`}`);
	}, 15e3);
	try {
		return await work((line) => {
			if (line.trim() !== "") last = line.trim().slice(0, 100);
		});
	} finally {
		clearInterval(timer);
	}
}
// src/prerequisites/apt.ts
/** The command a person can type, complete. */
function describeAptInstall(packages, isRoot) {
	return `${isRoot ? "" : "sudo "}apt-get install -y --no-install-recommends ${packages.join(" ")}`;
}
/** Program and arguments, asking nothing and waiting for another apt to end. */
function aptCommand(action, privilege) {
	const apt = [
		"DEBIAN_FRONTEND=noninteractive",
		"apt-get",
		"-o",
		"DPkg::Lock::Timeout=300",
		...action
	];
	return privilege === "root" ? ["env", ...apt] : [
		"sudo",
		"-n",
		"env",
		...apt
	];
}
function isRoot() {
	return process.geteuid?.() === 0;
}
/**
* Installs packages in one go; reads the package lists anew only when there are none or the first attempt fails.
*
* @throws MachineError naming the command to type when this user may not install, or apt fails
*/
async function installPackages(packages, options) {
	const command = describeAptInstall(packages, isRoot());
	if (await findExecutable("apt-get", options.env) === void 0) throw new MachineError(`cannot install ${packages.join(", ")}: this machine has no apt-get`, { hint: "install the packages of these names, or what your distribution calls them, then try again" });
	const privilege = await findPrivilege(options);
	if (privilege === "none") throw new MachineError(`cannot install ${packages.join(", ")}: neither root nor a sudo without password`, { hint: command });
	const install = [
		"install",
		"-y",
		"--no-install-recommends",
		...packages
	];
	let updated = false;
	if (!await hasPackageLists()) {
		await updateLists(privilege, options);
		updated = true;
	}
	const title = `installing ${packages.join(" ")}`;
	let result = await apt(install, privilege, title, options);
	if (result.exitCode !== 0 && !updated) {
		await updateLists(privilege, options);
		result = await apt(install, privilege, title, options);
	}
	if (result.exitCode !== 0) throw new MachineError(`\`${command}\` failed:\n${lastLines$1(result)}`, { hint: "mend what apt says, then try again" });
}
/** Whether apt could install the package as its lists stand. */
async function isPackageAvailable(name, env) {
	if (await findExecutable("apt-cache", env) === void 0) return false;
	const { stdout } = await run$1("apt-cache", ["policy", name], {
		env: {
			...env,
			LC_ALL: "C"
		},
		timeoutMs: 3e4
	});
	return /^ {2}Candidate: (?!\(none\))/m.test(stdout);
}
/** Those of `packages` that are not installed. */
async function findMissingPackages(packages, env) {
	if (await findExecutable("dpkg-query", env) === void 0) return [...packages];
	const { stdout } = await run$1("dpkg-query", [
		"--show",
		"--showformat=${Package} ${db:Status-Status}\n",
		...packages
	], {
		env,
		timeoutMs: 3e4
	});
	const installed = new Set(stdout.split("\n").filter((line) => line.endsWith(" installed")).map((line) => line.split(" ")[0]));
	return packages.filter((name) => !installed.has(name));
}
/** Reads the package lists when the machine has none, as fresh container images do; without the right to, does nothing. */
async function ensurePackageLists(options) {
	if (await findExecutable("apt-get", options.env) === void 0 || await hasPackageLists()) return;
	const privilege = await findPrivilege(options);
	if (privilege !== "none") await updateLists(privilege, options);
}
async function hasPackageLists() {
	return (await readdir("/var/lib/apt/lists").catch(() => [])).some((name) => /_Packages(\.\w+)?$/.test(name));
}
async function updateLists(privilege, options) {
	const result = await apt(["update"], privilege, "reading package lists", options);
	if (result.exitCode !== 0) options.log.warn(`apt-get update failed: ${lastLines$1(result)}`);
}
async function findPrivilege({ env, signal }) {
	if (isRoot()) return "root";
	if (await findExecutable("sudo", env) === void 0) return "none";
	const { exitCode } = await run$1("sudo", ["-n", "true"], {
		env,
		signal,
		timeoutMs: 1e4
	});
	return exitCode === 0 ? "sudo" : "none";
}
async function apt(action, privilege, title, { log, env, signal }) {
	const [file, ...args] = aptCommand(action, privilege);
	return await withProgress(log, title, (onLine) => run$1(file, args, {
		env,
		signal,
		timeoutMs: 18e5,
		onLine
	}));
}
function lastLines$1({ stdout, stderr }) {
	return (stderr.trim() || stdout.trim()).split("\n").slice(-10).join("\n");
}
// src/prerequisites/llvm.ts
/** Those bpf-linker 0.13.0 has a feature for, `llvm-NN`. */
const supportedMajors = [
	21,
	22,
	23
];
/** LLVM versions that bpf-linker can be built with and that read what rustc writes: not older than rustc's own. */
function usableMajors(rustcMajor) {
	return supportedMajors.filter((major) => major >= rustcMajor);
}
function llvmPackages(major) {
	return [
		`llvm-${major}-dev`,
		`libpolly-${major}-dev`,
		"zlib1g-dev",
		"libzstd-dev",
		"libxml2-dev"
	];
}
/**
* The LLVM to build bpf-linker with: LLVM_PREFIX, else one below /usr/lib, else one that apt can install.
*
* @throws MachineError naming what is needed when there is none
*/
async function chooseLlvm(rust, env) {
	const majors = usableMajors(rust.llvmMajor);
	const own = env.LLVM_PREFIX;
	if (own) {
		const major = await readMajor(own, env);
		if (major !== void 0 && majors.includes(major)) return {
			major,
			prefix: own,
			missingPackages: []
		};
	}
	const debianPrefix = (major) => `/usr/lib/llvm-${major}`;
	const hasDpkg = await findExecutable("dpkg-query", env) !== void 0;
	for (const major of majors) {
		const prefix = debianPrefix(major);
		if (await readMajor(prefix, env) !== major) continue;
		return {
			major,
			prefix,
			missingPackages: hasDpkg ? await findMissingPackages(llvmPackages(major), env) : []
		};
	}
	for (const major of majors) {
		if (!await isPackageAvailable(`llvm-${major}-dev`, env)) continue;
		return {
			major,
			prefix: debianPrefix(major),
			missingPackages: await findMissingPackages(llvmPackages(major), env)
		};
	}
	throw llvmMissing(rust);
}
function llvmMissing(rust) {
	const majors = usableMajors(rust.llvmMajor);
	const newest = supportedMajors.at(-1);
	const [first] = majors;
	if (first === void 0) return new MachineError(`rustc ${rust.version} writes LLVM ${rust.llvmMajor} code; bpf-linker reads LLVM ${newest} and older`, { hint: "use an older Rust toolchain, such as with `rustup default 1.95.0`" });
	return new MachineError(`bpf-linker needs LLVM ${majors.join(" or ")}, since rustc ${rust.version} writes LLVM ${rust.llvmMajor} code; found neither /usr/lib/llvm-${first} nor a package llvm-${first}-dev`, { hint: `install ${llvmPackages(first).join(" ")} (apt.llvm.org has them), set LLVM_PREFIX to an LLVM ${first}, or put bpf-linker 0.13 on PATH` });
}
async function readMajor(prefix, env) {
	const config = await findExecutable("llvm-config", { PATH: join(prefix, "bin") });
	if (config === void 0 || !config.startsWith(prefix)) return void 0;
	const { stdout } = await run$1(config, ["--version"], {
		env,
		timeoutMs: 3e4
	});
	const major = Number.parseInt(stdout, 10);
	return Number.isNaN(major) ? void 0 : major;
}
// src/prerequisites/versions.ts
/** The first thing in a program's output that looks like a version, `7.2.22`; undefined when there is none. */
function findVersion(output) {
	return /(?<![\d.])\d+\.\d+(?:\.\d+)?(?![\d.]*\.\d)/.exec(output)?.[0];
}
/** Whether `version` is `minimum` or newer; missing parts count as 0. */
function isAtLeast(version, minimum) {
	const have = version.split(".").map(Number);
	const want = minimum.split(".").map(Number);
	for (let i = 0; i < Math.max(have.length, want.length); i++) {
		const difference = (have[i] ?? 0) - (want[i] ?? 0);
		if (difference !== 0) return difference > 0;
	}
	return true;
}
/** Whether `version` can stand in for `pinned`: the same minor version, and not older. */
function isAdequate(version, pinned) {
	const minor = (text) => text.split(".").slice(0, 2).join(".");
	return minor(version) === minor(pinned) && isAtLeast(version, pinned);
}
// src/prerequisites/cargo-tools.ts
const kind$4 = "tools";
/** Looks on PATH, then in the cache; prefers the first that will do, else tells the first there is. */
async function findCargoTool(tool, rust, cache, env) {
	const candidates = [await findExecutable(tool.name, env)];
	for (const llvmMajor of possibleLlvms(tool, rust)) {
		const entry = findEntry(cache, kind$4, await toolKey(tool, llvmMajor));
		if (entry !== void 0) candidates.push(join(entry, "bin", tool.name));
	}
	let first;
	for (const path of candidates) {
		if (path === void 0) continue;
		const found = {
			path,
			version: await readToolVersion(path, env)
		};
		if (found.version !== void 0 && isAdequate(found.version, tool.version)) return found;
		first ??= found;
	}
	return first;
}
/**
* Builds a tool into the cache.
*
* @param llvm for bpf-linker, which is built with one
* @returns absolute path of the program
*/
async function installCargoTool(tool, llvm, options) {
	const { cache, log, signal } = options;
	const key = await toolKey(tool, llvm?.major);
	const program = join(entryPath(cache, kind$4, key), "bin", tool.name);
	if (findEntry(cache, kind$4, key) !== void 0) {
		if (await readToolVersion(program, options.env) !== void 0) return program;
		await rm(entryPath(cache, kind$4, key), {
			recursive: true,
			force: true
		});
	}
	await publishEntry(cache, kind$4, key, async (dir) => {
		const target = join(dir, "target");
		const env = {
			...withoutProjectSettings(options.env),
			CARGO_TARGET_DIR: target,
			...llvmVariables(llvm)
		};
		const args = cargoArguments(tool, dir, llvm);
		const result = await withProgress(log, `building ${tool.name} ${tool.version}`, (onLine) => run$1("cargo", args, {
			cwd: dir,
			env,
			signal,
			timeoutMs: 18e5,
			onLine
		}));
		if (result.exitCode !== 0) {
			const lines = result.stderr.trim().split("\n").slice(-15).join("\n");
			const how = result.timedOut ? "ran out of time" : "failed";
			throw new MachineError(`\`cargo ${args.join(" ")}\` ${how}:\n${lines}`, { hint: `install ${tool.name} ${tool.version} yourself and put it on PATH, or mend what cargo says` });
		}
		await rm(target, {
			recursive: true,
			force: true
		});
		if (await readToolVersion(join(dir, "bin", tool.name), env) === void 0) throw new MachineError(`${tool.name} ${tool.version} was built and does not run`);
	});
	return program;
}
/** Arguments of cargo, without the program's name. */
function cargoArguments(tool, root, llvm) {
	const features = llvm === void 0 ? [] : [
		"--no-default-features",
		"--features",
		`llvm-${llvm.major}`
	];
	return [
		"install",
		"--locked",
		"--version",
		tool.version,
		"--root",
		root,
		...features,
		tool.name
	];
}
/**
* Name of a tool's cache entry. A build is only good for the distribution it was made on, whose libraries it is
* linked with, and bpf-linker for its LLVM.
*/
async function toolKey(tool, llvmMajor) {
	const release = await readFile("/etc/os-release", "utf8").catch(() => "");
	const distribution = /^ID=.*$/m.exec(release)?.[0] ?? "";
	const distributionVersion = /^VERSION_ID=.*$/m.exec(release)?.[0] ?? "";
	const made = [
		process.arch,
		distribution,
		distributionVersion,
		llvmMajor ?? ""
	].join("\n");
	return `${tool.name}-${tool.version}-${createHash("sha256").update(made).digest("hex").slice(0, 12)}`;
}
function possibleLlvms(tool, rust) {
	if (tool.name !== "bpf-linker") return [void 0];
	return rust === void 0 ? [] : usableMajors(rust.llvmMajor);
}
function llvmVariables(llvm) {
	return llvm === void 0 ? {} : { LLVM_PREFIX: llvm.prefix };
}
/** Variables a project's build may be steered by, and a tool's must not. */
function withoutProjectSettings(env) {
	const steering = [
		"RUSTFLAGS",
		"CARGO_ENCODED_RUSTFLAGS",
		"CARGO_BUILD_TARGET",
		"CARGO_BUILD_RUSTFLAGS"
	];
	return Object.fromEntries(Object.entries(env).filter(([name]) => !steering.includes(name)));
}
async function readToolVersion(path, env) {
	try {
		const { exitCode, stdout } = await run$1(path, ["--version"], {
			env,
			timeoutMs: 3e4
		});
		return exitCode === 0 ? findVersion(stdout) : void 0;
	} catch (error) {
		if (error instanceof MachineError) return void 0;
		throw error;
	}
}
// src/prerequisites/prerequisite.ts
/**
* `vm` boots kernels, `agent` builds what runs in the guest, `example` builds the bundled example project, `kernel-build`
* compiles kernels, `virtme-ng` boots them with the runner of that name, `tests` builds the projects that bpfgate's own
* tests measure; nobody else is told of those.
*/
const prerequisiteGroups = [
	"vm",
	"agent",
	"example",
	"kernel-build",
	"virtme-ng",
	"tests"
];
/**
* Groups a machine may lack: kernels that are not fetched ready-made need the one, and have it installed; the runner
* virtme-ng needs the other.
*/
const optionalGroups = ["kernel-build", "virtme-ng"];
const program$1 = (group, name, packages, purpose, versionArguments = ["--version"]) => ({
	kind: "program",
	group,
	name,
	packages,
	purpose,
	versionArguments
});
const prerequisites = [
	program$1("vm", "qemu-system-x86_64", ["qemu-system-x86"], "run the VM"),
	program$1("vm", "qemu-ga", ["qemu-guest-agent"], "take commands in the guest, which sees the host's files"),
	{
		...program$1("vm", "busybox", ["busybox-static"], "boot into the guest", []),
		mustBeStatic: true
	},
	program$1("vm", "depmod", ["kmod"], "index kernel modules"),
	program$1("vm", "cpio", ["cpio"], "build the initramfs"),
	program$1("vm", "xz", ["xz-utils"], "unpack kernel modules"),
	program$1("vm", "zstd", ["zstd"], "unpack kernel modules"),
	program$1("vm", "dpkg-deb", ["dpkg"], "unpack pinned kernels"),
	program$1("vm", "bash", ["bash"], "start the guest"),
	program$1("vm", "setpriv", ["util-linux"], "end the guest with bpfgate"),
	program$1("vm", "flock", ["util-linux"], "build one revision at a time"),
	program$1("vm", "git", ["git"], "check out base and head"),
	{
		kind: "cargo-tool",
		group: "vm",
		name: "vmtest",
		version: "0.18.0",
		purpose: "run commands in the VM"
	},
	{
		kind: "rust",
		group: "agent",
		name: "rustc",
		minimum: "1.87",
		purpose: "build the guest agent"
	},
	{
		kind: "rust",
		group: "agent",
		name: "cargo",
		minimum: "1.87",
		purpose: "build the guest agent"
	},
	program$1("agent", "cc", ["gcc", "libc6-dev"], "link Rust programs"),
	{
		kind: "rust-src",
		group: "example",
		name: "rust-src",
		purpose: "build eBPF programs in Rust"
	},
	{
		kind: "cargo-tool",
		group: "example",
		name: "bpf-linker",
		version: "0.13.0",
		purpose: "link eBPF programs"
	},
	{
		kind: "cargo-tool",
		group: "example",
		name: "cargo-criterion",
		version: "1.1.0",
		purpose: "run the benchmarks"
	},
	program$1("kernel-build", "gcc", ["gcc", "libc6-dev"], "compile kernels"),
	program$1("kernel-build", "ld", ["binutils"], "link kernels"),
	program$1("kernel-build", "make", ["make"], "compile kernels"),
	program$1("kernel-build", "flex", ["flex"], "configure kernels"),
	program$1("kernel-build", "bison", ["bison"], "configure kernels"),
	program$1("kernel-build", "bc", ["bc"], "compile kernels"),
	program$1("kernel-build", "perl", ["perl"], "compile kernels"),
	program$1("kernel-build", "python3", ["python3-minimal"], "compile newer kernels"),
	program$1("kernel-build", "pahole", ["dwarves"], "make the type information of kernels"),
	program$1("kernel-build", "gzip", ["gzip"], "compress kernels"),
	program$1("kernel-build", "tar", ["tar"], "unpack kernel sources"),
	program$1("kernel-build", "xz", ["xz-utils"], "unpack kernel sources"),
	{
		kind: "library",
		group: "kernel-build",
		name: "libelf",
		packages: ["libelf-dev"],
		header: "gelf.h",
		purpose: "build what kernels are checked with"
	},
	program$1("virtme-ng", "python3", ["python3"], "run virtme-ng"),
	program$1("virtme-ng", "modprobe", ["kmod"], "find the modules virtme-ng boots with"),
	program$1("virtme-ng", "strings", ["binutils"], "read a kernel's version"),
	{
		kind: "python-tool",
		group: "virtme-ng",
		name: "virtme-ng",
		version: "1.42",
		sha256: "99589f1f5d74249038fe3c52aad9d3c33cb82a2d9617997511d4489fc709a707",
		program: "virtme-run",
		module: "virtme.commands.run",
		packages: ["python3-venv"],
		purpose: "boot kernels with the runner virtme-ng"
	},
	program$1("tests", "clang", ["clang"], "compile the BPF program of a test in C"),
	program$1("tests", "make", ["make"], "build the C project of a test"),
	{
		kind: "library",
		group: "tests",
		name: "libbpf",
		packages: ["libbpf-dev"],
		header: "bpf/libbpf.h",
		purpose: "build the C project of a test"
	},
	program$1("tests", "go", ["golang-go"], "build the Go project of a test", ["version"])
];
function selectPrerequisites(which) {
	return prerequisites.filter((prerequisite) => which.includes(prerequisite.group));
}
// src/prerequisites/python-tools.ts
const kind$3 = "tools";
/** Absolute path of the tool's program in the cache; undefined when it is not there or does not run. */
async function findPythonTool(tool, cache, env) {
	const entry = findEntry(cache, kind$3, pythonToolKey(tool));
	if (entry === void 0) return void 0;
	const program = join(entry, "bin", tool.program);
	return await runs(program, env) ? program : void 0;
}
/**
* Installs a tool into the cache: exactly the pinned file, without dependencies. Neither the system's Python nor the
* user's is changed, which distributions forbid (PEP 668).
*
* @throws MachineError when there is no Python of 3.10 or newer with venv, or pip fails
*/
async function installPythonTool(tool, { cache, log, env, signal }) {
	await rm(entryPath(cache, kind$3, pythonToolKey(tool)), {
		recursive: true,
		force: true
	});
	await publishEntry(cache, kind$3, pythonToolKey(tool), async (folder) => {
		const venv = join(folder, "venv");
		const requirements = join(folder, "requirements.txt");
		await writeFile(requirements, `${tool.name}==${tool.version} --hash=sha256:${tool.sha256}\n`);
		const ownEnv = {
			...env,
			PIP_USER: "0",
			PIP_DISABLE_PIP_VERSION_CHECK: "1",
			PYTHONPATH: ""
		};
		const step = (title, argv) => withProgress(log, title, async (onLine) => {
			const [file, ...args] = argv;
			const result = await run$1(file, args, {
				cwd: folder,
				env: ownEnv,
				signal,
				onLine
			});
			if (result.exitCode === 0) return;
			const said = (result.stderr.trim() || result.stdout.trim()).split("\n").slice(-10).join("\n");
			throw new MachineError(`\`${argv.join(" ")}\` ${result.timedOut ? "ran out of time" : "failed"}:\n${said}`, { hint: `mend what it says; it needs Python 3.10 or newer with venv (${tool.packages.join(", ")} on Debian)` });
		});
		await step("making a Python environment", [
			"python3",
			"-m",
			"venv",
			venv
		]);
		await step(`installing ${tool.name} ${tool.version}`, [...[
			join(venv, "bin", "python3"),
			"-m",
			"pip",
			"install",
			"--quiet",
			"--no-input",
			"--no-deps"
		], ...[
			"--only-binary",
			":all:",
			"--require-hashes",
			"--target",
			folder,
			"--requirement",
			requirements
		]]);
		await rm(venv, { recursive: true });
		await rm(join(folder, "bin"), { recursive: true });
		await mkdir(join(folder, "bin"));
		const program = join(folder, "bin", tool.program);
		await writeFile(program, pythonLauncher(tool));
		await chmod(program, 493);
		if (!await runs(program, env)) throw new MachineError(`${tool.name} ${tool.version} was installed and does not run`, { hint: `try \`python3 --version\`: it needs 3.10 or newer` });
	});
}
/** Debian splits this off Python. */
async function canMakeVenv(env) {
	return (await run$1("python3", ["-c", "import venv, ensurepip"], {
		env,
		timeoutMs: 3e4
	}).catch(() => void 0))?.exitCode === 0;
}
/** Name of the tool's cache entry: one file for every distribution and Python. */
function pythonToolKey(tool) {
	return `${tool.name}-${tool.version}-${tool.sha256.slice(0, 12)}`;
}
/** A program that finds the package beside it, and nothing in the user's or the current folder. */
function pythonLauncher({ module }) {
	return `#!/usr/bin/env python3
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
from ${module} import main

sys.exit(main())
`;
}
async function runs(program, env) {
	try {
		return (await run$1(program, ["--help"], {
			env,
			timeoutMs: 3e4
		})).exitCode === 0;
	} catch (error) {
		if (error instanceof MachineError) return false;
		throw error;
	}
}
// src/prerequisites/rust.ts
/** Reads what `rustc -vV` prints; undefined when it is not that. */
function parseRustc(output) {
	const field = (name) => new RegExp(`^${name}: (.+)$`, "m").exec(output)?.[1];
	const version = findVersion(field("release") ?? "");
	const llvmMajor = Number.parseInt(field("LLVM version") ?? "", 10);
	const host = field("host");
	if (version === void 0 || host === void 0 || Number.isNaN(llvmMajor)) return void 0;
	return {
		version,
		llvmMajor,
		host
	};
}
/** The toolchain behind `rustc`; undefined when there is none that runs. */
async function readRust(env) {
	const rustc = await findExecutable("rustc", env);
	if (rustc === void 0) return void 0;
	const about = await run$1(rustc, ["-vV"], {
		env,
		timeoutMs: 3e4
	});
	const sysroot = await run$1(rustc, ["--print", "sysroot"], {
		env,
		timeoutMs: 3e4
	});
	const parsed = parseRustc(about.stdout);
	if (about.exitCode !== 0 || sysroot.exitCode !== 0 || parsed === void 0) return void 0;
	return {
		...parsed,
		sysroot: sysroot.stdout.trim()
	};
}
/** How a person gets a new enough toolchain. */
function rustRemedy(hasRustup) {
	return hasRustup ? "rustup update stable && rustup default stable" : "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh";
}
/** @param lack what is wrong, to be read as a sentence: `rustc is older than 1.87` */
function rustMissing(lack, remedy) {
	return new MachineError(`${lack}; bpfgate does not install Rust`, { hint: remedy });
}
// src/cache/debian-package.ts
/**
* The addresses of a package, nearest first: this machine's own mirrors, then the permanent archive.
*
* @throws MachineError when there is neither
*/
async function findPackageAddresses(file, options = {}) {
	const addresses = packageAddresses(file, await readAptSites(options), permanentArchive());
	if (addresses.length > 0) return addresses;
	throw new MachineError(`there is nowhere to fetch ${basename(file.poolPath)} from: apt is configured with no mirror of ${file.archive}`, { hint: permanentArchiveHint });
}
/** @param sites the roots of the archives apt is configured with; those of other archives are passed over */
function packageAddresses(file, sites, permanent) {
	const path = file.poolPath.split("/").map(encodeURIComponent).join("/");
	return archiveRoots(file.archive, file.snapshot, sites, permanent).map((root) => `${root}/${path}`);
}
/**
* Where an archive can be had, nearest first: the sites that carry it, then the permanent archive.
*
* @param snapshot the time as of which the permanent archive is asked, `YYYYMMDDTHHMMSSZ`
* @param sites the roots of the archives apt is configured with; those of other archives are passed over
* @param permanent address of the permanent archive, if there is one
* @returns addresses without a slash at the end, each once
*/
function archiveRoots(archive, snapshot, sites, permanent) {
	const roots = sites.map((site) => site.replace(/\/+$/, "")).filter((site) => /^https?:/.test(site) && site.endsWith(`/${archive}`));
	return [.../* @__PURE__ */ new Set([...roots, ...permanent === void 0 ? [] : [`${permanent}/${archive}/${snapshot}`]])];
}
/** What to do where apt has no mirror of Debian, or where a mirror no longer has what is asked for. */
const permanentArchiveHint = "add a mirror of Debian to apt, or set BPFGATE_DEBIAN_ARCHIVE to the address of an archive that keeps every package by time, as <address>/debian/20261121T000000Z/pool/...";
/**
* The archive that keeps every file Debian published, by archive and time: BPFGATE_DEBIAN_ARCHIVE, without a slash at
* the end. Undefined when it is not set or empty.
*
* @throws InputError when it is no http or https address
*/
function permanentArchive(env = process.env) {
	const address = env.BPFGATE_DEBIAN_ARCHIVE?.replace(/\/+$/, "");
	if (address === void 0 || address === "") return void 0;
	if (/^https?:\/\/[^/]/.test(address) && URL.canParse(address)) return address;
	throw new InputError(`BPFGATE_DEBIAN_ARCHIVE is no http or https address: ${JSON.stringify(address)}`);
}
/** The roots of the archives this machine's apt is configured with; none where there is no apt. */
async function readAptSites({ signal } = {}) {
	try {
		const { stdout } = await run$1("apt-get", [
			"indextargets",
			"--format",
			"$(SITE)"
		], {
			signal,
			timeoutMs: 3e4
		});
		return stdout.split("\n").filter((line) => line !== "");
	} catch (error) {
		if (error instanceof MachineError) return [];
		throw error;
	}
}
/** Names of the files, folders and links in a package, as tar prints them: `./boot/vmlinuz-6.1.0-50-amd64`. */
async function listPackage(packageFile, options = {}) {
	return (await pipeToTar(packageFile, ["--list"], options)).split("\n").filter((line) => line !== "");
}
/** Takes out the files of these names, with everything below the folders among them. */
async function extractPackage(packageFile, names, into, options = {}) {
	await mkdir(into, { recursive: true });
	await pipeToTar(packageFile, [
		"--extract",
		"--directory",
		into,
		"--no-same-owner",
		"--no-wildcards",
		"--files-from",
		"-"
	], {
		...options,
		input: `${names.join("\n")}\n`
	});
}
async function pipeToTar(packageFile, tarArguments, { signal, input = "" }) {
	const result = await run$1("bash", [
		"-c",
		`command -v dpkg-deb >/dev/null || exit 127
set -o pipefail
exec 3<&0
package=$1
shift
dpkg-deb --fsys-tarfile "$package" | tar --file /dev/fd/4 "$@" 4<&0 <&3`,
		"bpfgate",
		packageFile,
		...tarArguments
	], {
		signal,
		input
	});
	if (result.exitCode === 0) return result.stdout;
	if (result.exitCode === 127) throw new MachineError("dpkg-deb is missing; pinned files come in Debian packages", { hint: "apt-get install dpkg, or your distribution's package of that name" });
	throw new MachineError(`unpacking \`${packageFile}\` ${result.timedOut ? "ran out of time" : `exited with ${result.exitCode ?? result.signal}`}:\n${result.stderr.trim()}`);
}
// src/cache/download.ts
/**
* Downloads `file` to `destination` from the first address that has it.
*
* An address that fails, stalls or breaks off is passed over. One that delivers something else ends the search:
* someone has to look. The destination exists afterwards only when its content is right.
*
* @throws ErrorClass when no address has it, or when one delivers another content
* @throws MachineError when the destination cannot be written
* @throws InterruptedError when `signal` aborts
*/
async function downloadVerified(file, addresses, destination, options) {
	await tryAddresses(file.name, addresses, options, async (address) => {
		try {
			await downloadFrom(address, file, destination, options);
		} catch (error) {
			await rm(destination, { force: true });
			if (options.signal?.aborted || error instanceof GateError || error instanceof SourceFailure) throw error;
			throw new MachineError(`cannot write \`${destination}\``, {
				cause: error,
				hint: "see whether its disk is full"
			});
		}
	});
}
/**
* The content of a small file from the first address that has it. Nothing about it is verified: the caller checks the
* signature it carries.
*
* @throws UnreachableClass when no address has it
* @throws ErrorClass when one sends more than `maxBytes`
* @throws InterruptedError when `signal` aborts
*/
async function downloadSmall(file, addresses, options) {
	return await tryAddresses(file.name, addresses, options, async (address) => {
		const chunks = [];
		let received = 0;
		await receive(address, options, (chunk) => {
			received += chunk.length;
			if (received > file.maxBytes) throw new options.ErrorClass(`${file.name} is too long: ${address} sends more than ${file.maxBytes} bytes`, { hint: lookHint });
			chunks.push(chunk);
		});
		return {
			content: Buffer.concat(chunks),
			address
		};
	});
}
/** One source could not deliver; the next may. */
var SourceFailure = class extends Error {};
/** What `attempt` gives for the first address at which it does not end in a SourceFailure. */
async function tryAddresses(name, addresses, { log, signal, ErrorClass, UnreachableClass = ErrorClass, unreachableHint }, attempt) {
	const failures = [];
	for (const address of addresses) try {
		return await attempt(address);
	} catch (error) {
		if (signal?.aborted) throw new InterruptedError(`fetching ${name} was interrupted`, { cause: signal.reason });
		if (!(error instanceof SourceFailure)) throw error;
		failures.push(`  ${address}: ${error.message}`);
		log.progress(`${address}: ${error.message}`);
	}
	throw new UnreachableClass(`cannot fetch ${name} from any source:\n${failures.join("\n")}`, { hint: [networkHint(process.env), unreachableHint].filter((hint) => hint !== void 0).join("; or ") });
}
async function downloadFrom(address, file, destination, options) {
	const { log, ErrorClass } = options;
	const output = await open$1(destination, "w");
	try {
		const hash = createHash("sha256");
		const showProgress = progressLines(log, file, new URL(address).host);
		const limit = "sizeBytes" in file ? file.sizeBytes : file.maxBytes;
		let received = 0;
		await receive(address, options, async (chunk) => {
			received += chunk.length;
			if (received > limit) {
				const bound = "sizeBytes" in file ? `the ${limit} bytes pinned` : `${limit} bytes`;
				throw new ErrorClass(`wrong size of ${file.name}: ${address} sends more than ${bound}`, { hint: lookHint });
			}
			hash.update(chunk);
			await output.writeFile(chunk);
			showProgress(received);
		});
		if ("sizeBytes" in file && received < file.sizeBytes) throw new SourceFailure(`broke off after ${received} of ${file.sizeBytes} bytes`);
		const sum = hash.digest("hex");
		if (sum !== file.sha256) throw new ErrorClass(`wrong SHA-256 of ${file.name}:\n  pinned:   ${file.sha256}\n  received: ${sum}\n  from:     ${address}`, { hint: lookHint });
	} finally {
		await output.close();
	}
}
/**
* Hands what an address sends to `take`, chunk by chunk.
*
* @throws SourceFailure when the network, the server or the time limit ends it; what `take` throws passes through
*/
async function receive(address, { signal, stallMs = 3e4 }, take) {
	const stall = new AbortController();
	const timer = setTimeout(() => stall.abort(), stallMs);
	const signals = signal === void 0 ? [stall.signal] : [stall.signal, signal];
	const sourceFailure = (error) => new SourceFailure(stall.signal.aborted ? `sent nothing for ${stallMs / 1e3} s` : describe$1(error));
	try {
		const response = await fetch(address, {
			signal: AbortSignal.any(signals),
			headers: { "accept-encoding": "identity" }
		}).catch((error) => {
			throw sourceFailure(error);
		});
		if (!response.ok || response.body === null) {
			await response.body?.cancel();
			throw new SourceFailure(`HTTP ${response.status}`);
		}
		const reader = response.body.getReader();
		for (;;) {
			timer.refresh();
			const { done, value } = await reader.read().catch((error) => {
				throw sourceFailure(error);
			});
			if (done) return;
			try {
				await take(value);
			} catch (error) {
				await reader.cancel();
				throw error;
			}
		}
	} finally {
		clearTimeout(timer);
	}
}
const lookHint = "do not retry blindly: find out whether the source changed the file or something rewrites downloads";
/** A line at every tenth of the file and at least every 10 s. */
const progressMs$1 = 3e3;
function progressLines(log, file, host) {
	const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
	const size = "sizeBytes" in file ? ` (${megabytes(file.sizeBytes)})` : "";
	log.progress(`fetching ${file.name}${size} from ${host}`);
	let shownAt = performance.now();
	return (received) => {
		const now = performance.now();
		if (now - shownAt < progressMs$1) return;
		shownAt = now;
		const share = "sizeBytes" in file ? `${Math.floor(100 * received / file.sizeBytes)} % of ${megabytes(file.sizeBytes)}` : megabytes(received);
		log.progress(`fetching ${file.name}: ${share}`);
	};
}
/** `fetch failed` alone says nothing; the reason is in the causes. */
function describe$1(error) {
	if (!(error instanceof Error)) return String(error);
	const cause = error.cause;
	if (!(cause instanceof Error)) return error.message;
	const code = cause.code;
	const reason = cause.message || String(code);
	return reason === error.message ? reason : `${error.message}: ${reason}`;
}
function networkHint(env) {
	const proxy = [
		"https_proxy",
		"HTTPS_PROXY",
		"http_proxy",
		"HTTP_PROXY"
	].find((name) => env[name]);
	if (proxy !== void 0 && env.NODE_USE_ENV_PROXY !== "1") return `${proxy} is set, but Node heeds it only with NODE_USE_ENV_PROXY=1 (Node 24): set that and try again`;
	return "check that this machine reaches one of these addresses, then try again";
}
// src/prerequisites/rust-src.ts
const kind$2 = "rust-src";
/** Debian's source of the same release of Rust, for machines that reach package mirrors and not rustup's server. */
const rustSrcPackages = { "1.95.0": {
	archive: "debian",
	version: "1.95.0+dfsg1-2~bpo13+1",
	poolPath: "pool/main/r/rustc/rust-src_1.95.0+dfsg1-2~bpo13+1_all.deb",
	snapshot: "20261121T000000Z",
	sha256: "7b76db5b880a77f9e52975d2baa6209d2f76d2c9c2789515c3088cb960e2c83b",
	sizeBytes: 45097356
} };
async function checkRustSrc(sysroot) {
	const path = join(sysroot, "lib", "rustlib", "src", "rust");
	const isLink = await lstat(path).then((stats) => stats.isSymbolicLink(), () => false);
	const target = isLink ? resolve(dirname(path), await readlink(path)) : null;
	if (existsSync(join(path, "library", "Cargo.lock")) || existsSync(join(path, "library", "core"))) return {
		state: "present",
		path,
		target
	};
	return {
		state: isLink ? "dangling" : "missing",
		path,
		target
	};
}
/**
* Adds the source to the toolchain: by rustup, else from Debian's package of the very same version, linked into the
* sysroot.
*
* @returns which way was used, for the log
* @throws MachineError when neither way is open, or the sysroot cannot be written
*/
async function installRustSrc(rust, options) {
	const status = await checkRustSrc(rust.sysroot);
	await makePlace(status, options.cache);
	if (await addByRustup(rust, options)) return "rustup";
	const source = rustSrcPackages[rust.version];
	if (source === void 0) throw new MachineError(`cannot add rust-src to rustc ${rust.version}: rustup failed and no package is known`, { hint: `run \`rustup component add rust-src\` where rustup reaches its server, or use rustc ${Object.keys(rustSrcPackages).join(" or ")}` });
	await link(findEntry(options.cache, kind$2, source.sha256) ?? await fetchSource(source, options), status.path);
	return "debian";
}
/** Checks that the link can be put in its place, before anything is fetched. */
async function makePlace(status, cache) {
	if (status.state === "dangling" && status.target !== null) {
		if (!!relative(join(cache.root, kind$2), status.target).startsWith("..")) throw new MachineError(`\`${status.path}\` is a link to \`${status.target}\`, which holds no Rust source`, { hint: `rm ${status.path}` });
		await rm(status.path);
	}
	const rustlib = dirname(dirname(status.path));
	const parent = existsSync(dirname(status.path)) ? dirname(status.path) : rustlib;
	await access(parent, constants.W_OK).catch((cause) => {
		throw new MachineError(`cannot add rust-src: \`${parent}\` cannot be written`, {
			cause,
			hint: "run as the user who owns the Rust toolchain, or install Rust with rustup in your own home"
		});
	});
}
async function addByRustup(rust, { log, env, signal }) {
	const rustup = await findExecutable("rustup", env);
	if (rustup === void 0) return false;
	const result = await withProgress(log, "adding rust-src with rustup", (onLine) => run$1(rustup, [
		"component",
		"add",
		"rust-src"
	], {
		env,
		signal,
		timeoutMs: 6e4,
		onLine
	}));
	if (result.exitCode === 0 && (await checkRustSrc(rust.sysroot)).state === "present") return true;
	const reason = result.timedOut ? "no answer within 60 s" : lastError(result.stderr);
	log.progress(`rustup cannot add rust-src (${reason}); taking Debian's package`);
	return false;
}
function lastError(stderr) {
	const lines = stderr.trim().split("\n");
	return (lines.find((line) => line.startsWith("error:")) ?? lines.at(-1) ?? "").replace(/^error: /, "");
}
async function fetchSource(source, { cache, log, signal }) {
	return await publishEntry(cache, kind$2, source.sha256, async (dir) => {
		const packageFile = join(dir, "package.deb");
		const file = {
			name: `rust-src ${source.version}`,
			sha256: source.sha256,
			sizeBytes: source.sizeBytes
		};
		await downloadVerified(file, await findPackageAddresses(source, { signal }), packageFile, {
			log,
			signal,
			ErrorClass: MachineError,
			unreachableHint: permanentArchiveHint
		});
		log.progress(`unpacking ${file.name}`);
		const library = (await listPackage(packageFile, { signal })).find((name) => /^\.\/usr\/src\/rustc-[^/]+\/library\/$/.test(name));
		if (library === void 0) throw new MachineError(`${file.name} holds no library folder`);
		const unpacked = join(dir, "unpacked");
		await extractPackage(packageFile, [library], unpacked, { signal });
		await rename(join(unpacked, library), join(dir, "library"));
		await rm(unpacked, { recursive: true });
		await rm(packageFile);
	});
}
/** Puts the link in place in one step; whoever made an equal one meanwhile is replaced. */
async function link(entry, path) {
	await mkdir(dirname(path), { recursive: true });
	const temporary = `${path}.${process.pid}`;
	await rm(temporary, { force: true });
	await symlink(entry, temporary);
	await rename(temporary, path);
}
// src/prerequisites/check.ts
const installCommand = "bpfgate doctor --install";
/** Looks for every prerequisite of the groups; changes nothing. */
async function checkPrerequisites(which, options) {
	const environment = options.environment ?? process.env;
	const env = {
		...environment,
		PATH: extendPath(environment.PATH)
	};
	const [rust, apt, rustup] = await Promise.all([
		readRust(env),
		findExecutable("apt-get", env),
		findExecutable("rustup", env)
	]);
	const surroundings = {
		env,
		cache: options.cache,
		rust,
		hasApt: apt !== void 0,
		hasRustup: rustup !== void 0
	};
	return await Promise.all(selectPrerequisites(which).map((prerequisite) => check(prerequisite, surroundings)));
}
function lacking(statuses) {
	return statuses.filter((status) => !status.present);
}
async function check(prerequisite, surroundings) {
	switch (prerequisite.kind) {
		case "program": return await checkProgram(prerequisite, surroundings);
		case "library": return checkLibrary(prerequisite, surroundings);
		case "rust": return await checkRust(prerequisite, surroundings);
		case "cargo-tool": return await checkCargoTool(prerequisite, surroundings);
		case "python-tool": return await checkPythonTool(prerequisite, surroundings);
		case "rust-src": return await checkSource(prerequisite, surroundings);
	}
}
async function checkProgram(prerequisite, { env, hasApt }) {
	const path = await findExecutable(prerequisite.name, env);
	const remedy = packageRemedy(prerequisite, hasApt);
	if (path === void 0) return missing(prerequisite, remedy);
	if (prerequisite.mustBeStatic && !await isStaticallyLinked(path)) return unfit(prerequisite, path, null, "is not statically linked", remedy);
	const { stdout, stderr } = await run$1(path, prerequisite.versionArguments, {
		env,
		timeoutMs: 3e4
	});
	return present(prerequisite, path, findVersion(stdout || stderr) ?? null);
}
function packageRemedy({ name, packages }, hasApt) {
	return hasApt ? describeAptInstall(packages, isRoot()) : `install \`${name}\` (${packages.join(", ")} on Debian)`;
}
/** Where compilers look without being told. */
const headerFolders = [
	"/usr/local/include",
	"/usr/include",
	"/usr/include/x86_64-linux-gnu"
];
function checkLibrary(prerequisite, { hasApt }) {
	const path = headerFolders.map((folder) => join(folder, prerequisite.header)).find((file) => existsSync(file));
	if (path === void 0) return missing(prerequisite, packageRemedy(prerequisite, hasApt));
	return present(prerequisite, path, null);
}
async function checkRust(prerequisite, { env, rust, hasRustup }) {
	const path = await findExecutable(prerequisite.name, env);
	const remedy = rustRemedy(hasRustup);
	if (path === void 0) return missing(prerequisite, remedy);
	const version = prerequisite.name === "rustc" ? rust?.version : findVersion((await run$1(path, ["--version"], {
		env,
		timeoutMs: 3e4
	})).stdout);
	if (version === void 0) return unfit(prerequisite, path, null, "does not run", remedy);
	if (isAtLeast(version, prerequisite.minimum)) return present(prerequisite, path, version);
	return unfit(prerequisite, path, version, `is older than ${prerequisite.minimum}`, remedy);
}
async function checkCargoTool(prerequisite, { env, cache, rust }) {
	const found = await findCargoTool(prerequisite, rust, cache, env);
	if (found === void 0) return missing(prerequisite, installCommand);
	const { path, version } = found;
	if (version === void 0) return unfit(prerequisite, path, null, "does not run", installCommand);
	if (isAdequate(version, prerequisite.version)) return present(prerequisite, path, version);
	return unfit(prerequisite, path, version, `is not ${prerequisite.version}`, installCommand);
}
async function checkPythonTool(prerequisite, { env, cache }) {
	const path = await findPythonTool(prerequisite, cache, env);
	if (path === void 0) return missing(prerequisite, `${installCommand} --runner ${prerequisite.name}`);
	return present(prerequisite, path, prerequisite.version);
}
async function checkSource(prerequisite, { rust }) {
	if (rust === void 0) return missing(prerequisite, installCommand);
	const { state, path, target } = await checkRustSrc(rust.sysroot);
	if (state === "present") return present(prerequisite, path, rust.version);
	if (state === "missing") return missing(prerequisite, installCommand);
	return unfit(prerequisite, path, null, `is a link to ${target}, which is gone`, `rm ${path} && ${installCommand}`);
}
function present(prerequisite, path, version) {
	return {
		prerequisite,
		present: true,
		version,
		path,
		problem: null,
		remedy: null
	};
}
function missing(prerequisite, remedy) {
	return {
		prerequisite,
		present: false,
		version: null,
		path: null,
		problem: "is missing",
		remedy
	};
}
function unfit(prerequisite, path, version, problem, remedy) {
	return {
		prerequisite,
		present: false,
		version,
		path,
		problem,
		remedy
	};
}
// src/prerequisites/prerequisites.ts
/**
* Installs what the machine lacks of the groups; on a machine that lacks nothing, installs nothing and says so.
*
* @throws MachineError naming the command to type when something cannot be installed
*/
async function installMissing(which, options) {
	const { log, cache, signal } = options;
	const env = findingEnvironment(options.environment);
	const before = await checkPrerequisites(which, {
		cache,
		environment: env
	});
	const missing = lacking(before).map((status) => status.prerequisite);
	if (missing.length === 0) {
		log.progress("nothing to install");
		return toolEnvironment(before, env);
	}
	log.progress(`to install: ${missing.map((prerequisite) => prerequisite.name).join(", ")}`);
	const rust = missing.some(({ kind }) => kind === "rust" || kind === "cargo-tool" || kind === "rust-src") ? await requireRust(env, cache) : void 0;
	const tools = missing.filter((prerequisite) => prerequisite.kind === "cargo-tool");
	let llvm;
	if (rust !== void 0 && tools.some(usesLlvm)) {
		await ensurePackageLists({
			log,
			env,
			signal
		});
		llvm = await chooseLlvm(rust, env);
	}
	const needsLinker = tools.length > 0 && await findExecutable("cc", env) === void 0;
	const hasVenv = await canMakeVenv(env);
	const packages = neededPackages(missing.filter(({ kind }) => kind !== "python-tool" || !hasVenv), llvm, needsLinker);
	if (packages.length > 0) await installPackages(packages, {
		log,
		env,
		signal
	});
	for (const tool of tools) await installCargoTool(tool, usesLlvm(tool) ? llvm : void 0, {
		cache,
		log,
		env,
		signal
	});
	for (const tool of missing) if (tool.kind === "python-tool") await installPythonTool(tool, {
		cache,
		log,
		env,
		signal
	});
	if (rust !== void 0 && missing.some((prerequisite) => prerequisite.kind === "rust-src")) {
		const way = await installRustSrc(rust, {
			cache,
			log,
			env,
			signal
		});
		log.progress(way === "rustup" ? "rust-src: added by rustup" : "rust-src: linked from Debian's package");
	}
	const after = await checkPrerequisites(which, {
		cache,
		environment: env
	});
	requirePresent(after);
	return toolEnvironment(after, env);
}
/**
* The environment of a machine that has everything of the groups already.
*
* @throws MachineError listing what is missing
*/
async function requirePrerequisites(which, options) {
	const env = findingEnvironment(options.environment);
	const statuses = await checkPrerequisites([...which, ...options.optional ?? []], {
		cache: options.cache,
		environment: env
	});
	requirePresent(statuses.filter((status) => which.includes(status.prerequisite.group)));
	return toolEnvironment(statuses, env);
}
/** Every package to install, each once, in the order of need. */
function neededPackages(missing, llvm, needsLinker) {
	const programs = missing.flatMap((prerequisite) => "packages" in prerequisite ? prerequisite.packages : []);
	return [.../* @__PURE__ */ new Set([
		...programs,
		...needsLinker ? ["gcc", "libc6-dev"] : [],
		...llvm?.missingPackages ?? []
	])];
}
function findingEnvironment(environment = process.env) {
	return {
		...environment,
		PATH: extendPath(environment.PATH)
	};
}
function usesLlvm(tool) {
	return tool.name === "bpf-linker";
}
async function requireRust(env, cache) {
	const lack = lacking(await checkPrerequisites(["agent"], {
		cache,
		environment: env
	})).find((status) => status.prerequisite.kind === "rust");
	const rust = await readRust(env);
	if (rust !== void 0 && lack === void 0) return rust;
	const hasRustup = await findExecutable("rustup", env) !== void 0;
	throw rustMissing(lack === void 0 ? "rustc does not run" : `${lack.prerequisite.name} ${lack.problem}`, lack?.remedy ?? rustRemedy(hasRustup));
}
function requirePresent(statuses) {
	const left = lacking(statuses);
	if (left.length === 0) return;
	const lines = left.map(({ prerequisite, problem, remedy }) => `  ${prerequisite.name} ${problem}: ${remedy}`);
	const required = left.some(({ prerequisite }) => !optionalGroups.includes(prerequisite.group));
	const needsRunner = left.some(({ prerequisite }) => prerequisite.group === "virtme-ng");
	const packages = neededPackages(left.map(({ prerequisite }) => prerequisite), void 0, false);
	throw new MachineError(`this machine lacks:\n${lines.join("\n")}`, { hint: needsRunner ? "bpfgate doctor --install --runner virtme-ng" : required ? "bpfgate doctor --install" : describeAptInstall(packages, isRoot()) });
}
function toolEnvironment(statuses, env) {
	const folders = statuses.flatMap(({ prerequisite, present, path }) => (prerequisite.kind === "cargo-tool" || prerequisite.kind === "python-tool") && present && path !== null ? [dirname(path)] : []);
	const versions = statuses.flatMap(({ prerequisite, present, version }) => !present || version === null ? [] : [[prerequisite.name, version]]);
	return {
		env: {
			...env,
			PATH: extendPath(env.PATH, folders)
		},
		versions: Object.fromEntries(versions)
	};
}
// node_modules/zod/v4/core/util.js
function getEnumValues(entries) {
	const numericValues = Object.values(entries).filter((v) => typeof v === "number");
	return Object.entries(entries).filter(([k, _]) => numericValues.indexOf(+k) === -1).map(([_, v]) => v);
}
function joinValues(array, separator = "|") {
	return array.map((val) => stringifyPrimitive(val)).join(separator);
}
function jsonStringifyReplacer(_, value) {
	if (typeof value === "bigint") return value.toString();
	return value;
}
var Cached = class {
	constructor(getter) {
		this._getter = getter;
		this._value = void 0;
	}
	get value() {
		const getter = this._getter;
		if (getter !== void 0) {
			this._value = getter();
			this._getter = void 0;
		}
		return this._value;
	}
};
function cached(getter) {
	return new Cached(getter);
}
function nullish(input) {
	return input === null || input === void 0;
}
function cleanRegex(source) {
	const start = source.startsWith("^") ? 1 : 0;
	const end = source.endsWith("$") ? source.length - 1 : source.length;
	return source.slice(start, end);
}
function floatSafeRemainder(val, step) {
	const ratio = val / step;
	const roundedRatio = Math.round(ratio);
	const tolerance = 4 * Number.EPSILON * Math.max(Math.abs(ratio), 1);
	if (Math.abs(ratio - roundedRatio) < tolerance) return 0;
	return ratio - roundedRatio;
}
function assignProp(target, prop, value) {
	Object.defineProperty(target, prop, {
		value,
		writable: true,
		enumerable: true,
		configurable: true
	});
}
/**
* Whichever object a def's `shape` currently answers from: the one the caller passed until the first read, the frozen copy after it.
*
* Its keys and descriptors read without invoking anything, which is what lets a discriminated union check its discriminator, and the cycle walk read a shape, without resolving a getter that references the schema being constructed. A def that answers `shape` from an accessor of its own has none.
*/
function rawShape(def) {
	const desc = Object.getOwnPropertyDescriptor(def, "shape");
	return desc?.get ? desc.get.raw : desc?.value;
}
function sourceShape(schema) {
	return rawShape(schema._zod.def) ?? schema._zod.def.shape;
}
function deferProp(target, key, getter) {
	Object.defineProperty(target, key, {
		get() {
			const value = getter();
			assignProp(this, key, value);
			return value;
		},
		enumerable: true,
		configurable: true
	});
}
function putProp(target, key, value) {
	if (key in target) assignProp(target, key, value);
	else target[key] = value;
}
/**
* Copies `keys` of `source`'s shape onto `target`, each value passed through `wrap`.
*
* A key the source has resolved is copied through now, so the derived shape states it outright and nothing has to resolve it to learn what it holds. A key the source still defers stays deferred, and reads back through the source's own `shape`, so it resolves once and both shapes get that one schema.
*/
function mirrorShape(target, source, keys, wrap) {
	const raw = sourceShape(source);
	for (const key of keys) {
		const desc = Object.getOwnPropertyDescriptor(raw, key);
		if (!desc.enumerable) continue;
		if (desc.get) deferProp(target, key, () => {
			const value = source._zod.def.shape[key];
			return wrap ? wrap(value, key) : value;
		});
		else putProp(target, key, wrap ? wrap(desc.value, key) : desc.value);
	}
}
function mirrorProps(target, source) {
	for (const key of Reflect.ownKeys(source)) {
		const desc = Object.getOwnPropertyDescriptor(source, key);
		if (!desc.enumerable) continue;
		if (desc.get) deferProp(target, key, () => source[key]);
		else putProp(target, key, desc.value);
	}
}
function mergeDefs(...defs) {
	const mergedDescriptors = {};
	for (const def of defs) {
		const descriptors = Object.getOwnPropertyDescriptors(def);
		Object.assign(mergedDescriptors, descriptors);
	}
	return Object.defineProperties({}, mergedDescriptors);
}
function esc(str) {
	return JSON.stringify(str);
}
function slugify(input) {
	return input.toLowerCase().trim().replace(/[^\w\s-]/g, "").replace(/[\s_-]+/g, "-").replace(/^-+|-+$/g, "");
}
const captureStackTrace = "captureStackTrace" in Error ? Error.captureStackTrace : (..._args) => {};
function isObject$1(data) {
	return typeof data === "object" && data !== null && !Array.isArray(data);
}
const allowsEval = /* @__PURE__*/ cached(() => {
	if (globalConfig.jitless) return false;
	if (typeof navigator !== "undefined" && navigator?.userAgent?.includes("Cloudflare")) return false;
	try {
		new Function("");
		return true;
	} catch (_) {
		return false;
	}
});
function isPlainObject(o) {
	if (isObject$1(o) === false) return false;
	const ctor = o.constructor;
	if (ctor === void 0) return true;
	if (typeof ctor !== "function") return true;
	const prot = ctor.prototype;
	if (isObject$1(prot) === false) return false;
	if (Object.prototype.hasOwnProperty.call(prot, "isPrototypeOf") === false) return false;
	return true;
}
function shallowClone(o) {
	if (isPlainObject(o)) return { ...o };
	if (Array.isArray(o)) return [...o];
	if (o instanceof Map) return new Map(o);
	if (o instanceof Set) return new Set(o);
	return o;
}
const propertyKeyTypes = /* @__PURE__*/ new Set([
	"string",
	"number",
	"symbol"
]);
function escapeRegex(str) {
	return str.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
function clone(inst, def, params) {
	const cl = new inst._zod.constr(def ?? inst._zod.def);
	if (!def || params?.parent) cl._zod.parent = inst;
	return cl;
}
function normalizeParams(_params) {
	const params = _params;
	if (!params) return {};
	if (typeof params === "string") return { error: () => params };
	if (params?.message !== void 0) {
		if (params?.error !== void 0) throw new Error("Cannot specify both `message` and `error` params");
		params.error = params.message;
	}
	delete params.message;
	if (typeof params.error === "string") return {
		...params,
		error: () => params.error
	};
	return params;
}
function stringifyPrimitive(value) {
	if (typeof value === "bigint") return value.toString() + "n";
	if (typeof value === "string") return `"${value}"`;
	return `${value}`;
}
function optionalKeys(shape) {
	return Object.keys(shape).filter((k) => {
		return shape[k]._zod.optin !== void 0 && shape[k]._zod.optout === "optional";
	});
}
const NUMBER_FORMAT_RANGES = /*@__PURE__*/ (() => ({
	safeint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
	int32: [-2147483648, 2147483647],
	uint32: [0, 4294967295],
	float32: [-34028234663852886e22, 34028234663852886e22],
	float64: [-Number.MAX_VALUE, Number.MAX_VALUE]
}))();
const BIGINT_FORMAT_RANGES = {
	int64: [/* @__PURE__*/ BigInt("-9223372036854775808"), /* @__PURE__*/ BigInt("9223372036854775807")],
	uint64: [/* @__PURE__*/ BigInt(0), /* @__PURE__*/ BigInt("18446744073709551615")]
};
function pick(schema, mask) {
	const currDef = schema._zod.def;
	const checks = currDef.checks;
	if (checks && checks.length > 0) throw new Error(".pick() cannot be used on object schemas containing refinements");
	const newShape = {};
	mirrorShape(newShape, schema, maskedKeys(schema, mask));
	return clone(schema, mergeDefs(currDef, {
		shape: newShape,
		checks: []
	}));
}
function maskedKeys(schema, mask) {
	const raw = sourceShape(schema);
	const keys = [];
	for (const key of Reflect.ownKeys(mask)) {
		if (!Object.getOwnPropertyDescriptor(raw, key)?.enumerable) throw new Error(`Unrecognized key: "${String(key)}"`);
		if (mask[key]) keys.push(key);
	}
	return keys;
}
function omit(schema, mask) {
	const currDef = schema._zod.def;
	const checks = currDef.checks;
	if (checks && checks.length > 0) throw new Error(".omit() cannot be used on object schemas containing refinements");
	const omitted = new Set(maskedKeys(schema, mask));
	const newShape = {};
	mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)).filter((key) => !omitted.has(key)));
	return clone(schema, mergeDefs(currDef, {
		shape: newShape,
		checks: []
	}));
}
function extend(schema, shape) {
	if (!isPlainObject(shape)) throw new Error("Invalid input to extend: expected a plain object");
	const checks = schema._zod.def.checks;
	if (checks && checks.length > 0) {
		const existingShape = sourceShape(schema);
		for (const key of Reflect.ownKeys(shape)) if (Object.getOwnPropertyDescriptor(existingShape, key) !== void 0) throw new Error("Cannot overwrite keys on object schemas containing refinements. Use `.safeExtend()` instead.");
	}
	return clone(schema, mergeDefs(schema._zod.def, { shape: extended(schema, shape) }));
}
function extended(schema, shape) {
	const newShape = {};
	mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)));
	mirrorProps(newShape, shape);
	return newShape;
}
function safeExtend(schema, shape) {
	if (!isPlainObject(shape)) throw new Error("Invalid input to safeExtend: expected a plain object");
	return clone(schema, mergeDefs(schema._zod.def, { shape: extended(schema, shape) }));
}
function merge(a, b) {
	if (!b?._zod?.def) throw new Error("Invalid input to merge: expected an object schema. To merge a plain shape, use `.extend()`.");
	if (a._zod.def.checks?.length) throw new Error(".merge() cannot be used on object schemas containing refinements. Use .safeExtend() instead.");
	const newShape = {};
	mirrorShape(newShape, a, Reflect.ownKeys(sourceShape(a)));
	mirrorShape(newShape, b, Reflect.ownKeys(sourceShape(b)));
	return clone(a, mergeDefs(a._zod.def, {
		shape: newShape,
		get catchall() {
			return b._zod.def.catchall;
		},
		checks: b._zod.def.checks ?? []
	}));
}
function partial(Class, schema, mask, name = "partial") {
	const checks = schema._zod.def.checks;
	if (checks && checks.length > 0) throw new Error(`.${name}() cannot be used on object schemas containing refinements`);
	const selected = mask ? new Set(maskedKeys(schema, mask)) : void 0;
	const newShape = {};
	mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)), Class && ((value, key) => selected && !selected.has(key) ? value : new Class({
		type: "optional",
		innerType: value
	})));
	return clone(schema, mergeDefs(schema._zod.def, {
		shape: newShape,
		checks: []
	}));
}
function required(Class, schema, mask) {
	const selected = mask ? new Set(maskedKeys(schema, mask)) : void 0;
	const newShape = {};
	mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)), (value, key) => selected && !selected.has(key) ? value : new Class({
		type: "nonoptional",
		innerType: value
	}));
	return clone(schema, mergeDefs(schema._zod.def, { shape: newShape }));
}
function aborted(x, startIndex = 0) {
	if (x.aborted === true) return true;
	for (let i = startIndex; i < x.issues.length; i++) if (x.issues[i]?.continue !== true) return true;
	return false;
}
function explicitlyAborted(x, startIndex = 0) {
	if (x.aborted === true) return true;
	for (let i = startIndex; i < x.issues.length; i++) if (x.issues[i]?.continue === false) return true;
	return false;
}
function prefixIssues(path, issues) {
	return issues.map((iss) => {
		var _a;
		(_a = iss).path ?? (_a.path = []);
		iss.path.unshift(path);
		return iss;
	});
}
function unwrapMessage(message) {
	return typeof message === "string" ? message : message?.message;
}
/** The leading size checks of `defChecks` that set an upper bound, each paired with it. */
function sizeCaps(defChecks) {
	const caps = [];
	for (const ch of defChecks ?? []) {
		const d = ch._zod.def;
		if (!/_(length|size)$|_equals$/.test(d.check)) break;
		const max = d.maximum ?? d.length ?? d.size;
		if (max >= 0) caps.push([max, ch]);
	}
	return caps;
}
function attachSchema(issues, start, inst) {
	var _a;
	for (let i = start; i < issues.length; i++) (_a = issues[i]).schema ?? (_a.schema = inst);
}
function finalizeIssue(iss, ctx, config) {
	var _a;
	const traits = iss.inst?._zod?.traits;
	if (traits?.has("$ZodType")) {
		if (traits.has("$ZodCheck")) (_a = iss).schema ?? (_a.schema = iss.inst);
		else iss.schema = iss.inst;
	}
	const schemaError = iss.schema !== iss.inst ? iss.schema?._zod.def?.error : void 0;
	const message = iss.message ? iss.message : unwrapMessage(iss.inst?._zod.def?.error?.(iss)) ?? unwrapMessage(schemaError?.(iss)) ?? unwrapMessage(ctx?.error?.(iss)) ?? unwrapMessage(config.customError?.(iss)) ?? unwrapMessage(config.localeError?.(iss)) ?? "Invalid input";
	const full = {};
	for (const k of Object.keys(iss)) {
		if (k === "inst" || k === "schema" || k === "continue" || k === "input" || k === "__proto__") continue;
		full[k] = iss[k];
	}
	full.path ?? (full.path = []);
	full.message = message;
	if (ctx?.reportInput) full.input = iss.input;
	return full;
}
const highSurrogate = /[\uD800-\uDBFF]/;
function codePointLength(str) {
	const units = str.length;
	if (!highSurrogate.test(str)) return units;
	let count = units;
	for (let i = 0; i < units - 1; i++) if ((str.charCodeAt(i) & 64512) === 55296 && (str.charCodeAt(i + 1) & 64512) === 56320) {
		count--;
		i++;
	}
	return count;
}
function getLengthableOrigin(input) {
	if (Array.isArray(input)) return "array";
	if (typeof input === "string") return "string";
	return "unknown";
}
function parsedType(data) {
	const t = typeof data;
	switch (t) {
		case "number": return Number.isNaN(data) ? "nan" : "number";
		case "object": {
			if (data === null) return "null";
			if (Array.isArray(data)) return "array";
			const obj = data;
			if (obj && Object.getPrototypeOf(obj) !== Object.prototype && "constructor" in obj && obj.constructor) return obj.constructor.name;
		}
	}
	return t;
}
function issue(...args) {
	const [iss, input, inst] = args;
	if (typeof iss === "string") return {
		message: iss,
		code: "custom",
		input,
		inst
	};
	return { ...iss };
}
/**
* Installs a trait's members on its prototype. Each value builds that member for the instance on first read; the built value shadows the accessor as an own property, so a detached `const { parse } = schema` keeps working.
*
* Call this from a `proto` initializer, which runs once per prototype — never per instance.
*/
function members(proto, table) {
	for (const key in table) {
		const desc = Object.getOwnPropertyDescriptor(table, key);
		if (desc.get) Object.defineProperty(proto, key, {
			...desc,
			enumerable: false
		});
		else defineBound(proto, key, desc.value);
	}
}
/** Shadows a prototype member with an own value, so a getter that builds from the instance runs once. */
function own$1(inst, key, value, enumerable = true) {
	Object.defineProperty(inst, key, {
		configurable: true,
		writable: true,
		enumerable,
		value
	});
	return value;
}
/** Like {@link own}, for a member that was never an own data property and has to stay out of `Object.keys`. */
function hide(inst, key, value) {
	return own$1(inst, key, value, false);
}
/** Adds members a table derives from the instance: each builds on first read and shadows as own data, and assignment shadows the same way, as when these were own properties. */
/* @__NO_SIDE_EFFECTS__ */
function derived(computes, table) {
	for (const key in computes) {
		const compute = computes[key];
		Object.defineProperty(table, key, {
			configurable: true,
			enumerable: true,
			get() {
				return own$1(this, key, compute(this));
			},
			set(value) {
				own$1(this, key, value);
			}
		});
	}
	return table;
}
function defineBound(proto, key, fn) {
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			return this == null ? fn : own$1(this, key, fn.bind(this));
		},
		set(value) {
			own$1(this, key, value);
		}
	});
}
/** Returns the prototype to install on, or `undefined` if this group is already installed on it. */
function claim(inst, sentinel) {
	const proto = Object.getPrototypeOf(inst);
	return sentinel in proto ? void 0 : proto;
}
let installing;
let broke = false;
const breaker = {
	configurable: true,
	get() {
		broke = true;
	}
};
/**
* Installs a lazily-derived internal on the `_zod` prototype of `inst`'s
* constructor, computed from the internals object itself and cached there on
* first read. One accessor per constructor rather than one per instance.
*/
function defineLazyInternal(inst, key, compute) {
	const proto = Object.getPrototypeOf(inst._zod);
	if (key in proto && installing !== inst._zod) {
		installing = void 0;
		return;
	}
	installing = inst._zod;
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			Object.defineProperty(this, key, breaker);
			const outer = broke;
			broke = false;
			try {
				const value = compute(this);
				if (broke) delete this[key];
				else Object.defineProperty(this, key, {
					configurable: true,
					writable: true,
					value
				});
				broke = broke || outer;
				return value;
			} catch (err) {
				delete this[key];
				broke = broke || outer;
				throw err;
			}
		},
		set(value) {
			Object.defineProperty(this, key, {
				configurable: true,
				writable: true,
				value
			});
		}
	});
}
/**
* Installs `key` on `inst`'s prototype, computed by `make` on first read and cached there as an own
* data property. One accessor per constructor rather than one per instance, because an own accessor
* puts every instance after the first into v8 dictionary mode. The key doubles as the sentinel.
*/
function installLazyProp(inst, key, make, enumerable) {
	const proto = claim(inst, key);
	if (!proto) return;
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			const desc = {
				configurable: true,
				writable: true,
				enumerable,
				value: void 0
			};
			Object.defineProperty(this, key, desc);
			desc.value = make(this);
			Object.defineProperty(this, key, desc);
			return desc.value;
		},
		set(value) {
			Object.defineProperty(this, key, {
				configurable: true,
				writable: true,
				enumerable,
				value
			});
		}
	});
}
/** Marks the thunk `_catch` synthesises for a constant catch value. `Function.length` cannot tell that thunk from a user callback — rest and defaulted parameters both report arity 0 — and a user callback reads `ctx.error`, whose issues only finalize correctly against the caller's per-parse error map. Provenance can say what arity cannot. A plain string key rather than `Symbol.for`, whose call at module scope no bundler can prove pure — the same shape that anchored `urlCanParse` into every build. */
const CONSTANT_CATCH = "~constantCatch";
/** Wraps a constant catch value in a thunk tagged with {@link CONSTANT_CATCH}. */
function constantCatch(value) {
	const fn = () => value;
	fn[CONSTANT_CATCH] = true;
	return fn;
}
// node_modules/zod/v4/core/core.js
var _a$1;
/** A special constant with type `never` */
const NEVER = /*@__PURE__*/ Object.freeze({ status: "aborted" });
const _zodDesc = {
	value: void 0,
	enumerable: false
};
let _E = "captureStackTrace" in Error ? Error : null;
function newError(Definition) {
	const E = _E;
	if (E) {
		const saved = E.stackTraceLimit;
		if (typeof saved === "number") {
			try {
				E.stackTraceLimit = 0;
			} catch {
				_E = null;
				return new Definition();
			}
			try {
				return new Definition();
			} finally {
				E.stackTraceLimit = saved;
			}
		}
	}
	return new Definition();
}
/* @__NO_SIDE_EFFECTS__ */
function $constructor(name, initializer, proto, params) {
	const zodProto = {};
	function Internals(def) {
		this.def = def;
		this.constr = _;
		this.traits = /* @__PURE__ */ new Set();
	}
	Internals.prototype = zodProto;
	const protoMembers = proto;
	const initialized = protoMembers && /* @__PURE__ */ new WeakSet();
	function init(inst, def) {
		if (!inst._zod) {
			_zodDesc.value = new Internals(def);
			try {
				Object.defineProperty(inst, "_zod", _zodDesc);
			} finally {
				_zodDesc.value = void 0;
			}
		} else if (inst._zod.traits.has(name)) return;
		inst._zod.traits.add(name);
		initializer(inst, def);
		if (initialized) {
			const own = Object.getPrototypeOf(inst);
			const ctorProto = inst._zod.constr.prototype;
			let up = own;
			while (up && up !== ctorProto) up = Object.getPrototypeOf(up);
			const target = up ?? own;
			if (!initialized.has(target)) {
				initialized.add(target);
				members(target, protoMembers);
			}
		}
		const proto = _.prototype;
		for (const k in proto) {
			if (!Object.prototype.hasOwnProperty.call(proto, k)) continue;
			if (!(k in inst)) inst[k] = proto[k].bind(inst);
		}
	}
	const Parent = params?.Parent ?? Object;
	class Definition extends Parent {}
	Object.defineProperty(Definition, "name", { value: name });
	function _(def) {
		const inst = params?.Parent ? newError(Definition) : this;
		init(inst, def);
		const deferred = inst._zod.deferred;
		if (deferred) {
			for (const fn of deferred) fn();
			inst._zod.deferred = void 0;
		}
		const pp = globalThis.__zod_globalConfig?.postProcessor;
		if (pp) pp(inst);
		return inst;
	}
	Object.defineProperty(_, "init", { value: init });
	Object.defineProperty(_, Symbol.hasInstance, { value: (inst) => {
		if (params?.Parent && inst instanceof params.Parent) return true;
		return inst?._zod?.traits?.has(name);
	} });
	Object.defineProperty(_, "name", { value: name });
	return _;
}
var $ZodAsyncError = class extends Error {
	constructor() {
		super(`Encountered Promise during synchronous parse. Use .parseAsync() instead.`);
	}
};
var $ZodEncodeError = class extends Error {
	constructor(name) {
		super(`Encountered unidirectional transform during encode: ${name}`);
		this.name = "ZodEncodeError";
	}
};
(_a$1 = globalThis).__zod_globalConfig ?? (_a$1.__zod_globalConfig = {});
const globalConfig = globalThis.__zod_globalConfig;
function config(newConfig) {
	if (newConfig) Object.assign(globalConfig, newConfig);
	return globalConfig;
}
// node_modules/zod/v4/core/errors.js
function _getMessage() {
	const internals = this._zod;
	internals.message ?? (internals.message = JSON.stringify(internals.def, jsonStringifyReplacer, 2));
	return internals.message;
}
function _setMessage(value) {
	this._zod.message = value;
}
const _messageDesc = {
	get: _getMessage,
	set: _setMessage,
	enumerable: true,
	configurable: true
};
const _issuesDesc = {
	value: void 0,
	enumerable: false
};
const _installedToString = /* @__PURE__ */ new WeakSet([Object.prototype, Error.prototype]);
const initializer$1 = (inst, def) => {
	inst.name = "$ZodError";
	_issuesDesc.value = def;
	Object.defineProperty(inst, "issues", _issuesDesc);
	_issuesDesc.value = void 0;
	Object.defineProperty(inst, "message", _messageDesc);
	const proto = Object.getPrototypeOf(inst);
	if (!_installedToString.has(proto)) {
		_installedToString.add(proto);
		Object.defineProperty(proto, "toString", {
			configurable: true,
			enumerable: false,
			get() {
				const value = () => this.message;
				Object.defineProperty(this, "toString", {
					value,
					configurable: true,
					writable: true
				});
				return value;
			},
			set(value) {
				Object.defineProperty(this, "toString", {
					value,
					configurable: true,
					writable: true
				});
			}
		});
	}
};
const $ZodError = /* @__PURE__ */ $constructor("$ZodError", initializer$1);
/** Get-or-create `obj[key]` as an own data property. A path segment naming an inherited member
* ("toString", "constructor") would otherwise read through to the prototype, and assigning
* "__proto__" would hit the setter instead of creating a key. */
function node(obj, key, make) {
	if (!Object.prototype.hasOwnProperty.call(obj, key)) {
		if (key === "__proto__") Object.defineProperty(obj, key, {
			value: make(),
			writable: true,
			enumerable: true,
			configurable: true
		});
		else obj[key] = make();
	}
	return obj[key];
}
function flattenError(error, mapper = (issue) => issue.message) {
	const fieldErrors = {};
	const formErrors = [];
	for (const sub of error.issues) if (sub.path.length > 0) node(fieldErrors, sub.path[0], () => []).push(mapper(sub));
	else formErrors.push(mapper(sub));
	return {
		formErrors,
		fieldErrors
	};
}
function formatError(error, mapper = (issue) => issue.message) {
	const fieldErrors = { _errors: [] };
	const processError = (error, path = []) => {
		for (const issue of error.issues) if (issue.code === "invalid_union" && issue.errors.length) issue.errors.map((issues) => processError({ issues }, [...path, ...issue.path]));
		else if (issue.code === "invalid_key") processError({ issues: issue.issues }, [...path, ...issue.path]);
		else if (issue.code === "invalid_element") processError({ issues: issue.issues }, [...path, ...issue.path]);
		else {
			const fullpath = [...path, ...issue.path];
			if (fullpath.length === 0) fieldErrors._errors.push(mapper(issue));
			else {
				let curr = fieldErrors;
				let i = 0;
				while (i < fullpath.length) {
					const el = fullpath[i];
					const terminal = i === fullpath.length - 1;
					if (el === "_errors") {
						if (terminal) curr._errors.push(mapper(issue));
						i++;
						continue;
					}
					if (!Object.prototype.hasOwnProperty.call(curr, el)) Object.defineProperty(curr, el, {
						value: { _errors: [] },
						enumerable: true,
						writable: true,
						configurable: true
					});
					const node = curr[el];
					if (terminal) node._errors.push(mapper(issue));
					curr = node;
					i++;
				}
			}
		}
	};
	processError(error);
	return fieldErrors;
}
/** Format a ZodError as a human-readable string in the following form.
*
* From
*
* ```ts
* ZodError {
*   issues: [
*     {
*       expected: 'string',
*       code: 'invalid_type',
*       path: [ 'username' ],
*       message: 'Invalid input: expected string'
*     },
*     {
*       expected: 'number',
*       code: 'invalid_type',
*       path: [ 'favoriteNumbers', 1 ],
*       message: 'Invalid input: expected number'
*     }
*   ];
* }
* ```
*
* to
*
* ```
* username
*   ✖ Expected number, received string at "username
* favoriteNumbers[0]
*   ✖ Invalid input: expected number
* ```
*/
function toDotPath(_path) {
	const segs = [];
	const path = _path.map((seg) => typeof seg === "object" ? seg.key : seg);
	for (const seg of path) if (typeof seg === "number") segs.push(`[${seg}]`);
	else if (typeof seg === "symbol") segs.push(`[${JSON.stringify(String(seg))}]`);
	else if (/[^\w$]/.test(seg)) segs.push(`[${JSON.stringify(seg)}]`);
	else {
		if (segs.length) segs.push(".");
		segs.push(seg);
	}
	return segs.join("");
}
function prettifyError(error) {
	const lines = [];
	const issues = [...error.issues].sort((a, b) => (a.path ?? []).length - (b.path ?? []).length);
	for (const issue of issues) {
		lines.push(`✖ ${issue.message}`);
		if (issue.path?.length) lines.push(`  → at ${toDotPath(issue.path)}`);
	}
	return lines.join("\n");
}
// node_modules/zod/v4/core/parse.js
function finalizeParams(callee, params) {
	return {
		callee: params?.callee ?? callee,
		Err: params?.Err
	};
}
const _parse = (_Err) => {
	const fn = (schema, value, _ctx, _params) => {
		const ctx = _ctx ? {
			..._ctx,
			async: false
		} : { async: false };
		const result = schema._zod.run({
			value,
			issues: []
		}, ctx);
		if (result instanceof Promise) throw new $ZodAsyncError();
		if (result.issues.length) {
			const e = new ((_params?.Err) ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
			captureStackTrace(e, _params?.callee ?? fn);
			throw e;
		}
		return result.value;
	};
	return fn;
};
const _parseAsync = (_Err) => {
	const fn = async (schema, value, _ctx, params) => {
		const ctx = _ctx ? {
			..._ctx,
			async: true
		} : { async: true };
		let result = schema._zod.run({
			value,
			issues: []
		}, ctx);
		if (result instanceof Promise) result = await result;
		if (result.issues.length) {
			const e = new ((params?.Err) ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
			captureStackTrace(e, params?.callee ?? fn);
			throw e;
		}
		return result.value;
	};
	return fn;
};
const _safeParse = (_Err) => (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		async: false
	} : { async: false };
	const result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) throw new $ZodAsyncError();
	return result.issues.length ? failure$1(_Err, result.issues, ctx) : {
		success: true,
		data: result.value
	};
};
function failure$1(Err, issues, ctx) {
	let error;
	return {
		success: false,
		get error() {
			if (!error) {
				error = new Err(issues.map((iss) => finalizeIssue(iss, ctx, config())));
				issues = void 0;
				ctx = void 0;
			}
			return error;
		},
		set error(e) {
			error = e;
			issues = void 0;
			ctx = void 0;
		}
	};
}
const _safeParseAsync = (_Err) => async (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		async: true
	} : { async: true };
	let result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) result = await result;
	return result.issues.length ? failure$1(_Err, result.issues, ctx) : {
		success: true,
		data: result.value
	};
};
const COMPILE_INVALID = /* @__PURE__ */ Symbol.for("zod.compile.invalid");
const COMPILE_FALLBACK = /* @__PURE__ */ Symbol.for("zod.compile.fallback");
const validate = ((schema, value, _ctx) => {
	const validator = schema._zod.bag.validator;
	if (validator !== void 0) {
		if (validator(value) !== COMPILE_INVALID) return true;
		if (validator.definite === true && _ctx === void 0) return false;
	}
	return validateFallback(schema, value, _ctx);
});
function validateFallback(schema, value, _ctx) {
	const ctx = _ctx ? {
		..._ctx,
		async: false,
		abortEarly: true
	} : {
		async: false,
		abortEarly: true
	};
	const fallbackRun = schema._zod.bag.fallbackRun;
	let result;
	if (fallbackRun) {
		ctx[COMPILE_FALLBACK] = true;
		result = fallbackRun({
			value,
			issues: []
		}, ctx);
	} else result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) throw new $ZodAsyncError();
	return result.issues.length === 0;
}
const validateAsync$1 = async (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		async: true,
		abortEarly: true
	} : {
		async: true,
		abortEarly: true
	};
	let result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) result = await result;
	return result.issues.length === 0;
};
const _encode = (_Err) => {
	const parse = _parse(_Err);
	const fn = (schema, value, _ctx, _params) => {
		const ctx = _ctx ? {
			..._ctx,
			direction: "backward"
		} : { direction: "backward" };
		return parse(schema, value, ctx, finalizeParams(fn, _params));
	};
	return fn;
};
const _decode = (_Err) => {
	const parse = _parse(_Err);
	const fn = (schema, value, _ctx, _params) => {
		return parse(schema, value, _ctx, finalizeParams(fn, _params));
	};
	return fn;
};
const _encodeAsync = (_Err) => {
	const parseAsync = _parseAsync(_Err);
	const fn = async (schema, value, _ctx, _params) => {
		const ctx = _ctx ? {
			..._ctx,
			direction: "backward"
		} : { direction: "backward" };
		return await parseAsync(schema, value, ctx, finalizeParams(fn, _params));
	};
	return fn;
};
const _decodeAsync = (_Err) => {
	const parseAsync = _parseAsync(_Err);
	const fn = async (schema, value, _ctx, _params) => {
		return await parseAsync(schema, value, _ctx, finalizeParams(fn, _params));
	};
	return fn;
};
const _safeEncode = (_Err) => (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		direction: "backward"
	} : { direction: "backward" };
	return _safeParse(_Err)(schema, value, ctx);
};
const _safeDecode = (_Err) => (schema, value, _ctx) => {
	return _safeParse(_Err)(schema, value, _ctx);
};
const _safeEncodeAsync = (_Err) => async (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		direction: "backward"
	} : { direction: "backward" };
	return _safeParseAsync(_Err)(schema, value, ctx);
};
const _safeDecodeAsync = (_Err) => async (schema, value, _ctx) => {
	return _safeParseAsync(_Err)(schema, value, _ctx);
};
// node_modules/zod/v4/core/regexes.js
/**
* @deprecated CUID v1 is deprecated by its authors due to information leakage
* (timestamps embedded in the id). Use {@link cuid2} instead.
* See https://github.com/paralleldrive/cuid.
*/
const cuid = /^[cC][0-9a-z]{6,}$/;
const cuid2 = /^[0-9a-z]+$/;
const ulid = /^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$/;
const xid = /^[0-9a-vA-V]{20}$/;
const ksuid = /^[A-Za-z0-9]{27}$/;
const nanoid = /^[a-zA-Z0-9_-]{21}$/;
function nanoidOfLength(length) {
	return new RegExp(`^[a-zA-Z0-9_-]{${length}}$`);
}
/** ISO 8601-1 duration regex. Does not support the 8601-2 extensions like negative durations or fractional/negative components. */
const duration = /^P(?:(\d+W)|(?!.*W)(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$/;
/** A regex for any UUID-like identifier: 8-4-4-4-12 hex pattern */
const guid = /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$/;
/** Returns a regex for validating an RFC 9562/4122 UUID.
*
* @param version Optionally specify a version 1-8. If no version is specified, all versions are supported. */
const uuid = (version) => {
	if (!version) return /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$/;
	return new RegExp(`^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-${version}[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12})$`);
};
/** Practical email validation */
const email = /^(?:[A-Za-z0-9_'+\-]+\.)*[A-Za-z0-9_'+\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$/;
const _emoji$1 = `^(?=[\\s\\S]*[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\u20E3])[\\p{Extended_Pictographic}\\p{Emoji_Component}]+$`;
function emoji() {
	return new RegExp(_emoji$1, "u");
}
const ipv4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])$/;
const ipv6 = /^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,5}(:[0-9a-fA-F]{1,4}){1,2}|([0-9a-fA-F]{1,4}:){1,4}(:[0-9a-fA-F]{1,4}){1,3}|([0-9a-fA-F]{1,4}:){1,3}(:[0-9a-fA-F]{1,4}){1,4}|([0-9a-fA-F]{1,4}:){1,2}(:[0-9a-fA-F]{1,4}){1,5}|[0-9a-fA-F]{1,4}:((:[0-9a-fA-F]{1,4}){1,6})|:((:[0-9a-fA-F]{1,4}){1,7}|:))$/;
const cidrv4 = /^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\/([0-9]|[1-2][0-9]|3[0-2])$/;
const cidrv6 = /^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,5}(:[0-9a-fA-F]{1,4}){1,2}|([0-9a-fA-F]{1,4}:){1,4}(:[0-9a-fA-F]{1,4}){1,3}|([0-9a-fA-F]{1,4}:){1,3}(:[0-9a-fA-F]{1,4}){1,4}|([0-9a-fA-F]{1,4}:){1,2}(:[0-9a-fA-F]{1,4}){1,5}|[0-9a-fA-F]{1,4}:((:[0-9a-fA-F]{1,4}){1,6})|:((:[0-9a-fA-F]{1,4}){1,7}|:))\/(12[0-8]|1[01][0-9]|[1-9]?[0-9])$/;
const base64 = /^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?$/;
const base64url = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$/;
const httpProtocol = /^https?$/;
const e164 = /^\+[1-9]\d{6,14}$/;
const dateSource = `(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:02)-(?:0[1-9]|1\\d|2[0-8])))`;
/** Anchors a pattern source. The interpolation lives here rather than at the call site because
* esbuild will not drop a `@__PURE__` call whose own argument interpolates a variable, but it
* will drop `anchor(dateSource)`. Keeping it inline pinned `date` into every bundle. */
function anchor(source) {
	return new RegExp(`^${source}$`);
}
const date = /*@__PURE__*/ anchor(dateSource);
function timeSource(args) {
	const hhmm = `(?:[01]\\d|2[0-3]):[0-5]\\d`;
	return typeof args.precision === "number" ? args.precision === -1 ? `${hhmm}` : args.precision === 0 ? `${hhmm}:[0-5]\\d` : `${hhmm}:[0-5]\\d\\.\\d{${args.precision}}` : args.seconds ? `${hhmm}:[0-5]\\d(?:\\.\\d+)?` : `${hhmm}(?::[0-5]\\d(?:\\.\\d+)?)?`;
}
function time(args) {
	return new RegExp(`^${timeSource(args)}$`);
}
function datetime(args) {
	const opts = ["Z"];
	if (args.offset) opts.push(`([+-](?:[01]\\d|2[0-3]):[0-5]\\d)`);
	const qualified = `${timeSource({
		precision: args.precision,
		seconds: true
	})}(?:${opts.join("|")})`;
	const timeRegex = args.local ? `${qualified}|${timeSource({ precision: args.precision })}` : qualified;
	return new RegExp(`^${dateSource}T(?:${timeRegex})$`);
}
const anyString = /^[\s\S]{0,}$/;
const integer = /^-?\d+$/;
const number$1 = /^-?\d+(?:\.\d+)?$/;
const boolean$1 = /^(?:true|false)$/i;
const lowercase = /^[^A-Z]*$/;
const uppercase = /^[^a-z]*$/;
// node_modules/zod/v4/core/checks.js
const $ZodCheck = /*@__PURE__*/ $constructor("$ZodCheck", (inst, def) => {
	var _a;
	inst._zod ?? (inst._zod = {});
	inst._zod.def = def;
	(_a = inst._zod).onattach ?? (_a.onattach = []);
});
/** Default `when` for length-based checks: run only on non-nullish values with a `length`. */
const _whenHasLength = (payload) => {
	const val = payload.value;
	return !nullish(val) && val.length !== void 0;
};
const numericOriginMap = {
	number: "number",
	bigint: "bigint",
	object: "date"
};
const $ZodCheckLessThan = /*@__PURE__*/ $constructor("$ZodCheckLessThan", (inst, def) => {
	$ZodCheck.init(inst, def);
	const origin = numericOriginMap[typeof def.value];
	inst._zod.check = (payload) => {
		if (def.inclusive ? payload.value <= def.value : payload.value < def.value) return;
		payload.issues.push({
			origin: numericOriginMap[typeof payload.value] ?? origin,
			code: "too_big",
			maximum: typeof def.value === "object" ? def.value.getTime() : def.value,
			input: payload.value,
			inclusive: def.inclusive,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCheckGreaterThan = /*@__PURE__*/ $constructor("$ZodCheckGreaterThan", (inst, def) => {
	$ZodCheck.init(inst, def);
	const origin = numericOriginMap[typeof def.value];
	inst._zod.check = (payload) => {
		if (def.inclusive ? payload.value >= def.value : payload.value > def.value) return;
		payload.issues.push({
			origin: numericOriginMap[typeof payload.value] ?? origin,
			code: "too_small",
			minimum: typeof def.value === "object" ? def.value.getTime() : def.value,
			input: payload.value,
			inclusive: def.inclusive,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCheckMultipleOf = /*@__PURE__*/ $constructor("$ZodCheckMultipleOf", (inst, def) => {
	$ZodCheck.init(inst, def);
	inst._zod.check = (payload) => {
		if (typeof payload.value !== typeof def.value) throw new Error("Cannot mix number and bigint in multiple_of check.");
		if (typeof payload.value === "bigint" ? def.value !== BigInt(0) && payload.value % def.value === BigInt(0) : floatSafeRemainder(payload.value, def.value) === 0) return;
		payload.issues.push({
			origin: typeof payload.value,
			code: "not_multiple_of",
			divisor: def.value,
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCheckNumberFormat = /*@__PURE__*/ $constructor("$ZodCheckNumberFormat", (inst, def) => {
	$ZodCheck.init(inst, def);
	def.format = def.format || "float64";
	const isInt = def.format?.includes("int");
	const origin = isInt ? "int" : "number";
	const [minimum, maximum] = NUMBER_FORMAT_RANGES[def.format];
	inst._zod.check = (payload) => {
		const input = payload.value;
		if (isInt) {
			if (!Number.isInteger(input)) {
				payload.issues.push({
					expected: origin,
					format: def.format,
					code: "invalid_type",
					continue: false,
					input,
					inst
				});
				return;
			}
			if (!Number.isSafeInteger(input)) {
				if (input > 0) payload.issues.push({
					input,
					code: "too_big",
					maximum: Number.MAX_SAFE_INTEGER,
					note: "Integers must be within the safe integer range.",
					inst,
					origin,
					inclusive: true,
					continue: !def.abort
				});
				else payload.issues.push({
					input,
					code: "too_small",
					minimum: Number.MIN_SAFE_INTEGER,
					note: "Integers must be within the safe integer range.",
					inst,
					origin,
					inclusive: true,
					continue: !def.abort
				});
				return;
			}
		}
		if (input < minimum) payload.issues.push({
			origin: "number",
			input,
			code: "too_small",
			minimum,
			inclusive: true,
			inst,
			continue: !def.abort
		});
		if (input > maximum) payload.issues.push({
			origin: "number",
			input,
			code: "too_big",
			maximum,
			inclusive: true,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCheckMaxLength = /*@__PURE__*/ $constructor("$ZodCheckMaxLength", (inst, def) => {
	var _a;
	$ZodCheck.init(inst, def);
	(_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
	inst._zod.check = (payload) => {
		const input = payload.value;
		const units = input.length;
		if ((typeof input === "string" && units > def.maximum ? codePointLength(input) : units) <= def.maximum) return;
		const origin = getLengthableOrigin(input);
		payload.issues.push({
			origin,
			code: "too_big",
			maximum: def.maximum,
			inclusive: true,
			input,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCheckMinLength = /*@__PURE__*/ $constructor("$ZodCheckMinLength", (inst, def) => {
	var _a;
	$ZodCheck.init(inst, def);
	(_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
	inst._zod.check = (payload) => {
		const input = payload.value;
		const units = input.length;
		if ((typeof input === "string" && units >= def.minimum && units < def.minimum * 2 ? codePointLength(input) : units) >= def.minimum) return;
		const origin = getLengthableOrigin(input);
		payload.issues.push({
			origin,
			code: "too_small",
			minimum: def.minimum,
			inclusive: true,
			input,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCheckLengthEquals = /*@__PURE__*/ $constructor("$ZodCheckLengthEquals", (inst, def) => {
	var _a;
	$ZodCheck.init(inst, def);
	(_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
	inst._zod.check = (payload) => {
		const input = payload.value;
		const units = input.length;
		const length = typeof input === "string" && units >= def.length && units <= def.length * 2 ? codePointLength(input) : units;
		if (length === def.length) return;
		const origin = getLengthableOrigin(input);
		const tooBig = length > def.length;
		payload.issues.push({
			origin,
			...tooBig ? {
				code: "too_big",
				maximum: def.length
			} : {
				code: "too_small",
				minimum: def.length
			},
			inclusive: true,
			exact: true,
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCheckStringFormat = /*@__PURE__*/ $constructor("$ZodCheckStringFormat", (inst, def) => {
	var _a, _b;
	$ZodCheck.init(inst, def);
	if (def.pattern) (_a = inst._zod).check ?? (_a.check = (payload) => {
		def.pattern.lastIndex = 0;
		if (def.pattern.test(payload.value)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: def.format,
			input: payload.value,
			...def.pattern ? { pattern: def.pattern.toString() } : {},
			inst,
			continue: !def.abort
		});
	});
	else (_b = inst._zod).check ?? (_b.check = () => {});
});
const $ZodCheckRegex = /*@__PURE__*/ $constructor("$ZodCheckRegex", (inst, def) => {
	$ZodCheckStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		def.pattern.lastIndex = 0;
		if (def.pattern.test(payload.value)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: "regex",
			input: payload.value,
			pattern: def.pattern.toString(),
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCheckLowerCase = /*@__PURE__*/ $constructor("$ZodCheckLowerCase", (inst, def) => {
	def.pattern ?? (def.pattern = lowercase);
	$ZodCheckStringFormat.init(inst, def);
});
const $ZodCheckUpperCase = /*@__PURE__*/ $constructor("$ZodCheckUpperCase", (inst, def) => {
	def.pattern ?? (def.pattern = uppercase);
	$ZodCheckStringFormat.init(inst, def);
});
const $ZodCheckIncludes = /*@__PURE__*/ $constructor("$ZodCheckIncludes", (inst, def) => {
	$ZodCheck.init(inst, def);
	const escapedRegex = escapeRegex(def.includes);
	def.pattern = new RegExp(typeof def.position === "number" ? `^.{${def.position},}${escapedRegex}` : escapedRegex);
	inst._zod.check = (payload) => {
		if (payload.value.includes(def.includes, def.position)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: "includes",
			includes: def.includes,
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCheckStartsWith = /*@__PURE__*/ $constructor("$ZodCheckStartsWith", (inst, def) => {
	$ZodCheck.init(inst, def);
	const pattern = new RegExp(`^${escapeRegex(def.prefix)}.*`);
	def.pattern ?? (def.pattern = pattern);
	inst._zod.check = (payload) => {
		if (payload.value.startsWith(def.prefix)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: "starts_with",
			prefix: def.prefix,
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCheckEndsWith = /*@__PURE__*/ $constructor("$ZodCheckEndsWith", (inst, def) => {
	$ZodCheck.init(inst, def);
	const pattern = new RegExp(`.*${escapeRegex(def.suffix)}$`);
	def.pattern ?? (def.pattern = pattern);
	inst._zod.check = (payload) => {
		if (payload.value.endsWith(def.suffix)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: "ends_with",
			suffix: def.suffix,
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCheckOverwrite = /*@__PURE__*/ $constructor("$ZodCheckOverwrite", (inst, def) => {
	$ZodCheck.init(inst, def);
	inst._zod.check = (payload) => {
		payload.value = def.tx(payload.value);
	};
});
// node_modules/zod/v4/core/doc.js
var Doc = class {
	constructor(args = [], closed = {}) {
		this.content = [];
		this.indent = 0;
		this.args = args;
		this.closed = closed;
	}
	indented(fn) {
		this.indent += 1;
		try {
			fn(this);
		} finally {
			this.indent -= 1;
		}
	}
	write(arg) {
		if (typeof arg === "function") {
			arg(this, { execution: "sync" });
			arg(this, { execution: "async" });
			return;
		}
		const lines = arg.split("\n").filter((x) => x);
		const minIndent = Math.min(...lines.map((x) => x.length - x.trimStart().length));
		const dedented = lines.map((x) => x.slice(minIndent)).map((x) => " ".repeat(this.indent * 2) + x);
		for (const line of dedented) this.content.push(line);
	}
	compile() {
		const F = Function;
		const content = this?.content ?? [``];
		return new F(...Object.keys(this.closed), `return function (${this.args.join(", ")}) {\n${content.join("\n")}\n};`)(...Object.values(this.closed));
	}
};
// node_modules/zod/v4/core/versions.js
const version$2 = {
	major: 4,
	minor: 6,
	patch: 7
};
// node_modules/zod/v4/core/schemas.js
const $ZodType = /*@__PURE__*/ $constructor("$ZodType", (inst, def) => {
	var _a;
	inst ?? (inst = {});
	inst._zod.def = def;
	inst._zod.bag = inst._zod.bag || {};
	inst._zod.version = version$2;
	const defChecks = inst._zod.def.checks;
	const checks = inst._zod.traits.has("$ZodCheck") ? [inst, ...defChecks ?? []] : defChecks?.length ? [...defChecks] : [];
	for (const ch of checks) for (const fn of ch._zod.onattach) fn(inst);
	if (checks.length === 0) {
		(_a = inst._zod).deferred ?? (_a.deferred = []);
		inst._zod.deferred?.push(() => {
			inst._zod.run = inst._zod.parse;
		});
	} else {
		const runChecks = (payload, checks, ctx) => {
			if (payload.memo) return payload;
			let isAborted = aborted(payload);
			let asyncResult;
			for (const ch of checks) {
				if (ch._zod.def.when) {
					if (explicitlyAborted(payload)) continue;
					if (!ch._zod.def.when(payload)) continue;
				} else if (isAborted) continue;
				const currLen = payload.issues.length;
				const _ = ch._zod.check(payload);
				if (_ instanceof Promise && ctx?.async === false) throw new $ZodAsyncError();
				if (asyncResult || _ instanceof Promise) asyncResult = (asyncResult ?? Promise.resolve()).then(async () => {
					await _;
					if (payload.issues.length === currLen) return;
					attachSchema(payload.issues, currLen, inst);
					if (!isAborted) isAborted = aborted(payload, currLen);
				});
				else {
					if (payload.issues.length === currLen) continue;
					attachSchema(payload.issues, currLen, inst);
					if (!isAborted) isAborted = aborted(payload, currLen);
				}
			}
			if (asyncResult) return asyncResult.then(() => {
				return payload;
			});
			return payload;
		};
		const handleCanaryResult = (canary, payload, ctx) => {
			if (aborted(canary)) {
				canary.aborted = true;
				return canary;
			}
			const checkResult = runChecks(payload, checks, ctx);
			if (checkResult instanceof Promise) {
				if (ctx.async === false) throw new $ZodAsyncError();
				return checkResult.then((checkResult) => inst._zod.parse(checkResult, ctx));
			}
			return inst._zod.parse(checkResult, ctx);
		};
		inst._zod.run = (payload, ctx) => {
			if (ctx.skipChecks) return inst._zod.parse(payload, ctx);
			if (ctx.direction === "backward") {
				const canary = inst._zod.parse({
					value: payload.value,
					issues: []
				}, {
					...ctx,
					skipChecks: true
				});
				if (canary instanceof Promise) return canary.then((canary) => {
					return handleCanaryResult(canary, payload, ctx);
				});
				return handleCanaryResult(canary, payload, ctx);
			}
			const result = inst._zod.parse(payload, ctx);
			if (result instanceof Promise) {
				if (ctx.async === false) throw new $ZodAsyncError();
				return result.then((result) => runChecks(result, checks, ctx));
			}
			return runChecks(result, checks, ctx);
		};
	}
}, {
	get "~standard"() {
		return hide(this, "~standard", standardProps(this));
	},
	set "~standard"(value) {
		own$1(this, "~standard", value);
	}
});
/** The Standard Schema surface for `inst`. Shared so wrappers can extend it without forcing it. */
const toStandardResult = (r, ctx) => r.issues.length ? { issues: r.issues.map((iss) => finalizeIssue(iss, ctx, config())) } : { value: r.value };
async function validateAsync(inst, value) {
	const ctx = { async: true };
	return toStandardResult(await inst._zod.run({
		value,
		issues: []
	}, ctx), ctx);
}
function standardProps(inst) {
	return {
		validate: (value) => {
			const ctx = { async: false };
			try {
				const r = inst._zod.run({
					value,
					issues: []
				}, ctx);
				if (!(r instanceof Promise)) return toStandardResult(r, ctx);
			} catch (_) {}
			return validateAsync(inst, value);
		},
		vendor: "zod",
		version: 1
	};
}
const $ZodString = /*@__PURE__*/ $constructor("$ZodString", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.pattern = def.pattern ?? anyString;
	inst._zod.parse = (payload, _) => {
		if (def.coerce) try {
			payload.value = String(payload.value);
		} catch (_) {}
		if (typeof payload.value === "string") return payload;
		payload.issues.push({
			expected: "string",
			code: "invalid_type",
			input: payload.value,
			inst
		});
		return payload;
	};
});
const $ZodStringFormat = /*@__PURE__*/ $constructor("$ZodStringFormat", (inst, def) => {
	$ZodCheckStringFormat.init(inst, def);
	$ZodString.init(inst, def);
});
const $ZodGUID = /*@__PURE__*/ $constructor("$ZodGUID", (inst, def) => {
	def.pattern ?? (def.pattern = guid);
	$ZodStringFormat.init(inst, def);
});
const $ZodUUID = /*@__PURE__*/ $constructor("$ZodUUID", (inst, def) => {
	if (def.version) {
		const v = {
			v1: 1,
			v2: 2,
			v3: 3,
			v4: 4,
			v5: 5,
			v6: 6,
			v7: 7,
			v8: 8
		}[def.version];
		if (v === void 0) throw new Error(`Invalid UUID version: "${def.version}"`);
		def.pattern ?? (def.pattern = uuid(v));
	} else def.pattern ?? (def.pattern = uuid());
	$ZodStringFormat.init(inst, def);
});
const $ZodEmail = /*@__PURE__*/ $constructor("$ZodEmail", (inst, def) => {
	def.pattern ?? (def.pattern = email);
	$ZodStringFormat.init(inst, def);
});
function canParseURL(input) {
	try {
		if (typeof URL !== "undefined" && typeof URL.canParse === "function") return URL.canParse(input);
		new URL(input);
		return true;
	} catch {
		return false;
	}
}
function validateURL(trimmed, def) {
	if (!("normalize" in def) && !("hostname" in def) && !("protocol" in def)) return canParseURL(trimmed) || 2;
	return parseURLObject(trimmed, def);
}
/** Parses a URL while preserving the non-normalizing HTTP guard. */
function parseURLObject(trimmed, def) {
	if (!def.normalize && def.protocol?.source === httpProtocol.source && !/^https?:\/\//i.test(trimmed)) return 1;
	try {
		if (typeof URL !== "undefined") {
			const URLStatic = URL;
			if (typeof URLStatic.parse === "function") return URLStatic.parse(trimmed) ?? 2;
		}
		return new URL(trimmed);
	} catch {
		return 2;
	}
}
const asciiTabOrNewline = /[\t\n\r]/g;
/** The URL parser deletes every ASCII tab, LF and CR from its input before it parses, so `new URL("https://exa\nmple.com")` reports on `example.com`. Applying the same deletion to the returned value closes the half of that divergence which can move the host; the parser's other rewrite, stripping C0 controls at the edges, cannot. */
function stripTabAndNewline(value) {
	return value.replace(asciiTabOrNewline, "");
}
function urlHostnameOk(url, hostname) {
	hostname.lastIndex = 0;
	return hostname.test(url.hostname);
}
function urlProtocolOk(url, protocol) {
	protocol.lastIndex = 0;
	return protocol.test(url.protocol.endsWith(":") ? url.protocol.slice(0, -1) : url.protocol);
}
const $ZodURL = /*@__PURE__*/ $constructor("$ZodURL", (inst, def) => {
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		try {
			const trimmed = payload.value.trim();
			const url = validateURL(trimmed, def);
			if (url === 1) {
				payload.issues.push({
					code: "invalid_format",
					format: "url",
					note: "Invalid URL format",
					input: payload.value,
					inst,
					continue: !def.abort
				});
				return;
			}
			if (url === 2) {
				payload.issues.push({
					code: "invalid_format",
					format: "url",
					input: payload.value,
					inst,
					continue: !def.abort
				});
				return;
			}
			if (url === true) {
				payload.value = stripTabAndNewline(trimmed);
				return;
			}
			if (def.hostname && !urlHostnameOk(url, def.hostname)) payload.issues.push({
				code: "invalid_format",
				format: "url",
				note: "Invalid hostname",
				pattern: def.hostname.source,
				input: payload.value,
				inst,
				continue: !def.abort
			});
			if (def.protocol && !urlProtocolOk(url, def.protocol)) payload.issues.push({
				code: "invalid_format",
				format: "url",
				note: "Invalid protocol",
				pattern: def.protocol.source,
				input: payload.value,
				inst,
				continue: !def.abort
			});
			payload.value = def.normalize ? url.href : stripTabAndNewline(trimmed);
			return;
		} catch (_) {
			payload.issues.push({
				code: "invalid_format",
				format: "url",
				input: payload.value,
				inst,
				continue: !def.abort
			});
		}
	};
});
const $ZodEmoji = /*@__PURE__*/ $constructor("$ZodEmoji", (inst, def) => {
	def.pattern ?? (def.pattern = emoji());
	$ZodStringFormat.init(inst, def);
});
const $ZodNanoID = /*@__PURE__*/ $constructor("$ZodNanoID", (inst, def) => {
	if (def.length !== void 0 && (!Number.isInteger(def.length) || def.length < 1)) throw new Error(`Invalid nanoid length: ${def.length}`);
	def.pattern ?? (def.pattern = def.length === void 0 ? nanoid : nanoidOfLength(def.length));
	$ZodStringFormat.init(inst, def);
});
/**
* @deprecated CUID v1 is deprecated by its authors due to information leakage
* (timestamps embedded in the id). Use {@link $ZodCUID2} instead.
* See https://github.com/paralleldrive/cuid.
*/
const $ZodCUID = /*@__PURE__*/ $constructor("$ZodCUID", (inst, def) => {
	def.pattern ?? (def.pattern = cuid);
	$ZodStringFormat.init(inst, def);
});
const $ZodCUID2 = /*@__PURE__*/ $constructor("$ZodCUID2", (inst, def) => {
	def.pattern ?? (def.pattern = cuid2);
	$ZodStringFormat.init(inst, def);
});
const $ZodULID = /*@__PURE__*/ $constructor("$ZodULID", (inst, def) => {
	def.pattern ?? (def.pattern = ulid);
	$ZodStringFormat.init(inst, def);
});
const $ZodXID = /*@__PURE__*/ $constructor("$ZodXID", (inst, def) => {
	def.pattern ?? (def.pattern = xid);
	$ZodStringFormat.init(inst, def);
});
const $ZodKSUID = /*@__PURE__*/ $constructor("$ZodKSUID", (inst, def) => {
	def.pattern ?? (def.pattern = ksuid);
	$ZodStringFormat.init(inst, def);
});
const $ZodISODateTime = /*@__PURE__*/ $constructor("$ZodISODateTime", (inst, def) => {
	def.pattern ?? (def.pattern = datetime(def));
	$ZodStringFormat.init(inst, def);
});
const $ZodISODate = /*@__PURE__*/ $constructor("$ZodISODate", (inst, def) => {
	def.pattern ?? (def.pattern = date);
	$ZodStringFormat.init(inst, def);
});
const $ZodISOTime = /*@__PURE__*/ $constructor("$ZodISOTime", (inst, def) => {
	def.pattern ?? (def.pattern = time(def));
	$ZodStringFormat.init(inst, def);
});
const $ZodISODuration = /*@__PURE__*/ $constructor("$ZodISODuration", (inst, def) => {
	def.pattern ?? (def.pattern = duration);
	$ZodStringFormat.init(inst, def);
});
const $ZodIPv4 = /*@__PURE__*/ $constructor("$ZodIPv4", (inst, def) => {
	def.pattern ?? (def.pattern = ipv4);
	$ZodStringFormat.init(inst, def);
});
/** An IPv6 address is written with hex digits, colons and dots, and nothing else. The guard is what makes the check below an IPv6 check: `new URL("http://[...]")` parses an authority, not an address, so `@` and `\` re-delimit it and `"::@1\\"` validates against the host `0.0.0.1`. The URL parser also deletes ASCII tab, LF and CR rather than failing, which is how `"::1\n"` validated as `::1`. */
const ipv6Alphabet = /^[0-9a-fA-F:.]+$/;
function isValidIPv6(value) {
	if (!ipv6Alphabet.test(value)) return false;
	return canParseURL(`http://[${value}]`);
}
const $ZodIPv6 = /*@__PURE__*/ $constructor("$ZodIPv6", (inst, def) => {
	def.pattern ?? (def.pattern = ipv6);
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		if (!isValidIPv6(payload.value)) payload.issues.push({
			code: "invalid_format",
			format: "ipv6",
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodCIDRv4 = /*@__PURE__*/ $constructor("$ZodCIDRv4", (inst, def) => {
	def.pattern ?? (def.pattern = cidrv4);
	$ZodStringFormat.init(inst, def);
});
function isValidCIDRv6(value) {
	const parts = value.split("/");
	if (parts.length !== 2) return false;
	const [address, prefix] = parts;
	if (!prefix) return false;
	const prefixNum = Number(prefix);
	if (`${prefixNum}` !== prefix) return false;
	if (prefixNum < 0 || prefixNum > 128) return false;
	return isValidIPv6(address);
}
const $ZodCIDRv6 = /*@__PURE__*/ $constructor("$ZodCIDRv6", (inst, def) => {
	def.pattern ?? (def.pattern = cidrv6);
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		if (!isValidCIDRv6(payload.value)) payload.issues.push({
			code: "invalid_format",
			format: "cidrv6",
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
function isValidBase64(data) {
	if (data === "") return true;
	if (/\s/.test(data)) return false;
	if (data.length % 4 !== 0) return false;
	try {
		atob(data);
		return true;
	} catch {
		return false;
	}
}
const base64Charset = /^[0-9a-zA-Z+/]*={0,2}$/;
const $ZodBase64 = /*@__PURE__*/ $constructor("$ZodBase64", (inst, def) => {
	def.pattern ?? (def.pattern = base64Charset);
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		if (isValidBase64(payload.value)) return;
		payload.issues.push({
			code: "invalid_format",
			format: "base64",
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
const base64urlCharset = /^[A-Za-z0-9_-]*$/;
function isValidBase64URL(data) {
	if (!base64urlCharset.test(data)) return false;
	const base64 = data.replace(/[-_]/g, (c) => c === "-" ? "+" : "/");
	return isValidBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, "="));
}
const $ZodBase64URL = /*@__PURE__*/ $constructor("$ZodBase64URL", (inst, def) => {
	def.pattern ?? (def.pattern = base64urlCharset);
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		if (isValidBase64URL(payload.value)) return;
		payload.issues.push({
			code: "invalid_format",
			format: "base64url",
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodE164 = /*@__PURE__*/ $constructor("$ZodE164", (inst, def) => {
	def.pattern ?? (def.pattern = e164);
	$ZodStringFormat.init(inst, def);
});
function isValidJWT(token, algorithm = null) {
	try {
		const tokensParts = token.split(".");
		if (tokensParts.length !== 3) return false;
		const [header] = tokensParts;
		if (!header) return false;
		const parsedHeader = JSON.parse(atob(header));
		if ("typ" in parsedHeader && parsedHeader?.typ !== "JWT") return false;
		if (!parsedHeader.alg) return false;
		if (algorithm && (!("alg" in parsedHeader) || parsedHeader.alg !== algorithm)) return false;
		return true;
	} catch {
		return false;
	}
}
const $ZodJWT = /*@__PURE__*/ $constructor("$ZodJWT", (inst, def) => {
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		if (isValidJWT(payload.value, def.alg)) return;
		payload.issues.push({
			code: "invalid_format",
			format: "jwt",
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
const $ZodNumber = /*@__PURE__*/ $constructor("$ZodNumber", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.pattern = number$1;
	inst._zod.parse = (payload, _ctx) => {
		if (def.coerce) try {
			payload.value = Number(payload.value);
		} catch (_) {}
		const input = payload.value;
		if (typeof input === "number" && !Number.isNaN(input) && Number.isFinite(input)) return payload;
		const received = typeof input === "number" ? Number.isNaN(input) ? "NaN" : !Number.isFinite(input) ? String(input) : void 0 : void 0;
		payload.issues.push({
			expected: "number",
			code: "invalid_type",
			input,
			inst,
			...received ? { received } : {}
		});
		return payload;
	};
});
const $ZodNumberFormat = /*@__PURE__*/ $constructor("$ZodNumberFormat", (inst, def) => {
	$ZodCheckNumberFormat.init(inst, def);
	$ZodNumber.init(inst, def);
});
const $ZodBoolean = /*@__PURE__*/ $constructor("$ZodBoolean", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.pattern = boolean$1;
	inst._zod.parse = (payload, _ctx) => {
		if (def.coerce) try {
			payload.value = Boolean(payload.value);
		} catch (_) {}
		const input = payload.value;
		if (typeof input === "boolean") return payload;
		payload.issues.push({
			expected: "boolean",
			code: "invalid_type",
			input,
			inst
		});
		return payload;
	};
});
const $ZodUnknown = /*@__PURE__*/ $constructor("$ZodUnknown", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.parse = (payload) => payload;
});
const $ZodNever = /*@__PURE__*/ $constructor("$ZodNever", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.parse = (payload, _ctx) => {
		payload.issues.push({
			expected: "never",
			code: "invalid_type",
			input: payload.value,
			inst
		});
		return payload;
	};
});
function capSize(inst, size) {
	const caps = sizeCaps(inst._zod.def.checks);
	if (!caps.length) return;
	const cap = Math.min(...caps.map((c) => c[0]));
	const parse = inst._zod.parse;
	inst._zod.parse = (payload, ctx) => {
		const n = size(payload.value);
		if (n > cap && !ctx?.skipChecks && ctx?.direction !== "backward") {
			for (const [max, ch] of sizeCaps(inst._zod.def.checks)) if (n > max && ch._zod.def.when(payload)) {
				const start = payload.issues.length;
				ch._zod.check(payload);
				payload.issues[start].continue = false;
				attachSchema(payload.issues, start, inst);
				return payload;
			}
		}
		return parse(payload, ctx);
	};
}
const arraySize = (input) => Array.isArray(input) ? input.length : -1;
function handleArrayResult(result, final, index) {
	if (result.issues.length) final.issues.push(...prefixIssues(index, result.issues));
	final.value[index] = result.value;
}
const $ZodArray = /*@__PURE__*/ $constructor("$ZodArray", (inst, def) => {
	$ZodType.init(inst, def);
	const memo = globalConfig.memoizer;
	memo?.attach(inst);
	inst._zod.parse = (payload, ctx) => {
		const input = payload.value;
		if (!Array.isArray(input)) {
			payload.issues.push({
				expected: "array",
				code: "invalid_type",
				input,
				inst
			});
			return payload;
		}
		payload.value = memo ? memo.alloc(inst, payload, Array(input.length), ctx) : Array(input.length);
		const proms = [];
		const abortEarly = ctx?.abortEarly;
		for (let i = 0; i < input.length; i++) {
			const item = input[i];
			const result = def.element._zod.run({
				value: item,
				issues: []
			}, ctx);
			if (result instanceof Promise) proms.push(result.then((result) => handleArrayResult(result, payload, i)));
			else {
				handleArrayResult(result, payload, i);
				if (abortEarly && result.issues.length !== 0 && aborted(result)) break;
			}
		}
		if (proms.length) return Promise.all(proms).then(() => payload);
		return payload;
	};
	capSize(inst, arraySize);
});
function handlePropertyResult(result, final, key, input, optin, optout) {
	const isPresent = key in input;
	const isOptionalOut = optout === "optional";
	if (!isPresent && isOptionalOut && optin === "optional") return;
	if (result.issues.length) {
		if (optin !== void 0 && isOptionalOut && !isPresent) return;
		final.issues.push(...prefixIssues(key, result.issues));
	}
	if (!isPresent && optin === void 0) {
		if (!result.issues.length) final.issues.push({
			code: "invalid_type",
			expected: "nonoptional",
			input: void 0,
			path: [key]
		});
		return;
	}
	if (result.value === void 0) {
		if (isPresent || optin === "defaulted" && !isOptionalOut) final.value[key] = void 0;
	} else final.value[key] = result.value;
}
const NO_SYMBOL_KEYS = [];
function normalizeDef(def) {
	const keys = Object.keys(def.shape);
	const ownSymbols = Object.getOwnPropertySymbols(def.shape);
	const symbolKeys = ownSymbols.length ? ownSymbols : NO_SYMBOL_KEYS;
	const allKeys = symbolKeys.length ? [...keys, ...symbolKeys] : keys;
	for (const k of allKeys) if (!def.shape?.[k]?._zod?.traits?.has("$ZodType")) throw new Error(`Invalid element at key "${String(k)}": expected a Zod schema`);
	const okeys = optionalKeys(def.shape);
	return {
		...def,
		allKeys,
		symbolKeys,
		keySet: new Set(keys),
		numKeys: keys.length,
		optionalKeys: new Set(okeys)
	};
}
function handleCatchall(proms, input, payload, ctx, def, inst, abortEarly) {
	const unrecognized = [];
	const keySet = def.keySet;
	const _catchall = def.catchall._zod;
	const t = _catchall.def.type;
	const optin = _catchall.optin;
	const optout = _catchall.optout;
	let seen = 0;
	for (const key in input) {
		if (abortEarly && payload.issues.length !== seen) {
			if (aborted(payload, seen)) break;
			seen = payload.issues.length;
		}
		if (keySet.has(key)) continue;
		if (key === "__proto__") {
			if (t === "never") unrecognized.push(key);
			continue;
		}
		if (t === "never") {
			unrecognized.push(key);
			continue;
		}
		const r = _catchall.run({
			value: input[key],
			issues: []
		}, ctx);
		if (r instanceof Promise) proms.push(r.then((r) => handlePropertyResult(r, payload, key, input, optin, optout)));
		else handlePropertyResult(r, payload, key, input, optin, optout);
	}
	if (unrecognized.length) payload.issues.push({
		code: "unrecognized_keys",
		keys: unrecognized,
		input,
		inst,
		continue: true
	});
	if (!proms.length) return payload;
	return Promise.all(proms).then(() => {
		return payload;
	});
}
const $ZodObject = /*@__PURE__*/ $constructor("$ZodObject", (inst, def) => {
	$ZodType.init(inst, def);
	const desc = Object.getOwnPropertyDescriptor(def, "shape");
	const sh = desc?.get ? desc.get.raw : def.shape ?? {};
	if (sh) {
		const get = () => {
			const newSh = { ...sh };
			Object.defineProperty(def, "shape", { value: newSh });
			get.raw = newSh;
			return newSh;
		};
		get.raw = sh;
		Object.defineProperty(def, "shape", { get });
	}
	const _normalized = cached(() => normalizeDef(def));
	defineLazyInternal(inst, "propValues", (zod) => {
		const shape = zod.def.shape;
		const propValues = {};
		for (const key in shape) {
			const field = shape[key]._zod;
			if (field.values) {
				if (!Object.prototype.hasOwnProperty.call(propValues, key)) assignProp(propValues, key, /* @__PURE__ */ new Set());
				for (const v of field.values) propValues[key].add(v);
				if (field.optin !== void 0) propValues[key].add(void 0);
			}
		}
		return propValues;
	});
	const isObject = isObject$1;
	const catchall = def.catchall;
	let value;
	const memo = globalConfig.memoizer;
	memo?.attach(inst);
	inst._zod.parse = (payload, ctx) => {
		value ?? (value = _normalized.value);
		const input = payload.value;
		if (!isObject(input)) {
			payload.issues.push({
				expected: "object",
				code: "invalid_type",
				input,
				inst
			});
			return payload;
		}
		payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
		const proms = [];
		const shape = value.shape;
		const abortEarly = ctx?.abortEarly;
		let seen = payload.issues.length;
		for (const key of value.allKeys) {
			if (abortEarly && payload.issues.length !== seen) {
				if (aborted(payload, seen)) break;
				seen = payload.issues.length;
			}
			if (key === "__proto__") continue;
			const el = shape[key];
			const optin = el._zod.optin;
			const optout = el._zod.optout;
			const r = el._zod.run({
				value: input[key],
				issues: []
			}, ctx);
			if (r instanceof Promise) proms.push(r.then((r) => handlePropertyResult(r, payload, key, input, optin, optout)));
			else handlePropertyResult(r, payload, key, input, optin, optout);
		}
		if (!catchall) return proms.length ? Promise.all(proms).then(() => payload) : payload;
		return handleCatchall(proms, input, payload, ctx, _normalized.value, inst, abortEarly === true);
	};
});
const $ZodObjectJIT = /*@__PURE__*/ $constructor("$ZodObjectJIT", (inst, def) => {
	$ZodObject.init(inst, def);
	const superParse = inst._zod.parse;
	const _normalized = cached(() => normalizeDef(def));
	const memo = globalConfig.memoizer;
	const generateFastpass = (shape) => {
		const normalized = _normalized.value;
		const syms = normalized.symbolKeys;
		const doc = new Doc(["payload", "ctx"], {
			shape,
			inst,
			memo,
			syms
		});
		const parseStr = (k) => `shape[${k}]._zod.run({ value: input[${k}], issues: [] }, ctx)`;
		const prefixStr = (id, k) => `
          let ${id}_ab = false;
          for (let i = 0; i < ${id}.issues.length; i++) {
            const iss = ${id}.issues[i];
            iss.path = iss.path ? [${k}, ...iss.path] : [${k}];
            payload.issues.push(iss);
            if (iss.continue !== true) ${id}_ab = true;
          }
          if (${id}_ab && ctx && ctx.abortEarly) {
            payload.value = newResult;
            return payload;
          }`;
		doc.write(`const input = payload.value;`);
		const ids = Object.create(null);
		let counter = 0;
		for (const key of normalized.allKeys) ids[key] = `key_${counter++}`;
		doc.write(memo ? `const newResult = memo.alloc(inst, payload, {}, ctx);` : `const newResult = {};`);
		for (const key of normalized.allKeys) {
			if (key === "__proto__") continue;
			const id = ids[key];
			const k = typeof key === "symbol" ? `syms[${syms.indexOf(key)}]` : esc(key);
			const isPresent = `${k} in input`;
			const schema = shape[key];
			const optin = schema?._zod?.optin;
			const isOptionalIn = optin !== void 0;
			const isOptionalOut = schema?._zod?.optout === "optional";
			doc.write(`const ${id} = ${parseStr(k)};`);
			if (isOptionalIn && isOptionalOut) {
				const assign = optin === "optional" ? `${id}_present` : `${id}.value !== undefined || ${id}_present`;
				doc.write(`
        const ${id}_present = ${isPresent};
        if (!${id}.issues.length || ${id}_present) {
          if (${id}.issues.length) {${prefixStr(id, k)}
          }

          if (${assign}) {
            newResult[${k}] = ${id}.value;
          }
        }

      `);
			} else if (!isOptionalIn) doc.write(`
        const ${id}_present = ${isPresent};
        if (${id}.issues.length) {${prefixStr(id, k)}
        }
        if (!${id}_present && !${id}.issues.length) {
          payload.issues.push({
            code: "invalid_type",
            expected: "nonoptional",
            input: undefined,
            path: [${k}]
          });
          if (ctx && ctx.abortEarly) {
            payload.value = newResult;
            return payload;
          }
        }

        if (${id}_present) {
          newResult[${k}] = ${id}.value;
        }

      `);
			else {
				doc.write(`
        if (${id}.issues.length) {${prefixStr(id, k)}
        }
      `);
				if (optin === "defaulted") doc.write(`newResult[${k}] = ${id}.value;`);
				else doc.write(`
        if (${id}.value !== undefined || ${isPresent}) {
          newResult[${k}] = ${id}.value;
        }
      `);
			}
		}
		doc.write(`payload.value = newResult;`);
		doc.write(`return payload;`);
		return doc.compile();
	};
	let fastpass;
	const isObject = isObject$1;
	const jit = !globalConfig.jitless;
	const fastEnabled = jit && allowsEval.value;
	const catchall = def.catchall;
	let value;
	inst._zod.parse = (payload, ctx) => {
		value ?? (value = _normalized.value);
		const input = payload.value;
		if (!isObject(input)) {
			payload.issues.push({
				expected: "object",
				code: "invalid_type",
				input,
				inst
			});
			return payload;
		}
		if (jit && fastEnabled && ctx?.async === false && ctx.jitless !== true) {
			if (!fastpass) fastpass = generateFastpass(def.shape);
			payload = fastpass(payload, ctx);
			if (!catchall) return payload;
			return handleCatchall([], input, payload, ctx, value, inst, ctx?.abortEarly === true);
		}
		return superParse(payload, ctx);
	};
});
function handleUnionResults(results, final, inst, ctx) {
	for (const result of results) if (result.issues.length === 0) {
		final.value = result.value;
		return final;
	}
	const nonaborted = results.filter((r) => !aborted(r));
	if (nonaborted.length === 1) {
		final.value = nonaborted[0].value;
		return nonaborted[0];
	}
	final.issues.push({
		code: "invalid_union",
		input: final.value,
		inst,
		errors: results.map((result) => result.issues.map((iss) => finalizeIssue(iss, ctx, config())))
	});
	return final;
}
const $ZodUnion = /*@__PURE__*/ $constructor("$ZodUnion", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.options.some((o) => o._zod.optin === "defaulted") ? "defaulted" : zod.def.options.some((o) => o._zod.optin !== void 0) ? "optional" : void 0);
	defineLazyInternal(inst, "optout", (zod) => zod.def.options.some((o) => o._zod.optout === "optional") ? "optional" : void 0);
	defineLazyInternal(inst, "values", (zod) => {
		if (zod.def.options.every((o) => o._zod.values)) return new Set(zod.def.options.flatMap((option) => Array.from(option._zod.values)));
	});
	defineLazyInternal(inst, "pattern", (zod) => {
		if (zod.def.options.every((o) => o._zod.pattern)) {
			const patterns = zod.def.options.map((o) => o._zod.pattern);
			return new RegExp(`^(${patterns.map((p) => cleanRegex(p.source)).join("|")})$`);
		}
	});
	const first = def.options.length === 1 ? def.options[0]._zod.run : null;
	inst._zod.parse = (payload, ctx) => {
		if (first) return first(payload, ctx);
		let async = false;
		const results = [];
		for (const option of def.options) {
			const result = option._zod.run({
				value: payload.value,
				issues: []
			}, ctx);
			if (result instanceof Promise) {
				results.push(result);
				async = true;
			} else {
				if (result.issues.length === 0) return result;
				results.push(result);
			}
		}
		if (!async) return handleUnionResults(results, payload, inst, ctx);
		return Promise.all(results).then((results) => {
			return handleUnionResults(results, payload, inst, ctx);
		});
	};
});
function discriminatorMap(def) {
	const map = /* @__PURE__ */ new Map();
	for (const option of def.options) {
		const values = option._zod.propValues?.[def.discriminator];
		if (!values || values.size === 0) throw new Error(`Invalid discriminated union option at index "${def.options.indexOf(option)}"`);
		for (const value of values) if (map.has(value)) {
			if (value !== void 0) throw new Error(`Duplicate discriminator value "${String(value)}"`);
			map.set(value, null);
		} else map.set(value, option);
	}
	return map;
}
const $ZodDiscriminatedUnion = /*@__PURE__*/ $constructor("$ZodDiscriminatedUnion", (inst, def) => {
	def.inclusive = false;
	$ZodUnion.init(inst, def);
	const _super = inst._zod.parse;
	defineLazyInternal(inst, "propValues", (zod) => {
		const propValues = {};
		let undefinedCount = 0;
		for (const option of zod.def.options) {
			const pv = option._zod.propValues;
			if (!pv || Object.keys(pv).length === 0) throw new Error(`Invalid discriminated union option at index "${zod.def.options.indexOf(option)}"`);
			if (pv[zod.def.discriminator]?.has(void 0)) undefinedCount++;
			for (const [k, v] of Object.entries(pv)) {
				if (!Object.prototype.hasOwnProperty.call(propValues, k)) assignProp(propValues, k, /* @__PURE__ */ new Set());
				for (const val of v) propValues[k].add(val);
			}
		}
		if (!zod.def.unionFallback && undefinedCount > 1) propValues[zod.def.discriminator]?.delete(void 0);
		return propValues;
	});
	def.options.forEach((option, i) => {
		const propShape = rawShape(option._zod.def);
		if (propShape && !Object.prototype.hasOwnProperty.call(propShape, def.discriminator)) throw new Error(`Invalid discriminated union option at index "${i}"`);
	});
	const disc = cached(() => discriminatorMap(def));
	inst._zod.parse = (payload, ctx) => {
		const input = payload.value;
		if (!isObject$1(input)) {
			payload.issues.push({
				code: "invalid_type",
				expected: "object",
				input,
				inst
			});
			return payload;
		}
		const value = input?.[def.discriminator];
		const opt = disc.value.get(value);
		if (opt && (value !== void 0 || ctx.direction !== "backward")) return opt._zod.run(payload, ctx);
		if (def.unionFallback || ctx.direction === "backward") return _super(payload, ctx);
		payload.issues.push({
			code: "invalid_union",
			errors: [],
			note: "No matching discriminator",
			discriminator: def.discriminator,
			options: Array.from(disc.value.keys()).filter((value) => disc.value.get(value) !== null),
			input,
			path: [def.discriminator],
			inst
		});
		return payload;
	};
});
const $ZodIntersection = /*@__PURE__*/ $constructor("$ZodIntersection", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.parse = (payload, ctx) => {
		const input = payload.value;
		const left = def.left._zod.run({
			value: input,
			issues: []
		}, ctx);
		const right = def.right._zod.run({
			value: input,
			issues: []
		}, ctx);
		if (left instanceof Promise || right instanceof Promise) return Promise.all([left, right]).then(([left, right]) => {
			return handleIntersectionResults(payload, left, right);
		});
		return handleIntersectionResults(payload, left, right);
	};
});
function mergeValues(a, b) {
	if (a === b) return {
		valid: true,
		data: a
	};
	if (a instanceof Date && b instanceof Date && +a === +b) return {
		valid: true,
		data: a
	};
	if (isPlainObject(a) && isPlainObject(b)) {
		const bKeys = Object.keys(b);
		const sharedKeys = Object.keys(a).filter((key) => bKeys.indexOf(key) !== -1);
		const newObj = {
			...a,
			...b
		};
		if (Object.prototype.hasOwnProperty.call(newObj, "__proto__")) delete newObj.__proto__;
		for (const key of sharedKeys) {
			if (key === "__proto__") continue;
			const sharedValue = mergeValues(a[key], b[key]);
			if (!sharedValue.valid) return {
				valid: false,
				mergeErrorPath: [key, ...sharedValue.mergeErrorPath]
			};
			newObj[key] = sharedValue.data;
		}
		return {
			valid: true,
			data: newObj
		};
	}
	if (Array.isArray(a) && Array.isArray(b)) {
		if (a.length !== b.length) return {
			valid: false,
			mergeErrorPath: []
		};
		const newArray = [];
		for (let index = 0; index < a.length; index++) {
			const itemA = a[index];
			const itemB = b[index];
			const sharedValue = mergeValues(itemA, itemB);
			if (!sharedValue.valid) return {
				valid: false,
				mergeErrorPath: [index, ...sharedValue.mergeErrorPath]
			};
			newArray.push(sharedValue.data);
		}
		return {
			valid: true,
			data: newArray
		};
	}
	return {
		valid: false,
		mergeErrorPath: []
	};
}
function handleIntersectionResults(result, left, right) {
	const unrecKeys = /* @__PURE__ */ new Map();
	let unrecIssue;
	const keyIssues = /* @__PURE__ */ new Map();
	const collect = (iss, side) => {
		let keys;
		if (iss.code === "unrecognized_keys" && !iss.path?.length) {
			unrecIssue ?? (unrecIssue = iss);
			keys = iss.keys;
		} else if (iss.code === "invalid_key" && iss.origin === "record" && iss.path?.length === 1) {
			const k = String(iss.path[0]);
			if (!keyIssues.has(k)) keyIssues.set(k, iss);
			keys = [k];
		} else return false;
		for (const k of keys) {
			if (!unrecKeys.has(k)) unrecKeys.set(k, {});
			unrecKeys.get(k)[side] = true;
		}
		return true;
	};
	for (const iss of left.issues) if (!collect(iss, "l")) result.issues.push(iss);
	for (const iss of right.issues) if (!collect(iss, "r")) result.issues.push(iss);
	const bothKeys = [...unrecKeys].filter(([, f]) => f.l && f.r).map(([k]) => k);
	if (bothKeys.length) {
		const aggregated = unrecIssue ? bothKeys.filter((k) => unrecIssue.keys.includes(k)) : [];
		if (aggregated.length) result.issues.push({
			...unrecIssue,
			keys: aggregated
		});
		for (const k of bothKeys) if (!aggregated.includes(k) && keyIssues.has(k)) result.issues.push(keyIssues.get(k));
	}
	const merged = mergeValues(left.value, right.value);
	if (!merged.valid) {
		if (aborted(result)) return result;
		throw new Error(`Unmergable intersection. Error path: ${JSON.stringify(merged.mergeErrorPath)}`);
	}
	result.value = merged.data;
	return result;
}
const $ZodTuple = /*@__PURE__*/ $constructor("$ZodTuple", (inst, def) => {
	$ZodType.init(inst, def);
	const items = def.items;
	const memo = globalConfig.memoizer;
	memo?.attach(inst);
	inst._zod.parse = (payload, ctx) => {
		const input = payload.value;
		if (!Array.isArray(input)) {
			payload.issues.push({
				input,
				inst,
				expected: "tuple",
				code: "invalid_type"
			});
			return payload;
		}
		payload.value = memo ? memo.alloc(inst, payload, [], ctx) : [];
		const proms = [];
		const optinStart = getTupleOptStart(items, "optin");
		const optoutStart = getTupleOptStart(items, "optout");
		if (!def.rest) {
			if (input.length < optinStart) {
				payload.issues.push({
					code: "too_small",
					minimum: optinStart,
					inclusive: true,
					input,
					inst,
					origin: "array"
				});
				return payload;
			}
			if (input.length > items.length) payload.issues.push({
				code: "too_big",
				maximum: items.length,
				inclusive: true,
				input,
				inst,
				origin: "array"
			});
		}
		const itemResults = new Array(items.length);
		const abortEarly = def.rest ? ctx?.abortEarly : void 0;
		let itemAborted = false;
		for (let i = 0; i < items.length; i++) {
			const r = items[i]._zod.run({
				value: input[i],
				issues: []
			}, ctx);
			if (r instanceof Promise) proms.push(r.then((rr) => {
				itemResults[i] = rr;
			}));
			else {
				itemResults[i] = r;
				if (abortEarly && !itemAborted && r.issues.length) itemAborted = aborted(r);
			}
		}
		if (def.rest && !itemAborted) {
			let i = items.length - 1;
			const rest = input.slice(items.length);
			let seen = payload.issues.length;
			for (const el of rest) {
				if (abortEarly && payload.issues.length !== seen) {
					if (aborted(payload, seen)) break;
					seen = payload.issues.length;
				}
				i++;
				const result = def.rest._zod.run({
					value: el,
					issues: []
				}, ctx);
				if (result instanceof Promise) proms.push(result.then((r) => handleTupleResult(r, payload, i)));
				else handleTupleResult(result, payload, i);
			}
		}
		if (proms.length) return Promise.all(proms).then(() => handleTupleResults(itemResults, payload, items, input, optoutStart));
		return handleTupleResults(itemResults, payload, items, input, optoutStart);
	};
});
function getTupleOptStart(items, key) {
	for (let i = items.length - 1; i >= 0; i--) if (!(key === "optin" ? items[i]._zod.optin !== void 0 : items[i]._zod.optout === "optional")) return i + 1;
	return 0;
}
function handleTupleResult(result, final, index) {
	if (result.issues.length) final.issues.push(...prefixIssues(index, result.issues));
	final.value[index] = result.value;
}
function handleTupleResults(itemResults, final, items, input, optoutStart) {
	for (let i = 0; i < items.length; i++) {
		const r = itemResults[i];
		const isPresent = i < input.length;
		if (!isPresent && i >= optoutStart && items[i]._zod.optin === "optional") {
			final.value.length = i;
			break;
		}
		if (r.issues.length) {
			if (!isPresent && i >= optoutStart) {
				final.value.length = i;
				break;
			}
			final.issues.push(...prefixIssues(i, r.issues));
		}
		final.value[i] = r.value;
	}
	for (let i = final.value.length - 1; i >= input.length; i--) if (items[i]._zod.optout === "optional" && final.value[i] === void 0) final.value.length = i;
	else break;
	return final;
}
const $ZodRecord = /*@__PURE__*/ $constructor("$ZodRecord", (inst, def) => {
	$ZodType.init(inst, def);
	const memo = globalConfig.memoizer;
	memo?.attach(inst);
	inst._zod.parse = (payload, ctx) => {
		const input = payload.value;
		if (!isPlainObject(input)) {
			payload.issues.push({
				expected: "record",
				code: "invalid_type",
				input,
				inst
			});
			return payload;
		}
		const proms = [];
		const values = def.keyType._zod.values;
		if (values && !def.partial) {
			payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
			const recordKeys = /* @__PURE__ */ new Set();
			for (const key of values) if (typeof key === "string" || typeof key === "number" || typeof key === "symbol") {
				recordKeys.add(typeof key === "number" ? key.toString() : key);
				if (key === "__proto__") continue;
				const keyResult = def.keyType._zod.run({
					value: key,
					issues: []
				}, ctx);
				if (keyResult instanceof Promise) throw new Error("Async schemas not supported in object keys currently");
				if (keyResult.issues.length) {
					payload.issues.push({
						code: "invalid_key",
						origin: "record",
						issues: keyResult.issues.map((iss) => finalizeIssue(iss, ctx, config())),
						input: key,
						path: [key],
						inst
					});
					continue;
				}
				const outKey = keyResult.value;
				if (outKey === "__proto__") continue;
				const result = def.valueType._zod.run({
					value: input[key],
					issues: []
				}, ctx);
				if (result instanceof Promise) proms.push(result.then((result) => {
					if (result.issues.length) payload.issues.push(...prefixIssues(key, result.issues));
					payload.value[outKey] = result.value;
				}));
				else {
					if (result.issues.length) payload.issues.push(...prefixIssues(key, result.issues));
					payload.value[outKey] = result.value;
				}
			}
			let unrecognized;
			for (const key in input) if (!recordKeys.has(key)) {
				if (def.mode === "loose") {
					if (key === "__proto__") continue;
					payload.value[key] = input[key];
				} else {
					unrecognized = unrecognized ?? [];
					unrecognized.push(key);
				}
			}
			if (unrecognized && unrecognized.length > 0) payload.issues.push({
				code: "unrecognized_keys",
				input,
				inst,
				keys: unrecognized,
				continue: true
			});
		} else {
			payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
			let unrecognized;
			for (const key of Reflect.ownKeys(input)) {
				if (key === "__proto__") continue;
				if (!Object.prototype.propertyIsEnumerable.call(input, key)) continue;
				let keyResult = def.keyType._zod.run({
					value: key,
					issues: []
				}, ctx);
				if (keyResult instanceof Promise) throw new Error("Async schemas not supported in object keys currently");
				if (typeof key === "string" && number$1.test(key) && keyResult.issues.length) {
					const retryResult = def.keyType._zod.run({
						value: Number(key),
						issues: []
					}, ctx);
					if (retryResult instanceof Promise) throw new Error("Async schemas not supported in object keys currently");
					if (retryResult.issues.length === 0) keyResult = retryResult;
				}
				if (keyResult.issues.length) {
					if (def.mode === "loose") payload.value[key] = input[key];
					else if (values) {
						unrecognized = unrecognized ?? [];
						unrecognized.push(key);
					} else payload.issues.push({
						code: "invalid_key",
						origin: "record",
						issues: keyResult.issues.map((iss) => finalizeIssue(iss, ctx, config())),
						input: key,
						path: [key],
						inst
					});
					continue;
				}
				const outKey = keyResult.value;
				if (outKey === "__proto__") continue;
				const result = def.valueType._zod.run({
					value: input[key],
					issues: []
				}, ctx);
				if (result instanceof Promise) proms.push(result.then((result) => {
					if (result.issues.length) payload.issues.push(...prefixIssues(key, result.issues));
					payload.value[outKey] = result.value;
				}));
				else {
					if (result.issues.length) payload.issues.push(...prefixIssues(key, result.issues));
					payload.value[outKey] = result.value;
				}
			}
			if (unrecognized && unrecognized.length > 0) payload.issues.push({
				code: "unrecognized_keys",
				input,
				inst,
				keys: unrecognized,
				continue: true
			});
		}
		if (proms.length) return Promise.all(proms).then(() => payload);
		return payload;
	};
});
const $ZodEnum = /*@__PURE__*/ $constructor("$ZodEnum", (inst, def) => {
	$ZodType.init(inst, def);
	const values = getEnumValues(def.entries);
	const valuesSet = new Set(values);
	inst._zod.values = valuesSet;
	defineLazyInternal(inst, "pattern", (zod) => {
		const patternValues = getEnumValues(zod.def.entries).filter((k) => propertyKeyTypes.has(typeof k));
		return new RegExp(patternValues.length ? `^(${patternValues.map((o) => escapeRegex(o.toString())).join("|")})$` : "^[^\\s\\S]$");
	});
	inst._zod.parse = (payload, _ctx) => {
		const input = payload.value;
		if (valuesSet.has(input)) return payload;
		payload.issues.push({
			code: "invalid_value",
			values,
			input,
			inst
		});
		return payload;
	};
});
const $ZodLiteral = /*@__PURE__*/ $constructor("$ZodLiteral", (inst, def) => {
	$ZodType.init(inst, def);
	const values = new Set(def.values);
	inst._zod.values = values;
	defineLazyInternal(inst, "pattern", (zod) => {
		const vals = zod.def.values;
		return new RegExp(vals.length ? `^(${vals.map((o) => typeof o === "string" ? escapeRegex(o) : o ? escapeRegex(o.toString()) : String(o)).join("|")})$` : "^[^\\s\\S]$");
	});
	inst._zod.parse = (payload, _ctx) => {
		const input = payload.value;
		if (values.has(input)) return payload;
		payload.issues.push({
			code: "invalid_value",
			values: def.values,
			input,
			inst
		});
		return payload;
	};
});
const $ZodTransform = /*@__PURE__*/ $constructor("$ZodTransform", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.optin = "optional";
	globalConfig.memoizer?.guard(inst);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") throw new $ZodEncodeError(inst.constructor.name);
		const _out = def.transform(payload.value, payload);
		if (ctx.async) return (_out instanceof Promise ? _out : Promise.resolve(_out)).then((output) => {
			payload.value = output;
			return payload;
		});
		if (_out instanceof Promise) throw new $ZodAsyncError();
		payload.value = _out;
		return payload;
	};
});
function handleOptionalResult(payload, result) {
	payload.value = result.issues.length ? void 0 : result.value;
	return payload;
}
const $ZodOptional = /*@__PURE__*/ $constructor("$ZodOptional", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin === "defaulted" ? "defaulted" : "optional");
	inst._zod.optout = "optional";
	defineLazyInternal(inst, "values", (zod) => {
		const values = zod.def.innerType._zod.values;
		return values ? /* @__PURE__ */ new Set([...values, void 0]) : void 0;
	});
	defineLazyInternal(inst, "pattern", (zod) => {
		const pattern = zod.def.innerType._zod.pattern;
		return pattern ? new RegExp(`^(${cleanRegex(pattern.source)})?$`) : void 0;
	});
	inst._zod.parse = (payload, ctx) => {
		if (payload.value === void 0) {
			if (def.innerType._zod.optin !== "defaulted") return payload;
			const result = def.innerType._zod.run({
				value: payload.value,
				issues: []
			}, ctx);
			if (result instanceof Promise) return result.then((result) => handleOptionalResult(payload, result));
			return handleOptionalResult(payload, result);
		}
		return def.innerType._zod.run(payload, ctx);
	};
});
const $ZodExactOptional = /*@__PURE__*/ $constructor("$ZodExactOptional", (inst, def) => {
	$ZodOptional.init(inst, def);
	defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
	defineLazyInternal(inst, "pattern", (zod) => zod.def.innerType._zod.pattern);
	inst._zod.parse = (payload, ctx) => {
		return def.innerType._zod.run(payload, ctx);
	};
});
const $ZodNullable = /*@__PURE__*/ $constructor("$ZodNullable", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin);
	defineLazyInternal(inst, "optout", (zod) => zod.def.innerType._zod.optout);
	defineLazyInternal(inst, "pattern", (zod) => {
		const pattern = zod.def.innerType._zod.pattern;
		return pattern ? new RegExp(`^(${cleanRegex(pattern.source)}|null)$`) : void 0;
	});
	defineLazyInternal(inst, "values", (zod) => {
		return zod.def.innerType._zod.values ? /* @__PURE__ */ new Set([...zod.def.innerType._zod.values, null]) : void 0;
	});
	inst._zod.parse = (payload, ctx) => {
		if (payload.value === null) return payload;
		return def.innerType._zod.run(payload, ctx);
	};
});
const $ZodDefault = /*@__PURE__*/ $constructor("$ZodDefault", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.optin = "defaulted";
	defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") return def.innerType._zod.run(payload, ctx);
		if (payload.value === void 0) {
			payload.value = def.defaultValue;
			/**
			* $ZodDefault returns the default value immediately in forward direction.
			* It doesn't pass the default value into the validator ("prefault"). There's no reason to pass the default value through validation. The validity of the default is enforced by TypeScript statically. Otherwise, it's the responsibility of the user to ensure the default is valid. In the case of pipes with divergent in/out types, you can specify the default on the `in` schema of your ZodPipe to set a "prefault" for the pipe.   */
			return payload;
		}
		const result = def.innerType._zod.run(payload, ctx);
		if (result instanceof Promise) return result.then((result) => handleDefaultResult(result, def));
		return handleDefaultResult(result, def);
	};
});
function handleDefaultResult(payload, def) {
	if (payload.value === void 0) payload.value = def.defaultValue;
	return payload;
}
const $ZodPrefault = /*@__PURE__*/ $constructor("$ZodPrefault", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.optin = "defaulted";
	defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") return def.innerType._zod.run(payload, ctx);
		if (payload.value === void 0) payload.value = def.defaultValue;
		return def.innerType._zod.run(payload, ctx);
	};
});
const $ZodNonOptional = /*@__PURE__*/ $constructor("$ZodNonOptional", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "values", (zod) => {
		const v = zod.def.innerType._zod.values;
		return v ? new Set([...v].filter((x) => x !== void 0)) : void 0;
	});
	inst._zod.parse = (payload, ctx) => {
		const result = def.innerType._zod.run(payload, ctx);
		if (result instanceof Promise) return result.then((result) => handleNonOptionalResult(result, inst));
		return handleNonOptionalResult(result, inst);
	};
});
function handleNonOptionalResult(payload, inst) {
	if (!payload.issues.length && payload.value === void 0) payload.issues.push({
		code: "invalid_type",
		expected: "nonoptional",
		input: payload.value,
		inst
	});
	return payload;
}
function handleCatchResult(payload, result, def, ctx) {
	if (!result.issues.length) {
		payload.value = result.value;
		if (result.memo) payload.memo = true;
		return payload;
	}
	payload.value = def.catchValue({
		...result,
		value: payload.value,
		error: { issues: result.issues.map((iss) => finalizeIssue(iss, ctx, config())) },
		input: payload.value
	});
	return payload;
}
const $ZodCatch = /*@__PURE__*/ $constructor("$ZodCatch", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin === "defaulted" ? "defaulted" : "optional");
	defineLazyInternal(inst, "optout", (zod) => zod.def.innerType._zod.optout);
	defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") return def.innerType._zod.run(payload, ctx);
		const result = def.innerType._zod.run({
			value: payload.value,
			issues: []
		}, ctx);
		if (result instanceof Promise) return result.then((result) => handleCatchResult(payload, result, def, ctx));
		return handleCatchResult(payload, result, def, ctx);
	};
});
const $ZodPipe = /*@__PURE__*/ $constructor("$ZodPipe", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "values", (zod) => zod.def.in._zod.values);
	defineLazyInternal(inst, "optin", (zod) => zod.def.in._zod.optin);
	defineLazyInternal(inst, "optout", (zod) => zod.def.out._zod.optout);
	defineLazyInternal(inst, "propValues", (zod) => zod.def.in._zod.propValues);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") {
			const right = def.out._zod.run(payload, ctx);
			if (right instanceof Promise) return right.then((right) => handlePipeResult(right, def.in, ctx));
			return handlePipeResult(right, def.in, ctx);
		}
		const left = def.in._zod.run(payload, ctx);
		if (left instanceof Promise) return left.then((left) => handlePipeResult(left, def.out, ctx));
		return handlePipeResult(left, def.out, ctx);
	};
});
function handlePipeResult(left, next, ctx) {
	if (left.issues.some((iss) => iss.code !== "unrecognized_keys")) {
		left.aborted = true;
		return left;
	}
	return next._zod.run({
		value: left.value,
		issues: left.issues
	}, ctx);
}
const $ZodReadonly = /*@__PURE__*/ $constructor("$ZodReadonly", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "propValues", (zod) => zod.def.innerType._zod.propValues);
	defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType?._zod?.optin);
	defineLazyInternal(inst, "optout", (zod) => zod.def.innerType?._zod?.optout);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") return def.innerType._zod.run(payload, ctx);
		const result = def.innerType._zod.run(payload, ctx);
		if (result instanceof Promise) return result.then(handleReadonlyResult);
		return handleReadonlyResult(result);
	};
});
function handleReadonlyResult(payload) {
	if (!payload.memo) payload.value = Object.freeze(payload.value);
	return payload;
}
const $ZodCustom = /*@__PURE__*/ $constructor("$ZodCustom", (inst, def) => {
	$ZodCheck.init(inst, def);
	$ZodType.init(inst, def);
	inst._zod.parse = (payload, _) => {
		return payload;
	};
	inst._zod.check = (payload) => {
		const input = payload.value;
		const r = def.fn(input);
		if (r instanceof Promise) return r.then((r) => handleRefineResult(r, payload, input, inst));
		handleRefineResult(r, payload, input, inst);
	};
});
function handleRefineResult(result, payload, input, inst) {
	if (!result) {
		const _iss = {
			code: "custom",
			input,
			inst,
			path: [...inst._zod.def.path ?? []],
			continue: !inst._zod.def.abort
		};
		if (inst._zod.def.params) _iss.params = inst._zod.def.params;
		payload.issues.push(issue(_iss));
	}
}
// node_modules/zod/v4/core/memoizer.js
var $ZodCyclicError = class extends Error {
	constructor() {
		super(`Cannot parse a reference cycle that closes through a transform`);
		this.name = "ZodCyclicError";
	}
};
/** Keyed off the context object every schema in one parse call already shares. */
const STATE = "~memo";
const NO_ISSUES = [];
function isRef(value) {
	return value !== null && typeof value === "object";
}
function cloneIssues(issues) {
	return issues.map((iss) => iss.path ? {
		...iss,
		path: iss.path.slice()
	} : { ...iss });
}
const recursive = /*@__PURE__*/ new WeakMap();
/** What the walk established, in order of certainty: ordered so the strongest answer among children wins. */
const NONE = 0;
const ASSUMED = 1;
const PROVEN = 2;
/** Whether this schema's subtree contains a cycle, so one parse can re-enter it. */
function isRecursive(inst, stack, resolve) {
	const cached = recursive.get(inst);
	if (cached !== void 0) return cached ? PROVEN : NONE;
	if (stack.has(inst)) return PROVEN;
	stack.add(inst);
	let result = NONE;
	const check = (child) => {
		if (result !== PROVEN && child?._zod) {
			const answer = isRecursive(child, stack, resolve);
			if (answer > result) result = answer;
		}
	};
	const shape = (sh, spread) => {
		let answer = NONE;
		for (const key of Reflect.ownKeys(sh)) {
			const desc = Object.getOwnPropertyDescriptor(sh, key);
			if (spread && !desc.enumerable) continue;
			const child = desc.get ? ASSUMED : desc.value?._zod ? isRecursive(desc.value, stack, resolve) : NONE;
			if (child > answer) answer = child;
		}
		return answer;
	};
	const merge = (answer) => {
		if (answer > result) result = answer;
	};
	const def = inst._zod.def;
	switch (def.type) {
		case "object": {
			const raw = rawShape(def);
			merge(raw ? shape(raw, true) : ASSUMED);
			check(def.catchall);
			break;
		}
		case "array":
			check(def.element);
			break;
		case "tuple":
			for (const el of def.items) check(el);
			check(def.rest);
			break;
		case "record":
		case "map":
			check(def.keyType);
			check(def.valueType);
			break;
		case "set":
			check(def.valueType);
			break;
		case "union":
			for (const el of def.options) check(el);
			break;
		case "intersection":
			check(def.left);
			check(def.right);
			break;
		case "optional":
		case "nullable":
		case "default":
		case "prefault":
		case "catch":
		case "readonly":
		case "nonoptional":
		case "promise":
		case "success":
			check(def.innerType);
			break;
		case "pipe":
			check(def.in);
			check(def.out);
			break;
		case "function":
			check(def.input);
			check(def.output);
			break;
		case "lazy": {
			const inner = def._cachedInner ?? (resolve ? inst._zod.innerType : void 0);
			merge(inner ? isRecursive(inner, stack, false) : ASSUMED);
			break;
		}
		case "template_literal":
		case "string":
		case "number":
		case "int":
		case "boolean":
		case "bigint":
		case "symbol":
		case "undefined":
		case "null":
		case "void":
		case "never":
		case "any":
		case "unknown":
		case "date":
		case "nan":
		case "enum":
		case "literal":
		case "file":
		case "transform":
		case "custom": break;
		default: for (const key in def) {
			const desc = Object.getOwnPropertyDescriptor(def, key);
			if (!desc || desc.get) continue;
			const value = desc.value;
			if (!value || typeof value !== "object") continue;
			if (value._zod) check(value);
			else if (Array.isArray(value)) for (const el of value) check(el);
		}
	}
	stack.delete(inst);
	return settle(inst, result);
}
/** An assumed answer must not outlive the resolution that settles it, so only a certain one is cached. */
function settle(inst, answer) {
	if (answer !== ASSUMED) recursive.set(inst, answer === PROVEN);
	return answer;
}
function bucketFor(state, inst) {
	let bucket = state.buckets.get(inst);
	if (!bucket) {
		bucket = /* @__PURE__ */ new WeakMap();
		state.buckets.set(inst, bucket);
	}
	return bucket;
}
let handoff;
const open = [];
const memo = {
	alloc(_inst, payload, empty) {
		const bucket = handoff;
		if (!bucket) return empty;
		handoff = void 0;
		const entry = {
			value: empty,
			issues: null
		};
		bucket.set(payload.value, entry);
		open.push(entry);
		return empty;
	},
	guard(inst) {
		var _a;
		(_a = inst._zod).deferred ?? (_a.deferred = []);
		inst._zod.deferred.push(() => {
			const base = inst._zod.parse;
			const wrapped = (payload, ctx) => {
				if (ctx.direction !== "backward" && isBackEdge(ctx, payload.value)) throw new $ZodCyclicError();
				return base(payload, ctx);
			};
			inst._zod.parse = wrapped;
			if (inst._zod.run === base) inst._zod.run = wrapped;
		});
	},
	attach(inst) {
		var _a;
		let isRecursiveInst;
		let rechecked = false;
		let lastCtx;
		let lastBucket;
		(_a = inst._zod).deferred ?? (_a.deferred = []);
		inst._zod.deferred.push(() => {
			const base = inst._zod.parse;
			const wrapped = (payload, ctx) => {
				if (isRecursiveInst === void 0) {
					const walked = isRecursive(inst, /* @__PURE__ */ new Set(), false);
					if (walked === NONE) {
						inst._zod.parse = base;
						if (inst._zod.run === wrapped) inst._zod.run = base;
						return base(payload, ctx);
					}
					if (walked === PROVEN || rechecked) isRecursiveInst = true;
					else rechecked = true;
				}
				const input = payload.value;
				if (!isRef(input)) return base(payload, ctx);
				let state = ctx[STATE];
				if (!state) {
					state = {
						buckets: /* @__PURE__ */ new WeakMap(),
						backEdges: void 0
					};
					ctx[STATE] = state;
				}
				let bucket;
				if (lastCtx === ctx) bucket = lastBucket;
				else {
					bucket = bucketFor(state, inst);
					lastCtx = ctx;
					lastBucket = bucket;
				}
				const hit = bucket.get(input);
				if (hit) {
					payload.value = hit.value;
					if (hit.issues) {
						if (hit.issues.length) payload.issues.push(...cloneIssues(hit.issues));
					} else {
						payload.memo = true;
						state.backEdges ?? (state.backEdges = /* @__PURE__ */ new WeakSet());
						state.backEdges.add(hit.value);
					}
					return payload;
				}
				handoff = bucket;
				const depth = open.length;
				const result = base(payload, ctx);
				handoff = void 0;
				const entry = open.length > depth ? open.pop() : void 0;
				if (result instanceof Promise) return result.then((r) => {
					if (entry) entry.issues = r.issues.length ? cloneIssues(r.issues) : NO_ISSUES;
					return r;
				});
				if (entry) entry.issues = result.issues.length ? cloneIssues(result.issues) : NO_ISSUES;
				return result;
			};
			inst._zod.parse = wrapped;
			if (inst._zod.run === base) inst._zod.run = wrapped;
		});
	}
};
/** The memoizer that gives containers cycle support. `zod` installs it by default; `zod/mini` opts in with `config({ memoizer: memoizer() })`. */
function memoizer() {
	return memo;
}
/** Whether this value is a node a back-edge resolved to before it finished. */
function isBackEdge(ctx, value) {
	const backEdges = ctx[STATE]?.backEdges;
	return backEdges !== void 0 && isRef(value) && backEdges.has(value);
}
// node_modules/zod/v4/locales/en.js
const error = () => {
	const Sizable = {
		string: {
			unit: "characters",
			verb: "to have"
		},
		file: {
			unit: "bytes",
			verb: "to have"
		},
		array: {
			unit: "items",
			verb: "to have"
		},
		set: {
			unit: "items",
			verb: "to have"
		},
		map: {
			unit: "entries",
			verb: "to have"
		}
	};
	function getSizing(origin) {
		return Sizable[origin] ?? null;
	}
	const FormatDictionary = {
		regex: "input",
		email: "email address",
		url: "URL",
		emoji: "emoji",
		uuid: "UUID",
		uuidv4: "UUIDv4",
		uuidv6: "UUIDv6",
		nanoid: "nanoid",
		guid: "GUID",
		cuid: "cuid",
		cuid2: "cuid2",
		ulid: "ULID",
		xid: "XID",
		ksuid: "KSUID",
		datetime: "ISO datetime",
		date: "ISO date",
		time: "ISO time",
		duration: "ISO duration",
		ipv4: "IPv4 address",
		ipv6: "IPv6 address",
		mac: "MAC address",
		cidrv4: "IPv4 range",
		cidrv6: "IPv6 range",
		base64: "base64-encoded string",
		base64url: "base64url-encoded string",
		json_string: "JSON string",
		e164: "E.164 number",
		currency_code: "currency code",
		credit_card: "credit card number",
		iban: "IBAN",
		jwt: "JWT",
		template_literal: "input"
	};
	const TypeDictionary = { nan: "NaN" };
	function getTypeName(type, input) {
		if (type === "number" && typeof input === "number" && !Number.isFinite(input)) return String(input);
		return TypeDictionary[type] ?? type;
	}
	return (issue) => {
		switch (issue.code) {
			case "invalid_type": return `Invalid input: expected ${getTypeName(issue.expected)}, received ${getTypeName(parsedType(issue.input), issue.input)}`;
			case "invalid_value":
				if (issue.values.length === 1) return `Invalid input: expected ${stringifyPrimitive(issue.values[0])}`;
				return `Invalid option: expected one of ${joinValues(issue.values, "|")}`;
			case "too_big": {
				const adj = issue.exact ? "exactly " : issue.inclusive ? "<=" : "<";
				const sizing = getSizing(issue.origin);
				if (sizing) return `Too big: expected ${issue.origin ?? "value"} to have ${adj}${issue.maximum.toString()} ${sizing.unit ?? "elements"}`;
				return `Too big: expected ${issue.origin ?? "value"} to be ${adj}${issue.maximum.toString()}`;
			}
			case "too_small": {
				const adj = issue.exact ? "exactly " : issue.inclusive ? ">=" : ">";
				const sizing = getSizing(issue.origin);
				if (sizing) return `Too small: expected ${issue.origin} to have ${adj}${issue.minimum.toString()} ${sizing.unit}`;
				return `Too small: expected ${issue.origin} to be ${adj}${issue.minimum.toString()}`;
			}
			case "invalid_format": {
				const _issue = issue;
				if (_issue.format === "starts_with") return `Invalid string: must start with "${_issue.prefix}"`;
				if (_issue.format === "ends_with") return `Invalid string: must end with "${_issue.suffix}"`;
				if (_issue.format === "includes") return `Invalid string: must include "${_issue.includes}"`;
				if (_issue.format === "regex") return `Invalid string: must match pattern ${_issue.pattern}`;
				return `Invalid ${FormatDictionary[_issue.format] ?? issue.format}`;
			}
			case "not_multiple_of": return `Invalid number: must be a multiple of ${issue.divisor}`;
			case "unrecognized_keys": return `Unrecognized key${issue.keys.length > 1 ? "s" : ""}: ${joinValues(issue.keys, ", ")}`;
			case "invalid_key": return `Invalid key in ${issue.origin}`;
			case "invalid_union":
				if (issue.options && Array.isArray(issue.options) && issue.options.length > 0) return `Invalid discriminator value. Expected ${issue.options.map((o) => `'${o}'`).join(" | ")}`;
				if (issue.inclusive === false) return "Invalid input: more than one option matched";
				return "Invalid input";
			case "invalid_element": return `Invalid value in ${issue.origin}`;
			default: return `Invalid input`;
		}
	};
};
function en_default() {
	return { localeError: error() };
}
// node_modules/zod/v4/core/registries.js
var _a;
var $ZodRegistry = class {
	constructor() {
		this._map = /* @__PURE__ */ new WeakMap();
		this._idmap = /* @__PURE__ */ new Map();
	}
	add(schema, ..._meta) {
		const meta = _meta[0];
		this._map.set(schema, meta);
		if (meta && typeof meta === "object" && "id" in meta) this._idmap.set(meta.id, schema);
		return this;
	}
	clear() {
		this._map = /* @__PURE__ */ new WeakMap();
		this._idmap = /* @__PURE__ */ new Map();
		return this;
	}
	remove(schema) {
		const meta = this._map.get(schema);
		if (meta && typeof meta === "object" && "id" in meta) this._idmap.delete(meta.id);
		this._map.delete(schema);
		return this;
	}
	get(schema) {
		const p = schema._zod.parent;
		if (p) {
			const pm = { ...this.get(p) ?? {} };
			delete pm.id;
			const f = {
				...pm,
				...this._map.get(schema)
			};
			return Object.keys(f).length ? f : void 0;
		}
		return this._map.get(schema);
	}
	has(schema) {
		return this._map.has(schema);
	}
};
function registry() {
	return new $ZodRegistry();
}
(_a = globalThis).__zod_globalRegistry ?? (_a.__zod_globalRegistry = registry());
const globalRegistry = globalThis.__zod_globalRegistry;
// node_modules/zod/v4/core/api.js
function snapshotChecks(def) {
	if (def.checks) def.checks = [...def.checks];
	return def;
}
// @__NO_SIDE_EFFECTS__
function _string(Class, params) {
	return new Class(snapshotChecks({
		type: "string",
		...normalizeParams(params)
	}));
}
// @__NO_SIDE_EFFECTS__
function _email(Class, params) {
	return new Class({
		type: "string",
		format: "email",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _guid(Class, params) {
	return new Class({
		type: "string",
		format: "guid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uuid(Class, params) {
	return new Class({
		type: "string",
		format: "uuid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uuidv4(Class, params) {
	return new Class({
		type: "string",
		format: "uuid",
		check: "string_format",
		abort: false,
		version: "v4",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uuidv6(Class, params) {
	return new Class({
		type: "string",
		format: "uuid",
		check: "string_format",
		abort: false,
		version: "v6",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uuidv7(Class, params) {
	return new Class({
		type: "string",
		format: "uuid",
		check: "string_format",
		abort: false,
		version: "v7",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _url(Class, params) {
	return new Class({
		type: "string",
		format: "url",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _emoji(Class, params) {
	return new Class({
		type: "string",
		format: "emoji",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _nanoid(Class, params) {
	return new Class({
		type: "string",
		format: "nanoid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
/**
* @deprecated CUID v1 is deprecated by its authors due to information leakage
* (timestamps embedded in the id). Use {@link _cuid2} instead.
* See https://github.com/paralleldrive/cuid.
*/
// @__NO_SIDE_EFFECTS__
function _cuid(Class, params) {
	return new Class({
		type: "string",
		format: "cuid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _cuid2(Class, params) {
	return new Class({
		type: "string",
		format: "cuid2",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _ulid(Class, params) {
	return new Class({
		type: "string",
		format: "ulid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _xid(Class, params) {
	return new Class({
		type: "string",
		format: "xid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _ksuid(Class, params) {
	return new Class({
		type: "string",
		format: "ksuid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _ipv4(Class, params) {
	return new Class({
		type: "string",
		format: "ipv4",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _ipv6(Class, params) {
	return new Class({
		type: "string",
		format: "ipv6",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _cidrv4(Class, params) {
	return new Class({
		type: "string",
		format: "cidrv4",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _cidrv6(Class, params) {
	return new Class({
		type: "string",
		format: "cidrv6",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _base64(Class, params) {
	return new Class({
		type: "string",
		format: "base64",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _base64url(Class, params) {
	return new Class({
		type: "string",
		format: "base64url",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _e164(Class, params) {
	return new Class({
		type: "string",
		format: "e164",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _jwt(Class, params) {
	return new Class({
		type: "string",
		format: "jwt",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _isoDateTime(Class, params) {
	return new Class({
		type: "string",
		format: "datetime",
		check: "string_format",
		offset: false,
		local: false,
		precision: null,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _isoDate(Class, params) {
	return new Class({
		type: "string",
		format: "date",
		check: "string_format",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _isoTime(Class, params) {
	return new Class({
		type: "string",
		format: "time",
		check: "string_format",
		precision: null,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _isoDuration(Class, params) {
	return new Class({
		type: "string",
		format: "duration",
		check: "string_format",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _number(Class, params) {
	return new Class(snapshotChecks({
		type: "number",
		checks: [],
		...normalizeParams(params)
	}));
}
// @__NO_SIDE_EFFECTS__
function _coercedNumber(Class, params) {
	return new Class(snapshotChecks({
		type: "number",
		coerce: true,
		checks: [],
		...normalizeParams(params)
	}));
}
// @__NO_SIDE_EFFECTS__
function _int(Class, params) {
	return new Class({
		type: "number",
		check: "number_format",
		abort: false,
		format: "safeint",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _boolean(Class, params) {
	return new Class({
		type: "boolean",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _unknown(Class) {
	return new Class({ type: "unknown" });
}
// @__NO_SIDE_EFFECTS__
function _never(Class, params) {
	return new Class({
		type: "never",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _lt(value, params) {
	return new $ZodCheckLessThan({
		check: "less_than",
		...normalizeParams(params),
		value,
		inclusive: false
	});
}
// @__NO_SIDE_EFFECTS__
function _lte(value, params) {
	return new $ZodCheckLessThan({
		check: "less_than",
		...normalizeParams(params),
		value,
		inclusive: true
	});
}
// @__NO_SIDE_EFFECTS__
function _gt(value, params) {
	return new $ZodCheckGreaterThan({
		check: "greater_than",
		...normalizeParams(params),
		value,
		inclusive: false
	});
}
// @__NO_SIDE_EFFECTS__
function _gte(value, params) {
	return new $ZodCheckGreaterThan({
		check: "greater_than",
		...normalizeParams(params),
		value,
		inclusive: true
	});
}
// @__NO_SIDE_EFFECTS__
function _multipleOf(value, params) {
	return new $ZodCheckMultipleOf({
		check: "multiple_of",
		...normalizeParams(params),
		value
	});
}
// @__NO_SIDE_EFFECTS__
function _maxLength(maximum, params) {
	return new $ZodCheckMaxLength({
		check: "max_length",
		...normalizeParams(params),
		maximum
	});
}
// @__NO_SIDE_EFFECTS__
function _minLength(minimum, params) {
	return new $ZodCheckMinLength({
		check: "min_length",
		...normalizeParams(params),
		minimum
	});
}
// @__NO_SIDE_EFFECTS__
function _length(length, params) {
	return new $ZodCheckLengthEquals({
		check: "length_equals",
		...normalizeParams(params),
		length
	});
}
// @__NO_SIDE_EFFECTS__
function _regex(pattern, params) {
	return new $ZodCheckRegex({
		check: "string_format",
		format: "regex",
		...normalizeParams(params),
		pattern
	});
}
// @__NO_SIDE_EFFECTS__
function _lowercase(params) {
	return new $ZodCheckLowerCase({
		check: "string_format",
		format: "lowercase",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uppercase(params) {
	return new $ZodCheckUpperCase({
		check: "string_format",
		format: "uppercase",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _includes(includes, params) {
	return new $ZodCheckIncludes({
		check: "string_format",
		format: "includes",
		...normalizeParams(params),
		includes
	});
}
// @__NO_SIDE_EFFECTS__
function _startsWith(prefix, params) {
	return new $ZodCheckStartsWith({
		check: "string_format",
		format: "starts_with",
		...normalizeParams(params),
		prefix
	});
}
// @__NO_SIDE_EFFECTS__
function _endsWith(suffix, params) {
	return new $ZodCheckEndsWith({
		check: "string_format",
		format: "ends_with",
		...normalizeParams(params),
		suffix
	});
}
// @__NO_SIDE_EFFECTS__
function _overwrite(tx) {
	return new $ZodCheckOverwrite({
		check: "overwrite",
		tx
	});
}
// @__NO_SIDE_EFFECTS__
function _normalize(form) {
	return /* @__PURE__ */ _overwrite((input) => input.normalize(form));
}
// @__NO_SIDE_EFFECTS__
function _trim() {
	return /* @__PURE__ */ _overwrite((input) => input.trim());
}
// @__NO_SIDE_EFFECTS__
function _toLowerCase() {
	return /* @__PURE__ */ _overwrite((input) => input.toLowerCase());
}
// @__NO_SIDE_EFFECTS__
function _toUpperCase() {
	return /* @__PURE__ */ _overwrite((input) => input.toUpperCase());
}
// @__NO_SIDE_EFFECTS__
function _slugify() {
	return /* @__PURE__ */ _overwrite((input) => slugify(input));
}
// @__NO_SIDE_EFFECTS__
function _array(Class, element, params) {
	return new Class({
		type: "array",
		element,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _refine(Class, fn, _params) {
	return new Class({
		type: "custom",
		check: "custom",
		fn,
		...normalizeParams(_params)
	});
}
// @__NO_SIDE_EFFECTS__
function _superRefine(fn, params) {
	const ch = /* @__PURE__ */ _check((payload) => {
		payload.addIssue = (issue$2) => {
			if (typeof issue$2 === "string") payload.issues.push(issue(issue$2, payload.value, ch._zod.def));
			else {
				const _issue = issue$2;
				if (_issue.fatal) _issue.continue = false;
				_issue.code ?? (_issue.code = "custom");
				if (!("input" in _issue)) _issue.input = payload.value;
				_issue.inst ?? (_issue.inst = ch);
				_issue.continue ?? (_issue.continue = !ch._zod.def.abort);
				payload.issues.push(issue(_issue));
			}
		};
		return fn(payload.value, payload);
	}, params);
	return ch;
}
// @__NO_SIDE_EFFECTS__
function _check(fn, params) {
	const ch = new $ZodCheck({
		check: "custom",
		...normalizeParams(params)
	});
	ch._zod.check = fn;
	return ch;
}
// node_modules/zod/v4/core/to-json-schema.js
function assignProps(target, ...sources) {
	for (const source of sources) for (const key of Reflect.ownKeys(source)) if (Object.prototype.propertyIsEnumerable.call(source, key)) assignProp(target, key, source[key]);
	return target;
}
function initializeContext(params) {
	let target = params?.target ?? "draft-2020-12";
	if (target === "draft-4") target = "draft-04";
	if (target === "draft-7") target = "draft-07";
	return {
		processors: params.processors ?? {},
		metadataRegistry: params?.metadata ?? globalRegistry,
		target,
		unrepresentable: params?.unrepresentable ?? "throw",
		override: params?.override ?? (() => {}),
		io: params?.io ?? "output",
		counter: 0,
		seen: /* @__PURE__ */ new Map(),
		sharedDefsExtractedFor: void 0,
		sharedEmitDoneFor: void 0,
		cycles: params?.cycles ?? "ref",
		reused: params?.reused ?? "inline",
		intersections: [],
		deferred: [],
		external: params?.external ?? void 0
	};
}
/**
* Applies the `unrepresentable` setting at a site that has no JSON Schema equivalent. Throws
* `message` unless the setting (or the handler's return value) says otherwise. Returns `true` if a
* custom JSON Schema was written into `json`, in which case the caller must not write its own.
*/
function handleUnrepresentable(schema, ctx, json, params, message) {
	const result = typeof ctx.unrepresentable === "function" ? ctx.unrepresentable({
		zodSchema: schema,
		path: params.path,
		message
	}) : ctx.unrepresentable;
	if (result === "any") return false;
	if (result === void 0 || result === "throw") throw new Error(message);
	Object.assign(json, result);
	return true;
}
function processSchema(schema, ctx, _params = {
	path: [],
	schemaPath: []
}) {
	var _a;
	const def = schema._zod.def;
	const seen = ctx.seen.get(schema);
	if (seen) {
		seen.count++;
		if (_params.schemaPath.includes(schema)) seen.cycle = _params.path;
		return seen.schema;
	}
	const result = {
		schema: {},
		count: 1,
		cycle: void 0,
		path: _params.path
	};
	ctx.seen.set(schema, result);
	ctx.sharedDefsExtractedFor = void 0;
	ctx.sharedEmitDoneFor = void 0;
	const overrideSchema = schema._zod.toJSONSchema?.();
	if (overrideSchema) result.schema = overrideSchema;
	else {
		const params = {
			..._params,
			schemaPath: [..._params.schemaPath, schema],
			path: _params.path
		};
		if (schema._zod.processJSONSchema) schema._zod.processJSONSchema(ctx, result.schema, params);
		else {
			const _json = result.schema;
			const processor = ctx.processors[def.type];
			if (!processor) throw new Error(`[toJSONSchema]: Non-representable type encountered: ${def.type}`);
			processor(schema, ctx, _json, params);
		}
		const parent = schema._zod.parent;
		if (parent) {
			if (!result.ref) result.ref = parent;
			processSchema(parent, ctx, params);
			ctx.seen.get(parent).isParent = true;
		}
	}
	const meta = ctx.metadataRegistry.get(schema);
	if (meta) assignProps(result.schema, meta);
	if (ctx.io === "input" && isTransforming(schema)) {
		delete result.schema.examples;
		delete result.schema.default;
	}
	if (ctx.io === "input" && "_prefault" in result.schema) (_a = result.schema).default ?? (_a.default = result.schema._prefault);
	delete result.schema._prefault;
	return ctx.seen.get(schema).schema;
}
function encodeJSONPointerSegment(segment) {
	return segment.replace(/~/g, "~0").replace(/\//g, "~1");
}
function extractDefs(ctx, schema) {
	const root = ctx.seen.get(schema);
	if (!root) throw new Error("Unprocessed schema. This is a bug in Zod.");
	if (ctx.external && ctx.sharedDefsExtractedFor === ctx.external) return;
	const idToSchema = /* @__PURE__ */ new Map();
	for (const entry of ctx.seen.entries()) {
		const id = ctx.metadataRegistry.get(entry[0])?.id;
		if (id) {
			const existing = idToSchema.get(id);
			if (existing && existing !== entry[0]) throw new Error(`Duplicate schema id "${id}" detected during JSON Schema conversion. Two different schemas cannot share the same id when converted together.`);
			idToSchema.set(id, entry[0]);
		}
	}
	const makeURI = (entry) => {
		const defsSegment = ctx.target === "draft-2020-12" ? "$defs" : "definitions";
		if (ctx.external) {
			const externalId = ctx.external.registry.get(entry[0])?.id;
			const uriGenerator = ctx.external.uri ?? ((id) => id);
			if (externalId) return { ref: uriGenerator(externalId) };
			const id = entry[1].defId ?? entry[1].schema.id ?? `schema${ctx.counter++}`;
			entry[1].defId = id;
			return {
				defId: id,
				ref: `${uriGenerator("__shared")}#/${defsSegment}/${encodeJSONPointerSegment(id)}`
			};
		}
		const uriPrefix = `#`;
		const defUriPrefix = `${uriPrefix}/${defsSegment}/`;
		if (entry[1] === root && !entry[1].schema.id) return { ref: uriPrefix };
		const defId = entry[1].schema.id ?? `__schema${ctx.counter++}`;
		return {
			defId,
			ref: defUriPrefix + encodeJSONPointerSegment(defId)
		};
	};
	const extractToDef = (entry) => {
		if (entry[1].schema.$ref) return;
		const seen = entry[1];
		const { ref, defId } = makeURI(entry);
		seen.def = { ...seen.schema };
		if (defId) seen.defId = defId;
		const schema = seen.schema;
		for (const key in schema) delete schema[key];
		schema.$ref = ref;
	};
	if (ctx.cycles === "throw") for (const entry of ctx.seen.entries()) {
		const seen = entry[1];
		if (seen.cycle) throw new Error(`Cycle detected: #/${seen.cycle?.join("/")}/<root>

Set the \`cycles\` parameter to \`"ref"\` to resolve cyclical schemas with defs.`);
	}
	for (const entry of ctx.seen.entries()) {
		const seen = entry[1];
		if (schema === entry[0]) {
			extractToDef(entry);
			continue;
		}
		if (ctx.external) {
			const ext = ctx.external.registry.get(entry[0])?.id;
			if (schema !== entry[0] && ext) {
				extractToDef(entry);
				continue;
			}
		}
		if (ctx.metadataRegistry.get(entry[0])?.id) {
			extractToDef(entry);
			continue;
		}
		if (seen.cycle) {
			extractToDef(entry);
			continue;
		}
		if (seen.count > 1) {
			if (ctx.reused === "ref") extractToDef(entry);
		}
	}
	if (ctx.external) ctx.sharedDefsExtractedFor = ctx.external;
}
/** Rewrites `anyOf: [{type: "a"}, {type: "b"}]` to `type: ["a", "b"]`, which every JSON Schema draft treats as equivalent and most consumers render far better for the nullable case. Only branches that are a bare type assertion qualify — anything carrying a constraint, `$ref`, `const` or metadata is left alone. Runs after `flattenRef`, so a branch an override decorated or `$defs` extraction turned into a `$ref` is no longer bare and correctly stays in `anyOf`. `oneOf` is excluded: `integer` and `number` overlap, so "exactly one" and "at least one" are not the same there. OpenAPI 3.0 is excluded: its `type` must be a single string. */
function compactTypeUnion(schema) {
	const options = schema.anyOf;
	if (!Array.isArray(options) || options.length === 0 || schema.type !== void 0) return;
	const types = [];
	for (const option of options) {
		if (!option || typeof option !== "object") return;
		compactTypeUnion(option);
		const keys = Object.keys(option);
		if (keys.length !== 1 || keys[0] !== "type") return;
		const type = option.type;
		for (const member of Array.isArray(type) ? type : [type]) {
			if (typeof member !== "string") return;
			if (!types.includes(member)) types.push(member);
		}
	}
	delete schema.anyOf;
	schema.type = types.length === 1 ? types[0] : types;
}
/** Keywords `foldIntersection` knows how to combine. Anything else — `$ref`, `patternProperties`,
* an annotation like `description` — makes a member unfoldable, so a constraint this does not
* understand leaves the `allOf` alone instead of being silently dropped or misattributed. */
const FOLDABLE_KEYS = /* @__PURE__ */ new Set([
	"type",
	"properties",
	"required",
	"additionalProperties"
]);
const UNION_KEYS = ["oneOf", "anyOf"];
/** A member's constraint on a key it does not declare itself. A `catchall` states one; `false`, an absent `additionalProperties`, and the empty schema a loose object emits state nothing. */
function undeclaredConstraint(member) {
	const extra = member.additionalProperties;
	if (extra === void 0 || extra === false || typeof extra !== "object" || extra === null) return null;
	return Object.keys(extra).length ? extra : null;
}
/** Combines object members into the single object they describe together, or returns `null` if any of them carries a keyword outside {@link FOLDABLE_KEYS}. */
function foldObjects(members) {
	const objects = [];
	for (const member of members) {
		if (typeof member !== "object" || member.type !== "object") return null;
		for (const key in member) if (!FOLDABLE_KEYS.has(key)) return null;
		objects.push(member);
	}
	const properties = {};
	const required = /* @__PURE__ */ new Set();
	for (const object of objects) {
		for (const key in object.properties) {
			if (Object.prototype.hasOwnProperty.call(properties, key)) continue;
			const parts = [];
			for (const other of objects) {
				const part = other.properties?.[key] ?? undeclaredConstraint(other);
				if (part === null || part === void 0) continue;
				if (!parts.some((seen) => JSON.stringify(seen) === JSON.stringify(part))) parts.push(part);
			}
			assignProp(properties, key, parts.length === 1 ? parts[0] : foldObjects(parts) ?? { allOf: parts });
		}
		for (const key of object.required ?? []) required.add(key);
	}
	const folded = {
		type: "object",
		properties
	};
	if (required.size) folded.required = [...required];
	if (objects.every((object) => object.additionalProperties === false)) folded.additionalProperties = false;
	else {
		const constraints = [];
		for (const object of objects) {
			const constraint = undeclaredConstraint(object);
			if (constraint && !constraints.some((seen) => JSON.stringify(seen) === JSON.stringify(constraint))) constraints.push(constraint);
		}
		if (constraints.length === 1) folded.additionalProperties = constraints[0];
		else if (constraints.length > 1) folded.additionalProperties = { allOf: constraints };
	}
	return folded;
}
/** `additionalProperties` in an `allOf` member sees only that member's own `properties`, so two
* closed object members reject each other's keys and the schema validates nothing. Zod's parser
* pools the key sets instead — `handleIntersectionResults` reports a key as unrecognized only when
* *every* side rejects it — so the emitted schema has to pool them too, and folding the members
* into one object is the encoding that says so on every target.
*
* This runs from `finalize`, after `extractDefs`, which is what keeps it clear of the `$ref`
* machinery: a member extracted into `$defs` is already a `$ref` by now and declines to fold, so it
* keeps its reference and its own closedness rather than being inlined as a stale copy. */
function foldIntersection(json) {
	const allOf = json.allOf;
	if (!Array.isArray(allOf) || allOf.length < 2) return;
	for (const key of FOLDABLE_KEYS) if (key in json) return;
	const unions = allOf.filter((m) => UNION_KEYS.some((k) => Array.isArray(m[k])));
	let folded = null;
	if (!unions.length) folded = foldObjects(allOf);
	else {
		const union = unions[0];
		const keyword = UNION_KEYS.find((k) => Array.isArray(union[k]));
		if (Object.keys(union).length !== 1) return;
		const rest = allOf.filter((m) => m !== union);
		const branches = union[keyword].map((branch) => foldObjects([...rest, branch]));
		if (branches.some((b) => !b)) return;
		folded = { [keyword]: branches };
	}
	if (!folded) return;
	delete json.allOf;
	assignProps(json, folded);
}
function finalize(ctx, schema) {
	const root = ctx.seen.get(schema);
	if (!root) throw new Error("Unprocessed schema. This is a bug in Zod.");
	const flattenRef = (zodSchema) => {
		const seen = ctx.seen.get(zodSchema);
		if (seen.ref === null) return;
		const schema = seen.def ?? seen.schema;
		const _cached = { ...schema };
		const ref = seen.ref;
		seen.ref = null;
		if (ref) {
			flattenRef(ref);
			const refSeen = ctx.seen.get(ref);
			const refSchema = refSeen.schema;
			if (refSchema.$ref && (ctx.target === "draft-07" || ctx.target === "draft-04" || ctx.target === "openapi-3.0")) {
				schema.allOf = schema.allOf ?? [];
				schema.allOf.push(refSchema);
			} else assignProps(schema, refSchema);
			assignProps(schema, _cached);
			if (zodSchema._zod.parent === ref) for (const key in schema) {
				if (key === "$ref" || key === "allOf") continue;
				if (!(key in _cached)) delete schema[key];
			}
			if (refSchema.$ref && refSeen.def) for (const key in schema) {
				if (key === "$ref" || key === "allOf") continue;
				if (key in refSeen.def && JSON.stringify(schema[key]) === JSON.stringify(refSeen.def[key])) delete schema[key];
			}
		}
		const parent = zodSchema._zod.parent;
		if (parent && parent !== ref) {
			flattenRef(parent);
			const parentSeen = ctx.seen.get(parent);
			if (parentSeen?.schema.$ref) {
				schema.$ref = parentSeen.schema.$ref;
				if (parentSeen.def) for (const key in schema) {
					if (key === "$ref" || key === "allOf") continue;
					if (key in parentSeen.def && JSON.stringify(schema[key]) === JSON.stringify(parentSeen.def[key])) delete schema[key];
				}
			}
		}
		ctx.override({
			zodSchema,
			jsonSchema: schema,
			path: seen.path ?? []
		});
	};
	if (!ctx.external || ctx.sharedEmitDoneFor !== ctx.external) {
		for (const entry of [...ctx.seen.entries()].reverse()) flattenRef(entry[0]);
		if (ctx.target !== "openapi-3.0") for (const entry of ctx.seen.entries()) compactTypeUnion(entry[1].def ?? entry[1].schema);
		for (const rewrite of ctx.deferred) rewrite();
		if (ctx.intersections.length) {
			const carriers = /* @__PURE__ */ new Map();
			for (const seen of ctx.seen.values()) for (const json of [seen.schema, seen.def]) {
				const allOf = json?.allOf;
				if (!Array.isArray(allOf)) continue;
				const existing = carriers.get(allOf);
				if (existing) existing.push(json);
				else carriers.set(allOf, [json]);
			}
			for (const allOf of ctx.intersections) for (const json of carriers.get(allOf) ?? []) foldIntersection(json);
		}
	}
	const result = {};
	if (ctx.target === "draft-2020-12") result.$schema = "https://json-schema.org/draft/2020-12/schema";
	else if (ctx.target === "draft-07") result.$schema = "http://json-schema.org/draft-07/schema#";
	else if (ctx.target === "draft-04") result.$schema = "http://json-schema.org/draft-04/schema#";
	else if (ctx.target === "openapi-3.0") {}
	if (ctx.external?.uri) {
		const id = ctx.external.registry.get(schema)?.id;
		if (!id) throw new Error("Schema is missing an `id` property");
		result.$id = ctx.external.uri(id);
	}
	assignProps(result, root.defId ? root.schema : root.def ?? root.schema);
	const rootMetaId = ctx.metadataRegistry.get(schema)?.id;
	if (rootMetaId !== void 0 && result.id === rootMetaId) delete result.id;
	const defs = ctx.external?.defs ?? {};
	if (!ctx.external || ctx.sharedEmitDoneFor !== ctx.external) for (const entry of ctx.seen.entries()) {
		const seen = entry[1];
		if (seen.def && seen.defId) {
			if (seen.def.id === seen.defId) delete seen.def.id;
			assignProp(defs, seen.defId, seen.def);
		}
	}
	if (ctx.external) ctx.sharedEmitDoneFor = ctx.external;
	if (ctx.external) {} else if (Object.keys(defs).length > 0) {
		if (ctx.target === "draft-2020-12") result.$defs = defs;
		else result.definitions = defs;
	}
	try {
		const finalized = JSON.parse(JSON.stringify(result));
		Object.defineProperty(finalized, "~standard", {
			value: {
				...schema["~standard"],
				jsonSchema: {
					input: createStandardJSONSchemaMethod(schema, "input", ctx.processors),
					output: createStandardJSONSchemaMethod(schema, "output", ctx.processors)
				}
			},
			enumerable: false,
			writable: false
		});
		return finalized;
	} catch (_err) {
		throw new Error("Error converting schema to JSON.");
	}
}
function isTransforming(_schema, _ctx) {
	const ctx = _ctx ?? { seen: /* @__PURE__ */ new Set() };
	if (ctx.seen.has(_schema)) return false;
	ctx.seen.add(_schema);
	const def = _schema._zod.def;
	if (def.type === "transform") return true;
	if (def.type === "array") return isTransforming(def.element, ctx);
	if (def.type === "set") return isTransforming(def.valueType, ctx);
	if (def.type === "lazy") return isTransforming(def.getter(), ctx);
	if (def.type === "promise" || def.type === "optional" || def.type === "nonoptional" || def.type === "nullable" || def.type === "readonly" || def.type === "default" || def.type === "prefault" || def.type === "catch") return isTransforming(def.innerType, ctx);
	if (def.type === "intersection") return isTransforming(def.left, ctx) || isTransforming(def.right, ctx);
	if (def.type === "record" || def.type === "map") return isTransforming(def.keyType, ctx) || isTransforming(def.valueType, ctx);
	if (def.type === "pipe") {
		if (_schema._zod.traits.has("$ZodCodec")) return true;
		return isTransforming(def.in, ctx) || isTransforming(def.out, ctx);
	}
	if (def.type === "object") {
		for (const key in def.shape) if (isTransforming(def.shape[key], ctx)) return true;
		return false;
	}
	if (def.type === "union") {
		for (const option of def.options) if (isTransforming(option, ctx)) return true;
		return false;
	}
	if (def.type === "tuple") {
		for (const item of def.items) if (isTransforming(item, ctx)) return true;
		if (def.rest && isTransforming(def.rest, ctx)) return true;
		return false;
	}
	return false;
}
/**
* Creates a toJSONSchema method for a schema instance.
* This encapsulates the logic of initializing context, processing, extracting defs, and finalizing.
*/
const createToJSONSchemaMethod = (schema, processors = {}) => (params) => {
	const ctx = initializeContext({
		...params,
		processors
	});
	processSchema(schema, ctx);
	extractDefs(ctx, schema);
	return finalize(ctx, schema);
};
const createStandardJSONSchemaMethod = (schema, io, processors = {}) => (params) => {
	const { libraryOptions, target } = params ?? {};
	const ctx = initializeContext({
		...libraryOptions ?? {},
		target,
		io,
		processors
	});
	processSchema(schema, ctx);
	extractDefs(ctx, schema);
	return finalize(ctx, schema);
};
// node_modules/zod/v4/core/json-schema-processors.js
const narrowMin = (agg, key, value) => {
	if (agg[key] === void 0 || value > agg[key]) agg[key] = value;
};
const narrowMax = (agg, key, value) => {
	if (agg[key] === void 0 || value < agg[key]) agg[key] = value;
};
const narrowBoth = (agg, value) => {
	narrowMin(agg, "minimum", value);
	narrowMax(agg, "maximum", value);
};
const addDivisor = (agg, value) => {
	agg.multipleOf ?? (agg.multipleOf = []);
	if (!agg.multipleOf.includes(value)) agg.multipleOf.push(value);
};
const addPattern = (agg, pattern) => {
	agg.patterns ?? (agg.patterns = /* @__PURE__ */ new Set());
	agg.patterns.add(pattern);
};
const intersectMime = (agg, mime) => {
	agg.mime = agg.mime ? agg.mime.filter((m) => mime.includes(m)) : [...mime];
};
const setFormat = (agg, format) => {
	agg.format = format;
	if (format.includes("int")) agg.isInt = true;
};
const minContributor = (agg, def) => narrowMin(agg, "minimum", def.minimum);
const maxContributor = (agg, def) => narrowMax(agg, "maximum", def.maximum);
const formatContributor = (ranges) => (agg, def) => {
	setFormat(agg, def.format);
	const [minimum, maximum] = ranges[def.format];
	narrowMin(agg, "minimum", minimum);
	narrowMax(agg, "maximum", maximum);
};
const contributors = {
	greater_than: (agg, def) => narrowMin(agg, def.inclusive ? "minimum" : "exclusiveMinimum", def.value),
	less_than: (agg, def) => narrowMax(agg, def.inclusive ? "maximum" : "exclusiveMaximum", def.value),
	multiple_of: (agg, def) => addDivisor(agg, def.value),
	number_format: formatContributor(NUMBER_FORMAT_RANGES),
	bigint_format: formatContributor(BIGINT_FORMAT_RANGES),
	min_length: minContributor,
	max_length: maxContributor,
	length_equals: (agg, def) => narrowBoth(agg, def.length),
	min_size: minContributor,
	max_size: maxContributor,
	size_equals: (agg, def) => narrowBoth(agg, def.size),
	string_format: (agg, def) => {
		setFormat(agg, def.format);
		if (def.pattern) addPattern(agg, def.pattern);
		if (def.format === "base64" || def.format === "base64url") agg.contentEncoding = def.format;
		if (def.local || def.precision === -1) agg.laxFormat = true;
	},
	mime_type: (agg, def) => intersectMime(agg, def.mime)
};
function aggregateChecks(schema) {
	const agg = {};
	const def = schema._zod.def;
	const list = schema._zod.traits.has("$ZodCheck") ? [schema, ...def.checks ?? []] : def.checks ?? [];
	for (const ch of list) contributors[ch._zod.def.check]?.(agg, ch._zod.def);
	const bag = schema._zod.bag;
	if (bag.minimum !== void 0) narrowMin(agg, "minimum", bag.minimum);
	if (bag.exclusiveMinimum !== void 0) narrowMin(agg, "exclusiveMinimum", bag.exclusiveMinimum);
	if (bag.maximum !== void 0) narrowMax(agg, "maximum", bag.maximum);
	if (bag.exclusiveMaximum !== void 0) narrowMax(agg, "exclusiveMaximum", bag.exclusiveMaximum);
	if (bag.multipleOf !== void 0) addDivisor(agg, bag.multipleOf);
	if (bag.format !== void 0) {
		agg.format ?? (agg.format = bag.format);
		if (bag.format.includes("int")) agg.isInt = true;
	}
	if (bag.mime) intersectMime(agg, bag.mime);
	for (const pattern of bag.patterns ?? []) addPattern(agg, pattern);
	return agg;
}
const formatMap = {
	guid: "uuid",
	url: "uri",
	datetime: "date-time",
	json_string: "json-string",
	regex: ""
};
const exactPatterns = /* @__PURE__ */ new Map([[base64Charset, base64], [base64urlCharset, base64url]]);
const exactPattern = (p) => exactPatterns.get(p) ?? p;
const stringProcessor = (schema, ctx, _json, _params) => {
	const json = _json;
	json.type = "string";
	const { minimum, maximum, format, patterns, contentEncoding, laxFormat } = aggregateChecks(schema);
	if (typeof minimum === "number") json.minLength = minimum;
	if (typeof maximum === "number") json.maxLength = maximum;
	if (format) {
		json.format = formatMap[format] ?? format;
		if (json.format === "") delete json.format;
		if (format === "time" || laxFormat) delete json.format;
	}
	if (contentEncoding) json.contentEncoding = contentEncoding;
	if (patterns && patterns.size > 0) {
		const patternList = [...patterns].map(exactPattern);
		if (patternList.length === 1) json.pattern = patternList[0].source;
		else if (patternList.length > 1) json.allOf = [...patternList.map((regex) => ({
			...ctx.target === "draft-07" || ctx.target === "draft-04" || ctx.target === "openapi-3.0" ? { type: "string" } : {},
			pattern: regex.source
		}))];
	}
};
const numberProcessor = (schema, ctx, _json, params) => {
	const json = _json;
	const { minimum, maximum, multipleOf, exclusiveMaximum, exclusiveMinimum, isInt } = aggregateChecks(schema);
	json.type = isInt ? "integer" : "number";
	const exMin = typeof exclusiveMinimum === "number" && exclusiveMinimum >= (minimum ?? Number.NEGATIVE_INFINITY);
	const exMax = typeof exclusiveMaximum === "number" && exclusiveMaximum <= (maximum ?? Number.POSITIVE_INFINITY);
	const legacy = ctx.target === "draft-04" || ctx.target === "openapi-3.0";
	if (exMin) {
		if (legacy) {
			json.minimum = exclusiveMinimum;
			json.exclusiveMinimum = true;
		} else json.exclusiveMinimum = exclusiveMinimum;
	} else if (typeof minimum === "number") json.minimum = minimum;
	if (exMax) {
		if (legacy) {
			json.maximum = exclusiveMaximum;
			json.exclusiveMaximum = true;
		} else json.exclusiveMaximum = exclusiveMaximum;
	} else if (typeof maximum === "number") json.maximum = maximum;
	if (multipleOf) {
		const divisors = /* @__PURE__ */ new Set();
		for (const divisor of multipleOf) if (Number.isFinite(divisor) && divisor !== 0) divisors.add(Math.abs(divisor));
		else handleUnrepresentable(schema, ctx, json, params, `A multipleOf divisor of ${divisor} cannot be represented in JSON Schema`);
		const [first, ...rest] = divisors;
		if (first !== void 0) json.multipleOf = first;
		if (rest.length) json.allOf = [...json.allOf ?? [], ...rest.map((m) => ({ multipleOf: m }))];
	}
};
const booleanProcessor = (_schema, _ctx, json, _params) => {
	json.type = "boolean";
};
const neverProcessor = (_schema, _ctx, json, _params) => {
	json.not = {};
};
const enumProcessor = (schema, _ctx, json, _params) => {
	const def = schema._zod.def;
	const values = getEnumValues(def.entries);
	if (values.length === 0) {
		json.not = {};
		return;
	}
	if (values.every((v) => typeof v === "number")) json.type = "number";
	if (values.every((v) => typeof v === "string")) json.type = "string";
	json.enum = values;
};
const literalProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	if (def.values.length === 0) {
		json.not = {};
		return;
	}
	const vals = [];
	for (const val of def.values) if (val === void 0) {
		if (handleUnrepresentable(schema, ctx, json, params, "Literal `undefined` cannot be represented in JSON Schema")) return;
	} else if (typeof val === "bigint") {
		if (handleUnrepresentable(schema, ctx, json, params, "BigInt literals cannot be represented in JSON Schema")) return;
		vals.push(Number(val));
	} else vals.push(val);
	if (vals.length === 0) {} else if (vals.length === 1) {
		const val = vals[0];
		json.type = val === null ? "null" : typeof val;
		if (ctx.target === "draft-04" || ctx.target === "openapi-3.0") json.enum = [val];
		else json.const = val;
	} else {
		if (vals.every((v) => typeof v === "number")) json.type = "number";
		if (vals.every((v) => typeof v === "string")) json.type = "string";
		if (vals.every((v) => typeof v === "boolean")) json.type = "boolean";
		if (vals.every((v) => v === null)) json.type = "null";
		json.enum = vals;
	}
};
const customProcessor = (schema, ctx, json, params) => {
	handleUnrepresentable(schema, ctx, json, params, "Custom types cannot be represented in JSON Schema");
};
const transformProcessor = (schema, ctx, json, params) => {
	handleUnrepresentable(schema, ctx, json, params, "Transforms cannot be represented in JSON Schema");
};
const arrayProcessor = (schema, ctx, _json, params) => {
	const json = _json;
	const def = schema._zod.def;
	const { minimum, maximum } = aggregateChecks(schema);
	if (typeof minimum === "number") json.minItems = minimum;
	if (typeof maximum === "number") json.maxItems = maximum;
	json.type = "array";
	json.items = processSchema(def.element, ctx, {
		...params,
		path: [...params.path, "items"]
	});
};
function inputOptin(schema) {
	const def = schema._zod.def;
	if (def.type === "pipe" && def.in._zod.traits.has("$ZodTransform")) return inputOptin(def.out);
	if (def.type === "catch") return inputOptin(def.innerType);
	return schema._zod.optin;
}
const objectProcessor = (schema, ctx, _json, params) => {
	const json = _json;
	const def = schema._zod.def;
	const shape = def.shape;
	if (Object.getOwnPropertySymbols(shape).length && handleUnrepresentable(schema, ctx, json, params, "Symbol keys cannot be represented in JSON Schema")) return;
	json.type = "object";
	json.properties = {};
	for (const key in shape) assignProp(json.properties, key, processSchema(shape[key], ctx, {
		...params,
		path: [
			...params.path,
			"properties",
			key
		]
	}));
	const requiredKeys = [];
	for (const key of Object.keys(shape)) {
		const field = def.shape[key];
		if (ctx.io === "input" ? inputOptin(field) === void 0 : field._zod.optout === void 0) requiredKeys.push(key);
	}
	if (requiredKeys.length > 0) json.required = requiredKeys;
	if (def.catchall?._zod.def.type === "never") json.additionalProperties = false;
	else if (!def.catchall) {
		if (ctx.io === "output") json.additionalProperties = false;
	} else if (def.catchall) json.additionalProperties = processSchema(def.catchall, ctx, {
		...params,
		path: [...params.path, "additionalProperties"]
	});
};
const unionProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	const isExclusive = def.inclusive === false;
	const options = def.options.map((x, i) => processSchema(x, ctx, {
		...params,
		path: [
			...params.path,
			isExclusive ? "oneOf" : "anyOf",
			i
		]
	}));
	if (isExclusive) json.oneOf = options;
	else json.anyOf = options;
};
const intersectionProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	const a = processSchema(def.left, ctx, {
		...params,
		path: [
			...params.path,
			"allOf",
			0
		]
	});
	const b = processSchema(def.right, ctx, {
		...params,
		path: [
			...params.path,
			"allOf",
			1
		]
	});
	const isSimpleIntersection = (val) => "allOf" in val && Object.keys(val).length === 1;
	const allOf = [...isSimpleIntersection(a) ? a.allOf : [a], ...isSimpleIntersection(b) ? b.allOf : [b]];
	json.allOf = allOf;
	ctx.intersections.push(allOf);
};
const tupleProcessor = (schema, ctx, _json, params) => {
	const json = _json;
	const def = schema._zod.def;
	json.type = "array";
	const prefixPath = ctx.target === "draft-2020-12" ? "prefixItems" : "items";
	const restPath = ctx.target === "draft-2020-12" ? "items" : ctx.target === "openapi-3.0" ? "items" : "additionalItems";
	const prefixItems = def.items.map((x, i) => processSchema(x, ctx, {
		...params,
		path: [
			...params.path,
			prefixPath,
			i
		]
	}));
	const rest = def.rest ? processSchema(def.rest, ctx, {
		...params,
		path: [
			...params.path,
			restPath,
			...ctx.target === "openapi-3.0" ? [def.items.length] : []
		]
	}) : null;
	let minItems = def.items.length;
	while (minItems > 0) {
		const item = def.items[minItems - 1];
		if (!(ctx.io === "input" ? inputOptin(item) !== void 0 : item._zod.optout === "optional")) break;
		minItems--;
	}
	const maxItems = def.items.length;
	const isClosed = !def.rest;
	if (ctx.target === "draft-2020-12") {
		json.prefixItems = prefixItems;
		if (isClosed) json.items = false;
		else if (rest) json.items = rest;
		if (minItems > 0) json.minItems = minItems;
		if (isClosed) json.maxItems = maxItems;
	} else if (ctx.target === "openapi-3.0") {
		json.items = { anyOf: prefixItems };
		if (rest) json.items.anyOf.push(rest);
		if (minItems > 0) json.minItems = minItems;
		if (isClosed) json.maxItems = maxItems;
	} else {
		json.items = prefixItems;
		if (isClosed) json.additionalItems = false;
		else if (rest) json.additionalItems = rest;
		if (minItems > 0) json.minItems = minItems;
		if (isClosed) json.maxItems = maxItems;
	}
	const { minimum, maximum } = aggregateChecks(schema);
	if (typeof minimum === "number") json.minItems = minimum;
	if (typeof maximum === "number") json.maxItems = maximum;
};
/** JSON object keys are always strings, so a numeric record key schema is re-expressed over the
* numeric-string form the record parser matches. Deferred to `finalize`, after the flatten: a key
* behind a wrapper only carries its own `type` before then, and a union key only has its branches.
*
* A numeric bound cannot apply to a property name, so `minimum` and its siblings are dropped rather
* than carried over: keeping them beside `type: "string"` reproduces the match-nothing schema this
* exists to fix. A key that carries one therefore emits wider than the record parses — `z.record(z.number().min(5), V)`
* accepts `"3"` — which is the deliberate trade, since throwing on it would reject an ordinary schema
* outright. */
function stringifyKeyNames(bySchema, json, visited) {
	if (json.$ref) {
		if (visited.has(json)) return json;
		visited.add(json);
		const def = bySchema.get(json)?.def;
		if (!def) return json;
		const inlined = stringifyKeyNames(bySchema, def, visited);
		return inlined === def ? json : inlined;
	}
	for (const keyword of ["anyOf", "oneOf"]) {
		const branches = json[keyword];
		if (!Array.isArray(branches)) continue;
		const mapped = branches.map((branch) => stringifyKeyNames(bySchema, branch, visited));
		if (mapped.some((branch, i) => branch !== branches[i])) json = {
			...json,
			[keyword]: mapped
		};
	}
	const types = Array.isArray(json.type) ? json.type : [json.type];
	const numericType = !types.includes("string") && types.some((t) => t === "number" || t === "integer");
	const values = json.enum ?? (json.const !== void 0 ? [json.const] : void 0);
	if (!numericType && !values?.some((v) => typeof v === "number")) return json;
	const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format, id, ...rest } = json;
	if (rest.enum) rest.enum = rest.enum.map((v) => typeof v === "number" ? String(v) : v);
	else if (typeof rest.const === "number") rest.const = String(rest.const);
	if (!numericType) return rest;
	rest.type = "string";
	if (!values) rest.pattern = (types.includes("number") ? number$1 : integer).source;
	return rest;
}
/** Every record of one conversion, so the carriers are found in a single pass rather than once per record. */
const pendingRecords = /* @__PURE__ */ new WeakMap();
function rewriteKeyNames(ctx) {
	const bySchema = /* @__PURE__ */ new Map();
	for (const entry of ctx.seen.values()) if (entry.def && !bySchema.has(entry.schema)) bySchema.set(entry.schema, entry);
	const rewrites = /* @__PURE__ */ new Map();
	for (const record of pendingRecords.get(ctx) ?? []) {
		const seen = ctx.seen.get(record);
		const names = (seen?.def ?? seen?.schema)?.propertyNames;
		if (!names || names === true || rewrites.has(names)) continue;
		const rewritten = stringifyKeyNames(bySchema, names, /* @__PURE__ */ new Set());
		if (rewritten !== names) rewrites.set(names, rewritten);
	}
	if (!rewrites.size) return;
	for (const entry of ctx.seen.values()) for (const carrier of [entry.schema, entry.def]) {
		const rewritten = carrier && rewrites.get(carrier.propertyNames);
		if (rewritten) carrier.propertyNames = rewritten;
	}
}
const recordProcessor = (schema, ctx, _json, params) => {
	const json = _json;
	const def = schema._zod.def;
	json.type = "object";
	const keyType = def.keyType;
	const patterns = aggregateChecks(keyType).patterns;
	if (def.mode === "loose" && patterns && patterns.size > 0) {
		const valueSchema = processSchema(def.valueType, ctx, {
			...params,
			path: [
				...params.path,
				"patternProperties",
				"*"
			]
		});
		json.patternProperties = {};
		for (const pattern of patterns) assignProp(json.patternProperties, exactPattern(pattern).source, valueSchema);
	} else {
		if (ctx.target === "draft-07" || ctx.target === "draft-2020-12") {
			json.propertyNames = processSchema(def.keyType, ctx, {
				...params,
				path: [...params.path, "propertyNames"]
			});
			let pending = pendingRecords.get(ctx);
			if (!pending) {
				pending = [];
				pendingRecords.set(ctx, pending);
				ctx.deferred.push(() => rewriteKeyNames(ctx));
			}
			pending.push(schema);
		}
		json.additionalProperties = processSchema(def.valueType, ctx, {
			...params,
			path: [...params.path, "additionalProperties"]
		});
	}
	const keyValues = keyType._zod.values;
	const omittableOnInput = ctx.io === "input" && inputOptin(def.valueType) !== void 0;
	if (keyValues && !def.partial && !omittableOnInput) {
		const validKeyValues = [...keyValues].filter((v) => typeof v === "string" || typeof v === "number");
		if (validKeyValues.length > 0) json.required = validKeyValues.map(String);
	}
};
const nullableProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	const inner = processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	if (ctx.target === "openapi-3.0") {
		seen.ref = def.innerType;
		json.nullable = true;
	} else json.anyOf = [inner, { type: "null" }];
};
const nonoptionalProcessor = (schema, ctx, _json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
};
/** Round-trips a default value through JSON so the emitted schema is guaranteed to be valid JSON.
* A BigInt has no reliable encoding, so it goes through `unrepresentable` like any other
* unrepresentable value. Returns a sentinel when the caller must not write a default of its own. */
const UNREPRESENTABLE_DEFAULT = Symbol();
function serializeDefaultValue(value, schema, ctx, json, params) {
	let unrepresentable = false;
	const serialized = JSON.stringify(value, (_, val) => {
		if (typeof val !== "bigint") return val;
		unrepresentable = true;
		return null;
	});
	if (!unrepresentable) return JSON.parse(serialized);
	handleUnrepresentable(schema, ctx, json, params, "BigInt defaults cannot be represented in JSON Schema");
	return UNREPRESENTABLE_DEFAULT;
}
const defaultProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
	const value = serializeDefaultValue(def.defaultValue, schema, ctx, json, params);
	if (value !== UNREPRESENTABLE_DEFAULT) json.default = value;
};
const prefaultProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
	if (ctx.io !== "input") return;
	const value = serializeDefaultValue(def.defaultValue, schema, ctx, json, params);
	if (value !== UNREPRESENTABLE_DEFAULT) json._prefault = value;
};
const catchProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
	let catchValue;
	try {
		catchValue = def.catchValue(void 0);
	} catch {
		handleUnrepresentable(schema, ctx, json, params, "Dynamic catch values are not supported in JSON Schema");
		return;
	}
	json.default = catchValue;
};
const pipeProcessor = (schema, ctx, _json, params) => {
	const def = schema._zod.def;
	const inIsTransform = def.in._zod.traits.has("$ZodTransform");
	const innerType = ctx.io === "input" ? inIsTransform ? def.out : def.in : def.out;
	processSchema(innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = innerType;
};
const readonlyProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
	json.readOnly = true;
};
const optionalProcessor = (schema, ctx, _json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
};
// node_modules/zod/v4/classic/errors.js
const _installedErrorProtos = /* @__PURE__ */ new WeakSet([Object.prototype, Error.prototype]);
function _lazyMethod(proto, key, make) {
	Object.defineProperty(proto, key, {
		configurable: true,
		enumerable: false,
		get() {
			const value = make(this);
			Object.defineProperty(this, key, {
				value,
				configurable: true,
				writable: true
			});
			return value;
		},
		set(value) {
			Object.defineProperty(this, key, {
				value,
				configurable: true,
				writable: true
			});
		}
	});
}
const initializer = (inst, issues) => {
	$ZodError.init(inst, issues);
	inst.name = "ZodError";
	const proto = Object.getPrototypeOf(inst);
	if (_installedErrorProtos.has(proto)) return;
	_installedErrorProtos.add(proto);
	_lazyMethod(proto, "format", (self) => (mapper) => formatError(self, mapper));
	_lazyMethod(proto, "flatten", (self) => (mapper) => flattenError(self, mapper));
	_lazyMethod(proto, "addIssue", (self) => (issue) => {
		self.issues.push(issue);
		self.message = JSON.stringify(self.issues, jsonStringifyReplacer, 2);
	});
	_lazyMethod(proto, "addIssues", (self) => (issues) => {
		self.issues.push(...issues);
		self.message = JSON.stringify(self.issues, jsonStringifyReplacer, 2);
	});
	Object.defineProperty(proto, "isEmpty", {
		configurable: true,
		enumerable: false,
		get() {
			return this.issues.length === 0;
		}
	});
};
const ZodError = /*@__PURE__*/ $constructor("ZodError", initializer);
const ZodRealError = /*@__PURE__*/ $constructor("ZodError", initializer, void 0, { Parent: Error });
// node_modules/zod/v4/classic/parse.js
const parse$1 = /* @__PURE__ */ _parse(ZodRealError);
const parseAsync = /* @__PURE__ */ _parseAsync(ZodRealError);
const safeParse = /* @__PURE__ */ _safeParse(ZodRealError);
const safeParseAsync = /* @__PURE__ */ _safeParseAsync(ZodRealError);
const encode = /* @__PURE__ */ _encode(ZodRealError);
const decode = /* @__PURE__ */ _decode(ZodRealError);
const encodeAsync = /* @__PURE__ */ _encodeAsync(ZodRealError);
const decodeAsync = /* @__PURE__ */ _decodeAsync(ZodRealError);
const safeEncode = /* @__PURE__ */ _safeEncode(ZodRealError);
const safeDecode = /* @__PURE__ */ _safeDecode(ZodRealError);
const safeEncodeAsync = /* @__PURE__ */ _safeEncodeAsync(ZodRealError);
const safeDecodeAsync = /* @__PURE__ */ _safeDecodeAsync(ZodRealError);
// node_modules/zod/v4/classic/schemas.js
function _ensureDefaultLocale() {
	if (!globalConfig.localeError) config(en_default());
}
function _ensureDefaultMemoizer() {
	if (!globalConfig.memoizer) config({ memoizer: memoizer() });
}
const ZodType = /*@__PURE__*/ $constructor("ZodType", (inst, def) => {
	_ensureDefaultLocale();
	$ZodType.init(inst, def);
	inst.def = def;
	inst.type = def.type;
	return inst;
}, {
	check(...chks) {
		const def = this.def;
		return this.clone(mergeDefs(def, { checks: [...def.checks ?? [], ...chks.map((ch) => typeof ch === "function" ? { _zod: {
			check: ch,
			def: { check: "custom" },
			onattach: []
		} } : ch)] }), { parent: true });
	},
	with(...chks) {
		return this.check(...chks);
	},
	clone(def, params) {
		return clone(this, def, params);
	},
	brand() {
		return this;
	},
	register(reg, meta) {
		reg.add(this, meta);
		return this;
	},
	refine(check, params) {
		return this.check(refine(check, params));
	},
	superRefine(refinement, params) {
		return this.check(superRefine(refinement, params));
	},
	overwrite(fn) {
		return this.check(/* @__PURE__ */ _overwrite(fn));
	},
	optional() {
		return optional(this);
	},
	exactOptional() {
		return exactOptional(this);
	},
	nullable() {
		return nullable(this);
	},
	nullish() {
		return optional(nullable(this));
	},
	nonoptional(params) {
		return nonoptional(this, params);
	},
	array() {
		return array(this);
	},
	or(arg) {
		return union([this, arg]);
	},
	and(arg) {
		return intersection(this, arg);
	},
	transform(tx) {
		return pipe(this, transform(tx));
	},
	default(d) {
		return _default(this, d);
	},
	prefault(d) {
		return prefault(this, d);
	},
	catch(params) {
		return _catch(this, params);
	},
	pipe(target) {
		return pipe(this, target);
	},
	readonly() {
		return readonly(this);
	},
	describe(description) {
		const cl = this.clone();
		globalRegistry.add(cl, { description });
		return cl;
	},
	meta(...args) {
		if (args.length === 0) return globalRegistry.get(this);
		const cl = this.clone();
		globalRegistry.add(cl, args[0]);
		return cl;
	},
	isOptional() {
		return this.safeParse(void 0).success;
	},
	isNullable() {
		return this.safeParse(null).success;
	},
	apply(fn, ...args) {
		return args.length === 0 ? fn(this) : fn(this, ...args);
	},
	get "~standard"() {
		return hide(this, "~standard", {
			...standardProps(this),
			jsonSchema: {
				input: createStandardJSONSchemaMethod(this, "input"),
				output: createStandardJSONSchemaMethod(this, "output")
			}
		});
	},
	set "~standard"(value) {
		own$1(this, "~standard", value);
	},
	parse: function _parse(data, params) {
		return parse$1(this, data, params, { callee: _parse });
	},
	parseAsync: async function _parseAsync(data, params) {
		return await parseAsync(this, data, params, { callee: _parseAsync });
	},
	safeParse(data, params) {
		return safeParse(this, data, params);
	},
	async safeParseAsync(data, params) {
		return safeParseAsync(this, data, params);
	},
	get spa() {
		return this?.safeParseAsync;
	},
	set spa(value) {
		own$1(this, "spa", value);
	},
	validate(data, params) {
		return validate(this, data, params);
	},
	validateAsync(data, params) {
		return validateAsync$1(this, data, params);
	},
	encode: function _encode(data, params) {
		return encode(this, data, params, { callee: _encode });
	},
	decode: function _decode(data, params) {
		return decode(this, data, params, { callee: _decode });
	},
	encodeAsync: async function _encodeAsync(data, params) {
		return await encodeAsync(this, data, params, { callee: _encodeAsync });
	},
	decodeAsync: async function _decodeAsync(data, params) {
		return await decodeAsync(this, data, params, { callee: _decodeAsync });
	},
	safeEncode(data, params) {
		return safeEncode(this, data, params);
	},
	safeDecode(data, params) {
		return safeDecode(this, data, params);
	},
	async safeEncodeAsync(data, params) {
		return safeEncodeAsync(this, data, params);
	},
	async safeDecodeAsync(data, params) {
		return safeDecodeAsync(this, data, params);
	},
	toJSONSchema(params) {
		return createToJSONSchemaMethod(this, {})(params);
	},
	get description() {
		return globalRegistry.get(this)?.description;
	},
	get _def() {
		return this._zod.def;
	}
});
/** @internal */
const _ZodString = /*@__PURE__*/ $constructor("_ZodString", (inst, def) => {
	$ZodString.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => stringProcessor(inst, ctx, json, params);
}, /*@__PURE__*/ derived({
	format: (inst) => aggregateChecks(inst).format ?? null,
	minLength: (inst) => aggregateChecks(inst).minimum ?? null,
	maxLength: (inst) => aggregateChecks(inst).maximum ?? null
}, {
	regex(...args) {
		return this.check(/* @__PURE__ */ _regex(...args));
	},
	includes(...args) {
		return this.check(/* @__PURE__ */ _includes(...args));
	},
	startsWith(...args) {
		return this.check(/* @__PURE__ */ _startsWith(...args));
	},
	endsWith(...args) {
		return this.check(/* @__PURE__ */ _endsWith(...args));
	},
	min(...args) {
		return this.check(/* @__PURE__ */ _minLength(...args));
	},
	max(...args) {
		return this.check(/* @__PURE__ */ _maxLength(...args));
	},
	length(...args) {
		return this.check(/* @__PURE__ */ _length(...args));
	},
	nonempty(...args) {
		return this.check(/* @__PURE__ */ _minLength(1, ...args));
	},
	lowercase(params) {
		return this.check(/* @__PURE__ */ _lowercase(params));
	},
	uppercase(params) {
		return this.check(/* @__PURE__ */ _uppercase(params));
	},
	trim() {
		return this.check(/* @__PURE__ */ _trim());
	},
	normalize(...args) {
		return this.check(/* @__PURE__ */ _normalize(...args));
	},
	toLowerCase() {
		return this.check(/* @__PURE__ */ _toLowerCase());
	},
	toUpperCase() {
		return this.check(/* @__PURE__ */ _toUpperCase());
	},
	slugify() {
		return this.check(/* @__PURE__ */ _slugify());
	}
}));
const ZodString = /*@__PURE__*/ $constructor("ZodString", (inst, def) => {
	$ZodString.init(inst, def);
	_ZodString.init(inst, def);
}, {
	email(params) {
		return this.check(/* @__PURE__ */ _email(ZodEmail, params));
	},
	url(params) {
		return this.check(/* @__PURE__ */ _url(ZodURL, params));
	},
	jwt(params) {
		return this.check(/* @__PURE__ */ _jwt(ZodJWT, params));
	},
	emoji(params) {
		return this.check(/* @__PURE__ */ _emoji(ZodEmoji, params));
	},
	guid(params) {
		return this.check(/* @__PURE__ */ _guid(ZodGUID, params));
	},
	uuid(params) {
		return this.check(/* @__PURE__ */ _uuid(ZodUUID, params));
	},
	uuidv4(params) {
		return this.check(/* @__PURE__ */ _uuidv4(ZodUUID, params));
	},
	uuidv6(params) {
		return this.check(/* @__PURE__ */ _uuidv6(ZodUUID, params));
	},
	uuidv7(params) {
		return this.check(/* @__PURE__ */ _uuidv7(ZodUUID, params));
	},
	nanoid(params) {
		return this.check(/* @__PURE__ */ _nanoid(ZodNanoID, params));
	},
	cuid(params) {
		return this.check(/* @__PURE__ */ _cuid(ZodCUID, params));
	},
	cuid2(params) {
		return this.check(/* @__PURE__ */ _cuid2(ZodCUID2, params));
	},
	ulid(params) {
		return this.check(/* @__PURE__ */ _ulid(ZodULID, params));
	},
	base64(params) {
		return this.check(/* @__PURE__ */ _base64(ZodBase64, params));
	},
	base64url(params) {
		return this.check(/* @__PURE__ */ _base64url(ZodBase64URL, params));
	},
	xid(params) {
		return this.check(/* @__PURE__ */ _xid(ZodXID, params));
	},
	ksuid(params) {
		return this.check(/* @__PURE__ */ _ksuid(ZodKSUID, params));
	},
	ipv4(params) {
		return this.check(/* @__PURE__ */ _ipv4(ZodIPv4, params));
	},
	ipv6(params) {
		return this.check(/* @__PURE__ */ _ipv6(ZodIPv6, params));
	},
	cidrv4(params) {
		return this.check(/* @__PURE__ */ _cidrv4(ZodCIDRv4, params));
	},
	cidrv6(params) {
		return this.check(/* @__PURE__ */ _cidrv6(ZodCIDRv6, params));
	},
	e164(params) {
		return this.check(/* @__PURE__ */ _e164(ZodE164, params));
	},
	datetime(params) {
		return this.check(/* @__PURE__ */ _isoDateTime(ZodISODateTime, params));
	},
	date(params) {
		return this.check(/* @__PURE__ */ _isoDate(ZodISODate, params));
	},
	time(params) {
		return this.check(/* @__PURE__ */ _isoTime(ZodISOTime, params));
	},
	duration(params) {
		return this.check(/* @__PURE__ */ _isoDuration(ZodISODuration, params));
	}
});
function string(params) {
	return /* @__PURE__ */ _string(ZodString, params);
}
const ZodStringFormat = /*@__PURE__*/ $constructor("ZodStringFormat", (inst, def) => {
	$ZodStringFormat.init(inst, def);
	_ZodString.init(inst, def);
});
const ZodISODateTime = /*@__PURE__*/ $constructor("ZodISODateTime", (inst, def) => {
	$ZodISODateTime.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodISODate = /*@__PURE__*/ $constructor("ZodISODate", (inst, def) => {
	$ZodISODate.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodISOTime = /*@__PURE__*/ $constructor("ZodISOTime", (inst, def) => {
	$ZodISOTime.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodISODuration = /*@__PURE__*/ $constructor("ZodISODuration", (inst, def) => {
	$ZodISODuration.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodEmail = /*@__PURE__*/ $constructor("ZodEmail", (inst, def) => {
	$ZodEmail.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodGUID = /*@__PURE__*/ $constructor("ZodGUID", (inst, def) => {
	$ZodGUID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodUUID = /*@__PURE__*/ $constructor("ZodUUID", (inst, def) => {
	$ZodUUID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodURL = /*@__PURE__*/ $constructor("ZodURL", (inst, def) => {
	$ZodURL.init(inst, def);
	ZodStringFormat.init(inst, def);
});
function url$1(params) {
	return /* @__PURE__ */ _url(ZodURL, params);
}
const ZodEmoji = /*@__PURE__*/ $constructor("ZodEmoji", (inst, def) => {
	$ZodEmoji.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodNanoID = /*@__PURE__*/ $constructor("ZodNanoID", (inst, def) => {
	$ZodNanoID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
/**
* @deprecated CUID v1 is deprecated by its authors due to information leakage
* (timestamps embedded in the id). Use {@link ZodCUID2} instead.
* See https://github.com/paralleldrive/cuid.
*/
const ZodCUID = /*@__PURE__*/ $constructor("ZodCUID", (inst, def) => {
	$ZodCUID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodCUID2 = /*@__PURE__*/ $constructor("ZodCUID2", (inst, def) => {
	$ZodCUID2.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodULID = /*@__PURE__*/ $constructor("ZodULID", (inst, def) => {
	$ZodULID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodXID = /*@__PURE__*/ $constructor("ZodXID", (inst, def) => {
	$ZodXID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodKSUID = /*@__PURE__*/ $constructor("ZodKSUID", (inst, def) => {
	$ZodKSUID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodIPv4 = /*@__PURE__*/ $constructor("ZodIPv4", (inst, def) => {
	$ZodIPv4.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodIPv6 = /*@__PURE__*/ $constructor("ZodIPv6", (inst, def) => {
	$ZodIPv6.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodCIDRv4 = /*@__PURE__*/ $constructor("ZodCIDRv4", (inst, def) => {
	$ZodCIDRv4.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodCIDRv6 = /*@__PURE__*/ $constructor("ZodCIDRv6", (inst, def) => {
	$ZodCIDRv6.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodBase64 = /*@__PURE__*/ $constructor("ZodBase64", (inst, def) => {
	$ZodBase64.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodBase64URL = /*@__PURE__*/ $constructor("ZodBase64URL", (inst, def) => {
	$ZodBase64URL.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodE164 = /*@__PURE__*/ $constructor("ZodE164", (inst, def) => {
	$ZodE164.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodJWT = /*@__PURE__*/ $constructor("ZodJWT", (inst, def) => {
	$ZodJWT.init(inst, def);
	ZodStringFormat.init(inst, def);
});
const ZodNumber = /*@__PURE__*/ $constructor("ZodNumber", (inst, def) => {
	$ZodNumber.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => numberProcessor(inst, ctx, json, params);
	inst.isFinite = true;
}, /*@__PURE__*/ derived({
	minValue: (inst) => {
		const { minimum, exclusiveMinimum } = aggregateChecks(inst);
		return Math.max(minimum ?? Number.NEGATIVE_INFINITY, exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
	},
	maxValue: (inst) => {
		const { maximum, exclusiveMaximum } = aggregateChecks(inst);
		return Math.min(maximum ?? Number.POSITIVE_INFINITY, exclusiveMaximum ?? Number.POSITIVE_INFINITY);
	},
	isInt: (inst) => {
		const { isInt, multipleOf } = aggregateChecks(inst);
		return !!isInt || !!multipleOf?.some(Number.isSafeInteger);
	},
	format: (inst) => aggregateChecks(inst).format ?? null
}, {
	gt(value, params) {
		return this.check(/* @__PURE__ */ _gt(value, params));
	},
	gte(value, params) {
		return this.check(/* @__PURE__ */ _gte(value, params));
	},
	min(value, params) {
		return this.check(/* @__PURE__ */ _gte(value, params));
	},
	lt(value, params) {
		return this.check(/* @__PURE__ */ _lt(value, params));
	},
	lte(value, params) {
		return this.check(/* @__PURE__ */ _lte(value, params));
	},
	max(value, params) {
		return this.check(/* @__PURE__ */ _lte(value, params));
	},
	int(params) {
		return this.check(int(params));
	},
	safe(params) {
		return this.check(int(params));
	},
	positive(params) {
		return this.check(/* @__PURE__ */ _gt(0, params));
	},
	nonnegative(params) {
		return this.check(/* @__PURE__ */ _gte(0, params));
	},
	negative(params) {
		return this.check(/* @__PURE__ */ _lt(0, params));
	},
	nonpositive(params) {
		return this.check(/* @__PURE__ */ _lte(0, params));
	},
	multipleOf(value, params) {
		return this.check(/* @__PURE__ */ _multipleOf(value, params));
	},
	step(value, params) {
		return this.check(/* @__PURE__ */ _multipleOf(value, params));
	},
	finite() {
		return this;
	}
}));
function number(params) {
	return /* @__PURE__ */ _number(ZodNumber, params);
}
const ZodNumberFormat = /*@__PURE__*/ $constructor("ZodNumberFormat", (inst, def) => {
	$ZodNumberFormat.init(inst, def);
	ZodNumber.init(inst, def);
});
function int(params) {
	return /* @__PURE__ */ _int(ZodNumberFormat, params);
}
const ZodBoolean = /*@__PURE__*/ $constructor("ZodBoolean", (inst, def) => {
	$ZodBoolean.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => booleanProcessor(inst, ctx, json, params);
});
function boolean(params) {
	return /* @__PURE__ */ _boolean(ZodBoolean, params);
}
const ZodUnknown = /*@__PURE__*/ $constructor("ZodUnknown", (inst, def) => {
	$ZodUnknown.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => void 0;
});
function unknown() {
	return /* @__PURE__ */ _unknown(ZodUnknown);
}
const ZodNever = /*@__PURE__*/ $constructor("ZodNever", (inst, def) => {
	$ZodNever.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => neverProcessor(inst, ctx, json, params);
});
function never(params) {
	return /* @__PURE__ */ _never(ZodNever, params);
}
const ZodArray = /*@__PURE__*/ $constructor("ZodArray", (inst, def) => {
	_ensureDefaultMemoizer();
	$ZodArray.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => arrayProcessor(inst, ctx, json, params);
	inst.element = def.element;
}, {
	min(n, params) {
		return this.check(/* @__PURE__ */ _minLength(n, params));
	},
	nonempty(params) {
		return this.check(/* @__PURE__ */ _minLength(1, params));
	},
	max(n, params) {
		return this.check(/* @__PURE__ */ _maxLength(n, params));
	},
	length(n, params) {
		return this.check(/* @__PURE__ */ _length(n, params));
	},
	unwrap() {
		return this.element;
	}
});
function array(element, params) {
	return /* @__PURE__ */ _array(ZodArray, element, params);
}
const ZodObject = /*@__PURE__*/ $constructor("ZodObject", (inst, def) => {
	_ensureDefaultMemoizer();
	$ZodObjectJIT.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => objectProcessor(inst, ctx, json, params);
	installLazyProp(inst, "shape", (self) => self._zod.def.shape, false);
}, {
	keyof() {
		return _enum(Object.keys(this._zod.def.shape));
	},
	catchall(catchall) {
		return this.clone(mergeDefs(this._zod.def, { catchall }));
	},
	passthrough() {
		return this.clone(mergeDefs(this._zod.def, { catchall: unknown() }));
	},
	loose() {
		return this.clone(mergeDefs(this._zod.def, { catchall: unknown() }));
	},
	strict() {
		return this.clone(mergeDefs(this._zod.def, { catchall: never() }));
	},
	strip() {
		return this.clone(mergeDefs(this._zod.def, { catchall: void 0 }));
	},
	extend(incoming) {
		return extend(this, incoming);
	},
	safeExtend(incoming) {
		return safeExtend(this, incoming);
	},
	merge(other) {
		return merge(this, other);
	},
	pick(mask) {
		return pick(this, mask);
	},
	omit(mask) {
		return omit(this, mask);
	},
	partial(...args) {
		return partial(ZodOptional, this, args[0]);
	},
	exactPartial(...args) {
		return partial(ZodExactOptional, this, args[0], "exactPartial");
	},
	required(...args) {
		return required(ZodNonOptional, this, args[0]);
	}
});
function object$1(shape, params) {
	const def = {
		type: "object",
		shape: shape ?? {},
		...normalizeParams(params)
	};
	return new ZodObject(def);
}
function strictObject(shape, params) {
	return new ZodObject({
		type: "object",
		shape,
		catchall: never(),
		...normalizeParams(params)
	});
}
const ZodUnion = /*@__PURE__*/ $constructor("ZodUnion", (inst, def) => {
	$ZodUnion.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => unionProcessor(inst, ctx, json, params);
	inst.options = def.options;
});
function union(options, params) {
	return new ZodUnion({
		type: "union",
		options,
		...normalizeParams(params)
	});
}
const ZodDiscriminatedUnion = /*@__PURE__*/ $constructor("ZodDiscriminatedUnion", (inst, def) => {
	ZodUnion.init(inst, def);
	$ZodDiscriminatedUnion.init(inst, def);
});
function discriminatedUnion(discriminator, options, params) {
	return new ZodDiscriminatedUnion({
		type: "union",
		options,
		discriminator,
		...normalizeParams(params)
	});
}
const ZodIntersection = /*@__PURE__*/ $constructor("ZodIntersection", (inst, def) => {
	$ZodIntersection.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => intersectionProcessor(inst, ctx, json, params);
});
function intersection(left, right) {
	return new ZodIntersection({
		type: "intersection",
		left,
		right
	});
}
const ZodTuple = /*@__PURE__*/ $constructor("ZodTuple", (inst, def) => {
	_ensureDefaultMemoizer();
	$ZodTuple.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => tupleProcessor(inst, ctx, json, params);
}, {
	rest(rest) {
		return this.clone({
			...this._zod.def,
			rest
		});
	},
	partial() {
		const def = this._zod.def;
		if (def.checks?.length) throw new Error(".partial() cannot be used on tuple schemas containing refinements");
		return this.clone({
			...def,
			items: def.items.map((item) => new ZodOptional({
				type: "optional",
				innerType: item
			}))
		});
	}
});
function tuple(items, _paramsOrRest, _params) {
	const hasRest = _paramsOrRest instanceof $ZodType;
	return new ZodTuple({
		type: "tuple",
		items,
		rest: hasRest ? _paramsOrRest : null,
		...normalizeParams(hasRest ? _params : _paramsOrRest)
	});
}
const ZodRecord = /*@__PURE__*/ $constructor("ZodRecord", (inst, def) => {
	_ensureDefaultMemoizer();
	$ZodRecord.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => recordProcessor(inst, ctx, json, params);
	inst.keyType = def.keyType;
	inst.valueType = def.valueType;
});
function record$1(keyType, valueType, params) {
	if (!valueType || !valueType._zod) return new ZodRecord({
		type: "record",
		keyType: string(),
		valueType: keyType,
		...normalizeParams(valueType)
	});
	return new ZodRecord({
		type: "record",
		keyType,
		valueType,
		...normalizeParams(params)
	});
}
const ZodEnum = /*@__PURE__*/ $constructor("ZodEnum", (inst, def) => {
	$ZodEnum.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => enumProcessor(inst, ctx, json, params);
	inst.enum = def.entries;
	inst.options = [...inst._zod.values];
	const keys = new Set(Object.keys(def.entries));
	inst.extract = (values, params) => {
		const newEntries = {};
		for (const value of values) if (keys.has(value)) newEntries[value] = def.entries[value];
		else throw new Error(`Key ${value} not found in enum`);
		return new ZodEnum({
			...def,
			checks: [],
			...normalizeParams(params),
			entries: newEntries
		});
	};
	inst.exclude = (values, params) => {
		const newEntries = { ...def.entries };
		for (const value of values) if (keys.has(value)) delete newEntries[value];
		else throw new Error(`Key ${value} not found in enum`);
		return new ZodEnum({
			...def,
			checks: [],
			...normalizeParams(params),
			entries: newEntries
		});
	};
});
function _enum(values, params) {
	const entries = Array.isArray(values) ? Object.fromEntries(values.map((v) => [v, v])) : values;
	return new ZodEnum({
		type: "enum",
		entries,
		...normalizeParams(params)
	});
}
const ZodLiteral = /*@__PURE__*/ $constructor("ZodLiteral", (inst, def) => {
	$ZodLiteral.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => literalProcessor(inst, ctx, json, params);
	inst.values = new Set(def.values);
	Object.defineProperty(inst, "value", { get() {
		if (def.values.length > 1) throw new Error("This schema contains multiple valid literal values. Use `.values` instead.");
		return def.values[0];
	} });
});
function literal(value, params) {
	return new ZodLiteral({
		type: "literal",
		values: Array.isArray(value) ? value : [value],
		...normalizeParams(params)
	});
}
const ZodTransform = /*@__PURE__*/ $constructor("ZodTransform", (inst, def) => {
	_ensureDefaultMemoizer();
	$ZodTransform.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => transformProcessor(inst, ctx, json, params);
	inst._zod.parse = (payload, _ctx) => {
		if (_ctx.direction === "backward") throw new $ZodEncodeError(inst.constructor.name);
		payload.addIssue = (issue$1) => {
			if (typeof issue$1 === "string") payload.issues.push(issue(issue$1, payload.value, def));
			else {
				const _issue = issue$1;
				if (_issue.fatal) _issue.continue = false;
				_issue.code ?? (_issue.code = "custom");
				if (!("input" in _issue)) _issue.input = payload.value;
				_issue.inst ?? (_issue.inst = inst);
				payload.issues.push(issue(_issue));
			}
		};
		const output = def.transform(payload.value, payload);
		if (output instanceof Promise) return output.then((output) => {
			payload.value = output;
			return payload;
		});
		payload.value = output;
		return payload;
	};
});
function transform(fn) {
	return new ZodTransform({
		type: "transform",
		transform: fn
	});
}
const ZodOptional = /*@__PURE__*/ $constructor("ZodOptional", (inst, def) => {
	$ZodOptional.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => optionalProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function optional(innerType) {
	return new ZodOptional({
		type: "optional",
		innerType
	});
}
const ZodExactOptional = /*@__PURE__*/ $constructor("ZodExactOptional", (inst, def) => {
	$ZodExactOptional.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => optionalProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function exactOptional(innerType) {
	return new ZodExactOptional({
		type: "optional",
		innerType
	});
}
const ZodNullable = /*@__PURE__*/ $constructor("ZodNullable", (inst, def) => {
	$ZodNullable.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => nullableProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function nullable(innerType) {
	return new ZodNullable({
		type: "nullable",
		innerType
	});
}
const ZodDefault = /*@__PURE__*/ $constructor("ZodDefault", (inst, def) => {
	$ZodDefault.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => defaultProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
	inst.removeDefault = inst.unwrap;
});
function _default(innerType, defaultValue) {
	return new ZodDefault({
		type: "default",
		innerType,
		get defaultValue() {
			return typeof defaultValue === "function" ? defaultValue() : shallowClone(defaultValue);
		}
	});
}
const ZodPrefault = /*@__PURE__*/ $constructor("ZodPrefault", (inst, def) => {
	$ZodPrefault.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => prefaultProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function prefault(innerType, defaultValue) {
	return new ZodPrefault({
		type: "prefault",
		innerType,
		get defaultValue() {
			return typeof defaultValue === "function" ? defaultValue() : shallowClone(defaultValue);
		}
	});
}
const ZodNonOptional = /*@__PURE__*/ $constructor("ZodNonOptional", (inst, def) => {
	$ZodNonOptional.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => nonoptionalProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function nonoptional(innerType, params) {
	return new ZodNonOptional({
		type: "nonoptional",
		innerType,
		...normalizeParams(params)
	});
}
const ZodCatch = /*@__PURE__*/ $constructor("ZodCatch", (inst, def) => {
	$ZodCatch.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => catchProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
	inst.removeCatch = inst.unwrap;
});
function _catch(innerType, catchValue) {
	return new ZodCatch({
		type: "catch",
		innerType,
		catchValue: typeof catchValue === "function" ? catchValue : constantCatch(catchValue)
	});
}
const ZodPipe = /*@__PURE__*/ $constructor("ZodPipe", (inst, def) => {
	$ZodPipe.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => pipeProcessor(inst, ctx, json, params);
	inst.in = def.in;
	inst.out = def.out;
});
function pipe(in_, out) {
	return new ZodPipe({
		type: "pipe",
		in: in_,
		out
	});
}
const ZodReadonly = /*@__PURE__*/ $constructor("ZodReadonly", (inst, def) => {
	$ZodReadonly.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => readonlyProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function readonly(innerType) {
	return new ZodReadonly({
		type: "readonly",
		innerType
	});
}
const ZodCustom = /*@__PURE__*/ $constructor("ZodCustom", (inst, def) => {
	$ZodCustom.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => customProcessor(inst, ctx, json, params);
});
function refine(fn, _params = {}) {
	return /* @__PURE__ */ _refine(ZodCustom, fn, _params);
}
function superRefine(fn, params) {
	return /* @__PURE__ */ _superRefine(fn, params);
}
// kernels/kernels.json
var kernels_default = {
	schema: "bpfgate.kernels/2",
	kernels: [
		{
			"minor": "5.8",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "5.8.18",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.8.18.tar.xz",
				"sha256": "4ab4a3f694b7b4cfbe78871eab34c8039ad33692144c45c669827a594da85534",
				"agreeing": [
					"buildroot/buildroot@493b1d7b254a881a3eff43e818cefb3ddc917a8f",
					"crosstool-ng/crosstool-ng@98bfc6fa9cdef10b60847250c5b56d15b51fe6eb",
					"a public nix expression"
				]
			}
		},
		{
			"minor": "5.9",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "5.9.16",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.9.16.tar.xz",
				"sha256": "b0d7abae88e5f91893627c645e680a95c818defd1b4fcaf3e2afb4b2b6b4ab86",
				"agreeing": ["buildroot/buildroot@3544983fe4b2ac20ed95070c58a7882248f26bce", "crosstool-ng/crosstool-ng@98bfc6fa9cdef10b60847250c5b56d15b51fe6eb"]
			}
		},
		{
			"minor": "5.10",
			"support": "longterm",
			"debian": {
				"release": "5.10.262",
				"archive": "debian-security",
				"version": "5.10.262-1",
				"snapshot": "20261121T000000Z",
				"packages": [{
					"name": "linux-image-5.10.0-46-amd64",
					"poolPath": "pool/updates/main/l/linux-signed-amd64/linux-image-5.10.0-46-amd64_5.10.262-1_amd64.deb",
					"sha256": "6d89bdf9a7c4458c64de7221edfb8e7b2c3279012636e4bb9d6bba4e6b7a67eb",
					"sizeBytes": 56995900
				}]
			},
			"source": {
				"release": "5.10.260",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.10.260.tar.xz",
				"sha256": "47a8297131505b7d38338d39ad8a9d592507d33c695b27b1bbe55f25869a6b84",
				"agreeing": ["buildroot/buildroot@4b2e2bdd9bf982b64703097954bd9be33dbf4fc8", "coolsnowwolf/lede@76a764d21d24a1ea65ae7a961101efc82cacbe8c"]
			}
		},
		{
			"minor": "5.11",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "5.11.22",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.11.22.tar.xz",
				"sha256": "11027c6114eb916edbcc37897226fb6263b2931911d2d5093550473ce1a57600",
				"agreeing": ["buildroot/buildroot@7f4429dd907868bcbe09ebcfb4aa40f77b3d5acc"]
			}
		},
		{
			"minor": "5.12",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "5.12.19",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.12.19.tar.xz",
				"sha256": "e9381cd3525a02f5b895f74147e2440be443ecd45484c6c64075046bc6f94c73",
				"agreeing": ["buildroot/buildroot@79e230178b57b1b871fa8c888b65b10d1bf31912"]
			}
		},
		{
			"minor": "5.13",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "5.13.19",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.13.19.tar.xz",
				"sha256": "e877ec724e917c967603225c7e5dc21b6e0f34998c7d086cab8c50324363ab7b",
				"agreeing": ["buildroot/buildroot@d538f3c7a7af876c48315f46a868852bd364a7b1", "a public nix expression"]
			}
		},
		{
			"minor": "5.14",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "5.14.21",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.14.21.tar.xz",
				"sha256": "f41a259cb2002dd2e3286524b2bb4e803f4f982992d092706ecea613584023b3",
				"agreeing": ["buildroot/buildroot@ad2b4b8cc796767ec610cebc06ff009bb66bd4c0", "a public nix expression"]
			}
		},
		{
			"minor": "5.15",
			"support": "longterm",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "5.15.210",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.15.210.tar.xz",
				"sha256": "910ba46ae15e7495a9624f89d7f11b24ccc8bc1ee4b3abdd502e75b055290a01",
				"agreeing": ["buildroot/buildroot@9f3c9b43b064db45fb93a1cc5b1502cd5268e4bb", "coolsnowwolf/lede@76a764d21d24a1ea65ae7a961101efc82cacbe8c"]
			}
		},
		{
			"minor": "5.16",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "5.16.20",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.16.20.tar.xz",
				"sha256": "d8060dc88f862baaae66b42a2dbc12298ed667c698eb5c55617a7786ee47bf25",
				"agreeing": ["buildroot/buildroot@efdbd301b7f83c1cc629e7bcc80d1835911ee32a", "crosstool-ng/crosstool-ng@86b64488919c5b49d5d7a7c4c81df9dc464ac7c2"]
			}
		},
		{
			"minor": "5.17",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "5.17.15",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.17.15.tar.xz",
				"sha256": "4a1c922a490eeabf5b44d4fde36de9ba5b71711b7352c6258716da41160db628",
				"agreeing": ["buildroot/buildroot@5645990b8827c6344c76c4fbd41be715519229b3", "crosstool-ng/crosstool-ng@27253d427ba3cc2f97327017b1023d1b93eb2f4a"]
			}
		},
		{
			"minor": "5.18",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "5.18.15",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.18.15.tar.xz",
				"sha256": "69804febdc388a69dfb64493b7b58d402853de3a14144ea8db7fd67c30dcbe3c",
				"agreeing": ["crosstool-ng/crosstool-ng@ba4fcd30a089cf93011eb5010e3c3dbabca1caf3", "coolsnowwolf/lede@f39561e49bcecf4c4faf18705ed7d27b81090426"]
			}
		},
		{
			"minor": "5.19",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "5.19.17",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.19.17.tar.xz",
				"sha256": "c93bb384a97ad1f0a4f18e442ce0291242722f78023eca658b22344541f09489",
				"agreeing": ["buildroot/buildroot@f157a1136220ff0ad88766ebfb9d1ca9b4f59cc2", "a public nix expression"]
			}
		},
		{
			"minor": "6.0",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.0.12",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.0.12.tar.xz",
				"sha256": "89b730edf8942b49e02f9894244205886c9a214d629b35b88c4ff06ee9304f01",
				"agreeing": [
					"buildroot/buildroot@6936ec7ec6cb6df0e910f8df92961b79b12ee229",
					"crosstool-ng/crosstool-ng@500fe136547598da727970383cefe6280c09a658",
					"coolsnowwolf/lede@5a2d4e3200e53c722866385d780c5e6b391b80e4"
				]
			}
		},
		{
			"minor": "6.1",
			"support": "longterm",
			"debian": {
				"release": "6.1.176",
				"archive": "debian",
				"version": "6.1.176-1",
				"snapshot": "20261121T000000Z",
				"packages": [{
					"name": "linux-image-6.1.0-50-amd64",
					"poolPath": "pool/main/l/linux-signed-amd64/linux-image-6.1.0-50-amd64_6.1.176-1_amd64.deb",
					"sha256": "7b5597492a0a65aee61985a492e6bcc3f2cde830072a0e3b3d8c7e1b90279bd3",
					"sizeBytes": 70305560
				}]
			},
			"source": {
				"release": "6.1.176",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.1.176.tar.xz",
				"sha256": "aa19772dba40e9737356c00d0671cdedbe26cc895eff062868f0a1f688ae44f6",
				"agreeing": ["buildroot/buildroot@9f3c9b43b064db45fb93a1cc5b1502cd5268e4bb", "coolsnowwolf/lede@76a764d21d24a1ea65ae7a961101efc82cacbe8c"]
			}
		},
		{
			"minor": "6.2",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.2.16",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.2.16.tar.xz",
				"sha256": "06ff0d780a6934b46140f6d8c1a15792c78aa337d8b2411bf90747371d358713",
				"agreeing": ["buildroot/buildroot@c27bf8881d94b3973b5bf00f414321a6ee7db819", "crosstool-ng/crosstool-ng@ab5c23ce70da034fff035f5c5aad4f052db0cc82"]
			}
		},
		{
			"minor": "6.3",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.3.13",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.3.13.tar.xz",
				"sha256": "ea460560e2898022c5f3c4649908694dcd75a094ffde726e8c6ca5e0a09491fb",
				"agreeing": ["buildroot/buildroot@a0ca839ab193a46ed215df9235554458b6c81f21", "crosstool-ng/crosstool-ng@ab5c23ce70da034fff035f5c5aad4f052db0cc82"]
			}
		},
		{
			"minor": "6.4",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.4.16",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.4.16.tar.xz",
				"sha256": "9626ec84a39ecb009bf11a271dd520941159c165d4e62f82e3a77b79d20ff27d",
				"agreeing": ["buildroot/buildroot@181cf756ca42422569ed4fa8ac00ea844722208d", "crosstool-ng/crosstool-ng@37936972206a103db26a49da20cb3fb79b7cd0e9"]
			}
		},
		{
			"minor": "6.5",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.5.13",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.5.13.tar.xz",
				"sha256": "78fbd43822f4c56bc16e89e8874767f592532e1a0ffcd1af4dd279559b5fcbb5",
				"agreeing": ["buildroot/buildroot@c9222fe0fc73aadf42ea8ed2c3514b19e15e9a62", "crosstool-ng/crosstool-ng@ab5c23ce70da034fff035f5c5aad4f052db0cc82"]
			}
		},
		{
			"minor": "6.6",
			"support": "longterm",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.6.144",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.6.144.tar.xz",
				"sha256": "ec19b8307b495078cdc03749e63cb3802ac23cf6122c82eb9719feeb4557ecc3",
				"agreeing": ["buildroot/buildroot@4b2e2bdd9bf982b64703097954bd9be33dbf4fc8", "coolsnowwolf/lede@76a764d21d24a1ea65ae7a961101efc82cacbe8c"]
			}
		},
		{
			"minor": "6.7",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.7.12",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.7.12.tar.xz",
				"sha256": "6c2979e3948806a0dbacba193f8453ea42c179c1eb9f6136e3c35d87e5707984",
				"agreeing": ["crosstool-ng/crosstool-ng@380bd7c6bf445f99b179252f24e3f7753d2f8352"]
			}
		},
		{
			"minor": "6.8",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.8.12",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.8.12.tar.xz",
				"sha256": "19b31956d229b5b9ca5671fa1c74320179682a3d8d00fc86794114b21da86039",
				"agreeing": ["buildroot/buildroot@a6784999b23cbe156d63177bf283b844d76aa4e6", "crosstool-ng/crosstool-ng@ab5c23ce70da034fff035f5c5aad4f052db0cc82"]
			}
		},
		{
			"minor": "6.9",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.9.12",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.9.12.tar.xz",
				"sha256": "5ae7cc4e0e2f6b9ba630f643985ba0522c7d5e5b9571ba478a3cb513edd4cf22",
				"agreeing": ["buildroot/buildroot@e08708451be9e964b5a8e3a5a6f0959ad5e7c6a0", "crosstool-ng/crosstool-ng@ab5c23ce70da034fff035f5c5aad4f052db0cc82"]
			}
		},
		{
			"minor": "6.10",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.10.14",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.10.14.tar.xz",
				"sha256": "55e5bcbc68d66776fc46896291f0a24844beb57817345a854d65e3d055fa423e",
				"agreeing": ["buildroot/buildroot@9a203208204cd9530337145fde6dcdf1e9b41b8f", "crosstool-ng/crosstool-ng@ab5c23ce70da034fff035f5c5aad4f052db0cc82"]
			}
		},
		{
			"minor": "6.11",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.11.11",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.11.11.tar.xz",
				"sha256": "62148e7e17f54c4a5ab5e75ad4882682c54bee818948be61a5963234fc0849fc",
				"agreeing": ["buildroot/buildroot@5f18745057a8bd2e0a3dc40d77ea382c5f6e41f0", "crosstool-ng/crosstool-ng@d46ae2bc929fe8da2c26f8444c5f8aeb4f466e62"]
			}
		},
		{
			"minor": "6.12",
			"support": "longterm",
			"debian": {
				"release": "6.12.107",
				"archive": "debian",
				"version": "6.12.107-1",
				"snapshot": "20261121T000000Z",
				"packages": [{
					"name": "linux-image-6.12.107+deb13-amd64",
					"poolPath": "pool/main/l/linux-signed-amd64/linux-image-6.12.107+deb13-amd64_6.12.107-1_amd64.deb",
					"sha256": "7794643cf4560de2a7e3b069e8ca8511ad2a568d652ea285f0fe051f79bc9e99",
					"sizeBytes": 107898972
				}]
			},
			"source": {
				"release": "6.12.104",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.12.104.tar.xz",
				"sha256": "949d166a1263bd0cf0c5aab44eeb57869615099e7c48bf88d0e4adb77379b999",
				"agreeing": ["buildroot/buildroot@fcac6c4f2514ea3e100fcbf34b47c6380291ebbc", "coolsnowwolf/lede@d0fda9188f1e33748fbf2459eb2cc39b1cf20dfb"]
			}
		},
		{
			"minor": "6.13",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.13.12",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.13.12.tar.xz",
				"sha256": "611fbb669cf5539da48137a9c052becd499f3f862afaf21ab84cea3966221242",
				"agreeing": ["buildroot/buildroot@176c61266e6cce1e7039d67c5d848fde534312f1", "crosstool-ng/crosstool-ng@d46ae2bc929fe8da2c26f8444c5f8aeb4f466e62"]
			}
		},
		{
			"minor": "6.14",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.14.11",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.14.11.tar.xz",
				"sha256": "3f1ccd0a6dc9c9777cb6fcef357c77e4a2386c84c52b6d5bbcda79c16af33b1b",
				"agreeing": ["buildroot/buildroot@3a00ac13d814d795b3d051d10ddbab501e44a7bd", "crosstool-ng/crosstool-ng@890e6500165d61cd615ee1d7ccc6cbeb09f5a0d0"]
			}
		},
		{
			"minor": "6.15",
			"support": "eol",
			"debian": { "missing": "Debian ships no image of it any more" },
			"source": {
				"release": "6.15.9",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.15.9.tar.xz",
				"sha256": "e94f3af85492302f7a819441458f80bca0ad9912e5a4c83c699ff3c63c52957d",
				"agreeing": ["buildroot/buildroot@51b27bad915c95499877c8bf9a16a221c904bf82", "crosstool-ng/crosstool-ng@890e6500165d61cd615ee1d7ccc6cbeb09f5a0d0"]
			}
		},
		{
			"minor": "6.16",
			"support": "eol",
			"debian": {
				"release": "6.16.12",
				"archive": "debian",
				"version": "6.16.12-1~bpo13+1",
				"snapshot": "20261121T000000Z",
				"packages": [{
					"name": "linux-image-6.16.12+deb13-amd64",
					"poolPath": "pool/main/l/linux-signed-amd64/linux-image-6.16.12+deb13-amd64_6.16.12-1~bpo13+1_amd64.deb",
					"sha256": "a54583c502202b9ec1709d6dc952870cd32eb92b29a32756f0fd240b514ed1f2",
					"sizeBytes": 169667600
				}]
			},
			"source": {
				"release": "6.16.12",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.16.12.tar.xz",
				"sha256": "7ca4debc5ca912ebb8a76944a5c118afd5d09e31ef43c494adb14273da29a26e",
				"agreeing": ["buildroot/buildroot@fec2d492a431f557817ba4ba8ee9244fdcc11370", "LibreELEC/LibreELEC.tv@cb76704c416b577c714ed7d26b6ae58fcc6e01ca"]
			}
		},
		{
			"minor": "6.17",
			"support": "eol",
			"debian": {
				"release": "6.17.13",
				"archive": "debian",
				"version": "6.17.13-1~bpo13+1",
				"snapshot": "20261121T000000Z",
				"packages": [{
					"name": "linux-image-6.17.13+deb13-amd64",
					"poolPath": "pool/main/l/linux-signed-amd64/linux-image-6.17.13+deb13-amd64_6.17.13-1~bpo13+1_amd64.deb",
					"sha256": "4c0643e5db69d9248f4139ec0c765671a2585aa53fc498dcc49b102fd5766696",
					"sizeBytes": 169470672
				}]
			},
			"source": {
				"release": "6.17.13",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.17.13.tar.xz",
				"sha256": "116802dc3ad1646163cc6ffe9bddba24a8069b569135ec0523cd799064f2edb9",
				"agreeing": ["buildroot/buildroot@118f5eb360eb540983e656563969abd23f87a9b2", "crosstool-ng/crosstool-ng@5b48e1222864dfd097c5534289926f901020490d"]
			}
		},
		{
			"minor": "6.18",
			"support": "longterm",
			"debian": {
				"release": "6.18.15",
				"archive": "debian",
				"version": "6.18.15-1~bpo13+1",
				"snapshot": "20261121T000000Z",
				"packages": [{
					"name": "linux-image-6.18.15+deb13-amd64",
					"poolPath": "pool/main/l/linux-signed-amd64/linux-image-6.18.15+deb13-amd64_6.18.15-1~bpo13+1_amd64.deb",
					"sha256": "d38a7af6260782a47cd615ad717347a528b45f076245b4deabb3f1ecf8459186",
					"sizeBytes": 167422112
				}]
			},
			"source": {
				"release": "6.18.45",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.18.45.tar.xz",
				"sha256": "30fa4a56579ca614ac125a12614f7f6466f87ab1278aef7b951dd74156deab33",
				"agreeing": ["buildroot/buildroot@fcac6c4f2514ea3e100fcbf34b47c6380291ebbc", "siderolabs/pkgs@caac51549df4350dda473edd848166b2ce1b8a39"]
			}
		},
		{
			"minor": "6.19",
			"support": "eol",
			"debian": { "missing": "Debian's archive keeps its image, but no longer its modules" },
			"source": {
				"release": "6.19.14",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.19.14.tar.xz",
				"sha256": "cde8bf6739be4a0777fedbbba5330b8188c55680c45a922a4dfa289cbec6f185",
				"agreeing": ["buildroot/buildroot@1f2845d8d6d07fae0237359922b4573b470f9d4b"]
			}
		},
		{
			"minor": "7.0",
			"support": "eol",
			"debian": { "missing": "Debian's archive keeps its image, but no longer its modules" },
			"source": {
				"release": "7.0.12",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v7.x/linux-7.0.12.tar.xz",
				"sha256": "57edc9a41efc1ca6b797afa8f4a587a30da2af6bca7356eb56e1e1a4ada265da",
				"agreeing": ["buildroot/buildroot@d609530d09c1018a3e579ff968778fbbee3867dc", "crosstool-ng/crosstool-ng@7873264fc91245b3e128b9637f3e74588431ae94"]
			}
		},
		{
			"minor": "7.1",
			"support": "eol",
			"debian": { "missing": "Debian's archive keeps its image, but no longer its modules" },
			"source": {
				"release": "7.1.9",
				"url": "https://cdn.kernel.org/pub/linux/kernel/v7.x/linux-7.1.9.tar.xz",
				"sha256": "3271a4ae3897b38352980f2b0975bae61bca81c644d186221c5ae928bcc072b0",
				"agreeing": ["buildroot/buildroot@fcac6c4f2514ea3e100fcbf34b47c6380291ebbc"]
			}
		},
		{
			"minor": "7.2",
			"support": "stable",
			"debian": {
				"release": "7.2.12",
				"archive": "debian",
				"version": "7.2.12-1~bpo13+1",
				"snapshot": "20261121T000000Z",
				"packages": [
					{
						"name": "linux-binary-7.2.12+deb13-amd64",
						"poolPath": "pool/main/l/linux-signed-amd64/linux-binary-7.2.12+deb13-amd64_7.2.12-1~bpo13+1_amd64.deb",
						"sha256": "0d916c7f1310a7cb0567f235785d1c4511d894eb95e9810a2bc1f67e7ec18c2f",
						"sizeBytes": 13968908
					},
					{
						"name": "linux-base-7.2.12+deb13-amd64",
						"poolPath": "pool/main/l/linux/linux-base-7.2.12+deb13-amd64_7.2.12-1~bpo13+1_amd64.deb",
						"sha256": "51c6a66bf190239492b16354c6212969d597220c3dbec1deacdab9dc151916f0",
						"sizeBytes": 1090008
					},
					{
						"name": "linux-modules-7.2.12+deb13-amd64",
						"poolPath": "pool/main/l/linux/linux-modules-7.2.12+deb13-amd64_7.2.12-1~bpo13+1_amd64.deb",
						"sha256": "abd8aad34e82ae541ec596eafa9ac84bbcddf943c5de051d330516c3dff395d6",
						"sizeBytes": 159105900
					}
				]
			},
			"source": { "missing": "no public recipe with the checksum of a tarball was found when the kernels were pinned" }
		},
		{
			"minor": "7.3",
			"support": "stable",
			"debian": {
				"release": "7.3.4",
				"archive": "debian",
				"version": "7.3.4-1~bpo13+1",
				"snapshot": "20261121T021110Z",
				"packages": [
					{
						"name": "linux-binary-7.3.4+deb13-amd64",
						"poolPath": "pool/main/l/linux-signed-amd64/linux-binary-7.3.4+deb13-amd64_7.3.4-1~bpo13+1_amd64.deb",
						"sha256": "7e3248d03a84dcdda88c567aa8c4038f2e7795d2dd167b112c56f8901b6f513f",
						"sizeBytes": 14138336
					},
					{
						"name": "linux-base-7.3.4+deb13-amd64",
						"poolPath": "pool/main/l/linux/linux-base-7.3.4+deb13-amd64_7.3.4-1~bpo13+1_amd64.deb",
						"sha256": "5663505495b5c90be94af42105c7b28629802516779102dac48d5a00cc00fccf",
						"sizeBytes": 1077476
					},
					{
						"name": "linux-modules-7.3.4+deb13-amd64",
						"poolPath": "pool/main/l/linux/linux-modules-7.3.4+deb13-amd64_7.3.4-1~bpo13+1_amd64.deb",
						"sha256": "b3ea01922c9f133767a83cf6891c19b3693858ded617bf22d1e34f95382c08ea",
						"sizeBytes": 106862204
					}
				]
			},
			"source": { "missing": "no index that was read when this minor version was added has it" }
		}
	]
};
// src/kernels/pins.ts
const file$1 = "kernels/kernels.json";
const release = string().regex(/^\d+\.\d+\.\d+$/, "must be an upstream release such as \"6.1.176\"");
const sha256$1 = string().regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hexadecimal digits");
const sizeBytes = int("must be a number of bytes").positive("must be a number of bytes");
const url = string().regex(/^https:\/\/[^\s/]+\/[^\s]+$/, "must be an https address");
const missingSchema = strictObject({ missing: string().min(1, "must say why") });
const debianSchema = strictObject({
	release,
	archive: literal(["debian", "debian-security"], "must be \"debian\" or \"debian-security\""),
	version: string().regex(/^[0-9][A-Za-z0-9.+~:-]*$/, "must be a package version"),
	snapshot: string().regex(/^\d{8}T\d{6}Z$/, "must be a time such as \"20261121T000000Z\""),
	packages: array(strictObject({
		name: string().regex(/^[a-z0-9][a-z0-9+.-]+$/, "must be a package name"),
		poolPath: string().regex(/^pool\/(?!.*\.\.)[^\s\\]+\.deb$/, "must be a path such as \"pool/.../NAME.deb\""),
		sha256: sha256$1,
		sizeBytes
	}), "must be a list of packages").min(1, "must not be empty")
});
const sourceSchema = strictObject({
	release,
	url,
	sha256: sha256$1,
	agreeing: array(string().min(1, "must name a recipe"), "must be a list of recipes").min(1, "must name where the checksum was found"),
	asset: strictObject({
		url,
		sha256: sha256$1,
		sizeBytes
	}).optional()
});
const entrySchema = strictObject({
	minor: string().regex(/^\d+\.\d+$/, "must be a minor version such as \"6.1\""),
	support: literal([
		"longterm",
		"stable",
		"eol"
	], "must be \"longterm\", \"stable\" or \"eol\""),
	debian: dataOrReason(debianSchema),
	source: dataOrReason(sourceSchema)
});
const documentSchema = strictObject({
	schema: literal("bpfgate.kernels/2", "must be \"bpfgate.kernels/2\""),
	kernels: array(entrySchema, "must be a list").min(1, "must not be empty")
});
let own;
/** Checked when first asked for, so that a fault is told like every other error. */
function ownPins() {
	own ??= parsePins(kernels_default);
	return own;
}
/** The kernels pinned in this release of bpfgate, oldest first. */
function readPins() {
	return [...ownPins().pins];
}
/** What this release of bpfgate has no pin of, and why; oldest first. */
function readMissing() {
	return [...ownPins().missing];
}
/** Of a minor version, as upstream has it; one that kernels.json does not list is `stable` if newer than all it lists. */
function supportOf(minor) {
	const { pins } = ownPins();
	const pinned = pins.find((pin) => pin.minor === minor);
	if (pinned !== void 0) return pinned.support;
	return pins.every((pin) => compareVersions(pin.minor, minor) < 0) ? "stable" : "eol";
}
/**
* Checks the content of a kernels.json and makes its entries into kernels. What a minor version boots by default is
* Debian's kernel where there is one, else the one compiled from source; the other one has its origin in its id.
*
* @throws KernelError naming the entry and the field of every fault
*/
function parsePins(content) {
	const entries = parseEntries(content).sort((a, b) => compareVersions(a.minor, b.minor));
	return {
		pins: entries.flatMap(toPins),
		missing: entries.flatMap(toMissing)
	};
}
/**
* Checks the content of a kernels.json.
*
* @returns its entries in the order of the file
* @throws KernelError naming the entry and the field of every fault
*/
function parseEntries(content) {
	const parsed = documentSchema.safeParse(content);
	const faults = parsed.success ? [...findDuplicates(parsed.data.kernels), ...findMismatches(parsed.data.kernels)] : parsed.error.issues.map((issue) => `${place(content, issue.path)}: ${issue.message}`);
	if (!parsed.success || faults.length > 0) throw new KernelError(`${file$1} is not valid:\n${faults.map((fault) => `  ${fault}`).join("\n")}`, { hint: "see kernels/README.md" });
	return parsed.data.kernels;
}
/** Orders versions such as 5.10 and 6.1.176 by their numbers; a shorter one comes before its extensions. */
function compareVersions(a, b) {
	const left = a.split(".").map(Number);
	const right = b.split(".").map(Number);
	for (let i = 0; i < Math.max(left.length, right.length); i++) {
		const difference = (left[i] ?? -1) - (right[i] ?? -1);
		if (difference !== 0) return difference;
	}
	return 0;
}
/** Oldest first; of one release the default first. */
function compareKernels(a, b) {
	return compareVersions(a.minor, b.minor) || compareVersions(a.release, b.release) || a.id.length - b.id.length;
}
/** The one sum that stands for all of a kernel's packages: its only package's own, else that of all sums, one a line. */
function sumOfPackages(packages) {
	const [first, ...others] = packages;
	if (first !== void 0 && others.length === 0) return first.sha256;
	const hash = createHash("sha256");
	for (const { sha256: sum } of packages) hash.update(`${sum}\n`);
	return hash.digest("hex");
}
function toPins({ minor, support, debian, source }) {
	const pins = [];
	if (!("missing" in debian)) {
		const pin = {
			id: minor,
			origin: "debian",
			minor,
			support,
			sha256: sumOfPackages(debian.packages),
			...debian
		};
		pins.push(pin);
	}
	if (!("missing" in source)) {
		const pin = {
			id: pins.length === 0 ? minor : `${minor}:source`,
			origin: "source",
			minor,
			support,
			...source
		};
		pins.push(pin);
	}
	return pins.sort(compareKernels);
}
function toMissing({ minor, debian, source }) {
	return [..."missing" in debian ? [{
		minor,
		origin: "debian",
		reason: debian.missing
	}] : [], ..."missing" in source ? [{
		minor,
		origin: "source",
		reason: source.missing
	}] : []];
}
/** The data, or `{ "missing": "reason" }`. A plain union would tell of a fault only that neither fits. */
function dataOrReason(data) {
	return unknown().transform((value, context) => {
		const parsed = (typeof value === "object" && value !== null && "missing" in value ? missingSchema : data).safeParse(value);
		if (parsed.success) return parsed.data;
		for (const issue of parsed.error.issues) context.issues.push({
			code: "custom",
			input: value,
			message: issue.message,
			path: [...issue.path]
		});
		return NEVER;
	});
}
function findDuplicates(entries) {
	const seen = /* @__PURE__ */ new Map();
	return entries.flatMap(({ minor }, index) => {
		const first = seen.get(minor);
		if (first !== void 0) return [`${entryName(index, minor)}, minor: kernel ${first + 1} has the same one`];
		seen.set(minor, index);
		return [];
	});
}
/** Values that contradict one another, as a slip of the pen in an update leaves them. */
function findMismatches(entries) {
	return entries.flatMap(({ minor, debian, source }, index) => {
		const faults = [];
		for (const [origin, data] of [["debian", debian], ["source", source]]) {
			if ("missing" in data || data.release.startsWith(`${minor}.`)) continue;
			faults.push(`${origin}.release: "${data.release}" is not a release of ${minor}`);
		}
		if (!("missing" in debian) && !debian.version.startsWith(`${debian.release}-`)) faults.push(`debian.version: "${debian.version}" is not a version of ${debian.release}`);
		if (!("missing" in source) && !source.url.includes(`/linux-${source.release}.tar.`)) faults.push(`source.url: "${source.url}" is not the tarball of ${source.release}`);
		return faults.map((fault) => `${entryName(index, minor)}, ${fault}`);
	});
}
/** `kernel 2 ("6.1"), debian.packages[0].sha256`: the entry by number and minor version, then the field. */
function place(content, path) {
	const [top, index, ...field] = path;
	if (top !== "kernels" || typeof index !== "number") return path.length === 0 ? "document" : path.join(".");
	const entry = entryName(index, content.kernels[index]?.minor);
	return field.length === 0 ? entry : `${entry}, ${field.join(".").replace(/\.(\d+)/g, "[$1]")}`;
}
function entryName(index, minor) {
	return `kernel ${index + 1}${typeof minor === "string" ? ` ("${minor}")` : ""}`;
}
// src/kernels/build/config.ts
/** Where the fragments are, for messages: a folder of bpfgate. */
const fragmentFolder = "kernels/config";
/**
* Raised when builds give other bytes for a reason that is not in the fragments, such as another compiler flag, so that
* kernels in caches are built anew.
*/
const builderRevision = 1;
const linePattern = /^(CONFIG_\w+)=("[^"]*"|[\w-]+)(?:\s+#(?: since (\d+\.\d+))?(?: until (\d+\.\d+))?( where known)?)?$/;
/**
* Reads one fragment.
*
* @param file the fragment's name, for messages
* @throws KernelError naming file and line of what is no option
*/
function parseFragment(text, file) {
	return text.split("\n").flatMap((raw, index) => {
		const line = raw.trim();
		if (line === "" || line.startsWith("# ") || line === "#") return [];
		const match = linePattern.exec(line);
		if (match === null || line.endsWith("#")) throw new KernelError(`${file}:${index + 1}: not a line of a fragment: ${line}`, { hint: `write it as ${fragmentFolder}/README.md says` });
		const [, name = "", value = "", since, until, whereKnown] = match;
		return [{
			name,
			value,
			since,
			until,
			whereKnown: whereKnown !== void 0
		}];
	});
}
/**
* The options of a minor version, in the order of the fragments.
*
* @param minor `5.8`
* @throws KernelError when two lines for the version give one option different values
*/
function optionsFor(minor, fragments) {
	const chosen = /* @__PURE__ */ new Map();
	for (const { name, value, since, until, whereKnown } of fragments) {
		if (since !== void 0 && compareVersions(minor, since) < 0) continue;
		if (until !== void 0 && compareVersions(minor, until) > 0) continue;
		const other = chosen.get(name);
		if (other !== void 0 && other.value !== value) throw new KernelError(`the fragments give ${name} two values for ${minor}: ${other.value} and ${value}`, { hint: `mend ${fragmentFolder}` });
		chosen.set(name, {
			name,
			value,
			whereKnown
		});
	}
	return [...chosen.values()];
}
/** The options in the kernel's own notation, for merging into a `.config`. */
function renderOptions(options) {
	return options.map(({ name, value }) => value === "n" ? `# ${name} is not set\n` : `${name}=${value}\n`).join("");
}
/**
* Those options that a configuration does not have. One marked `where known` counts only when the configuration names it.
*
* @param config a whole `.config`
*/
function optionsNotTaken(wanted, config) {
	const found = /* @__PURE__ */ new Map();
	for (const line of config.split("\n")) {
		const set = /^(CONFIG_\w+)=(.*)$/.exec(line);
		const off = /^# (CONFIG_\w+) is not set$/.exec(line);
		if (set?.[1] !== void 0 && set[2] !== void 0) found.set(set[1], set[2]);
		else if (off?.[1] !== void 0) found.set(off[1], "n");
	}
	return wanted.flatMap(({ name, value, whereKnown }) => {
		const got = found.get(name);
		if (got === void 0 && whereKnown) return [];
		return (got ?? "n") === value ? [] : [{
			name,
			wanted: value,
			found: got ?? "n"
		}];
	});
}
/** What to tell when options did not take. */
function notTakenError(minor, options) {
	const lines = options.map(({ name, wanted, found }) => `  ${name}: wanted ${wanted}, found ${found}`);
	return new KernelError(`the configuration of kernel ${minor} did not take ${options.length === 1 ? "an option" : "options"}:\n${lines.join("\n")}`, { hint: `see what each depends on in the tree's Kconfig files; if ${minor} lacks it, say \`since\` or \`until\` in ${fragmentFolder}; DEBUG_INFO_BTF also needs a pahole that is new enough` });
}
let fragments;
/**
* The fragments that come with bpfgate, read once.
*
* @throws KernelError when one cannot be understood
*/
function readFragments() {
	if (fragments === void 0) {
		const folder = join(packageRoot, fragmentFolder);
		fragments = readdirSync(folder).filter((name) => name.endsWith(".config")).sort().flatMap((name) => parseFragment(readFileSync(join(folder, name), "utf8"), `${fragmentFolder}/${name}`));
	}
	return fragments;
}
/**
* SHA-256 over everything of bpfgate's that shapes a kernel built from source: the fragments, comments aside, and the
* builder's revision. Lower-case hexadecimal.
*/
function sourceConfigSha256() {
	return createHash("sha256").update(JSON.stringify([builderRevision, readFragments()])).digest("hex");
}
// src/kernels/select.ts
/**
* The kernels that selectors name: a minor version ("6.1"), a release ("6.1.176"), a minor version of one origin
* ("6.1:source", "6.1:debian", "5.8:tree"), an inclusive range of minor versions whose ends need not be pinned
* ("5.8..6.1"), "lts" (all that have long-term support), "latest" or "all"; each may be a comma-separated list.
*
* Of a minor version that two origins have, its default is chosen unless a selector names the origin or a release that
* only the other one has. A kernel built from a tree is chosen by its origin alone.
*
* @param known the pinned kernels, and those built from trees
* @param missing what is not pinned, to say why
* @returns each kernel once, oldest first
* @throws InputError naming the selector, what is allowed and what is pinned
*/
function selectKernels(selectors, known, missing = []) {
	const words = selectors.flatMap((selector) => selector.split(",")).map((word) => word.trim());
	if (words.every((word) => word === "")) throw refuse("no kernel is selected", known);
	const selected = /* @__PURE__ */ new Set();
	for (const word of words) {
		if (word === "") throw refuse(`empty kernel selector in "${selectors.join(",")}"`, known);
		const matching = match(word, known);
		if (matching.length === 0) throw explainNone(word, known, missing);
		for (const kernel of matching) selected.add(kernel);
	}
	return [...selected].sort(compareKernels);
}
function match(selector, known) {
	const defaults = known.filter(isDefault);
	if (selector === "all") return defaults;
	if (selector === "latest") return [...defaults].sort(compareKernels).slice(-1);
	if (selector === "lts") return defaults.filter(({ support }) => support === "longterm");
	if (/^\d+\.\d+$/.test(selector)) return defaults.filter(({ id }) => id === selector);
	if (/^\d+\.\d+\.\d+$/.test(selector)) return [...known.filter(({ origin, release }) => origin !== "tree" && release === selector)].sort(compareKernels).slice(0, 1);
	const [, minor, origin] = /^(\d+\.\d+):(debian|source|tree)$/.exec(selector) ?? [];
	if (minor !== void 0) return known.filter((kernel) => kernel.minor === minor && kernel.origin === origin);
	if (selector.includes("..")) return matchRange(selector, known);
	throw refuse(`unknown kernel selector "${selector}"`, known);
}
/** Whether it is what its minor version boots by default. */
function isDefault({ id, minor }) {
	return id === minor;
}
function matchRange(selector, known) {
	const [, first, last] = /^(\d+\.\d+)\.\.(\d+\.\d+)$/.exec(selector) ?? [];
	if (first === void 0 || last === void 0) throw refuse(`malformed kernel range "${selector}", both ends must be minor versions`, known);
	if (compareVersions(first, last) > 0) throw refuse(`malformed kernel range "${selector}", ${first} is newer than ${last}`, known);
	return known.filter((kernel) => isDefault(kernel) && compareVersions(first, kernel.minor) <= 0 && compareVersions(kernel.minor, last) <= 0);
}
function explainNone(selector, known, missing) {
	const [minor, origin] = selector.split(":");
	if (origin === "tree") return new InputError(`no kernel of ${minor} that was built from a tree is in the cache`, { hint: "build it: bpfgate kernels build --source" });
	const reasons = missing.filter((kernel) => kernel.minor === minor && (origin ?? kernel.origin) === kernel.origin);
	if (reasons.length === 0) return refuse(`no pinned kernel matches "${selector}"`, known);
	const why = reasons.map((kernel) => `${kernel.origin}: ${kernel.reason}`).join("; ");
	const others = known.filter((kernel) => kernel.minor === minor).map(({ id }) => `"${id}"`);
	return new InputError(`kernel "${selector}" is not pinned; ${why}`, { hint: others.length === 0 ? "`bpfgate kernels list` shows the pinned kernels" : `of ${minor} there is ${others.join(", ")}` });
}
function refuse(message, known) {
	return new InputError(`${message}; allowed: "6.1", "6.1.176", "6.1:source", "5.10..6.1", "lts", "latest", "all", or a comma-separated list of these; pinned: ${known.filter(isDefault).map(({ release }) => release).join(", ")}`, { hint: "`bpfgate kernels list` shows the pinned kernels" });
}
// src/kernels/cached.ts
/**
* Of the cache's entries. An entry holds `vmlinuz`, `config`, `kernel.json` and, unless all is built in, `modules`. Takes
* a new name when that or the record changes, because an entry that is there is never made anew.
*/
const kernelKind = "kernels-2";
const sha256 = string().regex(/^[0-9a-f]{64}$/);
/** `kernel.json` of a cache entry. */
const kernelRecordSchema = object$1({
	schema: literal("bpfgate.cached-kernel/2"),
	origin: _enum([
		"debian",
		"source",
		"tree"
	]),
	/** `6.1` */
	minor: string().regex(/^\d+\.\d+$/),
	/** `6.1.176` */
	release: string(),
	/** What `uname -r` prints when it has booted. */
	uname: string().min(1),
	/** Of `vmlinuz`. */
	imageSha256: sha256,
	/** Of `modules`: every file's path and content. Missing when the entry has none. */
	modulesSha256: sha256.optional(),
	/** What it was made from: the pin's `sha256` (`debian`, `source`), a sum of the tree (`tree`). */
	madeFrom: sha256,
	/** Of what the configuration was made from. Set when bpfgate compiled the kernel. */
	configSha256: sha256.optional(),
	/** The compiler's name and version. Set when bpfgate compiled the kernel. */
	compiler: string().optional()
});
/**
* Writes `kernel.json` into a folder that holds `vmlinuz` and perhaps `modules`, whose sums are taken here.
*
* @param folder what publishEntry gave to be filled
*/
async function writeKernelRecord(folder, known) {
	const modules = join(folder, "modules");
	const record = kernelRecordSchema.parse({
		...known,
		schema: "bpfgate.cached-kernel/2",
		imageSha256: await hashFile(join(folder, "vmlinuz")),
		...existsSync(modules) ? { modulesSha256: await hashFolder(modules) } : {}
	});
	await writeFile(join(folder, "kernel.json"), `${JSON.stringify(record, null, 2)}\n`);
}
/**
* The kernel as it is in the cache; undefined when it is not. Of a source pin several builds can be there, by other
* compilers; then it is the one made last.
*
* @throws KernelError when the entry is there and cannot be read
*/
function cachedKernel(pin, cache) {
	const entry = findKernelEntry(pin, cache);
	return entry === void 0 ? void 0 : describeEntry$1(pin, entry, readKernelRecord(entry));
}
/** What a pin's cache entry is called; undefined when it is not in the cache. */
function findKernelEntry(pin, cache) {
	switch (pin.origin) {
		case "debian": return findEntry(cache, kernelKind, pin.sha256);
		case "source": return findSourceEntry(pin, cache);
		case "tree": return scanEntries(cache).find(({ record }) => record.origin === "tree" && record.imageSha256 === pin.sha256)?.folder;
	}
}
function findSourceEntry(pin, cache) {
	const asset = pin.asset === void 0 ? void 0 : findEntry(cache, kernelKind, pin.asset.sha256);
	if (asset !== void 0) return asset;
	const built = scanEntries(cache).filter(({ record }) => record.origin === "source" && record.madeFrom === pin.sha256);
	if (built.length === 0) return void 0;
	const configSha256 = sourceConfigSha256();
	return built.find(({ record }) => record.configSha256 === configSha256)?.folder;
}
/** The kernels built from trees that are in the cache, oldest version first; per minor version the one made last. */
function listTreeKernels(cache) {
	const newest = /* @__PURE__ */ new Map();
	for (const { record } of scanEntries(cache)) if (record.origin === "tree" && !newest.has(record.minor)) newest.set(record.minor, record);
	return [...newest.values()].map(({ minor, release, imageSha256 }) => ({
		id: `${minor}:tree`,
		origin: "tree",
		minor,
		release,
		sha256: imageSha256,
		support: supportOf(minor)
	})).sort((a, b) => compareVersions(a.minor, b.minor));
}
/**
* The kernels that selectors name, of all that are pinned or were built from trees.
*
* @throws InputError as selectKernels does
*/
function chooseKernels(selectors, cache) {
	return selectKernels(selectors, [...readPins(), ...listTreeKernels(cache)], readMissing());
}
/** What is wrong with each entry whose record cannot be read, and which is therefore never used. */
function findUnreadable(cache) {
	return entryFolders(cache).flatMap((folder) => {
		try {
			readKernelRecord(folder);
			return [];
		} catch (error) {
			return [error];
		}
	});
}
/**
* Checks that image and modules in the cache are those that were unpacked or built.
*
* @returns undefined when the kernel is not in the cache
* @throws KernelError when it cannot be read, was made from something else than the pin says or has changed
*/
async function verifyKernel(pin, cache) {
	const entry = findKernelEntry(pin, cache);
	if (entry === void 0) return void 0;
	const record = readKernelRecord(entry);
	const kernel = describeEntry$1(pin, entry, record);
	const hint = `rm -r ${entry} && ${remakeHint(pin)}`;
	const compare = async (what, path, recorded, sum) => {
		const found = await sum(path).catch((cause) => {
			throw new KernelError(`kernel ${pin.id} (${pin.release}): cannot read \`${path}\``, {
				cause,
				hint
			});
		});
		if (found === recorded) return;
		throw new KernelError(`kernel ${pin.id} (${pin.release}): ${what} changed since it was put into the cache:\n  recorded: ${recorded}\n  found:    ${found}\n  in:       ${path}`, { hint });
	};
	if (record.origin !== pin.origin || pin.origin !== "tree" && record.madeFrom !== pin.sha256) throw new KernelError(`kernel ${pin.id} (${pin.release}): \`${entry}\` was not made from what is pinned`, { hint });
	await compare("the image", kernel.image, record.imageSha256, hashFile);
	if (kernel.modulesRoot !== void 0 && record.modulesSha256 !== void 0) await compare("a module", kernel.modulesRoot, record.modulesSha256, hashFolder);
	if (!existsSync(kernel.config)) throw new KernelError(`kernel ${pin.id} (${pin.release}): \`${kernel.config}\` is missing`, { hint });
	return kernel;
}
/**
* SHA-256 that identifies the bytes that run: Debian's packages identify their kernel; of one that is compiled here only
* the image does, since compilers differ.
*/
function identityOf({ pin, imageSha256 }) {
	return pin.origin === "debian" ? pin.sha256 : imageSha256;
}
/** The command that brings a kernel into the cache. */
function remakeHint(pin) {
	return pin.origin === "tree" ? "bpfgate kernels build --source with the tree it was built from" : `bpfgate kernels fetch ${pin.id}`;
}
/** @throws KernelError when the folder's `kernel.json` cannot be read */
function readKernelRecord(folder) {
	const path = join(folder, "kernel.json");
	try {
		return kernelRecordSchema.parse(JSON.parse(readFileSync(path, "utf8")));
	} catch (cause) {
		throw new KernelError(`cannot read \`${path}\``, {
			cause,
			hint: `rm -r ${folder}, then fetch the kernel again`
		});
	}
}
async function hashFile(path) {
	const hash = createHash("sha256");
	await pipeline(createReadStream(path), hash);
	return hash.digest("hex");
}
/** SHA-256 over every file's path and content, in the order of the paths. */
async function hashFolder(root) {
	const hash = createHash("sha256");
	const files = (await readdir(root, {
		recursive: true,
		withFileTypes: true
	})).filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
	for (const file of files.sort()) hash.update(`${await hashFile(file)}  ${file.slice(root.length + 1)}\n`);
	return hash.digest("hex");
}
function describeEntry$1(pin, folder, record) {
	return {
		pin,
		image: join(folder, "vmlinuz"),
		imageSha256: record.imageSha256,
		uname: record.uname,
		config: join(folder, "config"),
		modulesRoot: record.modulesSha256 === void 0 ? void 0 : join(folder, "modules")
	};
}
/** Every entry whose record can be read, the one made last first. */
function scanEntries(cache) {
	return entryFolders(cache).flatMap((folder) => {
		const record = tryReadRecord(folder);
		return record === void 0 ? [] : [{
			folder,
			record,
			madeAt: statSync(join(folder, "kernel.json")).mtimeMs
		}];
	}).sort((a, b) => b.madeAt - a.madeAt || a.folder.localeCompare(b.folder));
}
/** Names that begin with a dot are entries still being made. */
function entryFolders(cache) {
	const kind = join(cache.root, kernelKind);
	if (!existsSync(kind)) return [];
	return readdirSync(kind).filter((name) => !name.startsWith(".")).map((name) => join(kind, name));
}
function tryReadRecord(folder) {
	try {
		return readKernelRecord(folder);
	} catch {
		return;
	}
}
// src/kernels/build/asset.ts
/** All that is in an asset, a `.tar.xz`. */
const files = [
	"config",
	"kernel.json",
	"vmlinuz"
];
/**
* Packs a cache entry. Equal kernels give equal bytes as long as the xz that packs them is of one version.
*
* @param entry absolute path of the entry's folder
* @param asset path of the file to write; it appears whole or not at all
*/
async function packAsset(entry, asset, environment, signal) {
	const temporary = `${asset}.${process.pid}`;
	const plain = [
		"--format=ustar",
		"--mtime=@0",
		"--owner=0",
		"--group=0",
		"--numeric-owner",
		"--mode=0644"
	];
	try {
		const compress = ["--use-compress-program", "xz --threads=1 -6"];
		await runOrThrow("tar", [
			"--create",
			"--file",
			temporary,
			...plain,
			...compress,
			"-C",
			entry,
			...files
		], {
			env: {
				...environment,
				LC_ALL: "C"
			},
			signal
		});
		await rename(temporary, asset);
	} finally {
		await rm(temporary, { force: true });
	}
}
/**
* Unpacks a verified asset and checks that it is the pinned kernel.
*
* @param folder what publishEntry gave to be filled
* @throws KernelError when it is another kernel, or not whole
*/
async function unpackAsset(asset, folder, pin, environment, signal) {
	await runOrThrow("tar", [...[
		"--extract",
		"--xz",
		"--file",
		asset,
		"-C",
		folder,
		"--no-same-owner",
		"--no-same-permissions"
	], ...files], {
		env: environment,
		signal
	}).catch((cause) => {
		if (signal?.aborted) throw cause;
		throw new KernelError(`the built image of kernel ${pin.id} cannot be unpacked: ${cause.message}`, {
			cause,
			hint: assetHint(pin)
		});
	});
	const record = readKernelRecord(folder);
	if (!(record.origin === "source" && record.minor === pin.minor && record.madeFrom === pin.sha256) || record.imageSha256 !== await hashFile(join(folder, "vmlinuz"))) throw new KernelError(`the built image pinned for kernel ${pin.id} is not one of ${pin.release}`, { hint: assetHint(pin) });
}
function assetHint(pin) {
	return `build it instead: bpfgate kernels build ${pin.minor}; and report the image ${pin.asset?.url ?? ""}`;
}
// src/kernels/build/build-kernel.ts
/** What the compiler does for messages alone, which nobody reads here: a twentieth of its time. The code stays the same. */
const quietFlags = ["-ftrack-macro-expansion=0", "-Wno-misleading-indentation"];
const defaultTimeoutMs = 108e5;
/** How often a person hears how far the compiler has come. */
const progressMs = 2e4;
/**
* Configures and compiles a kernel: tinyconfig, the fragments of its version, `olddefconfig`, `bzImage`.
*
* @throws KernelError when an option did not take, or the tree does not compile
* @throws MachineError when the disk is full or the time is up
*/
async function buildKernel(build, options) {
	requirePlainPath(build.tree);
	requirePlainPath(build.output);
	await mkdir(build.output, { recursive: true });
	const pahole = join(build.output, "pahole");
	await writeFile(pahole, paholeScript(build.minor));
	await chmod(pahole, 493);
	const make = (targets) => runMake([...makeArguments(build, pahole), ...targets], build, options);
	options.log.progress(`configuring kernel ${build.name}`);
	await make(["tinyconfig"]);
	const config = join(build.output, ".config");
	const wanted = optionsFor(build.minor, readFragments());
	await mergeOptions(build, renderOptions(wanted), options);
	await make(["olddefconfig"]);
	const missed = optionsNotTaken(wanted, await readFile(config, "utf8"));
	if (missed.length > 0) throw notTakenError(build.name, missed);
	await make([`-j${build.jobs ?? availableParallelism()}`, "bzImage"]);
	const uname = (await readFile(join(build.output, "include", "config", "kernel.release"), "utf8")).trim();
	return {
		image: join(build.output, "arch", "x86", "boot", "bzImage"),
		config,
		uname
	};
}
/** Of `make`, before the targets: where the tree is, and what an old tree needs that it does not say itself. */
function makeArguments({ tree, output }, pahole) {
	const plainPaths = [
		`-ffile-prefix-map=${tree}=.`,
		`-ffile-prefix-map=${tree}/=`,
		`-ffile-prefix-map=${output}=.`
	];
	return [
		"-C",
		tree,
		`O=${output}`,
		"ARCH=x86_64",
		"CC=gcc -std=gnu11",
		"HOSTCC=gcc -std=gnu11",
		`KCFLAGS=${[...plainPaths, ...quietFlags].join(" ")}`,
		`KAFLAGS=${plainPaths.join(" ")}`,
		`PAHOLE=${pahole}`,
		"LOCALVERSION=",
		"WERROR=0",
		"OBJECT_FILES_NON_STANDARD_thunk_64.o=y"
	];
}
/** The whole environment: what a shell has set, such as MAKEFLAGS or CROSS_COMPILE, must not shape a kernel. */
function makeEnvironment({ PATH, HOME, TMPDIR }) {
	return {
		PATH,
		HOME,
		...TMPDIR === void 0 ? {} : { TMPDIR },
		LC_ALL: "C",
		TZ: "UTC",
		SOURCE_DATE_EPOCH: "0",
		KBUILD_BUILD_TIMESTAMP: "Thu Jan  1 00:00:00 UTC 1970",
		KBUILD_BUILD_USER: "bpfgate",
		KBUILD_BUILD_HOST: "bpfgate",
		KBUILD_BUILD_VERSION: "1"
	};
}
/** Make splits words at blanks and takes colons and hashes for its own. */
function requirePlainPath(path) {
	if (!/[\s:#$'"\\]/.test(path)) return;
	throw new MachineError(`kernels cannot be built at \`${path}\`: make does not take such a path`, { hint: "use a folder without blanks, colons, quotes and the like; BPFGATE_CACHE sets the one builds are made in" });
}
/**
* Stands between a kernel's build and pahole. Type information is made in one thread, because several number the types by
* chance, and for kernels before 6.0 without 64-bit enumerations, which they cannot read.
*/
function paholeScript(minor) {
	return `#!/bin/sh
encode=
for argument; do
	shift
	case $argument in
	-j* | --jobs*) continue ;;
	-J | --btf_encode*) encode=1 ;;
	esac
	set -- "$@" "$argument"
done
[ -z "$encode" ] || exec pahole${compareVersions(minor, "6.0") < 0 ? " --skip_encoding_btf_enum64" : ""} "$@"
exec pahole "$@"
`;
}
/** The kernel's own way to lay a fragment over a configuration. */
async function mergeOptions(build, fragment, options) {
	const file = join(build.output, "bpfgate.config");
	await writeFile(file, fragment);
	const result = await run$1(join(build.tree, "scripts", "kconfig", "merge_config.sh"), [
		"-m",
		"-O",
		build.output,
		join(build.output, ".config"),
		file
	], {
		cwd: build.output,
		env: makeEnvironment(options.environment),
		signal: options.signal,
		logFile: build.logFile
	});
	if (result.exitCode !== 0) throw failure("merging the fragments", build, result);
}
async function runMake(args, build, options) {
	const { log, signal, environment } = options;
	const start = performance.now();
	let compiled = 0;
	const timer = setInterval(() => {
		const elapsed = Math.round((performance.now() - start) / 1e3);
		log.progress(`building kernel ${build.name}: ${compiled} files compiled in ${elapsed} s`);
	}, progressMs);
	try {
		const result = await run$1("make", args, {
			env: makeEnvironment(environment),
			signal,
			timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
			logFile: build.logFile,
			onLine: (line) => {
				if (/^ {2}(CC|AS) /.test(line)) compiled++;
			}
		});
		if (result.exitCode !== 0) throw failure(`\`make ${args.at(-1)}\``, build, result);
	} finally {
		clearInterval(timer);
	}
}
function failure(what, { name, logFile }, result) {
	if (result.timedOut) return new MachineError(`building kernel ${name} ran out of time`);
	if (`${result.stdout}\n${result.stderr}`.includes("No space left on device")) return diskFull(name);
	const lines = lastLines(result);
	return new KernelError(`building kernel ${name} failed: ${what} exited with ${result.exitCode}:\n${lines}`, { hint: `everything it printed is in ${logFile}` });
}
function diskFull(name, cause) {
	return new MachineError(`building kernel ${name}: the disk is full`, {
		cause,
		hint: "make room, or set BPFGATE_CACHE to a folder on another disk; a build takes up to 4 GB"
	});
}
/** What a person has to read: the errors compilers printed, else the end of what there is. */
function lastLines({ stdout, stderr }) {
	const lines = (stderr.trim() === "" ? stdout : stderr).trim().split("\n");
	const first = lines.findIndex((line) => /\berror:|undefined reference|No rule to make|FAILED/i.test(line));
	return (first === -1 ? lines.slice(-12) : lines.slice(first, first + 12)).map((line) => `  ${line}`).join("\n");
}
// src/kernels/build/source-tree.ts
/** What an in-tree configuration or build leaves behind; an out-of-tree build refuses such a tree. */
const traces = [
	".config",
	"include/config",
	"include/generated",
	"arch/x86/include/generated"
];
/**
* The version a tree calls itself: `5.8.18`.
*
* @param tree absolute path
* @throws InputError when the folder is no kernel tree, is of another minor version, or was configured or built in place
*/
async function readTreeRelease(tree, minor, environment, signal) {
	if (!existsSync(join(tree, "Makefile")) || !existsSync(join(tree, "scripts", "kconfig"))) throw new InputError(`\`${tree}\` is no tree of kernel sources`, { hint: "--source takes the folder a kernel.org tarball unpacks to" });
	const release = await readVersion(tree, environment, signal);
	if (!/^\d+\.\d+(\.\d+)?(-\S+)?$/.test(release)) throw new InputError(`\`${tree}\` does not say which kernel version it is: "${release}"`);
	if (minorOf(release) !== minor) throw new InputError(`\`${tree}\` is ${release}, not ${minor}`, { hint: `bpfgate kernels build ${minorOf(release)} --source ${tree}` });
	const trace = traces.find((name) => existsSync(join(tree, name)));
	if (trace !== void 0) throw new InputError(`\`${tree}\` is not clean: it holds \`${trace}\``, { hint: `make -C ${tree} mrproper` });
	return release;
}
function minorOf(release) {
	return release.split(".").slice(0, 2).join(".").replace(/-.*$/, "");
}
async function readVersion(tree, { PATH, HOME }, signal) {
	try {
		return (await runOrThrow("make", [
			"-s",
			"-C",
			tree,
			"kernelversion"
		], {
			env: {
				PATH,
				HOME,
				LC_ALL: "C"
			},
			signal,
			timeoutMs: 6e4
		})).trim();
	} catch (error) {
		if (!(error instanceof GateError) || signal?.aborted) throw error;
		throw new InputError(`\`${tree}\` does not say which kernel version it is: ${error.message}`, { cause: error });
	}
}
/**
* SHA-256 over every file's path, kind, executable bit and content, in the order of the paths; `.git` is left out.
* Lower-case hexadecimal.
*/
async function hashTree(tree, signal) {
	const hash = createHash("sha256");
	await addFolder(tree, "", hash, signal);
	return hash.digest("hex");
}
async function addFolder(root, folder, hash, signal) {
	signal?.throwIfAborted();
	const kept = (await readdir(join(root, folder), { withFileTypes: true })).filter(({ name }) => name !== ".git").sort((a, b) => a.name < b.name ? -1 : 1);
	const lines = await Promise.all(kept.map((entry) => describeEntry(root, join(folder, entry.name), entry)));
	for (const [index, entry] of kept.entries()) if (entry.isDirectory()) await addFolder(root, join(folder, entry.name), hash, signal);
	else hash.update(`${lines[index]}\0`);
}
async function describeEntry(root, path, entry) {
	const file = join(root, path);
	if (entry.isDirectory()) return "";
	if (entry.isSymbolicLink()) return `link ${path}\0${await readlink(file)}`;
	if (!entry.isFile()) return `other ${path}`;
	const [{ mode }, content] = await Promise.all([lstat(file), readFile(file)]);
	const sum = createHash("sha256").update(content).digest("hex");
	return `${(mode & 64) === 0 ? "file" : "program"} ${path}\0${sum}`;
}
// src/kernels/build/toolchain.ts
/** The first that can be told to leave out what kernels before 6.0 cannot read. */
const oldestPahole = "1.24";
/**
* @param environment whose PATH leads to the programs
* @throws MachineError when one is missing or too old
*/
async function readToolchain(environment, signal) {
	const version = async (program) => {
		return (await runOrThrow(program, ["--version"], {
			env: environment,
			signal,
			timeoutMs: 3e4
		})).split("\n")[0]?.trim() ?? "";
	};
	const [compiler, linker, pahole, gzip] = await Promise.all([
		"gcc",
		"ld",
		"pahole",
		"gzip"
	].map(version));
	if (!isAtLeast(findVersion((pahole ?? "").replace(/^v/, "")) ?? "0", oldestPahole)) throw new MachineError(`pahole ${pahole} is too old to build kernels; ${oldestPahole} is needed`, { hint: "install a newer dwarves package" });
	return {
		compiler: compiler ?? "",
		linker: linker ?? "",
		pahole: pahole ?? "",
		gzip: gzip ?? ""
	};
}
// src/kernels/build/source-kernel.ts
/** Several times what a tarball of any version has. */
const tarballMaxBytes = 1e9;
/** What a build needs at once: tree and objects of the largest version, with room to spare. */
const neededBytes = 4e9;
/**
* Brings a pinned kernel into the cache: the image attached to a release where there is one and it can be had, else
* built from the tarball.
*
* @throws KernelError when the tarball cannot be had, is another than the pinned, or does not build
* @throws MachineError when the machine lacks what a build needs
*/
async function obtainSourceKernel(pin, options) {
	const { log } = options;
	if (pin.asset !== void 0) try {
		return await fetchAsset(pin, pin.asset, options);
	} catch (error) {
		if (!(error instanceof AssetUnreachable)) throw error;
		log.warn(`the built image of kernel ${pin.id} cannot be had; it is built from source instead`);
	}
	return await buildSourceKernel(pin, options);
}
/** No address has the built image; the tarball will do. */
var AssetUnreachable = class extends KernelError {};
async function fetchAsset(pin, asset, options) {
	const { cache, log, signal, stallMs, environment = process.env } = options;
	return describe(pin, await publishEntry(cache, kernelKind, asset.sha256, async (dir) => {
		const file = join(dir, "asset");
		await downloadVerified({
			name: `kernel ${pin.release}`,
			sha256: asset.sha256,
			sizeBytes: asset.sizeBytes
		}, [asset.url], file, {
			log,
			signal,
			stallMs,
			ErrorClass: KernelError,
			UnreachableClass: AssetUnreachable
		});
		await unpackAsset(file, dir, pin, environment, signal);
		await rm(file);
	}));
}
/**
* Builds a pinned kernel from its tarball, or finds it built with the same options by the same tools.
*
* @throws KernelError when the tarball cannot be had, is another than the pinned, or does not build
* @throws MachineError when the machine lacks what a build needs
*/
async function buildSourceKernel(pin, options) {
	const { cache, log, signal, stallMs } = options;
	const tools = options.tools ?? await findTools(options);
	const key = entryKey(pin.sha256, tools.toolchain);
	return describe(pin, await publishEntry(cache, kernelKind, key, async (dir) => {
		await requireRoom(dir, pin.release);
		const tarball = join(dir, "tarball");
		const expected = {
			name: basename(new URL(pin.url).pathname),
			sha256: pin.sha256,
			maxBytes: tarballMaxBytes
		};
		await downloadVerified(expected, [pin.url], tarball, {
			log,
			signal,
			stallMs,
			ErrorClass: KernelError
		});
		log.progress(`unpacking ${expected.name}`);
		const tree = join(dir, "source");
		await unpackTarball(tarball, tree, pin, tools.environment, signal);
		await rm(tarball);
		await fillEntry(dir, {
			...pin,
			origin: "source",
			tree,
			madeFrom: pin.sha256
		}, tools, options);
		await rm(tree, { recursive: true });
	}));
}
/**
* Builds an unpacked tree, or finds an equal one built with the same options by the same tools.
*
* @param folder the tree; nothing in it is written
* @throws InputError when it is no tree of that minor version, or is not clean
* @throws KernelError when it does not build
* @throws MachineError when the machine lacks what a build needs
*/
async function buildTree$1(folder, minor, options) {
	const { cache, log, signal } = options;
	const tools = options.tools ?? await findTools(options);
	const tree = resolve(folder);
	const release = await readTreeRelease(tree, minor, tools.environment, signal);
	log.progress(`reading ${tree}`);
	const madeFrom = await hashTree(tree, signal);
	const key = entryKey(madeFrom, tools.toolchain);
	const found = findEntry(cache, kernelKind, key);
	if (found !== void 0) await utimes(join(found, "kernel.json"), /* @__PURE__ */ new Date(), /* @__PURE__ */ new Date());
	const entry = await publishEntry(cache, kernelKind, key, async (dir) => {
		await requireRoom(dir, release);
		await fillEntry(dir, {
			origin: "tree",
			minor,
			release,
			tree,
			madeFrom
		}, tools, options);
	});
	const { imageSha256 } = readKernelRecord(entry);
	return describe({
		id: `${minor}:tree`,
		origin: "tree",
		minor,
		release,
		sha256: imageSha256,
		support: supportOf(minor)
	}, entry);
}
async function findTools({ cache, environment, signal }) {
	if (process.arch !== "x64") throw new MachineError(`kernels are built on x86-64 machines only, and this is ${process.arch}`);
	const { env } = await requirePrerequisites(["kernel-build"], {
		cache,
		...environment === void 0 ? {} : { environment }
	});
	return {
		environment: env,
		toolchain: await readToolchain(env, signal)
	};
}
/** Whatever shapes the bytes: what is built, how, and by which programs. */
function entryKey(madeFrom, toolchain) {
	return createHash("sha256").update(JSON.stringify([
		madeFrom,
		sourceConfigSha256(),
		toolchain
	])).digest("hex");
}
/** Builds in a folder of the entry's own, which goes before the entry appears. */
async function fillEntry(dir, order, tools, options) {
	const { cache, log, signal, jobs } = options;
	const { origin, minor, release, tree, madeFrom } = order;
	const output = join(dir, "build");
	const logs = join(cache.root, "logs");
	const logFile = join(logs, `kernel-${minor}-${origin}.log`);
	const start = performance.now();
	try {
		await mkdir(logs, { recursive: true });
		const built = await buildKernel({
			tree,
			output,
			minor,
			name: release,
			logFile,
			jobs
		}, {
			log,
			signal,
			environment: tools.environment
		});
		await rename(built.image, join(dir, "vmlinuz"));
		await rename(built.config, join(dir, "config"));
		await rm(output, { recursive: true });
		await writeKernelRecord(dir, {
			origin,
			minor,
			release,
			uname: built.uname,
			madeFrom,
			configSha256: sourceConfigSha256(),
			compiler: tools.toolchain.compiler
		});
	} catch (error) {
		if (error.code === "ENOSPC") throw diskFull(release, error);
		throw error;
	}
	log.progress(`kernel ${release} was built in ${Math.round((performance.now() - start) / 1e3)} s`);
}
/** Said before the work and not in the middle of it. */
async function requireRoom(dir, name) {
	const { bavail, bsize } = await statfs(dir);
	if (bavail * bsize < neededBytes) throw diskFull(name);
}
async function unpackTarball(tarball, tree, { release }, environment, signal) {
	await mkdir(tree);
	const result = await run$1("tar", [
		"--extract",
		"--file",
		tarball,
		"--directory",
		tree,
		"--strip-components=1",
		"--no-same-owner"
	], {
		env: {
			...environment,
			LC_ALL: "C"
		},
		signal,
		timeoutMs: 18e5
	});
	if (result.exitCode === 0) return;
	if (result.stderr.includes("No space left on device")) throw diskFull(release);
	throw new KernelError(`the tarball of kernel ${release} cannot be unpacked:\n${result.stderr.trim().slice(-1e3)}`, { hint: "its checksum is the pinned one: pin another tarball, see kernels/README.md" });
}
function describe(pin, entry) {
	const { imageSha256, uname } = readKernelRecord(entry);
	return {
		pin,
		image: join(entry, "vmlinuz"),
		imageSha256,
		uname,
		config: join(entry, "config"),
		modulesRoot: void 0
	};
}
// src/kernels/package-files.ts
/** What is kept, below lib/modules/<uname>/kernel/. The booting needs 9p, overlayfs, virtio and the console's driver. */
const keptModules = [
	/^(lib|crypto|mm|arch(?!\/x86\/kvm))\//,
	/^net\/(?!(6lowpan|appletalk|atm|ax25|batman-adv|bluetooth|ceph|ieee802154|mac80211|mac802154|netrom|nfc|rds|rose|rxrpc|wireless|x25)\/)/,
	/^fs\/(9p|configfs|overlayfs|netfs|fscache|cachefiles|fuse)\//,
	/^drivers\/(virtio|char)\//,
	/^drivers\/block\/(virtio_blk|loop|null_blk|brd|zram)\b/,
	/^drivers\/net\/[^/]+$/,
	/^drivers\/net\/(bonding|ipvlan|netdevsim|ovpn|ppp|team|vxlan|wireguard)\//
];
const keptLists = [
	"modules.builtin",
	"modules.builtin.modinfo",
	"modules.order"
];
/**
* Finds what to keep in the listings of a kernel's packages, put together.
*
* Where Debian has one package, image and configuration are in /boot; where it has several, they are among the modules:
* `/usr/lib/modules/<uname>/vmlinuz` and `config`.
*
* @returns undefined when they hold no kernel: not exactly one image, no configuration or no module
*/
function findPackageFiles(listing) {
	const images = listing.filter((name) => imageName.test(name));
	const [image] = images;
	const [, inBoot, inModules] = imageName.exec(image ?? "") ?? [];
	const uname = inBoot ?? inModules;
	if (image === void 0 || uname === void 0 || images.length !== 1) return void 0;
	const names = new Set(listing);
	const modulesFolder = [`./usr/lib/modules/${uname}`, `./lib/modules/${uname}`].find((folder) => names.has(`${folder}/kernel/`));
	if (modulesFolder === void 0) return void 0;
	const config = inBoot === void 0 ? `${modulesFolder}/config` : `./boot/config-${uname}`;
	if (!names.has(config)) return void 0;
	return {
		uname,
		image,
		config,
		modulesFolder,
		wanted: [
			image,
			config,
			...listing.filter((name) => {
				if (!name.startsWith(`${modulesFolder}/`) || name.endsWith("/")) return false;
				const path = name.slice(modulesFolder.length + 1);
				return path.startsWith("kernel/") ? isKeptModule(path.slice(7)) : keptLists.includes(path);
			})
		]
	};
}
const imageName = /^\.\/(?:boot\/vmlinuz-([^/]+)|(?:usr\/)?lib\/modules\/([^/]+)\/vmlinuz)$/;
function isKeptModule(path) {
	return /\.ko(\.xz|\.zst|\.gz)?$/.test(path) && keptModules.some((pattern) => pattern.test(path));
}
// src/kernels/fetch.ts
/**
* Makes sure a kernel is in the cache.
*
* @throws KernelError when no source has what it is made from, one delivers another content than the pinned, it does
* not build, or it was built from a tree and is not in the cache
* @throws MachineError when a tool is missing or fails
*/
async function fetchKernel(pin, options) {
	const found = cachedKernel(pin, options.cache);
	if (found !== void 0) return found;
	switch (pin.origin) {
		case "debian": return fetchDebianKernel(pin, options);
		case "source": return obtainSourceKernel(pin, options);
		case "tree": throw new KernelError(`kernel ${pin.id} (${pin.release}) is not in the cache`, { hint: remakeHint(pin) });
	}
}
async function fetchDebianKernel(pin, options) {
	const { cache, log, signal } = options;
	await publishEntry(cache, kernelKind, pin.sha256, async (dir) => {
		const packageFiles = [];
		for (const [index, file] of pin.packages.entries()) {
			const packageFile = join(dir, `package-${index}.deb`);
			await downloadVerified(file, options.sources?.(file) ?? await findPackageAddresses({
				archive: pin.archive,
				snapshot: pin.snapshot,
				poolPath: file.poolPath
			}, { signal }), packageFile, {
				log,
				signal,
				ErrorClass: KernelError,
				unreachableHint: permanentArchiveHint,
				...options.stallMs === void 0 ? {} : { stallMs: options.stallMs }
			});
			packageFiles.push(packageFile);
		}
		log.progress(`unpacking ${namesOf(pin)}`);
		await unpackKernel(pin, packageFiles, dir, signal);
		for (const packageFile of packageFiles) await rm(packageFile);
		log.progress(`kernel ${pin.release} is in the cache (${(await measureFolder(dir) / 1e6).toFixed(1)} MB)`);
	});
	const kernel = cachedKernel(pin, cache);
	if (kernel === void 0) throw new KernelError(`the cache entry of kernel ${pin.release} was removed while it was made`);
	return kernel;
}
async function unpackKernel(pin, packageFiles, dir, signal) {
	const listings = [];
	for (const packageFile of packageFiles) listings.push(await listPackage(packageFile, { signal }));
	const files = findPackageFiles(listings.flat());
	if (files === void 0) throw new KernelError(`${namesOf(pin)} ${pin.version}: no kernel with its configuration and modules in there`, { hint: "pin all packages the kernel is split into, see kernels/README.md" });
	const unpacked = join(dir, "unpacked");
	for (const [index, packageFile] of packageFiles.entries()) {
		const names = new Set(listings[index]);
		const wanted = files.wanted.filter((name) => names.has(name));
		if (wanted.length > 0) await extractPackage(packageFile, wanted, unpacked, { signal });
	}
	await rename(join(unpacked, files.image), join(dir, "vmlinuz"));
	await rename(join(unpacked, files.config), join(dir, "config"));
	const modules = join(dir, "modules");
	await mkdir(join(modules, "lib", "modules"), { recursive: true });
	await rename(join(unpacked, files.modulesFolder), join(modules, "lib", "modules", files.uname));
	await rm(unpacked, { recursive: true });
	await indexModules(modules, files.uname, signal);
	await writeKernelRecord(dir, {
		origin: "debian",
		minor: pin.minor,
		release: pin.release,
		uname: files.uname,
		madeFrom: pin.sha256
	});
}
function namesOf(pin) {
	return pin.packages.map(({ name }) => name).join(", ");
}
/** Writes modules.dep and its kin, which modprobe reads. */
async function indexModules(root, uname, signal) {
	const env = {
		...process.env,
		PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin`
	};
	const result = await run$1("depmod", [
		"-b",
		root,
		uname
	], {
		env,
		signal
	}).catch((error) => {
		if (!(error instanceof MachineError)) throw error;
		throw new MachineError("depmod is missing", {
			cause: error,
			hint: "apt-get install kmod"
		});
	});
	if (result.exitCode !== 0) throw new MachineError(`depmod failed for ${uname}:\n${result.stderr.trim()}`);
}
// node_modules/cli-table3/src/debug.js
var require_debug = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	let messages = [];
	let level = 0;
	const debug = (msg, min) => {
		if (level >= min) messages.push(msg);
	};
	debug.WARN = 1;
	debug.INFO = 2;
	debug.DEBUG = 3;
	debug.reset = () => {
		messages = [];
	};
	debug.setDebugLevel = (v) => {
		level = v;
	};
	debug.warn = (msg) => debug(msg, debug.WARN);
	debug.info = (msg) => debug(msg, debug.INFO);
	debug.debug = (msg) => debug(msg, debug.DEBUG);
	debug.debugMessages = () => messages;
	module.exports = debug;
}));
// node_modules/ansi-regex/index.js
var require_ansi_regex = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module.exports = ({ onlyFirst = false } = {}) => {
		const pattern = ["[\\u001B\\u009B][[\\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\\d\\/#&.:=?%@~_]+)*|[a-zA-Z\\d]+(?:;[-a-zA-Z\\d\\/#&.:=?%@~_]*)*)?\\u0007)", "(?:(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PR-TZcf-ntqry=><~]))"].join("|");
		return new RegExp(pattern, onlyFirst ? void 0 : "g");
	};
}));
// node_modules/strip-ansi/index.js
var require_strip_ansi = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const ansiRegex = require_ansi_regex();
	module.exports = (string) => typeof string === "string" ? string.replace(ansiRegex(), "") : string;
}));
// node_modules/is-fullwidth-code-point/index.js
var require_is_fullwidth_code_point = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const isFullwidthCodePoint = (codePoint) => {
		if (Number.isNaN(codePoint)) return false;
		if (codePoint >= 4352 && (codePoint <= 4447 || codePoint === 9001 || codePoint === 9002 || 11904 <= codePoint && codePoint <= 12871 && codePoint !== 12351 || 12880 <= codePoint && codePoint <= 19903 || 19968 <= codePoint && codePoint <= 42182 || 43360 <= codePoint && codePoint <= 43388 || 44032 <= codePoint && codePoint <= 55203 || 63744 <= codePoint && codePoint <= 64255 || 65040 <= codePoint && codePoint <= 65049 || 65072 <= codePoint && codePoint <= 65131 || 65281 <= codePoint && codePoint <= 65376 || 65504 <= codePoint && codePoint <= 65510 || 110592 <= codePoint && codePoint <= 110593 || 127488 <= codePoint && codePoint <= 127569 || 131072 <= codePoint && codePoint <= 262141)) return true;
		return false;
	};
	module.exports = isFullwidthCodePoint;
	module.exports.default = isFullwidthCodePoint;
}));
// node_modules/emoji-regex/index.js
var require_emoji_regex = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module.exports = function() {
		return /\uD83C\uDFF4\uDB40\uDC67\uDB40\uDC62(?:\uDB40\uDC65\uDB40\uDC6E\uDB40\uDC67|\uDB40\uDC73\uDB40\uDC63\uDB40\uDC74|\uDB40\uDC77\uDB40\uDC6C\uDB40\uDC73)\uDB40\uDC7F|\uD83D\uDC68(?:\uD83C\uDFFC\u200D(?:\uD83E\uDD1D\u200D\uD83D\uDC68\uD83C\uDFFB|\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD])|\uD83C\uDFFF\u200D(?:\uD83E\uDD1D\u200D\uD83D\uDC68(?:\uD83C[\uDFFB-\uDFFE])|\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD])|\uD83C\uDFFE\u200D(?:\uD83E\uDD1D\u200D\uD83D\uDC68(?:\uD83C[\uDFFB-\uDFFD])|\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD])|\uD83C\uDFFD\u200D(?:\uD83E\uDD1D\u200D\uD83D\uDC68(?:\uD83C[\uDFFB\uDFFC])|\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD])|\u200D(?:\u2764\uFE0F\u200D(?:\uD83D\uDC8B\u200D)?\uD83D\uDC68|(?:\uD83D[\uDC68\uDC69])\u200D(?:\uD83D\uDC66\u200D\uD83D\uDC66|\uD83D\uDC67\u200D(?:\uD83D[\uDC66\uDC67]))|\uD83D\uDC66\u200D\uD83D\uDC66|\uD83D\uDC67\u200D(?:\uD83D[\uDC66\uDC67])|(?:\uD83D[\uDC68\uDC69])\u200D(?:\uD83D[\uDC66\uDC67])|[\u2695\u2696\u2708]\uFE0F|\uD83D[\uDC66\uDC67]|\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD])|(?:\uD83C\uDFFB\u200D[\u2695\u2696\u2708]|\uD83C\uDFFF\u200D[\u2695\u2696\u2708]|\uD83C\uDFFE\u200D[\u2695\u2696\u2708]|\uD83C\uDFFD\u200D[\u2695\u2696\u2708]|\uD83C\uDFFC\u200D[\u2695\u2696\u2708])\uFE0F|\uD83C\uDFFB\u200D(?:\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD])|\uD83C[\uDFFB-\uDFFF])|(?:\uD83E\uDDD1\uD83C\uDFFB\u200D\uD83E\uDD1D\u200D\uD83E\uDDD1|\uD83D\uDC69\uD83C\uDFFC\u200D\uD83E\uDD1D\u200D\uD83D\uDC69)\uD83C\uDFFB|\uD83E\uDDD1(?:\uD83C\uDFFF\u200D\uD83E\uDD1D\u200D\uD83E\uDDD1(?:\uD83C[\uDFFB-\uDFFF])|\u200D\uD83E\uDD1D\u200D\uD83E\uDDD1)|(?:\uD83E\uDDD1\uD83C\uDFFE\u200D\uD83E\uDD1D\u200D\uD83E\uDDD1|\uD83D\uDC69\uD83C\uDFFF\u200D\uD83E\uDD1D\u200D(?:\uD83D[\uDC68\uDC69]))(?:\uD83C[\uDFFB-\uDFFE])|(?:\uD83E\uDDD1\uD83C\uDFFC\u200D\uD83E\uDD1D\u200D\uD83E\uDDD1|\uD83D\uDC69\uD83C\uDFFD\u200D\uD83E\uDD1D\u200D\uD83D\uDC69)(?:\uD83C[\uDFFB\uDFFC])|\uD83D\uDC69(?:\uD83C\uDFFE\u200D(?:\uD83E\uDD1D\u200D\uD83D\uDC68(?:\uD83C[\uDFFB-\uDFFD\uDFFF])|\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD])|\uD83C\uDFFC\u200D(?:\uD83E\uDD1D\u200D\uD83D\uDC68(?:\uD83C[\uDFFB\uDFFD-\uDFFF])|\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD])|\uD83C\uDFFB\u200D(?:\uD83E\uDD1D\u200D\uD83D\uDC68(?:\uD83C[\uDFFC-\uDFFF])|\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD])|\uD83C\uDFFD\u200D(?:\uD83E\uDD1D\u200D\uD83D\uDC68(?:\uD83C[\uDFFB\uDFFC\uDFFE\uDFFF])|\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD])|\u200D(?:\u2764\uFE0F\u200D(?:\uD83D\uDC8B\u200D(?:\uD83D[\uDC68\uDC69])|\uD83D[\uDC68\uDC69])|\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD])|\uD83C\uDFFF\u200D(?:\uD83C[\uDF3E\uDF73\uDF93\uDFA4\uDFA8\uDFEB\uDFED]|\uD83D[\uDCBB\uDCBC\uDD27\uDD2C\uDE80\uDE92]|\uD83E[\uDDAF-\uDDB3\uDDBC\uDDBD]))|\uD83D\uDC69\u200D\uD83D\uDC69\u200D(?:\uD83D\uDC66\u200D\uD83D\uDC66|\uD83D\uDC67\u200D(?:\uD83D[\uDC66\uDC67]))|(?:\uD83E\uDDD1\uD83C\uDFFD\u200D\uD83E\uDD1D\u200D\uD83E\uDDD1|\uD83D\uDC69\uD83C\uDFFE\u200D\uD83E\uDD1D\u200D\uD83D\uDC69)(?:\uD83C[\uDFFB-\uDFFD])|\uD83D\uDC69\u200D\uD83D\uDC66\u200D\uD83D\uDC66|\uD83D\uDC69\u200D\uD83D\uDC69\u200D(?:\uD83D[\uDC66\uDC67])|(?:\uD83D\uDC41\uFE0F\u200D\uD83D\uDDE8|\uD83D\uDC69(?:\uD83C\uDFFF\u200D[\u2695\u2696\u2708]|\uD83C\uDFFE\u200D[\u2695\u2696\u2708]|\uD83C\uDFFC\u200D[\u2695\u2696\u2708]|\uD83C\uDFFB\u200D[\u2695\u2696\u2708]|\uD83C\uDFFD\u200D[\u2695\u2696\u2708]|\u200D[\u2695\u2696\u2708])|(?:(?:\u26F9|\uD83C[\uDFCB\uDFCC]|\uD83D\uDD75)\uFE0F|\uD83D\uDC6F|\uD83E[\uDD3C\uDDDE\uDDDF])\u200D[\u2640\u2642]|(?:\u26F9|\uD83C[\uDFCB\uDFCC]|\uD83D\uDD75)(?:\uD83C[\uDFFB-\uDFFF])\u200D[\u2640\u2642]|(?:\uD83C[\uDFC3\uDFC4\uDFCA]|\uD83D[\uDC6E\uDC71\uDC73\uDC77\uDC81\uDC82\uDC86\uDC87\uDE45-\uDE47\uDE4B\uDE4D\uDE4E\uDEA3\uDEB4-\uDEB6]|\uD83E[\uDD26\uDD37-\uDD39\uDD3D\uDD3E\uDDB8\uDDB9\uDDCD-\uDDCF\uDDD6-\uDDDD])(?:(?:\uD83C[\uDFFB-\uDFFF])\u200D[\u2640\u2642]|\u200D[\u2640\u2642])|\uD83C\uDFF4\u200D\u2620)\uFE0F|\uD83D\uDC69\u200D\uD83D\uDC67\u200D(?:\uD83D[\uDC66\uDC67])|\uD83C\uDFF3\uFE0F\u200D\uD83C\uDF08|\uD83D\uDC15\u200D\uD83E\uDDBA|\uD83D\uDC69\u200D\uD83D\uDC66|\uD83D\uDC69\u200D\uD83D\uDC67|\uD83C\uDDFD\uD83C\uDDF0|\uD83C\uDDF4\uD83C\uDDF2|\uD83C\uDDF6\uD83C\uDDE6|[#\*0-9]\uFE0F\u20E3|\uD83C\uDDE7(?:\uD83C[\uDDE6\uDDE7\uDDE9-\uDDEF\uDDF1-\uDDF4\uDDF6-\uDDF9\uDDFB\uDDFC\uDDFE\uDDFF])|\uD83C\uDDF9(?:\uD83C[\uDDE6\uDDE8\uDDE9\uDDEB-\uDDED\uDDEF-\uDDF4\uDDF7\uDDF9\uDDFB\uDDFC\uDDFF])|\uD83C\uDDEA(?:\uD83C[\uDDE6\uDDE8\uDDEA\uDDEC\uDDED\uDDF7-\uDDFA])|\uD83E\uDDD1(?:\uD83C[\uDFFB-\uDFFF])|\uD83C\uDDF7(?:\uD83C[\uDDEA\uDDF4\uDDF8\uDDFA\uDDFC])|\uD83D\uDC69(?:\uD83C[\uDFFB-\uDFFF])|\uD83C\uDDF2(?:\uD83C[\uDDE6\uDDE8-\uDDED\uDDF0-\uDDFF])|\uD83C\uDDE6(?:\uD83C[\uDDE8-\uDDEC\uDDEE\uDDF1\uDDF2\uDDF4\uDDF6-\uDDFA\uDDFC\uDDFD\uDDFF])|\uD83C\uDDF0(?:\uD83C[\uDDEA\uDDEC-\uDDEE\uDDF2\uDDF3\uDDF5\uDDF7\uDDFC\uDDFE\uDDFF])|\uD83C\uDDED(?:\uD83C[\uDDF0\uDDF2\uDDF3\uDDF7\uDDF9\uDDFA])|\uD83C\uDDE9(?:\uD83C[\uDDEA\uDDEC\uDDEF\uDDF0\uDDF2\uDDF4\uDDFF])|\uD83C\uDDFE(?:\uD83C[\uDDEA\uDDF9])|\uD83C\uDDEC(?:\uD83C[\uDDE6\uDDE7\uDDE9-\uDDEE\uDDF1-\uDDF3\uDDF5-\uDDFA\uDDFC\uDDFE])|\uD83C\uDDF8(?:\uD83C[\uDDE6-\uDDEA\uDDEC-\uDDF4\uDDF7-\uDDF9\uDDFB\uDDFD-\uDDFF])|\uD83C\uDDEB(?:\uD83C[\uDDEE-\uDDF0\uDDF2\uDDF4\uDDF7])|\uD83C\uDDF5(?:\uD83C[\uDDE6\uDDEA-\uDDED\uDDF0-\uDDF3\uDDF7-\uDDF9\uDDFC\uDDFE])|\uD83C\uDDFB(?:\uD83C[\uDDE6\uDDE8\uDDEA\uDDEC\uDDEE\uDDF3\uDDFA])|\uD83C\uDDF3(?:\uD83C[\uDDE6\uDDE8\uDDEA-\uDDEC\uDDEE\uDDF1\uDDF4\uDDF5\uDDF7\uDDFA\uDDFF])|\uD83C\uDDE8(?:\uD83C[\uDDE6\uDDE8\uDDE9\uDDEB-\uDDEE\uDDF0-\uDDF5\uDDF7\uDDFA-\uDDFF])|\uD83C\uDDF1(?:\uD83C[\uDDE6-\uDDE8\uDDEE\uDDF0\uDDF7-\uDDFB\uDDFE])|\uD83C\uDDFF(?:\uD83C[\uDDE6\uDDF2\uDDFC])|\uD83C\uDDFC(?:\uD83C[\uDDEB\uDDF8])|\uD83C\uDDFA(?:\uD83C[\uDDE6\uDDEC\uDDF2\uDDF3\uDDF8\uDDFE\uDDFF])|\uD83C\uDDEE(?:\uD83C[\uDDE8-\uDDEA\uDDF1-\uDDF4\uDDF6-\uDDF9])|\uD83C\uDDEF(?:\uD83C[\uDDEA\uDDF2\uDDF4\uDDF5])|(?:\uD83C[\uDFC3\uDFC4\uDFCA]|\uD83D[\uDC6E\uDC71\uDC73\uDC77\uDC81\uDC82\uDC86\uDC87\uDE45-\uDE47\uDE4B\uDE4D\uDE4E\uDEA3\uDEB4-\uDEB6]|\uD83E[\uDD26\uDD37-\uDD39\uDD3D\uDD3E\uDDB8\uDDB9\uDDCD-\uDDCF\uDDD6-\uDDDD])(?:\uD83C[\uDFFB-\uDFFF])|(?:\u26F9|\uD83C[\uDFCB\uDFCC]|\uD83D\uDD75)(?:\uD83C[\uDFFB-\uDFFF])|(?:[\u261D\u270A-\u270D]|\uD83C[\uDF85\uDFC2\uDFC7]|\uD83D[\uDC42\uDC43\uDC46-\uDC50\uDC66\uDC67\uDC6B-\uDC6D\uDC70\uDC72\uDC74-\uDC76\uDC78\uDC7C\uDC83\uDC85\uDCAA\uDD74\uDD7A\uDD90\uDD95\uDD96\uDE4C\uDE4F\uDEC0\uDECC]|\uD83E[\uDD0F\uDD18-\uDD1C\uDD1E\uDD1F\uDD30-\uDD36\uDDB5\uDDB6\uDDBB\uDDD2-\uDDD5])(?:\uD83C[\uDFFB-\uDFFF])|(?:[\u231A\u231B\u23E9-\u23EC\u23F0\u23F3\u25FD\u25FE\u2614\u2615\u2648-\u2653\u267F\u2693\u26A1\u26AA\u26AB\u26BD\u26BE\u26C4\u26C5\u26CE\u26D4\u26EA\u26F2\u26F3\u26F5\u26FA\u26FD\u2705\u270A\u270B\u2728\u274C\u274E\u2753-\u2755\u2757\u2795-\u2797\u27B0\u27BF\u2B1B\u2B1C\u2B50\u2B55]|\uD83C[\uDC04\uDCCF\uDD8E\uDD91-\uDD9A\uDDE6-\uDDFF\uDE01\uDE1A\uDE2F\uDE32-\uDE36\uDE38-\uDE3A\uDE50\uDE51\uDF00-\uDF20\uDF2D-\uDF35\uDF37-\uDF7C\uDF7E-\uDF93\uDFA0-\uDFCA\uDFCF-\uDFD3\uDFE0-\uDFF0\uDFF4\uDFF8-\uDFFF]|\uD83D[\uDC00-\uDC3E\uDC40\uDC42-\uDCFC\uDCFF-\uDD3D\uDD4B-\uDD4E\uDD50-\uDD67\uDD7A\uDD95\uDD96\uDDA4\uDDFB-\uDE4F\uDE80-\uDEC5\uDECC\uDED0-\uDED2\uDED5\uDEEB\uDEEC\uDEF4-\uDEFA\uDFE0-\uDFEB]|\uD83E[\uDD0D-\uDD3A\uDD3C-\uDD45\uDD47-\uDD71\uDD73-\uDD76\uDD7A-\uDDA2\uDDA5-\uDDAA\uDDAE-\uDDCA\uDDCD-\uDDFF\uDE70-\uDE73\uDE78-\uDE7A\uDE80-\uDE82\uDE90-\uDE95])|(?:[#\*0-9\xA9\xAE\u203C\u2049\u2122\u2139\u2194-\u2199\u21A9\u21AA\u231A\u231B\u2328\u23CF\u23E9-\u23F3\u23F8-\u23FA\u24C2\u25AA\u25AB\u25B6\u25C0\u25FB-\u25FE\u2600-\u2604\u260E\u2611\u2614\u2615\u2618\u261D\u2620\u2622\u2623\u2626\u262A\u262E\u262F\u2638-\u263A\u2640\u2642\u2648-\u2653\u265F\u2660\u2663\u2665\u2666\u2668\u267B\u267E\u267F\u2692-\u2697\u2699\u269B\u269C\u26A0\u26A1\u26AA\u26AB\u26B0\u26B1\u26BD\u26BE\u26C4\u26C5\u26C8\u26CE\u26CF\u26D1\u26D3\u26D4\u26E9\u26EA\u26F0-\u26F5\u26F7-\u26FA\u26FD\u2702\u2705\u2708-\u270D\u270F\u2712\u2714\u2716\u271D\u2721\u2728\u2733\u2734\u2744\u2747\u274C\u274E\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27A1\u27B0\u27BF\u2934\u2935\u2B05-\u2B07\u2B1B\u2B1C\u2B50\u2B55\u3030\u303D\u3297\u3299]|\uD83C[\uDC04\uDCCF\uDD70\uDD71\uDD7E\uDD7F\uDD8E\uDD91-\uDD9A\uDDE6-\uDDFF\uDE01\uDE02\uDE1A\uDE2F\uDE32-\uDE3A\uDE50\uDE51\uDF00-\uDF21\uDF24-\uDF93\uDF96\uDF97\uDF99-\uDF9B\uDF9E-\uDFF0\uDFF3-\uDFF5\uDFF7-\uDFFF]|\uD83D[\uDC00-\uDCFD\uDCFF-\uDD3D\uDD49-\uDD4E\uDD50-\uDD67\uDD6F\uDD70\uDD73-\uDD7A\uDD87\uDD8A-\uDD8D\uDD90\uDD95\uDD96\uDDA4\uDDA5\uDDA8\uDDB1\uDDB2\uDDBC\uDDC2-\uDDC4\uDDD1-\uDDD3\uDDDC-\uDDDE\uDDE1\uDDE3\uDDE8\uDDEF\uDDF3\uDDFA-\uDE4F\uDE80-\uDEC5\uDECB-\uDED2\uDED5\uDEE0-\uDEE5\uDEE9\uDEEB\uDEEC\uDEF0\uDEF3-\uDEFA\uDFE0-\uDFEB]|\uD83E[\uDD0D-\uDD3A\uDD3C-\uDD45\uDD47-\uDD71\uDD73-\uDD76\uDD7A-\uDDA2\uDDA5-\uDDAA\uDDAE-\uDDCA\uDDCD-\uDDFF\uDE70-\uDE73\uDE78-\uDE7A\uDE80-\uDE82\uDE90-\uDE95])\uFE0F|(?:[\u261D\u26F9\u270A-\u270D]|\uD83C[\uDF85\uDFC2-\uDFC4\uDFC7\uDFCA-\uDFCC]|\uD83D[\uDC42\uDC43\uDC46-\uDC50\uDC66-\uDC78\uDC7C\uDC81-\uDC83\uDC85-\uDC87\uDC8F\uDC91\uDCAA\uDD74\uDD75\uDD7A\uDD90\uDD95\uDD96\uDE45-\uDE47\uDE4B-\uDE4F\uDEA3\uDEB4-\uDEB6\uDEC0\uDECC]|\uD83E[\uDD0F\uDD18-\uDD1F\uDD26\uDD30-\uDD39\uDD3C-\uDD3E\uDDB5\uDDB6\uDDB8\uDDB9\uDDBB\uDDCD-\uDDCF\uDDD1-\uDDDD])/g;
	};
}));
// node_modules/string-width/index.js
var require_string_width = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const stripAnsi = require_strip_ansi();
	const isFullwidthCodePoint = require_is_fullwidth_code_point();
	const emojiRegex = require_emoji_regex();
	const stringWidth = (string) => {
		if (typeof string !== "string" || string.length === 0) return 0;
		string = stripAnsi(string);
		if (string.length === 0) return 0;
		string = string.replace(emojiRegex(), "  ");
		let width = 0;
		for (let i = 0; i < string.length; i++) {
			const code = string.codePointAt(i);
			if (code <= 31 || code >= 127 && code <= 159) continue;
			if (code >= 768 && code <= 879) continue;
			if (code > 65535) i++;
			width += isFullwidthCodePoint(code) ? 2 : 1;
		}
		return width;
	};
	module.exports = stringWidth;
	module.exports.default = stringWidth;
}));
// node_modules/cli-table3/src/utils.js
var require_utils = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const stringWidth = require_string_width();
	function codeRegex(capture) {
		return capture ? /\u001b\[((?:\d*;){0,5}\d*)m/g : /\u001b\[(?:\d*;){0,5}\d*m/g;
	}
	function strlen(str) {
		let code = codeRegex();
		return ("" + str).replace(code, "").split("\n").reduce(function(memo, s) {
			return stringWidth(s) > memo ? stringWidth(s) : memo;
		}, 0);
	}
	function repeat(str, times) {
		return Array(times + 1).join(str);
	}
	function pad(str, len, pad, dir) {
		let length = strlen(str);
		if (len + 1 >= length) {
			let padlen = len - length;
			switch (dir) {
				case "right":
					str = repeat(pad, padlen) + str;
					break;
				case "center": {
					let right = Math.ceil(padlen / 2);
					str = repeat(pad, padlen - right) + str + repeat(pad, right);
					break;
				}
				default: str = str + repeat(pad, padlen);
			}
		}
		return str;
	}
	let codeCache = {};
	function addToCodeCache(name, on, off) {
		on = "\x1B[" + on + "m";
		off = "\x1B[" + off + "m";
		codeCache[on] = {
			set: name,
			to: true
		};
		codeCache[off] = {
			set: name,
			to: false
		};
		codeCache[name] = {
			on,
			off
		};
	}
	addToCodeCache("bold", 1, 22);
	addToCodeCache("italics", 3, 23);
	addToCodeCache("underline", 4, 24);
	addToCodeCache("inverse", 7, 27);
	addToCodeCache("strikethrough", 9, 29);
	function updateState(state, controlChars) {
		let controlCode = controlChars[1] ? parseInt(controlChars[1].split(";")[0]) : 0;
		if (controlCode >= 30 && controlCode <= 39 || controlCode >= 90 && controlCode <= 97) {
			state.lastForegroundAdded = controlChars[0];
			return;
		}
		if (controlCode >= 40 && controlCode <= 49 || controlCode >= 100 && controlCode <= 107) {
			state.lastBackgroundAdded = controlChars[0];
			return;
		}
		if (controlCode === 0) {
			for (let i in state)
 /* istanbul ignore else */
			if (Object.prototype.hasOwnProperty.call(state, i)) delete state[i];
			return;
		}
		let info = codeCache[controlChars[0]];
		if (info) state[info.set] = info.to;
	}
	function readState(line) {
		let code = codeRegex(true);
		let controlChars = code.exec(line);
		let state = {};
		while (controlChars !== null) {
			updateState(state, controlChars);
			controlChars = code.exec(line);
		}
		return state;
	}
	function unwindState(state, ret) {
		let lastBackgroundAdded = state.lastBackgroundAdded;
		let lastForegroundAdded = state.lastForegroundAdded;
		delete state.lastBackgroundAdded;
		delete state.lastForegroundAdded;
		Object.keys(state).forEach(function(key) {
			if (state[key]) ret += codeCache[key].off;
		});
		if (lastBackgroundAdded && lastBackgroundAdded != "\x1B[49m") ret += "\x1B[49m";
		if (lastForegroundAdded && lastForegroundAdded != "\x1B[39m") ret += "\x1B[39m";
		return ret;
	}
	function rewindState(state, ret) {
		let lastBackgroundAdded = state.lastBackgroundAdded;
		let lastForegroundAdded = state.lastForegroundAdded;
		delete state.lastBackgroundAdded;
		delete state.lastForegroundAdded;
		Object.keys(state).forEach(function(key) {
			if (state[key]) ret = codeCache[key].on + ret;
		});
		if (lastBackgroundAdded && lastBackgroundAdded != "\x1B[49m") ret = lastBackgroundAdded + ret;
		if (lastForegroundAdded && lastForegroundAdded != "\x1B[39m") ret = lastForegroundAdded + ret;
		return ret;
	}
	function truncateWidth(str, desiredLength) {
		if (str.length === strlen(str)) return str.substr(0, desiredLength);
		while (strlen(str) > desiredLength) str = str.slice(0, -1);
		return str;
	}
	function truncateWidthWithAnsi(str, desiredLength) {
		let code = codeRegex(true);
		let split = str.split(codeRegex());
		let splitIndex = 0;
		let retLen = 0;
		let ret = "";
		let myArray;
		let state = {};
		while (retLen < desiredLength) {
			myArray = code.exec(str);
			let toAdd = split[splitIndex];
			splitIndex++;
			if (retLen + strlen(toAdd) > desiredLength) toAdd = truncateWidth(toAdd, desiredLength - retLen);
			ret += toAdd;
			retLen += strlen(toAdd);
			if (retLen < desiredLength) {
				if (!myArray) break;
				ret += myArray[0];
				updateState(state, myArray);
			}
		}
		return unwindState(state, ret);
	}
	function truncate(str, desiredLength, truncateChar) {
		truncateChar = truncateChar || "…";
		if (strlen(str) <= desiredLength) return str;
		desiredLength -= strlen(truncateChar);
		let ret = truncateWidthWithAnsi(str, desiredLength);
		ret += truncateChar;
		const hrefTag = "\x1B]8;;\x07";
		if (str.includes(hrefTag) && !ret.includes(hrefTag)) ret += hrefTag;
		return ret;
	}
	function defaultOptions() {
		return {
			chars: {
				top: "─",
				"top-mid": "┬",
				"top-left": "┌",
				"top-right": "┐",
				bottom: "─",
				"bottom-mid": "┴",
				"bottom-left": "└",
				"bottom-right": "┘",
				left: "│",
				"left-mid": "├",
				mid: "─",
				"mid-mid": "┼",
				right: "│",
				"right-mid": "┤",
				middle: "│"
			},
			truncate: "…",
			colWidths: [],
			rowHeights: [],
			colAligns: [],
			rowAligns: [],
			style: {
				"padding-left": 1,
				"padding-right": 1,
				head: ["red"],
				border: ["grey"],
				compact: false
			},
			head: []
		};
	}
	function mergeOptions(options, defaults) {
		options = options || {};
		defaults = defaults || defaultOptions();
		let ret = Object.assign({}, defaults, options);
		ret.chars = Object.assign({}, defaults.chars, options.chars);
		ret.style = Object.assign({}, defaults.style, options.style);
		return ret;
	}
	function wordWrap(maxLength, input) {
		let lines = [];
		let split = input.split(/(\s+)/g);
		let line = [];
		let lineLength = 0;
		let whitespace;
		for (let i = 0; i < split.length; i += 2) {
			let word = split[i];
			let newLength = lineLength + strlen(word);
			if (lineLength > 0 && whitespace) newLength += whitespace.length;
			if (newLength > maxLength) {
				if (lineLength !== 0) lines.push(line.join(""));
				line = [word];
				lineLength = strlen(word);
			} else {
				line.push(whitespace || "", word);
				lineLength = newLength;
			}
			whitespace = split[i + 1];
		}
		if (lineLength) lines.push(line.join(""));
		return lines;
	}
	function textWrap(maxLength, input) {
		let lines = [];
		let line = "";
		function pushLine(str, ws) {
			if (line.length && ws) line += ws;
			line += str;
			while (line.length > maxLength) {
				lines.push(line.slice(0, maxLength));
				line = line.slice(maxLength);
			}
		}
		let split = input.split(/(\s+)/g);
		for (let i = 0; i < split.length; i += 2) pushLine(split[i], i && split[i - 1]);
		if (line.length) lines.push(line);
		return lines;
	}
	function multiLineWordWrap(maxLength, input, wrapOnWordBoundary = true) {
		let output = [];
		input = input.split("\n");
		const handler = wrapOnWordBoundary ? wordWrap : textWrap;
		for (let i = 0; i < input.length; i++) output.push.apply(output, handler(maxLength, input[i]));
		return output;
	}
	function colorizeLines(input) {
		let state = {};
		let output = [];
		for (let i = 0; i < input.length; i++) {
			let line = rewindState(state, input[i]);
			state = readState(line);
			let temp = Object.assign({}, state);
			output.push(unwindState(temp, line));
		}
		return output;
	}
	/**
	* Credit: Matheus Sampaio https://github.com/matheussampaio
	*/
	function hyperlink(url, text) {
		const OSC = "\x1B]";
		const BEL = "\x07";
		const SEP = ";";
		return [
			OSC,
			"8",
			SEP,
			SEP,
			url || text,
			BEL,
			text,
			OSC,
			"8",
			SEP,
			SEP,
			BEL
		].join("");
	}
	module.exports = {
		strlen,
		repeat,
		pad,
		truncate,
		mergeOptions,
		wordWrap: multiLineWordWrap,
		colorizeLines,
		hyperlink
	};
}));
// node_modules/@colors/colors/lib/styles.js
var require_styles = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var styles = {};
	module["exports"] = styles;
	var codes = {
		reset: [0, 0],
		bold: [1, 22],
		dim: [2, 22],
		italic: [3, 23],
		underline: [4, 24],
		inverse: [7, 27],
		hidden: [8, 28],
		strikethrough: [9, 29],
		black: [30, 39],
		red: [31, 39],
		green: [32, 39],
		yellow: [33, 39],
		blue: [34, 39],
		magenta: [35, 39],
		cyan: [36, 39],
		white: [37, 39],
		gray: [90, 39],
		grey: [90, 39],
		brightRed: [91, 39],
		brightGreen: [92, 39],
		brightYellow: [93, 39],
		brightBlue: [94, 39],
		brightMagenta: [95, 39],
		brightCyan: [96, 39],
		brightWhite: [97, 39],
		bgBlack: [40, 49],
		bgRed: [41, 49],
		bgGreen: [42, 49],
		bgYellow: [43, 49],
		bgBlue: [44, 49],
		bgMagenta: [45, 49],
		bgCyan: [46, 49],
		bgWhite: [47, 49],
		bgGray: [100, 49],
		bgGrey: [100, 49],
		bgBrightRed: [101, 49],
		bgBrightGreen: [102, 49],
		bgBrightYellow: [103, 49],
		bgBrightBlue: [104, 49],
		bgBrightMagenta: [105, 49],
		bgBrightCyan: [106, 49],
		bgBrightWhite: [107, 49],
		blackBG: [40, 49],
		redBG: [41, 49],
		greenBG: [42, 49],
		yellowBG: [43, 49],
		blueBG: [44, 49],
		magentaBG: [45, 49],
		cyanBG: [46, 49],
		whiteBG: [47, 49]
	};
	Object.keys(codes).forEach(function(key) {
		var val = codes[key];
		var style = styles[key] = [];
		style.open = "\x1B[" + val[0] + "m";
		style.close = "\x1B[" + val[1] + "m";
	});
}));
// node_modules/@colors/colors/lib/system/has-flag.js
var require_has_flag = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module.exports = function(flag, argv) {
		argv = argv || process.argv;
		var terminatorPos = argv.indexOf("--");
		var prefix = /^-{1,2}/.test(flag) ? "" : "--";
		var pos = argv.indexOf(prefix + flag);
		return pos !== -1 && (terminatorPos === -1 ? true : pos < terminatorPos);
	};
}));
// node_modules/@colors/colors/lib/system/supports-colors.js
var require_supports_colors = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var os = __require("os");
	var hasFlag = require_has_flag();
	var env = process.env;
	var forceColor = void 0;
	if (hasFlag("no-color") || hasFlag("no-colors") || hasFlag("color=false")) forceColor = false;
	else if (hasFlag("color") || hasFlag("colors") || hasFlag("color=true") || hasFlag("color=always")) forceColor = true;
	if ("FORCE_COLOR" in env) forceColor = env.FORCE_COLOR.length === 0 || parseInt(env.FORCE_COLOR, 10) !== 0;
	function translateLevel(level) {
		if (level === 0) return false;
		return {
			level,
			hasBasic: true,
			has256: level >= 2,
			has16m: level >= 3
		};
	}
	function supportsColor(stream) {
		if (forceColor === false) return 0;
		if (hasFlag("color=16m") || hasFlag("color=full") || hasFlag("color=truecolor")) return 3;
		if (hasFlag("color=256")) return 2;
		if (stream && !stream.isTTY && forceColor !== true) return 0;
		var min = forceColor ? 1 : 0;
		if (process.platform === "win32") {
			var osRelease = os.release().split(".");
			if (Number(process.versions.node.split(".")[0]) >= 8 && Number(osRelease[0]) >= 10 && Number(osRelease[2]) >= 10586) return Number(osRelease[2]) >= 14931 ? 3 : 2;
			return 1;
		}
		if ("CI" in env) {
			if ([
				"TRAVIS",
				"CIRCLECI",
				"APPVEYOR",
				"GITLAB_CI"
			].some(function(sign) {
				return sign in env;
			}) || env.CI_NAME === "codeship") return 1;
			return min;
		}
		if ("TEAMCITY_VERSION" in env) return /^(9\.(0*[1-9]\d*)\.|\d{2,}\.)/.test(env.TEAMCITY_VERSION) ? 1 : 0;
		if ("TERM_PROGRAM" in env) {
			var version = parseInt((env.TERM_PROGRAM_VERSION || "").split(".")[0], 10);
			switch (env.TERM_PROGRAM) {
				case "iTerm.app": return version >= 3 ? 3 : 2;
				case "Hyper": return 3;
				case "Apple_Terminal": return 2;
			}
		}
		if (/-256(color)?$/i.test(env.TERM)) return 2;
		if (/^screen|^xterm|^vt100|^rxvt|color|ansi|cygwin|linux/i.test(env.TERM)) return 1;
		if ("COLORTERM" in env) return 1;
		if (env.TERM === "dumb") return min;
		return min;
	}
	function getSupportLevel(stream) {
		return translateLevel(supportsColor(stream));
	}
	module.exports = {
		supportsColor: getSupportLevel,
		stdout: getSupportLevel(process.stdout),
		stderr: getSupportLevel(process.stderr)
	};
}));
// node_modules/@colors/colors/lib/custom/trap.js
var require_trap = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module["exports"] = function runTheTrap(text, options) {
		var result = "";
		text = text || "Run the trap, drop the bass";
		text = text.split("");
		var trap = {
			a: [
				"@",
				"Ą",
				"Ⱥ",
				"Ʌ",
				"Δ",
				"Λ",
				"Д"
			],
			b: [
				"ß",
				"Ɓ",
				"Ƀ",
				"ɮ",
				"β",
				"฿"
			],
			c: [
				"©",
				"Ȼ",
				"Ͼ"
			],
			d: [
				"Ð",
				"Ɗ",
				"Ԁ",
				"ԁ",
				"Ԃ",
				"ԃ"
			],
			e: [
				"Ë",
				"ĕ",
				"Ǝ",
				"ɘ",
				"Σ",
				"ξ",
				"Ҽ",
				"੬"
			],
			f: ["Ӻ"],
			g: ["ɢ"],
			h: [
				"Ħ",
				"ƕ",
				"Ң",
				"Һ",
				"Ӈ",
				"Ԋ"
			],
			i: ["༏"],
			j: ["Ĵ"],
			k: [
				"ĸ",
				"Ҡ",
				"Ӄ",
				"Ԟ"
			],
			l: ["Ĺ"],
			m: [
				"ʍ",
				"Ӎ",
				"ӎ",
				"Ԡ",
				"ԡ",
				"൩"
			],
			n: [
				"Ñ",
				"ŋ",
				"Ɲ",
				"Ͷ",
				"Π",
				"Ҋ"
			],
			o: [
				"Ø",
				"õ",
				"ø",
				"Ǿ",
				"ʘ",
				"Ѻ",
				"ם",
				"۝",
				"๏"
			],
			p: ["Ƿ", "Ҏ"],
			q: ["্"],
			r: [
				"®",
				"Ʀ",
				"Ȑ",
				"Ɍ",
				"ʀ",
				"Я"
			],
			s: [
				"§",
				"Ϟ",
				"ϟ",
				"Ϩ"
			],
			t: [
				"Ł",
				"Ŧ",
				"ͳ"
			],
			u: ["Ʊ", "Ս"],
			v: ["ט"],
			w: [
				"Ш",
				"Ѡ",
				"Ѽ",
				"൰"
			],
			x: [
				"Ҳ",
				"Ӿ",
				"Ӽ",
				"ӽ"
			],
			y: [
				"¥",
				"Ұ",
				"Ӌ"
			],
			z: ["Ƶ", "ɀ"]
		};
		text.forEach(function(c) {
			c = c.toLowerCase();
			var chars = trap[c] || [" "];
			var rand = Math.floor(Math.random() * chars.length);
			if (typeof trap[c] !== "undefined") result += trap[c][rand];
			else result += c;
		});
		return result;
	};
}));
// node_modules/@colors/colors/lib/custom/zalgo.js
var require_zalgo = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module["exports"] = function zalgo(text, options) {
		text = text || "   he is here   ";
		var soul = {
			"up": [
				"̍",
				"̎",
				"̄",
				"̅",
				"̿",
				"̑",
				"̆",
				"̐",
				"͒",
				"͗",
				"͑",
				"̇",
				"̈",
				"̊",
				"͂",
				"̓",
				"̈",
				"͊",
				"͋",
				"͌",
				"̃",
				"̂",
				"̌",
				"͐",
				"̀",
				"́",
				"̋",
				"̏",
				"̒",
				"̓",
				"̔",
				"̽",
				"̉",
				"ͣ",
				"ͤ",
				"ͥ",
				"ͦ",
				"ͧ",
				"ͨ",
				"ͩ",
				"ͪ",
				"ͫ",
				"ͬ",
				"ͭ",
				"ͮ",
				"ͯ",
				"̾",
				"͛",
				"͆",
				"̚"
			],
			"down": [
				"̖",
				"̗",
				"̘",
				"̙",
				"̜",
				"̝",
				"̞",
				"̟",
				"̠",
				"̤",
				"̥",
				"̦",
				"̩",
				"̪",
				"̫",
				"̬",
				"̭",
				"̮",
				"̯",
				"̰",
				"̱",
				"̲",
				"̳",
				"̹",
				"̺",
				"̻",
				"̼",
				"ͅ",
				"͇",
				"͈",
				"͉",
				"͍",
				"͎",
				"͓",
				"͔",
				"͕",
				"͖",
				"͙",
				"͚",
				"̣"
			],
			"mid": [
				"̕",
				"̛",
				"̀",
				"́",
				"͘",
				"̡",
				"̢",
				"̧",
				"̨",
				"̴",
				"̵",
				"̶",
				"͜",
				"͝",
				"͞",
				"͟",
				"͠",
				"͢",
				"̸",
				"̷",
				"͡",
				" ҉"
			]
		};
		var all = [].concat(soul.up, soul.down, soul.mid);
		function randomNumber(range) {
			return Math.floor(Math.random() * range);
		}
		function isChar(character) {
			var bool = false;
			all.filter(function(i) {
				bool = i === character;
			});
			return bool;
		}
		function heComes(text, options) {
			var result = "";
			var counts;
			var l;
			options = options || {};
			options["up"] = typeof options["up"] !== "undefined" ? options["up"] : true;
			options["mid"] = typeof options["mid"] !== "undefined" ? options["mid"] : true;
			options["down"] = typeof options["down"] !== "undefined" ? options["down"] : true;
			options["size"] = typeof options["size"] !== "undefined" ? options["size"] : "maxi";
			text = text.split("");
			for (l in text) {
				if (isChar(l)) continue;
				result = result + text[l];
				counts = {
					"up": 0,
					"down": 0,
					"mid": 0
				};
				switch (options.size) {
					case "mini":
						counts.up = randomNumber(8);
						counts.mid = randomNumber(2);
						counts.down = randomNumber(8);
						break;
					case "maxi":
						counts.up = randomNumber(16) + 3;
						counts.mid = randomNumber(4) + 1;
						counts.down = randomNumber(64) + 3;
						break;
					default:
						counts.up = randomNumber(8) + 1;
						counts.mid = randomNumber(6) / 2;
						counts.down = randomNumber(8) + 1;
				}
				var arr = [
					"up",
					"mid",
					"down"
				];
				for (var d in arr) {
					var index = arr[d];
					for (var i = 0; i <= counts[index]; i++) if (options[index]) result = result + soul[index][randomNumber(soul[index].length)];
				}
			}
			return result;
		}
		return heComes(text, options);
	};
}));
// node_modules/@colors/colors/lib/maps/america.js
var require_america = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module["exports"] = function(colors) {
		return function(letter, i, exploded) {
			if (letter === " ") return letter;
			switch (i % 3) {
				case 0: return colors.red(letter);
				case 1: return colors.white(letter);
				case 2: return colors.blue(letter);
			}
		};
	};
}));
// node_modules/@colors/colors/lib/maps/zebra.js
var require_zebra = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module["exports"] = function(colors) {
		return function(letter, i, exploded) {
			return i % 2 === 0 ? letter : colors.inverse(letter);
		};
	};
}));
// node_modules/@colors/colors/lib/maps/rainbow.js
var require_rainbow = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module["exports"] = function(colors) {
		var rainbowColors = [
			"red",
			"yellow",
			"green",
			"blue",
			"magenta"
		];
		return function(letter, i, exploded) {
			if (letter === " ") return letter;
			else return colors[rainbowColors[i++ % rainbowColors.length]](letter);
		};
	};
}));
// node_modules/@colors/colors/lib/maps/random.js
var require_random = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module["exports"] = function(colors) {
		var available = [
			"underline",
			"inverse",
			"grey",
			"yellow",
			"red",
			"green",
			"blue",
			"white",
			"cyan",
			"magenta",
			"brightYellow",
			"brightRed",
			"brightGreen",
			"brightBlue",
			"brightWhite",
			"brightCyan",
			"brightMagenta"
		];
		return function(letter, i, exploded) {
			return letter === " " ? letter : colors[available[Math.round(Math.random() * (available.length - 2))]](letter);
		};
	};
}));
// node_modules/@colors/colors/lib/colors.js
var require_colors = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	var colors = {};
	module["exports"] = colors;
	colors.themes = {};
	var util = __require("util");
	var ansiStyles = colors.styles = require_styles();
	var defineProps = Object.defineProperties;
	var newLineRegex = /* @__PURE__ */ new RegExp(/[\r\n]+/g);
	colors.supportsColor = require_supports_colors().supportsColor;
	if (typeof colors.enabled === "undefined") colors.enabled = colors.supportsColor() !== false;
	colors.enable = function() {
		colors.enabled = true;
	};
	colors.disable = function() {
		colors.enabled = false;
	};
	colors.stripColors = colors.strip = function(str) {
		return ("" + str).replace(/\x1B\[\d+m/g, "");
	};
	colors.stylize = function stylize(str, style) {
		if (!colors.enabled) return str + "";
		var styleMap = ansiStyles[style];
		if (!styleMap && style in colors) return colors[style](str);
		return styleMap.open + str + styleMap.close;
	};
	var matchOperatorsRe = /[|\\{}()[\]^$+*?.]/g;
	var escapeStringRegexp = function(str) {
		if (typeof str !== "string") throw new TypeError("Expected a string");
		return str.replace(matchOperatorsRe, "\\$&");
	};
	function build(_styles) {
		var builder = function builder() {
			return applyStyle.apply(builder, arguments);
		};
		builder._styles = _styles;
		builder.__proto__ = proto;
		return builder;
	}
	var styles = (function() {
		var ret = {};
		ansiStyles.grey = ansiStyles.gray;
		Object.keys(ansiStyles).forEach(function(key) {
			ansiStyles[key].closeRe = new RegExp(escapeStringRegexp(ansiStyles[key].close), "g");
			ret[key] = { get: function() {
				return build(this._styles.concat(key));
			} };
		});
		return ret;
	})();
	var proto = defineProps(function colors() {}, styles);
	function applyStyle() {
		var str = Array.prototype.slice.call(arguments).map(function(arg) {
			if (arg != null && arg.constructor === String) return arg;
			else return util.inspect(arg);
		}).join(" ");
		if (!colors.enabled || !str) return str;
		var newLinesPresent = str.indexOf("\n") != -1;
		var nestedStyles = this._styles;
		var i = nestedStyles.length;
		while (i--) {
			var code = ansiStyles[nestedStyles[i]];
			str = code.open + str.replace(code.closeRe, code.open) + code.close;
			if (newLinesPresent) str = str.replace(newLineRegex, function(match) {
				return code.close + match + code.open;
			});
		}
		return str;
	}
	colors.setTheme = function(theme) {
		if (typeof theme === "string") {
			console.log("colors.setTheme now only accepts an object, not a string.  If you are trying to set a theme from a file, it is now your (the caller's) responsibility to require the file.  The old syntax looked like colors.setTheme(__dirname + '/../themes/generic-logging.js'); The new syntax looks like colors.setTheme(require(__dirname + '/../themes/generic-logging.js'));");
			return;
		}
		for (var style in theme) (function(style) {
			colors[style] = function(str) {
				if (typeof theme[style] === "object") {
					var out = str;
					for (var i in theme[style]) out = colors[theme[style][i]](out);
					return out;
				}
				return colors[theme[style]](str);
			};
		})(style);
	};
	function init() {
		var ret = {};
		Object.keys(styles).forEach(function(name) {
			ret[name] = { get: function() {
				return build([name]);
			} };
		});
		return ret;
	}
	var sequencer = function sequencer(map, str) {
		var exploded = str.split("");
		exploded = exploded.map(map);
		return exploded.join("");
	};
	colors.trap = require_trap();
	colors.zalgo = require_zalgo();
	colors.maps = {};
	colors.maps.america = require_america()(colors);
	colors.maps.zebra = require_zebra()(colors);
	colors.maps.rainbow = require_rainbow()(colors);
	colors.maps.random = require_random()(colors);
	for (var map in colors.maps) (function(map) {
		colors[map] = function(str) {
			return sequencer(colors.maps[map], str);
		};
	})(map);
	defineProps(colors, init());
}));
// node_modules/@colors/colors/safe.js
var require_safe = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module["exports"] = require_colors();
}));
// node_modules/cli-table3/src/cell.js
var require_cell = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const { info, debug } = require_debug();
	const utils = require_utils();
	var Cell = class Cell {
		/**
		* A representation of a cell within the table.
		* Implementations must have `init` and `draw` methods,
		* as well as `colSpan`, `rowSpan`, `desiredHeight` and `desiredWidth` properties.
		* @param options
		* @constructor
		*/
		constructor(options) {
			this.setOptions(options);
			/**
			* Each cell will have it's `x` and `y` values set by the `layout-manager` prior to
			* `init` being called;
			* @type {Number}
			*/
			this.x = null;
			this.y = null;
		}
		setOptions(options) {
			if ([
				"boolean",
				"number",
				"bigint",
				"string"
			].indexOf(typeof options) !== -1) options = { content: "" + options };
			options = options || {};
			this.options = options;
			let content = options.content;
			if ([
				"boolean",
				"number",
				"bigint",
				"string"
			].indexOf(typeof content) !== -1) this.content = String(content);
			else if (!content) this.content = this.options.href || "";
			else throw new Error("Content needs to be a primitive, got: " + typeof content);
			this.colSpan = options.colSpan || 1;
			this.rowSpan = options.rowSpan || 1;
			if (this.options.href) Object.defineProperty(this, "href", { get() {
				return this.options.href;
			} });
		}
		mergeTableOptions(tableOptions, cells) {
			this.cells = cells;
			let optionsChars = this.options.chars || {};
			let tableChars = tableOptions.chars;
			let chars = this.chars = {};
			CHAR_NAMES.forEach(function(name) {
				setOption(optionsChars, tableChars, name, chars);
			});
			this.truncate = this.options.truncate || tableOptions.truncate;
			let style = this.options.style = this.options.style || {};
			let tableStyle = tableOptions.style;
			setOption(style, tableStyle, "padding-left", this);
			setOption(style, tableStyle, "padding-right", this);
			this.head = style.head || tableStyle.head;
			this.border = style.border || tableStyle.border;
			this.fixedWidth = tableOptions.colWidths[this.x];
			this.lines = this.computeLines(tableOptions);
			this.desiredWidth = utils.strlen(this.content) + this.paddingLeft + this.paddingRight;
			this.desiredHeight = this.lines.length;
		}
		computeLines(tableOptions) {
			const tableWordWrap = tableOptions.wordWrap || tableOptions.textWrap;
			const { wordWrap = tableWordWrap } = this.options;
			if (this.fixedWidth && wordWrap) {
				this.fixedWidth -= this.paddingLeft + this.paddingRight;
				if (this.colSpan) {
					let i = 1;
					while (i < this.colSpan) {
						this.fixedWidth += tableOptions.colWidths[this.x + i];
						i++;
					}
				}
				const { wrapOnWordBoundary: tableWrapOnWordBoundary = true } = tableOptions;
				const { wrapOnWordBoundary = tableWrapOnWordBoundary } = this.options;
				return this.wrapLines(utils.wordWrap(this.fixedWidth, this.content, wrapOnWordBoundary));
			}
			return this.wrapLines(this.content.split("\n"));
		}
		wrapLines(computedLines) {
			const lines = utils.colorizeLines(computedLines);
			if (this.href) return lines.map((line) => utils.hyperlink(this.href, line));
			return lines;
		}
		/**
		* Initializes the Cells data structure.
		*
		* @param tableOptions - A fully populated set of tableOptions.
		* In addition to the standard default values, tableOptions must have fully populated the
		* `colWidths` and `rowWidths` arrays. Those arrays must have lengths equal to the number
		* of columns or rows (respectively) in this table, and each array item must be a Number.
		*
		*/
		init(tableOptions) {
			let x = this.x;
			let y = this.y;
			this.widths = tableOptions.colWidths.slice(x, x + this.colSpan);
			this.heights = tableOptions.rowHeights.slice(y, y + this.rowSpan);
			this.width = this.widths.reduce(sumPlusOne, -1);
			this.height = this.heights.reduce(sumPlusOne, -1);
			this.hAlign = this.options.hAlign || tableOptions.colAligns[x];
			this.vAlign = this.options.vAlign || tableOptions.rowAligns[y];
			this.drawRight = x + this.colSpan == tableOptions.colWidths.length;
		}
		/**
		* Draws the given line of the cell.
		* This default implementation defers to methods `drawTop`, `drawBottom`, `drawLine` and `drawEmpty`.
		* @param lineNum - can be `top`, `bottom` or a numerical line number.
		* @param spanningCell - will be a number if being called from a RowSpanCell, and will represent how
		* many rows below it's being called from. Otherwise it's undefined.
		* @returns {String} The representation of this line.
		*/
		draw(lineNum, spanningCell) {
			if (lineNum == "top") return this.drawTop(this.drawRight);
			if (lineNum == "bottom") return this.drawBottom(this.drawRight);
			let content = utils.truncate(this.content, 10, this.truncate);
			if (!lineNum) info(`${this.y}-${this.x}: ${this.rowSpan - lineNum}x${this.colSpan} Cell ${content}`);
			let padLen = Math.max(this.height - this.lines.length, 0);
			let padTop;
			switch (this.vAlign) {
				case "center":
					padTop = Math.ceil(padLen / 2);
					break;
				case "bottom":
					padTop = padLen;
					break;
				default: padTop = 0;
			}
			if (lineNum < padTop || lineNum >= padTop + this.lines.length) return this.drawEmpty(this.drawRight, spanningCell);
			let forceTruncation = this.lines.length > this.height && lineNum + 1 >= this.height;
			return this.drawLine(lineNum - padTop, this.drawRight, forceTruncation, spanningCell);
		}
		/**
		* Renders the top line of the cell.
		* @param drawRight - true if this method should render the right edge of the cell.
		* @returns {String}
		*/
		drawTop(drawRight) {
			let content = [];
			if (this.cells) this.widths.forEach(function(width, index) {
				content.push(this._topLeftChar(index));
				content.push(utils.repeat(this.chars[this.y == 0 ? "top" : "mid"], width));
			}, this);
			else {
				content.push(this._topLeftChar(0));
				content.push(utils.repeat(this.chars[this.y == 0 ? "top" : "mid"], this.width));
			}
			if (drawRight) content.push(this.chars[this.y == 0 ? "topRight" : "rightMid"]);
			return this.wrapWithStyleColors("border", content.join(""));
		}
		_topLeftChar(offset) {
			let x = this.x + offset;
			let leftChar;
			if (this.y == 0) leftChar = x == 0 ? "topLeft" : offset == 0 ? "topMid" : "top";
			else if (x == 0) leftChar = "leftMid";
			else {
				leftChar = offset == 0 ? "midMid" : "bottomMid";
				if (this.cells) {
					if (this.cells[this.y - 1][x] instanceof Cell.ColSpanCell) leftChar = offset == 0 ? "topMid" : "mid";
					if (offset == 0) {
						let i = 1;
						while (this.cells[this.y][x - i] instanceof Cell.ColSpanCell) i++;
						if (this.cells[this.y][x - i] instanceof Cell.RowSpanCell) leftChar = "leftMid";
					}
				}
			}
			return this.chars[leftChar];
		}
		wrapWithStyleColors(styleProperty, content) {
			if (this[styleProperty] && this[styleProperty].length) try {
				let colors = require_safe();
				for (let i = this[styleProperty].length - 1; i >= 0; i--) colors = colors[this[styleProperty][i]];
				return colors(content);
			} catch (e) {
				return content;
			}
			else return content;
		}
		/**
		* Renders a line of text.
		* @param lineNum - Which line of text to render. This is not necessarily the line within the cell.
		* There may be top-padding above the first line of text.
		* @param drawRight - true if this method should render the right edge of the cell.
		* @param forceTruncationSymbol - `true` if the rendered text should end with the truncation symbol even
		* if the text fits. This is used when the cell is vertically truncated. If `false` the text should
		* only include the truncation symbol if the text will not fit horizontally within the cell width.
		* @param spanningCell - a number of if being called from a RowSpanCell. (how many rows below). otherwise undefined.
		* @returns {String}
		*/
		drawLine(lineNum, drawRight, forceTruncationSymbol, spanningCell) {
			let left = this.chars[this.x == 0 ? "left" : "middle"];
			if (this.x && spanningCell && this.cells) {
				let cellLeft = this.cells[this.y + spanningCell][this.x - 1];
				while (cellLeft instanceof ColSpanCell) cellLeft = this.cells[cellLeft.y][cellLeft.x - 1];
				if (!(cellLeft instanceof RowSpanCell)) left = this.chars["rightMid"];
			}
			let leftPadding = utils.repeat(" ", this.paddingLeft);
			let right = drawRight ? this.chars["right"] : "";
			let rightPadding = utils.repeat(" ", this.paddingRight);
			let line = this.lines[lineNum];
			let len = this.width - (this.paddingLeft + this.paddingRight);
			if (forceTruncationSymbol) line += this.truncate || "…";
			let content = utils.truncate(line, len, this.truncate);
			content = utils.pad(content, len, " ", this.hAlign);
			content = leftPadding + content + rightPadding;
			return this.stylizeLine(left, content, right);
		}
		stylizeLine(left, content, right) {
			left = this.wrapWithStyleColors("border", left);
			right = this.wrapWithStyleColors("border", right);
			if (this.y === 0) content = this.wrapWithStyleColors("head", content);
			return left + content + right;
		}
		/**
		* Renders the bottom line of the cell.
		* @param drawRight - true if this method should render the right edge of the cell.
		* @returns {String}
		*/
		drawBottom(drawRight) {
			let left = this.chars[this.x == 0 ? "bottomLeft" : "bottomMid"];
			let content = utils.repeat(this.chars.bottom, this.width);
			let right = drawRight ? this.chars["bottomRight"] : "";
			return this.wrapWithStyleColors("border", left + content + right);
		}
		/**
		* Renders a blank line of text within the cell. Used for top and/or bottom padding.
		* @param drawRight - true if this method should render the right edge of the cell.
		* @param spanningCell - a number of if being called from a RowSpanCell. (how many rows below). otherwise undefined.
		* @returns {String}
		*/
		drawEmpty(drawRight, spanningCell) {
			let left = this.chars[this.x == 0 ? "left" : "middle"];
			if (this.x && spanningCell && this.cells) {
				let cellLeft = this.cells[this.y + spanningCell][this.x - 1];
				while (cellLeft instanceof ColSpanCell) cellLeft = this.cells[cellLeft.y][cellLeft.x - 1];
				if (!(cellLeft instanceof RowSpanCell)) left = this.chars["rightMid"];
			}
			let right = drawRight ? this.chars["right"] : "";
			let content = utils.repeat(" ", this.width);
			return this.stylizeLine(left, content, right);
		}
	};
	var ColSpanCell = class {
		/**
		* A Cell that doesn't do anything. It just draws empty lines.
		* Used as a placeholder in column spanning.
		* @constructor
		*/
		constructor() {}
		draw(lineNum) {
			if (typeof lineNum === "number") debug(`${this.y}-${this.x}: 1x1 ColSpanCell`);
			return "";
		}
		init() {}
		mergeTableOptions() {}
	};
	var RowSpanCell = class {
		/**
		* A placeholder Cell for a Cell that spans multiple rows.
		* It delegates rendering to the original cell, but adds the appropriate offset.
		* @param originalCell
		* @constructor
		*/
		constructor(originalCell) {
			this.originalCell = originalCell;
		}
		init(tableOptions) {
			let y = this.y;
			let originalY = this.originalCell.y;
			this.cellOffset = y - originalY;
			this.offset = findDimension(tableOptions.rowHeights, originalY, this.cellOffset);
		}
		draw(lineNum) {
			if (lineNum == "top") return this.originalCell.draw(this.offset, this.cellOffset);
			if (lineNum == "bottom") return this.originalCell.draw("bottom");
			debug(`${this.y}-${this.x}: 1x${this.colSpan} RowSpanCell for ${this.originalCell.content}`);
			return this.originalCell.draw(this.offset + 1 + lineNum);
		}
		mergeTableOptions() {}
	};
	function firstDefined(...args) {
		return args.filter((v) => v !== void 0 && v !== null).shift();
	}
	function setOption(objA, objB, nameB, targetObj) {
		let nameA = nameB.split("-");
		if (nameA.length > 1) {
			nameA[1] = nameA[1].charAt(0).toUpperCase() + nameA[1].substr(1);
			nameA = nameA.join("");
			targetObj[nameA] = firstDefined(objA[nameA], objA[nameB], objB[nameA], objB[nameB]);
		} else targetObj[nameB] = firstDefined(objA[nameB], objB[nameB]);
	}
	function findDimension(dimensionTable, startingIndex, span) {
		let ret = dimensionTable[startingIndex];
		for (let i = 1; i < span; i++) ret += 1 + dimensionTable[startingIndex + i];
		return ret;
	}
	function sumPlusOne(a, b) {
		return a + b + 1;
	}
	let CHAR_NAMES = [
		"top",
		"top-mid",
		"top-left",
		"top-right",
		"bottom",
		"bottom-mid",
		"bottom-left",
		"bottom-right",
		"left",
		"left-mid",
		"mid",
		"mid-mid",
		"right",
		"right-mid",
		"middle"
	];
	module.exports = Cell;
	module.exports.ColSpanCell = ColSpanCell;
	module.exports.RowSpanCell = RowSpanCell;
}));
// node_modules/cli-table3/src/layout-manager.js
var require_layout_manager = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const { warn, debug } = require_debug();
	const Cell = require_cell();
	const { ColSpanCell, RowSpanCell } = Cell;
	(function() {
		function next(alloc, col) {
			if (alloc[col] > 0) return next(alloc, col + 1);
			return col;
		}
		function layoutTable(table) {
			let alloc = {};
			table.forEach(function(row, rowIndex) {
				let col = 0;
				row.forEach(function(cell) {
					cell.y = rowIndex;
					cell.x = rowIndex ? next(alloc, col) : col;
					const rowSpan = cell.rowSpan || 1;
					const colSpan = cell.colSpan || 1;
					if (rowSpan > 1) for (let cs = 0; cs < colSpan; cs++) alloc[cell.x + cs] = rowSpan;
					col = cell.x + colSpan;
				});
				Object.keys(alloc).forEach((idx) => {
					alloc[idx]--;
					if (alloc[idx] < 1) delete alloc[idx];
				});
			});
		}
		function maxWidth(table) {
			let mw = 0;
			table.forEach(function(row) {
				row.forEach(function(cell) {
					mw = Math.max(mw, cell.x + (cell.colSpan || 1));
				});
			});
			return mw;
		}
		function maxHeight(table) {
			return table.length;
		}
		function cellsConflict(cell1, cell2) {
			let yMin1 = cell1.y;
			let yMax1 = cell1.y - 1 + (cell1.rowSpan || 1);
			let yMin2 = cell2.y;
			let yConflict = !(yMin1 > cell2.y - 1 + (cell2.rowSpan || 1) || yMin2 > yMax1);
			let xMin1 = cell1.x;
			let xMax1 = cell1.x - 1 + (cell1.colSpan || 1);
			let xMin2 = cell2.x;
			let xConflict = !(xMin1 > cell2.x - 1 + (cell2.colSpan || 1) || xMin2 > xMax1);
			return yConflict && xConflict;
		}
		function conflictExists(rows, x, y) {
			let i_max = Math.min(rows.length - 1, y);
			let cell = {
				x,
				y
			};
			for (let i = 0; i <= i_max; i++) {
				let row = rows[i];
				for (let j = 0; j < row.length; j++) if (cellsConflict(cell, row[j])) return true;
			}
			return false;
		}
		function allBlank(rows, y, xMin, xMax) {
			for (let x = xMin; x < xMax; x++) if (conflictExists(rows, x, y)) return false;
			return true;
		}
		function addRowSpanCells(table) {
			table.forEach(function(row, rowIndex) {
				row.forEach(function(cell) {
					for (let i = 1; i < cell.rowSpan; i++) {
						let rowSpanCell = new RowSpanCell(cell);
						rowSpanCell.x = cell.x;
						rowSpanCell.y = cell.y + i;
						rowSpanCell.colSpan = cell.colSpan;
						insertCell(rowSpanCell, table[rowIndex + i]);
					}
				});
			});
		}
		function addColSpanCells(cellRows) {
			for (let rowIndex = cellRows.length - 1; rowIndex >= 0; rowIndex--) {
				let cellColumns = cellRows[rowIndex];
				for (let columnIndex = 0; columnIndex < cellColumns.length; columnIndex++) {
					let cell = cellColumns[columnIndex];
					for (let k = 1; k < cell.colSpan; k++) {
						let colSpanCell = new ColSpanCell();
						colSpanCell.x = cell.x + k;
						colSpanCell.y = cell.y;
						cellColumns.splice(columnIndex + 1, 0, colSpanCell);
					}
				}
			}
		}
		function insertCell(cell, row) {
			let x = 0;
			while (x < row.length && row[x].x < cell.x) x++;
			row.splice(x, 0, cell);
		}
		function fillInTable(table) {
			let h_max = maxHeight(table);
			let w_max = maxWidth(table);
			debug(`Max rows: ${h_max}; Max cols: ${w_max}`);
			for (let y = 0; y < h_max; y++) for (let x = 0; x < w_max; x++) if (!conflictExists(table, x, y)) {
				let opts = {
					x,
					y,
					colSpan: 1,
					rowSpan: 1
				};
				x++;
				while (x < w_max && !conflictExists(table, x, y)) {
					opts.colSpan++;
					x++;
				}
				let y2 = y + 1;
				while (y2 < h_max && allBlank(table, y2, opts.x, opts.x + opts.colSpan)) {
					opts.rowSpan++;
					y2++;
				}
				let cell = new Cell(opts);
				cell.x = opts.x;
				cell.y = opts.y;
				warn(`Missing cell at ${cell.y}-${cell.x}.`);
				insertCell(cell, table[y]);
			}
		}
		function generateCells(rows) {
			return rows.map(function(row) {
				if (!Array.isArray(row)) {
					let key = Object.keys(row)[0];
					row = row[key];
					if (Array.isArray(row)) {
						row = row.slice();
						row.unshift(key);
					} else row = [key, row];
				}
				return row.map(function(cell) {
					return new Cell(cell);
				});
			});
		}
		function makeTableLayout(rows) {
			let cellRows = generateCells(rows);
			layoutTable(cellRows);
			fillInTable(cellRows);
			addRowSpanCells(cellRows);
			addColSpanCells(cellRows);
			return cellRows;
		}
		module.exports = {
			makeTableLayout,
			layoutTable,
			addRowSpanCells,
			maxWidth,
			fillInTable,
			computeWidths: makeComputeWidths("colSpan", "desiredWidth", "x", 1),
			computeHeights: makeComputeWidths("rowSpan", "desiredHeight", "y", 1)
		};
	})();
	function makeComputeWidths(colSpan, desiredWidth, x, forcedMin) {
		return function(vals, table) {
			let result = [];
			let spanners = [];
			let auto = {};
			table.forEach(function(row) {
				row.forEach(function(cell) {
					if ((cell[colSpan] || 1) > 1) spanners.push(cell);
					else result[cell[x]] = Math.max(result[cell[x]] || 0, cell[desiredWidth] || 0, forcedMin);
				});
			});
			vals.forEach(function(val, index) {
				if (typeof val === "number") result[index] = val;
			});
			for (let k = spanners.length - 1; k >= 0; k--) {
				let cell = spanners[k];
				let span = cell[colSpan];
				let col = cell[x];
				let existingWidth = result[col];
				let editableCols = typeof vals[col] === "number" ? 0 : 1;
				if (typeof existingWidth === "number") for (let i = 1; i < span; i++) {
					existingWidth += 1 + result[col + i];
					if (typeof vals[col + i] !== "number") editableCols++;
				}
				else {
					existingWidth = desiredWidth === "desiredWidth" ? cell.desiredWidth - 1 : 1;
					if (!auto[col] || auto[col] < existingWidth) auto[col] = existingWidth;
				}
				if (cell[desiredWidth] > existingWidth) {
					let i = 0;
					while (editableCols > 0 && cell[desiredWidth] > existingWidth) {
						if (typeof vals[col + i] !== "number") {
							let dif = Math.round((cell[desiredWidth] - existingWidth) / editableCols);
							existingWidth += dif;
							result[col + i] += dif;
							editableCols--;
						}
						i++;
					}
				}
			}
			Object.assign(vals, result, auto);
			for (let j = 0; j < vals.length; j++) vals[j] = Math.max(forcedMin, vals[j] || 0);
		};
	}
}));
// node_modules/cli-table3/src/table.js
var require_table = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	const debug = require_debug();
	const utils = require_utils();
	const tableLayout = require_layout_manager();
	var Table = class extends Array {
		constructor(opts) {
			super();
			const options = utils.mergeOptions(opts);
			Object.defineProperty(this, "options", {
				value: options,
				enumerable: options.debug
			});
			if (options.debug) {
				switch (typeof options.debug) {
					case "boolean":
						debug.setDebugLevel(debug.WARN);
						break;
					case "number":
						debug.setDebugLevel(options.debug);
						break;
					case "string":
						debug.setDebugLevel(parseInt(options.debug, 10));
						break;
					default:
						debug.setDebugLevel(debug.WARN);
						debug.warn(`Debug option is expected to be boolean, number, or string. Received a ${typeof options.debug}`);
				}
				Object.defineProperty(this, "messages", { get() {
					return debug.debugMessages();
				} });
			}
		}
		toString() {
			let array = this;
			let headersPresent = this.options.head && this.options.head.length;
			if (headersPresent) {
				array = [this.options.head];
				if (this.length) array.push.apply(array, this);
			} else this.options.style.head = [];
			let cells = tableLayout.makeTableLayout(array);
			cells.forEach(function(row) {
				row.forEach(function(cell) {
					cell.mergeTableOptions(this.options, cells);
				}, this);
			}, this);
			tableLayout.computeWidths(this.options.colWidths, cells);
			tableLayout.computeHeights(this.options.rowHeights, cells);
			cells.forEach(function(row) {
				row.forEach(function(cell) {
					cell.init(this.options);
				}, this);
			}, this);
			let result = [];
			for (let rowIndex = 0; rowIndex < cells.length; rowIndex++) {
				let row = cells[rowIndex];
				let heightOfRow = this.options.rowHeights[rowIndex];
				if (rowIndex === 0 || !this.options.style.compact || rowIndex == 1 && headersPresent) doDraw(row, "top", result);
				for (let lineNum = 0; lineNum < heightOfRow; lineNum++) doDraw(row, lineNum, result);
				if (rowIndex + 1 == cells.length) doDraw(row, "bottom", result);
			}
			return result.join("\n");
		}
		get width() {
			return this.toString().split("\n")[0].length;
		}
	};
	Table.reset = () => debug.reset();
	function doDraw(row, lineNum, result) {
		let line = [];
		row.forEach(function(cell) {
			line.push(cell.draw(lineNum));
		});
		let str = line.join("");
		if (str.length) result.push(str);
	}
	module.exports = Table;
}));
// node_modules/cli-table3/index.js
var require_cli_table3 = /* @__PURE__ */ __commonJSMin(((exports, module) => {
	module.exports = require_table();
}));
// node_modules/yocto-queue/index.js
var Node = class {
	value;
	next;
	constructor(value) {
		this.value = value;
	}
};
var Queue = class {
	#head;
	#tail;
	#size;
	constructor() {
		this.clear();
	}
	enqueue(value) {
		const node = new Node(value);
		if (this.#head) {
			this.#tail.next = node;
			this.#tail = node;
		} else {
			this.#head = node;
			this.#tail = node;
		}
		this.#size++;
	}
	dequeue() {
		const current = this.#head;
		if (!current) return;
		this.#head = this.#head.next;
		this.#size--;
		if (!this.#head) this.#tail = void 0;
		return current.value;
	}
	peek() {
		if (!this.#head) return;
		return this.#head.value;
	}
	clear() {
		this.#head = void 0;
		this.#tail = void 0;
		this.#size = 0;
	}
	get size() {
		return this.#size;
	}
	*[Symbol.iterator]() {
		let current = this.#head;
		while (current) {
			yield current.value;
			current = current.next;
		}
	}
	*drain() {
		while (this.#head) yield this.dequeue();
	}
};
// node_modules/p-limit/index.js
function pLimit(concurrency) {
	let rejectOnClear = false;
	if (typeof concurrency === "object") ({concurrency, rejectOnClear = false} = concurrency);
	validateConcurrency(concurrency);
	if (typeof rejectOnClear !== "boolean") throw new TypeError("Expected `rejectOnClear` to be a boolean");
	const queue = new Queue();
	let activeCount = 0;
	const resumeNext = () => {
		if (activeCount < concurrency && queue.size > 0) {
			activeCount++;
			queue.dequeue().run();
		}
	};
	const next = () => {
		activeCount--;
		resumeNext();
	};
	const run = async (function_, resolve, arguments_) => {
		const result = (async () => function_(...arguments_))();
		resolve(result);
		try {
			await result;
		} catch {}
		next();
	};
	const enqueue = (function_, resolve, reject, arguments_) => {
		const queueItem = { reject };
		new Promise((internalResolve) => {
			queueItem.run = internalResolve;
			queue.enqueue(queueItem);
		}).then(run.bind(void 0, function_, resolve, arguments_));
		if (activeCount < concurrency) resumeNext();
	};
	const generator = (function_, ...arguments_) => new Promise((resolve, reject) => {
		enqueue(function_, resolve, reject, arguments_);
	});
	Object.defineProperties(generator, {
		activeCount: { get: () => activeCount },
		pendingCount: { get: () => queue.size },
		clearQueue: { value() {
			if (!rejectOnClear) {
				queue.clear();
				return;
			}
			const abortError = AbortSignal.abort().reason;
			while (queue.size > 0) queue.dequeue().reject(abortError);
		} },
		concurrency: {
			get: () => concurrency,
			set(newConcurrency) {
				validateConcurrency(newConcurrency);
				concurrency = newConcurrency;
				queueMicrotask(() => {
					while (activeCount < concurrency && queue.size > 0) resumeNext();
				});
			}
		},
		map: { async value(iterable, function_) {
			const promises = [];
			try {
				Array.from(iterable, (value, index) => {
					const promise = generator(function_, value, index);
					promises.push(promise);
					return promise;
				});
			} catch (error) {
				for (const promise of promises) promise.catch(() => {});
				throw error;
			}
			return Promise.all(promises);
		} }
	});
	return generator;
}
function validateConcurrency(concurrency) {
	if (!((Number.isInteger(concurrency) || concurrency === Number.POSITIVE_INFINITY) && concurrency > 0)) throw new TypeError("Expected `concurrency` to be a number from 1 and up");
}
// src/adapters/git.ts
/**
* @throws InputError when the folder is in no git repository
*/
async function openRepository(project) {
	const result = await run$1("git", [
		"rev-parse",
		"--show-toplevel",
		"--absolute-git-dir",
		"--show-prefix"
	], {
		cwd: project,
		env: gitEnvironment()
	});
	if (result.exitCode !== 0) {
		if (result.stderr.includes("dubious ownership")) throw new InputError(`git does not trust ${project}, because it belongs to another user`, { hint: `git config --global --add safe.directory ${project}` });
		throw new InputError(`git finds no working tree at ${project}: ${result.stderr.trim()}`, { hint: "a project must be in a git repository, so that there is a base to compare with" });
	}
	if (result.stdout.trimEnd().split("\n").length > 3) throw new InputError(`the path of the repository at ${JSON.stringify(project)} has a line break`);
	const [root = "", gitDir = "", prefix = ""] = result.stdout.split("\n");
	return {
		root,
		gitDir,
		projectPath: prefix.replace(/\/$/, "")
	};
}
/**
* Only a head start: git re-reads what has changed since. A repository without commits has no index. By the index's own
* time git tells which files may have changed right after it was written, in the same second, so a copy keeps it.
*/
async function copyIndex(from, to) {
	const found = await stat(from).catch(() => void 0);
	if (found === void 0) return;
	await copyFile(from, to);
	await utimes(to, found.atime, found.mtime);
}
/** Without what git hands to hooks, which would name another repository, index or object store. */
function gitEnvironment() {
	const entries = Object.entries(process.env).filter(([name]) => !/^GIT_(?!CONFIG)/.test(name));
	return {
		...Object.fromEntries(entries),
		GIT_OPTIONAL_LOCKS: "0",
		LC_ALL: "C"
	};
}
/** The user's own settings that would write to the repository or run programs of its own. */
const plainGit = [
	"core.splitIndex=false",
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.untrackedCache=false"
];
/**
* A git session over one repository. Objects it has to make (the tree of a working tree with changes) go to a
* temporary store that `close` removes.
*/
var GitSession = class GitSession {
	repository;
	#folder;
	#environment;
	constructor(repository, folder, environment) {
		this.repository = repository;
		this.#folder = folder;
		this.#environment = environment;
	}
	static async open(repository) {
		const folder = await mkdtemp(join(tmpdir(), "bpfgate-git-"));
		try {
			const objects = join(folder, "objects");
			await mkdir(objects);
			const found = await runOrThrow("git", [
				"rev-parse",
				"--git-path",
				"objects"
			], {
				cwd: repository.root,
				env: gitEnvironment()
			});
			return new GitSession(repository, folder, {
				...gitEnvironment(),
				GIT_OBJECT_DIRECTORY: objects,
				GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(resolve(repository.root, found.trimEnd()))
			});
		} catch (error) {
			await rm(folder, {
				recursive: true,
				force: true
			});
			throw error;
		}
	}
	async close() {
		await rm(this.#folder, {
			recursive: true,
			force: true
		});
	}
	/** @throws InputError when git does not know the revision */
	async commitTree(ref) {
		const commit = await this.#tryGit([
			"rev-parse",
			"--verify",
			"--quiet",
			"--end-of-options",
			`${ref}^{commit}`
		]);
		if (commit === null) throw new InputError(`git knows no revision ${JSON.stringify(ref)} in ${this.repository.root}`, { hint: "in a workflow, check out with fetch-depth: 0 so that the base is there" });
		return {
			id: await this.#git(["rev-parse", `${commit}^{tree}`]),
			commit,
			ref
		};
	}
	/**
	* The working tree as it is, files that are neither tracked nor ignored included.
	*
	* @param except absolute path of a folder that is no part of it: the output of earlier runs
	*/
	async workingTree(except) {
		const index = join(this.#folder, "worktree.index");
		await copyIndex(resolve(this.repository.root, await this.#git([
			"rev-parse",
			"--git-path",
			"index"
		])), index);
		const environment = { GIT_INDEX_FILE: index };
		const unmerged = await this.#git(["ls-files", "--unmerged"], environment);
		if (unmerged !== "") throw new InputError(`the working tree has unresolved conflicts: ${[...new Set(unmerged.split("\n").map((line) => line.split("	")[1]))].join(", ")}`, { hint: "resolve them, or pass --head with a commit" });
		const path = relative(this.repository.root, except);
		const spared = path !== "" && path !== ".." && !path.startsWith("../") ? [`:(exclude,top,literal)${path}`] : [];
		await this.#git([
			"add",
			"--all",
			"--",
			".",
			...spared
		], environment);
		const id = await this.#git(["write-tree"], environment);
		const head = await this.#tryGit([
			"rev-parse",
			"--verify",
			"--quiet",
			"HEAD^{commit}"
		]);
		return {
			id,
			commit: head !== null && await this.#git(["rev-parse", `${head}^{tree}`]) === id ? head : null,
			ref: "working tree"
		};
	}
	/**
	* The merge-base of `head` with a branch.
	*
	* @param branch default: origin's HEAD, else origin/main, origin/master, main, master, whichever is there first
	* @throws InputError when there is no such branch or no common ancestor
	*/
	async mergeBase(head, branch) {
		const candidates = [
			"refs/remotes/origin/HEAD",
			"origin/main",
			"origin/master",
			"main",
			"master"
		];
		const found = branch === void 0 ? await this.#firstRevision(candidates) : (await this.commitTree(branch)).commit;
		if (found === null) throw new InputError(`no default branch found in ${this.repository.root}; looked for ${candidates.join(", ")}`, { hint: "pass --base with the revision to compare with" });
		const name = (branch ?? found).replace("refs/remotes/", "");
		const base = await this.#tryGit([
			"merge-base",
			found,
			head
		]);
		if (base === null) throw new InputError(`${head} and ${name} have no common ancestor here`, { hint: "pass --base, or fetch the whole history (fetch-depth: 0)" });
		return {
			...await this.commitTree(base),
			ref: `merge-base with ${name}`
		};
	}
	async #firstRevision(candidates) {
		for (const candidate of candidates) if (await this.#tryGit([
			"rev-parse",
			"--verify",
			"--quiet",
			`${candidate}^{commit}`
		]) !== null) return candidate;
		return null;
	}
	/**
	* Writes a tree's files below `folder`, which must not exist yet.
	*
	* @throws InputError when the tree has submodules
	*/
	async checkOut(tree, folder) {
		const submodules = (await this.#git([
			"ls-tree",
			"-r",
			tree.id
		])).split("\n").filter((line) => line.startsWith("160000 "));
		if (submodules.length > 0) {
			const paths = submodules.map((line) => line.split("	")[1]).join(", ");
			throw new InputError(`${tree.ref} has git submodules (${paths}), which this version cannot check out`, { hint: "vendor them or fetch them in build.command; a repository that merely lies in the tree belongs in .gitignore" });
		}
		const environment = { GIT_INDEX_FILE: this.#indexOf(tree) };
		await this.#git(["read-tree", tree.id], environment);
		await mkdir(folder, { recursive: true });
		await this.#git([
			"checkout-index",
			"--all",
			"--index",
			"--force"
		], environment, folder);
	}
	/** Whether the tree has a file of this name anywhere between its root and the project. */
	async hasFile(tree, name) {
		const folders = this.repository.projectPath.split("/").filter((part) => part !== "");
		const paths = [name, ...folders.map((_, index) => [...folders.slice(0, index + 1), name].join("/"))];
		return await this.#git([
			"ls-tree",
			"--name-only",
			tree.id,
			"--",
			...paths
		]) !== "";
	}
	/** Tracked files that differ in `folder` from what `checkOut` wrote there. */
	async changedFiles(tree, folder) {
		const environment = { GIT_INDEX_FILE: this.#indexOf(tree) };
		await this.#tryGit([
			"update-index",
			"-q",
			"--refresh"
		], environment, folder);
		const changed = await this.#git(["diff-files", "--name-only"], environment, folder);
		return changed === "" ? [] : changed.split("\n");
	}
	#indexOf(tree) {
		return join(this.#folder, `${tree.id}.index`);
	}
	async #git(args, environment = {}, workTree) {
		const result = await this.#run(args, environment, workTree);
		if (result.exitCode === 0) return result.stdout.trim();
		throw new InputError(`\`git ${args.join(" ")}\` failed: ${result.stderr.trim()}`);
	}
	/** Null when git exits with anything but 0. */
	async #tryGit(args, environment = {}, workTree) {
		const result = await this.#run(args, environment, workTree);
		return result.exitCode === 0 ? result.stdout.trim() : null;
	}
	#run(args, environment, workTree = this.repository.root) {
		return run$1("git", [...[
			...plainGit.flatMap((setting) => ["-c", setting]),
			"--git-dir",
			this.repository.gitDir,
			"--work-tree",
			workTree
		], ...args], {
			cwd: workTree,
			env: {
				...this.#environment,
				...environment
			}
		});
	}
};
// src/bench/find-criterion-line.ts
/** Of an id, which the guest prints; each adds to what is looked for. */
const maxParts = 8;
/**
* The line of `bench_function("NAME"` (or `bench_with_input`, `BenchmarkId::new`) of a benchmark called `NAME`,
* `GROUP/NAME` or `GROUP/NAME/VALUE`, in the only file that can mean it: of several the one that also opens the group.
* Null where the id is put together at run time, or more than one place could be it.
*
* @param id as Criterion prints it, without the bench's name
* @param sources Rust files of benchmarks
*/
function findCriterionLine(id, sources) {
	const parts = id.split("/");
	if (parts.length > maxParts) return null;
	const found = parts.flatMap((_, start) => parts.slice(start).map((_, count) => ({
		group: parts.slice(0, start).join("/"),
		name: parts.slice(start, parts.length - count).join("/")
	}))).flatMap(({ group, name }) => sources.filter(({ text }) => group === "" || opensGroup(text, group)).flatMap(({ path, text }) => linesOf$1(text, name).map((line) => ({
		file: path,
		line
	}))));
	const places = new Map(found.map((place) => [JSON.stringify(place), place]));
	return places.size === 1 ? [...places.values()][0] ?? null : null;
}
function opensGroup(text, group) {
	return new RegExp(`\\bbenchmark_group\\(\\s*"${escapePattern(group)}"`).test(text);
}
function linesOf$1(text, name) {
	const call = new RegExp(`\\b(?:bench_function|bench_with_input|BenchmarkId::new)\\(\\s*(?:BenchmarkId::new\\(\\s*)?"${escapePattern(name)}"`, "g");
	return [...text.matchAll(call)].map(({ index }) => text.slice(0, index).split("\n").length);
}
function escapePattern(text) {
	return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
// src/bench/locate-source.ts
/**
* Compilers name source files by absolute path or relative to the project; both become paths below the repository's
* root. A Criterion benchmark is looked up by its name. A measurement without a source in the repository points at its
* bench in bpfgate.toml.
*/
function locateSources(measurements, benches, tree) {
	return measurements.map((measurement) => ({
		...measurement,
		source: resolveSource(measurement.source, tree) ?? criterionLocation(measurement, tree) ?? benchLocation(measurement, benches, tree)
	}));
}
function resolveSource(source, tree) {
	const file = source === null ? null : locateFile(source.file, tree);
	return source === null || file === null ? null : {
		file,
		line: source.line
	};
}
/**
* @param compiled the file, as a compiler names it
* @returns its path below the repository's root; null where it is not in it
*/
function locateFile(compiled, tree) {
	const name = compiled.replace(/^(\.\/+)+/, "");
	const inProject = tree.projectPath === "" ? name : `${tree.projectPath}/${name}`;
	return (name.startsWith(`${tree.workDir}/`) ? [name.slice(tree.workDir.length + 1)] : name.startsWith("/") ? [] : [inProject, name]).find(tree.hasFile) ?? null;
}
/**
* Gives files their paths below the repository's root. Those of the toolchain or a dependency keep theirs, which are
* absolute; others that are not in the repository are left out.
*/
function locateLines(files, tree) {
	return files.flatMap(({ file, counts }) => {
		const located = locateFile(file, tree) ?? (file.startsWith("/") ? file : null);
		return located === null ? [] : {
			file: located,
			counts
		};
	});
}
/** Criterion's are the only ones counted by the iteration. */
function criterionLocation({ benchmark, unit }, tree) {
	if (!unit.endsWith("/iteration")) return null;
	return findCriterionLine(benchmark.slice(benchmark.indexOf("/") + 1), tree.benches);
}
function benchLocation({ lane, benchmark }, benches, tree) {
	const bench = lane === "verifier" ? void 0 : benches.find(({ name }) => benchmark.startsWith(`${name}/`));
	return bench === void 0 ? null : {
		file: tree.configFile,
		line: bench.line
	};
}
// src/build/build-place.ts
const onHost = {
	label: "",
	key: [],
	offline: false,
	timeoutMs: 36e5,
	build: async ({ command, project, environment, ...options }) => {
		const end = await run$1("bash", ["-c", command], {
			...options,
			cwd: project,
			env: environment
		});
		return {
			failure: describeFailure(end, options.timeoutMs),
			output: `${end.stdout}\n${end.stderr}`
		};
	}
};
function describeFailure({ exitCode, signal, timedOut }, timeoutMs) {
	if (timedOut) return `did not end within ${timeoutMs / 6e4} min`;
	return exitCode === 0 ? void 0 : `exited with ${exitCode ?? signal}`;
}
// src/cache/lock.ts
/** Time after which a person is told what is waited for. */
const patienceMs = 1e3;
/**
* Runs `work` while holding the lock on the file at `path`, whose folder must exist; waits for another owner to end.
*
* @throws MachineError when flock cannot be run
*/
async function withLock(path, options, work) {
	options.signal?.throwIfAborted();
	const holder = spawn("flock", [
		"--exclusive",
		path,
		"sh",
		"-c",
		"echo held; exec cat"
	], { stdio: [
		"pipe",
		"pipe",
		"ignore"
	] });
	const ended = new Promise((resolve) => holder.on("close", () => resolve()));
	const timer = setTimeout(() => options.log.progress(options.waiting), patienceMs);
	const onAbort = () => holder.kill("SIGKILL");
	options.signal?.addEventListener("abort", onAbort, { once: true });
	try {
		await new Promise((resolve, reject) => {
			holder.stdout.once("data", () => resolve());
			holder.on("error", (cause) => reject(new MachineError("cannot start `flock`", {
				cause,
				hint: "bpfgate doctor"
			})));
			holder.on("close", () => reject(options.signal?.reason ?? new MachineError(`cannot lock ${path}`)));
		});
	} finally {
		clearTimeout(timer);
		options.signal?.removeEventListener("abort", onAbort);
	}
	try {
		return await work();
	} finally {
		holder.stdin.end();
		await ended;
	}
}
// src/build/environment.ts
const names = /* @__PURE__ */ new Set([
	...[
		"PATH",
		"HOME",
		"USER",
		"LOGNAME",
		"SHELL",
		"LANG",
		"TZ",
		"TMPDIR"
	],
	...[
		"CC",
		"CXX",
		"AR",
		"LD",
		"CFLAGS",
		"CXXFLAGS",
		"LDFLAGS",
		"LLVM_PREFIX",
		"LIBCLANG_PATH",
		"PKG_CONFIG_PATH"
	],
	...[
		"GOPATH",
		"GOPROXY",
		"GOFLAGS",
		"GOROOT"
	],
	...[
		"SSL_CERT_FILE",
		"SSL_CERT_DIR",
		"http_proxy",
		"https_proxy",
		"no_proxy"
	]
]);
const prefixes = [
	"LC_",
	"CARGO_",
	"RUST"
];
const secret = /TOKEN|SECRET|PASSWORD|CREDENTIAL/i;
/** The allowed part of `environment`, with what keeps cargo's output plain and its builds the same each time. */
function projectEnvironment(environment) {
	const allowed = Object.entries(environment).filter((entry) => entry[1] !== void 0 && (names.has(entry[0]) || prefixes.some((prefix) => entry[0].startsWith(prefix))) && !secret.test(entry[0]));
	const result = {
		...Object.fromEntries(allowed),
		CARGO_TERM_COLOR: "never",
		CARGO_INCREMENTAL: "0"
	};
	delete result.CARGO_TARGET_DIR;
	delete result.CARGO_BUILD_TARGET_DIR;
	return result;
}
/** The same inside the guest, which has no network and a tmpfs that is safe for temporary files. */
function guestEnvironment(environment) {
	return {
		...projectEnvironment(environment),
		CARGO_NET_OFFLINE: "true",
		GOPROXY: "off",
		TMPDIR: "/tmp"
	};
}
// src/build/walk-tree.ts
/**
* Every regular file below a folder, folders in the order of their names. Links are not followed; a folder that cannot be
* read counts as empty.
*
* @param skipped names of folders to leave out, wherever they are
* @returns paths relative to the folder, with slashes
*/
async function* walkTree(folder, skipped) {
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
	for (const entry of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
		if (entry.isFile()) yield entry.name;
		if (!entry.isDirectory() || skipped.has(entry.name)) continue;
		for await (const path of walkTree(`${folder}/${entry.name}`, skipped)) yield `${entry.name}/${path}`;
	}
}
// src/build/find-objects.ts
/** Of one object, in bytes, as the agent in the guest allows. */
const maxObject = 67108864;
/** Without what is not built, or is cargo's own. */
const skipped$1 = /* @__PURE__ */ new Set([
	".git",
	"node_modules",
	".fingerprint",
	"incremental"
]);
/**
* Every BPF object in a built tree's project, and in cargo's target folder at the tree's root.
*
* @param projectPath below the tree's root; empty at the root
*/
async function findObjects({ revision, dir }, projectPath, log) {
	const project = join(dir, projectPath);
	const found = [];
	for (const folder of projectPath === "" ? [project] : [project, join(dir, "target")]) for await (const below of walkTree(folder, skipped$1)) {
		const file = join(folder, below);
		const object = await readObject(file);
		if (object === null) continue;
		if (object === "too large") {
			log.warn(`${relative(dir, file)} of ${revision} is larger than ${maxObject / 2 ** 20} MiB, and is not verified`);
			continue;
		}
		const inProject = relative(project, file);
		const path = relative(dir, file);
		found.push({
			revision,
			path,
			projectPath: inProject.startsWith("..") ? path : inProject,
			...object
		});
	}
	return found;
}
async function readObject(file) {
	const handle = await open$1(file).catch(() => null);
	if (handle === null) return null;
	try {
		if (!isBpfObject(await readStart(handle, 20))) return null;
		const { size, mtimeMs } = await handle.stat();
		if (size > maxObject) return "too large";
		return {
			digest: createHash("sha256").update(await handle.readFile()).digest("hex"),
			modifiedMs: mtimeMs
		};
	} finally {
		await handle.close();
	}
}
async function readStart(handle, length) {
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
	return buffer.subarray(0, bytesRead);
}
/** Relocatable ELF of 64 bits, little-endian as the guest is, for machine EM_BPF. */
function isBpfObject(start) {
	if (start.length < 20 || start.readUInt32BE(0) !== 2135247942) return false;
	return start[4] === 2 && start[5] === 1 && start.readUInt16LE(16) === 1 && start.readUInt16LE(18) === 247;
}
// src/glob.ts
/** `*` matches any run of characters, `/` included, and none at all; everything else matches itself. */
function matchesGlob(glob, text) {
	const parts = glob.split("*");
	const first = parts.shift() ?? "";
	const last = parts.pop();
	if (last === void 0) return text === glob;
	if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
	const end = text.length - last.length;
	let position = first.length;
	for (const part of parts) {
		const found = text.indexOf(part, position);
		if (found === -1 || found + part.length > end) return false;
		position = found + part.length;
	}
	return true;
}
// src/build/name-objects.ts
/**
* One object for each thing that was built, called the same in base and head, in the order of names.
*
* A build leaves more: cargo a second link in `deps`, and what earlier builds in the same target folder made, under
* another hash; C projects copies of one object. Of paths that differ only in cargo's hashes the one written last stays; of
* places with equal contents in both revisions, the shortest path. The name is the file's, without hash, `.o` and `.bpf`;
* where several have it, behind the folder that tells them apart: `agent.probe` and `server.probe`.
*
* @param globs those of `build.objects`; null for all
*/
function nameObjects(found, globs) {
	const kept = withoutCopies(revisionNames.flatMap((revision) => {
		return distinctBy(found.filter((each) => each.revision === revision && isWanted(each, globs)).toSorted((a, b) => b.modifiedMs - a.modifiedMs || a.path.length - b.path.length || (a.path < b.path ? -1 : 1)), ({ path }) => withoutHashes(path));
	}));
	const names = namePlaces([...new Set(kept.map(({ path }) => withoutHashes(path)))]);
	return kept.map(({ revision, path, digest }) => ({
		name: names.get(withoutHashes(path)) ?? path,
		revision,
		path,
		digest
	})).toSorted((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}
/**
* Of the places whose contents are equal in both revisions, the one with the shortest path. A place that only one revision
* has is a copy where any that stays has its content there.
*/
function withoutCopies(objects) {
	const places = groupBy(objects, ({ path }) => withoutHashes(path)).toSorted((a, b) => b.length - a.length || (a[0]?.path.length ?? 0) - (b[0]?.path.length ?? 0) || ((a[0]?.path ?? "") < (b[0]?.path ?? "") ? -1 : 1));
	const kept = [];
	for (const place of places) if (!kept.some((other) => place.every(({ revision, digest }) => other.some((own) => own.revision === revision && own.digest === digest)))) kept.push(place);
	return kept.flat();
}
function isWanted({ path, projectPath }, globs) {
	if (globs !== null) return globs.some((glob) => matchesGlob(glob, projectPath));
	return !/(^|\/)deps\/[^/]+-[0-9a-f]{16}(\.o)?$/.test(path);
}
/** What cargo adds to names of packages and targets: `-` and 16 digits. */
function withoutHashes(path) {
	return path.replace(/-[0-9a-f]{16}(?=[./]|$)/g, "");
}
/** Gives each path a name of its own, of characters that mean nothing in file names. */
function namePlaces(paths) {
	const stemOf = (path) => (path.split("/").at(-1) ?? path).replace(/\.o$/, "").replace(/\.bpf$/, "");
	const names = /* @__PURE__ */ new Map();
	const taken = /* @__PURE__ */ new Set();
	for (const path of paths.toSorted()) {
		const stem = stemOf(path);
		const others = paths.filter((other) => other !== path && stemOf(other) === stem);
		const folders = path.split("/").slice(0, -1);
		const telling = folders.findLast((folder) => !others.some((other) => other.split("/").includes(folder)));
		const wanted = clean(others.length === 0 ? stem : `${telling ?? folders.join(".")}.${stem}`);
		let name = wanted;
		for (let number = 2; taken.has(name); number++) name = `${wanted}.${number}`;
		taken.add(name);
		names.set(path, name);
	}
	return names;
}
/** What the agent in the guest takes for a name. */
function clean(text) {
	return text.replace(/[^\w.+@=-]/g, "_").slice(-90).replace(/^\.+/, "") || "_";
}
function distinctBy(items, keyOf) {
	const seen = /* @__PURE__ */ new Set();
	return items.filter((item) => !seen.has(keyOf(item)) && seen.add(keyOf(item)));
}
// src/build/build-revisions.ts
/** Built trees kept per repository; the least recently used go first. */
const keptBuilds = 6;
/** Variables that say who builds and where, not what. */
const unshaping = /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LC_.*|CARGO_HOME|RUSTUP_HOME|RUST_BACKTRACE)$/;
/** Counts up when what a kept build holds changes its meaning. */
const keyFormat = 1;
const startedAt = Date.now();
const downloadTimeoutMs = 18e5;
/**
* @throws BuildError when a revision does not build, or its build changes files that git tracks
* @throws InputError when a tree cannot be checked out
*/
async function buildRevisions(request) {
	const { repository } = request.git;
	const home = join(request.cache.root, "builds", shortHash(repository.root));
	await mkdir(home, { recursive: true }).catch((cause) => {
		throw new MachineError(`cannot make ${home}: ${cause.message}`, {
			cause,
			hint: "set BPFGATE_CACHE"
		});
	});
	const waiting = "waiting for another bpfgate that builds the same repository";
	return withLock(join(home, "lock"), {
		...request,
		waiting
	}, async () => {
		const workDir = join(home, "work");
		const base = await buildRevision(request, "base", request.base, home, workDir);
		const head = await buildRevision(request, "head", request.head, home, workDir, base);
		for (const tool of /* @__PURE__ */ new Set([...Object.keys(base.tools), ...Object.keys(head.tools)])) {
			if (base.tools[tool] === head.tools[tool]) continue;
			request.log.warn(`base was built with ${base.tools[tool]}, head with ${head.tools[tool]}`);
		}
		await prune$1(home);
		const { projectPath } = repository;
		const { log } = request;
		const found = [...await findObjects(base, projectPath, log), ...await findObjects(head, projectPath, log)];
		const globs = request.config.build.objects;
		for (const glob of globs ?? []) {
			if (nameObjects(found, [glob]).length > 0) continue;
			log.warn(`build.objects: no BPF object is called \`${glob}\` in the built project`);
		}
		return {
			base,
			head,
			workDir,
			projectPath,
			objects: nameObjects(found, globs)
		};
	});
}
/** Checks a tree out at `workDir`, builds it there unless the same build is kept, and moves it to its own place. */
async function buildRevision(request, revision, tree, home, workDir, seed) {
	const { projectPath } = request.git.repository;
	const { command } = request.config.build;
	const environment = projectEnvironment(request.environment);
	await rm(workDir, {
		recursive: true,
		force: true
	});
	try {
		await request.git.checkOut(tree, workDir);
		const project = join(workDir, projectPath);
		const tools = await toolVersions(environment, project);
		const key = shortHash(JSON.stringify([
			...[
				keyFormat,
				tree.id,
				projectPath,
				command,
				tools,
				...request.place.key
			],
			Object.entries(environment).filter(([name]) => !unshaping.test(name)),
			await cargoSettings(environment, project),
			await isUnlockedCargo(request.git, tree, project) ? startedAt : null
		]));
		const dir = join(home, key);
		if (await exists(dir)) {
			request.log.progress(`${revision} (${tree.ref}) is built already${request.place.label}`);
			await markUsed(dir);
		} else {
			if (seed !== void 0 && isPlainCargo(command)) await copyTarget(seed.dir, workDir, projectPath);
			await buildTree(request, revision, tree, environment, workDir);
			await rename(workDir, dir);
			await markUsed(dir);
		}
		return {
			revision,
			ref: tree.ref,
			commit: tree.commit,
			tree: tree.id,
			dir,
			tools
		};
	} finally {
		await rm(workDir, {
			recursive: true,
			force: true
		});
	}
}
async function buildTree(request, revision, tree, environment, workDir) {
	const { command } = request.config.build;
	const { place, log, signal } = request;
	const project = join(workDir, request.git.repository.projectPath);
	log.progress(`building ${revision} (${tree.ref})${place.label}: ${command}`);
	if (place.offline) await downloadDependencies(request, revision, tree, environment, project);
	let lastShown = Date.now();
	const onLine = (line) => {
		if (Date.now() - lastShown < 1e4) return;
		lastShown = Date.now();
		log.progress(`building ${revision}${place.label}: ${line.trim().slice(0, 100)}`);
	};
	const { timeoutMs } = place;
	const { failure, output } = await place.build({
		command,
		workDir,
		project,
		environment,
		timeoutMs,
		signal,
		onLine
	});
	if (failure !== void 0) {
		const tail = output.trim().split("\n").slice(-25).join("\n");
		throw new BuildError(`the build of ${revision} (${tree.ref})${place.label} ${failure}: ${command}\n${tail}`, { hint: place.offline ? "there is no network in a guest: what a build downloads, other than crates and Go modules, has to be on the host" : "run the same command in the project, or change build.command in bpfgate.toml" });
	}
	const changed = await request.git.changedFiles(tree, workDir);
	if (changed.length > 0) throw new BuildError(`the build of ${revision} (${tree.ref}) changed files that git tracks: ${changed.slice(0, 10).join(", ")}; what was built is not what was committed`, { hint: "commit the changed files, or keep the build from touching them (cargo: --locked)" });
}
/**
* Brings crates and Go modules to the host, where a guest without network finds them. Those of Rust's own library too,
* where its source is installed: cargo wants them to build `core` for the BPF target.
*/
async function downloadDependencies(request, revision, tree, environment, project) {
	const download = async (command, args, env = environment) => {
		const line = [command, ...args].join(" ");
		request.log.progress(`downloading what ${revision} (${tree.ref}) depends on: ${line}`);
		const end = await run$1(command, args, {
			cwd: project,
			env,
			timeoutMs: downloadTimeoutMs,
			signal: request.signal
		});
		if (end.exitCode === 0) return;
		const tail = end.stderr.trim().split("\n").slice(-25).join("\n");
		throw new BuildError(`cannot download what ${revision} (${tree.ref}) depends on: ${line}\n${tail}`, { hint: "run the same command in the project" });
	};
	if (await exists(join(project, "Cargo.toml"))) {
		await download("cargo", ["fetch", ...await exists(join(project, "Cargo.lock")) ? ["--locked"] : []]);
		const sysroot = await run$1("rustc", ["--print", "sysroot"], {
			cwd: project,
			env: environment
		});
		const library = join(sysroot.stdout.trim(), "lib/rustlib/src/rust/library/Cargo.toml");
		if (sysroot.exitCode === 0 && await exists(library)) {
			const env = {
				...environment,
				RUSTC_BOOTSTRAP: "1"
			};
			await download("cargo", [
				"fetch",
				"--locked",
				"--manifest-path",
				library
			], env);
		}
	}
	if (await exists(join(project, "go.mod"))) await download("go", ["mod", "download"]);
}
/**
* Starts a build from another revision's cargo target folder, at the root or in the project. cargo rebuilds every crate
* whose sources are newer, and all that were just checked out are; what stays are the dependencies.
*/
async function copyTarget(from, to, projectPath) {
	for (const folder of /* @__PURE__ */ new Set(["", projectPath])) {
		const target = join(from, folder, "target");
		if (await exists(join(target, "CACHEDIR.TAG"))) await runOrThrow("cp", [
			"--archive",
			"--reflink=auto",
			target,
			join(to, folder, "target")
		]);
	}
}
/** Whether a command is nothing but cargo, which rebuilds whatever of its target folder is out of date. */
function isPlainCargo(command) {
	return command.split("&&").every((part) => /^\s*cargo(\s+[\w@%+=:,./-]+)+\s*$/.test(part));
}
/** The content of cargo's configuration files outside the tree, which can set flags and profiles. */
async function cargoSettings(environment, project) {
	const folders = [environment.CARGO_HOME ?? join(environment.HOME ?? homedir(), ".cargo")];
	for (let folder = dirname(project); folder !== dirname(folder); folder = dirname(folder)) folders.push(join(folder, ".cargo"));
	const files = folders.flatMap((folder) => [join(folder, "config"), join(folder, "config.toml")]);
	return (await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => null)))).filter((text) => text !== null);
}
/** Whether a cargo project has no lock file of its own in the tree. */
async function isUnlockedCargo(git, tree, project) {
	if (!await exists(join(project, "Cargo.toml"))) return false;
	return !await git.hasFile(tree, "Cargo.lock");
}
/** What compiles and links the project: part of the fingerprint. A tool that is not there is left out. */
async function toolVersions(environment, cwd) {
	const versions = {};
	for (const [name, args] of [
		["rustc", ["-vV"]],
		["bpf-linker", ["--version"]],
		["cc", ["--version"]],
		["clang", ["--version"]],
		["go", ["version"]]
	]) {
		const result = await run$1(name, args, {
			cwd,
			env: environment
		}).catch(() => null);
		if (result?.exitCode === 0) versions[name] = result.stdout.trim().split("\n")[0] ?? "";
	}
	versions.ld = (await runOrThrow("bash", ["-c", "ld --version 2>/dev/null | head -n 1"], { env: environment })).trim();
	return versions;
}
/** Removes kept builds but for the last, and for those that this process has made or taken up: they may be in use. */
async function prune$1(home) {
	const builds = [];
	for (const name of await readdir(home)) {
		const path = join(home, name);
		if (/^[0-9a-f]{12}$/.test(name)) builds.push({
			path,
			usedMs: (await stat(path)).mtimeMs
		});
	}
	builds.sort((a, b) => b.usedMs - a.usedMs);
	for (const { path, usedMs } of builds.slice(keptBuilds)) if (usedMs < startedAt) await rm(path, {
		recursive: true,
		force: true
	});
}
async function markUsed(dir) {
	const now = /* @__PURE__ */ new Date();
	await utimes(dir, now, now);
}
async function exists(path) {
	return stat(path).then(() => true, () => false);
}
function shortHash(text) {
	return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
// src/build/read-bench-sources.ts
/** Of one file, in bytes; and of files, in number. */
const maxFile$1 = 1048576;
const maxFiles$1 = 1e3;
const skipped = /* @__PURE__ */ new Set([
	".git",
	"target",
	"node_modules"
]);
/**
* Every `.rs` below a folder called `benches` in the project. What cannot be read is left out.
*
* @param dir absolute path of the tree
* @param projectPath below the tree; empty at its root
* @returns paths below the tree
*/
async function readBenchSources(dir, projectPath) {
	const sources = [];
	for await (const file of walkTree(join(dir, projectPath), skipped)) {
		if (!/(^|\/)benches\/.*\.rs$/.test(file)) continue;
		const path = projectPath === "" ? file : `${projectPath}/${file}`;
		if (await stat(join(dir, path)).then((found) => found.size, () => 1048577) > maxFile$1) continue;
		const text = await readFile(join(dir, path), "utf8").catch(() => null);
		if (text !== null) sources.push({
			path,
			text
		});
		if (sources.length === maxFiles$1) break;
	}
	return sources;
}
// src/build/read-both.ts
/** In bytes. */
const maxFile = 1048576;
/**
* A source file's texts, base's first; null where one has none that can be read, or that is larger than 1 MiB.
*
* @param path below the trees' roots. It may come out of a program, so one that leads outside is not read
*/
async function readBoth(builds, path) {
	const [base, head] = await Promise.all(revisionNames.map((revision) => readInside(builds[revision], path)));
	return typeof base === "string" && typeof head === "string" ? [base, head] : null;
}
async function readInside({ dir }, path) {
	try {
		const file = await realpath(join(dir, path));
		if (!file.startsWith(await realpath(dir) + sep)) return null;
		const found = await stat(file);
		return found.isFile() && found.size <= maxFile ? await readFile(file, "utf8") : null;
	} catch {
		return null;
	}
}
// src/compare/limits.ts
/**
* The limit for one measurement: the last override whose every given key matches, else the lane's own.
*
* The last match wins, so that a narrow exception is written below a wide one.
*/
function limitFor(subject, gate) {
	return gate.overrides.findLast((each) => isFor(each, subject))?.limit ?? gate.limits[subject.lane];
}
/**
* The benchmarks, as they are written, of overrides that are for none of those measured: a name that was changed or
* mistyped leaves the limit that somebody meant to set unset. Overrides for kernels or lanes that were not measured are
* no mistake.
*
* @param subjects everything that was compared
*/
function findUnusedOverrides(subjects, gate) {
	const unused = gate.overrides.flatMap(({ benchmark, ...rest }) => benchmark !== void 0 && subjects.some((subject) => isFor(rest, subject)) && !subjects.some((subject) => isFor({
		benchmark,
		...rest
	}, subject)) ? [benchmark] : []);
	return [...new Set(unused)];
}
function isFor({ benchmark, kernel, lane }, subject) {
	return (benchmark === void 0 || matchesGlob(benchmark, subject.benchmark)) && (kernel === void 0 || matchesGlob(kernel, subject.kernel)) && (lane === void 0 || lane === subject.lane);
}
// src/compare/compare.ts
/**
* Compares head with base: one comparison for each kernel, lane, benchmark and measure, in the order first seen.
*
* Growth is (head - base) / |base|. Beyond the limit it is a regression, shrinking beyond the same limit an
* improvement, and the other way round where higher is better; anything between is unchanged and keeps its delta. Where
* a side is not exact, the larger `resolution` of the two takes the limit's place when it is the larger, because a
* smaller difference cannot be told from the method's own error. From 0 any growth is beyond every limit.
*
* A limit of `off` never gives a regression or an improvement: unchanged, with a warning when it got worse.
* A benchmark on one side only is `added` or `removed`, which never fails the gate. But where the other side was left
* out because it needs a newer kernel, it is a regression when that is head, which base still ran here, and an
* improvement when that is base. What both sides left out is not compared. What could not be tried on one side for
* another reason is inconclusive.
* Units that differ make the pair inconclusive, and so do values whose difference, growth or interval no number can hold.
*
* @throws BenchError when a value is not finite, or two measurements of one revision have one name
*/
function compareMeasurements(measurements, gaps, gate) {
	const pairs = /* @__PURE__ */ new Map();
	for (const measurement of measurements) {
		const { kernel, lane, benchmark, measure, revision, value } = measurement;
		if (!Number.isFinite(value)) throw new BenchError(`\`${benchmark}\` has a ${measure} of ${value} in ${revision} on ${kernel}`, { hint: "let the benchmark print a finite number" });
		const key = JSON.stringify([
			kernel,
			lane,
			benchmark,
			measure
		]);
		const pair = pairs.get(key) ?? {};
		if (pair[revision] !== void 0) throw new BenchError(`\`${benchmark}\` has two values of ${measure} in ${revision} on ${kernel}`, { hint: "give each benchmark a name of its own" });
		pair[revision] = measurement;
		pairs.set(key, pair);
	}
	const byKey = new Map(gaps.map((gap) => [gapKey(gap), gap]));
	return [...pairs.values()].map((pair) => comparePair(pair, byKey, gate));
}
function gapKey({ kernel, lane, revision, benchmark }) {
	return JSON.stringify([
		kernel,
		lane,
		revision,
		benchmark
	]);
}
function comparePair({ base, head }, gaps, gate) {
	const subject = head ?? base;
	if (subject === void 0) throw new Error("a pair of measurements holds at least one");
	const common = {
		kernel: subject.kernel,
		lane: subject.lane,
		benchmark: subject.benchmark,
		measure: subject.measure,
		unit: subject.unit,
		better: subject.better,
		kind: subject.kind,
		base: base?.value ?? null,
		head: head?.value ?? null,
		needs: null,
		delta: null,
		deltaRatio: null,
		interval: null,
		pValue: null,
		roundsNeeded: null,
		limit: limitOf(subject, gate),
		refusal: head?.refusal ?? base?.refusal ?? null,
		source: subject.source,
		lines: null,
		warnings: joinWarnings$1(base, head)
	};
	if (base === void 0 || head === void 0) {
		const side = base === void 0 ? "base" : "head";
		const gap = gaps.get(gapKey({
			...subject,
			revision: side
		}));
		return gap === void 0 ? {
			...common,
			verdict: side === "base" ? "added" : "removed"
		} : compareWithGap(common, side, gap);
	}
	if (base.unit !== head.unit) {
		const warning = `base is in ${base.unit} and head in ${head.unit}, so they cannot be compared`;
		return {
			...common,
			verdict: "inconclusive",
			warnings: [...common.warnings, warning]
		};
	}
	const delta = head.value - base.value;
	const exact = base.exact && head.exact;
	const resolution = exact ? 0 : Math.max(base.resolution, head.resolution);
	const error = resolution * Math.abs(base.value);
	const sign = head.better === "lower" ? 1 : -1;
	const isOff = common.limit === "off" && sign * delta > error && !isUngated(subject);
	const deltaRatio = base.value === 0 ? null : delta / Math.abs(base.value);
	const interval = exact ? "exact" : base.value === 0 ? null : [delta - error, delta + error];
	if (![
		delta,
		deltaRatio ?? 0,
		...Array.isArray(interval) ? interval : []
	].every(Number.isFinite)) {
		const warning = `base is ${base.value} and head ${head.value}, too far apart or too uncertain to be compared`;
		return {
			...common,
			verdict: "inconclusive",
			warnings: [...common.warnings, warning]
		};
	}
	return {
		...common,
		delta,
		deltaRatio,
		interval,
		verdict: judge$1(base.value, sign * delta, resolution, common.limit),
		warnings: isOff ? [...common.warnings, `it ${sign > 0 ? "grew" : "shrank"}, but its limit is off, so it does not fail the gate`] : common.warnings
	};
}
/** How long a program takes to load is told, and says nothing about what it does. */
function isUngated({ lane, measure }) {
	return lane === "verifier" && measure === "load-time";
}
/** A program that stops loading has no size that a limit could allow; only `off` excuses it. */
function limitOf(subject, gate) {
	const limit = limitFor(subject, gate);
	if (isUngated(subject)) return "off";
	return subject.lane === "verifier" && subject.measure === "loads" && limit !== "off" ? 0 : limit;
}
/** Where only one side ran. What is lost has no size that could be held to a limit, unless the limit is off. */
function compareWithGap(common, side, gap) {
	if (gap.needs === null) {
		const warning = `${side} could not be tried: ${gap.reason ?? "no reason is known"}`;
		return {
			...common,
			verdict: "inconclusive",
			warnings: [...common.warnings, warning]
		};
	}
	const needs = {
		side,
		kernel: gap.needs
	};
	if (common.limit === "off") {
		const warning = `head needs ${gap.needs}, but its limit is off, so it does not fail the gate`;
		return {
			...common,
			needs,
			verdict: "unchanged",
			warnings: [...common.warnings, ...side === "head" ? [warning] : []]
		};
	}
	return {
		...common,
		needs,
		verdict: side === "head" ? "regression" : "improvement"
	};
}
/** @param change by how much it got worse */
function judge$1(base, change, resolution, limit) {
	if (change === 0 || limit === "off") return "unchanged";
	const growth = change / Math.abs(base);
	const threshold = Math.max(limit, resolution);
	if (growth > threshold) return "regression";
	return growth < -threshold ? "improvement" : "unchanged";
}
/** What both sides warn of is said once; what one side warns of names the side. */
function joinWarnings$1(base, head) {
	if (base === void 0 || head === void 0) return [...new Set((base ?? head)?.warnings)];
	const onBase = new Set(base.warnings);
	const onHead = new Set(head.warnings);
	return [
		...[...onHead].filter((warning) => onBase.has(warning)),
		...[...onBase].filter((warning) => !onHead.has(warning)).map((warning) => `base: ${warning}`),
		...[...onHead].filter((warning) => !onBase.has(warning)).map((warning) => `head: ${warning}`)
	];
}
// src/statistics/normal.ts
/** Beyond this the series below loses the digits of the tail, and the continued fraction has all of them. */
const tailFrom = 3;
/**
* Probability that a standard normal variable is at most `x`, right to about 12 digits in either tail.
*
* Series and continued fraction: Abramowitz & Stegun, "Handbook of Mathematical Functions", 26.2.11 and 26.2.14.
*/
function normalCdf(x) {
	if (x > tailFrom) return 1 - upperTail(x);
	if (x < -3) return upperTail(-x);
	let term = x;
	let sum = x;
	for (let odd = 3; Math.abs(term) > 1e-17 * Math.abs(sum); odd += 2) {
		term *= x * x / odd;
		sum += term;
	}
	return .5 + density(x) * sum;
}
/**
* The `x` below which a standard normal variable lies with `probability`, by halving; right to about 12 digits.
*
* @throws RangeError when `probability` is not between 0 and 1
*/
function normalQuantile(probability) {
	if (!(probability > 0 && probability < 1)) throw new RangeError(`probability is ${probability}, which is not between 0 and 1`);
	if (probability > .5) return -normalQuantile(1 - probability);
	let low = -39;
	let high = 0;
	for (let step = 0; step < 60; step++) {
		const middle = (low + high) / 2;
		if (normalCdf(middle) < probability) low = middle;
		else high = middle;
	}
	return (low + high) / 2;
}
function upperTail(x) {
	let fraction = x;
	for (let step = 100; step > 0; step--) fraction = x + step / fraction;
	return density(x) / fraction;
}
function density(x) {
	return Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI);
}
// src/statistics/rounds.ts
/**
* log(head / base) of each round, in their order: 0 where both took the same time.
*
* @throws RangeError without rounds, or where a time is not a finite number above 0, or a boot not a whole number
*/
function takeLogRatios(rounds) {
	if (rounds.length === 0) throw new RangeError("there are no rounds");
	return rounds.map(({ boot, base, head }, index) => {
		if (!Number.isInteger(boot)) throw new RangeError(`round ${index} has a boot of ${boot}`);
		checkTime("base", base, index);
		checkTime("head", head, index);
		return Math.log(head) - Math.log(base);
	});
}
function checkTime(side, timeNs, index) {
	if (!Number.isFinite(timeNs) || timeNs <= 0) throw new RangeError(`round ${index} has a ${side} of ${timeNs} ns, which is not a finite number above 0`);
}
/** @throws RangeError when `alpha` is not between 0 and 0.5 */
function checkAlpha(alpha) {
	if (!(alpha > 0 && alpha < .5)) throw new RangeError(`alpha is ${alpha}, which is not between 0 and 0.5`);
}
/** @throws RangeError when `confidence` is not between 0 and 1 */
function checkConfidence(confidence) {
	if (!(confidence > 0 && confidence < 1)) throw new RangeError(`confidence is ${confidence}, which is not between 0 and 1`);
}
/** @throws RangeError when there are none, or one is not finite */
function checkValues(values) {
	if (values.length === 0) throw new RangeError("there are no values");
	const bad = values.find((value) => !Number.isFinite(value));
	if (bad !== void 0) throw new RangeError(`a value is ${bad}, which is not finite`);
}
/**
* Both tails of the sum of those `ranks` that get a positive sign.
*
* Exact up to 200 ranks: dynamic programming over all 2^n signs, on doubled ranks, which are whole numbers also where
* ties share a mid-rank; so it is exact under ties. Beyond, the normal approximation with the same mean and variance
* and a continuity correction (Lehmann, "Nonparametrics", 1975, chapter 3).
*
* @param ranks multiples of 1/2 above 0
*/
function readTails(ranks, sum) {
	if (ranks.length > 200) return approximateTails(ranks, sum);
	const scale = ranks.every(Number.isInteger) ? 1 : 2;
	const probabilities = countSums(ranks.map((rank) => rank * scale));
	const place = sum * scale;
	let atMost = 0;
	for (let index = 0; index <= place; index++) atMost += probabilities[index] ?? 0;
	let atLeast = 0;
	for (let index = probabilities.length - 1; index >= place; index--) atLeast += probabilities[index] ?? 0;
	return {
		atMost: Math.min(1, atMost),
		atLeast: Math.min(1, atLeast)
	};
}
/** The probability of each sum, from 0 to the sum of all `ranks`, which are whole numbers. */
function countSums(ranks) {
	const probabilities = new Float64Array(ranks.reduce((sum, rank) => sum + rank, 0) + 1);
	probabilities[0] = 1;
	let reached = 0;
	for (const rank of ranks) {
		reached += rank;
		for (let sum = reached; sum >= rank; sum--) probabilities[sum] = ((probabilities[sum] ?? 0) + (probabilities[sum - rank] ?? 0)) / 2;
		for (let sum = rank - 1; sum >= 0; sum--) probabilities[sum] = (probabilities[sum] ?? 0) / 2;
	}
	return probabilities;
}
function approximateTails(ranks, sum) {
	const mean = ranks.reduce((total, rank) => total + rank, 0) / 2;
	const deviation = Math.sqrt(ranks.reduce((total, rank) => total + rank * rank, 0)) / 2;
	return {
		atMost: normalCdf((sum + .5 - mean) / deviation),
		atLeast: normalCdf((mean - sum + .5) / deviation)
	};
}
// src/statistics/hodges-lehmann.ts
/**
* The pseudo-median: the median of the averages of all pairs of values, each with itself included (Walsh averages). It
* is the centre at which the signed-rank test is balanced; for log ratios its exponential is the typical ratio.
*
* Hodges & Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical Statistics 34 (1963) 598-611.
*
* @throws RangeError when there are no values, or one is not finite
*/
function estimatePseudoMedian(values) {
	return middleOf(averagePairs(values));
}
/**
* Where the centre of symmetry lies, with at least this confidence, both ends included; null when there are too few
* values for it. It holds every centre that one-sided signed-rank tests at (1 - confidence) / 2 do not reject, so it is
* exact whatever the noise, and errs on the safe side where values are tied. Above 200 values the ranks are
* approximated.
*
* Tukey's interval: Hollander, Wolfe & Chicken, "Nonparametric Statistical Methods", 3rd edition, section 3.3.
*
* @param confidence between 0 and 1, such as 0.95
* @throws RangeError when there are no values, one is not finite, or `confidence` is out of range
*/
function boundPseudoMedian(values, confidence) {
	checkConfidence(confidence);
	const averages = averagePairs(values);
	const cut = countCut(values.length, (1 - confidence) / 2);
	const low = averages[cut - 1];
	const high = averages[averages.length - cut];
	return low === void 0 || high === void 0 ? null : [low, high];
}
/** Walsh averages in ascending order: n (n + 1) / 2 of them. */
function averagePairs(values) {
	checkValues(values);
	const averages = new Float64Array(values.length * (values.length + 1) / 2);
	let place = 0;
	for (let first = 0; first < values.length; first++) for (let second = first; second < values.length; second++) averages[place++] = ((values[first] ?? 0) + (values[second] ?? 0)) / 2;
	return averages.sort();
}
function middleOf(sorted) {
	const middle = sorted.length / 2;
	return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
/** How many of the sums of signed ranks, from 0 upwards, have a probability below `tail` together. */
function countCut(count, tail) {
	if (count > 200) {
		const mean = count * (count + 1) / 4;
		const deviation = Math.sqrt(count * (count + 1) * (2 * count + 1) / 24);
		return Math.max(0, Math.ceil(mean + normalQuantile(tail) * deviation + .5) - 1);
	}
	const probabilities = countSums(Array.from({ length: count }, (_, index) => index + 1));
	let cut = 0;
	for (let sum = probabilities[0] ?? 1; sum < tail; sum += probabilities[cut] ?? 1) cut++;
	return cut;
}
// src/statistics/holm.ts
/**
* Holm's step-down adjusted p-values, in the order given. Calling each one below alpha significant gives even one false
* finding in the whole family with a probability of at most alpha, however the comparisons depend on each other.
*
* The smallest p-value is multiplied by the number of comparisons, the next by one less, and so on; none falls below
* the one before it or rises above 1.
*
* Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979) 65-70.
*
* @param pValues of the whole family, from 0 to 1; none gives none
* @throws RangeError when one is not from 0 to 1
*/
function adjustByHolm(pValues) {
	const bad = pValues.find((pValue) => !(pValue >= 0 && pValue <= 1));
	if (bad !== void 0) throw new RangeError(`a p-value is ${bad}, which is not from 0 to 1`);
	const adjusted = new Array(pValues.length).fill(1);
	let largest = 0;
	for (const [step, { pValue, index }] of pValues.map((pValue, index) => ({
		pValue,
		index
	})).toSorted((a, b) => a.pValue - b.pValue).entries()) {
		largest = Math.min(1, Math.max(largest, pValue * (pValues.length - step)));
		adjusted[index] = largest;
	}
	return adjusted;
}
// src/statistics/signed-rank.ts
/** Log ratios nearer to each other than this are equal: what differs so little is the rounding of a logarithm. */
const tieTolerance = 1e-12;
/**
* Wilcoxon's signed-rank test of whether `values` are symmetric about 0; to test another centre, subtract it first.
*
* Ranks are of the absolute values, equal ones sharing their mid-rank. Zeros are Pratt's: they take part in the ranking
* and their ranks are then left out. With Wilcoxon's own rule, which drops them first, values that grow could find
* less; with this one only ties can do that. The p-values are exact under ties and zeros, by counting all signs, up to
* 200 values other than 0. They are 1 if all are 0.
*
* Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1 (1945) 80-83; Pratt, "Remarks on Zeros
* and Ties in the Wilcoxon Signed Rank Procedures", JASA 54 (1959) 655-667.
*
* @param values differences, such as the log ratios of rounds; nearer than 1e-12 is a tie
* @throws RangeError when there are none, or one is not finite
*/
function testSignedRanks(values) {
	checkValues(values);
	const ranked = rankAbsolutes(values).filter(({ value }) => Math.abs(value) > tieTolerance);
	const statistic = ranked.reduce((sum, { value, rank }) => value > 0 ? sum + rank : sum, 0);
	const { atMost, atLeast } = readTails(ranked.map(({ rank }) => rank), statistic);
	return {
		statistic,
		greater: atLeast,
		less: atMost,
		twoSided: Math.min(1, 2 * Math.min(atLeast, atMost))
	};
}
/** By absolute value, the smallest first; ranks from 1. */
function rankAbsolutes(values) {
	const sorted = values.toSorted((a, b) => Math.abs(a) - Math.abs(b));
	const ranked = [];
	for (let start = 0; start < sorted.length;) {
		let end = start + 1;
		while (end < sorted.length && Math.abs(sorted[end] ?? 0) - Math.abs(sorted[end - 1] ?? 0) <= 1e-12) end++;
		const rank = (start + 1 + end) / 2;
		for (const value of sorted.slice(start, end)) ranked.push({
			value,
			rank
		});
		start = end;
	}
	return ranked;
}
// src/statistics/rounds-needed.ts
/** No answer is larger: it stands for this many rounds or more, which nobody will run. */
const mostRounds$1 = 1e3;
/** The chance to decide that the rounds asked for are to give. */
const targetPower = .8;
/**
* The least number of rounds with which a one-sided signed-rank test can give a p-value below `level` at all: all signs
* are one way with a probability of 2^-n. For a two-sided test give half the level, for a family alpha over its size.
*
* @throws RangeError when `level` is not between 0 and 1
*/
function countLeastRounds(level) {
	if (!(level > 0 && level < 1)) throw new RangeError(`level is ${level}, which is not between 0 and 1`);
	let rounds = 1;
	while (2 ** -rounds >= level) rounds++;
	return rounds;
}
/**
* How many rounds would show, with a chance of 80 %, that each of `samples` lies above 0, if further rounds are like
* those there are. Several are for an equivalence, which has to be shown against both bounds.
*
* The power is the normal approximation of Lehmann, "Nonparametrics" (1975), chapter 4: mean and variance of W+. What
* it needs to know of the noise are three probabilities: that a value, and that the sum of one pair or of both of two
* pairs with a value in common, is above 0. They are estimated by how often it is so. No shape of the noise is assumed.
*
* @param samples log ratios, less the bound to lie above
* @param level of each one-sided test, between 0 and 1
* @returns from `countLeastRounds(level)` to 1000, which stands for that many or more
* @throws RangeError when a sample is empty or a value not finite
*/
function countRoundsNeeded(samples, level) {
	const chances = samples.map(estimateChances);
	const quantile = normalQuantile(1 - level);
	const isEnough = (rounds) => {
		return 1 - chances.reduce((sum, chance) => sum + 1 - estimatePower(chance, rounds, quantile), 0) >= targetPower;
	};
	let low = countLeastRounds(level);
	if (low >= 1e3 || isEnough(low)) return Math.min(low, mostRounds$1);
	let high = mostRounds$1;
	while (high - low > 1 && isEnough(high)) {
		const middle = Math.floor((low + high) / 2);
		if (isEnough(middle)) high = middle;
		else low = middle;
	}
	return high;
}
function estimateChances(values) {
	checkValues(values);
	const count = values.length;
	const above = values.filter((value) => value > tieTolerance).length / count;
	if (count < 3) return {
		value: above,
		pair: above,
		twoPairs: above
	};
	let pairs = 0;
	let twoPairs = 0;
	for (const [index, value] of values.entries()) {
		const partners = values.filter((other, place) => place !== index && value + other > 1e-12).length;
		pairs += partners;
		twoPairs += partners * (partners - 1);
	}
	return {
		value: above,
		pair: pairs / (count * (count - 1)),
		twoPairs: twoPairs / (count * (count - 1) * (count - 2))
	};
}
function estimatePower({ value, pair, twoPairs }, rounds, quantile) {
	const mean = rounds * value + rounds * (rounds - 1) * pair / 2;
	const variance = rounds * value * (1 - value) + rounds * (rounds - 1) * (2 * (value - pair) ** 2 + 3 * pair * (1 - pair)) / 2 + rounds * (rounds - 1) * (rounds - 2) * (twoPairs - pair ** 2);
	const most = rounds * (rounds + 1) / 2;
	const critical = Math.min(most, most / 2 + quantile * Math.sqrt(most * (2 * rounds + 1) / 12) + .5);
	if (variance <= 0) return mean >= critical ? 1 : 0;
	return normalCdf((mean + .5 - critical) / Math.sqrt(variance));
}
// src/statistics/controls.ts
/**
* Judges all controls of a run as one family. One has `moved` when the two-sided signed-rank test against no shift,
* Holm-adjusted over all controls, has p < alpha, and its estimated shift is larger than its tolerance, either way.
*
* Both are asked for. Without the p-value noise alone would move controls; without the tolerance, with many rounds, a
* shift that could not change any verdict would withhold all. The test is against no shift and not against the
* tolerance, because a guard should rather speak too early.
*
* The chance that even one control of a run moves when nothing shifts is at most alpha. 0.01 is proposed: at most one
* run in a hundred then loses its verdict for nothing. A control that moves says nothing about base and head, so it
* only ever withholds a verdict.
*
* @throws RangeError when alpha is not between 0 and 0.5, a tolerance no finite number of at least 0, or rounds are bad
*/
function judgeControls(controls, { alpha }) {
	checkAlpha(alpha);
	const tested = controls.map(({ rounds, tolerance }) => {
		if (!Number.isFinite(tolerance) || tolerance < 0) throw new RangeError(`tolerance is ${tolerance}, which is not a finite number of at least 0`);
		const logRatios = takeLogRatios(rounds);
		const shift = estimatePseudoMedian(logRatios);
		return {
			rounds: rounds.length,
			ratio: Math.exp(shift),
			isLarge: Math.abs(shift) > Math.log1p(tolerance) + tieTolerance,
			pValue: testSignedRanks(logRatios).twoSided
		};
	});
	const adjusted = adjustByHolm(tested.map(({ pValue }) => pValue));
	const least = tested.length === 0 ? 0 : countLeastRounds(alpha / tested.length / 2);
	return tested.map(({ rounds, ratio, isLarge, pValue }, index) => {
		const adjustedPValue = adjusted[index] ?? 1;
		return {
			state: isLarge && adjustedPValue < alpha ? "moved" : rounds < least ? "blind" : "steady",
			ratio,
			pValue,
			adjustedPValue
		};
	});
}
/**
* The tolerance proposed for what is judged by `limit`: half of it. A machine that shifts by less cannot turn equal
* programs into a regression, and leaves a verdict right to within half the limit. With a limit of 0 any shift counts.
*/
function tolerateHalf(limit) {
	return limit / 2;
}
// src/statistics/boots.ts
/** The log ratios of each boot, in the order first seen. */
function splitBoots(rounds) {
	const boots = /* @__PURE__ */ new Map();
	for (const round of rounds) {
		const known = boots.get(round.boot);
		if (known === void 0) boots.set(round.boot, [round]);
		else known.push(round);
	}
	return [...boots].map(([boot, ownRounds]) => ({
		boot,
		logRatios: takeLogRatios(ownRounds)
	}));
}
function describeBoots(boots) {
	return boots.map(({ boot, logRatios }) => ({
		boot,
		rounds: logRatios.length,
		ratio: Math.exp(estimatePseudoMedian(logRatios))
	}));
}
/**
* Whether one boot by itself shows that `verdict` does not hold in it: a one-sided signed-rank test at `alpha` over the
* number of boots. It only takes verdicts back, so it adds no false ones; where the boots are alike it takes a true one
* back with a chance of at most `alpha` (of an `unchanged`, twice that).
*
* @param logLimit the largest log ratio that is unchanged
*/
function contradictsABoot(verdict, boots, logLimit, alpha) {
	if (boots.length < 2) return false;
	const level = alpha / boots.length;
	return boots.some(({ logRatios }) => {
		const fromUpper = testSignedRanks(logRatios.map((value) => value - logLimit));
		const fromLower = testSignedRanks(logRatios.map((value) => value + logLimit));
		if (verdict === "regression") return fromUpper.less < level;
		if (verdict === "improvement") return fromLower.greater < level;
		return verdict === "unchanged" && (fromUpper.greater < level || fromLower.less < level);
	});
}
// src/statistics/judge-pairs.ts
/**
* Judges all comparisons of a run as one family; the result is in their order and does not depend on it, nor on that of
* the rounds.
*
* With L = log(1 + limit) and d the log ratios of the rounds:
* - `regression`: the one-sided signed-rank test of d - L, Holm-adjusted over all comparisons, has p < alpha;
* - `improvement`: the same of -d - L, so a ratio below 1 / (1 + limit), adjusted as a family of its own. Swapping base
*   and head therefore swaps the two;
* - `unchanged`: the interval lies within -L to L. This is the equivalence test by two one-sided tests at alpha each
*   (Schuirmann 1987), for one comparison: it is not corrected;
* - `inconclusive`: none of these, or one that a boot by itself contradicts.
*
* For the first two the interval has to lie beyond L, too. That follows from p < alpha but where values are tied, and
* keeps a ratio of 1 from being called a regression there. So a verdict and its interval never contradict each other.
*
* The chance of even one false regression in the run is at most alpha; that of even one false improvement likewise;
* that of a growth beyond the limit being called unchanged is at most alpha for each comparison. This holds while a
* round's two runs could change places and rounds do not depend on each other: docs/statistics.md says what that leaves
* out.
*
* @throws RangeError when alpha is not between 0 and 0.5, a limit not a finite number of at least 0, or rounds are bad
*/
function judgePairs(comparisons, { alpha }) {
	checkAlpha(alpha);
	const tested = comparisons.map((comparison) => testComparison(comparison));
	const slower = adjustByHolm(tested.map(({ pSlower }) => pSlower));
	const faster = adjustByHolm(tested.map(({ pFaster }) => pFaster));
	return tested.map((test, index) => judge(test, {
		slower: slower[index] ?? 1,
		faster: faster[index] ?? 1
	}, alpha, alpha / tested.length));
}
function testComparison({ rounds, limit }) {
	if (!Number.isFinite(limit) || limit < 0) throw new RangeError(`limit is ${limit}, which is not a finite number of at least 0`);
	const logLimit = Math.log1p(limit);
	const logRatios = takeLogRatios(rounds);
	const beyondUpper = logRatios.map((value) => value - logLimit);
	const beyondLower = logRatios.map((value) => -value - logLimit);
	return {
		rounds,
		logLimit,
		logRatios,
		beyondUpper,
		beyondLower,
		pSlower: testSignedRanks(beyondUpper).greater,
		pFaster: testSignedRanks(beyondLower).greater
	};
}
function judge({ rounds, logLimit, logRatios, beyondUpper, beyondLower, pSlower, pFaster }, adjusted, alpha, strictest) {
	const center = estimatePseudoMedian(logRatios);
	const bounds = boundPseudoMedian(logRatios, 1 - 2 * alpha);
	const boots = splitBoots(rounds);
	const facts = {
		ratio: Math.exp(center),
		interval: bounds === null ? null : [Math.exp(bounds[0]), Math.exp(bounds[1])],
		...pSlower < pFaster || pSlower === pFaster && adjusted.slower < adjusted.faster ? {
			pValue: pSlower,
			adjustedPValue: adjusted.slower
		} : {
			pValue: pFaster,
			adjustedPValue: adjusted.faster
		},
		boots: describeBoots(boots)
	};
	const found = decide(bounds, logLimit, adjusted.slower < alpha, adjusted.faster < alpha);
	if (found !== "inconclusive") return contradictsABoot(found, boots, logLimit, alpha) ? {
		...facts,
		verdict: "inconclusive",
		doubt: "boots-differ",
		roundsNeeded: null
	} : {
		...facts,
		verdict: found,
		doubt: null,
		roundsNeeded: null
	};
	const beyond = logLimit + tieTolerance;
	const level = Math.abs(center) > beyond ? strictest : alpha;
	const needed = countRoundsNeeded(center > beyond ? [beyondUpper] : center < -beyond ? [beyondLower] : [beyondUpper.map((value) => -value), beyondLower.map((value) => -value)], level);
	return {
		...facts,
		verdict: "inconclusive",
		doubt: logRatios.length < countLeastRounds(level) ? "too-few-rounds" : "too-noisy",
		roundsNeeded: Math.min(mostRounds$1, Math.max(needed, logRatios.length + 1))
	};
}
function decide(bounds, logLimit, isSlower, isFaster) {
	if (bounds === null) return "inconclusive";
	const [low, high] = bounds;
	if (isSlower && low > logLimit + 1e-12) return "regression";
	if (isFaster && high < -logLimit - 1e-12) return "improvement";
	return low >= -logLimit - 1e-12 && high <= logLimit + 1e-12 ? "unchanged" : "inconclusive";
}
// src/statistics/median.ts
/** @throws RangeError when there are no values, or one is not finite */
function estimateMedian(values) {
	checkValues(values);
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
/**
* Two of the values between which the true median lies with at least `confidence`, whatever the distribution; null when
* there are too few for it. How many lie below the median is binomial with 1/2; from its middle outwards values are
* taken in, the lower first of two that add as much, until they suffice. That is benchstat's interval
* (golang.org/x/perf), which beyond 30 values approximates where this stays exact.
*
* David & Nagaraja, "Order Statistics", 3rd edition, section 7.1.
*
* @param confidence between 0 and 1, such as 0.95
* @throws RangeError when there are no values, one is not finite, or `confidence` is out of range
*/
function boundMedian(values, confidence) {
	checkConfidence(confidence);
	checkValues(values);
	const sorted = values.toSorted((a, b) => a - b);
	const count = sorted.length;
	const probabilities = countBelow(count);
	let low = Math.floor(count / 2);
	let high = low + 1;
	let covered = probabilities[low] ?? 0;
	while (covered < confidence && (low > 0 || high <= count)) {
		const takesLower = count / 2 - (low - 1) <= high - count / 2;
		covered += probabilities[takesLower ? --low : high++] ?? 0;
	}
	const bounds = [sorted[low - 1], sorted[high - 1]];
	return bounds[0] === void 0 || bounds[1] === void 0 ? null : [bounds[0], bounds[1]];
}
/** The chance that 0 to `count` values are below the median, from the likeliest outwards so that none vanishes. */
function countBelow(count) {
	const weights = new Array(count + 1).fill(0);
	const middle = Math.floor(count / 2);
	weights[middle] = 1;
	for (let below = middle; below > 0; below--) weights[below - 1] = (weights[below] ?? 0) * below / (count - below + 1);
	for (let below = middle; below < count; below++) weights[below + 1] = (weights[below] ?? 0) * (count - below) / (below + 1);
	const total = weights.reduce((sum, weight) => sum + weight, 0);
	return weights.map((weight) => weight / total);
}
// src/compare/compare-times.ts
/**
* The chance of even one false regression, over everything compared, that is put up with; and of one control that moves
* for nothing, by which a kernel loses its verdicts.
*/
const timeAlpha = .01;
/**
* The centres of each side, and head against base by the ratios within rounds.
*
* A control that moved (base against base again by more than half the limit, or the fixed program after base against
* after head) makes all of its kernel inconclusive; one that could not have shown it, every change.
* A round in which a side took no time at all is left out.
*/
function compareTimes(kernels, gate) {
	const gaps = kernels.flatMap((kernel) => kernel.gaps);
	const subjects = kernels.flatMap(({ benchmarks, isReal }) => benchmarks.map((benchmark) => ({
		benchmark,
		isReal,
		pairs: pairsOf(benchmark.rounds, "head", benchmark.better),
		own: limitFor({
			...benchmark,
			lane: "time"
		}, gate)
	})));
	const judged = subjects.filter(({ pairs, own }) => pairs.length > 0 && own !== "off");
	const judgements = judgePairs(judged.map(({ pairs, own }) => ({
		rounds: pairs,
		limit: own === "off" ? 0 : own
	})), { alpha: timeAlpha });
	const doubts = findDoubts(kernels, gate);
	return {
		measurements: subjects.flatMap(({ benchmark }) => toMeasurements(benchmark)),
		comparisons: subjects.map((subject) => {
			const judgement = judgements[judged.indexOf(subject)];
			const { benchmark, isReal, own } = subject;
			return toComparison(benchmark, judgement, {
				limit: isReal ? own : "off",
				...doubts.get(benchmark.kernel),
				gaps
			});
		})
	};
}
function findDoubts(kernels, gate) {
	const usable = kernels.flatMap(({ kernel, benchmarks, controls }) => [...benchmarks.map((benchmark) => {
		const limit = limitFor({
			...benchmark,
			lane: "time"
		}, gate);
		const rounds = pairsOf(benchmark.rounds, "control", benchmark.better);
		return {
			kernel,
			name: `base against base again, \`${benchmark.benchmark}\``,
			rounds,
			limit
		};
	}), ...controls.map(({ bench, rounds }) => ({
		kernel,
		name: `the control program beside \`${bench}\``,
		limit: gate.limits.time,
		rounds: pairsOf(rounds, "head", "lower")
	}))]).filter(({ rounds, limit }) => rounds.length > 0 && limit !== "off");
	const judgements = judgeControls(usable.map(({ rounds, limit }) => ({
		rounds,
		tolerance: tolerateHalf(limit === "off" ? 0 : limit)
	})), { alpha: timeAlpha });
	const doubts = /* @__PURE__ */ new Map();
	for (const [index, { state, ratio }] of judgements.entries()) {
		const control = usable[index];
		if (control === void 0 || state === "steady") continue;
		const { kernel, name, rounds } = control;
		const known = doubts.get(kernel);
		const why = state === "moved" ? { moved: `${name} moved by ${percent(ratio - 1)}, so times of this run are not to be trusted` } : { blind: `${name} has ${rounds.length} rounds, too few to show whether the machine is steady` };
		doubts.set(kernel, {
			...why,
			...known
		});
	}
	return doubts;
}
function toComparison({ rounds, kernel, benchmark, measure, unit, better, kind, source, warnings }, judgement, { limit, moved, blind, gaps }) {
	const medianOf = (side) => {
		const values = rounds.flatMap((round) => round[side] ?? []);
		return values.length === 0 ? null : estimateMedian(values);
	};
	const [base, head] = [medianOf("base"), medianOf("head")];
	const common = {
		kernel,
		benchmark,
		measure,
		unit,
		better,
		kind,
		base,
		head,
		limit,
		source,
		warnings,
		needs: null,
		refusal: null,
		delta: null,
		deltaRatio: null,
		interval: null,
		pValue: null,
		roundsNeeded: null,
		lines: null,
		lane: "time"
	};
	if (base === null || head === null) {
		const side = base === null ? "base" : "head";
		const gap = gaps.find((each) => each.kernel === kernel && each.benchmark === benchmark && each.revision === side);
		return gap === void 0 ? {
			...common,
			verdict: side === "base" ? "added" : "removed"
		} : compareWithGap(common, side, gap);
	}
	if (judgement === void 0) {
		const none = "no round has it on both sides with a time above 0, so nothing can be said of it";
		const isOff = limit === "off";
		return {
			...common,
			verdict: isOff ? "unchanged" : "inconclusive",
			warnings: isOff ? warnings : [...warnings, none]
		};
	}
	const growthOf = (ratio) => (better === "lower" ? ratio : 1 / ratio) - 1;
	const bounds = judgement.interval?.map((bound) => growthOf(bound) * base).toSorted((a, b) => a - b);
	const growth = growthOf(judgement.ratio);
	const told = {
		...common,
		delta: growth * base,
		deltaRatio: growth,
		interval: bounds === void 0 ? null : [bounds[0] ?? 0, bounds[1] ?? 0],
		pValue: judgement.adjustedPValue
	};
	const isChange = judgement.verdict === "regression" || judgement.verdict === "improvement";
	if (limit === "off") {
		const advice = `it is ${judgement.verdict === "regression" ? "slower" : "faster"} by ${percent(Math.abs(growth))}; under emulation that is advice and does not fail the gate`;
		return {
			...told,
			verdict: "unchanged",
			warnings: [...warnings, ...isChange && moved === void 0 ? [advice] : []]
		};
	}
	if (moved !== void 0) return {
		...told,
		verdict: "inconclusive",
		warnings: [...warnings, moved]
	};
	if (isChange && blind !== void 0) return {
		...told,
		verdict: "inconclusive",
		warnings: [...warnings, blind]
	};
	return {
		...told,
		verdict: judgement.verdict,
		roundsNeeded: judgement.roundsNeeded,
		warnings: [...warnings, ...describeDoubt(judgement, rounds.length)]
	};
}
function describeDoubt({ doubt, roundsNeeded }, rounds) {
	switch (doubt) {
		case null: return [];
		case "boots-differ": return ["its boots say different things, so nothing can be said of it"];
		default: return [`${rounds} rounds are not enough to tell${roundsNeeded === null ? "" : `; about ${roundsNeeded} would be, at a larger time-budget`}`];
	}
}
function toMeasurements(subject) {
	const { rounds, kernel, benchmark, measure, unit, better, kind, source, warnings } = subject;
	return revisionNames.flatMap((revision) => {
		const values = rounds.flatMap((round) => round[revision] ?? []);
		if (values.length === 0) return [];
		const value = estimateMedian(values);
		const bounds = boundMedian(values, .95);
		const furthest = bounds === null ? value : Math.max(value - bounds[0], bounds[1] - value);
		return {
			kernel,
			revision,
			lane: "time",
			benchmark,
			measure,
			unit,
			better,
			kind,
			value,
			source,
			warnings,
			gross: null,
			empty: null,
			exact: false,
			resolution: value > 0 ? furthest / value : 1,
			refusal: null,
			samples: values.map((total) => ({
				count: 1,
				total
			})),
			runCount: null,
			missedRuns: null
		};
	});
}
/** Rounds in which base and the other took time, in the direction in which growth is worse. */
function pairsOf(rounds, other, better) {
	const isTime = (value) => value !== void 0 && value > 0 && value < 1e400;
	return rounds.flatMap((round) => {
		const { boot, base } = round;
		const value = round[other];
		if (!isTime(base) || !isTime(value)) return [];
		return [better === "lower" ? {
			boot,
			base,
			head: value
		} : {
			boot,
			base: value,
			head: base
		}];
	});
}
function percent(ratio) {
	return `${(ratio * 100).toFixed(1)} %`;
}
// node_modules/diff/libesm/diff/base.js
var Diff = class {
	diff(oldStr, newStr, options = {}) {
		let callback;
		if (typeof options === "function") {
			callback = options;
			options = {};
		} else if ("callback" in options) callback = options.callback;
		const oldString = this.castInput(oldStr, options);
		const newString = this.castInput(newStr, options);
		const oldTokens = this.removeEmpty(this.tokenize(oldString, options));
		const newTokens = this.removeEmpty(this.tokenize(newString, options));
		return this.diffWithOptionsObj(oldTokens, newTokens, options, callback);
	}
	diffWithOptionsObj(oldTokens, newTokens, options, callback) {
		var _a;
		const done = (value) => {
			value = this.postProcess(value, options);
			if (callback) {
				setTimeout(function() {
					callback(value);
				}, 0);
				return;
			} else return value;
		};
		const newLen = newTokens.length, oldLen = oldTokens.length;
		let editLength = 1;
		let maxEditLength = newLen + oldLen;
		if (options.maxEditLength != null) maxEditLength = Math.min(maxEditLength, options.maxEditLength);
		const maxExecutionTime = (_a = options.timeout) !== null && _a !== void 0 ? _a : 1e400;
		const abortAfterTimestamp = Date.now() + maxExecutionTime;
		const bestPath = [{
			oldPos: -1,
			lastComponent: void 0
		}];
		let newPos = this.extractCommon(bestPath[0], newTokens, oldTokens, 0, options);
		if (bestPath[0].oldPos + 1 >= oldLen && newPos + 1 >= newLen) return done(this.buildValues(bestPath[0].lastComponent, newTokens, oldTokens));
		let minDiagonalToConsider = -1e400, maxDiagonalToConsider = 1e400;
		const execEditLength = () => {
			for (let diagonalPath = Math.max(minDiagonalToConsider, -editLength); diagonalPath <= Math.min(maxDiagonalToConsider, editLength); diagonalPath += 2) {
				let basePath;
				const removePath = bestPath[diagonalPath - 1], addPath = bestPath[diagonalPath + 1];
				if (removePath) bestPath[diagonalPath - 1] = void 0;
				let canAdd = false;
				if (addPath) {
					const addPathNewPos = addPath.oldPos - diagonalPath;
					canAdd = addPath && 0 <= addPathNewPos && addPathNewPos < newLen;
				}
				const canRemove = removePath && removePath.oldPos + 1 < oldLen;
				if (!canAdd && !canRemove) {
					bestPath[diagonalPath] = void 0;
					continue;
				}
				if (!canRemove || canAdd && removePath.oldPos < addPath.oldPos) basePath = this.addToPath(addPath, true, false, 0, options);
				else basePath = this.addToPath(removePath, false, true, 1, options);
				newPos = this.extractCommon(basePath, newTokens, oldTokens, diagonalPath, options);
				if (basePath.oldPos + 1 >= oldLen && newPos + 1 >= newLen) return done(this.buildValues(basePath.lastComponent, newTokens, oldTokens)) || true;
				else {
					bestPath[diagonalPath] = basePath;
					if (basePath.oldPos + 1 >= oldLen) maxDiagonalToConsider = Math.min(maxDiagonalToConsider, diagonalPath - 1);
					if (newPos + 1 >= newLen) minDiagonalToConsider = Math.max(minDiagonalToConsider, diagonalPath + 1);
				}
			}
			editLength++;
		};
		if (callback) (function exec() {
			setTimeout(function() {
				if (editLength > maxEditLength || Date.now() > abortAfterTimestamp) return callback(void 0);
				if (!execEditLength()) exec();
			}, 0);
		})();
		else while (editLength <= maxEditLength && Date.now() <= abortAfterTimestamp) {
			const ret = execEditLength();
			if (ret) return ret;
		}
	}
	addToPath(path, added, removed, oldPosInc, options) {
		const last = path.lastComponent;
		if (last && !options.oneChangePerToken && last.added === added && last.removed === removed) return {
			oldPos: path.oldPos + oldPosInc,
			lastComponent: {
				count: last.count + 1,
				added,
				removed,
				previousComponent: last.previousComponent
			}
		};
		else return {
			oldPos: path.oldPos + oldPosInc,
			lastComponent: {
				count: 1,
				added,
				removed,
				previousComponent: last
			}
		};
	}
	extractCommon(basePath, newTokens, oldTokens, diagonalPath, options) {
		const newLen = newTokens.length, oldLen = oldTokens.length;
		let oldPos = basePath.oldPos, newPos = oldPos - diagonalPath, commonCount = 0;
		while (newPos + 1 < newLen && oldPos + 1 < oldLen && this.equals(oldTokens[oldPos + 1], newTokens[newPos + 1], options)) {
			newPos++;
			oldPos++;
			commonCount++;
			if (options.oneChangePerToken) basePath.lastComponent = {
				count: 1,
				previousComponent: basePath.lastComponent,
				added: false,
				removed: false
			};
		}
		if (commonCount && !options.oneChangePerToken) basePath.lastComponent = {
			count: commonCount,
			previousComponent: basePath.lastComponent,
			added: false,
			removed: false
		};
		basePath.oldPos = oldPos;
		return newPos;
	}
	equals(left, right, options) {
		if (options.comparator) return options.comparator(left, right);
		else return left === right || !!options.ignoreCase && left.toLowerCase() === right.toLowerCase();
	}
	removeEmpty(array) {
		const ret = [];
		for (let i = 0; i < array.length; i++) if (array[i]) ret.push(array[i]);
		return ret;
	}
	castInput(value, options) {
		return value;
	}
	tokenize(value, options) {
		return Array.from(value);
	}
	join(chars) {
		return chars.join("");
	}
	postProcess(changeObjects, options) {
		return changeObjects;
	}
	get useLongestToken() {
		return false;
	}
	buildValues(lastComponent, newTokens, oldTokens) {
		const components = [];
		let nextComponent;
		while (lastComponent) {
			components.push(lastComponent);
			nextComponent = lastComponent.previousComponent;
			delete lastComponent.previousComponent;
			lastComponent = nextComponent;
		}
		components.reverse();
		const componentLen = components.length;
		let componentPos = 0, newPos = 0, oldPos = 0;
		for (; componentPos < componentLen; componentPos++) {
			const component = components[componentPos];
			if (!component.removed) {
				if (!component.added && this.useLongestToken) {
					let value = newTokens.slice(newPos, newPos + component.count);
					value = value.map(function(value, i) {
						const oldValue = oldTokens[oldPos + i];
						return oldValue.length > value.length ? oldValue : value;
					});
					component.value = this.join(value);
				} else component.value = this.join(newTokens.slice(newPos, newPos + component.count));
				newPos += component.count;
				if (!component.added) oldPos += component.count;
			} else {
				component.value = this.join(oldTokens.slice(oldPos, oldPos + component.count));
				oldPos += component.count;
			}
		}
		return components;
	}
};
// node_modules/diff/libesm/diff/character.js
var CharacterDiff = class extends Diff {};
new CharacterDiff();
// node_modules/diff/libesm/util/string.js
function longestCommonPrefix(str1, str2) {
	let i = 0;
	for (; i < str1.length && i < str2.length; i++) if (str1[i] != str2[i]) return str1.slice(0, i);
	return str1.slice(0, i);
}
function longestCommonSuffix(str1, str2) {
	let i;
	if (!str1 || !str2 || str1[str1.length - 1] != str2[str2.length - 1]) return "";
	for (i = 0; i < str1.length && i < str2.length; i++) if (str1[str1.length - (i + 1)] != str2[str2.length - (i + 1)]) return str1.slice(-i);
	return str1.slice(-i);
}
function replacePrefix(string, oldPrefix, newPrefix) {
	if (string.slice(0, oldPrefix.length) != oldPrefix) throw Error(`string ${JSON.stringify(string)} doesn't start with prefix ${JSON.stringify(oldPrefix)}; this is a bug`);
	return newPrefix + string.slice(oldPrefix.length);
}
function replaceSuffix(string, oldSuffix, newSuffix) {
	if (!oldSuffix) return string + newSuffix;
	if (string.slice(-oldSuffix.length) != oldSuffix) throw Error(`string ${JSON.stringify(string)} doesn't end with suffix ${JSON.stringify(oldSuffix)}; this is a bug`);
	return string.slice(0, -oldSuffix.length) + newSuffix;
}
function removePrefix(string, oldPrefix) {
	return replacePrefix(string, oldPrefix, "");
}
function removeSuffix(string, oldSuffix) {
	return replaceSuffix(string, oldSuffix, "");
}
function maximumOverlap(string1, string2) {
	return string2.slice(0, overlapCount(string1, string2));
}
function overlapCount(a, b) {
	let startA = 0;
	if (a.length > b.length) startA = a.length - b.length;
	let endB = b.length;
	if (a.length < b.length) endB = a.length;
	const map = Array(endB);
	let k = 0;
	map[0] = 0;
	for (let j = 1; j < endB; j++) {
		if (b[j] == b[k]) map[j] = map[k];
		else map[j] = k;
		while (k > 0 && b[j] != b[k]) k = map[k];
		if (b[j] == b[k]) k++;
	}
	k = 0;
	for (let i = startA; i < a.length; i++) {
		while (k > 0 && a[i] != b[k]) k = map[k];
		if (a[i] == b[k]) k++;
	}
	return k;
}
/**
* Split a string into segments using a word segmenter, merging consecutive
* segments if they are both whitespace segments. Whitespace segments can
* appear adjacent to one another for two reasons:
* - newlines always get their own segment
* - where a diacritic is attached to a whitespace character in the text, the
*   segment ends after the diacritic, so e.g. " \u0300 " becomes two segments.
* This function therefore runs the segmenter's .segment() method and then
* merges consecutive segments of whitespace into a single part.
*/
function segment(string, segmenter) {
	const parts = [];
	for (const segmentObj of Array.from(segmenter.segment(string))) {
		const segment = segmentObj.segment;
		if (parts.length && /\s/.test(parts[parts.length - 1]) && /\s/.test(segment)) parts[parts.length - 1] += segment;
		else parts.push(segment);
	}
	return parts;
}
function trailingWs(string, segmenter) {
	if (segmenter) return leadingAndTrailingWs(string, segmenter)[1];
	let i;
	for (i = string.length - 1; i >= 0; i--) if (!string[i].match(/\s/)) break;
	return string.substring(i + 1);
}
function leadingWs(string, segmenter) {
	if (segmenter) return leadingAndTrailingWs(string, segmenter)[0];
	const match = string.match(/^\s*/);
	return match ? match[0] : "";
}
function leadingAndTrailingWs(string, segmenter) {
	if (!segmenter) return [leadingWs(string), trailingWs(string)];
	if (segmenter.resolvedOptions().granularity != "word") throw new Error("The segmenter passed must have a granularity of \"word\"");
	const segments = segment(string, segmenter);
	const firstSeg = segments[0];
	const lastSeg = segments[segments.length - 1];
	return [/\s/.test(firstSeg) ? firstSeg : "", /\s/.test(lastSeg) ? lastSeg : ""];
}
// node_modules/diff/libesm/diff/word.js
const extendedWordChars = "a-zA-Z0-9_\\u{AD}\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2C6}\\u{2C8}-\\u{2D7}\\u{2DE}-\\u{2FF}\\u{1E00}-\\u{1EFF}";
const tokenizeIncludingWhitespace = new RegExp(`[${extendedWordChars}]+|\\s+|[^${extendedWordChars}]`, "ug");
var WordDiff = class extends Diff {
	equals(left, right, options) {
		if (options.ignoreCase) {
			left = left.toLowerCase();
			right = right.toLowerCase();
		}
		return left.trim() === right.trim();
	}
	tokenize(value, options = {}) {
		let parts;
		if (options.intlSegmenter) {
			const segmenter = options.intlSegmenter;
			if (segmenter.resolvedOptions().granularity != "word") throw new Error("The segmenter passed must have a granularity of \"word\"");
			parts = segment(value, segmenter);
		} else parts = value.match(tokenizeIncludingWhitespace) || [];
		const tokens = [];
		let prevPart = null;
		parts.forEach((part) => {
			if (/\s/.test(part)) {
				if (prevPart == null) tokens.push(part);
				else tokens.push(tokens.pop() + part);
			} else if (prevPart != null && /\s/.test(prevPart)) {
				if (tokens[tokens.length - 1] == prevPart) tokens.push(tokens.pop() + part);
				else tokens.push(prevPart + part);
			} else tokens.push(part);
			prevPart = part;
		});
		return tokens;
	}
	join(tokens) {
		return tokens.map((token, i) => {
			if (i == 0) return token;
			else return token.replace(/^\s+/, "");
		}).join("");
	}
	postProcess(changes, options) {
		if (!changes || options.oneChangePerToken) return changes;
		let lastKeep = null;
		let insertion = null;
		let deletion = null;
		changes.forEach((change) => {
			if (change.added) insertion = change;
			else if (change.removed) deletion = change;
			else {
				if (insertion || deletion) dedupeWhitespaceInChangeObjects(lastKeep, deletion, insertion, change, options.intlSegmenter);
				lastKeep = change;
				insertion = null;
				deletion = null;
			}
		});
		if (insertion || deletion) dedupeWhitespaceInChangeObjects(lastKeep, deletion, insertion, null, options.intlSegmenter);
		return changes;
	}
};
new WordDiff();
function dedupeWhitespaceInChangeObjects(startKeep, deletion, insertion, endKeep, segmenter) {
	if (deletion && insertion) {
		const [oldWsPrefix, oldWsSuffix] = leadingAndTrailingWs(deletion.value, segmenter);
		const [newWsPrefix, newWsSuffix] = leadingAndTrailingWs(insertion.value, segmenter);
		if (startKeep) {
			const commonWsPrefix = longestCommonPrefix(oldWsPrefix, newWsPrefix);
			startKeep.value = replaceSuffix(startKeep.value, newWsPrefix, commonWsPrefix);
			deletion.value = removePrefix(deletion.value, commonWsPrefix);
			insertion.value = removePrefix(insertion.value, commonWsPrefix);
		}
		if (endKeep) {
			const commonWsSuffix = longestCommonSuffix(oldWsSuffix, newWsSuffix);
			endKeep.value = replacePrefix(endKeep.value, newWsSuffix, commonWsSuffix);
			deletion.value = removeSuffix(deletion.value, commonWsSuffix);
			insertion.value = removeSuffix(insertion.value, commonWsSuffix);
		}
	} else if (insertion) {
		if (startKeep) {
			const ws = leadingWs(insertion.value, segmenter);
			insertion.value = insertion.value.substring(ws.length);
		}
		if (endKeep) {
			const ws = leadingWs(endKeep.value, segmenter);
			endKeep.value = endKeep.value.substring(ws.length);
		}
	} else if (startKeep && endKeep) {
		const newWsFull = leadingWs(endKeep.value, segmenter), [delWsStart, delWsEnd] = leadingAndTrailingWs(deletion.value, segmenter);
		const newWsStart = longestCommonPrefix(newWsFull, delWsStart);
		deletion.value = removePrefix(deletion.value, newWsStart);
		const newWsEnd = longestCommonSuffix(removePrefix(newWsFull, newWsStart), delWsEnd);
		deletion.value = removeSuffix(deletion.value, newWsEnd);
		endKeep.value = replacePrefix(endKeep.value, newWsFull, newWsEnd);
		startKeep.value = replaceSuffix(startKeep.value, newWsFull, newWsFull.slice(0, newWsFull.length - newWsEnd.length));
	} else if (endKeep) {
		const endKeepWsPrefix = leadingWs(endKeep.value, segmenter);
		const overlap = maximumOverlap(trailingWs(deletion.value, segmenter), endKeepWsPrefix);
		deletion.value = removeSuffix(deletion.value, overlap);
	} else if (startKeep) {
		const overlap = maximumOverlap(trailingWs(startKeep.value, segmenter), leadingWs(deletion.value, segmenter));
		deletion.value = removePrefix(deletion.value, overlap);
	}
}
var WordsWithSpaceDiff = class extends Diff {
	tokenize(value) {
		const regex = new RegExp(`(\\r?\\n)|[${extendedWordChars}]+|[^\\S\\n\\r]+|[^${extendedWordChars}]`, "ug");
		return value.match(regex) || [];
	}
};
new WordsWithSpaceDiff();
// node_modules/diff/libesm/diff/line.js
var LineDiff = class extends Diff {
	constructor() {
		super(...arguments);
		this.tokenize = tokenize;
	}
	equals(left, right, options) {
		if (options.ignoreWhitespace) {
			if (!options.newlineIsToken || !left.includes("\n")) left = left.trim();
			if (!options.newlineIsToken || !right.includes("\n")) right = right.trim();
		} else if (options.ignoreNewlineAtEof && !options.newlineIsToken) {
			if (left.endsWith("\n")) left = left.slice(0, -1);
			if (right.endsWith("\n")) right = right.slice(0, -1);
		}
		return super.equals(left, right, options);
	}
};
new LineDiff();
function tokenize(value, options) {
	if (options.stripTrailingCr) value = value.replace(/\r\n/g, "\n");
	const retLines = [], linesAndNewlines = value.split(/(\n|\r\n)/);
	if (!linesAndNewlines[linesAndNewlines.length - 1]) linesAndNewlines.pop();
	for (let i = 0; i < linesAndNewlines.length; i++) {
		const line = linesAndNewlines[i];
		if (i % 2 && !options.newlineIsToken) retLines[retLines.length - 1] += line;
		else retLines.push(line);
	}
	return retLines;
}
// node_modules/diff/libesm/diff/sentence.js
function isSentenceEndPunct(char) {
	return char == "." || char == "!" || char == "?";
}
var SentenceDiff = class extends Diff {
	tokenize(value) {
		var _a;
		const result = [];
		let tokenStartI = 0;
		for (let i = 0; i < value.length; i++) {
			if (i == value.length - 1) {
				result.push(value.slice(tokenStartI));
				break;
			}
			if (isSentenceEndPunct(value[i]) && value[i + 1].match(/\s/)) {
				result.push(value.slice(tokenStartI, i + 1));
				i = tokenStartI = i + 1;
				while ((_a = value[i + 1]) === null || _a === void 0 ? void 0 : _a.match(/\s/)) i++;
				result.push(value.slice(tokenStartI, i + 1));
				tokenStartI = i + 1;
			}
		}
		return result;
	}
};
new SentenceDiff();
// node_modules/diff/libesm/diff/css.js
var CssDiff = class extends Diff {
	tokenize(value) {
		return value.split(/([{}:;,]|\s+)/);
	}
};
new CssDiff();
// node_modules/diff/libesm/diff/json.js
var JsonDiff = class extends Diff {
	constructor() {
		super(...arguments);
		this.tokenize = tokenize;
	}
	get useLongestToken() {
		return true;
	}
	castInput(value, options) {
		const { undefinedReplacement, stringifyReplacer = (k, v) => typeof v === "undefined" ? undefinedReplacement : v } = options;
		return typeof value === "string" ? value : JSON.stringify(canonicalize(value, null, null, stringifyReplacer), null, "  ");
	}
	equals(left, right, options) {
		return super.equals(left.replace(/,([\r\n])/g, "$1"), right.replace(/,([\r\n])/g, "$1"), options);
	}
};
new JsonDiff();
function canonicalize(obj, stack, replacementStack, replacer, key) {
	stack = stack || [];
	replacementStack = replacementStack || [];
	if (replacer) obj = replacer(key === void 0 ? "" : key, obj);
	let i = 0;
	for (; i < stack.length; i += 1) if (stack[i] === obj) return replacementStack[i];
	let canonicalizedObj;
	if ("[object Array]" === Object.prototype.toString.call(obj)) {
		stack.push(obj);
		canonicalizedObj = new Array(obj.length);
		replacementStack.push(canonicalizedObj);
		for (i = 0; i < obj.length; i += 1) canonicalizedObj[i] = canonicalize(obj[i], stack, replacementStack, replacer, String(i));
		stack.pop();
		replacementStack.pop();
		return canonicalizedObj;
	}
	if (obj && obj.toJSON) obj = obj.toJSON();
	if (typeof obj === "object" && obj !== null) {
		stack.push(obj);
		canonicalizedObj = {};
		replacementStack.push(canonicalizedObj);
		const sortedKeys = [];
		let key;
		for (key in obj)
 /* istanbul ignore else */
		if (Object.prototype.hasOwnProperty.call(obj, key)) sortedKeys.push(key);
		sortedKeys.sort();
		for (i = 0; i < sortedKeys.length; i += 1) {
			key = sortedKeys[i];
			canonicalizedObj[key] = canonicalize(obj[key], stack, replacementStack, replacer, key);
		}
		stack.pop();
		replacementStack.pop();
	} else canonicalizedObj = obj;
	return canonicalizedObj;
}
// node_modules/diff/libesm/diff/array.js
var ArrayDiff = class extends Diff {
	tokenize(value) {
		return value.slice();
	}
	join(value) {
		return value;
	}
	removeEmpty(value) {
		return value;
	}
};
const arrayDiff = new ArrayDiff();
function diffArrays(oldArr, newArr, options) {
	return arrayDiff.diff(oldArr, newArr, options);
}
// src/compare/grown-lines.ts
/** Edits beyond which two texts are not compared: that takes the square of them in time. */
const maxEdits = 5e3;
/** As many as fit a note at a line. */
const maxGrown = 5;
/** Measures of a program that its machine instructions are behind. */
const explained = [
	"bpf-instructions",
	"bpf-time",
	"jited-bytes"
];
/** What did not change, or is not known: every line is where it was. */
const sameLines = (line) => line;
/**
* The lines that grew most, at most five, by their place in head; none where no line grew. A line that base has not is
* there with 0 instructions.
*
* @param mapOf of a file, by its name
*/
function findGrownLines(base, head, mapOf) {
	const lines = /* @__PURE__ */ new Map();
	const add = (side, file, line, count) => {
		const key = JSON.stringify([file, line]);
		const known = lines.get(key) ?? {
			source: {
				file,
				line
			},
			base: 0,
			head: 0
		};
		lines.set(key, {
			...known,
			[side]: known[side] + count
		});
	};
	for (const { file, counts } of head) for (const [line, count] of counts) add("head", file, line, count);
	for (const { file, counts } of base) {
		const toHead = mapOf(file);
		for (const [line, count] of counts) {
			const moved = toHead(line);
			if (moved !== null) add("base", file, moved, count);
		}
	}
	return [...lines.values()].filter((line) => line.head > line.base).toSorted((a, b) => b.head - b.base - (a.head - a.base)).slice(0, maxGrown);
}
/**
* The lines of the program that a comparison is about, where it is a regression that they can explain; undefined
* elsewhere. Times are of the programs whose instructions were counted.
*/
function linesOf({ kernel, lane, benchmark, measure, verdict }, revision, lines) {
	if (verdict !== "regression" || !explained.includes(measure)) return void 0;
	const wanted = lane === "time" ? "instructions" : lane;
	return lines.find((each) => each.kernel === kernel && each.lane === wanted && each.benchmark === benchmark && each.revision === revision)?.files;
}
/**
* Finds each line of one text in another. Where lines were replaced by others, the first is taken for the first, the
* second for the second, and so on; what is left over has no counterpart.
*/
function mapLines(base, head) {
	if (base === head) return sameLines;
	const changes = diffArrays(base.split("\n"), head.split("\n"), { maxEditLength: maxEdits });
	if (changes === void 0) return sameLines;
	const map = /* @__PURE__ */ new Map();
	let [inBase, inHead] = [1, 1];
	let replaced = [];
	for (const { added, removed, count } of changes) {
		const first = removed ? inBase : inHead;
		const lines = Array.from({ length: count }, (_, index) => first + index);
		if (removed) {
			inBase += count;
			replaced = lines;
		} else if (added) {
			inHead += count;
			for (const [index, line] of replaced.slice(0, count).entries()) map.set(line, first + index);
			replaced = [];
		} else {
			for (const line of lines) map.set(line - inHead + inBase, line);
			inBase += count;
			inHead += count;
			replaced = [];
		}
	}
	return (line) => map.get(line) ?? null;
}
// src/bench/json-keys.ts
/** Path of the first key that stands twice in one object, joined by `.`; null when there is none. `text` is valid JSON. */
function findDuplicateKey(text) {
	const objects = [];
	for (const [token, string] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*(?=:)|"(?:[^"\\]|\\.)*"|[{}]/g)) {
		const object = objects.at(-1);
		if (token === "{") objects.push({
			keys: /* @__PURE__ */ new Set(),
			key: ""
		});
		else if (token === "}") objects.pop();
		else if (string !== void 0 && object !== void 0) {
			object.key = JSON.parse(string);
			if (object.keys.has(object.key)) return objects.map(({ key }) => key).join(".");
			object.keys.add(object.key);
		}
	}
	return null;
}
// src/bench/bmf.ts
const metric = strictObject({
	value: number(),
	lower_value: number().nullish(),
	upper_value: number().nullish()
});
const document = record$1(string().min(1), record$1(string().min(1), metric));
const hint = `print one Bencher Metric Format object to stdout, such as {"my_benchmark": {"latency": {"value": 123}}}`;
/** Whether a Bencher Metric Format object, right or slightly wrong, stands in the text. */
function looksLikeBmf(text) {
	return findDocuments(text).length > 0;
}
/**
* Other output may stand before and after the object, on lines of its own.
*
* @param file names the text in errors: the bench, the revision
* @throws BenchError when there is no such object, more than one, or one with a wrong or repeated key or value
*/
function parseBmf(text, file) {
	if (text.trim() === "") throw new BenchError(`${file} printed nothing`, { hint });
	const documents = findDocuments(text);
	const json = documents[0];
	if (json === void 0) throw new BenchError(`${file} printed no Bencher Metric Format; its output ends with: ${text.trim().slice(-200)}`, { hint: /\b(NaN|Infinity)\b/.test(text) ? "JSON has no NaN and no Infinity: leave out what has no value" : hint });
	if (documents.length > 1) throw new BenchError(`${file} printed ${documents.length} Bencher Metric Format objects`, { hint: "print one that holds all, or make each a [[bench]] of its own" });
	const duplicate = findDuplicateKey(json);
	if (duplicate !== null) throw new BenchError(`${file} printed \`${duplicate}\` twice`, { hint: "give each a name of its own" });
	const parsed = document.safeParse(JSON.parse(json));
	if (!parsed.success) {
		const issue = parsed.error.issues[0];
		throw new BenchError(`${file} printed a bad \`${(issue?.code === "unrecognized_keys" ? [...issue.path, ...issue.keys] : issue?.path ?? []).join(".")}\`: ${issue?.message}`, {
			cause: parsed.error,
			hint
		});
	}
	const metrics = Object.entries(parsed.data).flatMap(([benchmark, measures]) => Object.entries(measures).map(([measure, { value }]) => ({
		benchmark,
		measure,
		value
	})));
	const negative = metrics.find(({ measure, value }) => isAmount(measure) && value < 0);
	if (negative !== void 0) {
		const { benchmark, measure, value } = negative;
		throw new BenchError(`${file} printed a negative \`${benchmark}.${measure}.value\`: ${value}`, { hint: "a latency, a size or a count cannot be less than 0; print a difference under another measure" });
	}
	return metrics;
}
/** What cannot be less than nothing. */
function isAmount(measure) {
	return unitOf(measure) !== measure;
}
/** True for `latency`, and for one of several: `net-latency`. */
function isLatency(measure) {
	return /(^|-)latency$/.test(measure);
}
/** True for `throughput`, and for one of several: `net-throughput`. Of these more is better. */
function isThroughput(measure) {
	return /(^|-)throughput$/.test(measure);
}
/**
* What a measure is counted in. The format has no units, so a size names its own at the end: `peak-bytes`,
* `total-blocks`. A latency is in nanoseconds, which are instructions under icount. Any other measure is its own unit.
*/
function unitOf(measure) {
	if (isLatency(measure)) return "instructions";
	return /-(bytes|blocks)$/.exec(measure)?.[1] ?? measure;
}
/** The whole text, or else the parts of it that are lines of their own, from `{` in the first column to its `}`. */
function findDocuments(text) {
	if (isDocument(text)) return [text];
	const found = [];
	const lines = text.split("\n").map((line) => line.trimEnd());
	let start = -1;
	for (const [index, line] of lines.entries()) {
		if (line.startsWith("{")) start = index;
		if (start === -1 || !(line === "}" || index === start && line.endsWith("}"))) continue;
		const part = lines.slice(start, index + 1).join("\n");
		if (!isDocument(part)) continue;
		found.push(part);
		start = -1;
	}
	return found;
}
/** An object of objects, at least one of which holds an object: what a wrong document still has in common with a right one. */
function isDocument(text) {
	let value;
	try {
		value = JSON.parse(text);
	} catch {
		return false;
	}
	return isObject(value) && Object.keys(value).length > 0 && Object.values(value).every(isObject) && Object.values(value).some((measures) => isObject(measures) && Object.values(measures).some(isObject));
}
function isObject(value) {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
// src/bench/criterion.ts
const benchmarkComplete = object$1({
	id: string().min(1),
	iteration_count: array(number().int().positive()).min(1),
	measured_values: array(number().nonnegative()).min(1),
	unit: string()
});
/** What cargo-criterion prints for wall-clock time, whatever its size. */
const knownUnit = "ns";
/** Whether any line is a finished benchmark, whole or not. */
function looksLikeCriterion(text) {
	return /^\s*\{"reason":\s*"benchmark-complete"/m.test(text);
}
/**
* Other lines may stand between the messages.
*
* @param file names the text in errors, with the line
* @returns the benchmarks in the order they finished; none when the text has no message of a finished benchmark
* @throws BenchError when a message is cut short or wrong, or an id comes twice
*/
function parseCriterion(text, file) {
	const lines = /* @__PURE__ */ new Map();
	const benchmarks = [];
	for (const [index, line] of text.split("\n").entries()) {
		if (!line.trimStart().startsWith("{\"reason\"")) continue;
		const where = `${file}:${index + 1}`;
		const message = parseMessage(line, where);
		if (message.reason !== "benchmark-complete") continue;
		const benchmark = toBenchmark(message, where);
		const first = lines.get(benchmark.id);
		if (first !== void 0) throw new BenchError(`${where}: criterion benchmark \`${benchmark.id}\` came twice, first at line ${first}`, { hint: "give each benchmark an id of its own, or select one target with --bench NAME" });
		lines.set(benchmark.id, index + 1);
		benchmarks.push(benchmark);
	}
	return benchmarks;
}
function parseMessage(line, where) {
	try {
		return JSON.parse(line);
	} catch (cause) {
		throw new BenchError(`${where}: cut or broken criterion message: ${line.trim().slice(0, 80)}`, { cause });
	}
}
function toBenchmark(message, where) {
	const parsed = benchmarkComplete.safeParse(message);
	if (!parsed.success) {
		const issue = parsed.error.issues[0];
		throw new BenchError(`${where}: criterion message with a bad \`${issue?.path.join(".") ?? ""}\`: ${issue?.message}`, { cause: parsed.error });
	}
	const { id, iteration_count: counts, measured_values: totals, unit } = parsed.data;
	if (unit !== knownUnit) throw new BenchError(`${where}: criterion benchmark \`${id}\` is measured in \`${unit}\`, not in \`${knownUnit}\``, { hint: "use criterion's default measurement, wall-clock time" });
	if (counts.length !== totals.length) throw new BenchError(`${where}: criterion benchmark \`${id}\` has ${counts.length} iteration counts for ${totals.length} totals`);
	return {
		id,
		samples: counts.map((count, index) => ({
			count,
			total: totals[index] ?? 0
		}))
	};
}
// src/bench/needs.ts
const prefix = "bpfgate: needs ";
const needsLine = /^bpfgate: needs (\d+\.\d+): (.+)$/;
const example = "bpfgate: needs 5.18: getpid/kprobe_multi";
/** Of one reading; what prints more is broken, not missing a feature. */
const maxLines$1 = 1e3;
/** In UTF-16 units. */
const maxName$2 = 200;
const maxVersion = 9;
/**
* Reads the lines `bpfgate: needs 5.18: NAME`.
*
* @param kernel id of the running kernel, `6.1` or `6.1:source`
* @param file names the text in errors: the bench, the revision
* @throws BenchError when such a line is malformed, too long, contradicts another or names a kernel that is not newer
* than the running one; when there are too many
*/
function parseNeeds(text, kernel, file) {
	const needs = /* @__PURE__ */ new Map();
	let count = 0;
	for (const whole of text.split("\n")) {
		if (!whole.startsWith(prefix)) continue;
		const line = whole.trimEnd();
		count += 1;
		if (count > maxLines$1) throw new BenchError(`${file} printed more than ${maxLines$1} lines \`${prefix}…\``, { hint: "leave out a bench of many benchmarks as a whole, under one name" });
		const [, version = "", name = ""] = needsLine.exec(line) ?? [];
		if (name === "" || version.length > maxVersion || name.length > maxName$2) throw new BenchError(`${file} printed a bad line: ${line.slice(0, 120)}`, { hint: `print \`${example}\`, with a name of at most ${maxName$2} characters` });
		if (compareMinors(version, kernel) <= 0) throw new BenchError(`${file} says that \`${name}\` needs ${version}, but it ran on ${kernel}`, { hint: "name the first kernel that has what it needs, and measure it from that kernel on" });
		const other = needs.get(name);
		if (other !== void 0 && other !== version) throw new BenchError(`${file} says that \`${name}\` needs ${other} and that it needs ${version}`, { hint: "print one line for each benchmark, with the first kernel that has all it needs" });
		needs.set(name, version);
	}
	return needs;
}
/** Negative when kernel `a` is of an older minor version than `b`; what follows the minor version does not count. */
function compareMinors(a, b) {
	const [majorA = 0, minorA = 0] = numbersOf(a);
	const [majorB = 0, minorB = 0] = numbersOf(b);
	return majorA - majorB || minorA - minorB;
}
function numbersOf(version) {
	return (/^\d+\.\d+/.exec(version)?.[0] ?? "").split(".").map(Number);
}
/** Whether nothing in the text could be a result, once the lines about needs are taken out: no line begins an object. */
function printsNeedsOnly(text) {
	return !text.split("\n").some((line) => line.trimStart().startsWith("{") && line.trim() !== "{}");
}
// src/bench/resolution.ts
/** The least, whatever the method: readings that differ by less prove nothing. */
const baseResolution = .001;
/** Keeps numbers that come from a program finite; beyond it nothing can be told anyway. */
const worstResolution = 1e3;
/** @param distance by how much other readings differ from `value`, in its unit; not negative */
function resolutionOf(value, distance) {
	if (value === 0) return baseResolution;
	return Math.min(worstResolution, Math.max(baseResolution, distance / Math.abs(value)));
}
// src/bench/slope.ts
/** Share of the samples a line is judged by, and the least number: any two are on one line. */
const judgedShare = .4;
const leastJudged = 3;
/** Candidate lines go through at most this many samples; residuals are taken over all. */
const maxCandidates = 100;
/** What lies below a line speaks against it more than what lies above: ticks only add. */
const belowWeight = 10;
/**
* Instructions per iteration.
*
* Samples of equal counts (criterion's flat sampling) have no slope: then it is the least total over its count, which
* includes the clock reading, and, for samples longer than a tick period, the ticks.
*
* @param samples of one or more readings in any order, with counts above 0; at least one
*/
function estimatePerIteration(samples) {
	const points = samples.toSorted((a, b) => a.count - b.count || a.total - b.total).filter(({ count }, index, sorted) => count !== sorted[index - 1]?.count);
	const least = Math.min(...points.map((point) => point.total / point.count));
	const slope = medianSlope(keepCleanest(points));
	return slope !== null && slope > 0 ? slope : least;
}
/** The samples on the best line; none when there is only one. `points` differ in count. */
function keepCleanest(points) {
	const judged = Math.min(points.length, Math.max(leastJudged, Math.ceil(points.length * judgedShare)));
	const candidates = thin(points);
	let best = [];
	let bestCost = Number.POSITIVE_INFINITY;
	let bestSpan = 0;
	for (const [index, a] of candidates.entries()) for (const b of candidates.slice(index + 1)) {
		const span = b.count - a.count;
		const slope = (b.total - a.total) / span;
		const costs = points.map((point) => {
			const residual = point.total - a.total - slope * (point.count - a.count);
			return residual < 0 ? -residual * belowWeight : residual;
		});
		const cost = costs.toSorted((x, y) => x - y).slice(0, judged).reduce((sum, value) => sum + value, 0);
		if (cost < bestCost || cost === bestCost && span > bestSpan) {
			best = costs;
			bestCost = cost;
			bestSpan = span;
		}
	}
	const limit = best.toSorted((x, y) => x - y)[judged - 1] ?? 0;
	return best.length === 0 ? [] : points.filter((_, index) => (best[index] ?? 0) <= limit);
}
/** Theil-Sen: evens out what little the kept samples differ by; exact when they do not. */
function medianSlope(points) {
	const chosen = thin(points);
	const slopes = chosen.flatMap((a, index) => chosen.slice(index + 1).map((b) => (b.total - a.total) / (b.count - a.count))).toSorted((x, y) => x - y);
	const middle = slopes.length / 2;
	const low = slopes[Math.ceil(middle) - 1];
	const high = slopes[Math.floor(middle)];
	return low === void 0 || high === void 0 ? null : (low + high) / 2;
}
/** At most `maxCandidates` samples, evenly spread. */
function thin(points) {
	const step = Math.ceil(points.length / maxCandidates);
	return points.filter((_, index) => index % step === 0);
}
// src/bench/measure-benchmarks.ts
/** @throws BenchError when a reading has no criterion result or a wrong one */
function measureCriterion(readings) {
	return {
		measurements: groupBy(readings.records.flatMap((record) => {
			const benchmarks = parseCriterion(record.stdoutText, `${describeRecord(readings, record)}: stdout`);
			if (benchmarks.length > 0 || readings.needs.size > 0) return benchmarks;
			throw new BenchError(`${describeRecord(readings, record)} printed no criterion results`, { hint: "use `cargo criterion --message-format=json` with a criterion benchmark, or another format" });
		}), ({ id }) => id).map((benchmarks) => {
			const values = benchmarks.map((benchmark) => estimatePerIteration(benchmark.samples));
			const samples = benchmarks.flatMap((benchmark) => benchmark.samples);
			const value = estimatePerIteration(samples);
			const resolution = resolutionOf(value, Math.max(...values) - Math.min(...values));
			return {
				...benchmarkBase(readings, benchmarks[0]?.id ?? ""),
				measure: "instructions",
				unit: "instructions/iteration",
				better: "lower",
				value,
				exact: false,
				resolution,
				samples,
				warnings: [...describeMissing(benchmarks.length, readings), ...resolution > .001 ? [`its readings differ by ${(resolution * 100).toFixed(2)} %, so smaller changes cannot be told`] : []]
			};
		}),
		warnings: []
	};
}
/** @throws BenchError when a reading printed no Bencher Metric Format or a wrong one */
function measureBmf(readings) {
	return {
		measurements: groupBy(readings.records.flatMap((record) => readings.needs.size > 0 && printsNeedsOnly(record.stdoutText) ? [] : parseBmf(record.stdoutText, describeRecord(readings, record))), ({ benchmark, measure }) => JSON.stringify([benchmark, measure])).map((own) => measureMetric(readings, own)),
		warnings: []
	};
}
function measureMetric(readings, metrics) {
	const { benchmark, measure } = metrics[0];
	const values = metrics.map((metric) => metric.value);
	const { warning, ...settled } = isTimed(measure) ? settleTimed(values, measure) : settleCounted(values);
	return {
		...benchmarkBase(readings, benchmark),
		measure,
		unit: unitOf(measure),
		better: isThroughput(measure) ? "higher" : "lower",
		...settled,
		samples: values.map((value) => ({
			count: 1,
			total: value
		})),
		warnings: [...describeMissing(values.length, readings), ...warning === null ? [] : [warning]]
	};
}
/** What a timer tick inside the benchmark makes worse, and never better. */
function isTimed(measure) {
	return isLatency(measure) || isThroughput(measure);
}
/**
* The best reading is the cleanest, and clean if it came twice: a worse value that came more often has the tick that the
* best one proves. Else the second best tells how far the best can be trusted.
*/
function settleTimed(values, measure) {
	const sign = isThroughput(measure) ? -1 : 1;
	const [best = 0, next] = values.toSorted((a, b) => sign * (a - b));
	if (next === best) return {
		value: best,
		exact: true,
		resolution: 0,
		warning: null
	};
	const word = sign < 0 ? "highest" : "lowest";
	return {
		value: best,
		exact: false,
		resolution: resolutionOf(best, Math.abs((next ?? best) - best)),
		warning: next === void 0 ? null : `its ${word} value, which is shown, was read once in ${values.length} readings`
	};
}
/**
* No tick changes a size or a count, so what differs between readings is the benchmark's own, and two that agree by
* chance prove nothing. The largest stands, the distance to the smallest is its uncertainty.
*/
function settleCounted(values) {
	const [low, high] = [Math.min(...values), Math.max(...values)];
	if (low === high) {
		const exact = values.length > 1;
		return {
			value: high,
			exact,
			resolution: exact ? 0 : baseResolution,
			warning: null
		};
	}
	const value = Math.abs(low) > Math.abs(high) ? low : high;
	return {
		value,
		exact: false,
		resolution: resolutionOf(value, high - low),
		warning: `its ${values.length} readings lie between ${low} and ${high}, so smaller changes cannot be told`
	};
}
function benchmarkBase(readings, name) {
	return {
		kernel: readings.kernel,
		revision: readings.revision,
		lane: "instructions",
		benchmark: `${readings.bench}/${name}`,
		kind: "benchmark",
		gross: null,
		empty: null,
		refusal: null,
		runCount: null,
		missedRuns: null,
		source: null
	};
}
function describeMissing(count, { records }) {
	return count === records.length ? [] : [`printed in ${count} of ${records.length} readings only`];
}
function describeRecord({ kernel, bench, revision }, record) {
	return `bench \`${bench}\` (${revision}, kernel ${kernel}, reading ${record.reading})`;
}
// src/bench/measure-loads.ts
/** What is known of a program that was loaded. `load-time` is never gated: see `compare`. */
const measures = [
	[
		"verified-instructions",
		"instructions",
		"verified_insns"
	],
	[
		"stack-bytes",
		"bytes",
		"stack_bytes"
	],
	[
		"xlated-bytes",
		"bytes",
		"xlated_bytes"
	],
	[
		"jited-bytes",
		"bytes",
		"jited_bytes"
	],
	[
		"map-bytes",
		"bytes",
		"map_bytes"
	],
	[
		"load-time",
		"instructions",
		"load_time_ns"
	]
];
/** Programs that one warning names; more are counted. */
const maxNamed$1 = 5;
/**
* Of each program `loads`, 1 or 0, and where both revisions load it, or one alone has it, the sizes as well: against one
* that does not load they say nothing. The same bytes give the same numbers on one kernel, so all are exact.
*
* A program that could be tried in one revision only is a gap of the other, which cannot be decided; one that could be
* tried in neither is a warning.
*/
function measureLoads(run) {
	const measurements = [];
	const gaps = [];
	const lines = [];
	const untried = [];
	const refused = [];
	const errorOf = (object, revision) => {
		const own = run.objects.find((each) => each.object === object && each.revision === revision);
		if (own === void 0) return null;
		const tried = run.loads.filter((each) => each.object === object && each.revision === revision).length;
		return own.error ?? (tried < own.programs ? "not all programs of its object could be tried" : null);
	};
	for (const records of groupBy(run.loads, ({ object, program }) => JSON.stringify([object, program]))) {
		const [first] = records;
		if (first === void 0) continue;
		const benchmark = `${first.object}/${first.program}`;
		const sides = revisionNames.map((revision) => {
			const load = records.find((record) => record.revision === revision);
			const reason = load?.outcome === "unsupported" ? load.message ?? "unsupported" : null;
			return {
				revision,
				load,
				reason: load === void 0 ? errorOf(first.object, revision) : reason
			};
		});
		const tried = sides.flatMap(({ load, reason }) => load === void 0 || reason !== null ? [] : load);
		if (tried.length === 0) {
			const reason = sides.find((side) => side.reason !== null)?.reason;
			untried.push({
				program: benchmark,
				reason: reason ?? "unsupported"
			});
			continue;
		}
		if (tried.every(({ outcome }) => outcome === "refused")) refused.push({
			program: benchmark,
			reason: describeRefusal(tried)
		});
		for (const { revision, reason } of sides) if (reason !== null) gaps.push({
			kernel: run.kernel,
			lane: "verifier",
			revision,
			benchmark,
			needs: null,
			reason
		});
		const isSized = tried.every(({ outcome }) => outcome === "loaded") && sides.every(({ reason }) => reason === null);
		for (const load of tried) {
			measurements.push(toLoads(run.kernel, benchmark, load), ...isSized ? toSizes(run.kernel, benchmark, load) : []);
			const { revision, lines: files = [] } = load;
			if (files.length > 0) lines.push({
				kernel: run.kernel,
				revision,
				lane: "verifier",
				benchmark,
				files
			});
		}
	}
	return {
		measurements,
		gaps,
		lines,
		warnings: [
			...describeObjects(run),
			...joinPrograms("could not be verified", untried),
			...joinPrograms("does not load", refused)
		]
	};
}
/** What head says, which is what somebody may want to mend. */
function describeRefusal(refused) {
	const { errno, message } = refused.at(-1) ?? {
		errno: null,
		message: null
	};
	return [errno, message].filter((part) => part !== null).join(": ") || "the kernel did not say why";
}
function toLoads(kernel, benchmark, load) {
	const isLoaded = load.outcome === "loaded";
	return {
		...toMeasurement(kernel, benchmark, load, {
			measure: "loads",
			unit: "",
			value: isLoaded ? 1 : 0
		}),
		better: "higher",
		refusal: isLoaded ? null : {
			errno: load.errno,
			message: load.message ?? "the kernel did not say why",
			log: load.log.split("\n").filter((line) => line.trim() !== "")
		},
		warnings: isLoaded && load.message !== null ? [load.message] : []
	};
}
function toSizes(kernel, benchmark, load) {
	return measures.flatMap(([measure, unit, key]) => {
		const value = load[key];
		return value === null ? [] : toMeasurement(kernel, benchmark, load, {
			measure,
			unit,
			value
		});
	});
}
function toMeasurement(kernel, benchmark, { revision, source }, { measure, unit, value }) {
	return {
		kernel,
		revision,
		lane: "verifier",
		benchmark,
		measure,
		unit,
		better: "lower",
		kind: "bpf-program",
		value,
		gross: null,
		empty: null,
		exact: true,
		resolution: 0,
		samples: [{
			count: 1,
			total: value
		}],
		refusal: null,
		runCount: null,
		missedRuns: null,
		warnings: [],
		source
	};
}
function describeObjects({ objects }) {
	return objects.flatMap(({ object, revision, error }) => error === null ? [] : `object \`${object}\`, ${revision}: ${error}`);
}
function joinPrograms(what, programs) {
	return groupBy(programs, ({ reason }) => reason).map((group) => {
		const named = group.slice(0, maxNamed$1).map(({ program }) => `\`${program}\``);
		const more = group.length - named.length;
		return `${what}: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}: ${group[0]?.reason}`;
	});
}
// src/bench/mode.ts
/** The most common value and how often it occurs; ties go to the smaller. Null when there is none. */
function findMode(values) {
	const counts = /* @__PURE__ */ new Map();
	for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
	let mode = null;
	for (const [value, count] of counts) if (mode === null || count > mode.count || count === mode.count && value < mode.value) mode = {
		value,
		count
	};
	return mode;
}
// src/bench/empties.ts
/** Instructions per run of an empty program, by program type: the reading that came most often, which no tick hit. */
function countEmpties({ calibrations }) {
	return new Map(groupBy(calibrations, ({ prog_type }) => prog_type).flatMap((group) => {
		const mode = findMode(group.flatMap((calibration) => calibration.readings).filter(({ run_cnt }) => run_cnt > 0).map(({ run_cnt, run_time_ns }) => run_time_ns / run_cnt));
		return mode === null ? [] : group.slice(0, 1).map(({ prog_type }) => [prog_type, mode.value]);
	}));
}
// src/bench/program-names.ts
/** Programs libraries load to learn what the kernel can do; none ever runs. aya `sys/bpf.rs`, libbpf `features.c`. */
const loaderProbes = [
	"",
	"aya_name_check",
	"libbpf_nametest",
	"det_arg_ctx",
	"test"
];
function isSameProgram(a, b) {
	return a.name === b.name && a.prog_type === b.prog_type && a.ordinal === b.ordinal;
}
function programKey(record) {
	return JSON.stringify([
		record.revision,
		record.name,
		record.prog_type,
		record.ordinal
	]);
}
/** Each program's readings of one revision. By key, so that the order of loading does not show. */
function groupByProgram(records) {
	return groupBy(records.toSorted((a, b) => compareText$1(programKey(a), programKey(b)) || a.reading - b.reading || a.id - b.id), programKey);
}
function compareText$1(a, b) {
	return a < b ? -1 : a > b ? 1 : 0;
}
/** Names within a bench that programs of more than one type have. */
function findSharedNames(records) {
	const shared = groupBy(records, (record) => record.name).filter((group) => new Set(group.map((record) => record.prog_type)).size > 1);
	return new Set(shared.flatMap((group) => group.map((record) => record.name)));
}
/** `<bench>/<program>`, its type and its number behind it where another has its name. */
function nameProgram(record, sharedNames) {
	if (record.name === "") return `${record.bench}/unnamed ${record.prog_type}${describeOrdinal(record)}`;
	const type = sharedNames.has(record.name) ? ` (${record.prog_type})` : "";
	return `${record.bench}/${record.name}${type}${describeOrdinal(record)}`;
}
function describeOrdinal({ ordinal }) {
	return ordinal === 0 ? "" : ` #${ordinal + 1}`;
}
// src/bench/measure-programs.ts
/**
* In instructions: no timer interrupt takes fewer. The least seen among some hundred readings with one was 1,000. What
* totals differ by below that is the program's own doing, a hash of changing keys say, and a lowest one that came twice
* proves nothing then.
*/
const leastTick = 500;
/**
* Per program and revision: of the readings with the usual number of runs, the least total over that number, because
* timer ticks only ever add to it; less an empty program's share.
*
* Where that number varies between readings, runs of one kind come now and then that cost more or less than the others,
* so base and head are read at the same number, if both came to it twice. If they did not, by how much the count varies
* with that number is its uncertainty.
*/
function measurePrograms(run, bench) {
	const records = run.programs.filter((record) => record.bench === bench);
	const empties = countEmpties(run);
	const context = {
		kernel: run.kernel,
		empties,
		sharedNames: findSharedNames(records)
	};
	const measurements = [];
	const lines = [];
	const warnings = /* @__PURE__ */ new Set();
	for (const readings of groupByProgram(records)) {
		const [first] = readings;
		if (first === void 0) continue;
		const ran = readings.filter((record) => record.run_cnt > 0);
		const taken = run.benches.filter((record) => record.bench === bench && record.revision === first.revision).length;
		const name = nameProgram(first, context.sharedNames);
		if (ran.length > 0) {
			const other = records.filter((record) => record.revision !== first.revision && isSameProgram(record, first));
			measurements.push(measureProgram({
				readings,
				ran,
				other,
				taken
			}, name, context));
			const files = readings.find((record) => (record.lines ?? []).length > 0)?.lines ?? [];
			const { revision } = first;
			if (files.length > 0) lines.push({
				kernel: run.kernel,
				revision,
				lane: "instructions",
				benchmark: name,
				files
			});
			if (!empties.has(first.prog_type)) warnings.add(`${name}: no empty ${first.prog_type} program was counted, so its count includes the kernel's own`);
		} else if (!loaderProbes.includes(first.name)) warnings.add(`${name}: was loaded on ${first.revision} but never ran, so it has no count`);
	}
	return {
		measurements,
		lines,
		warnings: [...warnings]
	};
}
function measureProgram(program, benchmark, context) {
	const { readings, ran, other, taken } = program;
	const usual = findSharedCount(ran, other) ?? findUsualCount(ran);
	const otherRan = other.filter((record) => record.run_cnt > 0);
	const isShared = otherRan.length === 0 || (findSharedCount(otherRan, ran) ?? findUsualCount(otherRan)) === usual;
	const totals = ran.filter((record) => record.run_cnt === usual).map((record) => record.run_time_ns);
	const total = Math.min(...totals);
	const { revision, prog_type } = ran[0];
	if (total === 0) throw new MachineError(`kernel ${context.kernel} counted ${usual} runs of ${benchmark} on ${revision} and no time`, { hint: "BPF statistics were off or the clock stood still; this is a fault of the VM, not of the project" });
	const gross = total / usual;
	const empty = context.empties.get(prog_type) ?? null;
	const net = empty === null ? null : (total - empty * usual) / usual;
	const own = totals.filter((each) => each - total < leastTick);
	const varying = isShared ? 0 : spreadOverCounts(ran, empty ?? 0, usual);
	const certain = own.length > 1 && Math.max(...own) === total && varying === 0;
	const missed = readings.flatMap((record) => record.recursion_misses ?? []);
	return {
		kernel: context.kernel,
		revision,
		lane: "instructions",
		benchmark,
		measure: "bpf-instructions",
		unit: "instructions/run",
		better: "lower",
		kind: "bpf-program",
		value: net ?? gross,
		gross,
		empty,
		exact: certain,
		resolution: certain ? 0 : Math.max(baseResolution, spreadOf(totals, own), varying),
		samples: readings.map((record) => ({
			count: record.run_cnt,
			total: record.run_time_ns
		})),
		refusal: null,
		runCount: usual,
		missedRuns: missed.length === 0 ? null : Math.max(...missed),
		warnings: [
			...readings.length < taken ? [`was loaded in ${readings.length} of ${taken} readings only`] : [],
			...describeReadings(readings, totals),
			...varying === 0 ? [] : ["base and head ran it a different number of times, so smaller changes cannot be told"],
			...net !== null && net < 0 ? [`counts ${gross} instructions per run, fewer than the ${empty} of an empty ${prog_type} program`] : [],
			...missed.filter((count) => count > 0).slice(0, 1).map(() => describeMissed(missed)),
			...new Set(readings.flatMap((record) => record.warnings ?? []))
		],
		source: readings.find((record) => record.source !== null)?.source ?? null
	};
}
/**
* As a fraction, how far the second lowest total lies above the lowest, which is what a tick may have added to that; or
* the highest of those that no tick explains.
*
* @param own those of `totals` that no tick tells from the lowest, itself included
*/
function spreadOf(totals, own) {
	const [least = 0, next] = totals.toSorted((a, b) => a - b);
	const other = own.length > 1 ? Math.max(...own) : next;
	return other === void 0 || least === 0 ? 1 : Math.min(1, (other - least) / least);
}
function describeReadings(readings, totals) {
	const counts = readings.map((record) => record.run_cnt);
	const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
	const least = Math.min(...totals);
	const own = Math.max(...totals.filter((total) => total - least < leastTick)) - least;
	return [
		...fewest === most ? [] : [`ran between ${fewest} and ${most} times in the ${counts.length} readings`],
		...totals.filter((total) => total === least).length > 1 ? [] : [`the lowest total was read once in ${totals.length} ${totals.length === 1 ? "reading" : "readings"}`],
		...own === 0 ? [] : [`its total varies by up to ${own} of ${least}, less than a timer tick, so by its own doing`]
	];
}
function describeMissed(missed) {
	return `the kernel skipped up to ${Math.max(...missed)} runs in a reading because the program was already running`;
}
/** The most common number of runs; of equally common ones the largest, in which first runs weigh least. */
function findUsualCount(ran) {
	return -(findMode(ran.map((record) => -record.run_cnt))?.value ?? 0);
}
/** The number of runs that most readings of both came to, twice at least; of equally common ones the largest. */
function findSharedCount(ran, other) {
	const timesIn = (records, count) => records.filter((record) => record.run_cnt === count).length;
	return [...new Set(ran.map((record) => record.run_cnt))].map((count) => ({
		count,
		times: Math.min(timesIn(ran, count), timesIn(other, count))
	})).filter(({ times }) => times > 1).toSorted((a, b) => b.times - a.times || b.count - a.count)[0]?.count;
}
/** As a fraction of the count at `usual` runs, how far the counts at other numbers of runs lie from it. */
function spreadOverCounts(ran, empty, usual) {
	const counts = new Map(groupBy(ran, (record) => String(record.run_cnt)).map((group) => {
		const runs = group[0]?.run_cnt ?? 1;
		return [runs, (Math.min(...group.map((record) => record.run_time_ns)) - empty * runs) / runs];
	}));
	const value = counts.get(usual) ?? 0;
	const furthest = Math.max(...[...counts.values()].map((count) => Math.abs(count - value)));
	if (furthest === 0) return 0;
	return value === 0 ? 1 : Math.min(1, furthest / Math.abs(value));
}
// src/bench/measure.ts
/**
* Measurements of every planned bench, base before head, programs before printed results; and what the benches left
* out because this kernel is too old for it.
*
* The order of the records does not matter.
*
* @throws BenchError when a bench failed, was not run for both revisions, or printed what its format does not allow
* @throws MachineError when the kernel counted runs of a program but no time
*/
function measure(run, plan) {
	const parts = [...plan.benches.map((bench) => measureBench(run, bench)), measureLoads(run)];
	return {
		measurements: parts.flatMap((part) => part.measurements),
		gaps: parts.flatMap((part) => part.gaps),
		lines: parts.flatMap((part) => part.lines),
		warnings: [...new Set(parts.flatMap((part) => part.warnings))]
	};
}
function measureBench(run, bench) {
	const records = run.benches.filter((record) => record.bench === bench.name).toSorted((a, b) => a.reading - b.reading);
	for (const record of records) checkEnd(record, run.kernel, bench);
	const readings = revisionNames.map((revision) => {
		const own = records.filter((record) => record.revision === revision);
		if (own.length === 0) throw new BenchError(`bench \`${bench.name}\` was not run for ${revision} on kernel ${run.kernel}`);
		return {
			kernel: run.kernel,
			bench: bench.name,
			revision,
			records: own,
			needs: joinNeeds(own, run.kernel)
		};
	});
	const observed = bench.observe ? measurePrograms(run, bench.name) : {
		measurements: [],
		lines: [],
		warnings: []
	};
	const printed = measurePrinted(readings, detectFormat(bench, records));
	const gaps = readings.flatMap((own) => toGaps(own, printed));
	for (const { revision, needs } of readings) {
		const isOwn = (measurement) => measurement.revision === revision;
		if (needs.size === 0 && !observed.measurements.some(isOwn) && !printed.some((part) => part.measurements.some(isOwn))) throw noResults(bench, revision, run.kernel, records);
	}
	return {
		measurements: [...observed.measurements, ...printed.flatMap((part) => part.measurements)],
		gaps,
		lines: observed.lines,
		warnings: [...observed.warnings, ...printed.flatMap((part) => part.warnings)]
	};
}
/** @throws BenchError when readings do not agree on what a benchmark needs */
function joinNeeds(records, kernel) {
	const joined = /* @__PURE__ */ new Map();
	for (const { bench, revision, reading, stdoutText } of records) {
		const where = `bench \`${bench}\` (${revision}, kernel ${kernel}, reading ${reading})`;
		for (const [name, version] of parseNeeds(stdoutText, kernel, where)) {
			const other = joined.get(name) ?? version;
			if (other !== version) throw new BenchError(`${where} says that \`${name}\` needs ${version}, an earlier reading that it needs ${other}`, { hint: "name the first kernel that has what it needs, the same in every reading" });
			joined.set(name, version);
		}
	}
	return joined;
}
/** @throws BenchError when a benchmark was measured on a kernel that is too old for it */
function toGaps({ kernel, bench, revision, needs }, printed) {
	const measured = new Set(printed.flatMap((part) => part.measurements).flatMap((own) => own.revision === revision ? [own.benchmark] : []));
	return [...needs].map(([name, version]) => {
		const benchmark = `${bench}/${name}`;
		if (measured.has(benchmark)) throw new BenchError(`bench \`${bench}\` says that \`${name}\` needs ${version} and measures it on ${revision}, kernel ${kernel}`, { hint: "print the one or the other, in every reading" });
		return {
			kernel,
			lane: "instructions",
			revision,
			benchmark,
			needs: version
		};
	});
}
function measurePrinted(readings, format) {
	if (format === "none") return [];
	return readings.map((own) => format === "criterion" ? measureCriterion(own) : measureBmf(own));
}
/** One format for all readings of both revisions, so that one that lacks it is an error and not a removed benchmark. */
function detectFormat(bench, records) {
	if (bench.format !== "auto") return bench.format;
	if (records.some((record) => looksLikeCriterion(record.stdoutText))) return "criterion";
	return records.some((record) => looksLikeBmf(record.stdoutText)) ? "bmf" : "none";
}
/** @throws BenchError when the command failed, with what it said */
function checkEnd(record, kernel, bench) {
	if (record.exit_code === 0 && record.signal === null) return;
	const how = record.signal !== null ? `was ended by signal ${record.signal}` : record.exit_code === null ? "ended without an exit code" : `exited with ${record.exit_code}`;
	const stderr = record.stderrTail.trim();
	const end = stderr === "" ? "; it wrote nothing to stderr" : `; its stderr ends with:\n${stderr}`;
	throw new BenchError(`bench \`${bench.name}\` ${how} on ${record.revision}, kernel ${kernel}, reading ${record.reading}${end}`, { hint: failureHint(stderr, bench) });
}
function failureHint(stderr, bench) {
	if (bench.guestCommand !== bench.command && /sample-size/.test(stderr)) return `a target that is not criterion's refused its flags: select criterion's with --bench NAME in the command \`${bench.command}\``;
	return `the command was: ${bench.guestCommand}`;
}
function noResults(bench, revision, kernel, records) {
	const where = `on ${revision}, kernel ${kernel}`;
	const isCriterionText = records.some((record) => /\stime: {3}\[/.test(record.stdoutText));
	return new BenchError(`bench \`${bench.name}\` printed no results and ran no BPF program ${where}`, { hint: isCriterionText ? "it prints criterion results for people: use `cargo criterion` instead of `cargo bench`" : "print Bencher Metric Format, use `cargo criterion`, or run a BPF program with observe = true" });
}
// src/bench/measure-times.ts
/** The first round of a bench in a boot, which finds nothing in any cache. */
const warmUp = 1;
/**
* Rounds of all benchmarks of one kernel: of each BPF program the mean time of its runs, of Criterion's benchmarks the
* median of their samples, and the latencies and throughputs that a bench prints.
*
* @throws BenchError when a bench failed, or printed what its format does not allow
*/
function measureTimes(boots, plan) {
	const timings = plan.timed.flatMap((bench) => timeBench(boots, bench));
	const kernel = boots[0]?.kernel ?? "";
	return {
		benchmarks: groupBy(timings, ({ benchmark, measure }) => JSON.stringify([benchmark, measure])).flatMap((own) => {
			const [first] = own;
			if (first === void 0) return [];
			const { benchmark, measure, unit, better, kind } = first;
			const rounds = toRounds(own);
			return [{
				kernel,
				benchmark,
				measure,
				unit,
				better,
				kind,
				rounds,
				source: own.find(({ run, source }) => run === "head" && source !== null)?.source ?? first.source,
				warnings: describeGaps$1(rounds)
			}];
		}),
		controls: plan.timed.map(({ name }) => {
			const records = boots.flatMap(({ boot, controls }) => controls.filter((record) => record.bench === name && record.reading > warmUp && record.run_cnt > 0).map(({ reading, revision: run, run_cnt, run_time_ns }) => ({
				boot,
				reading,
				run,
				value: run_time_ns / run_cnt
			})));
			return {
				kernel,
				bench: name,
				rounds: toRounds(records)
			};
		}),
		gaps: plan.timed.flatMap((bench) => findGaps(boots, bench))
	};
}
function findGaps(boots, bench) {
	return boots.slice(0, 1).flatMap(({ kernel, benches }) => revisionNames.flatMap((revision) => {
		return [...joinNeeds(benches.filter((record) => record.bench === bench.name && record.revision === revision), kernel)].map(([name, needs]) => ({
			kernel,
			lane: "time",
			revision,
			benchmark: `${bench.name}/${name}`,
			needs
		}));
	}));
}
function timeBench(boots, bench) {
	const records = boots.flatMap((boot) => boot.benches.filter((record) => record.bench === bench.name));
	const [first] = boots;
	if (first === void 0 || records.length === 0) throw new BenchError(`bench \`${bench.name}\` was not run in the time lane`);
	for (const record of records) checkEnd(record, first.kernel, bench);
	const format = detectFormat(bench, records);
	const timings = boots.flatMap((boot) => [...bench.observe ? timePrograms(boot, bench) : [], ...boot.benches.filter((record) => record.bench === bench.name).flatMap((record) => timePrinted(record, boot, format))]);
	for (const revision of revisionNames) {
		const own = records.filter((record) => record.revision === revision);
		if (timings.some(({ run }) => run === revision) || joinNeeds(own, first.kernel).size > 0) continue;
		if (own.every(({ stdoutText }) => looksLikeBmf(stdoutText))) continue;
		throw noResults(bench, revision, first.kernel, own);
	}
	return timings.filter(({ reading }) => reading > warmUp);
}
function timePrograms({ boot, programs }, bench) {
	const own = programs.filter((record) => record.bench === bench.name);
	const sharedNames = findSharedNames(own);
	return own.filter((record) => record.run_cnt > 0 && !loaderProbes.includes(record.name)).map((record) => ({
		boot,
		reading: record.reading,
		run: record.revision,
		value: record.run_time_ns / record.run_cnt,
		benchmark: nameProgram(record, sharedNames),
		measure: "bpf-time",
		unit: "ns/run",
		better: "lower",
		kind: "bpf-program",
		source: record.source
	}));
}
function timePrinted(record, { boot, kernel }, format) {
	const { bench, reading, revision: run, stdoutText } = record;
	const where = `bench \`${bench}\` (${run}, kernel ${kernel}, round ${reading})`;
	const common = {
		boot,
		reading,
		run,
		kind: "benchmark",
		source: null
	};
	if (format === "none" || printsNeedsOnly(stdoutText)) return [];
	if (format === "criterion") return parseCriterion(stdoutText, where).map(({ id, samples }) => ({
		...common,
		value: estimateMedian(samples.map(({ count, total }) => total / count)),
		benchmark: `${bench}/${id}`,
		measure: "time",
		unit: "ns/iteration",
		better: "lower"
	}));
	return parseBmf(stdoutText, where).filter(({ measure }) => isLatency(measure) || isThroughput(measure)).map(({ benchmark, measure, value }) => ({
		...common,
		value,
		benchmark: `${bench}/${benchmark}`,
		measure,
		...isThroughput(measure) ? {
			unit: measure,
			better: "higher"
		} : {
			unit: "ns",
			better: "lower"
		}
	}));
}
/** In the order in which they were run. */
function toRounds(timings) {
	return groupBy(timings.toSorted((a, b) => a.boot - b.boot || a.reading - b.reading), ({ boot, reading }) => JSON.stringify([boot, reading])).map((round) => {
		const of = (run) => round.find((timing) => timing.run === run)?.value;
		return {
			boot: round[0]?.boot ?? 0,
			base: of("base"),
			head: of("head"),
			control: of("control")
		};
	});
}
/** A bench that changes its set of names says nothing in the rounds in which a side is missing. */
function describeGaps$1(rounds) {
	const missing = rounds.filter(({ base, head }) => base === void 0 !== (head === void 0)).length;
	return missing === 0 || missing === rounds.length ? [] : [`${missing} of its ${rounds.length} rounds have it on one side only, and are left out`];
}
// src/profile/draw.ts
/** The agent's profile of how long threads were off the CPU, and from where. */
const offCpu = "off-cpu.folded";
/** For all pictures of a kernel. */
const deadlineMs = 12e4;
/**
* Every profile as it is, and for folded stacks (`*.folded`) a flame graph of base, of head and of their difference.
*
* What cannot be drawn is a warning: a profile decides nothing.
*
* @throws InterruptedError when `signal` aborts
*/
async function drawProfiles(profiles, { kernel, agent, signal }) {
	const files = [];
	const warnings = [];
	const add = (bench, kind, name, content) => {
		const file = `profiles/${kernel.replaceAll(":", "-")}/${bench}/${kind}.${name}`;
		files.push({
			profile: {
				kernel,
				bench,
				kind,
				file
			},
			content
		});
	};
	for (const { bench, revision, name, content } of profiles) add(bench, revision, name, content);
	const folded = profiles.filter(({ name }) => name.endsWith(".folded"));
	if (folded.length === 0) return {
		files,
		warnings
	};
	const startedAt = performance.now();
	const draw = async (folder, bench, kind, name, args) => {
		const svg = join(folder, "flame-graph.svg");
		const timeoutMs = Math.max(1, deadlineMs - (performance.now() - startedAt));
		const [command = "", title = "", ...paths] = args;
		const result = await run$1(agent, [
			command,
			title,
			name === offCpu ? "microseconds" : "samples",
			...paths,
			svg
		], {
			signal,
			timeoutMs
		});
		if (result.exitCode === 0) return add(bench, kind, name.replace(/folded$/, "svg"), await readFile(svg));
		const reason = result.timedOut ? "it takes too long" : result.stderr.trim().replace(/^bpfgate-agent: /, "");
		warnings.push(`no flame graph of bench \`${bench}\` (${kind}, ${name}) on kernel ${kernel}: ${reason}`);
	};
	let folder;
	try {
		folder = await mkdtemp(join(tmpdir(), "bpfgate-profiles-"));
		for (const own of groupBy(folded, ({ bench, name }) => `${bench}/${name}`)) {
			const paths = /* @__PURE__ */ new Map();
			for (const { bench, revision, name, content } of own) {
				const path = join(folder, `${revision}.folded`);
				await writeFile(path, content);
				paths.set(revision, path);
				const title = `${bench}: ${revision}, kernel ${kernel}`;
				await draw(folder, bench, revision, name, [
					"flame-graph",
					title,
					path
				]);
			}
			const [first] = own;
			const [base, head] = [paths.get("base"), paths.get("head")];
			if (first === void 0 || base === void 0 || head === void 0) continue;
			const title = `${first.bench}: head against base, kernel ${kernel}`;
			await draw(folder, first.bench, "difference", first.name, [
				"flame-graph-difference",
				title,
				base,
				head
			]);
		}
	} catch (error) {
		if (error instanceof InterruptedError) throw error;
		warnings.push(`no more flame graphs on kernel ${kernel}: ${error.message}`);
	} finally {
		if (folder !== void 0) await rm(folder, {
			recursive: true,
			force: true
		});
	}
	return {
		files,
		warnings
	};
}
// src/kernels/needs.ts
/** For the guest to start; may be a module where the kernel comes with modules. */
const loadable = [
	["CONFIG_VIRTIO_PCI", "virtio devices"],
	["CONFIG_NET_9P", "9p, by which the guest sees the host"],
	["CONFIG_NET_9P_VIRTIO", "9p over virtio"],
	["CONFIG_9P_FS", "9p, by which the guest sees the host"],
	["CONFIG_OVERLAY_FS", "overlayfs, which protects the host"]
];
/** Built in, for the guest to start. */
const builtIn = [
	["CONFIG_BLK_DEV_INITRD", "the initramfs"],
	["CONFIG_DEVTMPFS", "devices"],
	["CONFIG_TMPFS", "what the guest writes"],
	["CONFIG_SERIAL_8250_CONSOLE", "the console"],
	["CONFIG_BPF_SYSCALL", "BPF"]
];
const btf = ["CONFIG_DEBUG_INFO_BTF", "BTF, which CO-RE, fentry, BPF LSM and source lines need"];
/**
* @param config text of the kernel's configuration
* @param options.hasModules whether the kernel's modules are there
* @param options.measured whether programs are measured in it, or only a command is run
* @throws KernelError naming each option that is lacking and what it is for
*/
function requireConfig(pin, config, { hasModules, measured }) {
	const isSet = (option, asModule) => new RegExp(`^${option}=(y${asModule ? "|m" : ""})$`, "m").test(config);
	const lacking = [...loadable.filter(([option]) => !isSet(option, hasModules)), ...[...builtIn, ...measured ? [btf] : []].filter(([option]) => !isSet(option, false))];
	if (lacking.length === 0) return;
	const lines = lacking.map(([option, purpose]) => `  ${option}: ${purpose}`);
	throw new KernelError(`kernel ${pin.id} is built without what bpfgate needs:\n${lines.join("\n")}`, { hint: pin.origin === "debian" ? "pin a package of the plain -amd64 flavour; the -cloud flavour has no 9p" : `set these options in kernels/config/ and \`bpfgate kernels build\` it again` });
}
// src/vm/agent.ts
/**
* @throws MachineError with the end of cargo's output when the agent does not build
*/
async function buildAgent(cache, environment, log, signal) {
	const source = join(packageRoot, "vm", "agent");
	const hash = createHash("sha256").update(await runOrThrow("rustc", ["-vV"], { env: environment }));
	const names = [
		"Cargo.toml",
		"Cargo.lock",
		"build.rs",
		".cargo/config.toml"
	];
	for (const name of await readdir(join(source, "src"))) names.push(`src/${name}`);
	for (const name of names.sort()) hash.update(name).update(await readFile(join(source, name)));
	const version = hash.digest("hex");
	const publish = () => publishEntry(cache, "agent", version, async (folder) => {
		log.progress("building the guest agent");
		const result = await run$1("cargo", [
			"build",
			"--release",
			"--locked",
			"--target-dir",
			join(folder, "target")
		], {
			cwd: source,
			env: environment,
			signal,
			timeoutMs: 9e5
		});
		if (result.exitCode !== 0) throw new MachineError(`the guest agent does not build:\n${result.stderr.trim().split("\n").slice(-15).join("\n")}`, { hint: "run `bpfgate doctor`" });
		await copyFile(join(folder, "target", "x86_64-unknown-linux-gnu", "release", "bpfgate-agent"), join(folder, "bpfgate-agent"));
		await runOrThrow("rm", ["-rf", join(folder, "target")]);
	});
	const folder = join(cache.root, "agent");
	await mkdir(folder, { recursive: true }).catch((cause) => {
		throw new MachineError(`cannot make ${folder}: ${cause.message}`, {
			cause,
			hint: "set BPFGATE_CACHE"
		});
	});
	const entry = existsSync(entryPath(cache, "agent", version)) ? await publish() : await withLock(join(folder, ".lock"), {
		log,
		signal,
		waiting: "waiting for the guest agent, which is being built"
	}, publish);
	return {
		file: join(entry, "bpfgate-agent"),
		version
	};
}
// src/vm/boot-image.ts
/** Part of the key: changes when this file makes another image of the same kernel. */
const revision$2 = 1;
/**
* The image to start a kernel from, made once per kernel and kept in the cache.
*
* @returns absolute path of the ELF image; of the bzImage itself where that has no PVH entry (Xen's note, CONFIG_PVH) or
* is packed in a way not known here
*/
async function makeBootImage(kernel, cache, environment) {
	const entry = await publishEntry(cache, "boot-images", createHash("sha256").update(JSON.stringify([kernel.imageSha256, revision$2])).digest("hex"), async (folder) => {
		const image = join(folder, "vmlinux");
		const payload = findPayload(await readFile(kernel.image));
		if (!(payload !== void 0 && await unpack(kernel.image, payload, image, environment)) || !await hasPvhEntry(image)) {
			await rm(image, { force: true });
			await writeFile(join(folder, "bzImage"), "");
		}
	});
	const image = join(entry, "vmlinux");
	return await stat(image).then(() => image, () => kernel.image);
}
const unpackers = [
	["1f8b", ["gzip", "-dc"]],
	["fd377a585a00", ["xz", "-dc"]],
	["28b52ffd", ["zstd", "-dc"]],
	["02214c18", ["lz4", "-dc"]]
];
/**
* Finds the packed kernel by the setup header.
*
* Source: Documentation/arch/x86/boot.rst, fields setup_sects, header, version, payload_offset and payload_length.
*
* @returns undefined when this is no bzImage of boot protocol 2.08 or newer, or packed in an unknown way
*/
function findPayload(bzImage) {
	if (bzImage.length < 592 || bzImage.toString("latin1", 514, 518) !== "HdrS") return void 0;
	if (bzImage.readUInt16LE(518) < 520) return void 0;
	const offset = ((bzImage.readUInt8(497) || 4) + 1) * 512 + bzImage.readUInt32LE(584);
	const length = bzImage.readUInt32LE(588) - 4;
	if (length < 8 || offset + length + 4 > bzImage.length) return void 0;
	const start = bzImage.toString("hex", offset, offset + 6);
	const unpacker = unpackers.find(([magic]) => start.startsWith(magic))?.[1];
	if (unpacker === void 0) return void 0;
	return {
		offset,
		length,
		unpackedBytes: bzImage.readUInt32LE(offset + length),
		unpacker
	};
}
async function unpack(bzImage, { offset, length, unpackedBytes, unpacker }, destination, environment) {
	await run$1("bash", [
		"-c",
		"out=$1 from=$2 bytes=$3 image=$4; shift 4; tail -c \"+$((from + 1))\" \"$image\" | head -c \"$bytes\" | \"$@\" >\"$out\"",
		"bpfgate",
		destination,
		String(offset),
		String(length),
		bzImage,
		...unpacker
	], { env: environment });
	const { size } = await stat(destination).catch(() => ({ size: -1 }));
	return size === unpackedBytes;
}
/**
* Whether an ELF image says where QEMU is to enter it.
*
* Source: XEN_ELFNOTE_PHYS32_ENTRY in xen/interface/elfnote.h; QEMU's hw/i386/x86.c looks for the same note.
*/
async function hasPvhEntry(path) {
	const file = await open$1(path);
	try {
		const header = Buffer.alloc(64);
		await file.read(header, 0, 64, 0);
		if (header.toString("hex", 0, 5) !== "7f454c4602") return false;
		const table = Number(header.readBigUInt64LE(32));
		const entrySize = header.readUInt16LE(54);
		for (let index = 0; index < header.readUInt16LE(56); index++) {
			const entry = Buffer.alloc(56);
			await file.read(entry, 0, 56, table + index * entrySize);
			const isNote = entry.readUInt32LE(0) === 4;
			const length = Number(entry.readBigUInt64LE(32));
			if (!isNote || length > 1e6) continue;
			const notes = Buffer.alloc(length);
			await file.read(notes, 0, length, Number(entry.readBigUInt64LE(8)));
			if (noteTypes(notes, "Xen").includes(18)) return true;
		}
		return false;
	} finally {
		await file.close();
	}
}
function noteTypes(notes, owner) {
	const types = [];
	for (let at = 0; at + 12 <= notes.length;) {
		const nameBytes = notes.readUInt32LE(at);
		if (notes.toString("latin1", at + 12, at + 12 + nameBytes).replace(/\0+$/, "") === owner) types.push(notes.readUInt32LE(at + 8));
		at += 12 + align(nameBytes) + align(notes.readUInt32LE(at + 4));
	}
	return types;
}
function align(bytes) {
	return Math.ceil(bytes / 4) * 4;
}
// src/vm/guest-files.ts
/**
* Opens a regular file in a folder the guest can write, for reading.
*
* @returns null when there is no such file
* @throws VmError when it is anything but a regular file right in its folder
*/
async function openGuestFile(path) {
	let handle;
	try {
		handle = await open$1(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch (cause) {
		const { code } = cause;
		if (code === "ENOENT") return null;
		throw new VmError(`the guest left a ${basename(path)} that is not a file (${code})`, { cause });
	}
	const folder = dirname(path);
	if ((await handle.stat()).isFile() && await realpath(folder) === folder) return handle;
	await handle.close();
	throw new VmError(`the guest left a ${basename(path)} that is not a file in its run folder`);
}
/**
* The whole text of a guest's file.
*
* @param maxBytes what is longer is refused, not cut
* @throws VmError when it is missing, no regular file, or too long
*/
async function readGuestFile(path, maxBytes, naming) {
	return (await readGuestBytes(path, maxBytes, naming)).toString("utf8");
}
/** The same for a file that need not be text. */
async function readGuestBytes(path, maxBytes, naming = {}) {
	const { what = basename(path), tooLong } = naming;
	const handle = await openGuestFile(path);
	if (handle === null) throw new VmError(`the guest left no ${what}`);
	try {
		const { size } = await handle.stat();
		if (size > maxBytes) throw new VmError(`the guest left ${what} of ${size} bytes; at most ${maxBytes} are read`, { ...tooLong === void 0 ? {} : { hint: tooLong } });
		return await handle.readFile();
	} finally {
		await handle.close();
	}
}
// src/vm/machine.ts
/**
* CPU model under emulation. A named one, because `max` changes with QEMU's version; Nehalem is x86-64-v2, has no
* rdrand and rdseed (TCG takes those from the host's randomness) and no la57, which slows 5.10's boot by seconds.
*/
const emulatedCpu = "Nehalem";
/**
* Only about speed. Page-table isolation guards processors of Nehalem's age against Meltdown, on later ones kernels leave
* it off; under emulation it flushes the translation cache at every system call. Whether the timer is wired up and
* whether the crypto algorithms work need not be found out at every boot. And programs lie at the same addresses each
* time: there QEMU finds what it has translated before, which makes a compiler's second run twice as fast.
*/
const emulatedKernel = [
	"pti=off",
	"no_timer_check",
	"cryptomgr.notests",
	"norandmaps"
];
/** QEMU and kernel arguments of a machine with the given accelerator. */
function machineArguments(accelerator) {
	switch (accelerator) {
		case "kvm": return {
			cpuModel: "host",
			qemu: [
				"-accel",
				"kvm",
				"-cpu",
				"host"
			],
			kernel: []
		};
		case "tcg": return {
			cpuModel: emulatedCpu,
			qemu: [
				"-accel",
				"tcg",
				"-cpu",
				emulatedCpu
			],
			kernel: emulatedKernel
		};
		case "tcg-icount": return {
			cpuModel: emulatedCpu,
			qemu: [
				...["-accel", "tcg,thread=single"],
				...["-icount", "shift=0,sleep=off,align=off"],
				...["-rtc", "clock=vm"],
				...["-cpu", emulatedCpu]
			],
			kernel: [
				...emulatedKernel,
				...[
					"tsc=reliable",
					"tsc_early_khz=1000000",
					"hpet=disable",
					"pmtmr=0"
				],
				"nokaslr",
				"nolapic_timer"
			]
		};
	}
}
// src/vm/snapshot.ts
/**
* The snapshot of a boot. Its key is everything that shapes the machine's state until the initramfs waits for the host's
* word: image, initramfs, QEMU, the devices and the command line, memory.
*
* @param versions of QEMU (all it says of itself) and vmtest (whose devices and kernel parameters are part of the machine)
*/
async function snapshotOf(boot, cache, versions) {
	const machine = machineArguments(boot.accelerator);
	const key = createHash("sha256").update(JSON.stringify([
		boot.kernel.imageSha256,
		boot.image === boot.kernel.image,
		boot.initramfs.sha256
	])).update(JSON.stringify([
		machine.qemu,
		machine.kernel,
		boot.memoryMiB,
		versions.qemu,
		versions.vmtest
	])).update(await readFile(join(packageRoot, "vm", "qemu"))).digest("hex");
	return {
		cache,
		kind: join("snapshots", `${boot.kernel.imageSha256.slice(0, 16)}-${boot.accelerator}-${boot.memoryMiB}`),
		key
	};
}
/** Absolute path of the saved machine, undefined when there is none. */
function findSnapshot({ cache, kind, key }) {
	const entry = findEntry(cache, kind, key);
	return entry === void 0 ? void 0 : join(entry, "machine");
}
/**
* Puts a machine into the cache and removes those of the same kind, which nothing starts from any more.
*
* @param save writes the machine to the file it is given
*/
async function addSnapshot({ cache, kind, key }, save) {
	await publishEntry(cache, kind, key, (folder) => save(join(folder, "machine")));
	for (const name of await readdir(join(cache.root, kind))) if (name !== key && !name.startsWith(".")) await rm(join(cache.root, kind, name), {
		recursive: true,
		force: true
	});
}
/** Removes a snapshot that does not restore. */
async function removeSnapshot({ cache, kind, key }) {
	await rm(entryPath(cache, kind, key), {
		recursive: true,
		force: true
	});
}
// src/vm/timing.ts
/** What each stage is, for a person. */
const stageMeanings = {
	runner: "the runner starts QEMU",
	firmware: "QEMU and SeaBIOS, to the kernel's first line",
	kernel: "to its first process",
	initramfs: "busybox, modules, saving a snapshot; until the host says go on",
	restore: "QEMU reads the snapshot; until the guest goes on",
	init: "mounts of the host, overlay, run folder; virtme-ng's own init before",
	agent: "the agent prepares the guest",
	command: "the command, or all readings",
	shutdown: "QEMU and the runner end"
};
/** A console line that begins the next stage. */
const marks = [
	["Linux version ", "kernel"],
	["Run /init as init process", "initramfs"],
	["bpfgate-initramfs: told to go on", "init"],
	["bpfgate-initramfs: starting the agent", "agent"],
	["virtme initramfs: done; switching to real root", "init"],
	["bpfgate-virtme-ng: starting the agent", "agent"]
];
/** Collects when each stage of one boot began. */
var TimeLine = class {
	#folder;
	#begun = [];
	#end;
	constructor(folder) {
		this.#folder = folder;
		this.#begin("runner");
	}
	/** Takes note of a console line. */
	read(line) {
		const mark = marks.find(([text]) => line.includes(text));
		if (mark === void 0) return;
		if (mark[1] === "init" && !this.#has("kernel")) this.#rename("firmware", "restore");
		this.#begin(mark[1]);
	}
	/** Takes note of what is in the run folder. */
	look() {
		if (!this.#has("firmware") && !this.#has("restore") && this.#size("qemu.arguments") > 0) this.#begin("firmware");
		if (!this.#has("command") && this.#size("records.jsonl") > 0) this.#begin("command");
		if (!this.#has("shutdown") && this.#size("status.json") > 0) this.#begin("shutdown");
	}
	/** The guest has ended. */
	end() {
		this.#end = performance.now();
	}
	/** The stages that were reached, in order. */
	stages() {
		const end = this.#end ?? performance.now();
		return this.#begun.map(({ stage, at }, index) => ({
			stage,
			ms: (this.#begun[index + 1]?.at ?? end) - at
		}));
	}
	#begin(stage) {
		if (!this.#has(stage)) this.#begun.push({
			stage,
			at: performance.now()
		});
	}
	#rename(from, to) {
		const index = this.#begun.findIndex(({ stage }) => stage === from);
		const found = this.#begun[index];
		if (found !== void 0) this.#begun[index] = {
			...found,
			stage: to
		};
	}
	#has(stage) {
		return this.#begun.some((begun) => begun.stage === stage);
	}
	#size(name) {
		return statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size ?? 0;
	}
};
/** A table for `bpfgate exec --timing`. */
function renderTiming(times) {
	const total = times.reduce((sum, { ms }) => sum + ms, 0);
	const row = (name, ms, meaning) => `  ${name.padEnd(10)} ${(ms / 1e3).toFixed(2).padStart(8)} s  ${meaning}`.trimEnd();
	return [...times.map(({ stage, ms }) => row(stage, ms, stageMeanings[stage])), row("total", total, "")].join("\n");
}
// src/vm/boot.ts
const tickMs = 100;
const consoleTailLines = 60;
/** How long a kernel that has panicked may go on printing. */
const panicGraceMs = 5e3;
const maxStatus = 65536;
/**
* Starts a guest and ends it as soon as its agent has written status.json.
*
* A runner's own exit code says nothing of the command: vmtest reports one that a signal killed as passed.
*
* @throws InterruptedError when `signal` aborts
*/
async function launchGuest(boot, launch) {
	const statusFile = `${boot.runFolder}/status.json`;
	const consoleTail = [];
	let panickedAt;
	const timeLine = new TimeLine(boot.runFolder);
	const done = new AbortController();
	const cancel = AbortSignal.any([done.signal, ...boot.signal === void 0 ? [] : [boot.signal]]);
	let failure;
	const watching = onChanges(boot.runFolder, cancel, async () => {
		const wish = await launch.onTick?.();
		await boot.onTick?.();
		timeLine.look();
		const stuck = panickedAt !== void 0 && performance.now() - panickedAt > panicGraceMs;
		if (wish === "end" || stuck || existsSync(statusFile)) done.abort();
	}).catch((error) => {
		failure = { error };
		done.abort();
	});
	let end = {
		timedOut: false,
		exitCode: null
	};
	try {
		end = await run$1("setpriv", [
			"--pdeathsig",
			"KILL",
			...launch.argv
		], {
			cwd: boot.runFolder,
			env: launch.env,
			timeoutMs: boot.timeoutMs,
			signal: cancel,
			onLine: (line) => {
				const text = printable(line);
				if (text === "") return;
				timeLine.read(text);
				if (/Kernel panic - not syncing|PANIC: early exception/.test(text)) panickedAt ??= performance.now();
				consoleTail.push(text);
				if (consoleTail.length > consoleTailLines) consoleTail.shift();
				launch.onLine?.(text);
			}
		});
	} catch (error) {
		if (!done.signal.aborted) throw error;
	} finally {
		done.abort();
		await watching;
		await launch.cleanUp();
	}
	if (failure !== void 0) throw failure.error;
	await boot.onTick?.();
	timeLine.end();
	const status = existsSync(statusFile) ? await readGuestFile(statusFile, maxStatus) : void 0;
	if (status === void 0) {
		const words = await launch.lastWords?.() ?? [];
		consoleTail.push(...words.map(printable).filter((line) => line !== ""));
	}
	return {
		...end,
		status,
		panicked: panickedAt !== void 0,
		consoleTail,
		timing: timeLine.stages()
	};
}
/**
* The error of a guest that left no status.json.
*
* @param known how it ended, where the runner knows better
*/
function lostGuest(boot, end, known) {
	const outcome = end.timedOut ? `did not finish within its ${boot.timeoutMs / 1e3} s and was ended` : known ?? "ended before the guest agent had finished";
	const last = [...end.consoleTail].reverse().find((line) => /bpfgate-(initramfs|virtme-ng): cannot/.test(line));
	const why = last === void 0 ? "" : `: ${last.replace(/^.*bpfgate-(initramfs|virtme-ng): /, "")}`;
	return new VmError(`the guest of kernel ${boot.kernel.pin.id} ${end.panicked ? "panicked" : outcome}${why}`, {
		consoleTail: end.consoleTail,
		hint: "the last console lines say how far it came"
	});
}
/** @throws MachineError when a path cannot be given to QEMU or to the guest's init */
function checkPaths(paths) {
	for (const path of paths) {
		if (!/[\s,"'\\$`;&|<>()*?]/.test(path)) continue;
		throw new MachineError(`the path ${JSON.stringify(path)} has a space, comma, quote or other special character`, { hint: "set BPFGATE_CACHE and TMPDIR to folders without them" });
	}
}
/** Calls `work` whenever something in the folder changes, and every tick: 9p does not tell of everything. */
async function onChanges(folder, stop, work) {
	let wake = () => {};
	const watcher = watch(folder, () => wake());
	watcher.on("error", () => {});
	try {
		while (!stop.aborted) {
			const changed = new Promise((resolve) => {
				wake = resolve;
			});
			await work();
			await Promise.race([changed, setTimeout$1(tickMs, void 0, { signal: stop }).catch(() => {})]);
			await setTimeout$1(5, void 0, { signal: stop }).catch(() => {});
		}
	} finally {
		watcher.close();
	}
}
/** A console line without control sequences, at most 300 characters. */
function printable(line) {
	return line.replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, "").replace(/[\u0000-\u001f\u007f-\u009f]/g, "").trimEnd().slice(0, 300);
}
// src/vm/virtme-ng.ts
/** Folders the guest's init writes to before the agent's root is there; virtme-ng lays an overlay over each. */
const writtenByInit = [
	"/etc",
	"/tmp",
	"/var"
];
/** In the guest; the option needs a folder that can be made there. */
const runFolderMount = "/run/bpfgate";
/**
* Starts a guest, lets the agent carry out plan.json, and ends it as soon as the agent has written status.json.
*
* @throws MachineError when virtme-ng does not come so far as to start the kernel
* @throws VmError when the guest ends or its time is up without that file; with the end of the guest's console
* @throws InterruptedError when `signal` aborts
*/
async function runVirtmeNg(boot, cache) {
	checkPaths([
		boot.image,
		boot.runFolder,
		boot.agent,
		boot.kernel.modulesRoot ?? "/",
		cache.root
	]);
	const start = new Start$1(boot, await findableKernel(boot, cache));
	await start.prepare();
	const end = await launchGuest(boot, start);
	if (end.status === void 0) throw start.failure(end);
	return {
		status: end.status,
		startedFrom: "boot",
		timing: end.timing,
		initramfs: start.initramfs
	};
}
/**
* Arguments of virtme-run. That is what `vng` starts by way of a shell after adding the user's own defaults, which a
* measurement must not depend on.
*
* @param image absolute path of the kernel; its modules are in `lib/modules` of a folder above it
* @param initramfs absolute path of a file to write
*/
function virtmeArguments(boot, image, initramfs) {
	const machine = machineArguments(boot.accelerator);
	return [
		...[
			"--kimg",
			image,
			"--mods",
			boot.kernel.modulesRoot === void 0 ? "none" : "auto"
		],
		...[
			"--force-initramfs",
			"--save-initramfs",
			initramfs
		],
		...[
			"--cpus",
			`${boot.cpus}`,
			"--memory",
			`${boot.memoryMiB}M`
		],
		...["--disable-kvm", "--force-9p"],
		...["--show-boot-console", "--verbose"],
		...writtenByInit.flatMap((folder) => ["--overlay-rwdir", folder]),
		...["--rwdir", `${runFolderMount}=${boot.runFolder}`],
		...["--script-sh", `exec sh -c "$(cat ${runFolderMount}/start)"`],
		...machine.kernel.map((parameter) => `--kopt=${parameter}`),
		...["--qemu-bin", join(packageRoot, "vm", "virtme-ng", "qemu")],
		"--qemu-opts",
		...["-fsdev", "local,id=bpfgate-root,path=/,security_model=none,readonly=on,multidevs=remap"],
		...["-device", "virtio-9p-pci,fsdev=bpfgate-root,mount_tag=bpfgate-root"],
		...machine.qemu
	];
}
/**
* The kernel as virtme-run looks for it, which finds modules in `lib/modules` of the nearest folder above the image that
* has one. In the cache, so that the kernel's command line, which names it, is the same in every run.
*/
async function findableKernel({ kernel, image }, cache) {
	const entry = await publishEntry(cache, "virtme-ng", createHash("sha256").update(JSON.stringify([
		kernel.imageSha256,
		image,
		kernel.modulesRoot
	])).digest("hex").slice(0, 16), async (folder) => {
		await symlink(image, join(folder, "vmlinux"));
		if (kernel.modulesRoot !== void 0) await symlink(join(kernel.modulesRoot, "lib"), join(folder, "lib"));
	});
	return join(entry, "vmlinux");
}
/** One start of virtme-run. */
var Start$1 = class {
	argv;
	env;
	/** SHA-256 of the initramfs, once it was started from. */
	initramfs = "";
	#boot;
	/** For what virtme-run writes: not the guest's to change, and removed with the boot. */
	#folder;
	#initramfs;
	#kernelSeen = false;
	#lastError;
	constructor(boot, image) {
		this.#boot = boot;
		this.#folder = `${boot.runFolder}-virtme-ng`;
		this.#initramfs = join(this.#folder, "initramfs.cpio");
		this.argv = ["virtme-run", ...virtmeArguments(boot, image, this.#initramfs)];
		this.env = {
			PATH: boot.path,
			LANG: "C.UTF-8",
			HOME: this.#folder,
			TMPDIR: this.#folder,
			BPFGATE_QEMU: boot.qemu,
			BPFGATE_RUN_FOLDER: boot.runFolder
		};
	}
	async prepare() {
		const { runFolder, kernel, agent } = this.#boot;
		const script = await readFile(join(packageRoot, "vm", "virtme-ng", "start"), "utf8");
		await writeFile(join(runFolder, "start"), `set -- ${kernel.modulesRoot ?? "-"} ${agent}\n${script}`);
		await mkdir(this.#folder);
	}
	onLine(line) {
		if (line.includes("Linux version ")) this.#kernelSeen = true;
		if (!this.#kernelSeen && !/^(\s|WARNING:|warning:|Traceback |If full|script -q|\(or use)/.test(line)) this.#lastError = line;
	}
	async cleanUp() {
		const archive = await readFile(this.#initramfs).catch(() => void 0);
		if (archive !== void 0) this.initramfs = createHash("sha256").update(archive).digest("hex");
		await rm(this.#folder, {
			recursive: true,
			force: true
		});
	}
	failure(end) {
		return explainFailure(this.#boot, end, this.#kernelSeen, this.#lastError);
	}
};
/**
* The error of a start that left no status.json. virtme-run's exit code, 255 for a guest that did not end by itself, says
* less than the console.
*
* @param kernelSeen whether the kernel said anything
* @param lastError the last line virtme-run or QEMU said before that
*/
function explainFailure(boot, end, kernelSeen, lastError) {
	const { id } = boot.kernel.pin;
	if (end.consoleTail.some((line) => line.includes("Failed to mount real root"))) return new VmError(`the guest of kernel ${id} cannot mount the host's root: does the kernel have 9p and virtio?`, {
		consoleTail: end.consoleTail,
		hint: "build it with what kernels/config/guest.config names"
	});
	if (kernelSeen || end.timedOut) return lostGuest(boot, end);
	return new MachineError(`virtme-ng could not start kernel ${id}: ${lastError ?? `it exited with ${end.exitCode}`}`, { hint: "see `bpfgate doctor --runner virtme-ng`, or use the runner vmtest" });
}
// node_modules/smol-toml/dist/stringify.js
/*!
* Copyright (c) Squirrel Chat et al., All rights reserved.
* SPDX-License-Identifier: BSD-3-Clause
*
* Redistribution and use in source and binary forms, with or without
* modification, are permitted provided that the following conditions are met:
*
* 1. Redistributions of source code must retain the above copyright notice, this
*    list of conditions and the following disclaimer.
* 2. Redistributions in binary form must reproduce the above copyright notice,
*    this list of conditions and the following disclaimer in the
*    documentation and/or other materials provided with the distribution.
* 3. Neither the name of the copyright holder nor the names of its contributors
*    may be used to endorse or promote products derived from this software without
*    specific prior written permission.
*
* THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
* ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
* WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
* DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE
* FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
* DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
* SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
* CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
* OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
* OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
*/
let BARE_KEY = /^[a-z0-9-_]+$/i;
let HAS_WELLFORMED = !!"".isWellFormed;
function extendedTypeOf(obj) {
	let type = typeof obj;
	if (type === "object") {
		if (Array.isArray(obj)) return "array";
		if (typeof obj.getUTCDate === "function" && obj instanceof Date) return "date";
		if (globalThis.Temporal) {
			if (obj.until) {
				if (obj instanceof Temporal.ZonedDateTime) return "temporal/tz+uc";
				if (obj instanceof Temporal.PlainDateTime || obj instanceof Temporal.PlainDate) return "temporal/uc";
				if (obj instanceof Temporal.PlainTime || obj instanceof Temporal.Instant) return "temporal";
				if (obj instanceof Temporal.PlainYearMonth) return "temporal/x";
			} else if (obj.toPlainDate && obj instanceof Temporal.PlainMonthDay || obj.negated && obj instanceof Temporal.Duration) return "temporal/x";
		}
	}
	return type;
}
function isArrayOfTables(obj) {
	for (let i = 0; i < obj.length; i++) if (extendedTypeOf(obj[i]) !== "object") return false;
	return obj.length != 0;
}
function formatWellFormedStringUnchecked(s) {
	return JSON.stringify(s).replaceAll("", "\\u007f");
}
function formatString(s) {
	return formatWellFormedStringUnchecked(HAS_WELLFORMED ? s.toWellFormed() : s);
}
function formatKey(s) {
	if (BARE_KEY.test(s)) return s;
	if (HAS_WELLFORMED && !s.isWellFormed()) throw new RangeError("key contains illegal lone surrogates");
	return formatWellFormedStringUnchecked(s);
}
function stringifyValue(val, type, depth, numberAsFloat, strictTemporal) {
	if (depth === 0) throw new Error("Could not stringify the object: maximum object depth exceeded");
	switch (type) {
		case "number":
			if (isNaN(val)) return "nan";
			if (val === 1e400) return "inf";
			if (val === -1e400) return "-inf";
			if (Number.isInteger(val) && (numberAsFloat || !Number.isSafeInteger(val))) return val.toFixed(1);
		case "bigint":
		case "boolean":
		case "temporal": return val.toString();
		case "string": return formatString(val);
		case "date":
			if (isNaN(val.getTime())) throw new TypeError("cannot serialize invalid date");
			return val.toISOString();
		case "object": return stringifyInlineTable(val, depth, numberAsFloat, strictTemporal);
		case "array": return stringifyArray(val, depth, numberAsFloat, strictTemporal);
		case "temporal/tz+uc": if (strictTemporal) {
			let tz = val.timeZoneId;
			let tzc = tz.charCodeAt(0);
			if (tzc !== 43 && tzc !== 45 && (tzc !== 85 && tzc !== 71 && tzc !== 90 && tzc !== 69 || tz !== "UTC" && tz !== "UCT" && tz !== "Universal" && tz !== "Zulu" && !tz.startsWith("GMT") && tz !== "Greenwich" && !tz.startsWith("Etc/"))) throw new TypeError("Temporal objects with an IANA timezone are not allowed in Temporal strict mode");
		}
		case "temporal/uc":
			if (strictTemporal && val.calendarId !== "iso8601") throw new TypeError("Temporal objects with a non-default calendar are not allowed in Temporal strict mode");
			return val.toString({
				calendarName: "never",
				timeZoneName: "never"
			});
		case "temporal/x": throw new TypeError("Unsupported " + val[Symbol.toStringTag]);
	}
}
function stringifyInlineTable(obj, depth, numberAsFloat, strictTemporal) {
	let keys = Object.keys(obj);
	if (keys.length === 0) return "{}";
	let res = "{ ";
	for (let i = 0; i < keys.length; i++) {
		let k = keys[i];
		if (i) res += ", ";
		res += formatKey(k) + " = " + stringifyValue(obj[k], extendedTypeOf(obj[k]), depth - 1, numberAsFloat, strictTemporal);
	}
	return res + " }";
}
function stringifyArray(array, depth, numberAsFloat, strictTemporal) {
	if (array.length === 0) return "[]";
	let res = "[ ";
	for (let i = 0; i < array.length; i++) {
		if (i) res += ", ";
		if (array[i] === null || array[i] === void 0) throw new TypeError("arrays cannot contain null or undefined values");
		res += stringifyValue(array[i], extendedTypeOf(array[i]), depth - 1, numberAsFloat, strictTemporal);
	}
	return res + " ]";
}
function stringifyArrayTable(array, key, depth, numberAsFloat, strictTemporal) {
	if (depth === 0) throw new Error("Could not stringify the object: maximum object depth exceeded");
	let res = "";
	for (let i = 0; i < array.length; i++) {
		res += `${res && "\n"}[[${key}]]\n`;
		res += stringifyTable(0, array[i], key, depth, numberAsFloat, strictTemporal);
	}
	return res;
}
function stringifyTable(tableKey, obj, prefix, depth, numberAsFloat, strictTemporal) {
	if (depth === 0) throw new Error("Could not stringify the object: maximum object depth exceeded");
	let preamble = "";
	let tables = "";
	let keys = Object.keys(obj);
	for (let i = 0; i < keys.length; i++) {
		let k = keys[i];
		if (obj[k] !== null && obj[k] !== void 0) {
			let type = extendedTypeOf(obj[k]);
			if (type === "symbol" || type === "function") throw new TypeError(`cannot serialize values of type '${type}'`);
			let key = formatKey(k);
			if (type === "array" && isArrayOfTables(obj[k])) tables += (tables && "\n") + stringifyArrayTable(obj[k], prefix ? `${prefix}.${key}` : key, depth - 1, numberAsFloat, strictTemporal);
			else if (type === "object") {
				let tblKey = prefix ? `${prefix}.${key}` : key;
				tables += (tables && "\n") + stringifyTable(tblKey, obj[k], tblKey, depth - 1, numberAsFloat, strictTemporal);
			} else {
				preamble += key;
				preamble += " = ";
				preamble += stringifyValue(obj[k], type, depth, numberAsFloat, strictTemporal);
				preamble += "\n";
			}
		}
	}
	if (tableKey && (preamble || !tables)) preamble = preamble ? `[${tableKey}]\n${preamble}` : `[${tableKey}]`;
	return preamble && tables ? `${preamble}\n${tables}` : preamble || tables;
}
function stringify(obj, { maxDepth = 1e3, numbersAsFloat = false, strictTemporal = false } = {}) {
	if (extendedTypeOf(obj) !== "object") throw new TypeError("stringify can only be called with an object");
	let str = stringifyTable(0, obj, "", maxDepth, numbersAsFloat, strictTemporal);
	if (str[str.length - 1] !== "\n") return str + "\n";
	return str;
}
// node_modules/smol-toml/dist/index.js
/*!
* Copyright (c) Squirrel Chat et al., All rights reserved.
* SPDX-License-Identifier: BSD-3-Clause
*
* Redistribution and use in source and binary forms, with or without
* modification, are permitted provided that the following conditions are met:
*
* 1. Redistributions of source code must retain the above copyright notice, this
*    list of conditions and the following disclaimer.
* 2. Redistributions in binary form must reproduce the above copyright notice,
*    this list of conditions and the following disclaimer in the
*    documentation and/or other materials provided with the distribution.
* 3. Neither the name of the copyright holder nor the names of its contributors
*    may be used to endorse or promote products derived from this software without
*    specific prior written permission.
*
* THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
* ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
* WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
* DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE
* FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
* DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
* SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
* CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
* OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
* OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
*/
// src/vm/monitor.ts
/**
* A connection to QEMU's monitor.
*
* Source: QEMU Machine Protocol Specification: one JSON object per line; `return` or `error` answers a command, `event`
* may come between.
*/
var Monitor = class Monitor {
	#socket;
	#lines;
	constructor(socket) {
		this.#socket = socket;
		this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
	}
	/** @throws Error when nothing listens at the socket or what answers is no monitor */
	static async open(socket) {
		const monitor = new Monitor(await connectTo(socket));
		await monitor.#lines.next();
		await monitor.execute("qmp_capabilities");
		return monitor;
	}
	/** @throws Error with QEMU's description when the command fails, or when the connection ends */
	async execute(command, given = {}) {
		this.#socket.write(`${JSON.stringify({
			execute: command,
			arguments: given
		})}\n`);
		for (;;) {
			const { value, done } = await this.#lines.next();
			if (done === true) throw new Error(`QEMU ended during ${command}`);
			const answer = JSON.parse(value);
			if (answer.error !== void 0) throw new Error(`${command}: ${answer.error.desc}`);
			if (answer.return !== void 0) return answer.return;
		}
	}
	close() {
		this.#socket.destroy();
	}
};
/**
* Saves a machine to a file and lets it go on, whether that worked or not.
*
* @throws Error when it could not be saved
*/
async function saveMachine(monitor, file) {
	try {
		await monitor.execute("migrate-set-parameters", { "max-bandwidth": 1e11 });
		await monitor.execute("migrate", { uri: `exec:cat >${file}` });
		for (;;) {
			const state = await monitor.execute("query-migrate");
			if (state.status === "completed") return;
			if (state.status === "failed" || state.status === "cancelled") throw new Error(state["error-desc"] ?? `saving ${state.status}`);
			await setTimeout$1(20);
		}
	} finally {
		await monitor.execute("cont");
	}
}
/**
* Waits until a machine that is being restored runs. What is sent to its devices before that is lost.
*
* @throws Error when QEMU ends instead, or the machine comes back stopped
*/
async function waitUntilRunning(monitor) {
	for (;;) {
		const { status } = await monitor.execute("query-status");
		if (status === "running") return;
		if (status !== "inmigrate") throw new Error(`the machine is ${status}`);
		await setTimeout$1(5);
	}
}
/** @throws Error when nothing listens there */
async function connectTo(socket) {
	const connection = connect(socket);
	await new Promise((resolve, reject) => {
		connection.once("connect", resolve);
		connection.once("error", reject);
	});
	connection.on("error", () => {});
	return connection;
}
// src/vm/vmtest-guest-agent.ts
/**
* Answers vmtest at the socket it takes for the guest agent's, until the server is closed. Everything vmtest asks for is
* done at once; only its command, which it runs by bash, never ends: the host ends the VM.
*
* Source: QEMU Guest Agent Protocol Reference; src/qga.rs and src/qemu.rs of vmtest 0.18.
*
* @throws Error when the socket cannot be made
*/
async function answerVmtest(socket) {
	const server = createServer((connection) => {
		connection.on("error", () => {});
		createInterface({ input: connection }).on("line", (line) => {
			const answer = answerTo(line);
			if (answer !== void 0) connection.write(`${JSON.stringify({ return: answer })}\n`);
		});
	});
	await new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(socket, resolve);
	});
	server.unref();
	return server;
}
/** @returns undefined for what is not answered */
function answerTo(line) {
	const request = parse(line.slice(line.indexOf("{")));
	switch (request?.execute) {
		case "guest-sync": return request.arguments?.id;
		case "guest-info": return {
			version: "0.0.0",
			supported_commands: []
		};
		case "guest-exec": return request.arguments?.path === "bash" ? void 0 : { pid: 1 };
		case "guest-exec-status": return {
			exited: true,
			exitcode: 0
		};
		default: return;
	}
}
function parse(text) {
	try {
		return JSON.parse(text);
	} catch {
		return;
	}
}
// src/vm/vmtest.ts
/** How long a saved machine may take until it goes on. Reading one takes a fraction of a second. */
const restoreDeadlineMs = 3e4;
/** How long a kernel may take to its initramfs: seconds, also under icount, and a kernel that has hung takes for ever. */
const bootDeadlineMs = 3e5;
/** Of a Unix socket's path, in bytes, its final zero included (sockaddr_un). */
const maxSocketPath = 108;
/** Of what QEMU says on stderr, in bytes. */
const maxStderr = 65536;
/**
* Starts a guest, lets the agent carry out plan.json, and ends it as soon as the agent has written status.json.
*
* @param snapshot what to start from, or to save; undefined: neither
* @throws VmError when the guest ends or its time is up without that file; with the end of the guest's console
* @throws InterruptedError when `signal` aborts
*/
async function runVmtest(boot, snapshot, log) {
	checkPaths([
		boot.image,
		boot.runFolder,
		boot.agent,
		boot.kernel.modulesRoot ?? "/",
		snapshot?.cache.root ?? "/"
	]);
	if (Buffer.byteLength(join(boot.runFolder, "monitor.sock")) >= maxSocketPath) throw new MachineError(`the path ${boot.runFolder} is too long for a Unix socket in it`, { hint: "set TMPDIR to a shorter one" });
	await writeFile(join(boot.runFolder, "vmtest.toml"), vmtestConfig(boot));
	const saved = snapshot === void 0 ? void 0 : findSnapshot(snapshot);
	if (snapshot !== void 0 && saved !== void 0) {
		const start = new Start(boot, log, { restore: saved });
		const end = await launchGuest(boot, start);
		if (end.status !== void 0) return {
			status: end.status,
			startedFrom: "snapshot",
			timing: end.timing
		};
		if (start.wentOn || end.timedOut) throw lostGuest(boot, end);
		const reason = end.consoleTail.at(-1) ?? "QEMU said nothing";
		log.warn(`${boot.kernel.pin.id}: the snapshot did not restore (${reason}); it is removed, and the guest booted`);
		await removeSnapshot(snapshot);
		await rm(join(boot.runFolder, "qemu.arguments"), { force: true });
	}
	const start = new Start(boot, log, { save: snapshot });
	const end = await launchGuest(boot, start);
	if (end.status === void 0) throw lostGuest(boot, end, start.late ? `did not boot within ${bootDeadlineMs / 1e3} s and was ended` : void 0);
	return {
		status: end.status,
		startedFrom: "boot",
		timing: end.timing
	};
}
/** vmtest.toml of one start. */
function vmtestConfig(boot) {
	const machine = machineArguments(boot.accelerator);
	return stringify({ target: [{
		name: `bpfgate-${boot.kernel.pin.minor}`,
		kernel: boot.image,
		kernel_args: machine.kernel.join(" "),
		qemu_command: join(packageRoot, "vm", "qemu"),
		command: "true",
		vm: {
			num_cpus: boot.cpus,
			memory: `${boot.memoryMiB}M`,
			extra_args: [
				"-initrd",
				boot.initramfs.file,
				...machine.qemu
			]
		}
	}] });
}
/** One start of vmtest: gives the guest the word to go on, and vmtest the answers it wants. */
var Start = class {
	argv;
	env;
	/** Whether the guest has been heard of after it was told to go on. */
	wentOn = false;
	/** Whether it was ended because it had not come so far in time. */
	late = false;
	#boot;
	#log;
	#save;
	#restoring;
	#startedAt = performance.now();
	#ready = false;
	/** The guest's second serial port, connected as long as QEMU runs. */
	#word;
	#told = false;
	#server;
	constructor(boot, log, from) {
		this.#boot = boot;
		this.#log = log;
		this.#save = from.save;
		this.#restoring = from.restore !== void 0;
		this.argv = [
			"vmtest",
			"--config",
			join(boot.runFolder, "vmtest.toml")
		];
		this.env = {
			PATH: boot.path,
			BPFGATE_QEMU: boot.qemu,
			BPFGATE_RUN_FOLDER: boot.runFolder,
			BPFGATE_RESTORE: from.restore ?? ""
		};
	}
	onLine(line) {
		if (line.includes("bpfgate-initramfs: ready")) this.#ready = true;
		if (line.includes("bpfgate-initramfs: told to go on")) this.wentOn = true;
	}
	/** Ends vmtest, which would wait for its command, when QEMU has ended; and a saved machine that does not go on. */
	async onTick() {
		const { runFolder } = this.#boot;
		const socket = /path=(\/tmp\/qga-\d+\.sock)/.exec(await readQemuArguments(runFolder))?.[1];
		if (socket === void 0) return void 0;
		this.#word ??= await connectTo(join(runFolder, "word.sock")).catch(() => void 0);
		if (this.#word === void 0) return void 0;
		if (this.#word.resume().closed) return "end";
		this.#server ??= await answerVmtest(socket);
		if (!this.#told && (this.#restoring || this.#ready)) await this.#tell(this.#word);
		const deadlineMs = this.#restoring ? restoreDeadlineMs : bootDeadlineMs;
		this.late = !this.#ready && !this.wentOn && performance.now() - this.#startedAt > deadlineMs;
		return this.late ? "end" : void 0;
	}
	async lastWords() {
		return (await readGuestFile(join(this.#boot.runFolder, "qemu.stderr"), maxStderr).catch(() => "")).trim().split("\n");
	}
	/** The sockets and the init of vmtest have random names under /tmp and outlive a killed vmtest. */
	async cleanUp() {
		this.#word?.destroy();
		this.#server?.close();
		const given = await readQemuArguments(this.#boot.runFolder);
		const sockets = given.matchAll(/(?:unix:|path=)(\/tmp\/(?:qga|qmp|cmdout)-\d+\.sock)/g);
		const inits = given.matchAll(/init=(\S*\/vmtest-init\w+\.sh)/g);
		for (const [, path] of [...sockets, ...inits]) if (path !== void 0) await rm(path, { force: true });
	}
	async #tell(word) {
		this.#told = true;
		const { kernel, agent } = this.#boot;
		try {
			if (this.#restoring) await this.#withMonitor(waitUntilRunning);
		} catch {
			this.#told = false;
			return;
		}
		if (this.#save !== void 0) await this.#saveMachine(this.#save);
		const modules = kernel.modulesRoot === void 0 ? "-" : await realpath(kernel.modulesRoot);
		word.write(`${Math.round(Date.now() / 1e3)} ${modules} ${agent}\n`);
	}
	/** A machine that cannot be saved is no reason to stop: the guest goes on either way. */
	async #saveMachine(snapshot) {
		try {
			await this.#withMonitor((monitor) => addSnapshot(snapshot, (file) => saveMachine(monitor, file)));
		} catch (error) {
			this.#log.warn(`${this.#boot.kernel.pin.id}: cannot save the booted machine: ${error.message}`);
		}
	}
	async #withMonitor(work) {
		const monitor = await Monitor.open(join(this.#boot.runFolder, "monitor.sock"));
		try {
			await work(monitor);
		} finally {
			monitor.close();
		}
	}
};
/** vmtest's arguments for QEMU, as vm/qemu left them; empty before QEMU is started. */
async function readQemuArguments(runFolder) {
	return readFile(join(runFolder, "qemu.arguments"), "utf8").catch(() => "");
}
// src/vm/guest.ts
const defaultMemoryMiB = 2048;
/** The accelerator of the instruction lane, whatever else the machine has. */
const icount = {
	accelerator: "tcg-icount",
	reason: "the instruction lane counts by icount, which KVM does not have"
};
/** @throws KernelError when the kernel lacks what a guest needs, or what measuring needs */
async function checkConfig(kernel, { measured }) {
	const config = await readFile(kernel.config, "utf8");
	requireConfig(kernel.pin, config, {
		hasModules: kernel.modulesRoot !== void 0,
		measured
	});
}
function runnerOf(context) {
	return context.runner ?? runners[0];
}
/** Fills in what is the same for every guest of this host, and starts it. */
async function startGuest(host, context, boot) {
	const whole = {
		...boot,
		image: await makeBootImage(boot.kernel, context.cache, context.environment),
		agent: host.agent.file,
		qemu: host.qemu,
		path: host.path,
		signal: context.signal
	};
	if (runnerOf(context) === "virtme-ng") return runVirtmeNg(whole, context.cache);
	return runVmtest(whole, context.snapshots !== false && boot.accelerator !== "kvm" && boot.cpus === 1 ? await snapshotOf(whole, context.cache, host.versions) : void 0, context.log);
}
async function prepareHost(context) {
	const { environment } = context;
	const qemu = (await runOrThrow("bash", ["-c", "command -v qemu-system-x86_64 || true"], { env: environment })).trim();
	if (qemu === "") throw new MachineError("QEMU is not installed", { hint: "run `bpfgate doctor --install`" });
	const versions = {
		qemu: await runOrThrow(qemu, ["--version"], { env: environment }),
		vmtest: await runOrThrow("vmtest", ["--version"], { env: environment })
	};
	const agent = await buildAgent(context.cache, environment, context.log, context.signal);
	return {
		qemu,
		qemuVersion: /version (\S+)/.exec(versions.qemu)?.[1] ?? "unknown",
		versions,
		agent,
		path: environment.PATH ?? ""
	};
}
/** A fresh run folder, removed at the end. Under the temporary folder: vmtest's paths must stay short. */
async function withRunFolder(work) {
	const folder = await realpath(tmpdir()).then((parent) => mkdtemp(join(parent, "bpfgate-run-"))).catch((cause) => {
		throw new MachineError(`cannot make a folder in ${tmpdir()}: ${cause.message}`, {
			cause,
			hint: "set TMPDIR"
		});
	});
	try {
		return await work(folder);
	} finally {
		await rm(folder, {
			recursive: true,
			force: true
		});
	}
}
/** Follows a file that the guest appends to, also when it is unlinked there meanwhile. */
var FileTail = class {
	#path;
	#onChunk;
	#handle = null;
	#buffer = Buffer.alloc(65536);
	constructor(path, onChunk) {
		this.#path = path;
		this.#onChunk = onChunk;
	}
	async read() {
		this.#handle ??= await openGuestFile(this.#path);
		if (this.#handle === null) return;
		for (;;) {
			const { bytesRead } = await this.#handle.read(this.#buffer, 0, this.#buffer.length, null);
			if (bytesRead === 0) return;
			this.#onChunk(Buffer.from(this.#buffer.subarray(0, bytesRead)));
		}
	}
	async close() {
		await this.#handle?.close();
	}
};
// src/vm/initramfs.ts
/** What must be there before the host's root can be mounted; built in on some kernels. */
const neededModules = [
	"virtio_pci",
	"9p",
	"9pnet_virtio",
	"overlay"
];
/**
* Makes the initramfs of a kernel, or finds it in the cache. Equal inputs give equal bytes.
*
* @throws MachineError when busybox, modprobe, cpio or a decompressor is missing
*/
async function makeInitramfs(kernel, cache, environment) {
	const busybox = await findBusybox(environment);
	const init = join(packageRoot, "vm", "initramfs", "init");
	const entry = await publishEntry(cache, "initramfs", createHash("sha256").update(JSON.stringify([kernel.imageSha256, neededModules])).update(await readFile(init)).update(await readFile(busybox)).digest("hex"), async (folder) => {
		const root = join(folder, "root");
		await mkdir(join(root, "bin"), { recursive: true });
		await mkdir(join(root, "modules"));
		await copyFile(busybox, join(root, "bin", "busybox"));
		await chmod(join(root, "bin", "busybox"), 493);
		await copyFile(init, join(root, "init"));
		await chmod(join(root, "init"), 493);
		await copyModules(kernel, join(root, "modules"), environment);
		const names = (await readdir(root, { recursive: true })).sort();
		for (const name of [".", ...names]) await lutimes(join(root, name), 0, 0);
		const archive = join(folder, "initramfs.cpio");
		await runOrThrow("cpio", [
			"--create",
			"--format=newc",
			"--reproducible",
			"--owner=0:0",
			"--quiet",
			`--file=${archive}`
		], {
			cwd: root,
			env: environment,
			input: `${[".", ...names].join("\n")}\n`
		});
		const sha256 = createHash("sha256").update(await readFile(archive)).digest("hex");
		await writeFile(join(folder, "sha256"), sha256);
	});
	return {
		file: join(entry, "initramfs.cpio"),
		sha256: await readFile(join(entry, "sha256"), "utf8")
	};
}
async function findBusybox(environment) {
	const path = (await runOrThrow("bash", ["-c", "command -v busybox || true"], { env: environment })).trim();
	if (path !== "") return path;
	throw new MachineError("there is no busybox on this machine", { hint: "apt-get install busybox-static" });
}
/** Copies the needed modules and what they depend on, unpacked, named so that their order is their load order. */
async function copyModules(kernel, target, environment) {
	const { modulesRoot } = kernel;
	if (modulesRoot === void 0) return;
	const files = [];
	for (const name of neededModules) {
		const shown = await runOrThrow("modprobe", [
			"--dirname",
			modulesRoot,
			"--set-version",
			kernel.uname,
			"--show-depends",
			name
		], { env: environment });
		for (const [, file] of shown.matchAll(/^insmod (\S+)/gm)) if (file !== void 0 && !files.includes(file)) files.push(file);
	}
	for (const [index, file] of files.entries()) {
		const number = String(index).padStart(2, "0");
		const unpacked = basename(file).replace(/\.(xz|zst|gz)$/, "");
		const destination = join(target, `${number}-${unpacked}`);
		if (unpacked === basename(file)) {
			await copyFile(file, destination);
			continue;
		}
		await runOrThrow("bash", [
			"-c",
			"\"$0\" -dc \"$1\" > \"$2\"",
			file.endsWith(".xz") ? "xz" : file.endsWith(".zst") ? "zstd" : "gzip",
			file,
			destination
		], { env: environment });
	}
}
// src/vm/kept-base.ts
/** Debian's list of what is installed, with versions. */
const packages = "/var/lib/dpkg/status";
/** Counts up when what is kept changes its meaning. */
const format = 2;
const kind$1 = "base-results";
const file = "base.json";
/** The least recently used go first. */
const keptResults = 30;
/**
* The key of a result of base.
*
* @param shaping everything that shapes what base counts: the guest, the built tree, what is run in it
*/
async function keptBaseKey(shaping) {
	const hash = createHash("sha256").update(JSON.stringify([format, shaping]));
	const files = [...[
		"qemu",
		"virtme-ng/qemu",
		"virtme-ng/start"
	].map((name) => join(packageRoot, "vm", name)), packages];
	for (const path of files) hash.update(await readFile(path).catch(() => Buffer.alloc(0)));
	return hash.digest("hex");
}
/** What is kept under the key; undefined when there is nothing, or nothing that can be read. */
async function findKeptBase(cache, key) {
	const entry = findEntry(cache, kind$1, key);
	if (entry === void 0) return void 0;
	try {
		const kept = JSON.parse(await readFile(join(entry, file), "utf8"));
		const now = /* @__PURE__ */ new Date();
		await utimes(entry, now, now);
		return {
			...kept,
			profiles: kept.profiles.map((profile) => ({
				...profile,
				content: Buffer.from(profile.content, "base64")
			}))
		};
	} catch {
		return;
	}
}
/**
* Keeps what a boot counted of base, if it is whole: no bench failed on either side, which would have ended the other's
* readings, every count was proven, and every program of every object could be tried. A cache that cannot be written is
* no harm.
*/
async function keepBase(cache, key, guestRun, profiles) {
	if (!(guestRun.isProven && guestRun.benches.every(({ exit_code }) => exit_code === 0) && guestRun.objects.every(({ object, revision, programs, error }) => {
		const loads = guestRun.loads.filter((load) => load.object === object && load.revision === revision);
		return error === null && loads.length === programs;
	}))) return;
	const ofBase = (items) => items.filter(({ revision }) => revision === "base");
	const kept = {
		machine: guestRun.machine,
		calibrations: guestRun.calibrations,
		benches: ofBase(guestRun.benches),
		programs: ofBase(guestRun.programs),
		objects: ofBase(guestRun.objects),
		loads: ofBase(guestRun.loads),
		warnings: guestRun.warnings.filter((warning) => /\bbase\b/.test(warning)),
		profiles: ofBase(profiles).map((profile) => ({
			...profile,
			content: profile.content.toString("base64")
		}))
	};
	try {
		await publishEntry(cache, kind$1, key, (folder) => writeFile(join(folder, file), JSON.stringify(kept)));
		await prune(cache);
	} catch {}
}
/** Takes away what a boot has just shown not to be what it counts. */
async function dropKeptBase(cache, key) {
	await rm(entryPath(cache, kind$1, key), {
		recursive: true,
		force: true
	});
}
async function prune(cache) {
	const folder = join(cache.root, kind$1);
	const old = (await Promise.all((await readdir(folder)).filter((name) => !name.startsWith(".")).map(async (name) => ({
		name,
		usedMs: (await stat(join(folder, name))).mtimeMs
	})))).sort((a, b) => b.usedMs - a.usedMs).slice(keptResults);
	for (const { name } of old) await rm(entryPath(cache, kind$1, basename(name)), {
		recursive: true,
		force: true
	});
}
// src/vm/guest-run.ts
/** What a guest runs by turns. `control` is base again, in the time lane: it shows what differs where nothing does. */
const runNames = [...revisionNames, "control"];
// src/vm/records.ts
const count = int().nonnegative();
const run = _enum(runNames);
const revision$1 = _enum(revisionNames);
/** Of a verifier's log, in characters: the agent keeps 8 KiB of it. */
const maxLog = 16384;
/** Below the run folder's `output`; a path that leads elsewhere is not the agent's. */
const outputFile = string().regex(/^output\/[\w.+@=-]+\.(base|head|control)\.\d+\.(stdout|stderr)$/);
/** Below the run folder's `profiles`. */
const profileFile = string().regex(/^profiles\/[\w.+@=-]+\.(base|head)\.[\w.-]+$/);
const guest = object$1({
	record: literal("guest"),
	agent: string(),
	release: string(),
	version: string(),
	cmdline: string()
});
const warning = object$1({
	record: literal("warning"),
	message: string()
});
const calibration = object$1({
	record: literal("calibration"),
	prog_type: string(),
	readings: array(object$1({
		run_cnt: count,
		run_time_ns: count
	}))
});
const progress = object$1({
	record: literal("progress"),
	bench: string(),
	revision: run,
	reading: count
});
const bench = object$1({
	record: literal("bench"),
	bench: string(),
	revision: run,
	reading: count,
	exit_code: int().nullable(),
	signal: int().nullable(),
	stdout: outputFile,
	stderr: outputFile,
	duration_ns: count
});
/** Of one program, in files, and of one file, in lines; the agent keeps fewer. */
const [maxFiles, maxLines] = [2e4, 2e4];
const lines = array(object$1({
	file: string(),
	counts: array(tuple([count, count])).max(maxLines)
})).max(maxFiles);
const record = discriminatedUnion("record", [
	guest,
	warning,
	calibration,
	progress,
	bench,
	object$1({
		record: literal("program"),
		bench: string(),
		revision: run,
		reading: count,
		ordinal: count,
		id: count,
		name: string(),
		prog_type: string(),
		tag: string(),
		run_cnt: count,
		run_time_ns: count,
		recursion_misses: count.nullable(),
		verified_insns: count.nullable(),
		xlated_bytes: count,
		jited_bytes: count,
		source: object$1({
			file: string(),
			line: count
		}).nullable(),
		lines,
		warning: string().nullable()
	}),
	object$1({
		record: literal("converged"),
		bench: string(),
		readings: count,
		converged: boolean()
	}),
	object$1({
		record: literal("control"),
		bench: string(),
		revision: run,
		reading: count,
		run_cnt: count,
		run_time_ns: count
	}),
	object$1({
		record: literal("loading"),
		object: string(),
		revision: revision$1
	}),
	object$1({
		record: literal("object"),
		object: string(),
		revision: revision$1,
		programs: count,
		error: string().nullable()
	}),
	object$1({
		record: literal("load"),
		object: string(),
		revision: revision$1,
		program: string(),
		section: string(),
		prog_type: string().nullable(),
		outcome: _enum([
			"loaded",
			"refused",
			"unsupported"
		]),
		verified_insns: count.nullable(),
		stack_bytes: count.nullable(),
		xlated_bytes: count.nullable(),
		jited_bytes: count.nullable(),
		map_bytes: count.nullable(),
		load_time_ns: count.nullable(),
		errno: string().nullable(),
		message: string().nullable(),
		log: string().max(maxLog),
		source: object$1({
			file: string(),
			line: count
		}).nullable(),
		lines
	}),
	object$1({
		record: literal("profiling"),
		bench: string(),
		revision: revision$1
	}),
	object$1({
		record: literal("profile"),
		bench: string().regex(/^\w[\w.-]{0,99}$/),
		revision: revision$1,
		name: string().regex(/^[A-Za-z0-9_-][\w.-]*$/),
		file: profileFile
	})
]);
const status = discriminatedUnion("outcome", [
	object$1({
		outcome: literal("exited"),
		exit_code: int()
	}),
	object$1({
		outcome: literal("signaled"),
		signal: int()
	}),
	object$1({
		outcome: literal("timed_out"),
		message: string()
	}),
	object$1({ outcome: literal("measured") }),
	object$1({
		outcome: literal("failed"),
		message: string(),
		exit_code: int().nullish()
	})
]);
/** @throws VmError when the text is not a status of this version's agent */
function parseStatus(text) {
	return parseJson(status, text, "status.json");
}
/** @throws VmError naming the line when one is not a record of this version's agent */
function parseRecords(text) {
	return text.split("\n").flatMap((line, index) => line === "" ? [] : [parseJson(record, line, `records.jsonl:${index + 1}`)]);
}
function parseJson(schema, text, where) {
	try {
		return schema.parse(JSON.parse(text));
	} catch (cause) {
		throw new VmError(`the guest agent left an unreadable ${where}: ${cause instanceof ZodError ? prettifyError(cause) : String(cause)}`, { cause });
	}
}
/**
* Sorts an agent's records by kind.
*
* @throws VmError when the guest never introduced itself
*/
function sortRecords(records) {
	const guests = records.filter((each) => each.record === "guest");
	const [first] = guests;
	if (first === void 0 || guests.length > 1) throw new VmError(`the guest agent left ${guests.length} guest records, expected one`);
	return {
		guest: first,
		calibrations: records.filter((each) => each.record === "calibration"),
		benches: records.filter((each) => each.record === "bench"),
		programs: records.flatMap((each) => {
			if (each.record !== "program") return [];
			const { warning: own, ...rest } = each;
			return [{
				...rest,
				warnings: own === null ? [] : [own]
			}];
		}),
		isProven: records.every((each) => each.record !== "converged" || each.converged),
		controls: records.filter((each) => each.record === "control"),
		objects: records.filter((each) => each.record === "object"),
		loads: records.filter((each) => each.record === "load"),
		profiles: records.flatMap((each) => {
			if (each.record !== "profile") return [];
			const { record: _, ...rest } = each;
			return [rest];
		}),
		warnings: records.flatMap((each) => {
			if (each.record === "warning") return [each.message];
			if (each.record === "converged" && !each.converged) return [`bench \`${each.bench}\`: no clean total was seen twice in ${each.readings} readings`];
			return [];
		})
	};
}
// src/vm/run-plan.ts
/** Of one reading's output, in bytes; more is an error, not memory. */
const maxBenchOutput = 8388608;
/** Of all readings of a boot. */
const maxBootOutput = 134217728;
/** Of one file of a profile, in bytes, and of all of a boot: what the agent takes, and no more than fits in memory. */
const maxProfile = 16777216;
const maxProfiles = 67108864;
/** Of the agent's records, in bytes: some hundred thousand programs. */
const maxRecords = 67108864;
/** @throws VmError when the guest failed or its time was up */
async function runPlan(request, host, context) {
	const { kernel, initramfs, accelerator, acceleratorReason, agentPlan, timeoutMs } = request;
	return withRunFolder(async (runFolder) => {
		await mkdir(join(runFolder, "output"));
		await writeFile(join(runFolder, "plan.json"), JSON.stringify(agentPlan));
		const records = join(runFolder, "records.jsonl");
		const progress = new FileTail(records, reportProgress(kernel.pin.id, context.log, request.note));
		let end;
		try {
			end = await startGuest(host, context, {
				kernel,
				accelerator,
				initramfs,
				memoryMiB: defaultMemoryMiB,
				cpus: 1,
				runFolder,
				timeoutMs,
				onTick: () => progress.read()
			});
		} finally {
			await progress.close();
		}
		const status = parseStatus(end.status);
		if (status.outcome !== "measured") {
			const message = "message" in status ? status.message : status.outcome;
			throw new VmError(`the guest agent of kernel ${kernel.pin.id} failed: ${message}`);
		}
		const { profiles, ...output } = sortRecords(parseRecords(await readGuestFile(records, maxRecords)));
		const benches = [];
		let printed = 0;
		for (const { stdout, stderr, ...bench } of output.benches) {
			const naming = (stream) => ({
				what: `a ${stream} of bench \`${bench.bench}\` (${bench.revision}, reading ${bench.reading})`,
				tooLong: "let the bench print less, or send what is no result to a file"
			});
			const stdoutText = await readGuestFile(join(runFolder, stdout), maxBenchOutput, naming("stdout"));
			const stderrTail = (await readGuestFile(join(runFolder, stderr), maxBenchOutput, naming("stderr"))).slice(-4e3);
			printed += stdoutText.length;
			if (printed > maxBootOutput) throw new VmError(`the benches printed more than ${maxBootOutput / 2 ** 20} MiB in one boot`, { hint: "let them print less, or send what is no result to a file" });
			benches.push({
				...bench,
				stdoutText,
				stderrTail
			});
		}
		const machine = {
			accelerator,
			runner: runnerOf(context),
			acceleratorReason,
			qemuVersion: host.qemuVersion,
			cpuModel: machineArguments(accelerator).cpuModel,
			commandLine: output.guest.cmdline,
			startedFrom: end.startedFrom,
			memoryMiB: defaultMemoryMiB,
			initramfs: "initramfs" in end ? end.initramfs : initramfs.sha256,
			agent: host.agent.version
		};
		const read = await readProfiles(profiles, agentPlan.benches, runFolder);
		const warnings = [...output.warnings, ...read.warnings];
		return {
			...output,
			machine,
			benches,
			profiles: read.profiles,
			warnings
		};
	});
}
/** What cannot be had of the profiles is a warning: they decide nothing. */
async function readProfiles(files, benches, runFolder) {
	const profiles = [];
	const warnings = [];
	let total = 0;
	for (const { file, ...profile } of files) {
		const { bench, revision, name } = profile;
		const isSame = (other) => other.bench === bench && other.revision === revision && other.name === name;
		try {
			if (!benches.some((planned) => planned.name === bench)) throw new VmError("there is no such bench");
			if (profiles.some(isSame)) throw new VmError("there are two of that name");
			const content = await readGuestBytes(join(runFolder, file), Math.min(maxProfile, maxProfiles - total));
			total += content.length;
			profiles.push({
				...profile,
				content
			});
		} catch (error) {
			warnings.push(`profile ${name} of bench \`${bench}\`, ${revision}, is not kept: ${error.message}`);
		}
	}
	return {
		profiles,
		warnings
	};
}
/** Turns the agent's progress records into lines for a person. */
function reportProgress(kernel, log, note = () => "") {
	let pending = "";
	return (chunk) => {
		const lines = (pending + chunk.toString("utf8")).split("\n");
		pending = lines.pop() ?? "";
		for (const line of lines) for (const record of parseRecords(line)) {
			if (record.record === "guest") log.progress(`${kernel}: booted, measuring`);
			if (record.record === "progress") log.progress(`${kernel}: ${record.bench}, ${record.revision}, reading ${record.reading}${note()}`);
			if (record.record === "loading") log.progress(`${kernel}: loading ${record.object}, ${record.revision}`);
			if (record.record === "profiling") log.progress(`${kernel}: ${record.bench}, ${record.revision}, profile`);
		}
	};
}
// src/vm/measure-in-guest.ts
/**
* Boots a kernel under icount and takes every reading of the plan's benches, base and head in the same boot, has every
* program of the objects verified, and takes the profiles that benches ask for.
*
* What base counted is kept, and where the same is to be counted again only head is run. The empty programs are counted
* in each boot: should they ever cost other than they did, what is kept is not believed, and all is measured.
*
* @throws VmError when the guest failed or its time was up
*/
async function measureInGuest(request, context) {
	const { kernel } = request;
	await checkConfig(kernel, { measured: true });
	const guest = {
		host: await prepareHost(context),
		initramfs: await makeInitramfs(kernel, context.cache, context.environment)
	};
	const { keepBase: isKept = true } = context;
	if (!isKept) return measureRevisions(request, guest, revisionNames, context);
	const key = await keptBaseKey(shapingOf(request, guest, context));
	const kept = await findKeptBase(context.cache, key);
	if (kept !== void 0) {
		const joined = joinKept(await measureRevisions(request, guest, ["head"], context), kept);
		if (joined !== void 0) return joined;
		context.log.warn(`${kernel.pin.id}: this boot is not like the one in which base was measured; measuring both`);
		await dropKeptBase(context.cache, key);
	}
	const measured = await measureRevisions(request, guest, revisionNames, context);
	await keepBase(context.cache, key, measured.run, measured.profiles);
	return measured;
}
/** Everything that shapes what base counts. */
function shapingOf({ kernel, plan, builds }, { host, initramfs }, context) {
	return {
		kernel: kernel.imageSha256,
		machine: machineArguments(icount.accelerator),
		runner: runnerOf(context),
		versions: host.versions,
		memoryMiB: defaultMemoryMiB,
		initramfs: initramfs.sha256,
		agent: host.agent.version,
		build: builds.base.dir,
		plan: agentPlan(plan, builds, ["base"], context),
		objects: builds.objects.filter(({ revision }) => revision === "base")
	};
}
/** Undefined when the two boots are not alike: another machine, or empty programs that cost something else. */
function joinKept({ run, ...measured }, kept) {
	const { machine, calibrations, profiles, ...base } = kept;
	const alike = (own) => JSON.stringify({
		...own,
		startedFrom: null,
		acceleratorReason: null
	});
	if (alike(machine) !== alike(run.machine)) return void 0;
	if (JSON.stringify([...countEmpties({ calibrations })]) !== JSON.stringify([...countEmpties(run)])) return void 0;
	return {
		...measured,
		run: {
			...run,
			keptBase: true,
			benches: [...base.benches, ...run.benches],
			programs: [...base.programs, ...run.programs],
			objects: [...base.objects, ...run.objects],
			loads: [...base.loads, ...run.loads],
			warnings: [...base.warnings, ...run.warnings]
		},
		profiles: [...profiles, ...measured.profiles]
	};
}
/** `plan.json`. */
function agentPlan(plan, builds, revisions, context) {
	return {
		mode: "measure",
		env: guestEnvironment(context.environment),
		work_dir: builds.workDir,
		project: builds.projectPath,
		revisions: revisions.map((name) => ({
			name,
			dir: builds[name].dir
		})),
		objects: plan.lanes.includes("verifier") ? builds.objects.filter(({ revision }) => revisions.includes(revision)).map(({ name, revision, path }) => ({
			name,
			revision,
			path
		})) : [],
		benches: plan.benches.map(({ name, guestCommand, observe, profileCommand, readingsWithoutPrograms }) => ({
			name,
			command: guestCommand,
			observe,
			profile: profileCommand,
			min_unobserved: readingsWithoutPrograms
		})),
		readings: {
			min: 2,
			max: 10
		}
	};
}
async function measureRevisions({ kernel, plan, builds, timeoutMs }, { host, initramfs }, revisions, context) {
	const kept = revisions.includes("base") ? "" : "; base is as measured before";
	context.log.progress(`${kernel.pin.id}: booting ${kernel.uname} under TCG with icount${kept}`);
	const { accelerator, reason: acceleratorReason } = icount;
	const { profiles, machine, controls: _, ...output } = await runPlan({
		kernel,
		initramfs,
		accelerator,
		acceleratorReason,
		agentPlan: agentPlan(plan, builds, revisions, context),
		timeoutMs
	}, host, context);
	const benches = output.benches.filter(isOfRevision);
	const programs = output.programs.filter(isOfRevision);
	return {
		run: {
			kernel: kernel.pin.id,
			machine,
			keptBase: false,
			...output,
			benches,
			programs
		},
		profiles,
		agent: host.agent
	};
}
function isOfRevision(record) {
	return record.revision !== "control";
}
// node_modules/pure-rand/lib/esm/distribution/uniformInt.js
/**
* Uniformly generate number in range [0 ; rangeSize[
* With rangeSize <= 0x100000000
* @internal
*/
function uniformIntInternal(rng, rangeSize) {
	const MaxAllowed = rangeSize > 2 ? ~~(4294967296 / rangeSize) * rangeSize : 4294967296;
	let deltaV = rng.next() + 2147483648;
	while (deltaV >= MaxAllowed) deltaV = rng.next() + 2147483648;
	return deltaV % rangeSize;
}
/**
* We only accept safe integers here
* @internal
*/
function fromNumberToArrayInt64(out, n) {
	if (n < 0) {
		const posN = -n;
		out.sign = -1;
		out.data[0] = ~~(posN / 4294967296);
		out.data[1] = posN >>> 0;
	} else {
		out.sign = 1;
		out.data[0] = ~~(n / 4294967296);
		out.data[1] = n >>> 0;
	}
	return out;
}
/**
* Substract two ArrayInt of 64 bits on 64 bits.
* With arrayIntA - arrayIntB >= 0
* @internal
*/
function substractArrayInt64(out, arrayIntA, arrayIntB) {
	const lowA = arrayIntA.data[1];
	const highA = arrayIntA.data[0];
	const signA = arrayIntA.sign;
	const lowB = arrayIntB.data[1];
	const highB = arrayIntB.data[0];
	const signB = arrayIntB.sign;
	out.sign = 1;
	if (signA === 1 && signB === -1) {
		const low = lowA + lowB;
		const high = highA + highB + (low > 4294967295 ? 1 : 0);
		out.data[0] = high >>> 0;
		out.data[1] = low >>> 0;
		return out;
	}
	let lowFirst = lowA;
	let highFirst = highA;
	let lowSecond = lowB;
	let highSecond = highB;
	if (signA === -1) {
		lowFirst = lowB;
		highFirst = highB;
		lowSecond = lowA;
		highSecond = highA;
	}
	let reminderLow = 0;
	let low = lowFirst - lowSecond;
	if (low < 0) {
		reminderLow = 1;
		low = low >>> 0;
	}
	out.data[0] = highFirst - highSecond - reminderLow;
	out.data[1] = low;
	return out;
}
/**
* Uniformly generate ArrayInt64 in range [0 ; rangeSize[
*
* @remarks
* In the worst case scenario it may discard half of the randomly generated value.
* Worst case being: most significant number is 1 and remaining part evaluates to 0.
*
* @internal
*/
function uniformArrayIntInternal(rng, out, rangeSize) {
	const maxIndex0 = rangeSize[0] + 1;
	out[0] = uniformIntInternal(rng, maxIndex0);
	out[1] = uniformIntInternal(rng, 4294967296);
	while (out[0] >= rangeSize[0] && (out[0] !== rangeSize[0] || out[1] >= rangeSize[1])) {
		out[0] = uniformIntInternal(rng, maxIndex0);
		out[1] = uniformIntInternal(rng, 4294967296);
	}
	return out;
}
const safeNumberMaxSafeInteger = Number.MAX_SAFE_INTEGER;
const sharedA = {
	sign: 1,
	data: [0, 0]
};
const sharedB = {
	sign: 1,
	data: [0, 0]
};
const sharedC = {
	sign: 1,
	data: [0, 0]
};
const sharedData = [0, 0];
function uniformLargeIntInternal(rng, from, to, rangeSize) {
	const rangeSizeArrayIntValue = rangeSize <= safeNumberMaxSafeInteger ? fromNumberToArrayInt64(sharedC, rangeSize) : substractArrayInt64(sharedC, fromNumberToArrayInt64(sharedA, to), fromNumberToArrayInt64(sharedB, from));
	if (rangeSizeArrayIntValue.data[1] === 4294967295) {
		rangeSizeArrayIntValue.data[0] += 1;
		rangeSizeArrayIntValue.data[1] = 0;
	} else rangeSizeArrayIntValue.data[1] += 1;
	uniformArrayIntInternal(rng, sharedData, rangeSizeArrayIntValue.data);
	return sharedData[0] * 4294967296 + sharedData[1] + from;
}
/**
* Uniformly generate random integer values between `from` (included) and `to` (included)
*
* @param rng - Instance of RandomGenerator to extract random values from
* @param from - Lower bound of the range (included)
* @param to - Upper bound of the range (included)
*
* @public
*/
function uniformInt(rng, from, to) {
	const rangeSize = to - from;
	if (rangeSize <= 4294967295) return uniformIntInternal(rng, rangeSize + 1) + from;
	return uniformLargeIntInternal(rng, from, to, rangeSize);
}
// node_modules/pure-rand/lib/esm/generator/mersenne.js
const N = 624;
const M = 397;
const A = 2567483615;
const F = 1812433253;
const U = 11;
const S = 7;
const B = 2636928640;
const T = 15;
const C = 4022730752;
const L = 18;
const MASK_LOWER = 2147483647;
const MASK_UPPER = 2147483648;
const JUMP_COEFS = "SUSgbA\\W`E[]KN2RUSo8XVU?HKBFRl11E\\KoWOg5B]XEWG;BE;1:oVK[`B^Z9Qd23^XTnhL>]Unda4f[X;_j9H5QD=cN<5H`3bW>9bk1mjoI2fK0obmAAINOV:>Mek_V9dd<hZ\\gC3?Fm7FEk07QH_3PLm^@?^i\\QMkgP<]oLHmFnlecg5F@7U^@4jhZ?WZS0k@GHehmM36:5^9;>Hmm`co>k:KOSkSbIINb1VFf>LXgP>GUAQTD>Ci>XMGkUflLlb?_FaFUk@?5N7i70@;1o68ah@I<HFH7R2^J:G][Gf962ITWID9GWK8ElD2G5=DcHcL]cA]P2n7A=[<bInM;IHDQnJMReRXDWbVldnGEIPij`E08Xdci3@0c:IBbD4:Nk]?lEN9j^;T`0blZX7eiWE8c`<ak7j05FZi>AjUDh?M1B?^??FAXKThf<aBOXZf7jXYGK>R<;NHk3S9YhM7STJ6`:MIE`S@7298X8W>PNK=@;lLX<i\\TXLL<W@X[X54H]in8M;;n?kkQbajgAMY=Tf9b;ZKf0QUB2FHYWfnfkDoU9YkcLd95T>lK6GM1YL\\lid:J>KYS=iJ]Y>QlF>?R5_[5QeYC=66;A32Ac>OHk_ne^0g>bK:g;KFPgbGUcPR_Z=TX3H9d03bKZ2IhEPKBo>LSGWd0iFdV8C<Y:<>T[O6lC\\blaZ>GoAYP4clf^j1IfnZJ]QeDe2X<HE[LJNWnaCg[P]Co^:IRbWPY?97UePBlZNNHY6LOBM8P>=h?Ye:_f_Sb9Ki5GDYBF4dWeMfdg^ccPllNWM7G1\\UMdoYeOOD5^e@foA22G?ADYo5:FVG[bWo96;>3kc_c1Ab30>30;1@4F8g2hY?DJ4[LOL;ZLLKo2]jo>[KMDUcR279N_kF=3WL@Dd620bMTdA\\U9k``ef2iD9JgJ8CZBHS>F^Uk;<laeaeHS<15OSeS`PcSSKBRBFY]aQ=EgUXGNg=?d56`KA@2BejY0^[_DCX`L=CGMT=BW^6S1i@2ATBVk>3_ocRA>2U:4GPQ6o>5jX2HIcV3S@On6KB<[SKB?FC_AAji9agbBFkAi\\;4I\\UJ]c36Ub@[;gQACVGY<V]SDJBUU]La\\_a@JdOO8gm2T0DJMa:8Hf7>E]noQ[1Kambn??QQ]S?1i0oMGOijb\\aGY6lQ^CJ?9bFle8<eH4UUjBINX;n8@VOA5ah^URV49B[A?ONHhHAC1J5;;h0SXYlG^0W=eJdHh^K4SGe=1HZLLam;D<Q3AOdbPcdX``82\\jo0En8jRVGC73WMCF9`d:0heS?80?C188cSn7H9<daZ]MgS4Pb^1HkA:1PU^5>^h_g[RQV@PnYBRI_]`B]Bh@Uk03eXGY`I16L76H28X`R>IROMeNVUdU[:lghLhPCQZ:4a<30YBZCYnXe[?;jc8gKI2QH2MjnWBm4nGCZW`aVU2a;P<AMI25mlW_Nm][2?b6o851X@lAm]YZ`bWRF1g<Ga:T]1NXH5Veja5P9S9>:aNg:Th1Y=5o78K>LQ8hW@5S?I83Lk5Xk;j5@I3o[d:4RjE^oS30:WP9gC\\i8aSI>QRE@4lP:7lDg8g2`Ql[2I8aBU\\BQ?B4_clL9Q]S;^e1Ob5[>3JER2`c7B=o]fPOWO<DGi;Niba1PoWPPE_Q3aX0OB0mZej\\f_M[J4Y6]1`h2MkF[GiW8Q^d3^_=<I1N2Q7]2<2j[iP7V3V821FaI]A`93bC^Z\\G=WJ;^Ih?B97_iIF@\\Dl<eK1je8SNTWo_=XFMZH<<JYLZ^YQMPgYOV45K_:]kSI8^XlO0]GY=VUfe_C_F6TOcoAlVUH:o=WhhT@K`2KFhe<3\\KXQ>W:M?S_4S5d@J^`[AGA7@3]DnGSCO`\\?E8HT75^d9\\:m\\m1egIfk8cd6bD9\\eU8\\n[Pb0Cgd^S0n9kGJHb]i5XodlKHc34Fhi9K>0U5WK`>7Ff2^KL=WC6:kc?e5C^a1T1:4:^S5flXlGNIj08AfO?Dh7T7dWO>E]NI9?ob7B7P_h[4TEP[EU;GllFTnSmg9:\\[N]<SAoKP_kPlG56A:I3T6EG8Hj=XnUE`KT5U@OQ?]7[N^MFN1_NU4KO_3::Le`8IL9[1Z1H1;V3SC\\N3]S@4U[F2mhT5dYM7[4Pg_Na0_8WTH0`bgceQS8]EG;XgD4Ib4iLTP@kE79Mn>AYRJA1U5^Blhgno:aHVYc03c3J0Vc9FjEV^M75Zfd8kVC9>iJDk`AJ[6f7DK2D^DL\\AX:6b5h31XH;RQB\\N<ZSM=J;6L[`UW^eOIFc1Y]6_dfedIe4ARh72mTXC0WND_IDHVCZRDE0eODARCEETQI5TPUQE=jEH5bS?LP[ai`F5ABRYDo2o\\@=]GT?_9;hc4Lm:\\SF9k1T<0E@fX9BG[]g0nY7k[Qmi@la8`PF0j6@Q?Ii7bLkXQ<lLHf]`:DCh@9JY5>hEVLTdhL\\b1EB0lLh<=WaO@F<;8g<d:@e:LA:cFIEdmQh7hNHfSRToW?8N4:Z1K;XEDRO;OIDh<UdVln?bjgL>?VE98[B\\K<BVjkG8LiSX;fb>jf?DUK00Aih<WY6QD6cEnHBZ8iN_fd<G8Ci`11RUW2QlW]IXV:m?;J0GXXHfGNQ>:D`=fLPbO?VOTEYLj^cNj5PM>jKB5HVjJ4U7lXaTQNL9<@\\1`m\\Ug@VQHd7>jW=ca0`miF7;N0F=GjoQ`RFchKMGTmn8cF@Oh4GGCm7m2`U9j93Tb>=kSERjE_J939F01I1;`<ijk_=_Vn=7RVAI6fnQI5KlF:C44bN<<8K=Z<2TP<1]5?<dB>^LA=ebloE2Y2:9lkh0\\<YKbHD97iE`<C5oj^1>X:??`H6BXF2hG1Q[dF0Q=>W=J?7C\\k1T?<;R44oW?1hY^G8Zm]ZKnfOf0eCFYo6?=D8?<`6HU5SXh1;=:23LmV_FSi;OJfV<^?GkIDPISeHg1LaGE:V3Y3K3H<QJfbY?=;ldZRhnhQT_mGXDLFXXhSONE6Do_0iNZagB:BPGOTH;VhHUTd6LhQm^[;dO]5Hlkg<R:F<Kn\\:I:EGojgWZ2X@SYO_dlH;G8S<>oEKabY`:oU;=JW7ig?S?EYb86b7n8ce\\]IRa]koiWY<RfO;5kUI;7lVeC?[@ZaXDiF04B8R]bg@>O<mQDoUcBLcf^f>m2kMBUloD>Ze@NN^Z11TM`inXYhE_I=kA`:ZF4d\\>`L@;ZP[`ENU5cL[BV6\\Z?Di76:jg3hE6oG6jFc8kP=[GS1;WSedYQW1:U4\\OF32GgmMC<AjO]872bdBb`bKAA?8j78b>T3VfcUB2m4J^CPRU;8dScI]LU]^bBYA5_3:Y0N5i^?200000";
var MersenneTwister = class MersenneTwister {
	constructor(states, index) {
		this.states = states;
		this.index = index;
	}
	clone() {
		return new MersenneTwister(this.states.slice(), this.index);
	}
	next() {
		let y = this.states[this.index];
		y ^= y >>> U;
		y ^= y << S & B;
		y ^= y << T & C;
		y ^= y >>> L;
		this.index = twistedNext(this.states, this.index);
		return y;
	}
	getState() {
		return [this.index, ...this.states];
	}
	jump() {
		const originalStates = this.states.slice();
		const originalIndex = this.index;
		this.index = twistedNext(this.states, this.index);
		for (let i = 19932; i > 0; --i) {
			if (JUMP_COEFS.charCodeAt(i / 6 | 0) - 48 & 1 << i % 6) addState(this.states, this.index, originalStates, originalIndex);
			this.index = twistedNext(this.states, this.index);
		}
		addState(this.states, this.index, originalStates, originalIndex);
	}
};
function addState(mt, idx, originalMt, originalIdx) {
	let i = 0;
	if (originalIdx >= idx) {
		for (; i < N - originalIdx; i++) mt[i + idx] ^= originalMt[i + originalIdx];
		for (; i < N - idx; i++) mt[i + idx] ^= originalMt[i + originalIdx - N];
		for (; i < N; i++) mt[i + idx - N] ^= originalMt[i + originalIdx - N];
	} else {
		for (; i < N - idx; i++) mt[i + idx] ^= originalMt[i + originalIdx];
		for (; i < N - originalIdx; i++) mt[i + idx - N] ^= originalMt[i + originalIdx];
		for (; i < N; i++) mt[i + idx - N] ^= originalMt[i + originalIdx - N];
	}
}
function twistedNext(mt, idx) {
	if (idx < 227) {
		const y = mt[idx] & MASK_UPPER | mt[idx + 1] & MASK_LOWER;
		mt[idx] = mt[idx + M] ^ y >>> 1 ^ -(y & 1) & A;
		return idx + 1;
	} else if (idx < 623) {
		const y = mt[idx] & MASK_UPPER | mt[idx + 1] & MASK_LOWER;
		mt[idx] = mt[idx + M - N] ^ y >>> 1 ^ -(y & 1) & A;
		return idx + 1;
	} else {
		const y = mt[idx] & MASK_UPPER | mt[0] & MASK_LOWER;
		mt[idx] = mt[396] ^ y >>> 1 ^ -(y & 1) & A;
		return 0;
	}
}
function twist(mt) {
	for (let idx = 0; idx !== N; ++idx) twistedNext(mt, idx);
}
function mersenne(seed) {
	const out = [seed | 0];
	for (let idx = 1; idx !== N; ++idx) {
		const xored = out[idx - 1] ^ out[idx - 1] >>> 30;
		out.push(Math.imul(F, xored) + idx | 0);
	}
	twist(out);
	return new MersenneTwister(out, 0);
}
// src/statistics/balanced-orders.ts
/** Up to this many slots a block holds all their orders, 24 at most. */
const mostPermutedSlots = 4;
/**
* An order of the slots 0 to `slots` - 1 for each round. Slots are what runs in a round: base, head, base again.
*
* Rounds come in blocks. With up to 4 slots a block holds every order once (2, 6 or 24 rounds). With more it is a
* Williams design, in which every slot comes right after every other one equally often: as many rounds as slots, or
* twice as many where their number is odd. A block is made of Latin squares: of the first `slots` rounds, and of each
* `slots` rounds that follow, every slot is once in every place. So places are balanced when the rounds are a multiple
* of the slots, and orders when they are a multiple of the block; else the last block is cut short. Squares and their
* rows are shuffled.
*
* Equal arguments give equal orders, with the pinned version of pure-rand (MT19937).
*
* Williams, "Experimental Designs Balanced for the Estimation of Residual Effects of Treatments", Australian Journal of
* Scientific Research A 2 (1949) 149-168.
*
* @param slots 1 to 100
* @param rounds 0 to 1,000,000
* @param seed a whole number from 0 to 2^32 - 1, to be kept with the results
* @throws RangeError when an argument is out of range
*/
function balanceOrders(slots, rounds, seed) {
	checkWhole("slots", slots, 1, 100);
	checkWhole("rounds", rounds, 0, 1e6);
	checkWhole("seed", seed, 0, 2 ** 32 - 1);
	const random = mersenne(seed);
	const squares = slots <= mostPermutedSlots ? permutationSquares(slots) : williamsSquares(slots);
	const orders = [];
	while (orders.length < rounds) {
		const names = shuffle(Array.from({ length: slots }, (_, slot) => slot), random);
		for (const square of shuffle(squares, random)) for (const order of shuffle(square, random)) orders.push(order.map((slot) => names[slot] ?? 0));
	}
	return orders.slice(0, rounds);
}
/** All orders, as Latin squares: each is one order and its rotations. */
function permutationSquares(slots) {
	return permute(Array.from({ length: slots - 1 }, (_, index) => index + 1)).map((rest) => {
		const order = [0, ...rest];
		return order.map((_, turn) => [...order.slice(turn), ...order.slice(0, turn)]);
	});
}
function permute(slots) {
	if (slots.length === 0) return [[]];
	return slots.flatMap((first) => permute(slots.filter((slot) => slot !== first)).map((rest) => [first, ...rest]));
}
/** The row 0, n - 1, 1, n - 2 ... and its n shifts; mirrored as well where n is odd, for only both together balance. */
function williamsSquares(slots) {
	const row = Array.from({ length: slots }, (_, place) => place % 2 === 0 ? place / 2 : slots - (place + 1) / 2);
	const square = row.map((_, shift) => row.map((slot) => (slot + shift) % slots));
	return slots % 2 === 0 ? [square] : [square, square.map((order) => order.toReversed())];
}
/** Fisher-Yates, of a copy. */
function shuffle(items, random) {
	const left = [...items];
	return items.flatMap((_, index) => left.splice(uniformInt(random, 0, items.length - index - 1), 1));
}
function checkWhole(name, value, least, most) {
	if (!Number.isInteger(value) || value < least || value > most) throw new RangeError(`${name} is ${value}, which is not a whole number from ${least} to ${most}`);
}
// src/vm/accelerator.ts
/** Time in which a kernel under KVM has long reached its first process, nested virtualisation included. */
const probeDeadlineMs = 15e3;
/**
* Boots the kernel under KVM to its initramfs, with a deadline.
*
* @returns `kvm` when the guest said that it had booted, else `tcg` with what went wrong
*/
async function chooseAccelerator(kernel, initramfs, qemu, signal) {
	try {
		await access("/dev/kvm", constants.R_OK | constants.W_OK);
	} catch (error) {
		return {
			accelerator: "tcg",
			reason: error.code === "ENOENT" ? "there is no /dev/kvm" : "/dev/kvm cannot be opened by this user"
		};
	}
	const result = await run$1(qemu, [
		...[
			"-nodefaults",
			"-display",
			"none",
			"-no-reboot",
			"-serial",
			"stdio",
			"-m",
			"512"
		],
		...[
			"-accel",
			"kvm",
			"-cpu",
			"host",
			"-kernel",
			kernel.image,
			"-initrd",
			initramfs.file
		],
		...["-append", "console=ttyS0 panic=-1 bpfgate.probe"]
	], {
		timeoutMs: probeDeadlineMs,
		signal
	});
	if (result.stdout.includes("bpfgate-probe: booted")) return {
		accelerator: "kvm",
		reason: null
	};
	if (result.timedOut) return {
		accelerator: "tcg",
		reason: `a probe boot under KVM did not finish within ${probeDeadlineMs / 1e3} s`
	};
	const said = result.stderr.trim().split("\n")[0] ?? "";
	return {
		accelerator: "tcg",
		reason: `a probe boot under KVM failed${said === "" ? "" : `: ${said}`}`
	};
}
// src/vm/time-in-guest.ts
/** Boots that the budget is planned for: what a boot shifts for as long as it lasts shows between them only. */
const plannedBoots = 3;
const mostBoots = 12;
/** Of a bench in one boot. The first is warm-up, and never used. */
const leastRounds = 3;
const mostRounds = 61;
/**
* Runs the plan's timed benches in one guest after another. Rounds are dealt out so that base, head and control come in
* every order equally often.
*
* @throws VmError when a guest failed or its time was up
*/
async function timeInGuest(request, context) {
	const { kernel, plan, builds, budgetMs, timeoutMs } = request;
	await checkConfig(kernel, { measured: true });
	const host = await prepareHost(context);
	const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
	const { accelerator, reason } = await chooseAccelerator(kernel, initramfs, host.qemu, context.signal);
	const startedAt = performance.now();
	const leftMs = () => budgetMs - (performance.now() - startedAt);
	const note = () => `, ${describeLeft(leftMs())}`;
	const boots = [];
	let longestMs = 0;
	/** What a boot takes beside its rounds; known after the first. */
	let overheadMs = 0;
	while (boots.length === 0 || boots.length < mostBoots && leftMs() > longestMs) {
		const boot = boots.length;
		const bootedAt = performance.now();
		const seed = (request.seed + boot) % 2 ** 32;
		const planned = Math.max(1, plannedBoots - boot);
		const shareMs = Math.max(0, leftMs() / planned - overheadMs) / plan.timed.length;
		const agentPlan = {
			mode: "measure",
			env: guestEnvironment(context.environment),
			work_dir: builds.workDir,
			project: builds.projectPath,
			revisions: runNames.map((name) => ({
				name,
				dir: builds[name === "control" ? "base" : name].dir
			})),
			objects: [],
			benches: plan.timed.map(({ name, timeCommand, observe }) => ({
				name,
				command: timeCommand,
				observe
			})),
			readings: {
				min: leastRounds,
				max: mostRounds,
				budget_ms: Math.round(shareMs)
			},
			orders: balanceOrders(runNames.length, mostRounds, seed),
			control: true
		};
		const where = accelerator === "kvm" ? "KVM" : `TCG (${reason})`;
		context.log.progress(`${kernel.pin.id}: time lane, boot ${boot + 1}, under ${where}${note()}`);
		const { machine, benches, programs, controls, warnings } = await runPlan({
			kernel,
			initramfs,
			accelerator,
			acceleratorReason: reason,
			agentPlan,
			timeoutMs,
			note
		}, host, context);
		boots.push({
			kernel: kernel.pin.id,
			boot,
			seed,
			machine,
			benches,
			programs,
			controls,
			warnings
		});
		const tookMs = performance.now() - bootedAt;
		overheadMs = Math.max(0, tookMs - shareMs * plan.timed.length);
		longestMs = overheadMs + Math.min(tookMs, budgetMs / plannedBoots) / 2;
	}
	return boots;
}
function describeLeft(ms) {
	const seconds = Math.max(0, Math.round(ms / 1e3));
	return seconds < 120 ? `${seconds} s left` : `${Math.round(seconds / 60)} min left`;
}
// src/measure-kernels.ts
/**
* Under icount a guest's counts do not depend on what else the host does, so kernels run side by side. What stops one for
* another reason than its own failure ends the others.
*/
async function measureKernels(plan, build, context, timeoutMs) {
	const limit = pLimit(availableParallelism());
	const stop = new AbortController();
	const signal = AbortSignal.any([stop.signal, ...context.signal === void 0 ? [] : [context.signal]]);
	let failure;
	const measureOne = async (pin) => {
		try {
			return await measureKernel(pin, plan, build, {
				...context,
				signal
			}, timeoutMs);
		} catch (error) {
			failure ??= { error };
			stop.abort(error);
			return;
		}
	};
	const outcomes = await Promise.all(plan.kernels.map((pin) => limit(() => measureOne(pin))));
	if (failure !== void 0) throw failure.error;
	return outcomes.filter((outcome) => outcome !== void 0);
}
async function measureKernel(pin, plan, build, context, timeoutMs) {
	let known = {
		...nothingMeasured,
		pin,
		sha256: pin.sha256
	};
	try {
		const kernel = await fetchKernel(pin, context);
		known = {
			...known,
			kernel,
			sha256: identityOf(kernel)
		};
		const builds = await build(kernel, context);
		known = {
			...known,
			builds
		};
		const objectWarnings = checkObjects(plan, builds);
		if (plan.benches.length === 0 && !plan.lanes.includes("verifier")) return known;
		const { run, profiles, agent } = await measureInGuest({
			kernel,
			plan,
			builds,
			timeoutMs
		}, context);
		const { measurements, gaps, lines, warnings } = measure(run, plan);
		const drawn = await drawProfiles(profiles, {
			kernel: pin.id,
			agent: agent.file,
			signal: context.signal
		});
		context.log.progress(`${pin.id}: measured`);
		return {
			...known,
			run,
			measurements,
			gaps,
			lines,
			profiles: drawn.files,
			warnings: [
				...objectWarnings,
				...run.warnings,
				...warnings,
				...drawn.warnings
			]
		};
	} catch (error) {
		return failWith(error, known, plan, context);
	}
}
const nothingMeasured = {
	kernel: void 0,
	builds: void 0,
	run: void 0,
	boots: [],
	times: void 0,
	error: void 0,
	measurements: [],
	gaps: [],
	lines: [],
	profiles: [],
	warnings: []
};
function failWith(error, outcome, plan, { log }) {
	if (!(error instanceof GateError) || error instanceof InterruptedError) throw error;
	if (plan.kernels.length > 1) log.warn(`${outcome.pin.id}: ${error.message}`);
	return {
		...nothingMeasured,
		pin: outcome.pin,
		sha256: outcome.sha256,
		builds: outcome.builds,
		error
	};
}
/**
* The time lane, one kernel after the other, when nothing else of the gate runs: times depend on what else the host does.
* Each kernel has its share of what is left of the budget.
*/
async function timeKernels(outcomes, plan, context, timeoutMs) {
	if (plan.timed.length === 0) return [...outcomes];
	const startedAt = performance.now();
	const seed = Math.floor(Math.random() * 2 ** 32);
	const timed = [];
	for (const [index, outcome] of outcomes.entries()) {
		const { kernel, builds } = outcome;
		if (kernel === void 0 || builds === void 0 || outcome.error !== void 0) {
			timed.push(outcome);
			continue;
		}
		const leftMs = plan.timeBudgetMs - (performance.now() - startedAt);
		const budgetMs = Math.max(0, leftMs) / (outcomes.length - index);
		try {
			const boots = await timeInGuest({
				kernel,
				plan,
				builds,
				budgetMs,
				timeoutMs,
				seed
			}, context);
			const isReal = boots.every(({ machine }) => machine.accelerator === "kvm");
			const times = {
				...measureTimes(boots, plan),
				kernel: outcome.pin.id,
				isReal
			};
			const warnings = [.../* @__PURE__ */ new Set([...outcome.warnings, ...boots.flatMap((boot) => boot.warnings)])];
			timed.push({
				...outcome,
				boots,
				times,
				warnings
			});
		} catch (error) {
			timed.push({
				...outcome,
				error: failWith(error, outcome, plan, context).error
			});
		}
	}
	return timed;
}
/**
* What to say where the verifier lane has nothing to do.
*
* @throws BuildError when nothing else was to be done
*/
function checkObjects({ lanes, benches, timed }, { objects }) {
	if (!lanes.includes("verifier") || objects.length > 0) return [];
	const message = "no BPF object is in the built project, so the verifier lane has no program to load";
	if (benches.length > 0 || timed.length > 0) return [message];
	throw new BuildError(message, { hint: "let build.command leave object files, and name them in bpfgate.toml if they are found by other names: [build] objects = [\"src/*.bpf.o\"]" });
}
// src/plan/criterion-command.ts
/** Flags of cargo-criterion 1.1.0, before `--`. */
const cargoFlags = [
	["--message-format", "--message-format=json"],
	["--output-format", "--output-format quiet"],
	["--plotting-backend", "--plotting-backend disabled"]
];
/** Flags of criterion 0.5 to 0.8, after `--`. It allows no sample size below 10; its bootstrap is not used here. */
const criterionFlags = (purpose) => [
	["--sample-size", "--sample-size 10"],
	["--warm-up-time", `--warm-up-time ${purpose === "time" ? "0.05" : "0.005"}`],
	["--measurement-time", `--measurement-time ${measurementTimes[purpose]}`],
	["--nresamples", "--nresamples 100"]
];
/** In seconds. */
const measurementTimes = {
	count: "0.005",
	profile: "0.25",
	time: "0.2"
};
const targetFlags = [
	"--lib",
	"--bin",
	"--bins",
	"--example",
	"--examples",
	"--test",
	"--tests",
	"--bench",
	"--benches",
	"--all-targets"
];
/** What one simple `cargo` command runs: its subcommand; `other` for other programs; `complex` for more than one command. */
function cargoSubcommand(command) {
	const words = splitWords(command);
	if (words === null) return "complex";
	const name = words[cargoSubcommandIndex(words)];
	return name === "criterion" || name === "bench" ? name : "other";
}
/**
* Adds JSON output and cheap settings to one simple `cargo criterion` command, except what the user gave; any other
* command comes back as it is.
*
* Without a target flag it selects `--bench '*'`: cargo criterion would also start the library's test harness, which
* refuses criterion's flags.
*/
function tuneCriterionCommand(command, purpose = "count") {
	const words = splitWords(command);
	if (words === null) return command;
	const index = cargoSubcommandIndex(words);
	if (words[index] !== "criterion") return command;
	const rest = words.slice(index + 1);
	const separator = rest.indexOf("--");
	const cargoWords = separator === -1 ? rest : rest.slice(0, separator);
	const criterionWords = separator === -1 ? [] : rest.slice(separator + 1);
	return [
		...words.slice(0, index + 1),
		...cargoWords,
		...targetFlags.some((flag) => hasFlag(cargoWords, flag)) ? [] : ["--bench '*'"],
		...missingFlags(cargoWords, cargoFlags),
		"--",
		...criterionWords,
		...missingFlags(criterionWords, criterionFlags(purpose).filter(([flag]) => flag !== "--sample-size" || !hasFlag(criterionWords, "--quick")))
	].join(" ");
}
function missingFlags(words, flags) {
	return flags.filter(([name]) => !hasFlag(words, name)).map(([, text]) => text);
}
function hasFlag(words, flag) {
	return words.some((word) => word === flag || word.startsWith(`${flag}=`));
}
/** Index of the word behind `NAME=value... cargo [+toolchain]`; past the end when that is not the command. */
function cargoSubcommandIndex(words) {
	const program = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
	if (program === -1 || words[program] !== "cargo") return words.length;
	return words[program + 1]?.startsWith("+") ? program + 2 : program + 1;
}
/** Words of a simple command, quotes kept; null where the shell would do more than split it into words. */
function splitWords(command) {
	const words = [];
	let rest = command.trim();
	while (rest !== "") {
		const word = /^(?:'[^']*'|"[^"$`\\]*"|[^\s'"$`\\|&;<>()#!])+/.exec(rest)?.[0];
		if (word === void 0) return null;
		const after = rest.slice(word.length);
		if (after !== "" && !/^[ \t]/.test(after)) return null;
		words.push(word);
		rest = after.replace(/^[ \t]+/, "");
	}
	return words;
}
// src/plan/make-plan.ts
/**
* @param kernels those the selectors of `inputs` chose
* @throws InputError when there is nothing to run, nothing to run it on, or a command cannot give results
*/
function makePlan(inputs, kernels) {
	const { file } = inputs.config;
	const isRun = inputs.lanes.some((lane) => lane !== "verifier");
	const benches = isRun ? inputs.config.benches : [];
	if (benches.length === 0 && isRun) throw new InputError(`${file}: no [[bench]]; nothing would be measured`, { hint: `add one that runs a benchmark of the project, for example:\n\n${minimalConfig}` });
	if (kernels.length === 0) throw new InputError(`no kernel is selected by ${inputs.kernels.join(", ")}`);
	const warnings = [];
	const planned = benches.map((bench) => {
		const { command, warning } = planCommand(bench, file);
		if (warning !== null) warnings.push(warning);
		return {
			...bench,
			guestCommand: command,
			timeCommand: isCriterion(bench) ? tuneCriterionCommand(bench.command, "time") : bench.command,
			profileCommand: bench.profile ? planProfile(bench) : null,
			readingsWithoutPrograms: isCriterion(bench) ? 1 : 2
		};
	});
	const { lanes, timeBudgetMs } = inputs;
	const runIn = (lane) => lanes.includes(lane) ? planned : [];
	return {
		kernels,
		lanes,
		benches: runIn("instructions"),
		timed: runIn("time"),
		timeBudgetMs,
		warnings
	};
}
function planProfile(bench) {
	return isCriterion(bench) ? tuneCriterionCommand(bench.command, "profile") : bench.command;
}
function planCommand(bench, file) {
	if (!isCriterion(bench)) return {
		command: bench.command,
		warning: null
	};
	const where = `${file}:${bench.line}: bench \`${bench.name}\``;
	switch (cargoSubcommand(bench.command)) {
		case "criterion": return {
			command: tuneCriterionCommand(bench.command),
			warning: null
		};
		case "bench": {
			const command = JSON.stringify(bench.command.replace(/\bbench\b/, "criterion"));
			throw new InputError(`${where} has format "criterion", but \`cargo bench\` prints no results a program can read`, { hint: `use cargo criterion (\`cargo install cargo-criterion\`): command = ${command}` });
		}
		default: return {
			command: bench.command,
			warning: `${where} runs its command as it stands, which can take minutes; make it one simple \`cargo criterion\` command to have cheap settings added, or give it --message-format=json and, behind --, --sample-size, --warm-up-time and --measurement-time`
		};
	}
}
function isCriterion(bench) {
	return bench.format === "criterion" || bench.format === "auto" && /\bcargo( \+\S+)? criterion\b/.test(bench.command);
}
// src/report/results.ts
const resultsSchemaName = "bpfgate.results/1";
/** Who can mend a failed kernel, after the error classes of errors.ts; `internal` is bpfgate's own fault. */
const kernelErrorKinds = [
	"kernel",
	"machine",
	"vm",
	"build",
	"bench",
	"internal"
];
// src/version.ts
const version = "0.1.0";
// src/vm/exec-in-guest.ts
const accelerators = {
	kvm: "KVM",
	tcg: "TCG",
	"tcg-icount": "TCG with icount"
};
/**
* Boots a kernel and runs one command in it, its output passed on as it comes.
*
* @returns the command's exit code; 128 + N when signal N ended it, as a shell says it
* @throws VmError when the guest failed or its time was up
*/
async function execInGuest(request, context) {
	const { argv, cwd, onStdout, onStderr } = request;
	return withRunFolder(async (runFolder) => {
		const tails = [new FileTail(join(runFolder, "stdout"), onStdout), new FileTail(join(runFolder, "stderr"), onStderr)];
		const end = await runCommand({
			...request,
			cpus: 1,
			runFolder,
			argv,
			cwd,
			tails
		}, context);
		request.onTiming?.(end.timing);
		return exitCodeOf(parseStatus(end.status));
	});
}
/** Runs one command in a guest of its own; stdout and stderr are in the run folder. */
async function runCommand(request, context) {
	const { kernel, argv, cwd, memoryMiB, cpus, runFolder, tails, timeoutMs } = request;
	try {
		await checkConfig(kernel, { measured: false });
		const host = await prepareHost(context);
		const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
		const choice = request.icount ? icount : await chooseAccelerator(kernel, initramfs, host.qemu, context.signal);
		context.log.progress(`booting ${kernel.pin.id} (${kernel.uname}) under ${accelerators[choice.accelerator]}${choice.reason === null ? "" : `: ${choice.reason}`}`);
		const plan = {
			mode: "exec",
			argv,
			cwd,
			env: guestEnvironment(context.environment)
		};
		await writeFile(join(runFolder, "plan.json"), JSON.stringify(plan));
		const { accelerator } = choice;
		const onTick = async () => {
			for (const tail of tails) await tail.read();
		};
		return await startGuest(host, context, {
			kernel,
			accelerator,
			initramfs,
			memoryMiB,
			cpus,
			runFolder,
			timeoutMs,
			onTick
		});
	} finally {
		for (const tail of tails) await tail.close();
	}
}
/** The exit code a shell would show for the command. */
function exitCodeOf(status) {
	switch (status.outcome) {
		case "exited": return status.exit_code;
		case "signaled": return 128 + status.signal;
		case "failed":
			if (typeof status.exit_code === "number") return status.exit_code;
			throw new VmError(`the guest agent failed: ${status.message}`);
		case "timed_out": throw new VmError(status.message);
		case "measured": throw new VmError("the guest agent measured where it was told to run a command");
	}
}
// src/vm/build-in-guest.ts
/** Of the guest that builds, at most; and of the tree it hands back, which must fit in it. */
const buildMemoryMiB = 8192;
/**
* Runs a build in a guest with all of the host's processors, the fastest there is, on the tree at `workDir`, and puts
* what it made of the tree in its place. The guest has no network and harms nothing on the host; a build that fails
* leaves the tree as it was.
*
* @throws VmError when the guest failed, or what it left is no tree
*/
async function buildInGuest(kernel, { command, workDir, project, timeoutMs, onLine }, context) {
	const memoryMiB = Math.min(buildMemoryMiB, Math.floor(totalmem() / 2 ** 21));
	return withRunFolder(async (runFolder) => {
		const lines = new Lines(onLine);
		const exitCode = exitCodeOf(parseStatus((await runCommand({
			kernel,
			memoryMiB,
			cpus: availableParallelism(),
			icount: false,
			timeoutMs,
			runFolder,
			argv: [
				"bash",
				"-c",
				await readFile(join(packageRoot, "vm", "build"), "utf8"),
				"build",
				workDir,
				command
			],
			cwd: project,
			tails: [new FileTail(join(runFolder, "stderr"), (chunk) => lines.add(chunk))]
		}, context)).status));
		if (exitCode !== 0) return {
			failure: `exited with ${exitCode}`,
			output: lines.last()
		};
		await unpackTree(join(runFolder, "stdout"), workDir, memoryMiB);
		return {
			failure: void 0,
			output: lines.last()
		};
	});
}
/** Unpacks what a guest packed, beside the folder it replaces. Root in the guest can have put anything into it. */
async function unpackTree(archive, workDir, maxMiB) {
	const handle = await openGuestFile(archive);
	if (handle === null) throw new VmError("the guest left no tree");
	const unpacked = `${workDir}.guest`;
	try {
		const { size } = await handle.stat();
		if (size > maxMiB * 2 ** 20) throw new VmError(`the guest left a tree of ${size} bytes, more than its memory holds`);
		await rm(unpacked, {
			recursive: true,
			force: true
		});
		await mkdir(unpacked);
		const tar = await run$1("tar", [
			"--extract",
			"--file=-",
			`--directory=${unpacked}`,
			"--no-same-owner",
			"--no-same-permissions"
		], { stdin: handle });
		if (tar.exitCode !== 0) throw new VmError(`the guest left a tree that cannot be unpacked: ${tar.stderr.trim()}`);
		await rm(workDir, {
			recursive: true,
			force: true
		});
		await rename(unpacked, workDir);
	} finally {
		await handle.close();
		await rm(unpacked, {
			recursive: true,
			force: true
		});
	}
}
/** Parts what comes in chunks into lines, and keeps the last of it. */
var Lines = class {
	#onLine;
	#decoder = new TextDecoder();
	#pending = "";
	#last = "";
	constructor(onLine) {
		this.#onLine = onLine;
	}
	add(chunk) {
		const text = this.#decoder.decode(chunk, { stream: true });
		this.#last = (this.#last + text).slice(-65536);
		const lines = (this.#pending + text).split("\n");
		this.#pending = (lines.pop() ?? "").slice(-65536);
		for (const line of lines) this.#onLine(line);
	}
	last() {
		return this.#last;
	}
};
// src/main.ts
const defaultKernelTimeoutMs = 18e5;
/** Under emulation a compiler is more than ten times as slow as on the host. */
const guestBuildTimeoutMs = 108e5;
/**
* Runs the whole gate. A kernel that fails does not stop the others: it is an error in the result.
*
* @throws GateError when the inputs are bad, the project does not build or no kernel at all could be measured; nothing
* has been written then
*/
async function runGate(inputs, context, options = {}) {
	const { log } = context;
	const guests = {
		...context,
		runner: inputs.runner
	};
	const plan = makePlan(inputs, chooseKernels(inputs.kernels, context.cache));
	for (const warning of plan.warnings) log.warn(warning);
	const repository = await openRepository(inputs.project);
	const git = await GitSession.open(repository);
	let outcomes;
	try {
		const head = inputs.head === void 0 ? await git.workingTree(inputs.out) : await git.commitTree(inputs.head);
		const build = await makeBuilder({
			git,
			base: inputs.base === void 0 ? await git.mergeBase(head.commit ?? "HEAD", inputs.baseBranch) : await git.commitTree(inputs.base),
			head,
			config: inputs.config,
			...context
		});
		const timeoutMs = options.kernelTimeoutMs ?? defaultKernelTimeoutMs;
		outcomes = await timeKernels(await measureKernels(plan, build, guests, timeoutMs), plan, guests, timeoutMs);
	} finally {
		await git.close();
	}
	const builds = outcomes.find((outcome) => outcome.builds !== void 0)?.builds;
	const [first] = outcomes;
	if (first?.error !== void 0 && outcomes.every(({ error, run }) => error !== void 0 && run === void 0)) throw first.error;
	if (builds === void 0) throw new Error("a kernel was measured without a build");
	const configFile = join(repository.projectPath, inputs.config.file);
	const { gate } = inputs.config;
	const tree = {
		workDir: builds.workDir,
		projectPath: builds.projectPath,
		configFile,
		benches: await readBenchSources(builds.head.dir, builds.projectPath),
		hasFile: (path) => existsSync(join(builds.head.dir, path))
	};
	const located = (items) => locateSources(items, inputs.config.benches, tree);
	const gaps = outcomes.flatMap((outcome) => [...outcome.gaps, ...outcome.times?.gaps ?? []]);
	const counts = located(outcomes.flatMap((outcome) => outcome.measurements));
	const times = compareTimes(outcomes.flatMap(({ times }) => times === void 0 ? [] : {
		...times,
		benchmarks: located(times.benchmarks)
	}), gate);
	const measurements = [...counts, ...times.measurements];
	const lines = outcomes.flatMap((outcome) => outcome.lines);
	const comparisons = await addGrownLines([...compareMeasurements(counts, gaps, gate), ...times.comparisons], lines, builds, tree);
	if (outcomes.every(({ error }) => error === void 0)) for (const benchmark of findUnusedOverrides(comparisons, gate)) log.warn(`${configFile}: no benchmark is called \`${benchmark}\`, so that [[gate.override]] sets no limit`);
	const kernels = outcomes.map(describeKernel);
	const profiles = outcomes.flatMap((outcome) => outcome.profiles);
	return {
		results: {
			schema: resultsSchemaName,
			bpfgate: version,
			verdict: decideVerdict(comparisons, gaps, kernels),
			project: {
				name: basename(inputs.project),
				configFile,
				projectPath: builds.projectPath
			},
			revisions: {
				base: withoutFolder(builds.base),
				head: withoutFolder(builds.head)
			},
			kernels,
			measurements,
			gaps,
			comparisons,
			profiles: profiles.map(({ profile }) => profile)
		},
		profiles,
		stages: {
			plan,
			builds: [...new Set(outcomes.flatMap((outcome) => outcome.builds ?? []))],
			guestRuns: outcomes.flatMap(({ run }) => run === void 0 ? [] : [run]),
			timedBoots: outcomes.flatMap(({ boots }) => boots)
		}
	};
}
/** To each program that runs or compiles to more instructions, the lines that these stand at. */
async function addGrownLines(comparisons, lines, builds, tree) {
	const maps = /* @__PURE__ */ new Map();
	const added = [];
	for (const comparison of comparisons) {
		const [base, head] = revisionNames.map((revision) => linesOf(comparison, revision, lines));
		if (base === void 0 || head === void 0) {
			added.push(comparison);
			continue;
		}
		const [before, after] = [locateLines(base, tree), locateLines(head, tree)];
		for (const { file } of before) {
			if (maps.has(file)) continue;
			const texts = await readBoth(builds, file);
			maps.set(file, texts === null ? sameLines : mapLines(...texts));
		}
		added.push({
			...comparison,
			lines: findGrownLines(before, after, (file) => maps.get(file) ?? sameLines)
		});
	}
	return added;
}
/** On the host both revisions are built at once, and once; in guests one kernel after the other, when they are wanted. */
async function makeBuilder(request) {
	if (request.config.build.where === "host") {
		const builds = await buildRevisions({
			...request,
			place: onHost
		});
		return async () => builds;
	}
	const limit = pLimit(1);
	return (kernel, context) => limit(() => buildRevisions({
		...request,
		signal: context.signal,
		place: inGuest(kernel, context)
	}));
}
function inGuest(kernel, context) {
	return {
		label: ` in a guest of kernel ${kernel.pin.id}`,
		key: ["guest", identityOf(kernel)],
		offline: true,
		timeoutMs: guestBuildTimeoutMs,
		build: (build) => buildInGuest(kernel, build, context)
	};
}
function describeKernel({ pin, sha256, builds, run, boots, error, warnings }) {
	const consoleTail = error instanceof VmError ? error.consoleTail : [];
	return {
		id: pin.id,
		release: pin.release,
		uname: run?.guest.release ?? null,
		sha256,
		origin: pin.origin,
		machine: run?.machine ?? null,
		keptBase: run?.keptBase ?? false,
		timed: boots[0] === void 0 ? null : {
			machine: boots[0].machine,
			boots: boots.length,
			seed: boots[0].seed
		},
		fingerprint: run === void 0 || builds === void 0 ? null : fingerprint(sha256, run, builds),
		error: error === void 0 ? null : {
			kind: errorKind(error),
			message: error.message,
			hint: error.hint ?? null,
			consoleTail
		},
		warnings
	};
}
/** Everything that shapes a count except the programs' own bytes. */
function fingerprint(kernel, run, builds) {
	const { machine } = run;
	return {
		kernel,
		accelerator: machine.accelerator,
		runner: machine.runner,
		qemu: machine.qemuVersion,
		cpu: machine.cpuModel,
		memory: `${machine.memoryMiB} MiB`,
		commandLine: machine.commandLine,
		initramfs: machine.initramfs,
		agent: machine.agent,
		...builds.head.tools
	};
}
function errorKind(error) {
	if (error instanceof KernelError) return "kernel";
	if (error instanceof MachineError) return "machine";
	if (error instanceof VmError) return "vm";
	if (error instanceof BuildError) return "build";
	if (error instanceof BenchError) return "bench";
	return "internal";
}
function withoutFolder({ dir: _, ...build }) {
	return build;
}
// src/profile/profile.ts
var import_cli_table3 = /* @__PURE__ */ __toESM(require_cli_table3(), 1);
const profileKinds = [
	"base",
	"head",
	"difference"
];
// src/report/headline.ts
/** Rows named in the headline; the rest are counted. */
const maxNamed = 3;
/** Longest name printed whole, in characters. */
const maxName$1 = 80;
/** Different deltas of one row that are told one by one. */
const maxDeltas = 3;
/** Kernels named in one place; more are counted. */
const maxKernels = 6;
/** `2 regressions: ... . 6.12 could not be measured.` `rows` come worst first. */
function composeHeadline(rows, kernels) {
	const withVerdict = (verdict) => rows.filter((row) => row.verdict === verdict);
	const regressions = withVerdict("regression");
	const improvements = withVerdict("improvement");
	const inconclusive = withVerdict("inconclusive");
	const failed = kernels.filter(({ failed }) => failed).map(({ id }) => id);
	const measured = kernels.filter(({ failed }) => !failed).map(({ id }) => id);
	const sentences = [];
	if (regressions.length > 0) sentences.push([`${countOf(regressions.length, "regression")}: `, ...nameChanges(regressions, "regression", kernels)]);
	else if (rows.length > 0 && rows.every(({ verdict }) => verdict === "unsupported")) sentences.push(["Nothing was measured: every benchmark needs a newer kernel"]);
	else if (measured.length > 0) sentences.push([`No regression${countUnchanged(rows)} on ${nameKernels(measured)}`]);
	if (failed.length > 0) sentences.push([`${nameKernels(failed)} could not be measured`]);
	if (inconclusive.length > 0) sentences.push([`${countOf(inconclusive.length, "comparison")} cannot be decided: `, ...nameRows(inconclusive)]);
	if (improvements.length > 0) sentences.push([`${countOf(improvements.length, "improvement")}: `, ...nameChanges(improvements, "improvement", kernels)]);
	for (const verdict of ["removed", "added"]) {
		const found = withVerdict(verdict);
		const benchmarks = [...new Map(found.map((row) => [row.benchmark, row])).values()];
		if (benchmarks.length > 0) sentences.push([`${countOf(benchmarks.length, "benchmark")} ${verdict}: `, ...nameRows(benchmarks)]);
	}
	const newer = rows.filter(({ gaps }) => gaps.some(needsNewer));
	const moved = [...new Map(newer.map((row) => [row.benchmark, row])).values()];
	if (moved.length > 0) {
		const verb = moved.length === 1 ? "needs a newer kernel" : "need newer kernels";
		sentences.push([`${countOf(moved.length, "benchmark")} ${verb} than base: `, ...nameRows(moved)]);
	}
	if (sentences.length === 0) return ["Nothing was measured."];
	return sentences.flatMap((sentence, index) => [
		index === 0 ? "" : " ",
		...sentence,
		"."
	]).filter(Boolean);
}
/** `: 8 benchmarks unchanged, 1 changed within its limit, 49 programs verified`; nothing where all are of another verdict. */
function countUnchanged(rows) {
	const unchangedOf = (own) => groupBy(own, ({ benchmark }) => benchmark).filter((group) => group.every(({ verdict }) => verdict === "unchanged"));
	const benchmarks = unchangedOf(rows.filter(({ lane }) => lane !== "verifier"));
	const programs = unchangedOf(rows.filter(({ lane }) => lane === "verifier")).filter((group) => group.some((row) => isLoads(row) && row.cells.some((cell) => cell?.values.head === 1)));
	const changed = benchmarks.filter((group) => group.some(({ cells }) => cells.some((cell) => cell?.differs)));
	const same = benchmarks.length - changed.length;
	const limits = changed.length === 1 ? "its limit" : "their limits";
	const counts = [
		...same === 0 ? [] : [`${countOf(same, "benchmark")} unchanged`],
		...changed.length === 0 ? [] : [`${same === 0 ? countOf(changed.length, "benchmark") : changed.length} changed within ${limits}`],
		...programs.length === 0 ? [] : [`${countOf(programs.length, "BPF program")} verified as before`]
	];
	return counts.length === 0 ? "" : `: ${counts.join(", ")}`;
}
/**
* How the cells of one verdict changed: `+28 instructions per run on every kernel`, or, where kernels differ,
* `+28 instructions per run on 5.10, +30 on 6.1`, or, where many do, `+28 to +35 instructions per run on every kernel`.
* Behind that, where it was lost or won: `no longer runs on 5.10 (needs 5.18)`.
*/
function describeChange(row, verdict, kernels) {
	const own = row.cells.filter((cell) => cell !== null && cell.verdict === verdict);
	const cells = own.filter(({ needs }) => needs === null);
	const measured = kernels.filter(({ failed }) => !failed);
	const everywhere = measured.length === kernels.length ? "on every kernel" : "on every measured kernel";
	const where = (group) => group.length === measured.length && group.length > 1 ? everywhere : `on ${nameKernels(group.map(({ kernel }) => kernel))}`;
	if (isLoads(row)) return `${verdict === "regression" ? "no longer loads" : "now loads"} ${where(own)}`;
	const groups = groupBy(cells, ({ delta }) => delta ?? "");
	if (groups.length > maxDeltas) {
		const ordered = [...cells].sort((a, b) => Math.abs(a.values.delta ?? 0) - Math.abs(b.values.delta ?? 0));
		const largest = ordered.at(-1)?.delta ?? "";
		return [`${ordered[0]?.delta} to ${largest} ${nameUnit(row, largest)} ${where(cells)}`, ...describeGaps(own, where)].join(", ");
	}
	return [...groups.map((group, index) => {
		const delta = group[0]?.delta ?? "";
		return `${delta}${index === 0 ? ` ${nameUnit(row, delta)}` : ""} ${where(group)}`;
	}), ...describeGaps(own, where)].join(", ");
}
function describeGaps(cells, where) {
	return groupBy(cells, ({ needs }) => JSON.stringify(needs)).flatMap((group) => {
		const needs = group[0]?.needs ?? null;
		if (needs === null) return [];
		return needs.side === "head" ? `no longer runs ${where(group)} (needs ${needs.kernel})` : `now runs ${where(group)} (base needs ${needs.kernel})`;
	});
}
/** Neither side ran there, but head asks for more. */
function needsNewer(gap) {
	if (gap === null || gap.base === null || gap.head === null) return false;
	return gap.base.localeCompare(gap.head, "en", { numeric: true }) < 0;
}
/** `instructions per run`, or, where the unit does not tell the measure, `bytes (peak-bytes)`. */
function nameUnit(row, delta) {
	const unit = (/^.1(\.0+)?$/.test(delta) ? row.unit.replace(/^(instruction|byte|block)s\b/, "$1") : row.unit).replace("/", " per ");
	return unitIsMeasure(row) ? unit : `${unit} (${row.measure})`.trimStart();
}
function nameChanges(rows, verdict, kernels) {
	const named = rows.slice(0, maxNamed).map((row) => [{ code: clipMiddle(row.benchmark, maxName$1) }, ` ${describeChange(row, verdict, kernels)}`]);
	return joinSpans(named, rows.length - named.length, "; ");
}
function nameRows(rows) {
	const named = rows.slice(0, maxNamed).map((row) => [{ code: clipMiddle(row.benchmark, maxName$1) }]);
	return joinSpans(named, rows.length - named.length, ", ");
}
function joinSpans(items, more, separator) {
	const spans = items.flatMap((item, index) => index === 0 ? item : [separator, ...item]);
	return more > 0 ? [...spans, `${separator}and ${more} more`] : spans;
}
function nameKernels(ids) {
	return ids.length > maxKernels ? `${ids.slice(0, 5).join(", ")} and ${ids.length - maxKernels + 1} more kernels` : joinWords(ids);
}
// src/report/numbers.ts
const minus = "−";
/** Beyond these a fraction is printed in powers of ten. */
const maxDecimals = 6;
/** The digits after the point that tell values apart by `delta`: none for whole numbers. */
function decimalsFor(values, delta) {
	if (values.every(Number.isInteger)) return 0;
	const scale = Math.abs(delta === null || delta === 0 ? Math.max(...values.map(Math.abs)) : delta);
	return Math.min(maxDecimals, Math.max(0, (delta === null || delta === 0 ? 4 : 2) - 1 - Math.floor(Math.log10(scale))));
}
/** `19,825`, `19,825.04`. */
function formatNumber(value, decimals = decimalsFor([value], null)) {
	const magnitude = Math.abs(value);
	const fixed = magnitude.toFixed(decimals);
	if (magnitude !== 0 && Number(fixed) === 0) return signed(value, magnitude.toExponential(1), "");
	const [whole = "", fraction] = fixed.split(".");
	const grouped = /e/.test(whole) ? whole : whole.replace(/\B(?=(\d{3})+$)/g, ",");
	return signed(value, fraction === void 0 ? grouped : `${grouped}.${fraction}`, "");
}
/** `+28`, `−0.050`; a plain `0` only for no difference at all. */
function formatDelta(delta, decimals = decimalsFor([delta], delta)) {
	return delta > 0 ? `+${formatNumber(delta, decimals)}` : formatNumber(delta, decimals);
}
/** A fraction as a percentage with a sign: `+17.5%`, `+0.0021%`, `+1,240%`. */
function formatGrowth(ratio) {
	const percent = Math.abs(ratio * 100);
	if (percent === 0) return "0%";
	if (percent < 1e-4) return `${ratio > 0 ? "+" : minus}<0.0001%`;
	return signed(ratio, `${formatNumber(percent, percent >= 100 ? 0 : percent >= 10 ? 1 : percent >= 1 ? 2 : 1 - Math.floor(Math.log10(percent)))}%`, "+");
}
/** A limit as it is written in bpfgate.toml: `0%`, `2.5%`, `off`. */
function formatLimit(limit) {
	return limit === "off" ? "off" : `${Number((limit * 100).toPrecision(6))}%`;
}
function signed(value, magnitude, plus) {
	return `${value < 0 ? minus : value > 0 ? plus : ""}${magnitude}`;
}
// src/report/report-model.ts
const badness = [
	"regression",
	"inconclusive",
	"removed",
	"added",
	"improvement",
	"unsupported",
	"unchanged"
];
const countFootnote = "Counts are machine instructions executed, under emulation with one instruction per virtual nanosecond; a count is not a time.";
function buildReport(results, options = {}) {
	const answered = new Set([...results.comparisons, ...results.gaps].map(({ kernel }) => kernel));
	const failures = results.kernels.filter(({ id, error }) => error !== null || !answered.has(id)).map(toFailure);
	const failed = new Set(failures.map(({ kernel }) => kernel));
	const kernels = results.kernels.map(({ id, release }) => ({
		id: toPlainLine(id),
		release: toPlainLine(release),
		failed: failed.has(toPlainLine(id))
	}));
	const all = toRows(results);
	const rows = all.filter((row) => row.lane !== "verifier" || isTelling(row));
	return {
		verdict: results.verdict,
		headline: composeHeadline(all, kernels),
		project: toPlainLine(results.project.name),
		base: describeRevision(results.revisions.base),
		head: describeRevision(results.revisions.head),
		kernels,
		rows,
		verified: describeVerified(all, rows),
		regressions: toDetails(rows.filter(({ verdict }) => verdict === "regression"), kernels, results.comparisons),
		failures,
		profiles: groupProfiles(results, options),
		warnings: joinWarnings(results),
		machines: groupMachines(results.kernels),
		footnotes: results.comparisons.some(isInstructionCount) ? [countFootnote] : []
	};
}
/** A row of the verifier lane that a person wants to see: hundreds of others say that nothing changed. */
function isTelling(row) {
	if (row.measure === "load-time") return false;
	if (row.verdict === "added" || row.verdict === "removed") return isLoads(row);
	return row.verdict !== "unchanged" || row.cells.some((cell) => cell !== null && (cell.differs || isLoads(row) && cell.values.head === 0));
}
/** Whether its values say if a program loads, 1 or 0. */
function isLoads({ lane, measure }) {
	return lane === "verifier" && measure === "loads";
}
function describeVerified(all, shown) {
	const verified = all.filter(({ lane }) => lane === "verifier");
	if (verified.length === 0) return null;
	const programs = new Set(verified.map(({ benchmark }) => benchmark)).size;
	const hidden = verified.length - shown.filter(({ lane }) => lane === "verifier").length;
	const rest = hidden === 0 ? "" : `; ${countOf(hidden, "measure")} of theirs that did not change are not shown`;
	return `The verifier was given ${countOf(programs, "BPF program")}${rest}.`;
}
/** Sizes and the like come from the same lane and need no such note. */
function isInstructionCount({ lane, unit }) {
	return lane === "instructions" && unit.startsWith("instructions");
}
function toRows({ kernels, comparisons, gaps }) {
	const tooOld = gaps.filter(({ needs }) => needs !== null);
	const keyOf = ({ lane, benchmark }) => JSON.stringify([lane, benchmark]);
	const byBenchmark = new Map(groupBy(tooOld, keyOf).flatMap((own) => own[0] === void 0 ? [] : [[keyOf(own[0]), own]]));
	const gapsOf = (subject) => kernels.map(({ id }) => toGap(byBenchmark.get(keyOf(subject)), id));
	const compared = new Set(comparisons.map(keyOf));
	const rows = groupBy(comparisons, ({ lane, benchmark, measure }) => JSON.stringify([
		lane,
		benchmark,
		measure
	])).flatMap((group) => {
		const byKernel = new Map(group.map((comparison) => [comparison.kernel, comparison]));
		const cells = kernels.map(({ id }) => byKernel.get(id) ?? null);
		return group[0] === void 0 ? [] : toRow(cells, gapsOf(group[0])) ?? [];
	});
	const unsupported = [...byBenchmark.values()].flatMap(([first]) => {
		if (first === void 0 || compared.has(keyOf(first))) return [];
		const { lane, benchmark } = first;
		return [{
			benchmark: toPlainLine(benchmark),
			measure: "–",
			unit: "",
			lane,
			verdict: "unsupported",
			cells: kernels.map(() => null),
			gaps: gapsOf(first)
		}];
	});
	return [...rows, ...unsupported].sort((a, b) => badness.indexOf(a.verdict) - badness.indexOf(b.verdict) || compareNumbers(worstChange(b), worstChange(a)) || compareText(a.benchmark, b.benchmark) || compareText(a.measure, b.measure));
}
function toGap(gaps, kernel) {
	const own = gaps?.filter((gap) => gap.kernel === kernel) ?? [];
	const needs = (revision) => own.find((gap) => gap.revision === revision)?.needs ?? null;
	return own.length === 0 ? null : {
		base: needs("base"),
		head: needs("head")
	};
}
function toRow(comparisons, gaps) {
	const present = comparisons.filter((comparison) => comparison !== null);
	const [first] = present;
	if (first === void 0) return null;
	return {
		benchmark: toPlainLine(first.benchmark),
		measure: toPlainLine(first.measure),
		unit: toPlainLine(first.unit),
		lane: first.lane,
		verdict: badness.find((verdict) => present.some((comparison) => comparison.verdict === verdict)) ?? "unchanged",
		cells: comparisons.map((comparison) => comparison && (isLoads(comparison) ? toLoadsCell : toCell)(comparison)),
		gaps
	};
}
function toCell(comparison) {
	const { base, head, needs, delta, deltaRatio, interval, source } = comparison;
	const decimals = decimalsFor([base, head].filter((value) => value !== null), delta);
	const isReal = interval === "exact" || interval === null || interval[0] > 0 || interval[1] < 0;
	return {
		kernel: toPlainLine(comparison.kernel),
		verdict: comparison.verdict,
		values: {
			base,
			head,
			delta,
			deltaRatio,
			interval
		},
		base: base === null ? null : formatNumber(base, decimals),
		head: head === null ? null : formatNumber(head, decimals),
		delta: delta === null ? null : formatDelta(delta, decimals),
		percent: deltaRatio === null ? null : formatGrowth(deltaRatio),
		needs,
		differs: needs !== null || delta !== null && delta !== 0 && isReal,
		interval: formatInterval(interval, decimals),
		limit: formatLimit(comparison.limit),
		source: source === null ? null : {
			file: toPlainLine(source.file),
			line: source.line
		}
	};
}
/** 1 and 0 in words. */
function toLoadsCell(comparison) {
	const cell = toCell(comparison);
	const toWord = (value) => value === null ? null : value === 1 ? "loads" : "refused";
	const { base, head } = cell.values;
	return {
		...cell,
		base: toWord(base),
		head: toWord(head),
		delta: null,
		percent: null
	};
}
function formatInterval(interval, decimals) {
	if (interval === null || interval === "exact") return interval;
	return interval.map((bound) => formatDelta(bound, decimals)).join(" to ");
}
function toDetails(rows, kernels, comparisons) {
	const shown = /* @__PURE__ */ new Map();
	return rows.map((row) => {
		const detail = toDetail(row, kernels, comparisons);
		if (detail.growth === null || detail.growth.lines.length === 0) return detail;
		const key = JSON.stringify(detail.growth);
		const sameAs = shown.get(key) ?? null;
		if (sameAs === null) shown.set(key, row.benchmark);
		return {
			...detail,
			growth: {
				...detail.growth,
				sameAs
			}
		};
	});
}
function toDetail(row, kernels, comparisons) {
	const cells = row.cells.filter((cell) => cell !== null);
	const regressed = cells.filter(({ verdict }) => verdict === "regression");
	return {
		row,
		change: describeChange(row, "regression", kernels),
		cells,
		sources: [...new Set(regressed.flatMap(({ source }) => source === null ? [] : `${source.file}:${source.line}`))],
		refusals: isLoads(row) ? describeRefusals(row, comparisons) : [],
		growth: describeGrowth(row, comparisons)
	};
}
/** Where Cargo and rustc keep what they fetch: before the name of a package, or of one of the toolchain's libraries. */
const fetched = /^\/.*\/(registry\/src\/[^/]+|git\/checkouts|rustlib\/src\/rust)\/|^\/rustc\/[^/]+\//;
/** Of one kernel, the last: a JIT does alike on all, and its newest form is the one that stays. */
function describeGrowth(row, comparisons) {
	const known = comparisons.findLast(({ lane, benchmark, measure, lines }) => lines !== null && lane === row.lane && toPlainLine(benchmark) === row.benchmark && toPlainLine(measure) === row.measure);
	if (known === void 0 || known.lines === null) return null;
	const where = `on ${toPlainLine(known.kernel)}`;
	if (known.lines.length === 0) return {
		title: `no line became more machine instructions ${where}: what was there runs more often, or calls what costs more`,
		lines: [],
		sameAs: null
	};
	const lines = known.lines.map(({ source, base, head }) => {
		const file = toPlainLine(source.file);
		const short = file.replace(fetched, "");
		const values = `${formatNumber(base, 0)} → ${formatNumber(head, 0)}`;
		const delta = formatDelta(head - base, 0);
		return {
			place: `${short}:${source.line}`,
			values,
			delta,
			source: {
				file,
				line: source.line
			}
		};
	});
	return {
		title: `lines that became more machine instructions ${where}, counted as they stand`,
		lines,
		sameAs: null
	};
}
function describeRefusals(row, comparisons) {
	return groupBy(comparisons.filter((comparison) => isLoads(comparison) && comparison.verdict === "regression" && toPlainLine(comparison.benchmark) === row.benchmark), ({ refusal }) => JSON.stringify(refusal)).flatMap((group) => {
		const refusal = group[0]?.refusal ?? null;
		if (refusal === null) return [];
		return {
			title: [joinWords(group.map(({ kernel }) => toPlainLine(kernel))), ...[refusal.errno, refusal.message].filter((part) => part !== null).map(toPlainLine)].join(": "),
			log: refusal.log.map(toPlainLine)
		};
	});
}
/** The largest change among the cells that made the row's verdict. From 0 any growth is the worst there is. */
function worstChange(row) {
	const { verdict, cells } = row;
	if (isLoads(row) && verdict === "regression") return Number.POSITIVE_INFINITY;
	const deciding = cells.filter((cell) => cell?.differs && cell.verdict === verdict);
	return Math.max(0, ...deciding.map((cell) => Math.abs(cell?.values.deltaRatio ?? Number.POSITIVE_INFINITY)));
}
function compareNumbers(a, b) {
	return a < b ? -1 : a > b ? 1 : 0;
}
function compareText(a, b) {
	return a.localeCompare(b, "en", { numeric: true });
}
function describeRevision({ ref, commit }) {
	const short = commit?.slice(0, 10);
	return toPlainLine(short === void 0 || commit?.startsWith(ref) ? ref : `${ref} (${short})`);
}
function toFailure({ id, release, error }) {
	return {
		kernel: toPlainLine(id),
		release: toPlainLine(release),
		message: error === null ? ["nothing was measured"] : toSentence(error.message),
		hint: error?.hint ? toSentence(error.hint) : null,
		consoleTail: error?.consoleTail.map(toPlainLine) ?? []
	};
}
/** One warning on several kernels is one line that names them. */
function joinWarnings({ kernels, comparisons }) {
	return groupBy([...kernels.flatMap(({ id, warnings }) => warnings.map((warning) => ({
		kernel: id,
		subject: null,
		warning
	}))), ...comparisons.flatMap(({ kernel, benchmark, measure, warnings }) => warnings.map((warning) => ({
		kernel,
		subject: {
			benchmark,
			measure
		},
		warning
	})))], ({ subject, warning }) => JSON.stringify([subject, warning])).flatMap((group) => {
		const [first] = group;
		if (first === void 0) return [];
		const where = joinWords([...new Set(group.map(({ kernel }) => toPlainLine(kernel)))]);
		const { subject } = first;
		return [[...subject === null ? [`${where}: `] : [{ code: toPlainLine(subject.benchmark) }, ` ${toPlainLine(subject.measure)} on ${where}: `], ...toSentence(first.warning)]];
	});
}
function groupProfiles({ profiles }, options) {
	const { profilesIn = () => "", linkProfiles = true } = options;
	const files = new Set(profiles.map(({ file }) => file));
	const isDrawn = (file) => file.endsWith(".folded") && files.has(file.replace(/\.folded$/, ".svg"));
	return groupBy(profiles.map((profile) => {
		const out = profilesIn(profile.kernel);
		const path = out === "" ? profile.file : `${out}/${profile.file}`;
		const slash = path.lastIndexOf("/");
		return {
			...profile,
			path,
			folder: path.slice(0, Math.max(0, slash)),
			name: path.slice(slash + 1)
		};
	}), ({ bench, kernel, folder }) => JSON.stringify([
		bench,
		kernel,
		folder
	])).flatMap((group) => {
		const [first] = group;
		if (first === void 0) return [];
		const shown = profileKinds.toReversed().flatMap((kind) => group.filter((profile) => profile.kind === kind && !isDrawn(profile.file)));
		return {
			bench: toPlainLine(first.bench),
			kernel: toPlainLine(first.kernel),
			folder: toPlainLine(first.folder),
			files: shown.map(({ name, path }) => ({
				name: toPlainLine(name),
				url: linkProfiles && linkable.test(name) ? toUrl(path) : null
			}))
		};
	});
}
/** What bpfgate draws and common viewers' data. A bench may leave any file, a page with scripts too. */
const linkable = /\.(svg|folded|json)$/;
function toUrl(path) {
	return path.split("/").map((part) => encodeURIComponent(part).replace(/[!'()*~]/g, toPercent)).join("/");
}
function toPercent(character) {
	return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
function groupMachines(kernels) {
	const describe = (release, machine, more) => ({
		release: toPlainLine(release),
		description: toPlainLine(`${machine.accelerator}, QEMU ${machine.qemuVersion}, CPU ${machine.cpuModel}${more}`),
		reason: machine.acceleratorReason === null ? null : toPlainLine(machine.acceleratorReason)
	});
	const counted = kernels.flatMap(({ release, machine, keptBase }) => machine === null ? [] : describe(release, machine, keptBase ? "; base as an earlier run measured it" : ""));
	const timed = kernels.flatMap(({ release, timed }) => timed === null ? [] : describe(release, timed.machine, `; times, of ${countOf(timed.boots, "boot")}`));
	return groupBy([...counted, ...timed], ({ description, reason }) => JSON.stringify([description, reason])).flatMap((group) => {
		const [first] = group;
		if (first === void 0) return [];
		const { description, reason } = first;
		return {
			kernels: group.map(({ release }) => release),
			description,
			reason
		};
	});
}
// src/report/cell-text.ts
/** @param index of the kernel among the model's */
function toCellText(row, index, kernel) {
	const cell = row.cells[index] ?? null;
	const gap = row.gaps[index] ?? null;
	if (cell === null) return {
		result: gap !== null ? formatGap(gap) : kernel.failed ? "failed" : "–",
		values: null
	};
	if (isLoads(row)) return toLoadsText(cell);
	const values = `${cell.base ?? "–"} → ${cell.head ?? "–"}`;
	switch (cell.verdict) {
		case "regression":
		case "improvement": return {
			result: formatChange(cell),
			values
		};
		case "unchanged": return {
			result: cell.differs ? `~ ${formatChange(cell)}` : "~",
			values: null
		};
		case "inconclusive": return {
			result: "?",
			values
		};
		case "added":
		case "removed": return {
			result: cell.verdict,
			values
		};
	}
}
function toLoadsText({ verdict, head }) {
	switch (verdict) {
		case "regression": return {
			result: "no longer loads",
			values: null
		};
		case "improvement": return {
			result: "now loads",
			values: null
		};
		case "unchanged": return {
			result: head === "loads" ? "~" : "does not load",
			values: null
		};
		case "inconclusive": return {
			result: "?",
			values: null
		};
		case "added": return {
			result: "added",
			values: head
		};
		case "removed": return {
			result: "removed",
			values: null
		};
	}
}
/** `needs 5.18`, or `needs 5.15 → 5.18` where head needs another kernel than base. */
function formatGap({ base, head }) {
	return `needs ${base === null || head === null || base === head ? head ?? base : `${base} → ${head}`}`;
}
/** `bpf-instructions`, `latency (ns)`. */
function formatMeasure(row) {
	return namesUnit(row) ? row.measure : `${row.measure} (${row.unit})`;
}
/** True where the unit alone tells which measure it is, as `bytes` does not of `peak-bytes` beside `total-bytes`. */
function unitIsMeasure({ measure, unit }) {
	const [noun = ""] = unit.split("/");
	return noun !== "" && (measure === noun || measure === `bpf-${noun}`);
}
/** `+28 (+17.5%)`, or `+28` from a base of 0, or `head needs 5.18`. */
function formatChange({ delta, percent, needs }) {
	if (needs !== null) return `${needs.side} needs ${needs.kernel}`;
	if (delta === null) return "";
	return percent === null || delta === "0" ? delta : `${delta} (${percent})`;
}
/** Says what the symbols mean that are in the table, and only those. */
function explainSymbols(results) {
	const has = (symbol) => results.some((result) => result === symbol || result.startsWith(`${symbol} `));
	return [
		...has("~") ? ["~ unchanged"] : [],
		...results.some((result) => result.startsWith("~ ")) ? ["~ +n changed within its limit"] : [],
		...has("?") ? ["? cannot be decided"] : [],
		...has("–") ? ["– not measured"] : [],
		...has("needs") ? ["needs n runs from kernel n on"] : []
	].join(" · ");
}
// src/compare/comparison.ts
const comparisonVerdicts = [
	"regression",
	"improvement",
	"unchanged",
	"inconclusive",
	"added",
	"removed"
];
const gateVerdicts = [
	"pass",
	"regression",
	"inconclusive",
	"error"
];
// src/report/results-schema.ts
const sourceLocation = object$1({
	file: string().describe("Relative to the repository's root where it could be resolved"),
	line: int().positive()
});
const kind = _enum(["bpf-program", "benchmark"]).describe("Counted by bpfgate in the kernel, or printed by the benchmark");
const benchmark = string().describe("`<bench>/<benchmark or program>`, with ` #2` for the second program of one name; of the verifier lane `<object>/<program>`");
const warnings = array(string());
const better = _enum(["lower", "higher"]).default("lower").describe("Whether head is to be the lower or the higher");
const revisionName = _enum(revisionNames);
const machine = object$1({
	accelerator: _enum([
		"kvm",
		"tcg",
		"tcg-icount"
	]),
	runner: _enum(runners).describe("What started QEMU, and chose its devices"),
	acceleratorReason: string().nullable().describe("Why not KVM"),
	qemuVersion: string(),
	cpuModel: string().describe("QEMU's -cpu argument"),
	commandLine: string().describe("Kernel command line"),
	startedFrom: _enum(["boot", "snapshot"]).describe("Whether the kernel was booted for this run, or a machine saved after an earlier boot went on"),
	memoryMiB: int().positive(),
	agent: string().describe("SHA-256 over the guest agent's sources and compiler"),
	initramfs: string().describe("SHA-256")
});
const revision = (name) => object$1({
	revision: revisionName.describe(`Always ${name}`),
	ref: string().describe("What the user called it"),
	commit: string().nullable().describe("Commit id; null for a working tree with changes"),
	tree: string().describe("Git tree id of what was built"),
	tools: record$1(string(), string()).describe("What compiled and linked it: name to version")
});
const kernelResult = object$1({
	id: string().describe("Minor version, such as 6.1, with the origin where it is not the default: 6.1:source"),
	release: string().describe("Upstream release, such as 6.1.176"),
	uname: string().nullable().describe("What `uname -r` printed"),
	sha256: string().describe("Of the Debian package, or of its packages' sums; of the image where bpfgate compiled it (of what it is made from where that failed)"),
	origin: string().describe("Who compiled it: debian; bpfgate, from a pinned tarball (source) or from a tree (tree)"),
	machine: machine.nullable(),
	keptBase: boolean().default(false).describe("Whether base is as an earlier run measured it, in an equal guest with equal inputs"),
	timed: object$1({
		machine,
		boots: int().positive(),
		seed: int().nonnegative().describe("Of the first boot; each further one adds 1")
	}).nullable().default(null).describe("The time lane: the machine of its first boot, and how the order of runs was drawn"),
	fingerprint: record$1(string(), string()).nullable().describe("Parts that must be equal for two results to be compared: name to value"),
	error: object$1({
		kind: _enum(kernelErrorKinds),
		message: string(),
		hint: string().nullable(),
		consoleTail: array(string()).describe("The last lines of the guest's console, oldest first")
	}).nullable().describe("Set when the kernel could not be measured"),
	warnings
});
const refusal = object$1({
	errno: string().nullable(),
	message: string(),
	log: array(string()).describe("The end of the verifier's log, oldest line first")
}).nullable().default(null).describe("Why the kernel refused the program, where the measure is loads");
const measurement = object$1({
	kernel: string(),
	revision: revisionName,
	lane: _enum(lanes),
	benchmark,
	measure: string(),
	unit: string(),
	better,
	kind,
	value: number().describe("The value compared"),
	gross: number().nullable().describe("With the cost of an empty program, when value is net of it"),
	empty: number().nullable().describe("The cost of an empty program of the same type"),
	exact: boolean().describe("The same input always gives the same digits"),
	resolution: number().nonnegative().describe("Growth that cannot be told from error, as a fraction; 0 when exact"),
	samples: array(object$1({
		count: number(),
		total: number()
	})).describe("Every raw reading in the order taken: the total over count runs or iterations"),
	refusal,
	runCount: number().nullable(),
	missedRuns: number().nullable(),
	warnings,
	source: sourceLocation.nullable()
});
const needsVersion = string().regex(/^\d+\.\d+$/);
const gap = object$1({
	kernel: string(),
	lane: _enum(lanes).default("instructions"),
	revision: revisionName,
	benchmark: string().describe("Named as its measurements are where it runs"),
	needs: needsVersion.nullable().describe("The first minor version that will do, such as 5.18, newer than the kernel; null for another reason"),
	reason: string().optional().describe("Why it could not be tried, where needs is null")
});
const profile = object$1({
	kernel: string(),
	bench: string(),
	kind: _enum(profileKinds).describe("Of which revision; difference shows head, coloured by what differs from base"),
	file: string().regex(/^profiles(?:\/[\w+@=-][\w.+@=-]*)+$/).describe("Path below the folder of this file")
});
const comparison = object$1({
	kernel: string(),
	lane: _enum(lanes),
	benchmark,
	measure: string(),
	unit: string(),
	better,
	kind,
	base: number().nullable().describe("Null for an added benchmark, and where base needs a newer kernel"),
	head: number().nullable().describe("Null for a removed benchmark, and where head needs a newer kernel"),
	needs: object$1({
		side: revisionName,
		kernel: needsVersion
	}).nullable().default(null).describe("The side that was left out, and the first minor version that will do"),
	delta: number().nullable().describe("head - base"),
	deltaRatio: number().nullable().describe("delta / |base|; null when base is 0"),
	interval: union([literal("exact"), tuple([number(), number()])]).nullable().describe("Where the true delta lies, in unit"),
	pValue: number().nullable().describe("Of the time lane, corrected for everything compared"),
	roundsNeeded: int().nullable().default(null).describe("That would decide an inconclusive comparison of the time lane"),
	limit: union([number().nonnegative(), literal("off")]).describe("Largest allowed growth, as a fraction"),
	refusal,
	verdict: _enum(comparisonVerdicts),
	source: sourceLocation.nullable(),
	lines: array(object$1({
		source: sourceLocation,
		base: int().nonnegative(),
		head: int().nonnegative()
	})).nullable().default(null).describe("The lines of a program's regression that became more machine instructions, those that grew most first; null where that is not known"),
	warnings
});
/** Keys it does not know are dropped, so that a file from a later 1.x version can be read. */
const resultsSchema = object$1({
	schema: literal(resultsSchemaName),
	bpfgate: string().describe("Version of bpfgate that wrote the file"),
	verdict: _enum(gateVerdicts),
	project: object$1({
		name: string(),
		configFile: string().describe("Relative to the repository's root"),
		projectPath: string().describe("The project's folder relative to the repository's root; empty at the root")
	}),
	revisions: object$1({
		base: revision("base"),
		head: revision("head")
	}),
	kernels: array(kernelResult),
	measurements: array(measurement),
	gaps: array(gap).default([]).describe("What could not be had of one revision on one kernel"),
	comparisons: array(comparison),
	profiles: array(profile).default([])
}).describe("What one run of bpfgate measured, and how head compares with base");
/** Text of results.json. What is not part of the schema, such as a local path, is left out. */
function serializeResults(results) {
	return `${JSON.stringify(resultsSchema.parse(results), null, 2)}\n`;
}
/**
* Reads a result file, which may come from anybody.
*
* @param file what to call it in messages
* @throws InputError when it is not JSON, of another schema version, or not of the schema's shape
*/
function parseResults(text, file) {
	let json;
	try {
		json = JSON.parse(text);
	} catch (cause) {
		throw new InputError(`\`${file}\` is not JSON`, {
			cause,
			hint: "give a results.json that `bpfgate run` wrote"
		});
	}
	const schema = typeof json === "object" && json !== null && "schema" in json ? json.schema : void 0;
	if (schema !== "bpfgate.results/1") throw new InputError(schema === void 0 ? `\`${file}\` is not a result file of bpfgate: it has no \`schema\`` : `\`${file}\` has schema ${JSON.stringify(schema)}, but this bpfgate reads "${resultsSchemaName}"`, { hint: "give a results.json written by the same version of bpfgate" });
	const parsed = resultsSchema.safeParse(json);
	if (!parsed.success) {
		const shown = parsed.error.issues.slice(0, 3).map(({ path, message }) => `\`${formatPath(path)}\`: ${message}`);
		const more = parsed.error.issues.length - shown.length;
		throw new InputError(`\`${file}\` is not a valid result file: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`, {
			cause: parsed.error,
			hint: "let bpfgate write the file anew"
		});
	}
	requireKnownKernels(parsed.data, file);
	requireDistinctNames(parsed.data, file);
	return parsed.data;
}
/**
* @param file what to call it in messages
* @throws InputError when a kernel is there twice, or something is of a kernel that is not
*/
function requireKnownKernels(results, file) {
	const { kernels, measurements, gaps, comparisons, profiles } = results;
	const hint = "let bpfgate write the file anew";
	const known = new Set(kernels.map(({ id }) => id));
	if (known.size < kernels.length) throw new InputError(`\`${file}\` is not a valid result file: a kernel is there twice`, { hint });
	const stray = [
		...measurements,
		...gaps,
		...comparisons,
		...profiles
	].find(({ kernel }) => !known.has(kernel));
	if (stray !== void 0) throw new InputError(`\`${file}\` is not a valid result file: kernel \`${clipMiddle(toPlainLine(stray.kernel), 120)}\` is not among its kernels`, { hint });
}
/** @throws InputError when something is measured or compared twice: whoever reads the file would take either */
function requireDistinctNames({ measurements, comparisons }, file) {
	const refuse = (benchmark, what) => {
		throw new InputError(clipMiddle(toPlainLine(`\`${file}\` is not a valid result file: \`${clipMiddle(toPlainLine(benchmark), 120)}\` ${what}`), 600), { hint: "let bpfgate write the file anew" });
	};
	const measured = findRepeated(measurements, (each) => [nameOf(each), each.revision]);
	if (measured !== void 0) {
		const { benchmark, measure, revision, kernel } = measured;
		refuse(benchmark, `has two values of ${measure} in ${revision} on ${kernel}`);
	}
	const compared = findRepeated(comparisons, nameOf);
	if (compared !== void 0) {
		const { benchmark, measure, kernel } = compared;
		refuse(benchmark, `is compared twice by ${measure} on ${kernel}`);
	}
}
function nameOf({ kernel, lane, benchmark, measure }) {
	return [
		kernel,
		lane,
		benchmark,
		measure
	];
}
function findRepeated(items, keyOf) {
	const seen = /* @__PURE__ */ new Set();
	return items.find((item) => {
		const key = JSON.stringify(keyOf(item));
		if (seen.has(key)) return true;
		seen.add(key);
		return false;
	});
}
function formatPath(path) {
	return path.reduce((text, part) => typeof part === "number" ? `${text}[${part}]` : `${text}${text === "" ? "" : "."}${String(part)}`, "");
}
// node_modules/markdown-table/index.js
/**
* @typedef {Options} MarkdownTableOptions
*   Configuration.
*/
/**
* @typedef Options
*   Configuration.
* @property {boolean | null | undefined} [alignDelimiters=true]
*   Whether to align the delimiters (default: `true`);
*   they are aligned by default:
*
*   ```markdown
*   | Alpha | B     |
*   | ----- | ----- |
*   | C     | Delta |
*   ```
*
*   Pass `false` to make them staggered:
*
*   ```markdown
*   | Alpha | B |
*   | - | - |
*   | C | Delta |
*   ```
* @property {ReadonlyArray<string | null | undefined> | string | null | undefined} [align]
*   How to align columns (default: `''`);
*   one style for all columns or styles for their respective columns;
*   each style is either `'l'` (left), `'r'` (right), or `'c'` (center);
*   other values are treated as `''`, which doesn’t place the colon in the
*   alignment row but does align left;
*   *only the lowercased first character is used, so `Right` is fine.*
* @property {boolean | null | undefined} [delimiterEnd=true]
*   Whether to end each row with the delimiter (default: `true`).
*
*   > 👉 **Note**: please don’t use this: it could create fragile structures
*   > that aren’t understandable to some markdown parsers.
*
*   When `true`, there are ending delimiters:
*
*   ```markdown
*   | Alpha | B     |
*   | ----- | ----- |
*   | C     | Delta |
*   ```
*
*   When `false`, there are no ending delimiters:
*
*   ```markdown
*   | Alpha | B
*   | ----- | -----
*   | C     | Delta
*   ```
* @property {boolean | null | undefined} [delimiterStart=true]
*   Whether to begin each row with the delimiter (default: `true`).
*
*   > 👉 **Note**: please don’t use this: it could create fragile structures
*   > that aren’t understandable to some markdown parsers.
*
*   When `true`, there are starting delimiters:
*
*   ```markdown
*   | Alpha | B     |
*   | ----- | ----- |
*   | C     | Delta |
*   ```
*
*   When `false`, there are no starting delimiters:
*
*   ```markdown
*   Alpha | B     |
*   ----- | ----- |
*   C     | Delta |
*   ```
* @property {boolean | null | undefined} [padding=true]
*   Whether to add a space of padding between delimiters and cells
*   (default: `true`).
*
*   When `true`, there is padding:
*
*   ```markdown
*   | Alpha | B     |
*   | ----- | ----- |
*   | C     | Delta |
*   ```
*
*   When `false`, there is no padding:
*
*   ```markdown
*   |Alpha|B    |
*   |-----|-----|
*   |C    |Delta|
*   ```
* @property {((value: string) => number) | null | undefined} [stringLength]
*   Function to detect the length of table cell content (optional);
*   this is used when aligning the delimiters (`|`) between table cells;
*   full-width characters and emoji mess up delimiter alignment when viewing
*   the markdown source;
*   to fix this, you can pass this function,
*   which receives the cell content and returns its “visible” size;
*   note that what is and isn’t visible depends on where the text is displayed.
*
*   Without such a function, the following:
*
*   ```js
*   markdownTable([
*     ['Alpha', 'Bravo'],
*     ['中文', 'Charlie'],
*     ['👩‍❤️‍👩', 'Delta']
*   ])
*   ```
*
*   Yields:
*
*   ```markdown
*   | Alpha | Bravo |
*   | - | - |
*   | 中文 | Charlie |
*   | 👩‍❤️‍👩 | Delta |
*   ```
*
*   With [`string-width`](https://github.com/sindresorhus/string-width):
*
*   ```js
*   import stringWidth from 'string-width'
*
*   markdownTable(
*     [
*       ['Alpha', 'Bravo'],
*       ['中文', 'Charlie'],
*       ['👩‍❤️‍👩', 'Delta']
*     ],
*     {stringLength: stringWidth}
*   )
*   ```
*
*   Yields:
*
*   ```markdown
*   | Alpha | Bravo   |
*   | ----- | ------- |
*   | 中文  | Charlie |
*   | 👩‍❤️‍👩    | Delta   |
*   ```
*/
/**
* @param {string} value
*   Cell value.
* @returns {number}
*   Cell size.
*/
function defaultStringLength(value) {
	return value.length;
}
/**
* Generate a markdown
* ([GFM](https://docs.github.com/en/github/writing-on-github/working-with-advanced-formatting/organizing-information-with-tables))
* table.
*
* @param {ReadonlyArray<ReadonlyArray<string | null | undefined>>} table
*   Table data (matrix of strings).
* @param {Readonly<Options> | null | undefined} [options]
*   Configuration (optional).
* @returns {string}
*   Result.
*/
function markdownTable(table, options) {
	const settings = options || {};
	const align = (settings.align || []).concat();
	const stringLength = settings.stringLength || defaultStringLength;
	/** @type {Array<number>} Character codes as symbols for alignment per column. */
	const alignments = [];
	/** @type {Array<Array<string>>} Cells per row. */
	const cellMatrix = [];
	/** @type {Array<Array<number>>} Sizes of each cell per row. */
	const sizeMatrix = [];
	/** @type {Array<number>} */
	const longestCellByColumn = [];
	let mostCellsPerRow = 0;
	let rowIndex = -1;
	while (++rowIndex < table.length) {
		/** @type {Array<string>} */
		const row = [];
		/** @type {Array<number>} */
		const sizes = [];
		let columnIndex = -1;
		if (table[rowIndex].length > mostCellsPerRow) mostCellsPerRow = table[rowIndex].length;
		while (++columnIndex < table[rowIndex].length) {
			const cell = serialize(table[rowIndex][columnIndex]);
			if (settings.alignDelimiters !== false) {
				const size = stringLength(cell);
				sizes[columnIndex] = size;
				if (longestCellByColumn[columnIndex] === void 0 || size > longestCellByColumn[columnIndex]) longestCellByColumn[columnIndex] = size;
			}
			row.push(cell);
		}
		cellMatrix[rowIndex] = row;
		sizeMatrix[rowIndex] = sizes;
	}
	let columnIndex = -1;
	if (typeof align === "object" && "length" in align) while (++columnIndex < mostCellsPerRow) alignments[columnIndex] = toAlignment(align[columnIndex]);
	else {
		const code = toAlignment(align);
		while (++columnIndex < mostCellsPerRow) alignments[columnIndex] = code;
	}
	columnIndex = -1;
	/** @type {Array<string>} */
	const row = [];
	/** @type {Array<number>} */
	const sizes = [];
	while (++columnIndex < mostCellsPerRow) {
		const code = alignments[columnIndex];
		let before = "";
		let after = "";
		if (code === 99) {
			before = ":";
			after = ":";
		} else if (code === 108) before = ":";
		else if (code === 114) after = ":";
		let size = settings.alignDelimiters === false ? 1 : Math.max(1, longestCellByColumn[columnIndex] - before.length - after.length);
		const cell = before + "-".repeat(size) + after;
		if (settings.alignDelimiters !== false) {
			size = before.length + size + after.length;
			if (size > longestCellByColumn[columnIndex]) longestCellByColumn[columnIndex] = size;
			sizes[columnIndex] = size;
		}
		row[columnIndex] = cell;
	}
	cellMatrix.splice(1, 0, row);
	sizeMatrix.splice(1, 0, sizes);
	rowIndex = -1;
	/** @type {Array<string>} */
	const lines = [];
	while (++rowIndex < cellMatrix.length) {
		const row = cellMatrix[rowIndex];
		const sizes = sizeMatrix[rowIndex];
		columnIndex = -1;
		/** @type {Array<string>} */
		const line = [];
		while (++columnIndex < mostCellsPerRow) {
			const cell = row[columnIndex] || "";
			let before = "";
			let after = "";
			if (settings.alignDelimiters !== false) {
				const size = longestCellByColumn[columnIndex] - (sizes[columnIndex] || 0);
				const code = alignments[columnIndex];
				if (code === 114) before = " ".repeat(size);
				else if (code === 99) {
					if (size % 2) {
						before = " ".repeat(size / 2 + .5);
						after = " ".repeat(size / 2 - .5);
					} else {
						before = " ".repeat(size / 2);
						after = before;
					}
				} else after = " ".repeat(size);
			}
			if (settings.delimiterStart !== false && !columnIndex) line.push("|");
			if (settings.padding !== false && !(settings.alignDelimiters === false && cell === "") && (settings.delimiterStart !== false || columnIndex)) line.push(" ");
			if (settings.alignDelimiters !== false) line.push(before);
			line.push(cell);
			if (settings.alignDelimiters !== false) line.push(after);
			if (settings.padding !== false) line.push(" ");
			if (settings.delimiterEnd !== false || columnIndex !== mostCellsPerRow - 1) line.push("|");
		}
		lines.push(settings.delimiterEnd === false ? line.join("").replace(/ +$/, "") : line.join(""));
	}
	return lines.join("\n");
}
/**
* @param {string | null | undefined} [value]
*   Value to serialize.
* @returns {string}
*   Result.
*/
function serialize(value) {
	return value === null || value === void 0 ? "" : String(value);
}
/**
* @param {string | null | undefined} value
*   Value.
* @returns {number}
*   Alignment.
*/
function toAlignment(value) {
	const code = typeof value === "string" ? value.codePointAt(0) : 0;
	return code === 67 || code === 99 ? 99 : code === 76 || code === 108 ? 108 : code === 82 || code === 114 ? 114 : 0;
}
// src/report/markdown-escape.ts
/** GitHub finds mentions, issues and addresses after it has decoded entities; only an invisible break stops it. */
const breakMark = "​";
/** An underscore inside a word marks nothing up. */
const outerUnderscore = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** Prose: shows exactly `text`, with no markup, HTML, mention, issue reference or link; also inside a table. */
function escapeText(text) {
	return text.replace(/[\\`*{}[\]<>|~&!$^]/g, toEntity).replace(outerUnderscore, toEntity).replace(/@/g, `@${breakMark}`).replace(/(?<!&)#/g, `#${breakMark}`).replace(/:\/\//g, `:${breakMark}//`).replace(/\bwww\./gi, (match) => `${match.slice(0, -1)}${breakMark}.`).replace(/\bGH-(?=\d)/gi, (match) => `${match.slice(0, -1)}${breakMark}-`).replace(/^[-+=](?=[-+=\s]|$)/, toEntity).replace(/^(\d+)([.)])(?=\s|$)/, (_match, digits, mark) => `${digits}${toEntity(mark)}`);
}
/** A name as code, where it stands in a paragraph or a list. */
function toCodeSpan(text) {
	if (text.trim() === "") return toHtmlCode(text);
	const runs = text.match(/`+/g) ?? [];
	const fence = "`".repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
	const padding = /^[` ]|[` ]$/.test(text) ? " " : "";
	return `${fence}${padding}${text}${padding}${fence}`;
}
/** A name as code, where it stands in a table or in HTML: parsers differ on a pipe behind a backslash in a code span. */
function toCellCode(text) {
	return /[|\\`]/.test(text) ? toHtmlCode(text) : toCodeSpan(text);
}
/** A name as code inside HTML, where Markdown may or may not be read. */
function toHtmlCode(text) {
	return `<code>${text.replace(/[^\p{L}\p{N} ./,:()…_-]/gu, toEntity).replace(outerUnderscore, toEntity)}</code>`;
}
/** A fenced block that no line in it can end. */
function toCodeBlock(lines) {
	const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
	const fence = "`".repeat(Math.max(2, ...runs.map((run) => run.length)) + 1);
	return [
		`${fence}text`,
		...lines,
		fence
	].join("\n");
}
function toEntity(character) {
	return `&#${character.codePointAt(0)};`;
}
// src/report/markdown.ts
const maxName = 120;
const maxMessage = 1e3;
const maxConsoleLine = 300;
/**
* The report as Markdown of at most `maxLength`.
*
* What does not fit is left out with a count of what is missing, the least telling first: unchanged rows, console
* lines, warnings, profiles, machines, details, then further rows from the end. The table itself stays.
*/
function renderMarkdown(model, options = {}) {
	const maxLength = options.maxLength ?? 65e3;
	const changed = model.rows.filter(({ verdict }) => verdict !== "unchanged").length;
	const steps = [
		["rows", Math.max(1, changed)],
		["consoleLines", 0],
		["warnings", 0],
		["profiles", 0],
		["machines", 0],
		["regressions", 0],
		["rows", 1],
		["failures", 0]
	];
	let extent = {
		rows: model.rows.length,
		regressions: model.regressions.length,
		profiles: model.profiles.length,
		warnings: model.warnings.length,
		consoleLines: 40,
		failures: model.failures.length,
		machines: model.machines.length
	};
	const fits = (candidate) => render(model, candidate).length <= maxLength;
	for (const [part, atLeast] of steps) {
		if (fits(extent)) break;
		let low = Math.min(atLeast, extent[part]);
		let high = extent[part];
		while (low < high) {
			const middle = Math.ceil((low + high) / 2);
			if (fits({
				...extent,
				[part]: middle
			})) low = middle;
			else high = middle - 1;
		}
		extent = {
			...extent,
			[part]: low
		};
	}
	const text = render(model, extent);
	return text.length <= maxLength ? text : `${renderTitle(model)}\n\nThe report is too long to be shown here.\n`;
}
function render(model, extent) {
	const hidden = model.regressions.length - extent.regressions;
	const hiddenFailures = model.failures.length - extent.failures;
	return `${[
		renderTitle(model),
		toMarkdown(model.headline),
		renderSubject(model),
		...renderTable$1(model, extent.rows),
		model.verified === null ? "" : `<sub>${escapeText(model.verified)}</sub>`,
		...model.regressions.slice(0, extent.regressions).map(renderRegression),
		hidden > 0 ? `_Details of ${countOf(hidden, "regression")} are left out to keep this short._` : "",
		...model.failures.slice(0, extent.failures).map((failure) => renderFailure$1(failure, extent.consoleLines)),
		hiddenFailures > 0 ? `_${countOf(hiddenFailures, "failed kernel")} left out to keep this short._` : "",
		renderFolded("Profiles, in the output folder", model.profiles.map(formatProfiles$1), extent.profiles),
		renderFolded(countOf(model.warnings.length, "warning"), model.warnings.map(toMarkdown), extent.warnings),
		renderFolded("How it was measured", model.machines.map(formatMachine$1), extent.machines),
		...model.footnotes.map((note) => `<sub>${escapeText(note)}</sub>`)
	].filter((block) => block !== "").join("\n\n")}\n`;
}
function renderTitle({ verdict }) {
	return `### bpfgate: ${verdict}`;
}
function renderSubject({ project, base, head }) {
	const [what, from, to] = [
		project,
		base,
		head
	].map((name) => toCodeSpan(clipMiddle(name, maxName)));
	return `${what}: ${from} → ${to}`;
}
function renderTable$1({ rows, kernels }, count) {
	if (rows.length === 0) return [];
	const shown = rows.slice(0, count);
	const table = markdownTable([[
		"benchmark",
		"measure",
		...kernels.map(({ id }) => escapeText(clipMiddle(id, maxName)))
	], ...shown.map((row) => [
		toCellCode(clipMiddle(row.benchmark, maxName)),
		escapeText(clipMiddle(formatMeasure(row), maxName)),
		...kernels.map((kernel, index) => {
			const cell = row.cells[index] ?? null;
			const { result, values } = toCellText(row, index, kernel);
			const emphasised = cell?.verdict === "regression" ? `**${result}**` : result;
			return values === null ? emphasised : `${emphasised}<br>${values}`;
		})
	])], {
		align: [
			"l",
			"l",
			...kernels.map(() => "r")
		],
		alignDelimiters: false
	});
	const legend = explainSymbols(shown.flatMap((row) => kernels.map((kernel, index) => toCellText(row, index, kernel).result)));
	const missing = rows.slice(count);
	const unchanged = missing.every(({ verdict }) => verdict === "unchanged") ? " unchanged" : "";
	return [
		table,
		missing.length > 0 ? `_${missing.length} more${unchanged} ${missing.length === 1 ? "row" : "rows"}._` : "",
		legend === "" ? "" : `<sub>${legend}</sub>`
	];
}
function renderRegression({ row, change, cells, sources, refusals, growth }) {
	const summary = `${toHtmlCode(clipMiddle(row.benchmark, maxName))} ${escapeText(clipMiddle(change, maxMessage))}`;
	const table = markdownTable([[
		"kernel",
		"base",
		"head",
		"delta",
		"interval",
		"limit",
		"verdict"
	], ...cells.map((cell) => [
		escapeText(clipMiddle(cell.kernel, maxName)),
		cell.base ?? "–",
		cell.head ?? "–",
		formatChange(cell),
		cell.interval ?? "–",
		cell.limit,
		cell.verdict
	])], {
		align: [
			"l",
			"r",
			"r",
			"r",
			"r",
			"r",
			"l"
		],
		alignDelimiters: false
	});
	const where = sources.map((source) => toCodeSpan(clipMiddle(source, maxMessage))).join(", ");
	const logs = refusals.flatMap(({ title, log }) => [escapeText(clipMiddle(title, maxMessage)), log.length === 0 ? "" : toCodeBlock(log.slice(-20).map((line) => clipMiddle(line, maxConsoleLine)))]);
	const grown = growth === null ? [] : renderGrowth$1(growth);
	return fold(summary, [
		table,
		where === "" ? "" : `Source: ${where}`,
		...grown,
		...logs
	]);
}
function renderGrowth$1({ title, lines, sameAs }) {
	const heading = escapeText(clipMiddle(`${title.charAt(0).toUpperCase()}${title.slice(1)}`, maxMessage));
	if (lines.length === 0) return [`${heading}.`];
	if (sameAs !== null) return [`${heading}: those of ${toCodeSpan(clipMiddle(sameAs, maxName))}.`];
	const table = markdownTable([[
		"line",
		"delta",
		"base → head"
	], ...lines.map(({ place, values, delta }) => [
		toCellCode(clipMiddle(place, maxName)),
		delta,
		values
	])], {
		align: [
			"l",
			"r",
			"r"
		],
		alignDelimiters: false
	});
	return [`${heading}:`, table];
}
function renderFailure$1({ kernel, release, message, hint, consoleTail }, consoleLines) {
	const name = `${escapeText(clipMiddle(kernel, maxName))} (${escapeText(clipMiddle(release, maxName))})`;
	const lines = consoleLines === 0 ? [] : consoleTail.slice(-consoleLines);
	return [
		`**${name} could not be measured:** ${toMarkdown(message)}`,
		...hint === null ? [] : [`Next: ${toMarkdown(hint)}`],
		...lines.length === 0 ? [] : [fold("The end of its console", [toCodeBlock(lines.map((line) => clipMiddle(line, maxConsoleLine)))])]
	].join("\n\n");
}
function renderFolded(title, items, count) {
	if (items.length === 0) return "";
	const more = items.length - count;
	if (count === 0) return `_${title}: left out to keep this short._`;
	return fold(title, [[...items.slice(0, count).map((item) => `- ${item}`), ...more > 0 ? [`- and ${more} more`] : []].join("\n")]);
}
/** A blank line behind `<summary>` is what lets GitHub read the body as Markdown. */
function fold(summary, body) {
	return [
		`<details><summary>${summary}</summary>`,
		...body.filter((block) => block !== ""),
		"</details>"
	].join("\n\n");
}
function formatProfiles$1({ bench, kernel, folder, files }) {
	const names = files.map(({ name, url }) => {
		const text = toCodeSpan(clipMiddle(name, maxName));
		return url === null ? text : `[${text}](${url})`;
	});
	return `${`${toCodeSpan(clipMiddle(bench, maxName))} on ${escapeText(clipMiddle(kernel, maxName))}`}, in ${toCodeSpan(clipMiddle(folder, maxMessage))}: ${names.join(", ")}`;
}
function formatMachine$1({ kernels, description, reason }) {
	const why = reason === null ? "" : `; no KVM: ${reason}`;
	return escapeText(clipMiddle(`${kernels.join(", ")}: ${description}${why}`, maxMessage));
}
function toMarkdown(sentence) {
	return sentence.map((span) => typeof span === "string" ? escapeText(clipMiddle(span, maxMessage)) : toCodeSpan(clipMiddle(span.code, maxMessage))).join("");
}
// src/report/text.ts
const styles = {
	bold: 1,
	dim: 2,
	red: 31,
	green: 32,
	yellow: 33
};
/** The report as text; its last line is `verdict: <verdict>`. */
function renderText(model, options = {}) {
	const layout = {
		width: Math.max(40, options.width ?? 100),
		paint: options.colour ? (style, text) => `\u001b[${styles[style]}m${text}\u001b[0m` : (_style, text) => text
	};
	return `${[
		wrap(`${model.project}: ${model.base} → ${model.head}`, layout.width),
		renderHeadline(model, layout),
		...renderTables(model, layout),
		model.verified === null ? "" : paintLines("dim", wrap(model.verified, layout.width), layout),
		...renderRegressions(model.regressions, layout),
		...model.failures.map((failure) => renderFailure(failure, layout)),
		renderList("profiles, in the output folder", model.profiles.map(formatProfiles), layout),
		renderList("warnings", model.warnings.map(toText), layout),
		renderList("measured with", model.machines.map(formatMachine), layout),
		...model.footnotes.map((note) => paintLines("dim", wrap(note, layout.width), layout)),
		paintVerdict(model.verdict, `verdict: ${model.verdict}`, layout)
	].filter((block) => block !== "").join("\n\n")}\n`;
}
function renderHeadline({ headline }, layout) {
	return paintLines("bold", wrap(toText(headline), layout.width), layout);
}
/** One table with as much detail as the width allows, else one after another, each with the kernels that fit. */
function renderTables({ rows, kernels }, layout) {
	if (rows.length === 0) return [];
	const all = kernels.map((_, index) => index);
	const plain = {
		...layout,
		paint: (_style, text) => text
	};
	const fits = (columns, detail) => widthOf(renderTable(rows, kernels, columns, detail, plain)) <= layout.width;
	const legend = explainSymbols(rows.flatMap((row) => kernels.map((kernel, index) => toCellText(row, index, kernel).result)));
	const detail = ["values", "change"].find((detail) => fits(all, detail)) ?? "delta";
	const tables = [];
	for (let start = 0; start < all.length;) {
		let end = all.length;
		while (end > start + 1 && !fits(all.slice(start, end), detail)) end--;
		tables.push(renderTable(rows, kernels, all.slice(start, end), detail, layout));
		start = end;
	}
	return [...tables, paintLines("dim", legend, layout)];
}
function renderTable(rows, kernels, columns, detail, { width, paint }) {
	const table = new import_cli_table3.default({
		head: [
			"benchmark",
			"measure",
			...columns.map((column) => kernels[column]?.id ?? "")
		],
		colAligns: [
			"left",
			"left",
			...columns.map(() => "right")
		],
		chars: {
			top: "",
			"top-mid": "",
			"top-left": "",
			"top-right": "",
			bottom: "",
			"bottom-mid": "",
			"bottom-left": "",
			"bottom-right": "",
			left: "",
			"left-mid": "",
			right: "",
			"right-mid": "",
			mid: "─",
			"mid-mid": "──",
			middle: "  "
		},
		style: {
			head: [],
			border: [],
			compact: true,
			"padding-left": 0,
			"padding-right": 0
		}
	});
	for (const row of rows) {
		const cells = columns.map((column) => {
			const cell = row.cells[column] ?? null;
			const kernel = kernels[column];
			if (kernel === void 0) return "";
			const { result: full, values } = toCellText(row, column, kernel);
			const result = detail === "delta" ? full.replace(/ \(.*\)$/, "") : full;
			const style = cell === null ? "dim" : styleOf(cell.verdict);
			const painted = style === null ? result : paint(style, result);
			return detail === "values" && values !== null ? `${painted}\n${paint("dim", values)}` : painted;
		});
		table.push([
			clipMiddle(row.benchmark, Math.max(14, Math.floor(width * .4))),
			clipMiddle(formatMeasure(row), Math.max(12, Math.floor(width * .25))),
			...cells
		]);
	}
	return trimLines(table.toString());
}
function renderRegressions(regressions, layout) {
	return regressions.map(({ row, change, cells, sources, refusals, growth }) => {
		const title = `${clipMiddle(row.benchmark, 120)}: ${change}`;
		const shown = cells.filter(({ delta, needs }) => isLoads(row) || delta !== null || needs !== null);
		const kernelWidth = Math.max(...shown.map(({ kernel }) => kernel.length));
		const valuesOf = ({ base, head }) => `${base ?? "–"} → ${head ?? "–"}`;
		const valueWidth = Math.max(...shown.map((cell) => valuesOf(cell).length));
		const lines = shown.map((cell) => {
			const values = valuesOf(cell).padStart(valueWidth);
			const facts = [
				...isLoads(row) ? [] : [cell.differs ? formatChange(cell) : "~"],
				...cell.interval === null ? [] : [cell.interval === "exact" ? "exact" : `interval ${cell.interval}`],
				`limit ${cell.limit}`,
				...cell.verdict === "regression" ? [] : [cell.verdict]
			];
			return wrap(`  ${cell.kernel.padEnd(kernelWidth)}  ${values}  ${facts.join(", ")}`, layout.width, "    ");
		});
		return [
			paintLines("red", wrap(title, layout.width), layout),
			...sources.map((source) => `  at ${source}`),
			...lines,
			...growth === null ? [] : renderGrowth(growth, layout),
			...refusals.flatMap(({ title, log }) => [wrap(`  ${title}`, layout.width, "    "), ...log.slice(-20).map((line) => `  │ ${line}`)])
		].join("\n");
	});
}
function renderGrowth({ title, lines, sameAs }, layout) {
	if (sameAs !== null) return [wrap(`  ${title}: those of ${clipMiddle(sameAs, 120)}`, layout.width, "    ")];
	const placeWidth = Math.max(...lines.map(({ place }) => place.length));
	const deltaWidth = Math.max(...lines.map(({ delta }) => delta.length));
	return [wrap(`  ${title}`, layout.width, "    "), ...lines.map(({ place, values, delta }) => `    ${place.padEnd(placeWidth)}  ${delta.padStart(deltaWidth)}  ${values}`.trimEnd())];
}
function renderFailure({ kernel, release, message, hint, consoleTail }, layout) {
	const shown = consoleTail.slice(-20);
	return [
		paintLines("red", wrap(`${kernel} (${release}) could not be measured: ${toText(message)}`, layout.width), layout),
		...hint === null ? [] : [wrap(`  next: ${toText(hint)}`, layout.width, "    ")],
		...shown.length === 0 ? [] : ["  the end of its console:", ...shown.map((line) => `  │ ${line}`)]
	].join("\n");
}
function renderList(title, items, { width }) {
	if (items.length === 0) return "";
	return [title, ...items.map((item) => wrap(`  ${item}`, width, "    "))].join("\n");
}
function formatProfiles({ bench, kernel, folder, files }) {
	return `${bench} on ${kernel}, in ${folder}: ${files.map(({ name }) => name).join(", ")}`;
}
function formatMachine({ kernels, description, reason }) {
	return `${kernels.join(", ")}: ${description}${reason === null ? "" : `; no KVM: ${reason}`}`;
}
function toText(sentence) {
	return sentence.map((span) => typeof span === "string" ? span : `\`${span.code}\``).join("");
}
function styleOf(verdict) {
	switch (verdict) {
		case "regression": return "red";
		case "improvement": return "green";
		case "inconclusive": return "yellow";
		case "unchanged": return "dim";
		default: return null;
	}
}
function paintVerdict(verdict, text, { paint }) {
	return paint(verdict === "pass" ? "green" : verdict === "inconclusive" ? "yellow" : "red", text);
}
/** Line by line, so that a pager or a log that cuts between lines keeps the colour right. */
function paintLines(style, text, { paint }) {
	return text.split("\n").map((line) => line === "" ? "" : paint(style, line)).join("\n");
}
/** Breaks at spaces; a word longer than the line stays whole. Later lines begin with `indent`. */
function wrap(text, width, indent = "") {
	const [first = "", ...words] = text.split(/(?<=\S) /);
	const lines = [];
	let line = first;
	for (const word of words) if (line.length + 1 + word.length > width) {
		lines.push(line);
		line = `${indent}${word}`;
	} else line += ` ${word}`;
	return [...lines, line].join("\n");
}
function trimLines(text) {
	return text.replace(/ +$/gm, "");
}
function widthOf(text) {
	return Math.max(...text.split("\n").map((line) => [...line].length));
}
// src/report/write-outputs.ts
/** Writes a run's result, its report, and what each stage handed to the next. */
async function publishRun({ results, profiles, stages }, folder) {
	const json = (value) => `${JSON.stringify(value, null, 1)}\n`;
	await writeOutputs(folder, {
		"results.json": serializeResults(results),
		"report.md": renderMarkdown(buildReport(results)),
		...Object.fromEntries(profiles.map(({ profile, content }) => [profile.file, content])),
		"stages/plan.json": json(stages.plan),
		"stages/builds.json": json(stages.builds),
		"stages/guest-runs.json": json(stages.guestRuns),
		"stages/timed-boots.json": json(stages.timedBoots.map(withoutPrinted))
	});
}
/**
* Writes files below `folder`, which is made when it is missing.
*
* @param files contents by path below the folder
* @throws MachineError when the folder cannot be written; each file is then as it was or whole
*/
async function writeOutputs(folder, files) {
	const staging = join(folder, `.bpfgate-${process.pid}`);
	try {
		for (const [name, content] of Object.entries(files)) {
			await mkdir(dirname(join(staging, name)), { recursive: true });
			await writeFile(join(staging, name), content);
		}
		const places = Object.keys(files).map((name) => ({
			staged: join(staging, name),
			place: join(folder, name)
		}));
		for (const { place } of places) {
			await mkdir(dirname(place), { recursive: true });
			if ((await stat(place).catch(() => void 0))?.isDirectory()) throw new Error(`${place} is a folder`);
		}
		for (const { staged, place } of places) await rename(staged, place);
	} catch (cause) {
		throw new MachineError(`cannot write the results to ${folder}: ${cause.message}`, {
			cause,
			hint: "give another place"
		});
	} finally {
		await rm(staging, {
			recursive: true,
			force: true
		}).catch(() => {});
	}
}
/** Of hundreds of rounds what they printed is not kept: the result has every value. */
function withoutPrinted({ benches, ...boot }) {
	return {
		...boot,
		benches: benches.map(({ stdoutText: _, stderrTail: __, ...bench }) => bench)
	};
}
export { readAptSites as $, verifyKernel as A, object$1 as B, buildTree$1 as C, toPlainLine as Ct, findUnreadable as D, chooseKernels as E, readMissing as F, requirePrerequisites as G, url$1 as H, readPins as I, downloadSmall as J, checkPrerequisites as K, ZodNumber as L, compareKernels as M, compareVersions as N, hashFile as O, parseEntries as P, permanentArchiveHint as Q, boolean as R, buildSourceKernel as S, countOf as St, cachedKernel as T, _coercedNumber as U, string as V, installMissing as W, archiveRoots as X, downloadVerified as Y, permanentArchive as Z, version as _, MachineError as _t, toCodeBlock as a, namesUnit as at, require_cli_table3 as b, packageRoot as bt, serializeResults as c, runOrThrow as ct, formatMeasure as d, openCache as dt, optionalGroups as et, toCellText as f, publishEntry as ft, execInGuest as g, KernelError as gt, runGate as h, InterruptedError as ht, renderMarkdown as i, runners as it, selectKernels as j, listTreeKernels as k, explainSymbols as l, decideVerdict as lt, isLoads as m, InputError as mt, writeOutputs as n, defaultOut as nt, parseResults as o, groupBy as ot, buildReport as p, GateError as pt, lacking as q, renderText as r, readInputs as rt, requireKnownKernels as s, run$1 as st, publishRun as t, prerequisiteGroups as tt, formatChange as u, exitCodeOf$1 as ut, defaultMemoryMiB as v, VmError as vt, packAsset as w, toPlainText as wt, fetchKernel as x, clipMiddle as xt, renderTiming as y, revisionNames as yt, int as z };
